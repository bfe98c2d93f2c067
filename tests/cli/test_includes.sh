#!/usr/bin/env bash
# Includes follow the dependency rules of docs/ARCHITECTURE.md, and the check finds an include that
# breaks them.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }

check_in() { # folder
	(cd "$1" && python3 scripts/check-includes.py)
}
check "no include breaks the rules" exits 0 check_in "$root"

mkdir copy
(cd "$root" && cp -r algorithms datasets docs front harness kernels library scripts tests "$work/copy/")
check "a copy outside git is checked as well" exits 0 check_in copy
bad=copy/harness/base/error.c
sed -i '1i #include "harness/bench/bench.h"' $bad
check "an include of a later layer is found" exits 1 check_in copy
check "its file and line are named" grep -q 'harness/base/error.c:1: ' out.txt
cp "$root/harness/base/error.c" $bad
sed -i '1i #include "error.h"' $bad
check "an include that is not written from the root is found" exits 1 check_in copy
cp "$root/harness/base/error.c" $bad
header=$(cd copy && find algorithms -name '*.h' | sort | head -n 1)
source=$(cd copy && find kernels -name '*.cu' | sort | head -n 1)
sed -i "1i #include \"$header\"" "copy/$source"
check "an include of algorithms/ in a kernel is found" exits 1 check_in copy
check "its file and line are named" grep -qF "$source:1: " out.txt
exit $failed
