#!/usr/bin/env bash
# A campaign (docs/CAMPAIGN.md) as a job that continues over its time limit: it stops before the limit and is
# requeued until all instances are solved.
# usage: sbatch --time=... [--nodes=...] scripts/slurm/campaign.sh SET|FILE FLAGS...
#   SET, FILE and FLAGS are those of copra campaign.
# Settings, from the environment:
#   COPRA_STATE   the folder of the campaign, on a file system that all nodes share (results/local); it is in
#                 COPRA_STATE/campaign, and a later job continues it
#   COPRA_LAUNCH  what starts the ranks of each search on several nodes, such as "mpirun --bind-to none" or
#                 "srun --mpi=pmix --cpu-bind=none"
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=copra-campaign
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
shared=${SLURM_SUBMIT_DIR:-$(dirname -- "$0")/../..}/scripts/slurm/job.bash
[ -r "$shared" ] || { echo "$0: ${SLURM_SUBMIT_DIR:-} is not copra's folder; submit the job from there" >&2 && exit 2; }
. "$shared"
[ $# -ge 1 ] || { echo "$SLURM_JOB_NAME: name a set or a file" >&2 && exit 2; }
out=${COPRA_STATE:-results/local}/campaign
mkdir -p -- "$out" || exit 1
kept=$out/checkpoints/*
run_and_requeue scripts/campaign.sh --out "$out" "$@"
