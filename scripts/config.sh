#!/usr/bin/env bash
# Prints the compilers, GPUs, libraries and tools of this machine, for `make config`. The Makefile sets
# CC, CXX, NVCC, CUDA, HIPCC, HIP, HIP_ARCHS, JANSSON, CMOCKA, MPI and FLAGS. COPRA_COMPARE_PY: the path of compare.py.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u

row() {
	printf '  %-14s %s\n' "$1" "$2"
}
version() { # first line of the output of "$@", or "not found"
	if command -v "$1" >/dev/null 2>&1; then
		"$@" 2>/dev/null | head -n 1
	else
		echo "not found"
	fi
}
library() { # name, 1 if found, the effect of its absence
	if [ "$2" = 1 ]; then
		row "$1" "$(pkg-config --modversion "$1" 2>/dev/null || echo found)"
	else
		row "$1" "not found: $3"
	fi
}
# compare.py needs scipy, which not every python3 of the machine has.
compare_py() {
	local file=${COPRA_COMPARE_PY:-/usr/share/benchmark/compare.py} python
	[ -e "$file" ] || { echo "not found" && return; }
	for python in python3 /usr/bin/python3; do
		"$python" -B "$file" --help >/dev/null 2>&1 || continue
		[ "$python" = python3 ] && echo "$file" || echo "$python $file (python3 cannot run it)"
		return
	done
	echo "$file does not run: $(python3 -B "$file" --help 2>&1 | tail -n 1) (make setup)"
}

echo "build"
row compiler "$(version "$CC" --version)"
row "C++ (sim)" "$(version "$CXX" --version)"
row flags "$FLAGS"
if [ "${CUDA:-0}" = 1 ]; then
	row nvcc "$("$NVCC" --version | sed -n 's/^Cuda compilation tools, //p') ($NVCC)"
	row "GPU targets" "$("$(dirname "$0")/cuda-arch.sh" "$NVCC")"
else
	row nvcc "not found or disabled: GPU cases are skipped"
fi
if [ "${HIP:-0}" = 1 ]; then
	row hipcc "$("$HIPCC" --version 2>/dev/null | sed -n 's/^HIP version: //p') ($HIPCC)"
	row "AMD targets" "$HIP_ARCHS"
elif [ -n "${HIPCC:-}" ]; then
	row hipcc "$HIPCC, not used: make HIP=1 builds for AMD GPUs"
else
	row hipcc "not found: no build for AMD GPUs"
fi
echo "machine"
row cpu "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
row memory "$(awk '/MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo)"
gpus=$(nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>/dev/null)
row gpu "${gpus:-not found: GPU columns come from results/recorded}"
echo "libraries"
library jansson "${JANSSON:-0}" "the build needs it"
library cmocka "${CMOCKA:-0}" "no unit tests"
if [ -n "${MPI:-}" ]; then
	row MPI "$MPI"
else
	row MPI "not found: no searches on several nodes"
fi
echo "tools"
row gnuplot "$(version gnuplot --version)"
row hyperfine "$(version hyperfine --version)"
row sqlite3 "$(version sqlite3 --version)"
row compare.py "$(compare_py)"
