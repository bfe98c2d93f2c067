#!/bin/sh
# Prints nvcc's architecture flags: those of the GPUs that are present, otherwise common data-centre
# GPUs, and PTX for newer ones. Each further architecture makes the build slower.
# usage: cuda-arch.sh NVCC
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
nvcc=$1
caps=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -un | grep -E '^[0-9]+$')
if [ -z "$caps" ]; then
	known=$("$nvcc" --list-gpu-code 2>/dev/null | tr -d ' ' | sed -n 's/^sm_\([0-9]*\)$/\1/p')
	for c in 80 90; do
		case " $(echo $known) " in *" $c "*) caps="$caps $c" ;; esac
	done
	[ -n "$caps" ] || caps=$(echo "$known" | head -1)
fi
for c in $caps; do
	printf -- '-gencode=arch=compute_%s,code=sm_%s ' "$c" "$c"
	newest=$c
done
printf -- '-gencode=arch=compute_%s,code=compute_%s\n' "$newest" "$newest"
