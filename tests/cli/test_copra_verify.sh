#!/usr/bin/env bash
# copra verify: right and wrong answers of every problem. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
copra=$bin/copra samples=$root/datasets/samples

# Solves an instance and verifies the answer; then changes the objective, and the solution.
verifies() { # instance as solved, as verified, what is said; a Python statement that spoils the answer r
	rm -f right.json
	check "$1 is solved" exits 0 "$copra" solve "$1" --json right.json --threads 2
	check "... and the answer is verified" exits 0 "$copra" verify right.json $2
	check "... in one line" grep -q "^right.json: $3.*, as stated" out.txt
	for spoil in "r['objective'] += 1" "$4"; do
		python3 -c 'import json, sys
r = json.load(open("right.json")); exec(sys.argv[1]); json.dump(r, open("wrong.json", "w"))' "$spoil"
		check "... but not after $spoil" exits 1 "$copra" verify wrong.json $2
		check "... in one line" one_line '^copra: wrong.json: '
	done
}
verifies ta001 "" "flowshop of 20 jobs on 5 machines: the schedule has makespan 1278" "r['solution'][0] = r['solution'][1]"
verifies "$samples/flowshop-vfr.txt" "$samples/flowshop-vfr.txt" "flowshop" "r['solution'].pop()"
verifies boyer:50 boyer:50 "knapsack" "r['solution'] = list(range(50))"
verifies "$samples/tour.atsp" "$samples/tour.atsp" "ATSP of 8 cities: the tour has cost 100" "r['solution'].reverse()"
verifies "$samples/weighted.wcnf" "$samples/weighted.wcnf" "MAXSAT" "r['solution'][0] = 2"
verifies trap5:30 "" "trap5 of 30 variables: the string has value 30" "r['solution'][3] ^= 1"
verifies 8Q "" "8 queens: there are 92 placements" "r['objective'] = 91"
check "a game is played again" exits 0 "$copra" solve "$samples/board.txt" --json right.json
check "... from a file in this folder" bash -c 'cp "$1" . && "$2" verify right.json >out.txt' - "$samples/board.txt" "$copra"
check "... with its score" grep -q 'the game has score' out.txt

sed 's/"bound": [0-9]*/"bound": 1277/' <("$copra" solve ta001 --json - 2>/dev/null) >low.json
check "an optimum that does not reach its bound is wrong" exits 1 "$copra" verify low.json
check "... in one line" one_line 'which is not optimal by the stated bound of 1277$'
sed 's/"bound": [0-9]*/"bound": 1279/' low.json >high.json
check "a value beyond its bound is wrong" exits 1 "$copra" verify high.json
check "... in one line" one_line 'better than the stated bound of 1279$'

echo '{"problem": "flowshop", "instance": "ta001", "objective": 1, "solution": [0]}' >short.json
check "a short order is wrong" exits 1 "$copra" verify short.json
check "... in one line" one_line 'short.json: 1 values, expected 20$'
echo '{"problem": "flowshop", "instance": "gone.txt", "objective": 1, "solution": [0]}' >gone.json
check "an instance that is not here is asked for" exits 2 "$copra" verify gone.json
check "... in one line" one_line 'name the instance: copra verify gone.json FILE|NAME$'
check "an answer of another problem does not fit the instance" exits 2 "$copra" verify short.json "$samples/tour.atsp"
check "... in one line" one_line '^copra: short.json: '
check "an answer without a solution is not verified" exits 2 "$copra" verify <(echo '{"problem": "flowshop",
	"instance": "ta001", "status": "proved", "solution": null}')
check "... in one line" one_line 'it has no solution to evaluate$'
check "many queens are not counted again" exits 2 "$copra" verify <(echo '{"problem": "nqueens", "instance": "16",
	"status": "counted", "objective": 14772512}')
check "... in one line" one_line 'more than 13 queens are not counted again$'
echo '[' >broken.json
check "a malformed answer is refused with its line" exits 2 "$copra" verify broken.json
check "... in one line" one_line 'broken.json:'
check "no answer is an error" exits 2 "$copra" verify
check "a missing file is an error" exits 2 "$copra" verify none.json
check "... in one line" one_line 'none.json: No such file'
check "help is printed" exits 0 "$copra" help verify
check "... and is the same with --help" bash -c '"$1" help verify | cmp - <("$1" verify --help)' - "$copra"
exit $failed
