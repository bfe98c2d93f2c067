# Shared by the job scripts: runs a program that stops at SIGTERM with exit code 3 and continues when it is
# started again. Slurm sends SIGTERM before the time limit (#SBATCH --signal); the job is then requeued.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause

[ -n "${SLURM_JOB_ID:-}" ] || { echo "$0: submit it with sbatch; see docs/CLUSTER.md" >&2 && exit 2; }
job=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
cd -- "$SLURM_SUBMIT_DIR" || exit 2

child='' signalled=''
launch=() # the command that starts the ranks, if the script has set it
interrupt() {
	local launcher=${launch[0]:-}
	case ${launcher##*/} in
	srun) scancel --signal=TERM "$SLURM_JOB_ID" ;; # the ranks; srun itself would kill them
	*) kill -TERM "$child" 2>/dev/null ;;
	esac
}
stop() {
	signalled=1
	[ -z "$child" ] || interrupt
}
trap stop TERM

# Whether somebody has cancelled the job. Slurm then signals it as before a time limit, and a requeue would
# bring it back.
is_cancelled() {
	local now reason
	read -r now reason < <(squeue -h -t all -j "$SLURM_JOB_ID" -o '%T %r' 2>/dev/null)
	[ "$now" = COMPLETING ] && [ "$reason" != TimeLimit ]
}
# Runs the program. Ends the job with its exit code, or requeues it if the signal stopped the program and
# the files that match `kept` have changed: a job that gets nowhere within its time limit is not
# started for ever.
kept=''
state() {
	local IFS='' # the pattern can have spaces
	# shellcheck disable=SC2086 # a pattern
	ls -l --full-time $kept 2>/dev/null | cksum
}
run_and_requeue() { # command...
	local code again before
	before=$(state)
	echo "job $job, start $((${SLURM_RESTART_COUNT:-0} + 1)) on $(uname -n): $*"
	"$@" &
	child=$!
	[ -z "$signalled" ] || interrupt # it arrived in between
	while :; do
		wait "$child"
		code=$?
		kill -0 "$child" 2>/dev/null || break # else a signal interrupted the wait
	done
	wait "$child" 2>/dev/null # if the signal interrupted the last wait, this has the exit code
	again=$?
	[ $again -eq 127 ] || code=$again
	# launchers of MPI do not pass on exit code 3
	[ -z "$signalled" ] || [ ${#launch[@]} -eq 0 ] || code=3
	if [ -n "$signalled" ] && { [ $code -eq 3 ] || [ $code -eq 143 ]; }; then
		code=3
		if is_cancelled; then
			echo "job $job: cancelled; not requeued" >&2
			exit 3
		fi
		if [ "$(state)" = "$before" ]; then
			echo "job $job: the time limit is too short for one step of this work; not requeued" >&2
			exit 3
		fi
		echo "job $job: stopped before its time limit; requeued"
		if ! scontrol requeue "$job"; then
			echo "job $job: cannot be requeued; submit it again to continue" >&2
			exit 3
		fi
		sleep 60 & # Slurm ends this script meanwhile
		wait
	fi
	wait_for_verdict $code
	exit $code
}
# If a node is lost, the launcher of MPI often ends before Slurm knows about the node. Slurm requeues the
# job of a lost node, but not one that has ended.
wait_for_verdict() { # exit code: 1, or that of a signal
	local seconds
	[ ${#launch[@]} -gt 0 ] && [ "${SLURM_JOB_NUM_NODES:-1}" -gt 1 ] || return
	[ "$1" -eq 1 ] || [ "$1" -gt 128 ] || return
	seconds=$(scontrol show config 2>/dev/null | sed -nE 's/^SlurmdTimeout *= *([0-9]+).*/\1/p')
	seconds=$((${seconds:-300} + 30))
	echo "job $job: failed with exit code $1; waiting $seconds s, because Slurm requeues it if a node is lost" >&2
	sleep $seconds &
	wait
}
