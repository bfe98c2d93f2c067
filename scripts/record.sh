#!/usr/bin/env bash
# Measures on this machine for results/recorded/<machine>/, which is kept in the repository: rows,
# skipped cases and peak rates of all targets, from one commit. Called by `make record`, which builds
# first.
# usage: record.sh [--status | --help]
#   --status  print what is measured and what is left; run nothing
# Settings, from the environment:
#   SCALE    smoke, quick or paper (default)
#   PAPER    one target, or several separated by spaces (all)
#   DEVICE   auto (default: all GPUs), cpu, cuda, cuda:0,1
#   GPUS     open only this many GPUs and name the machine after it: four H200s with GPUS=2 are h200-x2
#   MINUTES  time of one call (9); the next call of the same command continues, and the last one
#            writes the record
#   LONGEST  skip cases that are predicted to take more than this many seconds; the record lists them
#   COMPARE_WITH  other people's programs to run beside ours: see scripts/compare-with.sh --help
#   NAME     the machine's name (default: that of `copra-peaks --machine`, with GPUS as its number)
#   STATE    the folder that collects rows until all are measured (results/local/recording)
#   RECORDED replaces results/recorded;  BIN  the folder of the programs (build/bin)
#
# A call may be killed. To continue on another machine of the same kind, copy STATE to a checkout of
# the same commit there. Programs built with uncommitted changes are refused, and so is a record whose
# parts are from different commits.
# Exit codes: 0 recorded; 1 a case failed, nothing is recorded; 2 bad settings, or uncommitted changes;
# 3 parts are left, run it again; 4 the device is not available.
set -u
program=record
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/driver.bash
bin=${BIN:-build/bin}
state=${STATE:-results/local/recording}
recorded=${RECORDED:-results/recorded}
all_targets=${TARGETS:-$(ls algorithms/*/main.c | cut -d/ -f2 | xargs)}
read -rd '' -a targets <<<"${PAPER:-$all_targets}"
export SCALE=${SCALE:-paper} MINUTES=${MINUTES:-9} COPRA_BENCH_FLAGS=${COPRA_BENCH_FLAGS:-}

check_settings() {
	[ $# -le 1 ] || die 2 "at most one option; see --help"
	case ${1:-} in
	'' | --status) ;;
	-h | --help) sed -n '2,28s/^# \{0,1\}//p' "$0" && exit 0 ;;
	*) die 2 "unknown option '$1'; see --help" ;;
	esac
	[[ ${NAME:-x} =~ ^[a-z0-9][a-z0-9.-]{0,62}$ ]] || die 2 "NAME may contain only lower-case letters, digits, '.' and '-'"
	[[ ${GPUS:-1} =~ ^[1-9][0-9]?$ ]] || die 2 "GPUS must be a number from 1 to 99, not '$GPUS'"
}
context() { # member of the context, result file
	jq -r ".context.$1" "$2"
}
name_machine() { # sets `machine`
	machine=$("$bin/copra-peaks" --machine) || exit 1
	[ -z "${GPUS:-}" ] || machine=$(sed -E "s/(-x[0-9]+)?$/-x$GPUS/" <<<"$machine")
	machine=${NAME:-$machine}
	export COPRA_MACHINE=$machine
	[ -z "${GPUS:-}" ] || COPRA_BENCH_FLAGS+=" --gpus=$GPUS"
}
# The revision that the programs were built from; the tree may have changed since.
name_revision() { # sets `revision`
	local target line found
	revision=''
	for target in "${targets[@]}"; do
		[ -x "$bin/$target" ] || die 2 "$bin/$target is not built (make $target)"
		line=$("$bin/$target" bench --device=cpu --copra_scale=smoke --copra_estimate \
			--benchmark_format=json) || die 1 "$target cannot be run"
		[ "$(jq .dirty <<<"$line")" = 0 ] || die 2 "$target was built with uncommitted changes: commit, build, record"
		found=$(jq -r .revision <<<"$line")
		[ "$found" != unknown ] || die 2 "$target does not know its commit (see COPRA_REVISION in scripts/build-info.sh)"
		[ "${revision:=$found}" = "$found" ] ||
			die 2 "$target was built from another commit than ${targets[0]}"
	done
}
# A record is from one commit: files of its folder that are not replaced must be from this commit.
check_one_commit() {
	local file target scale
	for file in "$recorded/$machine"/*/*/bench.json; do
		[ -e "$file" ] || continue
		scale=$(basename "$(dirname "$file")") target=$(basename "$(dirname "$(dirname "$file")")")
		[ "$scale" = "$SCALE" ] && [[ " ${targets[*]} " == *" $target "* ]] && continue
		[ "$(context copra_revision "$file")" = "$revision" ] ||
			die 2 "$file is from commit $(context copra_revision "$file"), not $revision: record it too, or remove it"
	done
}

rows_known() { # number of rows in all journals
	cat -- "$COPRA_RESULTS/$machine"/*/{"$SCALE"/bench,comparators}.journal.jsonl 2>/dev/null |
		grep -c '"repetition"\|"row"'
}
# A separate part that takes a minute or two. Processes that were timed are not timed again.
whole_processes() {
	awk -v s="$SECONDS" -v m="$MINUTES" 'BEGIN { exit !(s < 30 * m) }' ||
		die 3 "whole processes are left: run the same command again"
	BIN=$bin run scripts/process.sh "${targets[@]}"
	[ "$status" -eq 0 ] || die "$status" "whole processes could not be timed"
}
measured=() # the files of the state that form the record
collect() {
	local target file
	for target in "${targets[@]}"; do
		file=$state/$revision/$machine/$target/$SCALE/bench.json
		[ -s "$file" ] || die 1 "$file is missing"
		[ "$(context copra_revision "$file")" = "$revision" ] && [ "$(context copra_dirty "$file")" = 0 ] ||
			die 1 "$file is not from commit $revision"
		measured+=("$file" "${file%.json}.skipped.json")
	done
	for file in "$state/$revision/$machine"/ceilings.json "$state/$revision/$machine"/*/{process,comparators}.json; do
		if [ -e "$file" ]; then measured+=("$file"); fi
	done
}
# Each file is replaced atomically; after a kill in between, the next call writes the rest.
publish() {
	local file to
	for file in "${measured[@]}"; do
		[ -e "$file" ] || continue
		to=$recorded/$machine/${file#"$state/$revision/$machine/"}
		mkdir -p -- "$(dirname -- "$to")" && cp -- "$file" "$to.$$.tmp" && mv -f -- "$to.$$.tmp" "$to" ||
			die 1 "cannot write $to"
	done
	echo "record: $recorded/$machine is complete at scale $SCALE, from commit $revision; add it with git add"
}

check_settings "$@"
command -v jq >/dev/null || die 1 "jq is not installed (make setup)"
name_revision
name_machine
check_one_commit
export COPRA_RESULTS=$state/$revision PAPER="${targets[*]}"
if [ "${1:-}" = --status ]; then
	exec scripts/reproduce.sh --estimate
fi
known=$(rows_known)
run scripts/reproduce.sh --measure
[ -n "$interrupted" ] && status=3
case $status in
0) whole_processes && collect && publish ;;
1) die 1 "something failed (see above): nothing is recorded; the measurements stay in $state" ;;
3)
	[ -n "$interrupted" ] || [ "$(rows_known)" -gt "$known" ] ||
		die 3 "no remaining case fits into $MINUTES minutes: set a larger MINUTES"
	die 3 "parts are left: run the same command again, here or, with $state copied, on another $machine"
	;;
*) exit "$status" ;;
esac
