#!/usr/bin/env bash
# Files that copra 1.0.0 wrote (tests/data/release_1.0) are read, or refused in one line that says what
# to do: checkpoints, results, peak rates, baselines, history and journals. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
old=$root/tests/data/release_1.0
cp -r "$old"/. .
chmod -R u+w .
export COPRA_RESULTS=$work COPRA_MACHINE=release

# ---- checkpoints: a search of 1.0 continues, and its counts are those of the whole tree ----
continues() { # checkpoint, Python conditions on the object r, flags...
	check "$1 is resumed" exits 0 "$bin/gmys-ivm" solve "${@:3}" --resume "checkpoints/$1" --json result.json
	check "... with the counts of the whole tree" python3 -c 'import json, sys
r = json.load(open("result.json"))
assert eval(sys.argv[1]), r' "$2"
}
shop=(--instance random:12x10:99:5 --ub 1228 --start none)
continues queens_intervals.txt 'r["objective"] == 73712 and r["nodes"]["decomposed"] == 2490837 and r["verified"]' \
	--problem nqueens --instance 13 --variant published --device cpu
continues flowshop_intervals.txt 'r["status"] == "proved" and r["nodes"]["decomposed"] == 3123' \
	"${shop[@]}" --variant published --device cpu
continues flowshop_nodes.txt 'r["status"] == "proved" and r["nodes"]["decomposed"] == 53002' \
	"${shop[@]}" --variant tuned --device sim --bound lb1 --branching minbranch
continues atsp_intervals.txt 'r["status"] == "optimal" and r["objective"] == 119 and r["nodes"]["decomposed"] == 16166' \
	--problem atsp --instance random:12:99:3 --variant published --device cpu
for file in checkpoints/*; do
	check "$(basename "$file") was stopped before its end" bash -c '! grep -qE "^(intervals|nodes) 0$" "$1"' bash "$file"
done
sed '1s/1$/3/' checkpoints/queens_intervals.txt >later.txt
check "a checkpoint of a later format is refused" exits 2 "$bin/gmys-ivm" solve --problem nqueens --instance 13 \
	--variant published --device cpu --resume later.txt
check "... with what to do" one_line 'later.txt:1: a checkpoint of format 3, this copra reads format 1: resume it with the copra that wrote it, or start without --resume'

# ---- results and peak rates ----
mkdir world
ln -s "$work" world/local
ln -s "$root/results/papers" world/papers
check "the report reads results and peak rates" exits 0 "$bin/copra-report" data --results world --target dp-knapsack --out report
check "... without a complaint" test ! -s err.txt
check "... and shows them" grep -q '^200' report/dp-knapsack/table1.local-release.csv
name=dp-knapsack/table1/boyer/serial/form:item/n:200/seed:1/gpus:0/manual_time
bench() { # flags...
	"$bin/dp-knapsack" bench --copra_scale=smoke --device=cpu --benchmark_min_time=1x --benchmark_filter="^$name\$" "$@"
}
check "a new run beside old peak rates and an old journal succeeds" exits 0 bench --copra_resume \
	--benchmark_out=release/dp-knapsack/smoke/bench.json
check "the old journal is named, with what happens" grep -qE \
	'bench.journal.jsonl: none of its [0-9]+ lines is of this build and these settings: all cases are measured again$' err.txt
check "... in one line" test "$(grep -c journal err.txt)" -eq 1
check "old peak rates are measured again by copra peaks" grep -q '(copra peaks)' err.txt
check "its rows were measured anew" exits 0 jq -e --arg r "$(jq -r .context.copra_revision "$old/release/dp-knapsack/smoke/bench.json")" \
	'.context.copra_revision != $r and (.benchmarks | length) > 0' release/dp-knapsack/smoke/bench.json
if [ -x "$bin/copra-compare" ]; then
	# ---- files, baseline, history ----
	host=$(jq -r .context.host_name release/dp-knapsack/smoke/bench.json)
	sed -i "s/0123456789abcdef/$host/" release/gate/default/*.json history/history.jsonl
	status=0
	"$bin/copra-compare" compare --bin "$bin" --papers "$root/results/papers" --launches 8 --quiet >out.txt 2>err.txt || status=$?
	check "a build is compared with the baseline of 1.0" test $status -le 1
	check "... by its rows, because programs are not kept here" grep -q '^WEAKER: .*gone' out.txt
	check "... and its revision is named" exits 0 jq -e '.old.revision == "cc7152bca6ac" and .benchmarks[0].old_samples == 7' \
		release/gate/compare/compare.json
	sed -i 's/"schema": 1/"schema": 3/' release/gate/default/baseline.json
	check "a baseline of a later format is refused" exits 2 "$bin/copra-compare" compare --bin "$bin" --papers "$root/results/papers" --quiet
	check "... with what to do" one_line "baseline.json: a baseline of another format; run 'copra compare baseline' again"
	check "the history of 1.0 is shown" exits 0 "$bin/copra-history" --history "$old/history/history.jsonl"
	check "... with its revision" grep -q "^ *$name .*cc7152bc" out.txt
	sed 's/"schema": 1/"schema": 3/' "$old/history/history.jsonl" >later.jsonl
	"$bin/copra-history" --history later.jsonl >out.txt 2>err.txt || true
	check "a history of a later format is named, with what to do" grep -q \
		'later.jsonl:1: format 3, this copra reads format 1: show it with the copra that wrote it' err.txt
fi
exit $failed
