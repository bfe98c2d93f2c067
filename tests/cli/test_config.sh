#!/usr/bin/env bash
# make config: a tool that is listed as found also runs.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/cli/checks.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export CC=cc CXX=c++ NVCC= CUDA=0 JANSSON=0 CMOCKA=0 HWLOC=0 FLAGS=

check "it lists what was found" exits 0 "$top/scripts/config.sh"
printf 'print("usage")\n' >runs.py
printf 'import no_such_module_of_copra\n' >lacks.py
check "a compare.py that runs" exits 0 env COPRA_COMPARE_PY=runs.py "$top/scripts/config.sh"
check "... is found" grep -qE '^  compare\.py +runs\.py$' out.txt
check "a compare.py that lacks a module" exits 0 env COPRA_COMPARE_PY=lacks.py "$top/scripts/config.sh"
check "... is reported as not running, with the module" grep -qE '^  compare\.py +lacks\.py does not run: .*no_such_module_of_copra' out.txt
check "no compare.py" exits 0 env COPRA_COMPARE_PY=none.py "$top/scripts/config.sh"
check "... is not found" grep -qE '^  compare\.py +not found$' out.txt
mkdir fake && printf '#!/bin/sh\nexit 1\n' >fake/python3 && chmod +x fake/python3
if /usr/bin/python3 -c '' 2>/dev/null; then
	check "a compare.py that only the system's Python runs" exits 0 env PATH="$work/fake:$PATH" \
		COPRA_COMPARE_PY=runs.py "$top/scripts/config.sh"
	check "... is listed with that Python" grep -qE '^  compare\.py +/usr/bin/python3 runs\.py' out.txt
fi
exit "$failed"
