#!/usr/bin/env bash
# A wrong case, a case that kills its process and a target that cannot run do not stop the others; the
# exit code reports the failure.
# usage: test_drive_failures.sh BIN_DIR
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/drive.bash"
in_results() { # name of a case
	grep -q "\"name\": \"$1\"" "$folder/bench.json"
}
says() { # regular expression
	grep -qE -- "$1" err.txt out.txt || { cat err.txt out.txt; return 1; }
}
fast="--benchmark_min_time=1x --copra_axis=ms=1"

export COPRA_BENCH_FLAGS="--benchmark_filter=sum/formula|wrong|nap $fast"
check "a wrong answer gives exit code 1" exits 1 "${drive[@]}"
check "the target with the wrong answer is named" says 'copra-demo: failed'
check "the other cases have rows" in_results demo/nap/ms:1/case:5/manual_time
check "the wrong case has no row" bash -c "! grep -q demo/wrong '$folder/bench.json'"
check "the wrong case is listed as skipped" grep -q demo/wrong "$folder/bench.skipped.json"

for signal in 11 9; do
	rm -rf results
	export COPRA_BENCH_FLAGS="--benchmark_filter=sum/formula|end|nap $fast --copra_axis=signal=0,$signal"
	check "a case that ends its process with signal $signal gives exit code 1" exits 1 "${drive[@]}"
	check "the case is named with signal $signal" says "ended by signal $signal in demo/end/signal:$signal"
	check "the cases before it have rows" in_results demo/nap/ms:1/case:1/manual_time
	check "the cases after it have rows" in_results demo/end/signal:0
	check "no case was measured twice" never_twice
	check "the case is listed as failed" grep -q "demo/end/signal:$signal" "$folder/bench.skipped.json"
	check "no temporary files are left" test ! -e "$folder/bench.running"
done

mkdir bin
ln -s "$BIN"/* bin/
printf '#!/bin/sh\nkill -SEGV $$\n' >bin/broken
printf '#!/bin/sh\nexit 4\n' >bin/deviceless
chmod +x bin/broken bin/deviceless
rm -rf results
naps 1 1
check "a target that cannot be run gives exit code 1" exits 1 env BIN="$work/bin" TARGETS="broken copra-demo" \
	"${drive[@]}"
check "the target that cannot be run is named" says 'broken cannot be run'
check "the other target has all its rows" is_complete 5
check "a device that does not exist gives exit code 4" exits 4 env BIN="$work/bin" \
	TARGETS="deviceless copra-demo" "${drive[@]}"
check "a CUDA device that does not exist gives exit code 4" exits 4 env DEVICE=cuda:7 "${drive[@]}"
check "the error is one line" test "$(wc -l <err.txt)" -eq 1

for bad in SCALE=huge PAPER=nothing DEVICE=toaster BIN=nowhere; do
	check "$bad gives exit code 2" exits 2 env "$bad" "${drive[@]}"
	check "the refusal of $bad is one line" test "$(wc -l <err.txt)" -eq 1
done
check "--help exits with 0" exits 0 "$root/scripts/reproduce.sh" --help
check "--help lists the settings" says MINUTES
check "an unknown option is refused" exits 2 "$root/scripts/reproduce.sh" --faster
exit $failed
