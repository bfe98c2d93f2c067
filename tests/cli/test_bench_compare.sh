#!/usr/bin/env bash
# Google Benchmark's compare.py reads the results. Needs Debian's libbenchmark-tools (compare.py),
# python3-numpy and python3-scipy.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/demo.bash"

tool=${COPRA_COMPARE_PY:-/usr/share/benchmark/compare.py}
[ -f "$tool" ] || { echo "no $tool: apt-get install libbenchmark-tools"; exit 77; }
python=
for p in /usr/bin/python3 python3; do
	"$p" -c 'import numpy, scipy.stats' 2>/dev/null && { python=$p; break; }
done
[ -n "$python" ] || { echo "no numpy and scipy: apt-get install python3-scipy"; exit 77; }

# -B: Python must not write into the folder of compare.py
compare() { "$python" -B "$tool" --no-color "$@"; }
bench() { # file, ms
	"$demo" --benchmark_filter='nap|loop|wrong|device' --copra_axis="ms=1" --benchmark_out="$1" \
		--benchmark_min_time=2x --benchmark_repetitions=9 "${@:2}"
}
check "a wrong answer makes bench exit with 1" exits 1 bench a.json
check "a second run exits with 1 too" exits 1 bench b.json --copra_rows_only

check "compare.py benchmarks accepts both files" exits 0 compare benchmarks a.json b.json
check "compare.py shows nine repetitions of a case" test "$(grep -c '^demo/nap/ms:1/case:1/manual_time ' out.txt)" -eq 9
check "compare.py applies the U test to nine repetitions" \
	grep -q '^demo/nap/ms:1/case:1/manual_time_pvalue .*U Test, Repetitions: 9 vs 9' out.txt
check "compare.py does not warn about too few repetitions" test "$(grep -c WARNING out.txt)" -eq 0
check "compare.py prints the overall geometric mean" grep -q '^OVERALL_GEOMEAN' out.txt
check "the geometric mean is a finite number" test "$(grep OVERALL_GEOMEAN out.txt | grep -ciE 'nan|inf')" -eq 0
check "wrong and skipped cases are not compared" test "$(grep -cE 'wrong|device' out.txt)" -eq 0
check "compare.py filters accepts the file" exits 0 compare filters a.json 'case:1/' 'case:2/'
check "compare.py filters finds both cases" grep -q 'nap' out.txt
check "compare.py runs the program itself" exits 0 compare benchmarks "$demo" a.json \
	--benchmark_filter=case:1/ --benchmark_min_time=1x
check "compare.py reads the file that the program wrote" grep -q 'case:1/manual_time ' out.txt
exit $failed
