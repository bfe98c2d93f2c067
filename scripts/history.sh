#!/usr/bin/env bash
# Shows the history of the benchmarks: what changed and at which commit, with plots.
# usage: history.sh [copra-history's options]
# Writes history.html, history.md, plots/ and the SQLite index history.sqlite beside the lines, in
# results/local/history. BIN: the folder of the programs. FILTER: a regular expression of names.
# COPRA_RESULTS: instead of results/local. All but the lines, history.jsonl, may be removed: it is made
# from them. Without sqlite3 the index is left out.
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
history=${BIN:-build/bin}/copra-history
folder=${COPRA_RESULTS:-results/local}/history

if [ ! -x "$history" ]; then
	echo "history: $history is not built: it needs jansson (make setup)" >&2
	exit 1
fi
arguments=(--out "$folder")
[ -n "${FILTER:-}" ] && arguments+=(--filter "$FILTER")
# drawings of benchmarks that were not asked for must not stay
[ -d "$folder/plots" ] && rm -f "$folder"/plots/*.svg

# the order of the commits; outside a clone runs are in the order of their dates
commits=$(mktemp) || exit 1
trap 'rm -f "$commits"' EXIT
if git log --reverse --topo-order --format=%H >"$commits" 2>/dev/null; then
	arguments+=(--commits "$commits")
fi
"$history" show "${arguments[@]}" "$@"
status=$?

# an index that is not whole must not take the place of one that is
if [ ! -e "$folder/history.jsonl" ]; then
	:
elif ! command -v sqlite3 >/dev/null 2>&1; then
	echo "history: sqlite3 is not installed: no index (make setup)" >&2
else
	new=$folder/.history.sqlite.$$
	# lines that cannot be read were told above; the tables appear with the last statement
	"$history" sql 2>/dev/null | sqlite3 -bail "$new" &&
		sqlite3 "$new" 'SELECT count(*) FROM run' >/dev/null && mv -f "$new" "$folder/history.sqlite" ||
		{ echo "history: the index could not be made" >&2; status=1; }
	rm -f "$new"
fi
[ $status -eq 0 ] && [ -e "$folder/history.html" ] && echo "history: $folder/history.html"
exit $status
