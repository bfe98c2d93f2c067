#!/usr/bin/env bash
# A long search as a job that continues over its time limit: it stops before the limit with a
# checkpoint and is requeued until the search has ended.
# usage: sbatch --time=... [--nodes=...] scripts/slurm/solve.sh PROGRAM FLAGS...
#   PROGRAM is gmys-ivm or helbecque-pool, the flags are those of solve, without --checkpoint and --resume.
# Settings, from the environment:
#   COPRA_STATE   the folder of the checkpoint, on a file system that all nodes share (results/local)
#   CHECKPOINT    the name of the checkpoint there (job-<number>.checkpoint); that of an earlier job continues its search
#   COPRA_LAUNCH  what starts the ranks of a search on several nodes, such as "mpirun --bind-to none"
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=copra-solve
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
shared=${SLURM_SUBMIT_DIR:-$(dirname -- "$0")/../..}/scripts/slurm/job.bash
[ -r "$shared" ] || { echo "$0: ${SLURM_SUBMIT_DIR:-} is not copra's folder; submit the job from there" >&2 && exit 2; }
. "$shared"
program=${BIN:-build/bin}/${1:-}
[ $# -ge 1 ] && [ -x "$program" ] || { echo "$SLURM_JOB_NAME: $program is not a program of copra" >&2 && exit 2; }
shift
state=${COPRA_STATE:-results/local}
[[ ${CHECKPOINT:-} != */* ]] || { echo "$SLURM_JOB_NAME: CHECKPOINT is a name in COPRA_STATE, not a path: $CHECKPOINT" >&2 && exit 2; }
mkdir -p -- "$state" || exit 1
checkpoint=$state/${CHECKPOINT:-job-$job.checkpoint}
flags=(--checkpoint "$checkpoint")
[ ! -e "$checkpoint" ] || flags+=(--resume "$checkpoint")
kept=$checkpoint
read -rd '' -a launch <<<"${COPRA_LAUNCH:-}"
run_and_requeue ${launch[@]+"${launch[@]}"} "$program" solve "$@" "${flags[@]}"
