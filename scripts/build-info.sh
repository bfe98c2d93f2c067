#!/bin/bash
# Writes a C source with the revision, compilers and flags of the build (harness/base/build.h).
# usage: build-info.sh FILE CC FLAGS NVCC NVCCFLAGS SANITIZER
# Environment: COPRA_REVISION, for sources outside git; COPRA_DATA_FOLDER, the data folder of an installed
# copra, relative to its programs (../share/copra).
# FILE keeps its time stamp if nothing changed, so nothing is rebuilt.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
file=$1 cc=$2 flags=$3 nvcc=$4 nvccflags=$5 sanitizer=$6

quoted() { # as a C string
	printf '"%s"' "$(printf '%s' "$1" | tr -s ' \n\t' ' ' | sed 's/[\\"]/\\&/g')"
}

# CITATION.cff is the only place that holds the version
version=$(sed -n 's/^version: *//p' CITATION.cff 2>/dev/null || true)
dirty=false
if [ -f REVISION ]; then # a source tarball (make dist), which may lie in another git clone
	revision=${COPRA_REVISION:-$(head -n 1 REVISION)}
else
	revision=${COPRA_REVISION:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}
	[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || dirty=true
	# untracked sources in the folders that the Makefile searches are built as well
	built=(algorithms datasets docs/examples front harness kernels library)
	! git ls-files --others --exclude-standard -- "${built[@]}" 2>/dev/null | grep -qE '[.](c|h|cu|cuh)$' || dirty=true
fi
compiler=$($cc --version 2>/dev/null | head -1 || true)
cuda=none
[ -z "$nvcc" ] || cuda=$("$nvcc" --version 2>/dev/null | sed -n 's/.*, V\([0-9.]*\).*/\1/p')

mkdir -p "$(dirname "$file")"
cat >"$file.new" <<END
#include "harness/base/build.h"

#ifdef __OPTIMIZE__
enum { OPTIMISED = 1 };
#else
enum { OPTIMISED = 0 };
#endif

const struct build_info *build_info(void)
{
	static const struct build_info build = {
		.version = $(quoted "${version:-unknown}"),
		.revision = $(quoted "$revision"),
		.dirty = $dirty,
		.data = $(quoted "${COPRA_DATA_FOLDER:-../share/copra}"),
		.compiler = $(quoted "${compiler:-unknown}"),
		.flags = $(quoted "$flags"),
		.nvcc = $(quoted "${cuda:-unknown}"),
		.nvcc_flags = $(quoted "$nvccflags"),
		.sanitizer = $(quoted "${sanitizer:-none}"),
		.optimised = OPTIMISED && $([ -z "$sanitizer" ] && echo true || echo false),
	};

	return &build;
}
END
if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
