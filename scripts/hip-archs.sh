#!/usr/bin/env bash
# Prints the AMD targets that hipcc and its device libraries compile here, of those that copra supports.
# usage: hip-archs.sh HIPCC
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
echo '__attribute__((global)) void empty() {}' >"$folder/empty.hip"
found=
for arch in gfx90a gfx942 gfx1030 gfx1100; do
	"$1" --offload-arch=$arch --cuda-device-only -x hip -c -o "$folder/empty.o" "$folder/empty.hip" 2>/dev/null &&
		found+=" $arch"
done
echo "${found# }"
