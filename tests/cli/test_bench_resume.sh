#!/usr/bin/env bash
# A run that is killed or interrupted loses no measurement and continues.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
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
check "the journal has the cases that were complete before kill -9" test "$before" -eq 2
printf '{"identity": "torn' >>b.journal.jsonl
cp b.journal.jsonl killed.jsonl

check "the next run continues" exits 0 "${run[@]}"
check "the results have all rows" test "$(rows b.json)" -eq 10
check "only the missing cases were run" test "$(complete)" -eq 5
check "an incomplete line of the journal is ignored" test "$(grep -c torn b.journal.jsonl)" -eq 0
first=$(grep -m1 -o '"real_seconds": [0-9.e-]*' killed.jsonl | cut -d' ' -f2)
check "the times from before the kill are kept" python3 - "$first" <<'PY'
import json, sys
row = json.load(open("b.json"))["benchmarks"][0]
assert abs(row["real_time"] - float(sys.argv[1]) * 1e3) < 1e-9, (row["real_time"], sys.argv[1])
PY
check "rows from before the kill keep their date" python3 - <<'PY'
import json
killed = [json.loads(l) for l in open("killed.jsonl") if "real_seconds" in l and "torn" not in l]
row = json.load(open("b.json"))["benchmarks"][0]
assert row["copra_date"] == killed[0]["date"] != "", (row, killed[0])
assert row["copra_host"] == killed[0]["host"] and row["copra_revision"] == killed[0]["revision"]
PY
cp b.journal.jsonl complete.jsonl
check "a run with a complete journal succeeds" exits 0 "${run[@]}"
check "the results have all rows again" test "$(rows b.json)" -eq 10
check "the journal is unchanged" cmp complete.jsonl b.journal.jsonl
check "an estimate with a complete journal succeeds" exits 0 "${run[@]}" --copra_estimate
check "the estimate says that all cases are already measured" grep -q '5 cases, 0 to run, .*5 already measured' out.txt

check "... without a warning" bash -c '! grep -q "measured again" err.txt'
check "a run with other parameters succeeds" exits 0 "${run[@]}" --benchmark_repetitions=1 --benchmark_min_time=2x
check "it says in one line that it continues nothing" test "$(grep -c 'b.journal.jsonl: none of its [0-9]* lines is of this build and these settings: all cases are measured again' err.txt)" -eq 1
cp complete.jsonl b.journal.jsonl
check "an estimate with other parameters succeeds" exits 0 "${run[@]}" --copra_estimate \
	--benchmark_repetitions=3
check "other parameters make all cases run again" grep -q '5 to run' out.txt
check "a run without --copra_resume starts from the beginning" exits 0 "$demo" --benchmark_filter=nap \
	--benchmark_min_time=1x --benchmark_out=b.json
check "the journal is started from the beginning as well" test "$(complete)" -eq 5 -a "$(grep -c ms:20/ b.journal.jsonl)" -eq 0

for signal in INT TERM; do
	rm -f b.*
	COPRA_DEMO_LONG=2 interruptible "${run[@]}" >out.txt 2>err.txt &
	pid=$!
	wait_for 1 $pid
	kill -$signal $pid
	got=0
	wait $pid || got=$?
	check "SIG$signal ends the run with exit code 3" test $got -eq 3
	check "SIG$signal is reported as an interruption" grep -q interrupted err.txt
	check "the file has the complete cases after SIG$signal" test "$(rows b.json)" -eq 2
	check "the run continues after SIG$signal" exits 0 "${run[@]}"
	check "the results have all rows after SIG$signal" test "$(rows b.json)" -eq 10
done
exit $failed
