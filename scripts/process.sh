#!/usr/bin/env bash
# Times whole processes with hyperfine: `list` (start-up only), the shortest solve (whose CPU and GPU
# times differ by the start-up of CUDA) and one solve of each target.
# usage: process.sh [TARGET...]          (default: TARGETS, or all targets)
# Rows <target>/process/<list|shortest|solve>/<variant>[/<instance>] go to
# results/local/<machine>/<target>/process.json. Processes that were timed with this build are not
# timed again.
# BIN: the folder of the programs. DEVICE: as in make reproduce; simulated devices are not timed.
# GPUS: the number of GPUs to open. RUNS: of each process (9), after one warm-up run. COPRA_RESULTS
# replaces results/local.
# Without hyperfine it does nothing and prints a message. Exit codes: 0 done; 1 a program or hyperfine
# failed; 2 bad usage; 3 interrupted.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=process
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/driver.bash
bin=${BIN:-build/bin}
results=${COPRA_RESULTS:-results/local}
device=${DEVICE:-auto}
runs=${RUNS:-9}

# the instance's name in the rows: "--instance ta001 --beam 4096" is ta001, "--problem nqueens --instance
# 5" is nqueens:5
instance_of() {
	[ "$1" = --problem ] && printf '%s:' "$2" && shift 2
	echo "$2"
}
report() { # further flags of copra-report comparator
	"$bin/copra-report" comparator --out "$file" --identity "$identity" "$@"
}
# Times one command, unless this build has its rows.
time_one() { # name of the rows, command...
	local name=$1 command
	shift
	report --benchmark "$name" 2>/dev/null && return
	command=$(printf '%q ' "$@")
	run hyperfine --shell=none --style=none --warmup 1 --runs "$runs" \
		--export-json "$work/times.json" "${command% }" >"$work/log" 2>&1
	[ -z "$interrupted" ] || exit 3
	if [ "$status" -ne 0 ]; then
		complain "$name failed: $(grep -m 1 -i error "$work/log")"
		failed=1
		return
	fi
	report --benchmark "$name" --label "${*##*/bin/}" --hyperfine "$work/times.json" || failed=1
}
# Sets `flags` to those of a line of results/papers/<target>/process.txt.
flags_of() { # target, shortest or solve
	local word
	while read -r word flags; do
		[ "$word" = "$2" ] && read -ra flags <<<"$flags" && return
	done <"$(settings_of "$1")"
	return 1
}
settings_of() { # target
	echo "results/papers/$1/process.txt"
}
solves() { # target, variant, flags of the device...
	local target=$1 variant=$2 what flags
	for what in shortest solve; do
		flags_of "$target" $what || continue
		time_one "$target/process/$what/$variant/$(instance_of "${flags[@]}")" \
			"$bin/$target" solve "${flags[@]}" --variant "$variant" "${@:3}"
	done
}
usable() { # target: whether the device is available
	local flags
	case $device in cpu | sim*) return 1 ;; esac
	flags_of "$1" shortest && "$bin/$1" solve "${flags[@]}" --variant tuned "${gpus[@]}" >"$work/log" 2>&1
}
target_times() {
	local target=$1 gpus=(--device cuda ${GPUS:+--gpus "$GPUS"})
	case $device in cuda*) gpus[1]=$device ;; esac
	file=$results/$machine/$target/process.json
	identity=$(cksum <"$bin/$target") || die 1 "cannot read $bin/$target"
	time_one "$target/process/list/cpu" "$bin/$target" list
	[ -e "$(settings_of "$target")" ] || return
	solves "$target" cpu
	usable "$target" || return
	solves "$target" published "${gpus[@]}"
	solves "$target" tuned "${gpus[@]}"
}

case ${1:-} in -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0" && exit 0 ;; esac
read -ra targets <<<"${*:-${TARGETS:-$(ls algorithms/*/main.c | cut -d/ -f2 | xargs)}}"
[[ $runs =~ ^[1-9][0-9]{0,3}$ ]] || die 2 "RUNS must be a number from 1 to 9999"
for target in "${targets[@]}"; do
	[ -x "$bin/$target" ] || die 2 "$bin/$target is not built, or is not a target"
done
if ! command -v hyperfine >/dev/null 2>&1; then
	complain "hyperfine is not installed: whole processes are not timed (make setup)"
	exit 0
fi
[ -x "$bin/copra-report" ] || { complain "copra-report is not built: whole processes are not timed"; exit 0; }
machine=$("$bin/copra-peaks" --machine) && [ -n "$machine" ] || exit 1
work=$(mktemp -d) || die 1 "no temporary folder"
trap 'rm -rf "$work"' EXIT
failed=0
for target in "${targets[@]}"; do
	target_times "$target"
	[ -z "$interrupted" ] || exit 3
done
exit $failed
