#!/usr/bin/env bash
# Shows how benchmarks changed over commits, with plots.
# usage: history.sh [copra-history options]
# Writes history.html, history.md, plots/ and the SQLite index history.sqlite to results/local/history.
# All of them are made from history.jsonl and may be removed. Without sqlite3 there is no index.
# BIN: the folder of the programs. FILTER: a regular expression for names. COPRA_RESULTS replaces
# results/local.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
history=${BIN:-build/bin}/copra-history
folder=${COPRA_RESULTS:-results/local}/history

if [ ! -x "$history" ]; then
	echo "history: $history is not built (make all)" >&2
	exit 1
fi
arguments=(--out "$folder")
[ -n "${FILTER:-}" ] && arguments+=(--filter "$FILTER")
# remove the drawings of benchmarks that FILTER excludes
[ -d "$folder/plots" ] && rm -f "$folder"/plots/*.svg

# the order of the commits; outside a git clone, runs are ordered by date
commits=$(mktemp) || exit 1
trap 'rm -f "$commits"' EXIT
if git log --reverse --topo-order --format=%H >"$commits" 2>/dev/null; then
	arguments+=(--commits "$commits")
fi
"$history" show "${arguments[@]}" "$@"
status=$?

# replace the index only by a complete one
if [ ! -e "$folder/history.jsonl" ]; then
	:
elif ! command -v sqlite3 >/dev/null 2>&1; then
	echo "history: sqlite3 is not installed: no index is written (make setup)" >&2
else
	new=$folder/.history.sqlite.$$
	# unreadable lines were reported above; the last statement commits the tables
	"$history" sql 2>/dev/null | sqlite3 -bail "$new" &&
		sqlite3 "$new" 'SELECT count(*) FROM run' >/dev/null && mv -f "$new" "$folder/history.sqlite" ||
		{ echo "history: cannot write the index" >&2; status=1; }
	rm -f "$new"
fi
[ $status -eq 0 ] && [ -e "$folder/history.html" ] && echo "history: $folder/history.html"
exit $status
