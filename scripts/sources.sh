#!/usr/bin/env bash
# Lists the C and CUDA sources of copra, one per line: those that git tracks or does not ignore, or
# all of them outside a git clone.
# usage: sources.sh
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
patterns=('*.c' '*.h' '*.cu' '*.cuh')
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	git ls-files --cached --others --exclude-standard -- "${patterns[@]}"
else
	find algorithms checker datasets docs front harness kernels library scripts tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'
fi | sort | while IFS= read -r file; do
	[ ! -f "$file" ] || printf '%s\n' "$file"
done
