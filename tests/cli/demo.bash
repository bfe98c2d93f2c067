# Shared by the tests of the harness: sourced with the bin folder as $1.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
demo=$(cd "$1" && pwd)/copra-demo
[ -x "$demo" ] || { echo "FAIL $demo is not built"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset BENCHMARK_FILTER COPRA_DEVICE COPRA_SCALE COPRA_THREADS COPRA_RESULTS
export COPRA_DEVICE=cpu
. "$here/checks.bash"

# a background job of a script ignores SIGINT unless it is told otherwise
interruptible() {
	exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
rows() { # number of iteration rows of a result file whose name matches
	python3 - "$1" "${2:-}" <<'PY'
import json, re, sys
rows = json.load(open(sys.argv[1]))["benchmarks"]
print(sum(r["run_type"] == "iteration" and bool(re.search(sys.argv[2], r["name"])) for r in rows))
PY
}
