#!/usr/bin/env bash
# Searches on several ranks of this machine, with each MPI library that the build supports: exact
# counts, limits, checkpoints, a killed rank and bad input. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
ivm=$bin/gmys-ivm pool=$bin/helbecque-pool program=$ivm
COPRA_TEST_EXTENDED=${COPRA_TEST_EXTENDED:-0}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none COPRA_THREADS=1

solve() { # ranks, flags...: solves with $mpirun, writes r.json
	local ranks=$1
	shift
	rm -f r.json
	timeout 120 "$mpirun" -n "$ranks" "$program" solve --json r.json "$@"
}
result() { # expressions about r, the object of r.json
	python3 -c 'import json, sys
r = json.load(open("r.json"))
for x in sys.argv[1:]:
    assert eval(x), (x, r)' "$@"
}
counted() { # what, ranks, expected nodes {...}, flags...
	local what=$1 ranks=$2 nodes=$3
	shift 3
	check "$name: $what on $ranks ranks" exits 0 solve "$ranks" "$@"
	check "... with the counts of one process" result "{k: v for k, v in r['nodes'].items() if k in $nodes} == $nodes"
	check "... printed once" test "$(grep -c '^status' out.txt)" -eq 1
	check "... naming its ranks" result "(r['ranks'], r['machines']) == ($ranks, 1)"
}
# A search that only limits end.
long="--instance ta051 --bound lb1 --start neh --ub 3850"

limits() {
	rm -f run.log
	# shellcheck disable=SC2086
	check "$name: a time limit ends all ranks" exits 3 solve 3 $long --variant cpu --time-limit 1 --log run.log
	check "... with a valid result" result "r['status'] == 'limit'" "r['verified']" "r['bound'] <= r['objective']"
	check "... one line on the cause" test "$(grep -c '^gmys-ivm: stopped by --time-limit 1$' err.txt)" -eq 1
	check "... and a log of rank 0 alone" test "$(grep -c '"event": "end"' run.log)" -eq 1
	interrupted_showing "$name: the share of all ranks is known" run.log '"progress".*"share": 0\.' 2.5 solve 2 \
		--instance random:20x20:99:2 --bound lb1 --branching maxsum --start-seconds 0.1 --variant cpu --progress=0.1
	check "... and does not decrease" python3 - run.log <<-'END'
		import json, sys
		shares = [l["share"] for l in map(json.loads, open(sys.argv[1])) if l["event"] == "progress" and "share" in l]
		assert shares and shares == sorted(shares) and 0 < shares[0] and shares[-1] < 1, shares
	END
	program=$pool
	interrupted_showing "$name: the share of boards from the middle is known" run.log '"progress".*"share": 0\.0[2-9]' 4 solve 2 \
		--problem nqueens --instance 18 --solutions-only --variant tuned --device sim --progress=0.1
	check "... and about that of their nodes" python3 - run.log <<-'END'
		import json, sys
		lines = [l for l in map(json.loads, open(sys.argv[1])) if l["event"] == "progress" and "share" in l]
		shares, all = [l["share"] for l in lines], 5.85e8 # nodes of a search by one process
		assert shares and shares == sorted(shares) and shares[-1] > 0.02, shares
		assert all / 2 < lines[-1]["nodes"] / shares[-1] < all * 2, lines[-1]
	END
	program=$ivm
}
checkpoints() {
	local queens=14 all=13496478 tree nodes code
	# The limit may take effect a second after the start, when a fast machine has searched a small board.
	while :; do
		tree="--problem nqueens --instance $queens" nodes="{'decomposed': $all}" code=0
		# shellcheck disable=SC2086
		solve 2 $tree --variant published --device cpu --node-limit 20000 --checkpoint a.state >out.txt 2>err.txt || code=$?
		[ $code -eq 0 ] && [ $queens -eq 14 ] || break
		queens=15 all=90634737
	done
	check "$name: a node limit ends all ranks" test $code -eq 3
	# shellcheck disable=SC2086
	counted "the checkpoint is resumed" 4 "$nodes" $tree --variant serial --resume a.state --checkpoint a.end
	check "... and the last one has no open work" grep -q '^intervals 0$' a.end
	# shellcheck disable=SC2086
	check "... and by a process alone" exits 0 "$ivm" solve $tree --variant published --device cpu --resume a.state --json r.json
	check "... with the same counts" result "r['nodes']['decomposed'] == $all"
	check "... but not by another instance" exits 2 solve 2 --problem nqueens --instance 13 --resume a.state --variant serial
	check "... which is said once" test "$(grep -c "^gmys-ivm: a.state: .*$queens.*13" err.txt)" -eq 1

	# shellcheck disable=SC2086
	check "$name: a search is stopped" exits 3 solve 2 $long --variant published --device cpu --node-limit 20000 \
		--checkpoint b.state
	# shellcheck disable=SC2086
	check "... a node limit counts from the start of the next run" exits 3 solve 2 $long --variant published \
		--device cpu --node-limit 20000 --resume b.state --checkpoint c.state
	check "... so that more nodes are searched" test "$(sed -n 's/^decomposed //p' c.state)" -ge \
		$(($(sed -n 's/^decomposed //p' b.state) + 20000))
}
# Every node but the root was explored, and is decomposed or pruned by a machine pair: the bound of this tree never changes.
# The tree takes seconds, because a limit of nodes takes effect a second after the start.
pruned() {
	local tree="--instance ta021 --bound lb1-pairs --branching minbranch --ub 2280 --start none --variant cpu" all
	all="r['nodes']['explored'] + 1 == r['nodes']['decomposed'] + r['nodes'].get('cut_by_pairs', 0)"
	# shellcheck disable=SC2086
	check "$name: machine pairs on two ranks" exits 0 solve 2 $tree
	check "... prune nodes" result "r['nodes']['cut_by_pairs'] > 0"
	check "... which are counted on both ranks" result "$all"
	# shellcheck disable=SC2086
	check "$name: such a search is stopped" exits 3 solve 2 $tree --node-limit 6000000 --checkpoint p.state
	cut=$(python3 -c 'import json; print(json.load(open("r.json"))["nodes"].get("cut_by_pairs", 0))')
	check "... after nodes were pruned" test "$cut" -gt 0
	# shellcheck disable=SC2086
	check "... and resumed" exits 0 solve 2 $tree --resume p.state
	check "... with those of both runs" result "${all/+ r[/+ $cut + r[}"
}
unwritable() { # checkpoints that cannot be written for a while
	# shellcheck disable=SC2086
	launched=1 stops_without_folder "$name: rank 0" gmys-ivm timeout 60 "$mpirun" -n 2 "$ivm" solve $long --variant published --device cpu
	completes_without_folder "$name: rank 0" 2279184 timeout 60 "$mpirun" -n 2 "$ivm" solve --problem nqueens \
		--instance 15 --variant published --device cpu
}
victim() { # rank: its process
	local p
	for p in $(pgrep -x gmys-ivm); do
		if [ "/proc/$p/exe" -ef "$ivm" ] && [ "/proc/$p/cwd" -ef . ] &&
			tr '\0' '\n' <"/proc/$p/environ" | grep -qE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1\$"; then
			echo "$p"
			return
		fi
	done
}
# Kills a rank after the first checkpoint, and resumes on two ranks from the last one.
killed() { # rank
	local code=0 began queens="--problem nqueens --instance 15 --variant published --device cpu"
	rm -f k.state
	# Rank 0 has this many seconds to report the loss before Open MPI kills it.
	# shellcheck disable=SC2086
	OMPI_MCA_odls_base_sigkill_timeout=4 timeout 120 "$mpirun" -n 3 "$ivm" solve $queens --checkpoint k.state \
		--checkpoint-period 0.05 >out.txt 2>err.txt &
	until_there test -s k.state || true
	began=$SECONDS
	kill -KILL "$(victim "$1")" || true # an earlier end shows below
	wait $! || code=$?
	check "$name: killing rank $1 ends all with an error" test $code -ne 0
	check "... within twenty seconds" test $((SECONDS - began)) -le 20
	# MPICH kills the survivors within milliseconds, without a signal that they could answer.
	if [ "$name" = openmpi ] && [ "$1" -ne 0 ]; then
		check "... and rank 0 reports the loss once" test \
			"$(grep -c "^gmys-ivm: no answer for 0.5 s from .*rank $1 on $(uname -n)" err.txt)" -eq 1
	fi
	# shellcheck disable=SC2086
	counted "the search is resumed" 2 "{'decomposed': 90634737}" $queens --resume k.state
}
# Starts a long search and stops rank 2 once it has a part in it.
stop_rank_2() { # flags...
	rm -f s.state
	COPRA_LOST_SECONDS=${lost:-2} timeout 120 "$mpirun" -n 3 "$ivm" solve --problem nqueens --instance 17 --variant published \
		--device cpu --checkpoint s.state --checkpoint-period 0.2 "$@" >out.txt 2>err.txt &
	until_there test -s s.state || true
	kill -STOP "$(victim 2)" || true
}
# A rank that lives but does not answer, as on a node that hangs: no mpirun notices.
silent() {
	local code=0 line
	line="from .*rank 2 on $(uname -n)"
	stop_rank_2
	wait $! || code=$?
	check "$name: a rank that does not answer ends all" test $code -ne 0 -a $code -ne 124
	check "... which rank 0 reports once" test "$(grep -c "^gmys-ivm: no answer for 2 s $line" err.txt)" -eq 1

	code=0
	stop_rank_2
	kill -INT "$(victim 0)" || true
	wait $! || code=$?
	check "$name: it ends all after a signal, too" test $code -ne 0 -a $code -ne 124
	check "... which rank 0 reports soon" test "$(grep -c "^gmys-ivm: no answer for 0.5 s $line" err.txt)" -eq 1
	check "... and at the end" test "$(grep -c "^gmys-ivm: no answer for 2 s $line" err.txt)" -eq 1

	code=0
	lost=20 stop_rank_2 --time-limit 1
	sleep 1.7
	kill -CONT "$(victim 2)" || true
	wait $! || code=$?
	check "$name: a rank that is slow at a time limit is awaited" test $code -eq 3
	check "... and not reported" test "$(grep -c 'no answer' err.txt)" -eq 0
}
bad_input() {
	check "$name: an unknown instance is refused" exits 2 solve 3 --instance ta0111 --variant serial
	check "... in one line" test "$(grep -c '^gmys-ivm: ' err.txt)" -eq 1
	check "$name: different instances are refused" exits 2 timeout 60 "$mpirun" -n 1 "$ivm" solve --instance ta011 --variant serial \
		: -n 1 "$ivm" solve --instance ta012 --variant serial
	check "... naming the rank" grep -q '^gmys-ivm: message from rank 1: it has another instance' err.txt
	check "$name: a rank without the device ends all" exits 4 timeout 60 "$mpirun" -n 1 "$ivm" solve --instance ta013 --variant cpu \
		: -n 1 env CUDA_VISIBLE_DEVICES= "$ivm" solve --instance ta013 --variant tuned --device cuda
	check "... with its name and node" grep -q "^rank 1 on $(uname -n): gmys-ivm: " err.txt
	check "$name: a program is compiled" exits 0 "mpicc.$name" -D_GNU_SOURCE -I"$root" -o drain "$root/tests/cli/mpi_drain.c"
	check "... ranks end with a message under way" exits 0 timeout 20 "$mpirun" -n 2 ./drain
	check "$name: --gpus-per-rank asks for what is not there" exits 4 solve 2 --instance ta001 --gpus-per-rank 99
	check "... in one line" test "$(grep -c 'gpus-per-rank' err.txt)" -eq 1
}

rows() { # file, expressions about rows, a list of objects by name
	python3 -c 'import json, sys
rows = {b["name"]: b for b in json.load(open(sys.argv[1]))["benchmarks"]}
for x in sys.argv[2:]:
    assert eval(x), (x, rows)' "$@"
}
bench() { # ranks, flags...: measures with $mpirun, writes b.json
	local ranks=$1
	shift
	rm -f b.json
	timeout 120 "$mpirun" -n "$ranks" "$program" bench --copra_scale=smoke --benchmark_out=b.json \
		--benchmark_min_time=2x "$@"
}
# A process alone and several ranks give the same answers (output_hash covers values and counts).
rows_agree() { # what, ranks, filter, flags...
	local what=$1 ranks=$2 filter=$3
	shift 3
	check "a process alone measures $what" exits 0 "$program" bench --copra_scale=smoke --benchmark_out=alone.json \
		--benchmark_filter="$filter" --benchmark_min_time=1x "$@"
	check "$name: $ranks ranks measure $what" exits 0 bench "$ranks" --benchmark_filter="$filter" "$@"
	check "... and print each row once" test "$(grep -c "^[a-z-]*/.*nodes:1/ranks:$ranks" out.txt)" -eq \
		"$(python3 -c 'import json; print(len(json.load(open("alone.json"))["benchmarks"]))')"
	python3 - "$ranks" <<'END' >b.check || true
import json, sys
alone, shared = ({b["name"]: b for b in json.load(open(f))["benchmarks"]} for f in ("alone.json", "b.json"))
for name, row in alone.items():
    other = shared[name.replace("/manual_time", "/nodes:1/ranks:%s/manual_time" % sys.argv[1])]
    assert (other["nodes"], other["ranks"], other["iterations"]) == (1, int(sys.argv[1]), 2)
    assert other["output_hash"] == row["output_hash"] and other["real_time"] > 0
assert len(alone) == len(shared) > 0
print("same")
END
	check "... with the answers of one process" grep -q same b.check
}
# The report shows rows of several ranks in a table of their own, beside those of one process.
reported() {
	local to=results/local/pc/gmys-ivm
	mkdir -p $to/quick
	cp -r "$root/results/papers" results/
	python3 -c 'import json, sys
one, more = (json.load(open(f)) for f in ("alone.json", "b.json"))
one["benchmarks"] += more["benchmarks"]
json.dump(one, open(sys.argv[1], "w"))' $to/quick/bench.json
	check "$name: the report reads rows of ranks" exits 0 "$bin/copra-report" --results=results --out=report --draw=true --target=gmys-ivm
	check "... in a table of their own" grep -qE '^\| 8Q \| cpu \| 0 \| 1 \| 3 \| [0-9.]+ ms \| 0\.' report/gmys-ivm/ranks.local-pc.md
}
# A rank is lost in the second case: the row of the first one stays.
bench_lost() {
	local code=0
	rm -f l.*
	timeout 120 "$mpirun" -n 2 "$ivm" bench --benchmark_filter='table2/(13Q|17Q)/cpu/' --benchmark_out=l.json \
		--benchmark_min_time=1x >out.txt 2>err.txt &
	until_there grep -qs 17Q l.running || true
	kill -KILL "$(victim 1)" || true # an earlier end shows below
	wait $! || code=$?
	check "$name: a rank is lost while cases are measured" test $code -ne 0
	check "... which ends all" test ! -e l.json
	cp l.journal.jsonl lost.jsonl
	check "... the rest is measured later" exits 0 timeout 60 "$mpirun" -n 2 "$ivm" bench --benchmark_filter='table2/(13Q|17Q)/cpu/' \
		--benchmark_out=l.json --benchmark_min_time=1x --copra_resume --copra_longest=1
	check "... without the rows that were measured" rows l.json "len(rows) == 1" \
		"all('total_seconds\": %r,' % b['total_seconds'] in open('lost.jsonl').read() for b in rows.values())"
}
steal_between() {
	check "$name: --steal-between is of published" exits 2 solve 2 --problem nqueens --instance 10 --variant tuned \
		--device sim --steal-between off
	check "$name: --steal-between is the same on all ranks" exits 2 timeout 60 "$mpirun" -n 1 "$pool" solve --problem nqueens \
		--instance 10 --variant published --device sim --steal-between off : -n 1 "$pool" solve --problem nqueens --instance 10 \
		--variant published --device sim
	check "... because the rule of stealing depends on it" grep -q 'it has another instance, other flags' err.txt
	check "$name: --steal-between has no effect with --steal off" exits 2 solve 2 --problem nqueens --instance 10 \
		--variant published --device sim --steal-between on --steal off
}
# What does not depend on the MPI library.
bench_flags() {
	BENCHMARK_FILTER=table1 check "$name: simulated devices of several ranks are right" exits 0 bench 2 --benchmark_filter='table2/8Q/.*gpus:1' --device=sim
	check "... in both variants" test "$(grep -c 'answer correct' out.txt)" -eq 2
	check "$name: cases of one process are skipped" exits 0 bench 2 --benchmark_filter='fig5/.*gpus:1' --device=sim
	check "... with the reason" grep -q "SKIPPED: 'not on several ranks: " out.txt
	check "$name: a rank without a device" exits 0 timeout 60 "$mpirun" -n 1 "$ivm" bench --copra_scale=smoke --device=sim \
		--benchmark_filter='table2/8Q/tuned/gpus:1' : -n 1 "$ivm" bench --copra_scale=smoke --device=cpu
	check "... is the reason of a skip" grep -q "SKIPPED: 'rank 1 on $(uname -n): needs 1 GPU" out.txt
	check "$name: ranks with other cases" exits 1 timeout 60 "$mpirun" -n 1 "$ivm" bench --benchmark_filter='table1/ta030/cpu' \
		: -n 1 "$ivm" bench --copra_scale=smoke
	check "... are a failure that names the rank" grep -q "ERROR OCCURRED: 'rank 1 on $(uname -n): .*no such case" out.txt
	echo "1 3 gmys-ivm/table2/8Q/cpu/gpus:0/nodes:1/ranks:2/manual_time" >names
	check "$name: cases are chosen by --copra_rows" exits 0 bench 2 --copra_rows=names
	check "... and repeated" rows b.json "any(b['repetitions'] == 3 for b in rows.values())"
	program=$pool
	rows_agree "pools" 2 'table1/r9x5/(serial|cpu)/' --device=cpu
	check "$name: a search without checkpoints is skipped" exits 0 bench 3 --benchmark_filter='ladder/8Q/.*device-tree|table2/8Q/serial' --device=sim
	check "... and the others go on" rows b.json "len(rows) == 1"
	check "... with its reason" grep -q "SKIPPED: 'a search of all placements without symmetry has no checkpoints" out.txt
	program=$ivm
	check "$name: bench of a target that is not shared is refused" exits 2 timeout 20 "$mpirun" -n 2 "$bin/dp-knapsack" bench
	check "... in one line" test "$(grep -c '^dp-knapsack: bench runs on one process, but mpirun has started 2' err.txt)" -eq 1
}

# Independent runs of gboa, divided by ranks: what one process prints, without times and ranks.
boa_runs() {
	local solve="solve --problem trap5 --instance 40 --population 832 --runs 10 --variant cpu"
	local size="size --problem trap5 --instance 20 --runs 10 --variant cpu" large
	boa() { # command...: leaves the object without times and ranks in counts.txt
		exits 0 timeout 60 "$@" --json r.json && python3 -c 'import json
def timeless(x):
    if isinstance(x, list):
        return [timeless(y) for y in x]
    return {k: timeless(x[k]) for k in x if "seconds" not in k and k not in ("ranks", "machines")} if isinstance(x, dict) else x
print(json.dumps(timeless(json.load(open("r.json"))), indent=1))' >counts.txt
	}
	# shellcheck disable=SC2086
	for command in "$solve" "$size"; do
		check "$name: gboa ${command%% *} on a process alone" boa "$bin/gboa" $command
		mv counts.txt alone.txt
		check "... and on 3 ranks" boa "$mpirun" -n 3 "$bin/gboa" $command
		check "... gives the same runs" cmp alone.txt counts.txt
		check "... of which there are many" grep -q '"runs": 10' counts.txt
	done
	# shellcheck disable=SC2086
	check "$name: other seeds on a rank of gboa are refused" exits 2 timeout 60 "$mpirun" -n 1 "$bin/gboa" $solve \
		: -n 1 "$bin/gboa" $solve --seed 2
	check "... naming the rank" grep -q "^gboa: rank 1 on $(uname -n): it has another instance, other flags or" err.txt
	check "$name: ranks of gboa take all their GPUs" exits 0 timeout 60 "$mpirun" -n 2 "$bin/gboa" solve --problem trap5 \
		--instance 20 --population 256 --generations 4 --device sim:0,1 --gpus auto --json r.json
	check "... for a single run, too" result "len(r['devices']) == 2"
	large="solve --problem trap5 --instance 40 --population 204800 --generations 1 --runs 2"
	# shellcheck disable=SC2086
	check "$name: a rank of gboa has too little memory" exits 1 timeout 60 "$mpirun" -n 1 "$bin/gboa" $large --variant cpu \
		: -n 1 env COPRA_DEVICE_MEMORY=1M "$bin/gboa" $large --variant tuned --device sim
	check "... and is named" grep -q "^gboa: rank 1 on $(uname -n): .* bytes requested" err.txt
	mkfifo slow.json
	(sleep 3.5 && exec timeout 60 cat slow.json >r.json) &
	check "$name: rank 0 writes the result of a limit slowly" exits 3 timeout 60 "$mpirun" -n 2 "$bin/gboa" solve --problem trap5 \
		--instance 300 --population 102400 --runs 1000 --variant cpu --time-limit 0.5 --json slow.json
	wait
	check "... and completely" result "r['status'] == 'limit'"
	check "$name: a time limit stops the runs of all ranks" exits 3 timeout 60 "$mpirun" -n 3 "$bin/gboa" solve --problem trap5 \
		--instance 300 --population 102400 --runs 1000 --variant cpu --time-limit 0.5 --json r.json
	check "... and the best of them is verified" result "r['status'] == 'limit'" "r['verified']"
	check "$name: a rank of gboa that fails ends all" exits 4 timeout 60 "$mpirun" -n 1 "$bin/gboa" $solve \
		: -n 1 "$bin/gboa" $solve --variant tuned --device cuda
	program=$bin/gboa
	rows_agree "success rates and sizes" 2 'cpu/.*runs:[2-5]/.*gpus:0' --device=cpu
	check "... a process alone reports the seconds of steps" grep -q learn_seconds alone.json
	check "... several ranks do not" test "$(grep -c learn_seconds b.json)" -eq 0
	check "$name: a single run is not divided" exits 0 bench 2 --benchmark_filter='ladder/published/rung:literal' --device=sim
	check "... which is said" grep -q "SKIPPED: 'not on several ranks: it makes fewer runs than there are ranks" out.txt
	program=$ivm
}

# A signal to mpirun stops the runs of all ranks, so that rank 0 writes the finished cases.
boa_stopped() {
	rm -f e.*
	"$mpirun" -n 2 "$bin/gboa" bench --benchmark_filter='batch/cpu/n:(30|60)/.*runs:50/' --benchmark_out=e.json \
		--benchmark_repetitions=60 --benchmark_min_time=1x >out.txt 2>err.txt &
	until_there grep -qs n:60 e.running || true
	kill -TERM $!
	wait $! || true
	check "$name: a signal stops the runs of all ranks of a bench" grep -q '^gboa: interrupted' err.txt
	check "... and rank 0 writes the finished cases" rows e.json "all('n:30' in name for name in rows)" "len(rows) > 0"
}

all_of() { # MPI library
	name=$1 mpirun=mpirun.$1
	counted "flowshop, serial" 3 "{'decomposed': 172233}" --instance ta013 --bound lb1 --ub opt --variant serial
	counted "flowshop, published" 4 "{'decomposed': 172233}" --instance ta013 --bound lb1 --ub opt --variant published --device cpu
	counted "flowshop, cpu" 2 "{'decomposed': 172233, 'explored': 172232}" --instance ta013 --bound lb1 --ub opt --variant cpu
	counted "N-Queens, cpu" 3 "{'decomposed': 420994}" --problem nqueens --instance 12 --variant cpu
	counted "ATSP, published" 2 "{'decomposed': 384333, 'leaves': 1}" --problem atsp --instance crane:11:1 --ub opt \
		--variant published --device cpu
	counted "flowshop on simulated devices" 2 "{'decomposed': 172233}" --instance ta013 --bound lb1 --ub opt --variant tuned --device sim
	program=$pool
	counted "pool, flowshop, serial" 3 "{'decomposed': 4052759, 'explored': 4052758}" --instance ta013 --bound lb1 --ub opt \
		--variant serial
	counted "pool, N-Queens, published" 2 "{'explored': 35538}" --problem nqueens --instance 10 --variant published --device sim
	counted "pool, N-Queens, divided once" 3 "{'explored': 35538}" --problem nqueens --instance 10 --variant published \
		--device sim --steal off
	counted "pool, N-Queens, divided between ranks once" 3 "{'explored': 35538}" --problem nqueens --instance 10 \
		--variant published --device sim --steal-between off
	counted "pool, N-Queens, tuned" 3 "{'explored': 35538}" --problem nqueens --instance 10 --variant tuned --device sim
	check "$name: a search without checkpoints is refused" exits 4 solve 2 --problem nqueens --instance 10 --variant cpu
	check "... in one line" test "$(grep -c '^helbecque-pool: ' err.txt)" -eq 1
	$once steal_between
	program=$ivm
	check "$name: a rank with a device and one without" exits 0 timeout 60 "$mpirun" -n 1 "$ivm" solve --instance ta013 --bound lb1 \
		--ub opt --variant cpu --json r.json : -n 1 "$ivm" solve --instance ta013 --bound lb1 --ub opt --variant tuned --device sim
	check "... count each node once" result "r['nodes']['decomposed'] == 172233"
	check "$name: more ranks than work" exits 0 solve 4 --instance random:5x3:9 --variant cpu
	check "... with an optimum" result "r['status'] == 'optimal'" "r['verified']"
	check "$name: one rank is a process alone" exits 0 solve 1 --instance ta001 --variant cpu
	check "... with its optimum" result "r['objective'] == 1278"
	$once limits
	$once checkpoints
	$once pruned
	$once unwritable
	rows_agree "flowshop, N-Queens and ATSP" 3 'table[12]/(r9x8|8Q|crane8)/.*gpus:0' --device=cpu
	$once reported
	bench_lost
	$once bench_flags
	$once boa_runs
	$once boa_stopped
	for _ in $(seq $((COPRA_TEST_EXTENDED ? 10 : 1))); do
		killed $((RANDOM % 3))
	done
	$once silent
	bad_input
	once=: # what does not depend on the library is tested once
}

check "a process alone refuses --gpus-per-rank" exits 2 "$ivm" solve --instance ta001 --gpus-per-rank 1
check "... in one line" one_line 'needs mpirun'
check "... also bench" exits 2 "$bin/gboa" bench --gpus-per-rank 1
check "... and gboa" exits 2 "$bin/gboa" size --instance 20 --gpus-per-rank 1
check "a process alone refuses --steal-between" exits 2 "$pool" solve --problem nqueens --instance 8 --variant published \
	--device sim --steal-between off
check "... in one line" one_line 'needs mpirun'
mkdir -p alone/bin
cp "$ivm" alone/bin/
check "a build without MPI says so" exits 4 env OMPI_COMM_WORLD_SIZE=2 alone/bin/gmys-ivm solve --instance ta001
check "... in one line" one_line 'started by the mpirun of openmpi, but this build has no support for it'
once=
for library in mpich openmpi; do # the faster one first
	if [ -e "$bin/../lib/copra-mpi-$library.so" ] && command -v mpirun.$library >/dev/null; then
		all_of $library
	else
		echo "skip $library is not installed"
	fi
done
exit $failed
