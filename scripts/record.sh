#!/usr/bin/env bash
# Measures on this machine for results/recorded/<machine>/, which is kept in the repository: rows,
# skipped cases and peak rates of all targets, from one commit. Called by `make record`, which builds
# first. It runs the rows that a claim, table or figure reads, the most valuable first: those that decide
# claims on times, with five repetitions; on counts; our own claims; the others. left-out.txt beside the
# results names what is not measured, and why.
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
#   ALL=1    run all rows, also those that nothing reads, with each experiment's own repetitions
#   PARTIAL=1  record what is measured when the time is over; the next call continues
#   COMPARE_WITH  other people's programs to run beside ours: see scripts/compare-with.sh --help
#   NAME     the machine's name (default: that of `copra-peaks --machine`, with GPUS as its number)
#   RESULTS  the folder that holds papers/ (results)
#   STATE    the folder that collects rows until all are measured (results/local/recording)
#   RECORDED replaces results/recorded;  BIN  the folder of the programs (build/bin)
#
# A call may be killed. To continue on another machine of the same kind, copy STATE to a checkout of
# the same commit there. Programs built with uncommitted changes are refused, and so is a record whose
# parts are from different commits.
# Exit codes: 0 recorded; 1 a case failed, nothing is recorded; 2 bad settings, or uncommitted changes;
# 3 parts are left (with PARTIAL=1, the others are recorded), run it again; 4 the device is not available.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=record
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/driver.bash
bin=${BIN:-build/bin}
state=${STATE:-results/local/recording}
results=${RESULTS:-results}
recorded=${RECORDED:-results/recorded}
all_targets=${TARGETS:-$(ls algorithms/*/main.c | cut -d/ -f2 | xargs)}
read -rd '' -a targets <<<"${PAPER:-$all_targets}"
export SCALE=${SCALE:-paper} MINUTES=${MINUTES:-9} COPRA_BENCH_FLAGS=${COPRA_BENCH_FLAGS:-}

check_settings() {
	[ $# -le 1 ] || die 2 "at most one option; see --help"
	case ${1:-} in
	'' | --status) ;;
	-h | --help) sed -n '2,29s/^# \{0,1\}//p' "$0" && exit 0 ;;
	*) die 2 "unknown option '$1'; see --help" ;;
	esac
	[[ ${NAME:-x} =~ ^[a-z0-9][a-z0-9.-]{0,62}$ ]] || die 2 "NAME may contain only lower-case letters, digits, '.' and '-'"
	[[ $MINUTES =~ ^[0-9]{1,6}([.][0-9]{1,6})?$ ]] || die 2 "MINUTES must be a number, not '$MINUTES'"
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
# Writes the rows that the report reads to $ROWS/<target>.txt. Targets without a paper run all rows.
list_rows() {
	local target file names has gpus cores flags=()
	read -rd '' -a flags <<<"$COPRA_BENCH_FLAGS"
	export ROWS=$state/$revision/$machine/rows
	mkdir -p -- "$ROWS" || die 1 "cannot write to $ROWS"
	for target in "${targets[@]}"; do
		file=$ROWS/$target.txt
		[ "${ALL:-0}" = 0 ] && [ -d "$results/papers/$target" ] || { rm -f -- "$file" && continue; }
		has=$("$bin/$target" bench --device="${DEVICE:-auto}" --copra_scale="$SCALE" --copra_estimate \
			--benchmark_format=json ${flags[@]+"${flags[@]}"}) || exit $?
		read -r gpus cores < <(jq -r '"\(.gpus) \(.cores)"' <<<"$has")
		names=$("$bin/$target" bench --benchmark_list_tests --copra_scale="$SCALE" ${flags[@]+"${flags[@]}"}) &&
			"$bin/copra-report" wanted --results "$results" --target "$target" --gpus "$gpus" --cores "$cores" \
				<<<"$names" >"$file.tmp" && mv -f -- "$file.tmp" "$file" ||
			die 1 "the rows of $target cannot be listed"
	done
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
		is_of_this_commit "$file" "record it too, or remove it"
	done
}
is_of_this_commit() { # recorded file, what to do
	[ ! -e "$1" ] || [ "$(context copra_revision "$1")" = "$revision" ] ||
		die 2 "$1 is from commit $(context copra_revision "$1"), not $revision: $2"
}

rows_known() { # number of rows in all journals
	cat -- "$COPRA_RESULTS/$machine"/*/{"$SCALE"/bench,comparators}.journal.jsonl 2>/dev/null |
		grep -c '"repetition"\|"row"'
}
# A separate part that takes a minute or two. Processes that were timed are not timed again.
whole_processes() {
	awk -v s="$(elapsed)" -v m="$MINUTES" 'BEGIN { exit !(s < 30 * m) }' || {
		publish_part
		die 3 "whole processes are left: run the same command again"
	}
	BIN=$bin run scripts/process.sh "${targets[@]}"
	[ "$status" -eq 0 ] || die "$status" "whole processes could not be timed"
}
# Writes left-out.txt beside the results: the wanted rows that have too few repetitions, with the reason.
# A line is "RANK NAME: reason". Claims that need a larger machine follow.
list_left_out() { # target
	local folder=$state/$revision/$machine/$1/$SCALE
	[ -e "$ROWS/$1.txt" ] && [ -s "$folder/bench.json" ] || return 0
	jq -rR --slurpfile rows "$folder/bench.json" --slurpfile skipped "$folder/bench.skipped.json" -n '
		($rows[0].benchmarks | map({(.run_name): true}) | add // {}) as $has |
		($skipped[0].benchmarks | map({(.name): (.skip_message // .error_message)}) | add // {}) as $why |
		inputs | select(startswith("#") | not) | capture("^(?<rank>[0-9]+) [0-9]+ (?<name>.*)$") | select($has[.name] | not) |
		"\(.rank) \(.name): \($why[.name] // "out of time")"' \
		<"$ROWS/$1.txt" >"$folder/left-out.txt" || die 1 "cannot write $folder/left-out.txt"
	sed -n 's/^# //p' "$ROWS/$1.txt" >>"$folder/left-out.txt"
}
# Prints how many rows of each rank are left out, by reason.
print_left_out() {
	local target file
	for target in "${targets[@]}"; do
		file=$state/$revision/$machine/$target/$SCALE/left-out.txt
		[ -s "$file" ] || continue
		echo "record: $target: $(grep -c '^[0-9]' "$file") of $(grep -c '^[0-9]' "$ROWS/$target.txt") rows are left out; see $file"
		awk '!/^[0-9]/ { next } { rank = $1; sub(/^[^ ]* [^ ]*: /, ""); gsub(/[0-9.]+ (s|m|h)( [0-9]+ [sm])?, longer/, "... longer"); n[rank "\t" $0]++ }
			END { for (x in n) print n[x] "\t" x }' "$file" | sort -t"$(printf '\t')" -k2,2n -k1,1rn | head -n 12 |
			awk -F'\t' -v names="claims on times,claims on counts,claims of ours,tables and figures,alternatives or larger machines" '
				BEGIN { split(names, of, ",") } { printf "  %5d  %s: %s\n", $1, of[$2], $3 }'
		sed -n 's/^claim //p' "$file" | paste -sd ';' | sed 's/;/; /g; s/^/  claims not tested here: /' | fold -sw 110
	done
}
measured=() # the files of the state that form the record
collect() { # "partial": targets may be missing
	local target file
	for target in "${targets[@]}"; do
		file=$state/$revision/$machine/$target/$SCALE/bench.json
		if [ ! -s "$file" ] && [ -n "$1" ]; then
			is_of_this_commit "$recorded/$machine/$target/$SCALE/bench.json" "$target has no rows yet"
			continue
		fi
		[ -s "$file" ] || die 1 "$file is missing"
		[ "$(context copra_revision "$file")" = "$revision" ] && [ "$(context copra_dirty "$file")" = 0 ] ||
			die 1 "$file is not from commit $revision"
		list_left_out "$target"
		measured+=("$file" "${file%.json}.skipped.json" "${file%/*}/left-out.txt")
	done
	for file in "$state/$revision/$machine"/ceilings.json "$state/$revision/$machine"/*/{process,comparators}.json; do
		if [ -e "$file" ]; then measured+=("$file"); fi
	done
}
# Each file is replaced atomically; after a kill in between, the next call writes the rest.
publish() { # "partial", or nothing
	local file to
	for file in "${measured[@]}"; do
		[ -e "$file" ] || continue
		to=$recorded/$machine/${file#"$state/$revision/$machine/"}
		mkdir -p -- "$(dirname -- "$to")" && cp -- "$file" "$to.$$.tmp" && mv -f -- "$to.$$.tmp" "$to" ||
			die 1 "cannot write $to"
	done
	print_left_out
	echo "record: $recorded/$machine is ${1:-complete} at scale $SCALE, from commit $revision; add it with git add"
}
publish_part() {
	[ "${PARTIAL:-0}" = 0 ] || { collect partial && publish partial; }
}

check_settings "$@"
command -v jq >/dev/null || die 1 "jq is not installed (make setup)"
name_revision
name_machine
check_one_commit
export COPRA_RESULTS=$state/$revision PAPER="${targets[*]}"
if [ "${1:-}" = --status ]; then
	list_rows
	exec scripts/reproduce.sh --estimate
fi
list_rows
known=$(rows_known)
# All targets run one rank before the next, so that the most valuable rows come first.
ranks=1
compgen -G "$ROWS/*.txt" >/dev/null && ranks=5
minutes=$MINUTES
for ((rank = 1; rank <= ranks; rank++)); do
	export RANK=$rank MINUTES
	MINUTES=$(awk -v m="$minutes" -v s="$(elapsed)" 'BEGIN { printf "%.3f", m - s / 60 }')
	[[ $MINUTES != -* ]] || { status=3 && break; }
	run scripts/reproduce.sh --measure
	[ "$status" -eq 0 ] && [ -z "$interrupted" ] || break
done
MINUTES=$minutes
[ -n "$interrupted" ] && status=3
case $status in
0) whole_processes && collect '' && publish ;;
1) die 1 "something failed (see above): nothing is recorded; the measurements stay in $state" ;;
3)
	publish_part
	[ -n "$interrupted" ] || [ "$(rows_known)" -gt "$known" ] ||
		die 3 "no remaining case fits into $MINUTES minutes: set a larger MINUTES"
	die 3 "parts are left: run the same command again, here or, with $state copied, on another $machine"
	;;
*) exit "$status" ;;
esac
