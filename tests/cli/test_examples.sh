#!/usr/bin/env bash
# The examples in docs/examples run and give correct answers.
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
for folder in "$root"/docs/examples/*/; do
	name=$(basename "$folder")
	[ ! -e "$folder/main.c" ] || check "$name is built" test -x "$bin/example-$name"
	check "$name is in the list" grep -q "($name/" "$root/docs/examples/README.md"
done
check "the benchmark runs" exits 0 "$bin/example-minimal-benchmark" --benchmark_min_time=1x \
	--benchmark_out=bench.json
check "... with a row for each variant" exits 0 jq -e '[.benchmarks[] | .run_name] == ["minimal-benchmark/popcount/serial/words:100000",
	"minimal-benchmark/popcount/tuned/words:100000"]' bench.json
check "the kernel gives correct answers" exits 0 "$bin/example-minimal-kernel" --device=sim --benchmark_out=kernel.json
check "... at both sizes" test "$(grep -c 'simulated: answer correct' out.txt)" -eq 2
check "... and is skipped without a device" exits 0 "$bin/example-minimal-kernel" --device=cpu
check "... with the reason" grep -q "SKIPPED: 'needs 1 GPU" out.txt
exit $failed
