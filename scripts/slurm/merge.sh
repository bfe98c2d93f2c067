#!/usr/bin/env bash
# Joins the shards of a reproduction, runs what they have not measured, and writes the report.
# usage: [PAPER=... SCALE=... DEVICE=...] sbatch --dependency=afterany:JOB --time=... scripts/slurm/merge.sh
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=copra-merge
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
shared=${SLURM_SUBMIT_DIR:-$(dirname -- "$0")/../..}/scripts/slurm/job.bash
[ -r "$shared" ] || { echo "$0: ${SLURM_SUBMIT_DIR:-} is not copra's folder; submit the job from there" >&2 && exit 2; }
. "$shared"
kept="${COPRA_RESULTS:-results/local}/*/*/*/bench.journal.jsonl"
run_and_requeue scripts/reproduce.sh --merge
