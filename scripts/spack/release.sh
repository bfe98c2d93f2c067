#!/usr/bin/env bash
# Writes a Spack repository for one release: the recipe with the URL and the checksum of its tarball. The
# recipe of the sources has neither, because the tarball holds it.
# usage: release.sh TARBALL URL FOLDER       (FOLDER must not exist; then: spack repo add FOLDER/spack_repo/copra)
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
unset CDPATH
fail() {
	echo "release: $1" >&2
	exit 2
}
[ $# -eq 3 ] || { sed -n '4s/^# //p' "$0" >&2 && exit 2; }
tarball=$1 url=$2 folder=$3
from=$(cd -- "$(dirname -- "$0")" && pwd)/spack_repo
recipe=copra/packages/copra/package.py
[ -f "$tarball" ] || fail "there is no file $tarball; make dist writes one"
[ ! -e "$folder" ] || fail "$folder exists"
version=$(sed -n 's/^    version("\([0-9.]*\)").*/\1/p' "$from/$recipe")
case $url in
http://*/copra-"$version".tar.gz | https://*/copra-"$version".tar.gz | file:///*/copra-"$version".tar.gz) ;;
*) fail "'$url' is not a URL that ends in /copra-$version.tar.gz" ;;
esac
case $url in *[\"\\\&\|]*) fail "'$url' has a character that the recipe cannot hold" ;; esac
sum=$(sha256sum <"$tarball")
mkdir -p "$folder"
cp -R "$from" "$folder/"
# without what refers to the sources around the recipe
sed -e '/^from pathlib /,/^$/d' -e '/^# copra.s own folder/,/^$/d' -e '/^    git = /d' -e '/^    version("main"/d' \
	-e '/^    # without a checksum/d' -e "s|^    url = .*|    url = \"$url\"|" \
	-e "s|^    version(\"$version\")|    version(\"$version\", sha256=\"${sum%% *}\")|" "$from/$recipe" >"$folder/spack_repo/$recipe"
echo "$folder/spack_repo/copra"
