#!/usr/bin/env bash
# A reproduction as an array of jobs, one for each shard; each continues over its time limit. Afterwards
# scripts/slurm/merge.sh joins them.
# usage: [PAPER=... SCALE=... DEVICE=...] sbatch --array=1-N --time=... scripts/slurm/reproduce.sh
#        SHARDS=N sbatch --array=2,5 ...   only shards 2 and 5 of N, such as those of nodes that failed
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=copra-reproduce
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
shared=${SLURM_SUBMIT_DIR:-$(dirname -- "$0")/../..}/scripts/slurm/job.bash
[ -r "$shared" ] || { echo "$0: ${SLURM_SUBMIT_DIR:-} is not copra's folder; submit the job from there" >&2 && exit 2; }
. "$shared"
[ -n "${SHARDS:-}" ] || [ "${SLURM_ARRAY_TASK_MIN:-}" != 1 ] || [ "$SLURM_ARRAY_TASK_MAX" != "$SLURM_ARRAY_TASK_COUNT" ] ||
	SHARDS=$SLURM_ARRAY_TASK_COUNT
[[ ${SHARDS:-} =~ ^[1-9][0-9]{0,3}$ ]] && [[ ${SLURM_ARRAY_TASK_ID:-} =~ ^[1-9][0-9]{0,3}$ ]] &&
	[ "$SLURM_ARRAY_TASK_ID" -le "$SHARDS" ] || {
	echo "${SLURM_JOB_NAME:-$0}: needs sbatch --array=1-N, or SHARDS=N and some of 1 to N as the array" >&2
	exit 2
}
export SHARD=$SLURM_ARRAY_TASK_ID/$SHARDS
kept="${COPRA_RESULTS:-results/local}/*/*/*/shards/$SLURM_ARRAY_TASK_ID-of-$SHARDS.bench.journal.jsonl"
run_and_requeue scripts/reproduce.sh
