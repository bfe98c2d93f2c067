#!/usr/bin/env bash
# The flags of `bench` have Google Benchmark's names and meanings; bad ones are refused.
set -eu
. "$(dirname "$0")/demo.bash"

names() { "$demo" --benchmark_list_tests "$@"; }
fast="--benchmark_min_time=1x"

check "list has every case" test "$(names | wc -l)" -eq 14
check "bench is the default" test "$(names)" = "$("$demo" bench --benchmark_list_tests)"
check "filter" test "$(names --benchmark_filter='sum/(loop|x)/n:1000$')" = demo/sum/loop/n:1000
check "negative filter" test "$(names --benchmark_filter=-sum | grep -c sum)" -eq 0
check "filter from the environment" \
	test "$(BENCHMARK_FILTER=wrong names)" = demo/wrong
check "a flag beats the environment" \
	test "$(BENCHMARK_FILTER=wrong names --benchmark_filter=nap | wc -l)" -eq 5
check "axis" test "$(names --benchmark_filter=loop --copra_axis=n=1:3 | wc -l)" -eq 3
check "scale" test "$(names --copra_scale=smoke --benchmark_filter=sum)" \
	= "$(printf 'demo/sum/loop/n:100\ndemo/sum/formula/n:100')"
check "scale from the environment" \
	test "$(COPRA_SCALE=paper names --benchmark_filter=loop)" = demo/sum/loop/n:100000

check "iterations" exits 0 "$demo" --benchmark_filter=formula/n:1000 --benchmark_min_time=7x \
	--benchmark_format=csv
check "... exactly that many" grep -q '^"demo/sum/formula/n:1000",7,' out.txt
check "seconds with and without s" exits 0 "$demo" --benchmark_filter=formula/n:1000 \
	--benchmark_min_time=0.01s
check "repetitions" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3
check "... rows and aggregates" test "$(grep -c '^demo/sum' out.txt)" -eq 8
check "display aggregates only" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3 --benchmark_display_aggregates_only --benchmark_out=d.json
check "... on the screen" test "$(grep -c '^demo/sum' out.txt)" -eq 5
check "... not in the file" test "$(rows d.json)" -eq 3
check "report aggregates only" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3 --benchmark_report_aggregates_only --benchmark_out=d.json
check "... in the file too" test "$(rows d.json)" -eq 0
check "rows only" exits 0 "$demo" --benchmark_filter=formula/n:1000 $fast \
	--benchmark_repetitions=3 --copra_rows_only --benchmark_out=d.json
check "... in the file" test "$(grep -c '"run_type": "aggregate"' d.json)" -eq 0
check "dry run" exits 0 "$demo" --benchmark_filter=nap --benchmark_dry_run \
	--benchmark_repetitions=9 --benchmark_min_time=5 --benchmark_out=d.json
check "... once each" test "$(rows d.json)" -eq 5
check "... one iteration" test "$(grep -c '"iterations": 1,' d.json)" -eq 5
check "time unit" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_time_unit=s
check "... shown" grep -q '0\.0[0-9]* s ' out.txt
check "context" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_out=d.json \
	--benchmark_context=who=me,why=test
check "... written" grep -q '"why": "test"' d.json
check "json on stdout" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_format=json
check "... is JSON" python3 -m json.tool out.txt /dev/null
check "tabular counters" exits 0 "$demo" --benchmark_filter=loop $fast --benchmark_counters_tabular
check "... no name=value" test "$(grep -c 'work=' out.txt)" -eq 0
check "other formats" exits 0 "$demo" --benchmark_filter=nap $fast --benchmark_out=d.json \
	--copra_also=csv,markdown,bmf
check "... are written" test -s d.csv -a -s d.md -a -s d.bmf.json
"$demo" --benchmark_filter=nap/ms:1/case:1 $fast --benchmark_out=/dev/stdout >both.txt 2>err.txt
check "a file named /dev/stdout" grep -q '"context"' both.txt
check "... beside the table" grep -q '^Benchmark ' both.txt
check "... leaves no file beside it" test -z "$(ls /dev | grep -E 'stdout\.|\.tmp')"
check "random interleaving" exits 0 "$demo" --benchmark_filter=nap $fast \
	--benchmark_repetitions=4 --benchmark_enable_random_interleaving --benchmark_out=d.json
for i in 1 2 3 4 5; do
	check "... keeps the budget of case $i" test "$(rows d.json "case:$i/")" -eq 4
done

check "estimate runs nothing" exits 0 "$demo" --copra_estimate --benchmark_filter=nap \
	--copra_axis=ms=2000 --benchmark_out=e.json
check "... says how long" grep -q '5 cases, 5 to run, about 10 s' out.txt
check "... writes nothing" test ! -e e.json -a ! -e e.journal.jsonl

for bad in --unknown --benchmark_unknown=1 --benchmark_filter='(' --benchmark_repetitions=-1 \
	--benchmark_repetitions=x --benchmark_min_time=soon --benchmark_time_unit=h \
	--benchmark_format=xml --copra_scale=huge --copra_axis=nosuch=1 --copra_axis=n=1:2:0 \
	--device=gpu --gpus=99 --threads=-1 --benchmark_context=x --copra_also=pdf stray \
	--benchmark_filter=nothing-has-this-name --copra_resume --benchmark_list_tests=perhaps; do
	check "refused: $bad" exits 2 "$demo" bench "$bad"
	check "... in one line" one_line demo
done
check "refused: unknown sub-command" exits 2 "$demo" bunch
check "... in one line" one_line bunch
for help in --help "bench --help" "solve --help" "list --help" -h; do
	check "$help" exits 0 "$demo" $help
	check "... with a message" grep -q usage out.txt
done
exit $failed
