#!/usr/bin/env bash
# The job scripts under a real Slurm of eight nodes, all played by this machine: searches that are stopped
# three times, or lose a node, end with the exact count; an array of shards with its merge measures every
# case once; a stopped record has all rows.
# usage: test_slurm.sh BIN_DIR       only with COPRA_TEST_EXTENDED=1, as root, if Slurm and munge are installed
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
skip() {
	echo "skipped: $1"
	exit 77
}
[ -n "${COPRA_TEST_EXTENDED:-}" ] || skip "needs COPRA_TEST_EXTENDED=1"
for tool in slurmctld slurmd sbatch munged; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
[ "$(id -u)" -eq 0 ] || skip "slurmd needs root"
. "$(dirname "$0")/drive.bash"
nodes=8
stop_slurm() {
	for file in "$work"/*.pid; do
		[ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
	done
	sleep 1
	rm -rf "$work"
}
trap stop_slurm EXIT

# ---- a Slurm of eight nodes, all of them this machine ----
host=$(uname -n)
mkdir state
head -c 64 /dev/urandom >key
chmod 400 key
cat >slurm.conf <<CONF
ClusterName=copra
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
TmpFS=$work/tmp-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
SlurmctldPort=$((20000 + $$ % 10000))
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
SchedulerParameters=batch_sched_delay=0,sched_interval=1
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
for ((i = 1; i <= nodes; i++)); do
	echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((30000 + i + $$ % 10000)) CPUs=$(nproc) State=UNKNOWN"
	mkdir "tmp-n$i"
done >>slurm.conf
export SLURM_CONF=$work/slurm.conf
munged --force --key-file="$work/key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
	--log-file="$work/munged.log" --seed-file="$work/seed" 2>munged.err
slurmctld
for ((i = 1; i <= nodes; i++)); do
	slurmd -N "n$i" || skip "this slurmd runs only once on a machine"
done
idle() {
	for _ in $(seq 60); do
		[ "$(sinfo -h -o '%T %D' 2>/dev/null)" = "idle $nodes" ] && return 0
		sleep 0.5
	done
	return 1
}
check "Slurm starts" idle
submit() { # flags, script...: sets id
	id=$(cd "$root" && sbatch --parsable --output="$work/%j.txt" "$@")
}
state_is() { # of job $id, within 100 s; '' when it has ended
	local states
	for _ in $(seq 1000); do
		states=$(squeue -h -j "$id" -o %T 2>/dev/null) && [ "$(sort -u <<<"$states")" = "$1" ] && return 0
		sleep 0.1
	done
	squeue
	cat "$work"/*.txt
	return 1
}

# Slurm waits two minutes before it starts a requeued job; this starts it as soon as its last start is
# cleaned up.
waits() {
	for _ in $(seq 600); do
		scontrol show job "$id" 2>/dev/null | grep -q 'JobState=PENDING Reason=BeginTime' && return 0
		sleep 0.1
	done
	scontrol show job "$id"
	cat "$work"/*.txt
	return 1
}
start_now() {
	sleep 1
	scontrol update jobid="$id" StartTime=now
}

# ---- a search that is stopped three times ----
search=(--problem nqueens --instance 15 --variant serial)
count() { # file
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); print(r["status"], r["objective"], "by", r.get("ranks", 1))' "$1"
}
export COPRA_STATE=$work/checkpoints
submit scripts/slurm/solve.sh gmys-ivm "${search[@]}" --json "$work/job.json"
for stop in 1 2 3; do
	check "start $stop runs" state_is RUNNING
	sleep 0.7
	scancel --signal=TERM --batch "$id"
	check "signal $stop requeues the job" waits
	check "signal $stop leaves a checkpoint" test -s "$work/checkpoints/job-$id.checkpoint"
	start_now
done
check "the search ends" state_is ''
check "it was started four times" grep -q "^job $id, start 4 on " "$id.txt"
check "it was stopped three times" test "$(grep -c 'stopped before its time limit; requeued' "$id.txt")" -eq 3
check "its count is exact" test "$(count job.json)" = "counted 2279184 by 1"

submit scripts/slurm/solve.sh gmys-ivm "${search[@]}" --instance 17
check "another search runs" state_is RUNNING
sleep 0.7
scancel "$id"
check "a cancelled job ends" state_is ''
check "it is not requeued" grep -q "^job $id: cancelled; not requeued" "$id.txt"

# ---- searches over several nodes ----
# Ends all processes of a node at once.
lose() { # node
	local pid
	kill -9 "$(cat "$work/slurmd-$1.pid")" || return 1
	rm "$work/slurmd-$1.pid"
	for pid in /proc/[0-9]*; do
		! { tr '\0' '\n' <"$pid/environ" | grep -qx "SLURMD_NODENAME=$1"; } 2>/dev/null ||
			kill -9 "${pid#/proc/}" 2>/dev/null || true
	done
}
searches() { # until the log of job $id shows that the search goes on
	for _ in $(seq 600); do
		! grep -q '"event": "start"' log 2>/dev/null || return 0
		sleep 0.1
	done
	cat "$id.txt"
	return 1
}
has_checkpoint() {
	for _ in $(seq 600); do
		[ ! -s "$work/checkpoints/job-$id.checkpoint" ] || return 0
		sleep 0.1
	done
	cat "$id.txt"
	return 1
}
over_nodes() { # number of nodes, seconds between checkpoints
	rm -f job.json log
	submit --nodes="$1" --ntasks-per-node=1 scripts/slurm/solve.sh gmys-ivm "${search[@]}" --instance 16 --json "$work/job.json" \
		--log "$work/log" --checkpoint-period "$2"
}
if [ -x "$bin/../lib/copra-mpi-openmpi.so" ] && command -v mpirun.openmpi >/dev/null; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	for launch in "srun --mpi=pmix" "mpirun.openmpi --bind-to none"; do
		case $(srun --mpi=list 2>&1) in *pmix*) ;; *) [[ $launch != srun* ]] || continue ;; esac
		export COPRA_LAUNCH=$launch
		over_nodes 8 1000
		check "${launch%% *} starts a search on eight nodes" searches
		sleep 1
		scancel --signal=TERM --batch "$id"
		check "... the signal requeues it" waits
		start_now
		check "... it ends" state_is ''
		check "... its count is exact" test "$(count job.json)" = "counted 14772512 by 8"
		check "... it was started twice" grep -q "^job $id, start 2 on " "$id.txt"
		# a campaign, whose search is stopped once
		printf 'instance,best_known\nta017,1484\n' >list.csv
		rm -rf "$work/checkpoints/campaign"
		submit --nodes=2 --ntasks-per-node=1 scripts/slurm/campaign.sh "$work/list.csv" --estimate-seconds 0.1 -- --bound lb1 \
			--branching minbranch --threads 1 --checkpoint-period 0.1
		check "${launch%% *} starts the searches of a campaign on two nodes" until_there test -s "$work/checkpoints/campaign/checkpoints/ta017.solve"
		scancel --signal=TERM --batch "$id"
		check "... the signal requeues it" waits
		start_now
		check "... it ends" state_is ''
		check "... with the optimum" grep -q '^| ta017 | 1484 |.*| 1484 | 1484 | optimal |' "$work/checkpoints/campaign/campaign.md"
		check "... in two slices of two ranks" test "$(jq -r 'select(.event == "slice") | "\(.ranks) \(.status)"' \
			"$work/checkpoints/campaign/state.jsonl" | xargs)" = "2 limit 2 optimal"
	done
	over_nodes 4 1
	check "a search on four nodes writes a checkpoint" has_checkpoint
	check "one of them is lost" lose n3
	check "... Slurm requeues the job" waits
	start_now
	check "... it ends on other nodes" state_is ''
	check "... its count is exact" test "$(count job.json)" = "counted 14772512 by 4"
	unset COPRA_LAUNCH
	slurmd -N n3
	check "... the node returns" idle
	nodes_searched=1
else
	echo "not tried: searches over several nodes, because OpenMPI is not installed"
fi

# ---- the commands of docs/CLUSTER.md ----
# The lines of a section that submit jobs and wait for them.
commands() { # heading
	awk -v heading="## $1" '$0 == heading { on = 1; next } /^## / { on = 0 } on && /^(sbatch --wait|job=)/' "$root/docs/CLUSTER.md"
}
guide() { # heading, number of commands
	commands "$1" >commands.sh
	[ "$(wc -l <commands.sh)" -eq "$2" ] || { echo "not $2 commands under '$1'" && return 1; }
	(cd "$root" && SBATCH_OUTPUT=$work/guide-%A_%a.txt bash -eu "$work/commands.sh") || { tail -n 20 guide-*.txt && return 1; }
}
left_nothing() {
	(cd "$root" && unset COPRA_BENCH_FLAGS TARGETS && COPRA_RESULTS=$work/guide SCALE=smoke scripts/reproduce.sh --estimate) >left.txt &&
		[ "$(grep -c ' 0 to run' left.txt)" -eq 5 ]
}
if [ -x "$bin/gboa" ] && [ -x "$bin/copra-report" ]; then
	(
		unset COPRA_BENCH_FLAGS TARGETS CEILINGS
		export COPRA_RESULTS=$work/guide SCALE=smoke
		guide "From the tarball to a report" 3
	) && status=0 || status=1
	check "an array of jobs measures, another job joins" test $status -eq 0
	check "... the report is where the document says" test -s guide/report/report.html
	check "... no case is left to run" left_nothing
else
	echo "not tried: the guide's reproduction, because not all programs are built"
fi
if [ -n "${nodes_searched:-}" ]; then
	export COPRA_LAUNCH="srun --mpi=pmix --cpu-bind=none"
	check "a proof over eight nodes by the guide" guide "A proof over eight nodes" 1
	check "... is that of the optimum" test "$(count checkpoints/ta028.json)" = "optimal 2200 by 8"
	check "... and says what the document says" grep -q ", 8 ranks on 8 nodes" guide-*.txt
	unset COPRA_LAUNCH
fi

# ---- a reproduction as an array of shards ----
naps 100 4
unset COPRA_STATE
submit --array=1-3 scripts/slurm/reproduce.sh
array=$id
id=${array}_2
stopped=$id
check "shard 2 runs" state_is RUNNING
sleep 0.5
scancel --signal=TERM --batch "$id"
check "the signal requeues shard 2" waits
start_now
submit --dependency=afterany:"$array" scripts/slurm/merge.sh
check "the merge ends" state_is ''
check "the shards have measured all cases" grep -q "5 already measured" "$id.txt"
check "shard 2 was started twice" grep -q "^job $stopped, start 2 on " "$work"/*.txt
check "the merged results have every case" is_complete 20
check "no case was measured twice" never_twice

# one shard of another split, alone
export SHARDS=5
submit --array=2 scripts/slurm/reproduce.sh
unset SHARDS
check "a shard submitted alone ends" state_is ''
check "it has measured its case" test -s "$folder/shards/2-of-5.bench.journal.jsonl"

# ---- a record ----
as_of_a_commit
echo "c0ffee 0" >revision
export SCALE=smoke STATE=$work/recording RECORDED=$work/recorded NAME=here
folder=$STATE/c0ffee/here/copra-demo/smoke
results=$COPRA_RESULTS
unset COPRA_RESULTS COPRA_MACHINE
naps 300 4
submit scripts/slurm/record.sh
check "a record has its first rows" wait_for_rows 3
scancel --signal=TERM --batch "$id"
check "the signal requeues it" waits
start_now
check "it ends" state_is ''
check "it was started twice" grep -q "^job $id, start 2 on " "$id.txt"
check "the record has all rows" python3 -c 'import json, sys
assert len(json.load(open(sys.argv[1]))["benchmarks"]) == 20' recorded/here/copra-demo/smoke/bench.json
export BIN=$bin COPRA_RESULTS=$results

# ---- what is refused ----
check "a job script outside Slurm is refused" exits 2 "$root/scripts/slurm/solve.sh" gmys-ivm
check "its message says how to submit it" one_line "submit it with sbatch"
refused() { # message
	state_is '' && grep -q -- "$1" "$id.txt" || { cat "$id.txt"; return 1; }
}
submit scripts/slurm/reproduce.sh
check "a reproduction without an array is refused" refused "needs sbatch --array=1-N"
submit scripts/slurm/solve.sh nothing
check "an unknown program is named" refused "/nothing is not a program of copra"
id=$(sbatch --parsable --output="$work/%j.txt" "$root/scripts/slurm/merge.sh" 2>/dev/null)
check "another folder is named" refused "$work is not copra's folder"
exit $failed
