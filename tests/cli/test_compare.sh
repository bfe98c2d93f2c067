#!/usr/bin/env bash
# make baseline and make compare: a slower build is reported, an equal one is not, and builds that are
# not comparable are refused.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
bin=$(cd "$1" && pwd)
. "$(dirname "$0")/demo.bash"
tool=$bin/copra-compare
[ -x "$tool" ] || { echo "no copra-compare: it needs jansson"; exit 77; }

# two builds of a target named demo: a program, and one that is four times as slow
mkdir -p same slow wrong papers/demo
cp "$demo" same/demo
printf '#!/bin/sh\nCOPRA_DEMO_EXTRA=300 exec "%s" "$@"\n' "$demo" >slow/demo
printf '#!/bin/sh\n[ "$1" = bench ] && set -- "$@" "--benchmark_filter=demo/(steps|wrong)"\nexec "%s" "$@"\n' \
	"$demo" >wrong/demo
chmod +x slow/demo wrong/demo
printf '# a family\n^demo/steps/  # one\n' >papers/demo/gate.txt
export COPRA_RESULTS=$work/results COPRA_MACHINE=here
gate=$COPRA_RESULTS/here/gate
flags=(--papers papers --min-time 0.0003s --repetitions 20 --quiet)
compare() { "$tool" compare --bin "${1:-same}" --papers papers --quiet "${@:2}"; }
json() { # condition on compare.json, called r
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(0 if eval("(" + sys.argv[2] + ")") else "not so: %s\n%s" % (sys.argv[2], r))' "$gate/compare/compare.json" "$1"
}
junit() { # file, suite, element or '', name, regular expression of its message: the only case of the suite
	python3 -c 'import re, sys, xml.etree.ElementTree as tree
path, suite, element, name, words = sys.argv[1:]
cases = tree.parse(path).getroot().findall("testsuite[@name=\"%s\"]/testcase" % suite)
assert [c.get("name") for c in cases] == [name], cases
assert [(e.tag, bool(re.search(words, e.get("message")))) for e in cases[0]] == ([(element, True)] if element else []), \
    [(e.tag, e.attrib) for e in cases[0]]' "$@"
}

check "help" exits 0 "$tool" --help
check "... of each command" exits 0 "$tool" compare --help
check "a missing command is refused" exits 2 "$tool"
check "... with one line" one_line "see --help"
check "compare without a baseline is refused" exits 2 compare same
check "... says what to do" one_line "copra compare baseline"
check "an unknown target is refused" exits 2 "$tool" baseline --bin same --targets nothing "${flags[@]}"
check "... by its name" one_line "nothing"
check "an invalid name is refused" exits 2 "$tool" baseline --bin same --name ../up "${flags[@]}"
for name in x.partial x.old compare; do # incomplete or replaced baselines, and the results' folder
	check "a reserved name is refused: $name" exits 2 "$tool" baseline --bin same --name $name "${flags[@]}"
done
check "an unknown device is refused" exits 2 "$tool" baseline --bin same --device quantum "${flags[@]}"

check "a baseline is made" exits 0 "$tool" baseline --bin same --launches 10 "${flags[@]}"
check "... keeps the program" cmp same/demo "$gate/default/bin/demo"
check "... and its rows" test "$(rows "$gate/default/demo.rows.json" '^demo/steps/')" -eq 10
check "... in the history" test "$(grep -c '"source": "baseline"' "$COPRA_RESULTS/history/history.jsonl")" -eq 1

exec 8>"$gate/.lock"
flock 8
for command in baseline compare; do
	check "a concurrent $command is refused" exits 2 "$tool" $command --bin same --papers papers --quiet
	check "... in one line" one_line "is running"
done
exec 8>&-

check "a build four times as slow fails the gate" exits 1 compare slow --launches 16 --junit slow.xml
check "... is SLOWER" grep -q '^SLOWER .*demo/steps/n:10000' out.txt
check "... in one line" one_line "1 of 1 benchmarks SLOWER"
check "... with the files named" grep -qx "written: $gate/compare/compare.md, $gate/compare/compare.json" out.txt
check "... in the JSON" json 'r["complete"] and r["benchmarks"][0]["verdict"] == "SLOWER" and
	r["benchmarks"][0]["ratio"] > 2 and r["control"] == "old again" and not r["weaker"]'
check "... with a control that was launched as often" json '
	r["benchmarks"][0]["control"]["new_samples"] == r["benchmarks"][0]["new_samples"]'
check "... in JUnit XML: a failure" junit slow.xml demo failure 'demo/steps/n:10000' '^SLOWER ([+].* %|x[0-9]+), 99 % interval .* [mµn]s -> .* [mµn]s$'
check "... in Markdown" grep -q '^| \*\*SLOWER\*\* | demo/steps' "$gate/compare/compare.md"
for build in old again new; do
	check "... rows of $build are Google Benchmark JSON" test \
		"$(rows "$gate/compare/demo.$build.json" '^demo/steps/')" -ge 10
done
cp "$gate/compare/demo.old.json" old.json
check "... copies of the programs are gone" test ! -e "$gate/compare/.copra-programs"
top=$here/../..
mkdir -p all/papers all/local
cp -r "$top/results/papers/dp-knapsack" all/papers/
cp -r "$top/results/studies" all/
cp -r "$COPRA_RESULTS/here" all/local/
check "the report shows the comparison" exits 0 "$bin/copra-report" html --results all --out report
check "... with the verdict" grep -q '^| demo/steps/n:10000 | SLOWER |' report/gate.md
check "... and the studies" grep -q '^| this machine | 5 % more work | 100 |' report/gate.md
check "the same build is not slower" exits 0 compare same --launches 10
check "... nor faster" json 'r["benchmarks"][0]["verdict"] in ("SAME", "AMBIGUOUS")'
check "a build faster than the old one passes" exits 0 compare same --old slow --launches 16 "${flags[@]}"
check "... as FASTER" grep -q '^FASTER ' out.txt

check "a slower build fails against recorded rows" exits 1 compare slow --rows --launches 16
check "... is marked as weaker" grep -q '^WEAKER: ' out.txt
check "... and has its own control" json 'r["control"] == "new again" and r["weaker"]'
rm "$gate/default/bin/demo"
check "recorded rows are used when the programs are gone" exits 1 compare slow --launches 16
check "... and says so" grep -q '^WEAKER: .*gone' out.txt

check "a build with a new failure fails the gate" exits 1 compare wrong --old same \
	--filter 'demo/(steps|nap/ms:1/case:1)' --launches 2 "${flags[@]}"
check "... by name" grep -q '^FAILED: demo/nap/ms:1/case:1.*: .*failed' out.txt
mkdir -p papers/other
printf '#!/bin/sh\necho "other: no case matches --benchmark_filter=x" >&2\nexit 2\n' >same/other
chmod +x same/other
check "a filter that matches one of two targets is accepted" exits 0 compare same --old same --filter 'demo/steps' \
	--launches 2 "${flags[@]}"
check "... and compares that target" json 'r["complete"] and len(r["benchmarks"]) == 1'
check "... and names the target that is left out" grep -q '^other: left out, its family has no benchmark' err.txt
check "... for a baseline too" exits 0 "$tool" baseline --bin same --name filtered --filter 'demo/steps' \
	--launches 1 "${flags[@]}"
check "a filter without a match is refused" exits 2 compare same --old same --filter nothing --launches 2 "${flags[@]}"
rm -r same/other papers/other
mkdir -p own/folder && echo kept >own/folder/file
check "results can go to a folder with other files" exits 0 compare same --old same --out own --launches 2 \
	--filter 'demo/steps' "${flags[@]}"
check "... which stay" grep -qx kept own/folder/file
mkdir flaky
cat >flaky/demo <<END
#!/bin/sh
# works in its first launch, fails in all others
[ -e "\$0.ran" ] && set -- "\$@" "--benchmark_filter=demo/(steps|wrong)"
touch "\$0.ran"
exec "$demo" "\$@"
END
chmod +x flaky/demo
check "a build that fails sometimes fails the gate" exits 1 compare flaky --old same \
	--filter 'demo/(steps|nap/ms:1/case:1)' --launches 2 "${flags[@]}"
check "... by name" grep -q '^FAILED: demo/nap/ms:1/case:1' out.txt
ln -s "$work/same" $'s\xe9me' # not UTF-8
check "a folder name that is not UTF-8 is accepted" exits 0 compare same --old $'s\xe9me' --launches 2 --filter 'demo/steps' "${flags[@]}"
check "... with a replacement in the JSON" json 'r["old"]["what"] == "s?me"'
rm "$gate"/compare/*.json
"$tool" compare --bin same --papers papers --old same --launches 2 --filter 'demo/steps' "${flags[@]}" <&- >&- 2>err.txt || true
check "closed streams: the results are written" json 'len(r["benchmarks"]) == 1'
check "... and rows" test "$(rows "$gate/compare/demo.new.json" '^demo/steps/')" -ge 2
check "parameters that differ from the baseline are refused" exits 2 compare same --scale paper
check "... named" one_line "scale is paper, but the baseline used smoke"
sed -i 's/"host": "[^"]*"/"host": "0123456789abcdef"/' "$gate/default/baseline.json"
check "a baseline of another machine is refused" exits 2 compare same
check "... named" one_line "belongs to another machine"
printf '{"schema": 1, "schema": 2}' >"$gate/default/baseline.json"
check "a broken baseline is refused" exits 2 compare same
check "... with its line" one_line "baseline.json:1:"

check "of two files, a slower new one fails" exits 1 "$tool" files --old old.json \
	--new <(sed 's/"real_time": /&9/' old.json)
check "... marked as weaker" grep -q '^WEAKER: ' out.txt
check "files of two machines are refused" exits 2 "$tool" files --old old.json \
	--new <(sed 's/"copra_machine": "here"/"copra_machine": "there"/' old.json)
check "... with the reason" one_line "copra_machine differs"
one_row() { # milliseconds
	echo '{"context": {}, "benchmarks": [{"name": "a", "run_name": "a", "run_type": "iteration",
		"real_time": '"$1"', "time_unit": "ms"}]}'
}
check "files with one row each are refused" exits 2 "$tool" files --old <(one_row 1) --new <(one_row 2)
check "... as too few samples" grep -q 'too few samples: 1 old, 1 new' out.txt
check "... with advice about repetitions" one_line 'nothing was compared: .*--benchmark_repetitions'
check "... and not about launches" bash -c '! grep -q -- --launches out.txt'
rows_of() { # milliseconds...
	python3 -c 'import json, sys
print(json.dumps({"context": {}, "benchmarks": [{"name": "a", "run_name": "a", "run_type": "iteration",
	"real_time": float(x), "time_unit": "ms"} for x in sys.argv[1:]]}))' "$@"
}
# one row less than a verdict needs, and as many as it needs; the times are doubled
check "files of six rows are refused" exits 2 "$tool" files --old <(rows_of 10 11 12 13 14 15) --new <(rows_of 20 22 24 26 28 30)
check "... as too few samples" grep -q '^AMBIGUOUS .*too few samples: 6 old, 6 new; 7 of each are needed' out.txt
check "... with the number that is needed" one_line 'nothing was compared: a benchmark needs at least 7 rows in each file, preferably 20'
"$tool" --help >help.txt
check "... as in --help" grep -q 'least 7 rows of a benchmark' help.txt
check "files of six equal rows are refused" exits 2 "$tool" files --old <(rows_of 10 11 12 13 14 15) \
	--new <(rows_of 10 11 12 13 14 15)
check "... and not called SAME" grep -q '^AMBIGUOUS .*too few samples: 6 old, 6 new' out.txt
check "few rows are skipped in JUnit XML" exits 2 "$tool" files --junit few.xml --old <(rows_of 10 11) --new <(rows_of 10 11)
check "... with the reason" junit few.xml files skipped "$(sed -n 's/^AMBIGUOUS .* ms *\(.*\) (too few.*/\1/p' out.txt)" 'AMBIGUOUS.*too few samples'
check "an unwritable JUnit file gives exit code 1" exits 1 "$tool" files --junit /dev/null/x.xml --old <(rows_of 10 11) --new <(rows_of 10 11)
check "a slower file of seven rows fails" exits 1 "$tool" files --old <(rows_of 10 11 12 13 14 15 16) \
	--new <(rows_of 20 22 24 26 28 30 32)
check "... as SLOWER" grep -q '^SLOWER ' out.txt
# the medians are 10.1 and 14.2; the median of all quotients differs from their quotient
check "files of eight rows are compared" exits 0 "$tool" files --old <(rows_of 10 10.1 10.2 10.05 10.3 14 14.1 10) \
	--new <(rows_of 10.1 10.2 14.2 14.3 14.4 10.3 14.2 10.2) --out eight
check "... with two times whose quotient is the change" python3 -c 'import re
for file in ("out.txt", "eight/compare.md"):
    numbers = re.findall(r"([-+]?\d+\.\d+) (?:%|ms)", next(l for l in open(file) if "AMBIGUOUS" in l and " ms" in l))
    change, old, new = [numbers[i] for i in ((0, 3, 4) if file == "out.txt" else (2, 0, 1))]
    assert abs(100 * (float(new) / float(old) - 1) - float(change)) < 0.15, (file, change, old, new)'
check "... with an explanation of the rule" grep -q '^SLOWER, FASTER: the change is at least 3 %.*The interval may reach below 3 %' out.txt
check "... and the control" grep -q 'AMBIGUOUS: neither of these, or the A/A control failed' out.txt
check "... and how often it failed" grep -qE '^A/A control [(]the old build against itself[)]: .*; it failed for 0 of 1 benchmarks[.]$' out.txt
check "... and the names of the files" grep -qx 'written: eight/compare.md, eight/compare.json' out.txt
check "files that are not JSON are refused" exits 2 "$tool" files --old /dev/null --new /dev/null

"$tool" baseline --bin same --launches 1 "${flags[@]}" >/dev/null
rm -r "$gate/compare"
(interruptible "$tool" compare --bin same --papers papers --launches 5000 --detect 3.01 --quiet) \
	>out.txt 2>err.txt &
pid=$!
until_there test -s "$gate/compare/demo.new.json" || true # the first block
kill -INT $pid
code=0
wait $pid || code=$?
check "SIGINT: exit code 3" test "$code" -eq 3
check "... with the measurements kept" json 'not r["complete"] and r["benchmarks"][0]["new_samples"] >= 2'
check "... and shown" grep -q INCOMPLETE out.txt
exit $failed
