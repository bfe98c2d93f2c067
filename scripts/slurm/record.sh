#!/usr/bin/env bash
# Records this kind of machine (scripts/record.sh) as a job that continues over its time limit.
# usage: [PAPER=... LONGEST=... NAME=...] sbatch --time=... scripts/slurm/record.sh
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=copra-record
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
shared=${SLURM_SUBMIT_DIR:-$(dirname -- "$0")/../..}/scripts/slurm/job.bash
[ -r "$shared" ] || { echo "$0: ${SLURM_SUBMIT_DIR:-} is not copra's folder; submit the job from there" >&2 && exit 2; }
. "$shared"
export MINUTES=${MINUTES:-999999} # the time limit of the job counts
kept="${STATE:-results/local/recording}/*/*/*/*/bench.journal.jsonl"
run_and_requeue scripts/record.sh
