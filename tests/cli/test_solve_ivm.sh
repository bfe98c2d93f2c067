#!/usr/bin/env bash
# gmys-ivm solve, list and bench: answers of the three problems, counts, checkpoints and kills, bad
# input, limits. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin gmys-ivm "$1"

# 8 jobs on 5 machines, and 7 cities. check.py finds the optima by trying all orders.
small_flowshop
cat >small.atsp <<'END'
NAME: small
TYPE: ATSP
DIMENSION: 7
EDGE_WEIGHT_TYPE: EXPLICIT
EDGE_WEIGHT_FORMAT: FULL_MATRIX
EDGE_WEIGHT_SECTION
0 17 46 9 31 28 44
33 0 21 48 12 39 5
8 36 0 27 41 14 30
25 11 38 0 6 47 19
42 29 13 35 0 22 10
16 45 7 24 37 0 40
32 3 26 43 18 34 0
EOF
END
cat >check.py <<'END'
import itertools, sys
from small import *
costs = [list(map(int, l.split())) for l in open("small.atsp").readlines()[6:13]]
def cost(tour):
    return sum(costs[a][b] for a, b in zip(tour, tour[1:] + tour[:1]))
def tour(r):
    assert sorted(r["solution"]) == list(range(len(costs))) and r["solution"][0] == 0
    return cost(r["solution"])
def paths(last, left, sofar, most):
    """Decomposed nodes and leaves of the tree from city 0, without paths that cost more than `most`."""
    if len(left) == 1:
        return 1, int(sofar + costs[last][left[0]] + costs[left[0]][0] <= most)
    below = [paths(c, [d for d in left if d != c], sofar + costs[last][c], most)
             for c in left if sofar + costs[last][c] <= most]
    return 1 + sum(b[0] for b in below), sum(b[1] for b in below)
if sys.argv[1] == "optima":
    print(optimum(),
          min(cost([0] + list(p)) for p in itertools.permutations(range(1, len(costs)))))
elif sys.argv[1] == "paths":
    print(*paths(0, list(range(1, len(costs))), 0, int(sys.argv[2])))
else:
    hold(sys.argv[1:], globals())
END
read -r optimum cheapest < <(python3 check.py optima)
all=("serial" "cpu" "cpu --threads 1" "published --device cpu" "published --device cpu --threads 1"
	"published --device sim --ivms 64" "published --device sim:0,1 --ivms 32 --mode pte+peb"
	"published --device sim --ivms 64 --mode pte --trigger 8" "tuned --device sim"
	"tuned --device sim:0,1")

# ---- the three problems without a given bound ----
for variant in "${all[@]}" "serial --bound lb1" "serial --bound lb1 --branching minbranch" \
	"cpu --branching forward" "cpu --bound lb1 --branching minbranch" "cpu --bound lb1-pairs --branching minbranch" "cpu --start none" "cpu --start neh" \
	"published --device sim --ivms 64 --bound lb1 --branching minbranch" \
	"published --device sim:0,1 --ivms 32 --explorers 2" \
	"published --device sim --ivms 32 --explorers 2 --hybrid farmer" \
	"published --device sim --ivms 32 --explorers 1 --steal-parts 200" \
	"tuned --device sim --bound lb1 --branching minbranch" "tuned --device sim:0,1 --bound lb1-pairs --branching minbranch" \
	"tuned --device sim --branching forward"; do
	check "small.txt is solved by $variant" solve 0 --instance small.txt --variant $variant
	check "the schedule is optimal and verified" json "r['objective'] == $optimum" "makespan(r) == $optimum" \
		"r['verified'] is True" "r['status'] == 'optimal'" "r['lower_bound'] == $optimum"
done
for variant in "${all[@]}"; do
	check "small.atsp is solved by $variant" solve 0 --problem atsp --instance small.atsp --variant $variant
	check "the tour is optimal and verified" json "r['objective'] == $cheapest" "tour(r) == $cheapest" \
		"r['verified'] is True" "r['status'] == 'optimal'"
	check "8 queens are counted by $variant" solve 0 --problem nqueens --instance 8 --variant $variant
	check "the counts of 8 queens are correct" json "r['objective'] == 92" "r['nodes']['decomposed'] == 982" \
		"r['status'] == 'counted'" "r['verified']" "r['solution'] is None"
done
check "the summary says which queens nodes are counted" grep -q "^decomposed: placements of 1 to N-1 queens without attack on half the board$" out.txt
check "small.atsp is solved for the summary" solve 0 --problem atsp --instance small.atsp --variant cpu
check "the summary shows the tour" summary "'solution   ' + $numbers + ' (cities, numbered from 0)'"
check "the bound equals the optimum" json "r['bound'] == $cheapest"
check "the summary says which ATSP nodes are counted" grep -q "decomposed: nodes whose children were bounded, root included$" out.txt
check "9 queens are counted" solve 0 --problem nqueens --instance 9 --variant cpu
check "the counts of 9 queens are correct" json "r['objective'] == 352" "r['nodes']['decomposed'] == 4500"

for least in "nqueens 1 1" "nqueens 2 0" "atsp crane:2:1 1151031" "pfsp random:1x3:9:1 18" "pfsp random:5x1:9:1 25"; do
	read -r problem instance value <<<"$least"
	for variant in serial cpu "published --device sim --ivms 32 --explorers 1" "tuned --device sim"; do
		check "the smallest instance $problem $instance is solved by $variant" solve 0 --problem $problem --instance $instance \
			--variant $variant
		check "its objective is $value" json "r['objective'] == $value" "r['verified']"
	done
done

# ---- machine pairs: every node but the root was explored, and is decomposed or pruned ----
for sims in sim sim:0,1; do
	check "ta021 at 2225 is proved with machine pairs on $sims" solve 0 --problem pfsp --instance ta021 --ub 2225 --start none \
		--bound lb1-pairs --branching minbranch --variant tuned --device $sims
	check "pairs prune nodes, and all are counted" json "r['status'] == 'proved'" "r['nodes']['cut_by_pairs'] > 0" \
		"r['nodes']['explored'] + 1 == r['nodes']['decomposed'] + r['nodes']['cut_by_pairs']"
done

check "--variant serial accepts --threads" solve 0 --problem nqueens --instance 8 --variant serial --threads 3
check "--variant serial uses and reports one thread" json "r['threads'] == 1"

# ---- from the optimum as initial bound, all variants search the same tree ----
tree=
for variant in "${all[@]}" "published --device sim --ivms 32 --strategy adapt" \
	"published --device sim --ivms 32 --strategy large" \
	"published --device sim --ivms 32 --strategy search --mode pte --trigger none" \
	"published --device sim --ivms 32 --strategy ring"; do
	check "--ub $optimum is proved by $variant" solve 0 --instance small.txt --variant $variant --ub "$optimum" \
		--start none
	count=$(python3 -c 'import json; print(json.load(open("result.json"))["nodes"]["decomposed"])' || true)
	check "the tree has as many nodes as that of the other variants ($count)" [ "${tree:=$count}" = "$count" ]
done
for rung in literal one-launch staged packed-lb2 device-tree by-set set-at-once lane-nodes; do
	check "--ub $optimum is searched by the rung $rung" solve 0 --instance small.txt --rung $rung --device sim --ub "$optimum" \
		--start none
	check "its tree has as many nodes as that of the variants" json "r['nodes']['decomposed'] == $tree" "r['rung'] == '$rung'"
done
for rung in literal one-launch short-steps staged one-pass device-tree refill sharing; do
	check "8 queens are counted by the rung $rung" solve 0 --problem nqueens --instance 8 --rung $rung --device sim
	check "its counts are correct" json "r['objective'] == 92" "r['nodes']['decomposed'] == 982" "r['rung'] == '$rung'"
done
check "list shows the ladders" bash -c "'$bin' list | grep -q '^  packed-lb2  '"
refused "needs a device" --problem nqueens --instance 8 --rung one-launch --device cpu
refused "is not a rung of the ladder of flowshop" --instance small.txt --rung sharing --device sim
refused "only for LB2 with branching at both ends" --instance small.txt --rung literal --device sim --bound lb1
refused "not for ATSP" --problem atsp --instance small.atsp --rung literal --device sim
check "by-set refuses 40 jobs instead of searching depth first" exits 4 "$bin" solve --instance random:40x5:20:1 \
	--rung by-set --device sim --start none
check "the error is one line that names the rung" one_line "by-set does not support"
read -r nodes leaves < <(python3 check.py paths "$cheapest")
for variant in "${all[@]}"; do
	check "--ub opt on small.atsp is solved by $variant" solve 0 --problem atsp --instance small.atsp --variant $variant --ub opt
	check "the tree has as many nodes and leaves as a plain recursion" json "r['nodes']['decomposed'] == $nodes" \
		"r['nodes']['leaves'] == $leaves" "tour(r) == $cheapest"
done
check "--ub with --start none on small.atsp exits with 0" solve 0 --problem atsp --instance small.atsp --variant serial --ub "$cheapest" --start none
check "the bound is proved and there is no tour" json "r['status'] == 'proved'" "r['bound'] == $cheapest" "r['objective'] is None" \
	"r['solution'] is None" "r['verified'] is False"
check "the summary says that tours of that cost were not kept" grep -q "some tours cost exactly that, but none was kept" out.txt
check "--ub just below the optimum of small.atsp exits with 0" solve 0 --problem atsp --instance small.atsp --variant cpu \
	--ub $((cheapest - 1))
check "the start tour is proved optimal" json "r['status'] == 'optimal'" \
	"tour(r) == r['objective'] == r['bound'] == $cheapest"
check "--ub far below the optimum of small.atsp exits with 0" solve 0 --problem atsp --instance small.atsp --variant cpu \
	--ub $((cheapest - 9))
check "only the bound is proved for small.atsp" json "r['status'] == 'proved'" "r['bound'] == $((cheapest - 9))" \
	"r['objective'] is None" "r['solution'] is None"
check "--ub far below the optimum of small.txt exits with 0" solve 0 --instance small.txt --variant cpu --ub $((optimum - 5))
check "only the bound is proved for small.txt" json "r['status'] == 'proved'" "r['bound'] == $((optimum - 5))" \
	"r['objective'] is None" "r['solution'] is None"
check "tsmat:12:1 is solved from its optimum" solve 0 --problem atsp --instance tsmat:12:1 --variant cpu --ub opt
check "its tree has the known numbers of nodes and leaves" json "r['nodes']['decomposed'] == 1365437" "r['nodes']['leaves'] == 4"

check "solve --help lists the exit codes" bash -c "'$bin' solve --help | grep -q '0 finished and verified'"

# ---- checkpoints: totals are exact after stops, kills and resumption by another variant ----
same=(--problem nqueens --instance 13)
half=2490837 all_solutions=73712
stop_and_go() { # description, first run's flags, second run's flags
	check "$1: the time limit stops the first run" stopped 0.05 "${same[@]}" $2
	check "$1: the first run reports partial counts" json "r['status'] == 'limit'" "r['nodes']['decomposed'] < $half"
	check "$1: the second run completes" solve 0 "${same[@]}" $3 --resume state
	check "$1: the total counts are exact" json "r['nodes']['decomposed'] == $half" \
		"r['objective'] == $all_solutions" "r['verified']"
}
stop_and_go "one core, then simulated devices" "--variant published --device cpu --threads 1" \
	"--variant tuned --device sim:0,1"
stop_and_go "simulated device, then cores" "--variant published --device sim --ivms 64" \
	"--variant published --device cpu"
stop_and_go "tuned, then published" "--variant tuned --device sim" "--variant published --device cpu --threads 3"
stop_and_go "serial, then cores" "--variant serial" "--variant published --device cpu"
stop_and_go "serial, then cpu" "--variant serial" "--variant cpu"
stop_and_go "simulated devices, then cpu" "--variant tuned --device sim:0,1" "--variant cpu --threads 3"

# Variant cpu stops at a node limit, and each variant continues.
from_cpu() { # nodes of the tree, a check of the answer, flags...
	local nodes=$1 answer=$2 variant
	shift 2
	check "cpu stops at the node limit: $*" solve 3 "$@" --variant cpu --threads 2 --checkpoint cpu.state \
		--node-limit $((nodes / 5))
	check "it has searched a part" json "0 < r['nodes']['decomposed'] < $nodes"
	for variant in "cpu --threads 3" "serial" "published --device cpu" "tuned --device sim"; do
		check "$variant continues" solve 0 "$@" --variant $variant --resume cpu.state
		check "the nodes are those of one run" json "r['nodes']['decomposed'] == $nodes" "$answer"
	done
}
from_cpu 13496478 "r['objective'] == 365596" --problem nqueens --instance 14
from_cpu 1365437 "r['objective'] == r['bound']" --problem atsp --instance tsmat:12:1 --ub opt
from_cpu 3123 "r['lower_bound'] == 1228" --instance random:12x10:99:5 --ub 1228 --start none

killed "queens, cores" 0.05 "${same[@]}" --variant published --device cpu --threads 2
check "the counts of 13 queens are exact after the kills" json "r['nodes']['decomposed'] == $half" "r['objective'] == $all_solutions"
killed "queens, simulated device" 0.1 --problem nqueens --instance 11 --variant tuned --device sim
check "the counts of 11 queens are exact after the kills" json "r['nodes']['decomposed'] == 89877" "r['objective'] == 2680"
killed "flowshop, cores" 0.05 --instance random:12x10:99:5 --ub 1228 --start none --variant published \
	--device cpu --threads 2
check "the flowshop tree is exact after the kills" json "r['nodes']['decomposed'] == 3123" "r['lower_bound'] == 1228"
killed "queens, cpu" 0.02 --problem nqueens --instance 15 --variant cpu
check "the counts of 15 queens are exact after the kills" json "r['nodes']['decomposed'] == 90634737" "r['objective'] == 2279184"
killed "ATSP, cpu" 0.1 --problem atsp --instance tsmat:14:1 --ub opt --variant cpu
check "the ATSP tree is exact after the kills" json "r['nodes']['decomposed'] == 60781088"
killed "flowshop, cpu" 0.02 --instance random:12x10:99:5 --ub 1228 --start none --variant cpu
check "the flowshop tree of cpu is exact after the kills" json "r['nodes']['decomposed'] == 3123" "r['lower_bound'] == 1228"
killed "flowshop LB1, simulated device" 0.1 --instance random:12x10:99:5 --ub 1228 --start none \
	--variant tuned --device sim --bound lb1 --branching minbranch
lb1=$(python3 -c 'import json; print(json.load(open("result.json"))["nodes"]["decomposed"])' || true)
check "the same tree is searched without kills" solve 0 --instance random:12x10:99:5 --ub 1228 --start none --variant cpu --bound lb1 \
	--branching minbranch
check "both trees have the same number of nodes ($lb1)" json "r['nodes']['decomposed'] == $lb1"

# A resumed search starts from the bound of its first run and keeps the best schedule.
check "a time limit stops the search of ta051" stopped 1 --instance ta051 --variant published --device cpu --bound lb1 \
	--branching minbranch
best=$(python3 -c 'import json; print(json.load(open("result.json"))["objective"])' || true)
check "the search of ta051 continues" solve 3 --instance ta051 --variant published --device cpu --bound lb1 \
	--branching minbranch --time-limit 0.5 --resume state
check "the continued search keeps the best schedule" json "r['objective'] <= $best" "len(r['solution']) == 50" "r['verified']" \
	"0 < r['lower_bound'] <= 3850"

# With --ub below the file's best value the answer is a proof, and the file keeps its solution.
lowered() { # description, flags...: stops a search and resumes it with --ub 1
	local what=$1 best
	shift
	rm -f lower
	check "$what: the time limit stops the search" stopped 0.5 "$@"
	best=$(python3 -c 'import json; print(json.load(open("result.json"))["objective"])' || true)
	cp state before
	check "$what: --ub 1 that would overwrite the file's solution is refused" exits 2 "$bin" solve "$@" --resume state \
		--ub 1 --checkpoint state
	check "the refusal is one line that names both values" one_line "--ub 1 is below $best"
	check "the refused command leaves the file unchanged" cmp state before
	check "$what: --ub 1 with another checkpoint file is accepted" solve 0 "$@" --resume state --ub 1 --checkpoint lower
	check "the bound 1 is proved" json "r['status'] == 'proved'" "r['bound'] == 1" \
		"r['objective'] is None" "r['solution'] is None"
	check "the new checkpoint can be resumed with --ub 1" solve 0 "$@" --resume lower --ub 1
	check "the resumed search proves the same bound" json "r['status'] == 'proved'" "r['bound'] == 1"
	check "the new checkpoint can be resumed without --ub" solve 0 "$@" --resume lower
	check "the bound 1 stays the proved bound" json "r['status'] == 'proved'" "r['bound'] == 1"
	check "the new checkpoint can be resumed with a larger --ub" solve 0 "$@" --resume lower --ub 99999 --start none
	check "the larger --ub does not change the proved bound" json "r['status'] == 'proved'" "r['bound'] == 1"
	check "the summary says that the larger --ub has no effect" \
		grep -q '^the bound 99999 has no effect: the checkpoint was searched from 1$' out.txt
	check "$what: the first checkpoint can still be resumed" solve 3 "$@" --resume state --time-limit 0.01
	check "the first checkpoint still has its solution" json "r['objective'] <= $best" "r['lower_bound'] > 1"
}
for variant in "serial" "cpu" "published --device cpu" "tuned --device sim"; do
	lowered "ta021, $variant" --instance ta021 --variant $variant
	lowered "crane:20:4, $variant" --problem atsp --instance crane:20:4 --variant $variant
done

# ---- bad checkpoints ----
refused nothing.state "${same[@]}" --variant published --device cpu --resume nothing.state
check "a checkpoint of 13 queens is written" stopped 0.05 "${same[@]}" --variant published --device cpu --threads 1
refused "" --problem nqueens --instance 12 --variant published --device cpu --resume state
refused "" --instance ta021 --variant published --device cpu --resume state
head -c 100 state >cut || true
refused cut "${same[@]}" --variant published --device cpu --resume cut
printf 'no checkpoint\n' >other
refused other "${same[@]}" --variant published --device cpu --resume other
check "a checkpoint that cannot be written gives exit code 1" exits 1 "$bin" solve "${same[@]}" --variant published \
	--device cpu --checkpoint small.txt/state
check "the error is one line that names the path" one_line small.txt

# ---- flags and files ----
bad_flowshops_are_refused
plain_matrices_are_read
for file in "$root"/tests/data/bad_atsps/*; do
	refused "$(basename "$file")" --problem atsp --instance "$file" --variant cpu
done
small=(--instance small.txt --variant cpu)
sim=(--instance small.txt --variant published --device sim)
refused nothing.txt --instance nothing.txt --variant cpu
refused "add --problem nqueens" --instance 12
refused "number of queens" --problem nqueens --instance 33 --variant serial
refused "at most 26 queens" --problem nqueens --instance 27 --variant cpu
refused "pfsp, flowshop, nqueens, atsp" --problem tsp "${small[@]}"
refused "at most 22 cities" --problem atsp --instance random:23:9:1 --variant cpu --ub opt
refused "no best known value" "${small[@]}" --ub opt
refused "is not opt, none or a makespan of 1 to 2147483646" "${small[@]}" --ub best
refused "is not opt, none or a cost of 0 to 2147483646" --problem atsp --instance small.atsp --variant cpu --ub -3
refused "no meaning for --problem nqueens" --problem nqueens --instance 8 --variant cpu --ub 5
refused "is only for --problem flowshop" --problem nqueens --instance 8 --variant cpu --bound lb1
refused "is only for --problem flowshop" --problem atsp --instance small.atsp --variant cpu --branching maxsum
refused "is only for --problem flowshop" --problem atsp --instance small.atsp --variant cpu --format auto
refused "local, none" --problem atsp --instance small.atsp --variant cpu --start neh
refused "lb2, lb1" "${small[@]}" --bound lb3
refused "forward, maxsum, minbranch" "${small[@]}" --branching both
refused "none, neh, ig or a file" "${small[@]}" --start local
refused "paper, pte+peb, pte, auto" "${sim[@]}" --mode fast
refused "hypercube, adapt, large, search, ring" "${sim[@]}" --strategy best
refused "steal, farmer" "${sim[@]}" --explorers 1 --hybrid both
refused "power of two" "${sim[@]}" --ivms 100
refused "not auto, none or a number" "${sim[@]}" --trigger 0
refused "after each step" "${sim[@]}" --mode pte+peb --trigger 5
refused "needs --explorers" "${sim[@]}" --hybrid farmer
refused "nothing would be shared" "${sim[@]}" --explorers 1 --steal-parts 1
refused "needs --checkpoint" "${sim[@]}" --checkpoint-period 1
for flag in "ivms 64" "mode pte" "trigger 5" "strategy adapt" "explorers 2"; do
	refused "is only for --variant published on a device" "${small[@]}" --$flag
	refused "is only for --variant published on a device" --instance small.txt --variant published --device cpu --$flag
done
refused "is only for flowshop with --variant cpu or tuned" --problem nqueens --instance 8 --variant tuned --device sim --memory 5000
refused "at most 256" "${small[@]}" --threads 257
check "a CUDA device that does not exist gives exit code 4" exits 4 "$bin" solve --instance small.txt --variant tuned --device cuda:15
check "list exits with 0" exits 0 "$bin" list
check "list shows the problems" grep -q -- '--problem atsp' out.txt
check "list shows the experiments" grep -q gmys-ivm/fig5 out.txt

# ---- limits and signals ----
for flags in "--instance ta051 --variant cpu --bound lb1 --branching minbranch" \
	"--instance ta023 --variant serial --ub opt" "--problem nqueens --instance 20 --variant published --device cpu" \
	"--problem atsp --instance crane:19:39 --variant cpu" \
	"--problem nqueens --instance 18 --variant tuned --device sim" \
	"--instance ta023 --variant published --device sim --ivms 64"; do
	for limit in 0.5 4 20; do # a loaded machine needs longer before the first node is counted
		check "--time-limit ends solve $flags with exit code 3" solve 3 $flags --time-limit $limit
		json "r['nodes']['decomposed'] > 0" >counted.txt 2>&1 && break
	done
	check "the time limit leaves a partial result" json "r['status'] == 'limit'" "r['nodes']['decomposed'] > 0"
	for pause in 1.5 6 24; do
		interrupted "$pause" $flags
		json "r['nodes']['decomposed'] > 0" >counted.txt 2>&1 && break
	done
	check "SIGINT leaves a partial result" json "r['status'] == 'limit'" "r['nodes']['decomposed'] > 0"
done

# ---- experiments of the paper ----
experiments_are_listed table1 table2 table3 fig3 fig4 fig5 lb1 ta056 choice checkpoint
check "smoke runs on the CPU" exits 0 "$bin" bench --copra_scale=smoke --device=cpu \
	--benchmark_min_time=1x --benchmark_out=cpu.json
check "the smoke rows have the known counts" python3 -c '
import json
rows = {b["name"]: b for b in json.load(open("cpu.json"))["benchmarks"]}
for v in "serial", "cpu", "published":
    eight = rows["gmys-ivm/table2/8Q/%s/gpus:0/manual_time" % v]
    assert eight["decomposed"] == 982 and eight["solutions"] == 92 and eight["work"] == 982
    assert rows["gmys-ivm/table1/r12x8/%s/gpus:0/manual_time" % v]["decomposed"] == 1499
    assert rows["gmys-ivm/table2/tsmat8/%s/gpus:0/manual_time" % v]["decomposed"] == 4724
'
smoke_is_right_on_simulated_devices 'gpus:[12]'

# ---- iterated greedy beside the search ----
for variant in cpu "cpu --branching forward" "cpu --bound lb1 --branching minbranch" "tuned --device sim" \
	"tuned --device sim:0,1 --bound lb1 --branching minbranch"; do
	check "small.txt is solved by $variant with --improve" solve 0 --instance small.txt --variant $variant --start neh --improve 2
	check "... to the optimum, with the source of the schedule" json "r['objective'] == $optimum" "makespan(r) == $optimum" \
		"r['status'] == 'optimal'" "r['source'] in ('start', 'improvement', 'search')" "r['found_seconds'] >= 0"
done
# the tree search alone finds nothing for minutes
hard=(--instance taillard:50x20:3 --variant cpu --bound lb1 --branching minbranch --start neh --improve 1)
for limit in 1 5 20; do # a loaded machine needs longer
	rm -f improved.*
	check "a search is stopped with a checkpoint" solve 3 "${hard[@]}" --time-limit $limit --checkpoint improved.state --log improved.log
	json "r['source'] == 'improvement'" >found.txt 2>&1 && break
done
check "its schedule is that of iterated greedy" json "r['source'] == 'improvement'" \
	"r['objective'] < r['start_makespan']" "0 < r['found_seconds'] <= r['seconds']['total']" "r['verified']"
check "the log says so" grep -q '"event": "incumbent".*"source": "improvement"' improved.log
mv result.json improved.json
check "the checkpoint has the schedule" solve 3 --instance taillard:50x20:3 --variant cpu --bound lb1 --branching minbranch \
	--resume improved.state --time-limit 0.3
check "... at most as long" json "r['objective'] <= json.load(open('improved.json'))['objective'] + 5" \
	"r['objective'] < json.load(open('improved.json'))['start_makespan']"
for flags in "--variant serial" "--variant cpu --ub $optimum" "--variant cpu --start none"; do
	check "--improve auto has no effect with $flags" solve 0 --instance small.txt $flags --improve auto
	check "... and says nothing of a time" json "'found_seconds' not in r"
done
refused "--improve is only for --variant cpu or tuned" --instance small.txt --variant serial --improve 1
refused "--improve and --ub exclude each other" "${small[@]}" --ub 99 --improve 1
refused "--improve needs a first schedule" "${small[@]}" --start none --improve 1
refused "not none, auto or 1 to 64 threads" "${small[@]}" --improve 0
refused "is only for --problem flowshop" --problem nqueens --instance 6 --improve 1

# ---- a search that starts from the schedule of an answer ----
check "a search from NEH finds a shorter schedule" solve 0 --instance random:30x6:99:4 --variant cpu \
	--bound lb1 --branching minbranch --start neh
cp result.json optimal.json
check "the optimum is proved, and NEH is not optimal" json "r['status'] == 'optimal'" "r['start_makespan'] > r['objective']"
check "a search from the answer needs no leaves" solve 0 --instance random:30x6:99:4 --variant cpu --bound lb1 \
	--branching minbranch --start optimal.json
check "it returns the schedule of the answer" json "r['solution'] == json.load(open('optimal.json'))['solution']" \
	"r['start_makespan'] == r['objective']" "r['nodes']['leaves'] == 0" "r['status'] == 'optimal'" "r['verified'] is True"
refused "8 jobs" "${small[@]}" --start optimal.json
from_command() { # command of --start-command: leaves result.json
	solve 0 --instance random:30x6:99:4 --variant cpu --bound lb1 --branching minbranch --start-command "$1"
}
check "--start-command takes the answer of a command" from_command 'cat optimal.json; exit 3'
check "... as its first schedule" json "r['start_makespan'] == json.load(open('optimal.json'))['objective']" "r['nodes']['leaves'] == 0"
sed 's/"objective": /&1/' optimal.json >other.json
for command in 'exit 1' 'echo {}' 'kill -9 $$' 'cat other.json'; do
	check "without an answer ('$command') the search starts from iterated greedy" from_command "$command"
	check "... with one line" one_line '^gmys-ivm: --start-command: .*; the search starts without it$'
	check "... and the same optimum" json "r['status'] == 'optimal'" "r['objective'] == json.load(open('optimal.json'))['objective']"
done
refused "exclude each other" "${small[@]}" --start neh --start-command true
refused "only for --problem flowshop" --problem nqueens --instance 6 --start-command true
exit $failed
