#!/usr/bin/env bash
# Makes report.pdf of the report's LaTeX twin: the drawings again as PDF, then pdflatex until the
# references stand.
# usage: report-pdf.sh          (OUT: the report's folder, as of report.sh)
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/locale.bash
out=${OUT:-${COPRA_RESULTS:-results/local}/report}

die() {
	echo "report-pdf: $1" >&2
	exit 1
}
[ -f "$out/report.tex" ] || die "$out/report.tex is not there: make report"
command -v pdflatex >/dev/null ||
	die "pdflatex is not installed: apt-get install texlive-latex-recommended lmodern"
scripts/draw-plots.sh "$out" -e 'pdf = 1'
cd "$out" || exit 1
for pass in 1 2; do
	pdflatex -interaction=nonstopmode -halt-on-error report.tex >report.txt ||
		die "pdflatex failed in pass $pass: $(grep -m 1 '^!' report.txt) ($out/report.txt)"
done
rm -f report.txt report.aux report.log report.out report.toc
echo "report-pdf: $out/report.pdf"
