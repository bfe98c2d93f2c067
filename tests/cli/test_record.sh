#!/usr/bin/env bash
# Records are made from one commit only, in parts, and continue after a kill and on another machine. They
# are written when all parts are measured.
# usage: test_record.sh BIN_DIR
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/drive.bash"
as_of_a_commit
export STATE=$work/state RECORDED=$work/recorded SCALE=smoke
unset COPRA_RESULTS COPRA_MACHINE NAME GPUS
record=("$root/scripts/record.sh")
naps 1 1

echo "c0ffee 1" >revision
check "a build with uncommitted changes is refused" exits 2 "${record[@]}"
check "the refusal is one line" one_line "built with uncommitted changes"
echo "unknown 0" >revision
check "a build of an unknown commit is refused" exits 2 "${record[@]}"
echo "c0ffee 0" >revision
for bad in GPUS=none NAME=a/b SCALE=huge MINUTES=x PAPER=nothing; do
	check "$bad is refused" exits 2 env "$bad" "${record[@]}"
	check "the refusal of $bad is one line" test "$(wc -l <err.txt)" -eq 1
done
check "nothing is recorded so far" test ! -e recorded

export NAME=here
check "a call in which no case fits ends with exit code 3" exits 3 env COPRA_DEMO_LONG=1 MINUTES=5 "${record[@]}"
check "the message says that no remaining case fits" grep -q "^record: no remaining case fits" err.txt
check "a first part ends with exit code 3" exits 3 env COPRA_DEMO_LONG=3 MINUTES=5 "${record[@]}"
check "nothing is recorded after the first part" test ! -e recorded
check "--status exits with 0" exits 0 "${record[@]}" --status
check "--status shows how many cases are left" grep -qE '5 cases, 3 to run' out.txt
mv state elsewhere
echo '{"benchmarks": []}' >elsewhere/c0ffee/here/copra-demo/comparators.json
check "the rest is measured from a copy of the state" exits 0 env STATE="$work/elsewhere" MINUTES=5 "${record[@]}"
check "rows of other programs are recorded too" cmp -s {elsewhere/c0ffee,recorded}/here/copra-demo/comparators.json
file=recorded/here/copra-demo/smoke/bench.json
check "the record has all rows" python3 -c 'import json, sys
assert len(json.load(open(sys.argv[1]))["benchmarks"]) == 5' $file
check "the record names the commit" grep -q '"copra_revision": "c0ffee"' $file
check "each row names its commit, host and date" python3 -c 'import json, re, sys
rows = json.load(open(sys.argv[1]))["benchmarks"]
dates = [r["copra_date"] for r in rows]
assert all(r["copra_revision"] == "c0ffee" and re.fullmatch("[0-9a-f]{16}", r["copra_host"]) for r in rows)
assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", d) for d in dates)' $file
check "the record has the list of skipped cases" test -s ${file%.json}.skipped.json
check "no temporary files are left" test -z "$(find recorded -name '*.tmp')"

check "LONGEST skips long cases" exits 0 env LONGEST=0.0001 RECORDED="$work/short" STATE="$work/brief" "${record[@]}"
check "the record lists the skipped cases with the limit" grep -q 'longer than the 0.0001 s' short/here/copra-demo/smoke/bench.skipped.json

echo "decade 0" >revision
check "a record of another commit in the same folder is refused" exits 2 env SCALE=quick "${record[@]}"
check "the file of the other commit is named" one_line "$file is from commit c0ffee, not decade"
check "a new commit may replace the record of the same scale" exits 0 "${record[@]}"
check "the new record names the new commit" grep -q '"copra_revision": "decade"' $file
check "a record of fewer GPUs is made" exits 0 env -u NAME GPUS=2 DEVICE=sim:0,1 "${record[@]}"
check "its folder has the number of GPUs in its name" test -e recorded/*-x2/copra-demo/smoke/bench.json

export COPRA_BENCH_FLAGS="--benchmark_filter=nap|wrong --benchmark_min_time=1x" NAME=failing
check "a failed case gives exit code 1" exits 1 "${record[@]}"
check "nothing is recorded after a failure" test ! -e recorded/failing

# A paper whose claims read some of the rows: on times and on counts, and a table another.
unset COPRA_BENCH_FLAGS
ln -s "$bin/copra-report" bin/
export RESULTS=$work/paper NAME=wanted COPRA_BENCH_FLAGS="--benchmark_min_time=1x --copra_axis=ms=1"
mkdir -p paper/papers/copra-demo
names() { "$bin/copra-demo" bench --benchmark_list_tests --copra_scale=smoke $COPRA_BENCH_FLAGS; }
mapfile -t nap < <(names | grep nap)
cat >paper/papers/copra-demo/claims.txt <<END
claim  C
where  1
says   "counts"
kind   measured
decided counts
test   mean("${nap[2]}", iterations_done) = 1

claim  T
where  1
says   "times"
kind   measured
decided times
test   mean("${nap[1]}") < mean("${nap[0]}")

claim  N
where  1
says   "needs more than this machine has"
kind   measured
decided times
needs  gpus 99
test   mean("${nap[4]}") < 1
END
cat >paper/papers/copra-demo/tables.csv <<END
table,entry,heading,expression,format,series
t,title,T,,,
t,rows,i,"i in {1}",,
t,column,c,"mean(""${nap[3]}"")",seconds,
END
check "rows that something reads are measured" exits 0 "${record[@]}"
check "... and no others, the most valuable first, five times what decides on times" python3 -c 'import json, sys
rows = [r["run_name"] for r in json.load(open(sys.argv[1]))["benchmarks"]]
a, b, c, d = sys.argv[2:6]
assert set(rows[:10]) == {a, b} and rows.count(a) == rows.count(b) == 5, rows
assert rows[10:] == [c, d], rows' recorded/wanted/copra-demo/smoke/bench.json "${nap[@]}"
check "only the claim that needs more is left out" test "$(cat recorded/wanted/copra-demo/smoke/left-out.txt)" = "claim N needs 99 GPUs"
check "LONGEST leaves rows out" exits 0 env NAME=brief LONGEST=0.0001 "${record[@]}"
check "they are counted by what reads them" grep -q "2  claims on times: would take" out.txt
check "and named with the reason" grep -qF "1 ${nap[0]}: would take" recorded/brief/copra-demo/smoke/left-out.txt
check "a part is not recorded" exits 3 env NAME=part COPRA_DEMO_LONG=4 MINUTES=5 "${record[@]}"
check "... by default" test ! -e recorded/part
check "... unless PARTIAL is set" exits 3 env NAME=part PARTIAL=1 COPRA_DEMO_LONG=4 MINUTES=5 "${record[@]}"
check "it has the complete rows" python3 -c 'import json, sys
rows = [r["run_name"] for r in json.load(open(sys.argv[1]))["benchmarks"]]
assert rows and rows.count(rows[0]) == 5, rows' recorded/part/copra-demo/smoke/bench.json
check "the others are left out" grep -q "^4 .*: out of time" recorded/part/copra-demo/smoke/left-out.txt
check "the rest completes it" exits 0 env NAME=part MINUTES=5 "${record[@]}"
check "then no row is left out" test "$(grep -c "^[0-9]" recorded/part/copra-demo/smoke/left-out.txt)" = 0
check "ALL=1 runs every row" exits 0 env NAME=every ALL=1 COPRA_BENCH_FLAGS="$COPRA_BENCH_FLAGS --benchmark_filter=nap" "${record[@]}"
check "as often as the experiment says" python3 -c 'import json, sys
assert len({r["run_name"] for r in json.load(open(sys.argv[1]))["benchmarks"]}) == 5' recorded/every/copra-demo/smoke/bench.json
exit $failed
