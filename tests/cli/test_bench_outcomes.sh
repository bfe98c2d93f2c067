#!/usr/bin/env bash
# Wrong answers, missing devices and simulated devices leave no row; the message and the exit code say
# why.
set -eu
. "$(dirname "$0")/demo.bash"
fast="--benchmark_min_time=1x"

check "a wrong answer" exits 1 "$demo" $fast --benchmark_filter='wrong|nap' --benchmark_out=r.json
check "... is shown" grep -q "demo/wrong .*ERROR OCCURRED: 'the answer is 41, should be 42'" out.txt
check "... has no row" test "$(rows r.json wrong)" -eq 0
check "... the others have" test "$(rows r.json nap)" -eq 5
check "... is listed in *.skipped.json" grep -q '"error_message": "the answer is 41' r.skipped.json
check "... is counted" grep -q '1 of 6 cases failed' err.txt
check "a run without failures" exits 0 "$demo" $fast --benchmark_filter=nap --benchmark_out=r.json
check "... clears the list" test "$(grep -c error_message r.skipped.json)" -eq 0

check "a device that does not exist is skipped" exits 0 "$demo" $fast --benchmark_filter=device \
	--benchmark_out=r.json
check "... with the reason" grep -q "demo/device/gpus:1 .*SKIPPED: 'needs 1 GPU" out.txt
check "... in Google Benchmark's fields" grep -q '"skip_message": "needs 1 GPU' r.skipped.json
check "... as a reason with its numbers" exits 0 jq -e '.benchmarks[0] |
	.skip_reason == "needs_gpus" and .skip_needed == 1 and .skip_available == 0' r.skipped.json
check "... without a row" test "$(rows r.json)" -eq 0

check "a simulated device" exits 0 "$demo" $fast --device=sim --benchmark_filter=device \
	--benchmark_repetitions=3 --benchmark_out=r.json
check "... is checked, not timed" \
	grep -q "gpus:1 .*SKIPPED: 'simulated: answer correct, no time taken'" out.txt
check "... has no row" test "$(rows r.json)" -eq 0
check "... needs enough of them" grep -q "gpus:16 .*SKIPPED: 'needs 16 GPUs, 1 given'" out.txt

if [ "$("$demo" --device=cuda --copra_estimate >/dev/null 2>&1; echo $?)" -eq 4 ]; then
	check "a device asked for by name" exits 4 "$demo" --device=cuda:0 --benchmark_filter=nap
	check "... in one line" one_line CUDA
fi
exit $failed
