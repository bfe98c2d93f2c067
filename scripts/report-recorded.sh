#!/usr/bin/env bash
# Writes docs/report from the runs in results/recorded: README.md, one file per chapter, and the drawings.
# The output does not depend on the machine, so it is kept in the repository and checked by a test.
# The same report as one HTML file goes to <results>/local/report-recorded.html, which git ignores.
# `make report` writes the tables also as LaTeX and CSV. The count of verdicts on the first page is copied
# into README.md and docs/ARTIFACT.md, between the marks <!-- verdicts --> and <!-- end of verdicts -->.
# usage: report-recorded.sh [--check]
# Environment: DOCS, the output folder (docs/report); RESULTS, the folder of results (results); BIN, the
# folder of the programs (build/bin).
#   --check  write nothing; exit 1 if docs/report differs from the report of the present results and
#            sources. The drawings are not redrawn: checksums of their data and scripts are compared.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/locale.bash
report=${BIN:-build/bin}/copra-report
results=${RESULTS:-results}
docs=$(realpath -m -- "${DOCS:-docs/report}")

die() {
	echo "report-recorded: $1" >&2
	exit "${2:-1}"
}
[ $# -eq 0 ] || [ "$*" = --check ] || die "usage: report-recorded.sh [--check]" 2
[ -x "$report" ] || die "$report is not built (make all)"
work=$(mktemp -d) || die "no temporary folder"
trap 'rm -rf "$work"' EXIT

write() { # the command that draws the figures
	"$report" --recorded=true --results "$results" --draw "$1" --out "$work" >/dev/null
}
# checksums of each figure's data and script, without the script's lines that name folders
sums() {
	(cd "$work" && find . -name '*.dat' -o -name '*.gp' | sort | while read -r file; do
		printf '%s %s\n' "$(grep -vE '^(data|svg) = ' "$file" | cksum)" "$file"
	done)
}
# A drawing in a separate file needs a white background: its text would be unreadable on a dark page.
ground() { # folder
	find "$1" -name '*.svg' -exec sed -i '/<rect x="0" y="0"/s/fill="none"/fill="white"/' {} +
}

verdicts() { # the section "Verdicts" of the first page, without its heading
	awk '/^<a id=/ { inside = /"verdicts"/; next } inside && !/^## /' "$1/README.md" | sed '/./,$!d' |
		sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}
quoting=(README.md docs/ARTIFACT.md)
with_verdicts() { # document, file of the verdicts: the document with them
	sed -e '/^<!-- verdicts -->$/,/^<!-- end of verdicts -->$/{/^<!--/!d}' \
		-e "/^<!-- verdicts -->\$/r $2" "$1"
}

if [ "${1:-}" = --check ]; then
	[ -d "$docs" ] || die "$docs does not exist; create it with: make report-recorded"
	export docs
	cat >"$work/place" <<'END' # the drawings without their background, as gnuplot wrote them
#!/usr/bin/env bash
cp -r "$docs"/*/ "$1" && find "$1" -name '*.svg' -exec sed -i '/<rect x="0" y="0"/s/fill="white"/fill="none"/' {} +
END
	chmod +x "$work/place"
	write "$work/place" || die "the report could not be written"
	stale=
	for file in "$work"/*.md; do
		cmp -s "$file" "$docs/$(basename "$file")" || stale="$stale $(basename "$file")"
	done
	[ "$(sums)" = "$(cat "$docs/figures.cksum" 2>/dev/null)" ] || stale="$stale figures"
	if [ -z "${DOCS:-}" ]; then
		verdicts "$work" >"$work/verdicts"
		for file in "${quoting[@]}"; do
			with_verdicts "$file" "$work/verdicts" | cmp -s - "$file" || stale="$stale $file"
		done
	fi
	[ -z "$stale" ] || die "$docs is stale:$stale; run: make report-recorded"
	exit 0
fi

command -v gnuplot >/dev/null || die "gnuplot is needed (make setup)"
write scripts/draw-plots.sh
written=$?
find "$work" -path '*/plots/*.gp' | while read -r figure; do
	[ -e "${figure%.gp}.svg" ] || { echo "${figure##*/}" && exit 1; }
done >"$work/undrawn" || die "a figure could not be drawn: $(cat "$work/undrawn")"
rm "$work/undrawn"
[ $written -eq 0 ] || die "the report could not be written"
# A folder without figures.cksum was not written by this script.
[ ! -d "$docs" ] || [ -e "$docs/figures.cksum" ] || rmdir -- "$docs" 2>/dev/null ||
	die "$docs contains something other than this report; it is left unchanged" 2
rm -rf "$docs" && mkdir -p "$docs" || die "cannot write $docs"
cp "$work"/*.md "$docs/" || die "cannot write $docs"
sums >"$docs/figures.cksum"
(cd "$work" && find . -name '*.svg' -print0 | xargs -0 -r cp --parents -t "$docs") ||
	die "cannot write $docs"
ground "$docs"
if [ -z "${DOCS:-}" ]; then
	verdicts "$docs" >"$work/verdicts"
	for file in "${quoting[@]}"; do
		with_verdicts "$file" "$work/verdicts" >"$work/quoting" && cat "$work/quoting" >"$file" ||
			die "cannot write $file"
	done
fi
html=$results/local/report-recorded.html
mkdir -p "$results/local" && cp "$work/report.html" "$html" || die "cannot write $html"
echo "report-recorded: $docs/README.md, $html"
