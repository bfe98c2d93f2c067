# Shared by the tests of the harness: sourced with the bin folder as $1.
demo=$(cd "$1" && pwd)/copra-demo
[ -x "$demo" ] || { echo "FAIL $demo is not built"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset BENCHMARK_FILTER COPRA_DEVICE COPRA_SCALE COPRA_THREADS COPRA_RESULTS
export COPRA_DEVICE=cpu
failed=0

check() { # description, command...: ok when it succeeds
	local what=$1
	shift
	if "$@"; then
		echo "ok   $what"
	else
		echo "FAIL $what: $*"
		failed=1
	fi
}
exits() { # code, command...: leaves its output in out.txt and err.txt
	local want=$1 got=0
	shift
	"$@" >out.txt 2>err.txt || got=$?
	[ "$got" -eq "$want" ] || { echo "exit code $got, expected $want"; cat err.txt; return 1; }
}
one_line() { # err.txt is one line that has the words
	[ "$(wc -l <err.txt)" -eq 1 ] && grep -q -- "$1" err.txt || { cat err.txt; return 1; }
}
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
