#!/usr/bin/env bash
# Turns a run on this machine into results/recorded/<machine>/, which is kept in the repository: rows,
# skipped cases and ceilings of all targets, from one commit. Called by `make record`, which builds first.
# usage: record.sh [--status | --help]
#   --status  what is measured already and what is left; runs nothing
# Settings, from the environment:
#   SCALE    smoke, quick or paper (default)
#   PAPER    one target, or several with blanks between (all)
#   DEVICE   auto (default: all GPUs), cpu, cuda, cuda:0,1
#   GPUS     open only so many GPUs and record as that machine: on four H200s, GPUS=2 makes h200-x2
#   MINUTES  of one call (9). What would not end in time is left to the next call of the same command;
#            with the last one the record is written
#   LONGEST  leave out cases that would take more seconds; the record says which, and how long each
#   NAME     the machine's name (as `copra-peaks --machine` has it, with GPUS for its number)
#   STATE    where rows wait until all are there (results/local/recording)
#   RECORDED instead of results/recorded;  BIN  the folder of the programs (build/bin)
#
# A call may be killed. A machine that is gone is replaced by another of its kind: copy STATE to a
# checkout of the same commit there. Programs built from a tree with changes are refused, and so is a
# record that another commit has a part in.
# Exit codes: 0 recorded; 1 a case failed, nothing is recorded; 2 a wrong setting, or a tree with changes;
# 3 parts are left, run it again; 4 the device is not there.
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
	[ $# -le 1 ] || die 2 "one option at most; see --help"
	case ${1:-} in
	'' | --status) ;;
	-h | --help) sed -n '2,27s/^# \{0,1\}//p' "$0" && exit 0 ;;
	*) die 2 "'$1' is no option; see --help" ;;
	esac
	[[ ${NAME:-x} =~ ^[a-z0-9][a-z0-9.-]{0,62}$ ]] || die 2 "NAME has small letters, digits, '.', '-' only"
	[[ ${GPUS:-1} =~ ^[1-9][0-9]?$ ]] || die 2 "GPUS is a number from 1 to 99, not '$GPUS'"
}
field() { # name, file with JSON or -: the first member of that name
	sed -n "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1
}
name_machine() { # sets `machine`
	machine=$("$bin/copra-peaks" --machine) || exit 1
	[ -z "${GPUS:-}" ] || machine=$(sed -E "s/(-x[0-9]+)?$/-x$GPUS/" <<<"$machine")
	machine=${NAME:-$machine}
	export COPRA_MACHINE=$machine
	[ -z "${GPUS:-}" ] || COPRA_BENCH_FLAGS+=" --gpus=$GPUS"
}
# The programs say what they were built from; the tree may have changed since.
name_revision() { # sets `revision`
	local target line found
	revision=''
	for target in "${targets[@]}"; do
		[ -x "$bin/$target" ] || die 2 "$bin/$target is not built (make $target)"
		line=$("$bin/$target" bench --device=cpu --copra_scale=smoke --copra_estimate \
			--benchmark_format=json) || die 1 "$target cannot be run"
		[ "$(field dirty - <<<"$line")" = 0 ] || die 2 "$target is built from a tree with changes: commit, build, record"
		found=$(field revision - <<<"$line")
		[ "$found" != unknown ] || die 2 "$target does not know its commit (see COPRA_REVISION in scripts/build-info.sh)"
		[ "${revision:=$found}" = "$found" ] ||
			die 2 "$target is built from another commit than ${targets[0]}"
	done
}
# A record is of one commit: what lies in its folder and is not about to be replaced must be of this one.
check_one_commit() {
	local file target scale
	for file in "$recorded/$machine"/*/*/bench.json; do
		[ -e "$file" ] || continue
		scale=$(basename "$(dirname "$file")") target=$(basename "$(dirname "$(dirname "$file")")")
		[ "$scale" = "$SCALE" ] && [[ " ${targets[*]} " == *" $target "* ]] && continue
		[ "$(field copra_revision "$file")" = "$revision" ] ||
			die 2 "$file is of commit $(field copra_revision "$file"), not $revision: record it too, or remove it"
	done
}

rows_known() { # rows of all journals
	cat -- "$COPRA_RESULTS/$machine"/*/"$SCALE"/bench.journal.jsonl 2>/dev/null | grep -c '"repetition"'
}
# They are a part of their own, of a minute or two; what was timed is not timed again.
whole_processes() {
	awk -v s="$SECONDS" -v m="$MINUTES" 'BEGIN { exit !(s < 30 * m) }' ||
		die 3 "whole processes are left: run the same command again"
	BIN=$bin run scripts/process.sh "${targets[@]}"
	[ "$status" -eq 0 ] || die "$status" "whole processes could not be timed"
}
measured=() # files of the state that make the record
collect() {
	local target file
	for target in "${targets[@]}"; do
		file=$state/$revision/$machine/$target/$SCALE/bench.json
		[ -s "$file" ] || die 1 "$file is missing"
		[ "$(field copra_revision "$file")" = "$revision" ] && [ "$(field copra_dirty "$file")" = 0 ] ||
			die 1 "$file is of another commit than $revision"
		measured+=("$file" "${file%.json}.skipped.json")
	done
	for file in "$state/$revision/$machine"/ceilings.json "$state/$revision/$machine"/*/process.json; do
		if [ -e "$file" ]; then measured+=("$file"); fi
	done
}
# Each file is whole or not there; a kill in between is mended by the next call.
publish() {
	local file to
	for file in "${measured[@]}"; do
		[ -e "$file" ] || continue
		to=$recorded/$machine/${file#"$state/$revision/$machine/"}
		mkdir -p -- "$(dirname -- "$to")" && cp -- "$file" "$to.$$.tmp" && mv -f -- "$to.$$.tmp" "$to" ||
			die 1 "cannot write $to"
	done
	echo "record: $recorded/$machine is complete at scale $SCALE: commit $revision; commit it with git add"
}

check_settings "$@"
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
1) die 1 "something failed (see above): nothing is recorded; what was measured stays in $state" ;;
3)
	[ -n "$interrupted" ] || [ "$(rows_known)" -gt "$known" ] ||
		die 3 "nothing of what is left fits into $MINUTES minutes: give it more (MINUTES=)"
	die 3 "parts are left: run the same command again, here or, with $state copied, on another $machine"
	;;
*) exit "$status" ;;
esac
