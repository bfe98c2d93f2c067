#!/usr/bin/env bash
# Every kind of search ends within seconds of --time-limit, with exit code 3, one line that names the
# limit, and a valid JSON object. The limit is reached during a simulated launch, during a pass over a long
# table, before the search, and between states of a layer. Without it, each search would take minutes.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin dp-knapsack "$1"
folder=$(dirname "$bin")
limit=0.4
most=8 # seconds: one is enough on an idle machine

limited() { # conditions on the object r, program, command, flags...
	local conditions=$1 program=$2 begin code=0 took
	shift 2
	rm -f result.json
	begin=$(date +%s%N)
	timeout -s KILL 20 "$folder/$program" "$@" --time-limit $limit --json result.json \
		>out.txt 2>err.txt || code=$?
	took=$((($(date +%s%N) - begin) / 1000000))
	check "$program $* ends with exit code 3" [ $code -eq 3 ]
	check "it ends within $most s" [ $took -lt $((most * 1000)) ]
	check "one line names the limit" one_line "stopped by --time-limit $limit"
	check "the JSON object is valid" python3 -c '
import json, sys
r = json.load(open("result.json"))
assert r["status"] == "limit", r
assert eval(sys.argv[1]), r
' "$conditions"
}

bounded='0 < r["objective"] <= r["upper_bound"] and r["verified"]'
limited "$bounded" dp-knapsack solve --instance boyer:100000:1 --variant published --device sim
limited "$bounded" dp-knapsack solve --instance boyer:60000:1 --variant tuned --device sim:0,1 \
	--form fused --value-only
limited "$bounded" dp-knapsack solve --instance boyer:300000 --variant serial --value-only

limited '0 <= r["nodes"]["explored"] < 1e12' helbecque-pool solve --problem nqueens --instance 20 \
	--variant tuned --device sim:0,1
schedule='r["verified"] and 0 < r["lower_bound"] <= 2326 <= r["objective"]' # of ta023: 2326
limited "$schedule" helbecque-pool solve --instance ta023 --variant tuned --device sim:0,1
limited "$schedule" gmys-ivm solve --instance ta023 --variant published --mode pte --device sim:0,1
limited 'r["verified"] and 0 < r["lower_bound"] <= r["objective"]' gmys-ivm solve --problem atsp \
	--instance random:22:100 --ub opt --variant cpu

limited 'r["status"] == "limit"' koester-recovery solve --problem samegame --beam 100000 \
	--instance random:15x15:5:1 --variant cpu
limited 'r["iterations"] == 0' koester-recovery solve --problem synthetic --instance 64x64 --states 8192 \
	--load 100 --schedule each --variant serial
limited 'r["status"] == "limit"' koester-recovery solve --problem synthetic --instance 16x16 \
	--states 65536 --variant tuned --device sim:0,1
exit $failed
