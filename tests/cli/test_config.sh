#!/usr/bin/env bash
# make config: a tool that is listed as found also runs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/cli/checks.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export CC=cc CXX=c++ NVCC= CUDA=0 JANSSON=0 CMOCKA=0 FLAGS=

check "config.sh exits with 0" exits 0 "$top/scripts/config.sh"
printf 'print("usage")\n' >runs.py
printf 'import no_such_module_of_copra\n' >lacks.py
check "config.sh runs with a compare.py that works" exits 0 env COPRA_COMPARE_PY=runs.py "$top/scripts/config.sh"
check "a compare.py that works is listed" grep -qE '^  compare\.py +runs\.py$' out.txt
check "config.sh runs with a compare.py that lacks a module" exits 0 env COPRA_COMPARE_PY=lacks.py "$top/scripts/config.sh"
check "a compare.py that lacks a module is listed with the error" grep -qE '^  compare\.py +lacks\.py does not run: .*no_such_module_of_copra' out.txt
check "config.sh runs without compare.py" exits 0 env COPRA_COMPARE_PY=none.py "$top/scripts/config.sh"
check "a missing compare.py is listed as not found" grep -qE '^  compare\.py +not found$' out.txt
mkdir fake && printf '#!/bin/sh\nexit 1\n' >fake/python3 && chmod +x fake/python3
if /usr/bin/python3 -c '' 2>/dev/null; then
	check "config.sh runs if only the system's Python can run compare.py" exits 0 env PATH="$work/fake:$PATH" \
		COPRA_COMPARE_PY=runs.py "$top/scripts/config.sh"
	check "compare.py is listed with the system's Python" grep -qE '^  compare\.py +/usr/bin/python3 runs\.py' out.txt
fi
exit "$failed"
