#!/usr/bin/env bash
# docs/report is up to date with results/recorded and the sources, and --check reports when it is not.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
bin=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$bin/copra-report" ] || { echo "copra-report is not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$top/tests/cli/checks.bash"
script=$top/scripts/report-recorded.sh

check "docs/report is not stale (else: make report-recorded)" exits 0 env BIN="$bin" "$script" --check
check "an unknown flag is refused" exits 2 env BIN="$bin" "$script" --nonsense
check "... in one line" one_line 'usage: report-recorded.sh'

command -v gnuplot >/dev/null || exit "$failed"
cp -r "$top/tests/data/report/local" "$top/tests/data/report/recorded" .
cp -r "$top/results/papers" .
recorded() { # from the fixtures, into a folder whose name has a blank
	env BIN="$bin" RESULTS="$work" DOCS="$work/a b/docs" "$script" "$@"
}
mkdir broken && printf '#!/bin/sh\nexit 1\n' >broken/gnuplot && chmod +x broken/gnuplot
check "a figure that cannot be drawn is an error" exits 1 env PATH="$work/broken:$PATH" BIN="$bin" RESULTS="$work" \
	DOCS="$work/a b/docs" "$script"
check "... the error names one" grep -qE '^report-recorded: a figure could not be drawn: .*[.]gp$' err.txt
check "--check without a report is an error" exits 1 recorded --check
check "... in one line" one_line 'create it with: make report-recorded'
check "the report is written" exits 0 recorded
check "... without local measurements" bash -c '! grep -rq fixture-2c "a b/docs"'
check "... with drawings that have a background" \
	grep -rlq '<rect x="0" y="0".*fill="white"' "a b/docs/dp-knapsack/plots"
check "... the HTML page is written into the results, not into docs" \
	test -s local/report-recorded.html -a ! -e "a b/docs/report.html"
check "... with its drawings on the page's background" \
	grep -q '<rect x="0" y="0".*fill="none"' local/report-recorded.html
check "every drawing of the Markdown exists" bash -c '
	cd "a b/docs" && grep -ohE "\]\([^)]*\.svg\)" ./*.md | sed "s/](//; s/)//" | xargs -r ls >/dev/null'
check "a new report is not stale" exits 0 recorded --check
bench=recorded/fixture-h200-x4/dp-knapsack/paper/bench.json
sed -i 's/"real_time":[0-9.]*/"real_time":123456.75/' $bench
check "a changed row makes it stale" exits 1 recorded --check
check "... and the message names the files" one_line 'is stale:.*dp-knapsack.*figures'
exit "$failed"
