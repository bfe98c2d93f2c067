#!/usr/bin/env bash
# Other programs can read the result files: github-action-benchmark, Bencher, Conbench and compare.py by
# their rules (consumers.py), and Conbench's own adapter if it is installed (pip install benchadapt).
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
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
check "files that bench writes follow the rules" exits 0 rules all.json rows.json
check "files that reproduce keeps follow the rules" exits 0 rules --recorded rows.json
mapfile -t recorded < <(find "$top/results/recorded" -name bench.json -o -name comparators.json -o -name process.json | sort)
check "results recorded in the repository follow the rules" exits 0 rules --recorded "${recorded[@]}"
check "... all of them" test "$(sed -n 's/ files, 0 with breaches//p' out.txt)" -eq ${#recorded[@]}
if [ -x "$bin/copra-report" ]; then
	echo '{"results": [{"command": "x", "times": [0.5, 0.25]}]}' >times.json
	"$bin/copra-report" comparator --hyperfine times.json --benchmark t/process/list --label x --out process.json
	check "measurements of whole processes follow the rules" exits 0 rules --recorded process.json
fi

# each of these violations is detected
broken() { # what, sed command
	sed "$2" rows.json >broken.json
	check "a broken file is made: $1" bash -c '! cmp -s broken.json rows.json'
	check "... and detected" exits 1 rules --recorded broken.json
}
broken "a value that is not a number" '0,/"real_time": [0-9.e-]*/s//"real_time": NaN/'
broken "a time of zero" '0,/"cpu_time": [0-9.e-]*/s//"cpu_time": 0/'
broken "a repeated member" '0,/"cpu_time"/s//"real_time": 1, "cpu_time"/'
broken "an unknown unit" '0,/"time_unit": "ms"/s//"time_unit": "h"/'
broken "caches that are not an array" 's/"caches": \[/"caches": {}, "other": [/'
broken "a skipped row" '0,/"threads": 1/s//"threads": 1, "skipped": true/'
broken "missing iterations" 's/"iterations": /"rounds": /'
broken "an aggregate" '0,/"run_type": "iteration"/s//"run_type": "aggregate"/'
broken "a member that Conbench would use" '0,/"threads": 1/s//"threads": 1, "items_per_second": 1/'
broken "a truncated file" '$d'

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
	echo "     Conbench's adapter is not installed: only its rules are checked"
fi
exit $failed
