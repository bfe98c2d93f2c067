#!/usr/bin/env bash
# make baseline, make compare: a slower build is told, an equal one is not, and nothing is compared that
# cannot be.
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

check "help" exits 0 "$tool" --help
check "... of each command" exits 0 "$tool" compare --help
check "no command" exits 2 "$tool"
check "... in one line" one_line "see --help"
check "no baseline yet" exits 2 compare same
check "... says what to do" one_line "make baseline"
check "an unknown target" exits 2 "$tool" baseline --bin same --targets nothing "${flags[@]}"
check "... by its name" one_line "nothing"
check "a bad name" exits 2 "$tool" baseline --bin same --name ../up "${flags[@]}"
for name in x.partial x.old compare; do # of a baseline x that is not whole yet, or replaced
	check "a name that is taken: $name" exits 2 "$tool" baseline --bin same --name $name "${flags[@]}"
done
check "a device that is not there" exits 2 "$tool" baseline --bin same --device quantum "${flags[@]}"

check "baseline" exits 0 "$tool" baseline --bin same --launches 10 "${flags[@]}"
check "... keeps the program" cmp same/demo "$gate/default/bin/demo"
check "... and its rows" test "$(rows "$gate/default/demo.rows.json" '^demo/steps/')" -eq 10
check "... in the history" test "$(grep -c '"source": "baseline"' "$COPRA_RESULTS/history/history.jsonl")" -eq 1

exec 8>"$gate/.lock"
flock 8
for command in baseline compare; do
	check "a second $command at once" exits 2 "$tool" $command --bin same --papers papers --quiet
	check "... in one line" one_line "under way"
done
exec 8>&-

check "four times as slow" exits 1 compare slow --launches 16
check "... is SLOWER" grep -q '^SLOWER .*demo/steps/n:10000' out.txt
check "... in one line" one_line "1 of 1 benchmarks SLOWER"
check "... where the result is" grep -qx "written: $gate/compare/compare.md, $gate/compare/compare.json" out.txt
check "... in the JSON" json 'r["complete"] and r["benchmarks"][0]["verdict"] == "SLOWER" and
	r["benchmarks"][0]["ratio"] > 2 and r["control"] == "old again" and not r["weaker"]'
check "... with a control that was launched as often" json '
	r["benchmarks"][0]["control"]["new_samples"] == r["benchmarks"][0]["new_samples"]'
check "... in Markdown" grep -q '^| \*\*SLOWER\*\* | demo/steps' "$gate/compare/compare.md"
for arm in old again new; do
	check "... rows of $arm are Google Benchmark's" test \
		"$(rows "$gate/compare/demo.$arm.json" '^demo/steps/')" -ge 10
done
cp "$gate/compare/demo.old.json" old.json
check "... copies of the programs are gone" test ! -e "$gate/compare/.copra-programs"
top=$here/../..
mkdir -p all/papers all/local
cp -r "$top/results/papers/dp-knapsack" all/papers/
cp -r "$top/results/studies" all/
cp -r "$COPRA_RESULTS/here" all/local/
check "the report has it" exits 0 "$bin/copra-report" html --results all --out report
check "... with the verdict" grep -q '^| demo/steps/n:10000 | SLOWER |' report/gate.md
check "... and the studies" grep -q '^| this machine | 5 % more work | 100 |' report/gate.md
check "the same build is not slower" exits 0 compare same --launches 10
check "... nor faster" json 'r["benchmarks"][0]["verdict"] in ("SAME", "AMBIGUOUS")'
check "the slow build as the old one" exits 0 compare same --old slow --launches 16 "${flags[@]}"
check "... FASTER" grep -q '^FASTER ' out.txt

check "against recorded rows" exits 1 compare slow --rows --launches 16
check "... which says less" grep -q '^WEAKER: ' out.txt
check "... and has its own control" json 'r["control"] == "new again" and r["weaker"]'
rm "$gate/default/bin/demo"
check "so too where the programs are gone" exits 1 compare slow --launches 16
check "... and says so" grep -q '^WEAKER: .*gone' out.txt

check "a build that fails where the old one did not" exits 1 compare wrong --old same \
	--filter 'demo/(steps|nap/ms:1/case:1)' --launches 2 "${flags[@]}"
check "... by name" grep -q '^FAILED: demo/nap/ms:1/case:1.*: .*failed' out.txt
mkdir -p papers/other
printf '#!/bin/sh\necho "other: no case matches --benchmark_filter=x" >&2\nexit 2\n' >same/other
chmod +x same/other
check "a filter that one of two targets has" exits 0 compare same --old same --filter 'demo/steps' \
	--launches 2 "${flags[@]}"
check "... compares that one" json 'r["complete"] and len(r["benchmarks"]) == 1'
check "... and says what is left out" grep -q '^other: no benchmark' err.txt
check "... as a baseline too" exits 0 "$tool" baseline --bin same --name filtered --filter 'demo/steps' \
	--launches 1 "${flags[@]}"
check "a filter that none has" exits 2 compare same --old same --filter nothing --launches 2 "${flags[@]}"
rm -r same/other papers/other
mkdir -p own/folder && echo kept >own/folder/file
check "results in a folder that is in use" exits 0 compare same --old same --out own --launches 2 \
	--filter 'demo/steps' "${flags[@]}"
check "... which keeps what it had" grep -qx kept own/folder/file
mkdir flaky
cat >flaky/demo <<END
#!/bin/sh
# answers in its first launch, fails in all others
[ -e "\$0.ran" ] && set -- "\$@" "--benchmark_filter=demo/(steps|wrong)"
touch "\$0.ran"
exec "$demo" "\$@"
END
chmod +x flaky/demo
check "a build that fails now and then" exits 1 compare flaky --old same \
	--filter 'demo/(steps|nap/ms:1/case:1)' --launches 2 "${flags[@]}"
check "... by name" grep -q '^FAILED: demo/nap/ms:1/case:1' out.txt
ln -s "$work/same" $'s\xe9me' # no UTF-8
check "a folder with an odd name" exits 0 compare same --old $'s\xe9me' --launches 2 --filter 'demo/steps' "${flags[@]}"
check "... is in the JSON all the same" json 'r["old"]["what"] == "s?me"'
rm "$gate"/compare/*.json
"$tool" compare --bin same --papers papers --old same --launches 2 --filter 'demo/steps' "${flags[@]}" <&- >&- 2>err.txt || true
check "closed streams: there are results" json 'len(r["benchmarks"]) == 1'
check "... and rows" test "$(rows "$gate/compare/demo.new.json" '^demo/steps/')" -ge 2
check "other parameters" exits 2 compare same --scale paper
check "... named" one_line "scale is paper, the baseline's was smoke"
sed -i 's/"host": "[^"]*"/"host": "0123456789abcdef"/' "$gate/default/baseline.json"
check "another machine" exits 2 compare same
check "... named" one_line "of another machine"
printf '{"schema": 1, "schema": 2}' >"$gate/default/baseline.json"
check "a broken baseline" exits 2 compare same
check "... where" one_line "baseline.json:1:"

check "two files" exits 1 "$tool" files --old old.json \
	--new <(sed 's/"real_time": /&9/' old.json)
check "... weaker" grep -q '^WEAKER: ' out.txt
check "files of two machines" exits 2 "$tool" files --old old.json \
	--new <(sed 's/"copra_machine": "here"/"copra_machine": "there"/' old.json)
check "... refused" one_line "copra_machine differs"
one_row() { # milliseconds
	echo '{"context": {}, "benchmarks": [{"name": "a", "run_name": "a", "run_type": "iteration",
		"real_time": '"$1"', "time_unit": "ms"}]}'
}
check "files of one row each" exits 2 "$tool" files --old <(one_row 1) --new <(one_row 2)
check "... too few to tell" grep -q 'too few samples: 1 old, 1 new' out.txt
check "... which need repetitions" one_line 'nothing was compared: .*--benchmark_repetitions'
check "... not launches" bash -c '! grep -q LAUNCHES out.txt'
rows_of() { # milliseconds...
	python3 -c 'import json, sys
print(json.dumps({"context": {}, "benchmarks": [{"name": "a", "run_name": "a", "run_type": "iteration",
	"real_time": float(x), "time_unit": "ms"} for x in sys.argv[1:]]}))' "$@"
}
# one row less than a verdict takes, and as many as it takes: the times doubled
check "files of six rows" exits 2 "$tool" files --old <(rows_of 10 11 12 13 14 15) --new <(rows_of 20 22 24 26 28 30)
check "... too few to tell" grep -q '^AMBIGUOUS .*too few samples: 6 old, 6 new; 7 of each are needed' out.txt
check "... how many are needed" one_line 'nothing was compared: a benchmark needs at least 7 rows in each file, better 20'
"$tool" --help >help.txt
check "... as --help says" grep -q 'least 7 rows of a benchmark' help.txt
check "files of six equal rows" exits 2 "$tool" files --old <(rows_of 10 11 12 13 14 15) \
	--new <(rows_of 10 11 12 13 14 15)
check "... are not SAME" grep -q '^AMBIGUOUS .*too few samples: 6 old, 6 new' out.txt
check "files of seven rows" exits 1 "$tool" files --old <(rows_of 10 11 12 13 14 15 16) \
	--new <(rows_of 20 22 24 26 28 30 32)
check "... are enough" grep -q '^SLOWER ' out.txt
# medians of 10.1 and 14.2; the median of all quotients is another
check "files of eight rows" exits 0 "$tool" files --old <(rows_of 10 10.1 10.2 10.05 10.3 14 14.1 10) \
	--new <(rows_of 10.1 10.2 14.2 14.3 14.4 10.3 14.2 10.2) --out eight
check "... print the two times that the change is of" python3 -c 'import re
for file in ("out.txt", "eight/compare.md"):
    numbers = re.findall(r"([-+]?\d+\.\d+) (?:%|ms)", next(l for l in open(file) if "AMBIGUOUS" in l and " ms" in l))
    change, old, new = [numbers[i] for i in ((0, 3, 4) if file == "out.txt" else (2, 0, 1))]
    assert abs(100 * (float(new) / float(old) - 1) - float(change)) < 0.15, (file, change, old, new)'
check "... what decides" grep -q '^SLOWER, FASTER: the change is at least 3 %.*the interval may reach below 3 %' out.txt
check "... and what the control is called" grep -q 'AMBIGUOUS: neither, or the A/A control failed' out.txt
check "... how often it failed" grep -qE '^A/A control, the old build against itself: .*; it failed for 0 of 1[.]$' out.txt
check "... and where the result is" grep -qx 'written: eight/compare.md, eight/compare.json' out.txt
check "no JSON" exits 2 "$tool" files --old /dev/null --new /dev/null

"$tool" baseline --bin same --launches 1 "${flags[@]}" >/dev/null
rm -r "$gate/compare"
(interruptible "$tool" compare --bin same --papers papers --launches 5000 --detect 3.01 --quiet) \
	>out.txt 2>err.txt &
pid=$!
for _ in $(seq 600); do # until the first block is on the disk
	[ -s "$gate/compare/demo.new.json" ] && break
	sleep 0.1
done
kill -INT $pid
code=0
wait $pid || code=$?
check "SIGINT: exit code 3" test "$code" -eq 3
check "... what was measured is kept" json 'not r["complete"] and r["benchmarks"][0]["new_samples"] >= 2'
check "... and shown" grep -q INCOMPLETE out.txt
exit $failed
