#!/usr/bin/env bash
# Draws a report's figures with gnuplot: each plots/*.gp below the folder. If a figure fails, its name is
# printed, the others are still drawn, and the exit code is 1. Without gnuplot nothing is drawn and the
# exit code is 0.
# usage: draw-plots.sh FOLDER [gnuplot's options]
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$(dirname -- "$0")/locale.bash"
folder=${1:?usage: draw-plots.sh FOLDER}
shift
if ! command -v gnuplot >/dev/null 2>&1; then
	echo "report: gnuplot is not installed: the report has no plots (make setup)" >&2
	exit 0
fi
failed=0
while IFS= read -r -d '' figure; do
	gnuplot "$@" "$figure" && continue
	echo "report: gnuplot failed on $figure: this figure is missing" >&2
	rm -f "${figure%.gp}.svg"
	failed=1
done < <(find "$folder" -path '*/plots/*.gp' -print0 | sort -z)
exit $failed
