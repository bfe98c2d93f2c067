#!/usr/bin/env bash
# The source tarball builds without git, records its revision, and installs where it is told. $1: the
# folder of programs. It builds everything, so it runs only with COPRA_TEST_EXTENDED.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
[ -n "${COPRA_TEST_EXTENDED:-}" ] || { echo "a whole build: set COPRA_TEST_EXTENDED"; exit 77; }
in_new_folder "$1"
git -C "$root" rev-parse HEAD >/dev/null 2>&1 || { echo "not a git clone"; exit 77; }
version=$(sed -n 's/^version: *//p' "$root/CITATION.cff")
revision=$(git -C "$root" rev-parse HEAD)
name=copra-$(git -C "$root" show HEAD:CITATION.cff | sed -n 's/^version: *//p')
unset MAKEFLAGS MAKELEVEL MFLAGS

check "make dist succeeds" exits 0 make -s -C "$root" dist BUILD="$work/first"
check "the same commit gives the same bytes" exits 0 make -s -C "$root" dist BUILD="$work/second"
check "... indeed" cmp "first/$name.tar.gz" "second/$name.tar.gz"
# in a clone of something else, whose revision must not be recorded, and with a git that fails
git init -q clone
git -C clone -c user.name=n -c user.email=e commit -q --allow-empty -m other
tar -xzf "first/$name.tar.gz" -C clone
mkdir bin_without
printf '#!/bin/sh\nexit 127\n' >bin_without/git
chmod +x bin_without/git
tree=$work/clone/$name
check "the tarball has the revision" grep -qx "$revision" "$tree/REVISION"
check "everything is in one folder" test "$(tar -tzf "first/$name.tar.gz" | cut -d/ -f1 | sort -u)" = "$name"
build() { # with or without a git that works; make arguments...
	local path=$1
	shift
	PATH=$path make -s -C "$tree" -j"$(nproc)" CUDA=0 SETUP=0 "$@"
}
check "it builds and installs without git" exits 0 build "$work/bin_without:$PATH" install DESTDIR="$work/stage" \
	PREFIX=/opt/copra BINDIR=/usr/bin LIBDIR=/usr/lib64 DATADIR=/opt/data
check "the version names the revision" bash -c '"$1" --version | grep -q "copra-report $2 (revision ${3:0:12};"' \
	bash stage/usr/bin/copra-report "$version" "$revision"
check "with git inside another clone too" exits 0 build "$PATH" all
check "... the revision is the tarball's" bash -c '"$1" --version | grep -q "(revision ${2:0:12};"' \
	bash "$tree/build/bin/copra-report" "$revision"
check "make dist in the tarball is refused in one line" bash -c '! make -s -C "$1" dist >/dev/null 2>err.txt && grep -q "not a git clone" err.txt' \
	bash "$tree"
rm -rf "$tree" # no sources in sight
check "programs find data in another DATADIR" exits 0 stage/usr/bin/copra-report data --target gboa --out report
check "... which plots name" grep -q "$work/stage/opt/data/copra/plots" report/gboa/plots/*.gp
check "the library in another LIBDIR is linked" bash -c 'cd stage && PKG_CONFIG_PATH=usr/lib64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD \
	gcc opt/data/doc/copra/examples/knapsack.c -o knapsack $(PKG_CONFIG_PATH=usr/lib64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD pkg-config --cflags --libs copra) &&
	[ "$(LD_LIBRARY_PATH=usr/lib64 ./knapsack)" = "optimal: profit 220, items 1 2" ]'
exit $failed
