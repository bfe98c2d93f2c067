#!/usr/bin/env bash
# AMD GPUs: what --device=hip does without one, in builds with HIP (make HIP=1) and without.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"

sample=$root/datasets/samples/knapsack-pairs.txt
solve=("$bin/dp-knapsack" solve --instance "$sample")
with_hip() { # whether the programs were built with HIP=1
	ldd "$bin/dp-knapsack" | grep -q libamdhip64
}
kfd=/dev/kfd # the device file of AMD's driver
if [ -e $kfd ]; then
	echo "skipped: this machine has $kfd, so it may have an AMD GPU"
	exit 77
fi

if with_hip; then
	reason="no HIP device: no GPU found"
else
	reason="no HIP device: built without HIP (make HIP=1)"
	echo "note: this build has no HIP, so its runtime is not tested; make HIP=1 builds with it"
fi
check "solve exits with 4 without an AMD GPU" exits 4 "${solve[@]}" --device=hip
check "its error is one line with the reason" one_line "$reason"
check "two devices are refused in the same way" exits 4 "${solve[@]}" --device=hip:0,1 --gpus=2
check "the error is one line" one_line "$reason"
check "bench exits with 4 without an AMD GPU" exits 4 "$bin/copra-demo" --device=hip --benchmark_filter=nap
check "its error is one line, too" one_line "$reason"
check "copra solve exits with 4" exits 4 "$bin/copra" solve "$sample" --device=hip
check "and gives the reason after its choice" grep -qF "dp-knapsack: $reason" err.txt
check "copra-peaks exits with 4" exits 4 "$bin/copra-peaks" --device=hip
check "a wrong list of devices is refused" exits 2 "${solve[@]}" --device=hip:0,0
check "the error names the list" one_line "hip:0,0"
if ! command -v nvidia-smi >/dev/null; then
	check "auto runs on the processor" exits 0 "${solve[@]}" --device=auto
fi
check "make HIP=1 without hipcc is refused" exits 2 make -s -C "$root" HIP=1 HIPCC= help
check "in one line that says how to install it" grep -q 'make setup HIP=1' err.txt
exit "$failed"
