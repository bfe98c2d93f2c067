#!/usr/bin/env bash
# Result files as other people's programs read them: github-action-benchmark, Bencher, Conbench and compare.py
# by their rules (consumers.py), Conbench's own adapter where it is installed (pip install benchadapt).
set -eu
. "$(dirname "$0")/demo.bash"
bin=$(dirname "$demo")
top=$(cd "$here/../.." && pwd)
rules() { python3 -B "$here/consumers.py" "$@"; }
bench() {
	"$demo" --benchmark_filter='nap|loop|wrong|device' --copra_axis=ms=1 --benchmark_min_time=2x \
		--benchmark_repetitions=3 "$@" >/dev/null 2>&1
}

bench --benchmark_out=all.json || [ $? -eq 1 ]
bench --benchmark_out=rows.json --copra_rows_only || [ $? -eq 1 ]
check "what bench writes" exits 0 rules all.json rows.json
check "what reproduce keeps" exits 0 rules --recorded rows.json
mapfile -t recorded < <(find "$top/results/recorded" -name bench.json -o -name comparators.json -o -name process.json | sort)
check "what is recorded in the repository" exits 0 rules --recorded "${recorded[@]}"
check "... all of it" test "$(sed -n 's/ files, 0 with breaches//p' out.txt)" -eq ${#recorded[@]}
if [ -x "$bin/copra-report" ]; then
	echo '{"results": [{"command": "x", "times": [0.5, 0.25]}]}' >times.json
	"$bin/copra-report" comparator --hyperfine times.json --benchmark t/process/list --label x --out process.json
	check "whole processes" exits 0 rules --recorded process.json
fi

# the rules themselves: each of these is found
broken() { # what, sed's command
	sed "$2" rows.json >broken.json
	check "found: $1" bash -c '! cmp -s broken.json rows.json'
	check "... it is a breach" exits 1 rules --recorded broken.json
}
broken "a number that is none" '0,/"real_time": [0-9.e-]*/s//"real_time": NaN/'
broken "a time of zero" '0,/"cpu_time": [0-9.e-]*/s//"cpu_time": 0/'
broken "a member that is there twice" '0,/"cpu_time"/s//"real_time": 1, "cpu_time"/'
broken "an unknown unit" '0,/"time_unit": "ms"/s//"time_unit": "h"/'
broken "caches that are no array" 's/"caches": \[/"caches": {}, "other": [/'
broken "a row that was skipped" '0,/"threads": 1/s//"threads": 1, "skipped": true/'
broken "no iterations" 's/"iterations": /"rounds": /'
broken "an aggregate" '0,/"run_type": "iteration"/s//"run_type": "aggregate"/'
broken "a member that Conbench takes" '0,/"threads": 1/s//"threads": 1, "items_per_second": 1/'
broken "a file that is cut" '$d'

python=${COPRA_CONBENCH_PYTHON:-python3}
if "$python" -c 'import benchadapt' 2>/dev/null; then
	export CONBENCH_PROJECT_REPOSITORY=https://example.org/copra CONBENCH_PROJECT_PR_NUMBER=1
	export CONBENCH_PROJECT_COMMIT=0000000000000000000000000000000000000000
	cat >adapt.py <<'PY'
import json, sys
from benchadapt.adapters import GoogleBenchmarkAdapter
for path in sys.argv[1:]:
    rows = [r for r in json.load(open(path))["benchmarks"] if r["run_type"] == "iteration"]
    results = GoogleBenchmarkAdapter(command=["true"], result_file=path).transform_results()
    assert len(results) == len({r["name"] for r in rows}), path
    assert sum(len(r.stats["data"]) for r in results) == len(rows), path
PY
	check "Conbench's own adapter reads them" exits 0 "$python" adapt.py all.json rows.json "${recorded[@]}"
else
	echo "     Conbench's adapter is not installed: its rules alone"
fi
exit $failed
