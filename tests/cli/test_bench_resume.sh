#!/usr/bin/env bash
# A run that is killed or interrupted loses no measurement and continues.
set -eu
. "$(dirname "$0")/demo.bash"
run=("$demo" --benchmark_filter=nap --copra_axis=ms=20 --benchmark_min_time=1x
	--benchmark_repetitions=2 --benchmark_out=b.json --copra_resume)

complete() { # cases that the journal has
	{ grep -c '"complete"' b.journal.jsonl 2>/dev/null || true; } | tail -n 1
}
wait_for() { # cases in the journal, or the end of process $2
	for _ in $(seq 600); do
		[ "$(complete || echo 0)" -ge "$1" ] 2>/dev/null && return 0
		kill -0 "$2" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}

COPRA_DEMO_LONG=3 "${run[@]}" >out.txt 2>err.txt &
pid=$!
wait_for 2 $pid
kill -9 $pid
wait $pid 2>/dev/null || true
before=$(complete)
check "the journal has what was finished before kill -9" test "$before" -eq 2
printf '{"identity": "torn' >>b.journal.jsonl
cp b.journal.jsonl killed.jsonl

check "it continues" exits 0 "${run[@]}"
check "... all rows" test "$(rows b.json)" -eq 10
check "... running only the rest" test "$(complete)" -eq 5
check "... past a torn line" test "$(grep -c torn b.journal.jsonl)" -eq 0
first=$(grep -m1 -o '"real_seconds": [0-9.e-]*' killed.jsonl | cut -d' ' -f2)
check "... with the times that were measured" python3 - "$first" <<'PY'
import json, sys
row = json.load(open("b.json"))["benchmarks"][0]
assert abs(row["real_time"] - float(sys.argv[1]) * 1e3) < 1e-9, (row["real_time"], sys.argv[1])
PY
cp b.journal.jsonl complete.jsonl
check "a complete run is not run again" exits 0 "${run[@]}"
check "... all rows" test "$(rows b.json)" -eq 10
check "... nothing new in the journal" cmp complete.jsonl b.journal.jsonl
check "an estimate knows it" exits 0 "${run[@]}" --copra_estimate
check "... and says so" grep -q '5 cases, 0 to run, .*5 already measured' out.txt

check "other parameters are another measurement" exits 0 "${run[@]}" --copra_estimate \
	--benchmark_repetitions=3
check "... to be run" grep -q '5 to run' out.txt
check "without --copra_resume it starts afresh" exits 0 "$demo" --benchmark_filter=nap \
	--benchmark_min_time=1x --benchmark_out=b.json
check "... journal too" test "$(complete)" -eq 5 -a "$(grep -c ms:20/ b.journal.jsonl)" -eq 0

for signal in INT TERM; do
	rm -f b.*
	COPRA_DEMO_LONG=2 interruptible "${run[@]}" >out.txt 2>err.txt &
	pid=$!
	wait_for 1 $pid
	kill -$signal $pid
	got=0
	wait $pid || got=$?
	check "SIG$signal: exit code 3" test $got -eq 3
	check "... one line" grep -q interrupted err.txt
	check "... what was finished is in the file" test "$(rows b.json)" -eq 2
	check "... it continues" exits 0 "${run[@]}"
	check "... to the end" test "$(rows b.json)" -eq 10
done
exit $failed
