#!/usr/bin/env bash
# Prints registers, memory and occupancy of every kernel in objects for AMD GPUs, as their compiler noted them.
# usage: hip-usage.sh gfx90a FILE.hip.o...       (after make HIP=1)
# Columns: most threads of a block, VGPRs (with AGPRs), SGPRs, shared memory (without dynamic) and scratch memory in
# bytes, spilled registers, waves per SIMD unit that the VGPRs allow, kernel.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
[ $# -ge 2 ] || { sed -n '3,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
gpu=$1
shift
tool() { # of the clang that compiles for AMD's GPUs
	command -v "$1" || command -v "$1-15" || ls /usr/lib/llvm-15/bin/"$1" /opt/rocm/llvm/bin/"$1" 2>/dev/null | head -n 1
}
bundler=$(tool clang-offload-bundler) readelf=$(tool llvm-readelf)
[ -n "$bundler" ] && [ -n "$readelf" ] || { echo "hip-usage.sh: needs clang-offload-bundler and llvm-readelf" >&2; exit 1; }
case $gpu in # VGPRs of a SIMD unit for one lane, their granule, and the most waves
gfx90a) file=512 granule=8 waves=8 ;;
gfx1030) file=1024 granule=16 waves=16 ;;
*) echo "hip-usage.sh: $gpu: the registers of gfx90a and gfx1030 are known" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'threads vgprs sgprs shared scratch spilled waves kernel\n'
for object; do
	objcopy -O binary -j .hip_fatbin "$object" "$work/all" 2>/dev/null
	[ -s "$work/all" ] || continue
	"$bundler" --type=o --unbundle --input="$work/all" --output="$work/code" \
		--targets="hipv4-amdgcn-amd-amdhsa--$gpu" 2>/dev/null || continue
	[ -s "$work/code" ] || continue
	"$readelf" --notes "$work/code"
done | awk -v file="$file" -v granule="$granule" -v most="$waves" '
	function flush(  need, fit) {
		if (name == "") return
		need = int((vgpr + granule - 1) / granule) * granule
		if (need < granule) need = granule
		fit = int(file / need)
		print threads, vgpr, sgpr, lds, scratch, spill, fit < most ? fit : most, name
		name = ""
	}
	# a kernel is an element of a list; its first field follows the dash
	/^  - / { flush(); spill = 0; sub(/-/, " ") }
	!/^    \./ { next }
	$1 == ".group_segment_fixed_size:" { lds = $2 }
	$1 == ".max_flat_workgroup_size:" { threads = $2 }
	$1 == ".name:" { name = $2 }
	$1 == ".private_segment_fixed_size:" { scratch = $2 }
	$1 == ".sgpr_count:" { sgpr = $2 }
	$1 ~ /^\.[sv]gpr_spill_count:$/ { spill += $2 }
	$1 == ".vgpr_count:" { vgpr = $2 }
	END { flush() }' | c++filt
