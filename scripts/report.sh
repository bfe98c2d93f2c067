#!/usr/bin/env bash
# Writes results/local/report from what was measured and recorded: tables, plots, report.html.
# usage: report.sh [copra-report's options]
# BIN: the folder of the programs. OUT: where the report goes (COPRA_RESULTS: its folder report).
# Without gnuplot everything but the plots is written, and the page says so. Where gnuplot fails, the figure
# is named, the rest is written, and the exit code is 1.
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/locale.bash
report=${BIN:-build/bin}/copra-report
out=${OUT:-${COPRA_RESULTS:-results/local}/report}

if [ ! -x "$report" ]; then
	echo "report: $report is not built: it needs jansson (make setup); measurements are kept" >&2
	exit 1
fi
# figures of machines that are gone must not stay
[ -d "$out" ] && find "$out" -path '*/plots/*' \( -name '*.gp' -o -name '*.dat' -o -name '*.svg' \) -delete

exec "$report" --draw scripts/draw-plots.sh --out "$out" "$@"
