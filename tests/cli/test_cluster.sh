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
}
checkpoints() {
	local tree="--problem nqueens --instance 14" nodes="{'decomposed': 13496478}"
	# shellcheck disable=SC2086
	check "$name: a node limit ends all ranks" exits 3 solve 2 $tree --variant published --device cpu \
		--node-limit 20000 --checkpoint a.state
	# shellcheck disable=SC2086
	counted "the checkpoint is resumed" 4 "$nodes" $tree --variant serial --resume a.state --checkpoint a.end
	check "... and the last one has no open work" grep -q '^intervals 0$' a.end
	# shellcheck disable=SC2086
	check "... and by a process alone" exits 0 "$ivm" solve $tree --variant published --device cpu --resume a.state --json r.json
	check "... with the same counts" result "r['nodes']['decomposed'] == 13496478"
	check "... but not by another instance" exits 2 solve 2 --problem nqueens --instance 13 --resume a.state --variant serial
	check "... which is said once" test "$(grep -c '^gmys-ivm: a.state: .*14.*13' err.txt)" -eq 1

	# shellcheck disable=SC2086
	check "$name: a search is stopped" exits 3 solve 2 $long --variant published --device cpu --node-limit 20000 \
		--checkpoint b.state
	# shellcheck disable=SC2086
	check "... a node limit counts from the start of the next run" exits 3 solve 2 $long --variant published \
		--device cpu --node-limit 20000 --resume b.state --checkpoint c.state
	check "... so that more nodes are searched" test "$(sed -n 's/^decomposed //p' c.state)" -ge \
		$(($(sed -n 's/^decomposed //p' b.state) + 20000))
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
	local code=0 began=$SECONDS queens="--problem nqueens --instance 15 --variant published --device cpu"
	rm -f k.state
	# shellcheck disable=SC2086
	timeout 60 "$mpirun" -n 3 "$ivm" solve $queens --checkpoint k.state --checkpoint-period 0.05 >out.txt 2>err.txt &
	for _ in $(seq 200); do
		[ -s k.state ] && break
		sleep 0.02
	done
	kill -KILL "$(victim "$1")" || true # an earlier end shows below
	wait $! || code=$?
	check "$name: killing rank $1 ends all with an error" test $code -ne 0
	check "... within ten seconds" test $((SECONDS - began)) -le 14
	# shellcheck disable=SC2086
	counted "the search is resumed" 2 "{'decomposed': 90634737}" $queens --resume k.state
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
	check "$name: --steal-between is of published" exits 2 solve 2 --problem nqueens --instance 10 --variant tuned \
		--device sim --steal-between off
	check "$name: --steal-between has no effect with --steal off" exits 2 solve 2 --problem nqueens --instance 10 \
		--variant published --device sim --steal-between on --steal off
	counted "pool, N-Queens, tuned" 3 "{'explored': 35538}" --problem nqueens --instance 10 --variant tuned --device sim
	check "$name: a search without checkpoints is refused" exits 4 solve 2 --problem nqueens --instance 10 --variant cpu
	check "... in one line" test "$(grep -c '^helbecque-pool: ' err.txt)" -eq 1
	program=$ivm
	check "$name: a rank with a device and one without" exits 0 timeout 60 "$mpirun" -n 1 "$ivm" solve --instance ta013 --bound lb1 \
		--ub opt --variant cpu --json r.json : -n 1 "$ivm" solve --instance ta013 --bound lb1 --ub opt --variant tuned --device sim
	check "... count each node once" result "r['nodes']['decomposed'] == 172233"
	check "$name: more ranks than work" exits 0 solve 4 --instance random:5x3:9 --variant cpu
	check "... with an optimum" result "r['status'] == 'optimal'" "r['verified']"
	check "$name: one rank is a process alone" exits 0 solve 1 --instance ta001 --variant cpu
	check "... with its optimum" result "r['objective'] == 1278"
	limits
	checkpoints
	for _ in $(seq $((COPRA_TEST_EXTENDED ? 10 : 1))); do
		killed $((RANDOM % 3))
	done
	bad_input
}

check "a process alone refuses --gpus-per-rank" exits 2 "$ivm" solve --instance ta001 --gpus-per-rank 1
check "... in one line" one_line 'needs mpirun'
check "a process alone refuses --steal-between" exits 2 "$pool" solve --problem nqueens --instance 8 --variant published \
	--device sim --steal-between off
check "... in one line" one_line 'needs mpirun'
mkdir -p alone/bin
cp "$ivm" alone/bin/
check "a build without MPI says so" exits 4 env OMPI_COMM_WORLD_SIZE=2 alone/bin/gmys-ivm solve --instance ta001
check "... in one line" one_line 'started by the mpirun of openmpi, but this build has no support for it'
for library in openmpi mpich; do
	if [ -e "$bin/../lib/copra-mpi-$library.so" ] && command -v mpirun.$library >/dev/null; then
		all_of $library
	else
		echo "skip $library is not installed"
	fi
done
exit $failed
