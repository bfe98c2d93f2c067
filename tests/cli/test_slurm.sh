#!/usr/bin/env bash
# The job scripts under a real Slurm, which this test starts on this machine and ends: a search stopped
# three times ends with the exact count, and an array of shards with its merge measures every case once.
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
stop_slurm() {
	for name in slurmctld slurmd munged; do
		[ ! -s "$work/$name.pid" ] || kill "$(cat "$work/$name.pid")" 2>/dev/null || true
	done
	sleep 1
	rm -rf "$work"
}
trap stop_slurm EXIT

# ---- a Slurm of one node ----
node=$(uname -n)
mkdir state spool
head -c 64 /dev/urandom >key
chmod 400 key
cat >slurm.conf <<CONF
ClusterName=copra
SlurmctldHost=$node(127.0.0.1)
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
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
SlurmctldPort=$((20000 + $$ % 10000))
SlurmdPort=$((30000 + $$ % 10000))
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES State=UP
CONF
export SLURM_CONF=$work/slurm.conf
munged --force --key-file="$work/key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
	--log-file="$work/munged.log" --seed-file="$work/seed" 2>munged.err
slurmctld
slurmd
idle() {
	for _ in $(seq 60); do
		[ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return 0
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
search=(--problem nqueens --instance 16 --variant serial)
count() { # file
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); print(r["status"], r["objective"])' "$1"
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
check "its count is exact" test "$(count job.json)" = "counted 14772512"

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
