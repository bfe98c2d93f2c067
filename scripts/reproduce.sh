#!/usr/bin/env bash
# Runs the papers' experiments on this machine and writes the report. Called by `make reproduce`,
# which builds first. Reads PAPER, SCALE, DEVICE and BIN from the environment.
# usage: reproduce.sh [--estimate]
#
# What was measured on this machine with this build and these parameters is not run again: each
# target keeps a journal beside its results and continues from it. A target that fails does not stop
# the others; the exit code is the worst one.
set -u
cd "$(dirname "$0")/.."
bin=${BIN:-build/bin}
scale=${SCALE:-quick}
device=${DEVICE:-auto}

die() {
	echo "reproduce: $1" >&2
	exit 2
}
case $scale in smoke | quick | paper) ;; *) die "SCALE is smoke, quick or paper, not '$scale'" ;; esac

all_targets=${TARGETS:-dp-knapsack}
targets=${PAPER:-$all_targets}
for target in $targets; do
	case " $all_targets " in
	*" $target "*) ;;
	*) die "PAPER is one of: $all_targets; not '$target'" ;;
	esac
	[ -x "$bin/$target" ] || die "$bin/$target is not built (make $target)"
done

bench() { # target, flags...: the run's flags plus what the caller adds
	local target=$1
	shift
	"$bin/$target" bench --copra_scale="$scale" --device="$device" $COPRA_BENCH_FLAGS "$@"
}
COPRA_BENCH_FLAGS=${COPRA_BENCH_FLAGS:-}

machine=$("$bin/copra-ceilings" --machine) || exit 1
echo "copra: $targets at scale $scale, device $device, on $machine"
for target in $targets; do
	bench "$target" --copra_estimate || exit $?
done
[ "${1:-}" = --estimate ] && exit 0

results=${COPRA_RESULTS:-results/local}
mkdir -p "$results" || die "cannot make $results"
exec 9>"$results/.lock" || die "cannot write $results/.lock"
flock -n 9 || die "another run is writing to $results; wait for it to end"

worst=0
note() { # an exit code: a failure (1) outweighs the others, else the latest counts
	[ "$1" -ne 0 ] && [ "$worst" -ne 1 ] && worst=$1
}
trap 'interrupted=1' INT TERM
interrupted=

"$bin/copra-ceilings" || note $?
for target in $targets; do
	[ -n "$interrupted" ] && break
	folder=$results/$machine/$target/$scale
	mkdir -p "$folder" || die "cannot make $folder"
	bench "$target" --copra_resume --copra_progress --copra_rows_only --benchmark_out_format=json \
		--benchmark_out="$folder/bench.json"
	status=$?
	[ $status -eq 0 ] || echo "reproduce: $target ended with exit code $status" >&2
	note $status
done
[ -n "$interrupted" ] && {
	echo "reproduce: interrupted; what was measured is kept, run the same command to continue" >&2
	exit 3
}
scripts/report.sh || note $?
exit "$worst"
