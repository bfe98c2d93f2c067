#!/usr/bin/env bash
# sample-target solve, list and bench: answers, bad input, a limit. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/checks.bash"
begin sample-target "$1"

printf '5\n4\n5\n6\n7\n8\n' >small.txt
cat >check.py <<'END'
import json, sys
numbers = list(map(int, open("small.txt").read().split()))[1:]
r = json.load(open("result.json"))
heaps = [sum(x for x, h in zip(numbers, r["solution"]) if h == side) for side in (0, 1)]
assert r["objective"] == abs(heaps[0] - heaps[1]) == 0 and r["verified"] is True, r
assert r["nodes"]["tried"] == 2 ** (len(numbers) - 1), r
END
for variant in "serial" "cpu" "published --device sim" "tuned --device sim:0,1"; do
	check "small.txt is solved by $variant" exits 0 "$bin" solve --instance small.txt \
		--variant $variant --json result.json
	check "the answer is correct and verified" json
done

printf '3\n1\n2\n' >short.txt
refused "short.txt" --instance short.txt --variant cpu
refused "nothing.txt" --instance nothing.txt --variant cpu
refused "problem" --instance small.txt --variant cpu --problem tsp
refused "ub" --instance small.txt --variant cpu --ub 5
check "--time-limit ends the search with exit code 3" exits 3 "$bin" solve --instance random:28:1 --variant serial \
	--time-limit 0.000001
check "list exits with 0" exits 0 "$bin" list
check "list shows the generator" grep -q random:N out.txt
experiments_are_listed table1
smoke_is_right_on_simulated_devices '(published|tuned)'
exit "$failed"
