#!/usr/bin/env bash
# Writes docs/report from the runs in results/recorded: README.md, a file a chapter, the drawings, and
# report.html. It is the same wherever it is built, so that it can be read in the repository and
# checked. LaTeX and the tables as CSV are left to `make report`.
# usage: report-recorded.sh [--check]   (DOCS: another folder; RESULTS: other results; BIN: of the programs)
#   --check  write nothing; exit 1 where docs/report is not what results/ and the sources give. The
#            drawings are not drawn again: their data and scripts are compared, by checksum.
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
[ -x "$report" ] || die "$report is not built (make all; it needs jansson)"
work=$(mktemp -d) || die "no temporary folder"
trap 'rm -rf "$work"' EXIT

write() { # what draws the figures
	"$report" --recorded=true --results "$results" --draw "$1" --out "$work" >/dev/null
}
# of what each figure is drawn from; scripts without the lines that name folders
sums() {
	(cd "$work" && find . -name '*.dat' -o -name '*.gp' | sort | while read -r file; do
		printf '%s %s\n' "$(grep -vE '^(data|svg) = ' "$file" | cksum)" "$file"
	done)
}
# a drawing that stands in no page needs a ground of its own: dark pages would swallow its text
ground() { # folder
	find "$1" -name '*.svg' -exec sed -i '/<rect x="0" y="0"/s/fill="none"/fill="white"/' {} +
}

if [ "${1:-}" = --check ]; then
	[ -d "$docs" ] || die "$docs is not there: make report-recorded writes it"
	export docs
	cat >"$work/place" <<'END' # the drawings as they were before they got their ground
#!/usr/bin/env bash
cp -r "$docs"/*/ "$1" && find "$1" -name '*.svg' -exec sed -i '/<rect x="0" y="0"/s/fill="white"/fill="none"/' {} +
END
	chmod +x "$work/place"
	write "$work/place" || die "the report could not be written"
	stale=
	for file in "$work"/*.md "$work/report.html"; do
		cmp -s "$file" "$docs/$(basename "$file")" || stale="$stale $(basename "$file")"
	done
	[ "$(sums)" = "$(cat "$docs/figures.cksum" 2>/dev/null)" ] || stale="$stale figures"
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
# whatever else it is, it was not written here
[ ! -d "$docs" ] || [ -e "$docs/figures.cksum" ] || rmdir -- "$docs" 2>/dev/null ||
	die "$docs holds something else than this report: it is left as it is" 2
rm -rf "$docs" && mkdir -p "$docs" || die "cannot write $docs"
cp "$work"/*.md "$work/report.html" "$docs/" || die "cannot write $docs"
sums >"$docs/figures.cksum"
(cd "$work" && find . -name '*.svg' -print0 | xargs -0 -r cp --parents -t "$docs") ||
	die "cannot write $docs"
ground "$docs"
echo "report-recorded: $docs/README.md, $docs/report.html"
