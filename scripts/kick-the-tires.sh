#!/usr/bin/env bash
# Solves one instance with each target and kind of device and compares the answers with known values:
# published counts, optima found by other methods. Takes a minute on two cores; see docs/ARTIFACT.md.
# usage: kick-the-tires.sh        BIN: the folder of the programs (build/bin)
# Exit codes: 0 all answers are correct; 1 an answer is wrong; 2 the programs are not built.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
bin=${BIN:-$(cd -- "$(dirname -- "$0")/.." && pwd)/build/bin}
for target in dp-knapsack helbecque-pool gmys-ivm koester-recovery gboa; do
	if [ ! -x "$bin/$target" ]; then
		echo "kick-the-tires: $bin/$target is not built; run: make -j all" >&2
		exit 2
	fi
done
out=$(mktemp)
trap 'rm -f "$out"' EXIT
right=0 all=0

expect() { # description; a line of the summary (extended regular expression); target; flags of solve...
	local what=$1 line=$2 target=$3 start=$SECONDS
	shift 3
	all=$((all + 1))
	if "$bin/$target" solve "$@" >"$out" 2>&1 && grep -qE "$line" "$out"; then
		printf 'ok    %3d s  %-16s %s\n' $((SECONDS - start)) "$target" "$what"
		right=$((right + 1))
	else
		printf 'WRONG %3d s  %-16s %s: no line "%s" from\n  %s\n' $((SECONDS - start)) "$target" "$what" \
			"$line" "$bin/$target solve $*"
		sed 's/^/    /' "$out"
	fi
}

expect "an optimum that the sparse oracle also finds" 'objective +2883787$' \
	dp-knapsack --instance boyer:10000:1 --variant cpu
expect "ta029: the node count of Helbecque's Table 1" 'explored +9499307$' \
	helbecque-pool --instance ta029 --ub opt --variant cpu
expect "14 queens: solutions (OEIS A000170)" 'objective +365596$' \
	helbecque-pool --problem nqueens --instance 14 --variant cpu
expect "ta030: 1.6 million nodes, Gmys' Table 1" 'decomposed +1648102$' \
	gmys-ivm --instance ta030 --ub opt --variant cpu
expect "a schedule of ta051, re-evaluated" 'status +feasible, verified$' \
	koester-recovery --instance ta051 --memory 16M --variant cpu
expect "12 traps solved" 'objective +60$' \
	gboa --instance trap5:60 --variant cpu --runs 5
# the GPU code on simulated devices
expect "two simulated GPUs: an optimum" 'objective +85829$' \
	dp-knapsack --instance boyer:300:1 --variant tuned --device sim:0,1
expect "two simulated GPUs: 7 queens" 'objective +40$' \
	gmys-ivm --problem nqueens --instance 7 --variant published --ivms 64 --device sim:0,1
expect "a simulated GPU: states rebuilt, byte by byte" 'recovered and checked' \
	koester-recovery --problem synthetic --instance 16x16 --states 64 --iterations 4 --device sim
# a real GPU
if "$bin/gboa" solve --instance trap5:60 --device cuda >"$out" 2>&1; then
	expect "one GPU: ta021, 3.9 billion nodes" 'explored +3944527267$' \
		helbecque-pool --instance ta021 --ub opt --variant tuned --device cuda
	expect "one GPU: ta022, 22.1 million nodes" 'decomposed +22068771$' \
		gmys-ivm --instance ta022 --ub opt --variant tuned --device cuda
else
	echo "no GPU: $(tail -n 1 "$out")"
fi
echo "$right of $all answers are correct"
[ "$right" -eq "$all" ]
