#!/usr/bin/env bash
# The history of benchmarks: rows are added once, changes are found, and page and index are written;
# bad lines are reported.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/demo.bash"
bin=$(dirname "$demo")
top=$(cd "$here/../.." && pwd)
[ -x "$bin/copra-history" ] || { echo "copra-history is not built: run make"; exit 77; }
export COPRA_RESULTS=$work/results
lines=$COPRA_RESULTS/history/history.jsonl
history() { BIN=$bin "$top/scripts/history.sh" "$@"; }
add() { "$bin/copra-history" add --source reproduce "$@"; }

check "an empty history is reported" exits 0 history
check "... on standard output" grep -q 'history is empty' out.txt

"$demo" --benchmark_filter='nap/' --copra_axis=ms=1 --benchmark_min_time=1x --benchmark_repetitions=3 \
	--copra_rows_only --benchmark_out=a.json >/dev/null 2>&1
sed -i -E 's/("copra_dirty": ?)"?1"?/\10/' a.json # even if the demo was built from a modified tree
cases=$(($(rows a.json) / 3))
check "rows are added, one line per benchmark" exits 0 add --file a.json
check "... for every benchmark" test "$(wc -l <"$lines")" -eq "$cases"
check "adding the same file again succeeds" exits 0 add --file a.json
check "... and adds nothing" test "$(wc -l <"$lines")" -eq "$cases"
check "a truncated result file is refused" exits 2 add --file <(head -c 300 a.json) --file a.json
check "... with one line of error" one_line 'copra-history: /dev/fd/'

# 12 more runs of the first case, three times slower from the 8th on
python3 - "$lines" <<'PY'
import json, sys
line = json.loads(open(sys.argv[1]).readline())
with open(sys.argv[1], "a") as out:
    for i in range(12):
        line.update(id="%016x" % i, date="2030-01-01T00:00:%02dZ" % i, commit="%040d" % (i // 2),
                    name="demo/odd/it's", seconds=[(3 if i >= 8 else 1) * (1 + j / 100 + i / 1e4) for j in range(5)])
        out.write(json.dumps(line) + "\n")
PY
check "a change is reported" exits 0 history --all-commits
check "... with its commits and size" grep -qE "demo/odd/it's +\+[12][0-9][0-9]\.[0-9] % +00000000\+? +00000000\+? " out.txt
check "... and drawn" grep -q 'class="slow"' "$COPRA_RESULTS"/history/plots/demo-odd-it-s-*.svg
check "... on the page" grep -q '<h4>demo/odd/it&#39;s\|<h4>demo/odd/it.s' "$COPRA_RESULTS/history/history.html"
check "series with too few runs are reported" grep -qE '^[0-9]+ benchmarks, .* ha(s|ve) too few runs to detect a change .at least 10 are needed' out.txt
check "a filter is accepted" exits 0 env FILTER='nap/' BIN="$bin" "$top/scripts/history.sh" --all-commits
check "... and other benchmarks are left out" test "$(grep -c odd out.txt)" -eq 0
check "... and so are their drawings" test ! -e "$(echo "$COPRA_RESULTS"/history/plots/demo-odd*)"
printf '%040d\n' 7 >commits # a commit of another branch
check "a list of commits without runs is accepted" exits 0 "$bin/copra-history" --commits commits
check "... and all runs are shown" grep -q 'all are shown, by date' out.txt
printf '%040d\n' 3 2 >commits
check "--commits determines the order" exits 0 "$bin/copra-history" --commits commits
check "... and leaves runs of other commits out" grep -q "demo/odd/it's .* 4  " out.txt
sed 's/"dirty": false/"dirty": true/' "$lines" >dirty.jsonl
check "runs of builds with uncommitted changes are accepted" exits 0 "$bin/copra-history" --history dirty.jsonl
check "... are left out, in one line" grep -q "^0 benchmarks, .*uncommitted changes: $((cases + 12)) (--dirty" out.txt
check "... and --dirty shows them" exits 0 "$bin/copra-history" --history dirty.jsonl --dirty
check "... with all their runs" grep -q "^$((cases + 1)) benchmarks, $((cases + 12)) runs" out.txt
if command -v sqlite3 >/dev/null; then
	index() { sqlite3 "$COPRA_RESULTS/history/history.sqlite" "$1"; }
	check "the index has every line" test "$(index 'SELECT count(*) FROM run')" -eq $((cases + 12))
	check "... every sample" test "$(index 'SELECT count(*) FROM sample')" -eq $((3 * cases + 60))
	check "... and can be created again" rm "$COPRA_RESULTS/history/history.sqlite"
	exits 0 history --all-commits
	check "... with the same contents" test "$(index "SELECT count(*) FROM run WHERE benchmark = 'demo/odd/it''s'")" -eq 12
fi

echo '{"id": 7' >>"$lines"
check "a bad line fails the command" exits 2 history --all-commits
check "... the error names the line" grep -q "history.jsonl:$((cases + 13)): " err.txt
check "... and the others are shown" grep -q 'demo/odd' out.txt
check "an invalid filter is refused" exits 2 history --filter '('
check "an unknown command is refused" exits 2 "$bin/copra-history" nonsense
check "add without a source is refused" exits 2 "$bin/copra-history" add --file a.json
check "--help succeeds" exits 0 "$bin/copra-history" --help
exit $failed
