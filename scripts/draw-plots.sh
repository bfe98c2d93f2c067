#!/usr/bin/env bash
# Draws a report's figures with gnuplot: each *.gp below the folder. What fails leaves no drawing, and
# the page names it as missing.
# usage: draw-plots.sh FOLDER [gnuplot's options]
set -u
folder=${1:?usage: draw-plots.sh FOLDER}
shift
if ! command -v gnuplot >/dev/null 2>&1; then
	echo "report: gnuplot is not installed: the report goes without plots (make setup)" >&2
	exit 0
fi
find "$folder" -path '*/plots/*.gp' -print0 | while IFS= read -r -d '' figure; do
	gnuplot "$@" "$figure" && continue
	echo "report: gnuplot failed on $figure" >&2
	rm -f "${figure%.gp}.svg"
done
