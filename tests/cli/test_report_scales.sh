#!/usr/bin/env bash
# If a machine has rows of two scales, tables use those of the larger one. They never mix a row of 10 runs
# with one of 30. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
bin=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$bin/copra-report" ] || { echo "copra-report is not built"; exit 77; }
. "$top/tests/cli/checks.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset COPRA_DEVICE COPRA_THREADS COPRA_SCALE

cat >rows.py <<'END_PY'
"""Fabricated rows with all counters of recorded ones, for each name on standard input."""
import glob, hashlib, json, sys
top, target = sys.argv[1:]
standard = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
            "iterations", "real_time", "cpu_time"}
counters = set()
for path in glob.glob("%s/results/recorded/*/%s/*/bench.json" % (top, target)):
    for row in json.load(open(path))["benchmarks"]:
        counters |= {key for key, value in row.items() if isinstance(value, (int, float))}
def value(*key):
    return 1 + int(hashlib.md5("|".join(key).encode()).hexdigest()[:8], 16) / 2 ** 32
rows = [dict({c: value(name, c) for c in counters - standard}, name=name, run_name=name,
             run_type="iteration", repetitions=1, repetition_index=0, threads=1, iterations=1,
             real_time=value(name), cpu_time=1, time_unit="s") for name in sys.stdin.read().split()]
json.dump({"context": {"date": "2026-01-01"}, "benchmarks": rows}, sys.stdout)
END_PY

cat >same.py <<'END_PY'
"""Every value of the first report's tables is in those of the second."""
import csv, glob, sys
one, other = sys.argv[1:]
wrong = cells = 0
for path in glob.glob(one + "/*.csv"):
    if path.endswith("claims.csv"):
        continue
    (head, *rows), (head2, *rows2) = (list(csv.reader(open(p))) for p in (path, path.replace(one, other, 1)))
    keys = next(k for k in range(1, 5) if len({tuple(r[:k]) for r in rows}) == len(rows))
    place = lambda h: [(x, h[:i].count(x)) for i, x in enumerate(h)] # two columns may have one heading
    there = {tuple(r[:keys]): dict(zip(place(head2), r)) for r in rows2}
    for r in rows:
        for at, figure in list(zip(place(head), r))[keys:]:
            found = there.get(tuple(r[:keys]), {}).get(at)
            cells += figure != ""
            if figure and found != figure:
                print("%s %s %s: %s, with both scales %s" % (path, r[:keys], at[0], figure, found))
                wrong += 1
print(cells)
sys.exit(wrong > 0 or cells < 100)
END_PY

# The targets whose names contain the number of runs of a row, which is smaller in a quick run.
for target in gboa gmys-ivm; do
	for scale in quick paper; do
		"$bin/$target" bench --benchmark_list_tests --copra_scale=$scale | python3 rows.py "$top" $target >$scale.json
	done
	for world in larger both; do
		mkdir -p $world/local/m/$target/paper
		cp paper.json $world/local/m/$target/paper/bench.json
		ln -sfn "$top/results/papers" $world/papers
	done
	mkdir both/local/m/$target/quick
	cp quick.json both/local/m/$target/quick/bench.json
	for world in larger both; do
		check "$target: a report of the $world scales is written" exits 0 "$bin/copra-report" data --target $target --results $world \
			--out $world/report --plots "$top/plots"
	done
	check "... with the same values" python3 same.py larger/report/$target both/report/$target
done
exit "$failed"
