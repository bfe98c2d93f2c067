#!/usr/bin/env bash
# Wrong answers, missing devices and simulated devices leave no row; the message and the exit code say
# why.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/demo.bash"
fast="--benchmark_min_time=1x"

check "a wrong answer makes bench exit with 1" exits 1 "$demo" $fast --benchmark_filter='wrong|nap' --benchmark_out=r.json
check "the table shows both values of a wrong answer" grep -q "demo/wrong .*ERROR OCCURRED: 'the answer is 41, should be 42'" out.txt
check "the wrong case has no row" test "$(rows r.json wrong)" -eq 0
check "the other cases have rows" test "$(rows r.json nap)" -eq 5
check "the wrong case is listed in *.skipped.json" grep -q '"error_message": "the answer is 41' r.skipped.json
check "the number of failed cases is printed" grep -q '1 of 6 cases failed' err.txt
check "a run without failures exits with 0" exits 0 "$demo" $fast --benchmark_filter=nap --benchmark_out=r.json
check "a run without failures empties the list" test "$(grep -c error_message r.skipped.json)" -eq 0

check "a case whose device is missing does not fail the run" exits 0 "$demo" $fast --benchmark_filter=device \
	--benchmark_out=r.json
check "the table shows why the case was skipped" grep -q "demo/device/gpus:1 .*SKIPPED: 'needs 1 GPU" out.txt
check "*.skipped.json has Google Benchmark's skip_message" grep -q '"skip_message": "needs 1 GPU' r.skipped.json
check "*.skipped.json has the reason with its numbers" exits 0 jq -e '.benchmarks[0] |
	.skip_reason == "needs_gpus" and .skip_needed == 1 and .skip_available == 0' r.skipped.json
check "the skipped case has no row" test "$(rows r.json)" -eq 0

check "cases run on a simulated device" exits 0 "$demo" $fast --device=sim --benchmark_filter=device \
	--benchmark_repetitions=3 --benchmark_out=r.json
check "a simulated case is checked but not timed" \
	grep -q "gpus:1 .*SKIPPED: 'simulated: answer correct, no time taken'" out.txt
check "a simulated case has no row" test "$(rows r.json)" -eq 0
check "a case that needs more simulated devices is skipped" grep -q "gpus:16 .*SKIPPED: 'needs 16 GPUs, 1 given'" out.txt

if [ "$("$demo" --device=cuda --copra_estimate >/dev/null 2>&1; echo $?)" -eq 4 ]; then
	check "a named device that is missing makes bench exit with 4" exits 4 "$demo" --device=cuda:0 --benchmark_filter=nap
	check "the error is one line that names CUDA" one_line CUDA
fi
exit $failed
