#!/usr/bin/env bash
# Writes results/local/report from local and recorded measurements: tables, plots, report.html.
# usage: report.sh [copra-report's options]
# Environment: BIN, the folder of the programs (build/bin); OUT, the output folder (COPRA_RESULTS/report).
# Without gnuplot, everything except the plots is written, and the page says so. If gnuplot fails on a
# figure, its name is printed, the rest is written, and the exit code is 1.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/locale.bash
report=${BIN:-build/bin}/copra-report
out=${OUT:-${COPRA_RESULTS:-results/local}/report}

if [ ! -x "$report" ]; then
	echo "report: $report is not built (make all); measurements are kept" >&2
	exit 1
fi
# remove figures of machines whose results are gone
[ -d "$out" ] && find "$out" -path '*/plots/*' \( -name '*.gp' -o -name '*.dat' -o -name '*.svg' \) -delete

exec "$report" --draw scripts/draw-plots.sh --out "$out" "$@"
