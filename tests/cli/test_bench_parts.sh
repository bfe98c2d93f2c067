#!/usr/bin/env bash
# A case that is killed between two repetitions continues with the next one. With a time limit, cases
# that would not end in time are left to the next run.
set -eu
. "$(dirname "$0")/demo.bash"
run=("$demo" --benchmark_filter=nap --copra_axis=ms=20 --benchmark_min_time=1x
	--benchmark_repetitions=2 --benchmark_out=b.json --copra_resume)

one_line_of() { # the program's complaint
	[ "$(grep -c '^demo: ' err.txt)" -eq 1 ] && grep '^demo: ' err.txt | grep -qE "$1" || { cat err.txt; return 1; }
}

long=("$demo" --benchmark_filter=nap/ms:800/case:1/ --copra_axis=ms=800 --benchmark_min_time=1x
	--benchmark_repetitions=6 --benchmark_out=b.json --copra_resume)
# rows go to the disk every two seconds, so that two are there after four naps
killed=0
COPRA_DEMO_KILL=5 "${long[@]}" >out.txt 2>err.txt || killed=$?
check "kill -9 in the middle of a case" test "$killed" -eq 137
stored=$(grep -c '"repetition"' b.journal.jsonl)
check "... leaves the repetitions before" test "$stored" -ge 2 -a "$stored" -lt 5
check "... and names the case" grep -q '^demo/nap/ms:800/case:1/manual_time$' b.running
check "a run that leaves it out" exits 0 "${long[@]}" --copra_longest=1
check "... skips it" grep -q "longer than the 1 s of --copra_longest" b.skipped.json
check "... and keeps its rows" test "$(grep -c '"complete"' b.journal.jsonl)" -eq 0
check "... and the next run continues" exits 0 "${long[@]}"
check "... at the next one" test "$(grep -c '"repetition"' b.journal.jsonl)" -eq 6
check "... all rows" test "$(rows b.json)" -eq 6
check "... in their order" python3 - <<'PY'
import json
assert [r["repetition_index"] for r in json.load(open("b.json"))["benchmarks"]
        if r["run_type"] == "iteration"] == list(range(6))
PY
check "... and no case is named" test ! -e b.running

rm -f b.*
check "a limit runs the cases that end in time" exits 3 env COPRA_DEMO_LONG=3 "${run[@]}" --copra_limit=300
check "... two cases" test "$(rows b.json)" -eq 4
check "... reports the number of remaining cases" one_line_of "out of time: 3 of 5 cases are left"
check "... for the next run" exits 0 "${run[@]}" --copra_limit=300
check "... to the end" test "$(rows b.json)" -eq 10
rm -f b.*
long=("$demo" --benchmark_filter='nap/ms:(20|800000)/case:1/' --copra_axis=ms=20,800000 --benchmark_min_time=1x
	--benchmark_repetitions=2 --benchmark_out=b.json --copra_longest=60)
check "an estimate knows what is too long" exits 0 "${long[@]}" --copra_estimate
check "... how many" grep -q "2 cases, 1 to run, .*, 1 too long" out.txt
check "the longest case that is run" exits 0 "${long[@]}"
check "... keeps the longer out" test "$(rows b.json)" -eq 2
check "... with the reason" grep -qE "would take about [0-9]+ m [0-9]+ s, longer than the 60 s of --copra_longest" b.skipped.json
check "a program tells how many GPUs it opened" grep -q '"copra_gpus": 0,' b.json
sed -i '/"complete"/d' b.journal.jsonl
check "a case that has its rows is not left out" exits 0 "${long[@]}" --copra_resume --copra_longest=0.01
check "... but ended" test "$(rows b.json)" -eq 2
check "in random order too" exits 0 "${long[@]}" --benchmark_enable_random_interleaving --benchmark_out=i.json
check "... the longer is left out" test "$(rows i.json)" -eq 2
few=("${demo%/*}/gboa" bench --device=sim --copra_scale=smoke --benchmark_filter='devices/.*gpus:2/' --benchmark_out=g.json)
check "where devices are missing" exits 0 "${few[@]}" --copra_longest=0.001
check "... that is the reason, not the time" grep -q "needs 2 GPUs, 1 given" g.skipped.json
for bad in --copra_limit=-1 --copra_longest=-1 --copra_part=1:2 --copra_part=1:2:3:4 --copra_part=a:b:c --copra_died=nothing; do
	check "refused: $bad" exits 2 "$demo" --benchmark_filter=nap --benchmark_out=c.json $bad
done
exit $failed
