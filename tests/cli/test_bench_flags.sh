#!/usr/bin/env bash
# The flags of `bench` have Google Benchmark's names and meanings; bad ones are refused.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/demo.bash"

names() { "$demo" --benchmark_list_tests "$@"; }
fast="--benchmark_min_time=1x"

check "--benchmark_list_tests lists every case" test "$(names | wc -l)" -eq 14
check "bench is the default sub-command" test "$(names)" = "$("$demo" bench --benchmark_list_tests)"
check "--benchmark_filter selects cases" test "$(names --benchmark_filter='sum/(loop|x)/n:1000$')" = demo/sum/loop/n:1000
check "a filter that begins with - excludes cases" test "$(names --benchmark_filter=-sum | grep -c sum)" -eq 0
check "BENCHMARK_FILTER selects cases" \
	test "$(BENCHMARK_FILTER=wrong names)" = demo/wrong
check "a flag overrides the environment" \
	test "$(BENCHMARK_FILTER=wrong names --benchmark_filter=nap | wc -l)" -eq 5
check "--copra_axis replaces the values of an axis" test "$(names --benchmark_filter=loop --copra_axis=n=1:3 | wc -l)" -eq 3
check "--copra_scale selects the values of a scale" test "$(names --copra_scale=smoke --benchmark_filter=sum)" \
	= "$(printf 'demo/sum/loop/n:100\ndemo/sum/formula/n:100')"
check "COPRA_SCALE selects the scale" \
	test "$(COPRA_SCALE=paper names --benchmark_filter=loop)" = demo/sum/loop/n:100000

check "--benchmark_min_time=7x is accepted" exits 0 "$demo" --benchmark_filter=formula/n:1000 --benchmark_min_time=7x \
	--benchmark_format=csv
check "7x runs exactly 7 iterations" grep -q '^"demo/sum/formula/n:1000",7,' out.txt
check "--benchmark_min_time=0.01s is accepted" exits 0 "$demo" --benchmark_filter=formula/n:1000 \
	--benchmark_min_time=0.01s
check "--benchmark_repetitions is accepted" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3
check "three repetitions give three rows and five aggregates" test "$(grep -c '^demo/sum' out.txt)" -eq 8
check "--benchmark_display_aggregates_only is accepted" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3 --benchmark_display_aggregates_only --benchmark_out=d.json
check "only the five aggregates are displayed" test "$(grep -c '^demo/sum' out.txt)" -eq 5
check "the file still has three rows" test "$(rows d.json)" -eq 3
check "--benchmark_report_aggregates_only is accepted" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3 --benchmark_report_aggregates_only --benchmark_out=d.json
check "the file has only aggregates" test "$(rows d.json)" -eq 0
check "--copra_rows_only is accepted" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3 --copra_rows_only --benchmark_out=d.json
check "the file has no aggregates" test "$(grep -c '"run_type": "aggregate"' d.json)" -eq 0
check "--benchmark_dry_run is accepted" exits 0 "$demo" --benchmark_filter=nap --benchmark_dry_run \
	--benchmark_repetitions=9 --benchmark_min_time=5 --benchmark_out=d.json
check "a dry run measures each case once" test "$(rows d.json)" -eq 5
check "a dry run has one iteration per case" test "$(grep -c '"iterations": 1,' d.json)" -eq 5
check "--benchmark_time_unit is accepted" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_time_unit=s
check "times are displayed in seconds" grep -q '0\.0[0-9]* s ' out.txt
check "--benchmark_context is accepted" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_out=d.json \
	--benchmark_context=who=me,why=test
check "the context is written to the file" grep -q '"why": "test"' d.json
check "--benchmark_format=json is accepted" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_format=json
check "standard output is valid JSON" python3 -m json.tool out.txt /dev/null
check "--benchmark_counters_tabular is accepted" exits 0 "$demo" --benchmark_filter=loop $fast --benchmark_counters_tabular
check "tabular counters are not shown as name=value" test "$(grep -c 'work=' out.txt)" -eq 0
check "rows have the peak of host memory" grep -q '"host_memory_peak": [1-9]' d.json
check "... and of device memory" grep -q '"device_memory_peak": 0' d.json
check "--perf is accepted, whether there are counters or not" exits 0 "$demo" --benchmark_filter=nap/ms:1 $fast \
	--benchmark_out=p.json --perf cycles,page-faults
for counter in cycles page-faults; do
	check "$counter: rows have it, or one line says why not" test \
		"$(grep -c -- "--perf: .*$counter.*; the run goes on without" err.txt)" -ne \
		"$(grep -q "\"perf_${counter/-/_}\": " p.json && echo 1 || echo 0)"
done
check "an unknown event is refused" exits 2 "$demo" --perf cycles,hits
check "... with the names of all" one_line "perf: 'hits' is not one of cycles, instructions, .*llc-misses"
check "--copra_also is accepted" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_out=d.json \
	--copra_also=csv,markdown,bmf
check "--copra_also writes CSV, Markdown and BMF" test -s d.csv -a -s d.md -a -s d.bmf.json
"$demo" --benchmark_filter=nap/ms:1/case:1 $fast --benchmark_out=/dev/stdout >both.txt 2>err.txt
check "--benchmark_out=/dev/stdout writes JSON to standard output" grep -q '"context"' both.txt
check "the table is written to standard output as well" grep -q '^Benchmark ' both.txt
check "no temporary file is left in /dev" test -z "$(ls /dev | grep -E 'stdout\.|\.tmp')"
check "--benchmark_enable_random_interleaving is accepted" exits 0 "$demo" --benchmark_filter=nap $fast \
	--benchmark_repetitions=4 --benchmark_enable_random_interleaving --benchmark_out=d.json
for i in 1 2 3 4 5; do
	check "interleaving runs all repetitions of case $i" test "$(rows d.json "case:$i/")" -eq 4
done

check "--copra_estimate is accepted" exits 0 "$demo" --copra_estimate --benchmark_filter=nap \
	--copra_axis=ms=2000 --benchmark_out=e.json
check "the estimate shows the number of cases and the time" grep -q '5 cases, 5 to run, about 10 s' out.txt
check "the estimate writes no files" test ! -e e.json -a ! -e e.journal.jsonl

for bad in --unknown --benchmark_unknown=1 --benchmark_filter='(' --benchmark_repetitions=-1 \
	--benchmark_repetitions=x --benchmark_min_time=soon --benchmark_time_unit=h \
	--benchmark_format=xml --copra_scale=huge --copra_axis=nosuch=1 --copra_axis=n=1:2:0 \
	--device=gpu --gpus=99 --threads=-1 --benchmark_context=x --copra_also=pdf stray \
	--benchmark_filter=nothing-has-this-name --copra_resume --benchmark_list_tests=perhaps; do
	check "bench $bad is refused" exits 2 "$demo" bench "$bad"
	check "the refusal of $bad is one line" one_line demo
done
check "an unknown sub-command is refused" exits 2 "$demo" bunch
check "the refusal is one line that names the sub-command" one_line bunch
for help in --help "bench --help" "solve --help" "list --help" -h; do
	check "$help exits with 0" exits 0 "$demo" $help
	check "$help prints the usage" grep -q usage out.txt
done
exit $failed
