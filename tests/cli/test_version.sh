#!/usr/bin/env bash
# Every program prints its version: one line, the version of CITATION.cff. A build of changed sources is
# marked. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
version=$(sed -n 's/^version: *//p' "$root/CITATION.cff")
check "CITATION.cff has a version" test -n "$version"

says_version() { # program
	[ "$(wc -l <out.txt)" -eq 1 ] && [ ! -s err.txt ] &&
		grep -qE "^$1 ${version//./\\.} \(revision ([0-9a-f]{7,}|unknown)" out.txt || { cat out.txt err.txt; return 1; }
}
for program in copra dp-knapsack helbecque-pool gmys-ivm koester-recovery gboa copra-instance copra-estimate copra-peaks \
	copra-report copra-history copra-compare copra-prove; do
	[ -x "$bin/$program" ] || continue # three of them need jansson
	check "$program --version exits with 0" exits 0 "$bin/$program" --version
	check "$program --version prints one line with name, version and revision" says_version "$program"
	check "$program --help lists --version" bash -c '"$1" --help | grep -q -- --version' bash "$bin/$program"
	check "$program --version on a full disk exits with 1" bash -c '"$1" --version >/dev/full 2>err.txt; test $? -eq 1' \
		bash "$bin/$program"
done

# the mark of changed sources
mkdir -p tree/harness tree/other && cd tree && git init -q . && cp "$root/CITATION.cff" . && echo 'int x;' >harness/a.c
git add . && git -c user.name=n -c user.email=n@example.org commit -qm x
is_dirty() {
	(unset COPRA_REVISION && bash "$root/scripts/build-info.sh" build_info.c cc '' '' '' '') &&
		grep -q '[.]dirty = true' build_info.c
}
clean() {
	! is_dirty
}
check "a clean tree is not marked" clean
echo 'int y;' >other/y.h
check "nor is a header in a folder that is not built" clean
echo 'int y;' >harness/y.h
check "an untracked header beside the sources is" is_dirty
rm harness/y.h && echo >>harness/a.c
check "a changed source is" is_dirty
exit $failed
