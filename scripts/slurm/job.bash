# Shared by the job scripts: runs a program that stops at SIGTERM with exit code 3 and continues when it is
# started again. Slurm sends SIGTERM before the time limit (#SBATCH --signal); the job is then requeued.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause

[ -n "${SLURM_JOB_ID:-}" ] || { echo "$0: submit it with sbatch; see docs/CLUSTER.md" >&2 && exit 2; }
job=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
cd -- "$SLURM_SUBMIT_DIR" || exit 2

child='' signalled=''
stop() {
	signalled=1
	[ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
trap stop TERM

# Runs the program. Ends the job with its exit code, or requeues it if the signal stopped the program and
# the files that match `kept` have changed: a job that gets nowhere within its time limit is not
# started for ever.
kept=''
state() {
	# shellcheck disable=SC2086 # a pattern
	ls -l --full-time $kept 2>/dev/null | cksum
}
run_and_requeue() { # command...
	local code again before
	before=$(state)
	echo "job $job, start $((${SLURM_RESTART_COUNT:-0} + 1)) on $(uname -n): $*"
	"$@" &
	child=$!
	[ -z "$signalled" ] || kill -TERM "$child" 2>/dev/null # it arrived in between
	while :; do
		wait "$child"
		code=$?
		kill -0 "$child" 2>/dev/null || break # else a signal interrupted the wait
	done
	wait "$child" 2>/dev/null # if the signal interrupted the last wait, this has the exit code
	again=$?
	[ $again -eq 127 ] || code=$again
	# launchers of MPI do not pass on exit code 3
	[ -z "$signalled" ] || [ -z "${COPRA_LAUNCH:-}" ] || code=3
	if [ -n "$signalled" ] && { [ $code -eq 3 ] || [ $code -eq 143 ]; }; then
		code=3
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
	exit $code
}
