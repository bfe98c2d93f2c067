#!/usr/bin/env bash
# Writes a tarball of the sources of HEAD, with the file REVISION that scripts/build-info.sh reads where
# there is no git. The same commit always gives the same bytes.
# usage: dist.sh FOLDER VERSION
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
unset CDPATH
folder=${1:?usage: dist.sh FOLDER VERSION} version=${2:?usage: dist.sh FOLDER VERSION}
folder=$(mkdir -p "$folder" && cd "$folder" && pwd)
cd -- "$(dirname -- "$0")/.."
name=copra-$version
git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ ! -f REVISION ] || {
	echo "dist: this is not a git clone: a tarball is made from a commit" >&2
	exit 1
}
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
	echo "dist: uncommitted changes are not in the tarball" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git rev-parse HEAD >"$work/REVISION"
git archive --format=tar --prefix="$name/" --add-file="$work/REVISION" HEAD | gzip -9n >"$work/$name.tar.gz"
mv "$work/$name.tar.gz" "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
