#!/usr/bin/env bash
# The examples in docs/examples run and give correct answers.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
for folder in "$root"/docs/examples/*/; do
	name=$(basename "$folder")
	[ ! -e "$folder/main.c" ] || check "$name is built" test -x "$bin/example-$name"
	check "$name is listed in the README" grep -q "($name/" "$root/docs/examples/README.md"
done
check "the minimal benchmark runs" exits 0 "$bin/example-minimal-benchmark" --benchmark_min_time=1x \
	--benchmark_out=bench.json
check "it has a row for each variant" exits 0 jq -e '[.benchmarks[] | .run_name] == ["minimal-benchmark/popcount/serial/words:100000",
	"minimal-benchmark/popcount/tuned/words:100000"]' bench.json
check "the minimal kernel runs on a simulated device" exits 0 "$bin/example-minimal-kernel" --device=sim --benchmark_out=kernel.json
check "its answers are correct at both sizes" test "$(grep -c 'simulated: answer correct' out.txt)" -eq 2
check "the minimal kernel exits with 0 without a device" exits 0 "$bin/example-minimal-kernel" --device=cpu
check "its cases are skipped because they need a GPU" grep -q "SKIPPED: 'needs 1 GPU" out.txt
exit $failed
