#!/usr/bin/env bash
# helbecque-pool solve, list and bench: answers, counts, bounds, bad input, limits, signals.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin helbecque-pool "$1"

# 8 jobs on 5 machines; the optimum by trying all orders.
small_flowshop
cat >check.py <<'END'
import sys
from small import *
if len(sys.argv) == 1:
    print(optimum())
else:
    hold(sys.argv[1:], globals())
END
optimum=$(python3 check.py)
right=("r['objective'] == $optimum" "makespan(r) == $optimum" "r['verified'] is True"
	"r['status'] == 'optimal'" "r['bound'] == $optimum" "r['lower_bound'] == $optimum"
	"r['problem'] == 'pfsp'" "list(r)[4:8] == ['status', 'objective', 'bound', 'solution']")
for variant in serial cpu "cpu --threads 1" "published --device sim" "published --device sim:0,1 --steal off" \
	"published --device sim:0,1 --m 2 --M 16" "tuned --device sim" "tuned --device sim:0,1" \
	"serial --bound lb1" "serial --bound lb1 --branching minbranch" "serial --branching maxsum" \
	"cpu --bound lb1" "cpu --bound lb1 --branching minbranch" "cpu --incumbent private" \
	"tuned --device sim --bound lb1 --branching minbranch" "cpu --start none" "cpu --start neh"; do
	check "small.txt is solved by $variant" exits 0 "$bin" solve --instance small.txt --variant $variant \
		--json result.json
	check "the schedule is optimal and verified" json "${right[@]}"
done
check "the summary shows the schedule" summary "'solution   ' + $numbers + ' (jobs, numbered from 0)'"
check "the summary shows the bound" summary "'bound      $optimum'"
check "the summary shows no gap" bash -c '! grep -q "^gap" out.txt'
check "the summary says which nodes are counted" grep -q "^explored: children that entered the pool; decomposed: nodes whose" out.txt
check "--time-limit ends the search of ta051 with exit code 3" exits 3 "$bin" solve --instance ta051 --variant cpu --time-limit 0.3 --json result.json
check "the partial result has a bound" json "0 < r['bound'] < r['objective']" "r['bound'] == r['lower_bound']"
check "the summary of the partial result shows the bound" summary "'bound      %d' % r['bound']"
check "the summary of the partial result shows the gap" summary "'gap        %d (%.3g %% of the objective)' % (
	r['objective'] - r['bound'], 100 * (r['objective'] - r['bound']) / r['objective'])"
check "a long schedule is shown by its length" summary "'solution   50 jobs (--json shows them)'"

# From the optimum as initial bound, all variants search the same tree.
tree=
check "as many devices as pay are used" exits 0 "$bin" solve --instance small.txt --device sim:0,1 --gpus auto --json result.json
check "... and only those that worked are listed" json "len(r['devices']) == 1" "r['objective'] == $optimum"
check "one of two devices is listed" exits 0 "$bin" solve --instance small.txt --device sim:0,1 --gpus 1 --json result.json
check "... alone" json "r['devices'] == ['simulated GPU 0']"
check "--gpus auto is refused by the other variants" exits 2 "$bin" solve --instance small.txt --variant published --device sim:0,1 --gpus auto
check "... in one line" test "$(grep -c 'gpus=auto is only for --variant=tuned' err.txt)" -eq 1
check "--gpus refuses other words" exits 2 "$bin" solve --instance small.txt --device sim --gpus some
for variant in serial cpu "published --device sim" "published --device sim:0,1,2 --m 1 --M 3" \
	"tuned --device sim" "tuned --device sim:0,1"; do
	check "--ub $optimum is searched by $variant" exits 0 "$bin" solve --instance small.txt --variant $variant \
		--ub "$optimum" --start none --json result.json
	check "the bound is proved without a schedule" json "r['status'] == 'proved'" "r['bound'] == $optimum" \
		"r['objective'] is None" "r['solution'] is None" "r['verified'] is False" \
		"r['nodes']['leaves'] == 0"
	count=$(python3 -c 'import json; print(json.load(open("result.json"))["nodes"]["explored"])' || true)
	check "the tree has as many nodes as that of the other variants ($count)" [ "${tree:=$count}" = "$count" ]
done
for rung in literal pinned two-chunks lb1-first bit-masks steps packed device-tree by-set set-at-once lane-nodes; do
	check "--ub $optimum is searched by the rung $rung" exits 0 "$bin" solve --instance small.txt --rung $rung \
		--device sim:0,1 --ub "$optimum" --start none --json result.json
	check "its tree has as many nodes as that of the variants" json "r['nodes']['explored'] == $tree" "r['rung'] == '$rung'"
done
check "--ub below the optimum exits with 0" exits 0 "$bin" solve --instance small.txt --variant serial \
	--ub $((optimum - 5)) --json result.json
check "only the bound is proved, although a schedule is known" json "r['status'] == 'proved'" \
	"r['bound'] == $((optimum - 5))" "r['objective'] is None" "r['solution'] is None"
check "the summary shows the proved bound" grep -qx "bound      $((optimum - 5))" out.txt
check "the summary shows no objective" bash -c '! grep -q ^objective out.txt'
check "--ub above the optimum exits with 0" exits 0 "$bin" solve --instance small.txt --variant serial \
	--ub $((optimum + 1)) --start none --json result.json
check "an optimal schedule is found" json "${right[@]}"

check "ta001 is solved without a given bound" exits 0 "$bin" solve --instance ta001 --variant cpu --json result.json
check "the optimum of ta001 is 1278" json "r['objective'] == 1278" "r['status'] == 'optimal'" "len(r['solution']) == 20"
check "ta029 is searched from its optimum" exits 0 "$bin" solve --instance ta029 --variant cpu --ub opt --json result.json
check "its tree has as many nodes as in the paper" json "r['nodes']['explored'] == 9499307" "r['nodes']['decomposed'] == 9499308" \
	"r['objective'] is None" "r['bound'] == 2237" "r['solution'] is None" \
	"r['status'] == 'proved'" "r['verified']"
# No count of this tree is published, so the proof is valid but not verified.
check "ta029 is searched with a bound that the paper does not use" exits 0 "$bin" solve --instance ta029 --variant cpu --ub opt \
	--bound lb1 --branching minbranch --json result.json
check "the proof is not marked as verified" json "r['status'] == 'proved'" "r['verified'] is False" \
	"r['bound'] == 2237" "r['objective'] is None" "r['solution'] is None"
check "the summary says what was proved" grep -q "proved: no schedule is shorter than 2237" out.txt

for variant in serial cpu "cpu --threads 1" "published --device sim" "published --device sim:0,1" \
	"tuned --device sim" "tuned --device sim:0,1"; do
	check "8 queens are counted by $variant" exits 0 "$bin" solve --problem nqueens --instance 8 --variant $variant \
		--json result.json
	check "the counts of 8 queens are correct" json "r['objective'] == 92" "r['nodes']['explored'] == 2056" \
		"r['status'] == 'counted'" "r['verified']" "r['instance'] == '8'" "r['solution'] is None" \
		"r['bound'] is None"
done
for rung in literal pinned two-chunks bit-masks device-tree depth-first refill symmetry; do
	check "9 queens are counted by the rung $rung" exits 0 "$bin" solve --problem nqueens --instance 9 --rung $rung \
		--device sim:0,1 --json result.json
	check "the counts of 9 queens are correct" json "r['objective'] == 352" "r['nodes']['explored'] == 8393" "r['verified']"
done
check "counting proves no bound" json "r['bound'] is None"
check "the summary says which queens nodes are counted" grep -q "^explored: placements of 1 to N queens" out.txt
check "12 queens are counted with --solutions-only" exits 0 "$bin" solve --problem nqueens --instance 12 --variant cpu --solutions-only \
	--json result.json
check "12 queens have 14200 solutions" json "r['objective'] == 14200" "'explored' not in r['nodes']" \
	"'decomposed' not in r['nodes']"
check "12 queens are counted by tuned with --solutions-only" exits 0 "$bin" solve --problem nqueens --instance 12 --variant tuned \
	--device sim --solutions-only --json result.json
check "tuned counts 14200 solutions" json "r['objective'] == 14200" "'explored' not in r['nodes']" \
	"'decomposed' not in r['nodes']"
check "--problem flowshop is a synonym of pfsp" exits 0 "$bin" solve --problem flowshop --instance small.txt --variant cpu
check "list exits with 0" exits 0 "$bin" list
check "list shows the problems" grep -q -- '--problem nqueens' out.txt
check "list shows how the optima are known" grep -q 'optima: 83 proved here, 1 in a paper, 24 only in a list, 12 open' out.txt
check "list shows the experiments" grep -q helbecque-pool/table5 out.txt

bad_flowshops_are_refused
plain_matrices_are_read
small=(--instance small.txt --variant cpu)
refused nothing.txt --instance nothing.txt --variant cpu
refused "add --problem nqueens" --instance 12
refused "queens" --problem nqueens --instance 33 --variant cpu
refused "at most 26 queens" --problem nqueens --instance 27 --variant cpu
refused "at most 26 queens" --problem nqueens --instance 27 --variant tuned --device sim
refused "forward only" --instance small.txt --variant published --device sim --branching minbranch
refused "--m: is only for --variant published" "${small[@]}" --m 5
refused "--M: is only for --variant published" --instance small.txt --variant tuned --device sim --M 5
for flag in "memory 5000" "steal off" "incumbent private"; do
	refused "--${flag% *}: serial " --instance small.txt --variant serial --$flag
done
refused "--memory: cpu keeps one path per thread" --problem nqueens --instance 8 --variant cpu --memory 5000
refused "at most 256" "${small[@]}" --threads 257
check "256 threads are accepted" exits 0 "$bin" solve "${small[@]}" --threads 256
refused "only for --problem flowshop" --problem nqueens --instance 8 --variant cpu --format auto
check "1 queen is solved" exits 0 "$bin" solve --problem nqueens --instance 1 --variant cpu
check "the summary has the singular" grep -q "^1 queen$" out.txt
refused "queens" --problem nqueens --instance ta029 --variant cpu
refused "no meaning for --problem nqueens" --problem nqueens --instance 8 --variant cpu --ub 5
refused "only for --problem flowshop" --problem nqueens --instance 8 --variant cpu --bound lb1
refused "pfsp, flowshop, nqueens" --problem tsp "${small[@]}"
refused "no best known value" "${small[@]}" --ub opt
refused "is not opt, none or a makespan" "${small[@]}" --ub best
refused "is not opt, none or a makespan" "${small[@]}" --ub 0
refused "lb2, lb1" "${small[@]}" --bound lb3
refused "forward, maxsum, minbranch" "${small[@]}" --branching both
refused "none, neh, ig" "${small[@]}" --start random
refused "on, off" "${small[@]}" --steal maybe
refused "shared, private" "${small[@]}" --incumbent none
refused "is not a rung of the ladder of flowshop" --instance small.txt --rung symmetry --device sim
check "by-set refuses 40 jobs instead of searching depth first" exits 4 "$bin" solve --instance random:40x5:20:1 \
	--rung by-set --device sim --start none
check "the error is one line that names the rung" one_line "by-set does not support"
refused "only for LB2 with forward branching" --instance small.txt --rung literal --device sim --bound lb1
refused "not auto or a number" "${small[@]}" --m 0
refused "not auto or a number" "${small[@]}" --M -5
refused "above" "${small[@]}" --m 100 --M 50
refused "only for --problem nqueens" "${small[@]}" --solutions-only
refused "needs --checkpoint" "${small[@]}" --checkpoint-period 1
for flag in checkpoint resume; do
	refused "--$flag: is not supported by --variant cpu with --problem nqueens; use --variant serial or tuned" \
		--problem nqueens --instance 8 --variant cpu --$flag x
	refused "--$flag: is not supported by --variant cpu --steal off" "${small[@]}" --steal off --$flag x
done
check "the N-Queens rungs without symmetry refuse --checkpoint" exits 4 "$bin" solve --problem nqueens --instance 9 \
	--rung refill --device sim --checkpoint x
check "the rungs by job set refuse --checkpoint" exits 4 "$bin" solve --instance small.txt --rung by-set --device sim --checkpoint x
check "a CUDA device that does not exist gives exit code 4" exits 4 "$bin" solve --instance small.txt --variant tuned --device cuda:15

long=(--instance ta051 --variant cpu --bound lb1 --branching minbranch)
for limit in 1 4 20; do # a loaded machine needs longer before the first node is counted
	check "--time-limit with LB1 ends the search of ta051 with exit code 3" exits 3 "$bin" solve "${long[@]}" \
		--time-limit $limit --json result.json
	json "r['nodes']['explored'] > 0" >counted.txt 2>&1 && break
done
check "the time limit leaves a schedule and a bound" json "r['status'] == 'limit'" "len(r['solution']) == 50" \
	"0 < r['bound'] == r['lower_bound'] <= 3846 <= r['objective']" "r['verified']" \
	"r['nodes']['explored'] > 0"
for limit in 0.5 4 20; do
	check "--time-limit ends the count of 22 queens with exit code 3" exits 3 "$bin" solve --problem nqueens --instance 22 \
		--variant cpu --time-limit $limit --json result.json
	json "r['objective'] > 0" >counted.txt 2>&1 && break
done
check "the time limit leaves partial counts" json "r['status'] == 'limit'" "0 < r['objective'] < 2691008701644" \
	"r['nodes']['explored'] > 0"
for flags in "${long[*]}" "--problem nqueens --instance 22 --variant serial" \
	"--instance ta051 --variant tuned --device sim:0,1 --bound lb1 --branching minbranch" \
	"--instance ta051 --variant published --device sim:0,1 --bound lb1"; do
	for pause in 1.5 6 24; do # a loaded machine needs longer before the first node is counted
		interrupted "$pause" $flags
		json "r['nodes']['explored'] > 0" >counted.txt 2>&1 && break
	done
	check "SIGINT leaves a partial result" json "r['status'] == 'limit'" "r['nodes']['explored'] > 0"
done

# ---- checkpoints: totals are exact after stops, kills and resumption by another variant ----
queens=(--problem nqueens --instance 12)
shop=(--instance random:12x10:99:5 --ub 1228 --start none)
check "the flowshop tree is searched" solve 0 "${shop[@]}" --variant serial
nodes=$(python3 -c 'import json; print(json.load(open("result.json"))["nodes"]["decomposed"])' || true)
stop_and_go() { # the answer, the decomposed nodes, the first variant, the second one, flags...
	local answer=$1 nodes=$2 first=$3 second=$4
	shift 4
	check "$first stops at the node limit" solve 3 "$@" --variant $first --checkpoint part --node-limit $((nodes / 5))
	check "it has searched a part" json "r['status'] == 'limit'" "0 < r['nodes']['decomposed'] < $nodes"
	check "$second continues" solve 0 "$@" --variant $second --resume part
	check "the counts are those of one run" json "r['nodes']['decomposed'] == $nodes" "$answer"
}
serial=serial cpu=cpu published="published --device sim --m 2 --M 64" tuned="tuned --device sim:0,1"
while read -r first second; do
	stop_and_go "r['objective'] == 14200 and r['nodes']['explored'] == 856188" 841989 "${!first}" "${!second}" "${queens[@]}"
done <<<'serial published
published serial
published published'
while read -r first second; do
	stop_and_go "r['bound'] == 1228" "$nodes" "${!first}" "${!second}" "${shop[@]}"
done <<<'serial published
published tuned
tuned cpu
cpu serial'
check "tuned stops after it has searched a part" stopped 0.02 --problem nqueens --instance 14 --variant $tuned --memory 2M
check "tuned continues on one device" solve 0 --problem nqueens --instance 14 --variant tuned --device sim --resume state
check "the counts are those of one run" json "r['objective'] == 365596" "r['nodes']['explored'] == 27358552" "r['verified']"
check "tuned with --solutions-only stops" stopped 0.02 --problem nqueens --instance 15 --variant $tuned --solutions-only --memory 2M
check "it continues" solve 0 --problem nqueens --instance 15 --variant $tuned --solutions-only --resume state
check "the solutions are those of one run" json "r['objective'] == 2279184" "r['verified']"
refused "the checkpoint's tree is board-from-middle-solutions, not board-from-middle" --problem nqueens --instance 15 \
	--variant $tuned --resume state
refused "the checkpoint's tree is board-from-middle-solutions, not board" --problem nqueens --instance 15 --variant serial --resume state
refused "the checkpoint is of nqueens, not of flowshop" "${shop[@]}" --variant cpu --resume state
refused nothing.state "${shop[@]}" --variant serial --resume nothing.state
check "a checkpoint that cannot be written gives exit code 1" exits 1 "$bin" solve "${shop[@]}" --variant cpu --checkpoint small.txt/state

killed "queens, serial" 0.05 "${queens[@]}" --variant serial
check "the counts of 12 queens are exact after the kills" json "r['nodes']['explored'] == 856188" "r['objective'] == 14200"
killed "queens, published" 0.1 --problem nqueens --instance 11 --variant published --device sim:0,1
check "the counts of 11 queens are exact after the kills" json "r['nodes']['explored'] == 166925" "r['objective'] == 2680"
killed "queens, tuned" 0.1 --problem nqueens --instance 14 --variant $tuned --memory 2M
check "the counts of 14 queens are exact after the kills" json "r['nodes']['explored'] == 27358552" "r['objective'] == 365596"
killed "flowshop, published" 0.1 "${shop[@]}" --variant $published
check "the flowshop tree of published is exact after the kills" json "r['nodes']['decomposed'] == $nodes" "r['bound'] == 1228"
killed "flowshop, serial" 0.01 "${shop[@]}" --variant serial
check "the flowshop tree of serial is exact after the kills" json "r['nodes']['decomposed'] == $nodes" "r['bound'] == 1228"

# A checkpoint of the depth-first searches of either target is resumed by the other one.
both=("${shop[@]}" --bound lb1 --branching minbranch)
check "the tree of LB1 and MinBranch is searched" solve 0 "${both[@]}" --variant serial
nodes=$(python3 -c 'import json; print(json.load(open("result.json"))["nodes"]["decomposed"])' || true)
ivm=$(dirname "$bin")/gmys-ivm
check "helbecque-pool stops at the node limit" solve 3 "${both[@]}" --variant serial --checkpoint part --node-limit $((nodes / 4))
check "gmys-ivm continues" exits 0 "$ivm" solve "${both[@]}" --variant tuned --device sim --resume part --json result.json
check "the counts are those of one run" json "r['nodes']['decomposed'] == $nodes"
check "gmys-ivm stops at the node limit" exits 3 "$ivm" solve "${both[@]}" --variant cpu --checkpoint part --node-limit $((nodes / 4))
check "helbecque-pool continues" solve 0 "${both[@]}" --variant serial --resume part
check "the counts are those of one run" json "r['nodes']['decomposed'] == $nodes"
check "gmys-ivm writes intervals" exits 3 "$ivm" solve "${both[@]}" --variant serial --checkpoint part --node-limit $((nodes / 4))
check "helbecque-pool does not resume from intervals" exits 4 "$bin" solve "${both[@]}" --variant serial --resume part
check "the error is one line" one_line "part holds intervals, but this search resumes from open nodes"

# ---- experiments of the paper ----
experiments_are_listed table1 table2 table4 table5 table7 calibration symmetry memory solving
check "table2 has no serial case of 19 queens" bash -c '! grep -q table2/19Q/serial out.txt'
check "table2 has a CPU case of 19 queens" grep -q table2/19Q/cpu/gpus:0 out.txt
check "smoke runs on the CPU" exits 0 "$bin" bench --copra_scale=smoke --device=cpu \
	--benchmark_filter='table[12]|solving' --benchmark_min_time=1x --benchmark_out=cpu.json
check "the smoke rows have the known counts" python3 -c '
import json
rows = {b["name"]: b for b in json.load(open("cpu.json"))["benchmarks"]}
eight = rows["helbecque-pool/table2/8Q/cpu/gpus:0/manual_time"]
assert eight["explored"] == 2056 and eight["solutions"] == 92 and eight["work"] == 2056
assert rows["helbecque-pool/table1/r9x5/serial/gpus:0/manual_time"]["explored"] == \
    rows["helbecque-pool/table1/r9x5/cpu/gpus:0/manual_time"]["explored"]
assert rows["helbecque-pool/solving/r9x5/cpu/limit:2/gpus:0/manual_time"]["proved"] == 1
'
smoke_is_right_on_simulated_devices '(published|tuned)'
exit $failed
