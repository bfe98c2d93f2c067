#!/usr/bin/env bash
# A case that is killed between two repetitions continues with the next one. With a time limit, cases
# that would not end in time are left to the next run.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/demo.bash"
run=("$demo" --benchmark_filter=nap --copra_axis=ms=20 --benchmark_min_time=1x
	--benchmark_repetitions=2 --benchmark_out=b.json --copra_resume)

one_line_of() { # regular expression: the program's only error line matches
	[ "$(grep -c '^demo: ' err.txt)" -eq 1 ] && grep '^demo: ' err.txt | grep -qE "$1" || { cat err.txt; return 1; }
}

long=("$demo" --benchmark_filter=nap/ms:800/case:1/ --copra_axis=ms=800 --benchmark_min_time=1x
	--benchmark_repetitions=6 --benchmark_out=b.json --copra_resume)
# rows are written to disk every two seconds, so at least two are stored after four naps
killed=0
COPRA_DEMO_KILL=5 "${long[@]}" >out.txt 2>err.txt || killed=$?
check "kill -9 in the middle of a case ends the program" test "$killed" -eq 137
stored=$(grep -c '"repetition"' b.journal.jsonl)
check "the journal has repetitions from before the kill" test "$stored" -ge 2 -a "$stored" -lt 5
check "b.running names the case that was running" grep -q '^demo/nap/ms:800/case:1/manual_time$' b.running
check "--copra_longest=1 excludes the case" exits 0 "${long[@]}" --copra_longest=1
check "the excluded case is listed with its reason" grep -q "longer than the 1 s of --copra_longest" b.skipped.json
check "the journal does not mark the excluded case as complete" test "$(grep -c '"complete"' b.journal.jsonl)" -eq 0
check "the next run without the limit succeeds" exits 0 "${long[@]}"
check "it measures only the missing repetitions" test "$(grep -c '"repetition"' b.journal.jsonl)" -eq 6
check "the results have all rows" test "$(rows b.json)" -eq 6
check "the rows are in the order of their repetitions" python3 - <<'PY'
import json
assert [r["repetition_index"] for r in json.load(open("b.json"))["benchmarks"]
        if r["run_type"] == "iteration"] == list(range(6))
PY
check "b.running is removed" test ! -e b.running

rm -f b.*
check "--copra_limit ends the run with exit code 3" exits 3 env COPRA_DEMO_LONG=3 "${run[@]}" --copra_limit=300
check "two cases were completed within the limit" test "$(rows b.json)" -eq 4
check "the number of remaining cases is printed" one_line_of "out of time: 3 of 5 cases are left"
check "the next run completes the others" exits 0 "${run[@]}" --copra_limit=300
check "the results then have all rows" test "$(rows b.json)" -eq 10
rm -f b.*
long=("$demo" --benchmark_filter='nap/ms:(20|800000)/case:1/' --copra_axis=ms=20,800000 --benchmark_min_time=1x
	--benchmark_repetitions=2 --benchmark_out=b.json --copra_longest=60)
check "an estimate with --copra_longest succeeds" exits 0 "${long[@]}" --copra_estimate
check "the estimate counts the cases that are too long" grep -q "2 cases, 1 to run, .*, 1 too long" out.txt
check "a run with --copra_longest succeeds" exits 0 "${long[@]}"
check "only the case below the limit has rows" test "$(rows b.json)" -eq 2
check "the longer case is listed with its predicted time" grep -qE "would take about [0-9]+ m [0-9]+ s, longer than the 60 s of --copra_longest" b.skipped.json
check "the context has the number of opened GPUs" grep -q '"copra_gpus": 0,' b.json
sed -i '/"complete"/d' b.journal.jsonl
check "a case with all its repetitions is not excluded as too long" exits 0 "${long[@]}" --copra_resume --copra_longest=0.01
check "its rows are in the results" test "$(rows b.json)" -eq 2
check "--copra_longest works with random interleaving" exits 0 "${long[@]}" --benchmark_enable_random_interleaving --benchmark_out=i.json
check "the longer case is excluded" test "$(rows i.json)" -eq 2
few=("${demo%/*}/gboa" bench --device=sim --copra_scale=smoke --benchmark_filter='devices/.*gpus:2/' --benchmark_out=g.json)
check "a run with fewer GPUs than a case needs succeeds" exits 0 "${few[@]}" --copra_longest=0.001
check "a case without its device is skipped for that reason, not for its length" grep -q "needs 2 GPUs, 1 given" g.skipped.json
for bad in --copra_limit=-1 --copra_longest=-1 --copra_part=1:2 --copra_part=1:2:3:4 --copra_part=a:b:c --copra_died=nothing; do
	check "bench $bad is refused" exits 2 "$demo" --benchmark_filter=nap --benchmark_out=c.json $bad
done
exit $failed
