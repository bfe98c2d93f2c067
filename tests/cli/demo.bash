# Shared by the tests of the harness; $1 is the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
demo=$(cd "$1" && pwd)/copra-demo
[ -x "$demo" ] || { echo "FAIL $demo is not built"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset BENCHMARK_FILTER COPRA_DEVICE COPRA_SCALE COPRA_THREADS COPRA_RESULTS
export COPRA_DEVICE=cpu
. "$here/checks.bash"

# runs a command that does not ignore SIGINT, as background jobs of a script do
interruptible() {
	exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
rows() { # result file, regular expression: number of iteration rows whose name matches
	python3 - "$1" "${2:-}" <<'PY'
import json, re, sys
rows = json.load(open(sys.argv[1]))["benchmarks"]
print(sum(r["run_type"] == "iteration" and bool(re.search(sys.argv[2], r["name"])) for r in rows))
PY
}
