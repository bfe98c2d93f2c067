#!/usr/bin/env bash
# Runs the papers' experiments on this machine and writes the report. Called by `make reproduce`,
# which builds first.
# usage: reproduce.sh [--estimate | --measure | --help]
#   --estimate  only say what would run, how long, how much disk
#   --measure   no report
# Settings, from the environment:
#   PAPER    one target, or several with blanks between (all)
#   SCALE    smoke, quick (default) or paper
#   DEVICE   auto (default), cpu, sim, sim:0,1, cuda, cuda:0,1
#   MINUTES  end after about so many; what would not end in time is not begun, and the same command
#            goes on with it
#   LONGEST  leave out cases that would take more seconds; they are listed among the skipped
#   CEILINGS=0  do not measure what this machine can do at most: no floors in the results
#   BIN      the folder of the programs (build/bin);  COPRA_RESULTS  instead of results/local
#   COPRA_BENCH_FLAGS  flags for every target's bench, such as --benchmark_filter=table1
#
# What was measured on this machine with this build and these parameters is not run again: each
# target keeps a journal beside its results and continues from it, also after a kill. A case or target
# that fails does not stop the others.
# Exit codes: 0 all done and right; 1 something failed; 2 a wrong setting, or another run is under way;
# 3 interrupted or out of time, the same command continues; 4 the device is not there.
set -u
program=reproduce
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/driver.bash
bin=${BIN:-build/bin}
scale=${SCALE:-quick}
device=${DEVICE:-auto}
results=${COPRA_RESULTS:-results/local}
all_targets=${TARGETS:-$(ls algorithms/*/main.c | cut -d/ -f2 | xargs)}
read -rd '' -a targets <<<"${PAPER:-$all_targets}"
read -rd '' -a bench_flags <<<"${COPRA_BENCH_FLAGS:-}"
[ -z "${LONGEST:-}" ] || bench_flags+=(--copra_longest="$LONGEST")
only=${1:-}

check_settings() {
	local target setting
	[ $# -le 1 ] || die 2 "one option at most; see --help"
	case $only in
	'' | --estimate | --measure) ;;
	-h | --help) sed -n '2,24s/^# \{0,1\}//p' "$0" && exit 0 ;;
	*) die 2 "'$only' is no option; see --help" ;;
	esac
	case $scale in smoke | quick | paper) ;; *) die 2 "SCALE is smoke, quick or paper, not '$scale'" ;; esac
	for setting in MINUTES LONGEST; do
		[[ ${!setting:-1} =~ ^[0-9]{1,6}([.][0-9]{1,6})?$ ]] || die 2 "$setting is a number, not '${!setting}'"
	done
	for target in "${targets[@]}"; do
		[[ " $all_targets " == *" $target "* ]] || die 2 "PAPER is one of: $all_targets; not '$target'"
		[ -x "$bin/$target" ] || die 2 "$bin/$target is not built (make $target)"
	done
}

bench() { # target, flags...: sets `command`
	command=("$bin/$1" bench --copra_scale="$scale" --device="$device" --copra_rows_only
		--copra_resume --benchmark_out="$results/$machine/$1/$scale/bench.json"
		${bench_flags[@]+"${bench_flags[@]}"} "${@:2}")
}

# ---- what it will take ----

declare -A seconds # predicted, of each target that can run
worst=0 total_seconds=0 total_bytes=0
note() { # an exit code: a failure (1) outweighs the others, else the latest counts
	[ "$1" -ne 0 ] && [ "$worst" -ne 1 ] && worst=$1
}
failure_code() { # exit code of a program: one that a signal ended has failed
	if [ "$1" -le 4 ]; then echo "$1"; else echo 1; fi
}
add() { # two numbers
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a + b }'
}
field() { # name, line of JSON: a number or a text
	sed -n -e "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" -e t -e "s/.*\"$1\": *\([^,}]*\).*/\1/p" <<<"$2"
}
estimate() { # target: its line, and its share of the total
	local line code known impossible unknown long
	bench "$1" --copra_estimate --benchmark_format=json
	line=$("${command[@]}")
	code=$?
	case $code in
	0) ;;
	2 | 4) exit $code ;; # a setting that is wrong for one is wrong for all
	*)
		complain "$1 cannot be run (exit code $code); the others go on"
		note 1
		return
		;;
	esac
	seconds[$1]=$(field seconds "$line")
	known=$(field measured "$line") impossible=$(field impossible "$line") unknown=$(field unknown "$line")
	long=$(field too_long "$line")
	total_seconds=$(add "$total_seconds" "${seconds[$1]}")
	total_bytes=$((total_bytes + $(field bytes "$line")))
	printf '  %-17s %4d cases, %d to run, about %s' "$1" "$(field cases "$line")" \
		"$(field to_run "$line")" "$(duration "${seconds[$1]}")"
	[ "$known" -gt 0 ] && printf ', %d measured already' "$known"
	[ "$impossible" -gt 0 ] && printf ', %d not possible here (%s)' "$impossible" "$(field no_device "$line")"
	[ "${long:-0}" -gt 0 ] && printf ', %d too long' "$long"
	[ "$unknown" -gt 0 ] && printf ', %d without an estimate' "$unknown"
	echo
}
free_bytes() { # of the file system of a folder, or of the nearest one above it that is there
	local folder=$1
	while [ ! -d "$folder" ]; do folder=$(dirname -- "$folder"); done
	df -Pk -- "$folder" 2>/dev/null | awk 'NR == 2 { printf "%.0f", $4 * 1024 }'
}
estimate_all() {
	local target free
	echo "copra: ${targets[*]} at scale $scale, device $device, on $machine"
	for target in "${targets[@]}"; do
		estimate "$target"
	done
	if [ "$only" != --measure ]; then # the report with its plots, and whole processes
		total_bytes=$((total_bytes + 8000000))
		total_seconds=$(add "$total_seconds" 15)
		[ "$scale" = smoke ] || compgen -G "$results/$machine/*/process.json" >/dev/null || total_seconds=$(add "$total_seconds" 30)
	fi
	for target in "${targets[@]}"; do # whole processes
		[ "$only" = --measure ] || [ -e "$results/$machine/$target/process.json" ] ||
			total_seconds=$(add "$total_seconds" 3)
	done
	[ -e "$results/$machine/ceilings.json" ] || [ "${CEILINGS:-1}" = 0 ] || total_seconds=$(add "$total_seconds" 15)
	free=$(free_bytes "$results")
	printf '  %-17s about %s, %s of disk in %s (%s free)\n' "in all" "$(duration "$total_seconds")" \
		"$(size_of "$total_bytes")" "$results" "$(size_of "${free:-0}")"
	[ -z "$free" ] || [ "$free" -ge "$total_bytes" ] || [ "$only" = --estimate ] ||
		die 1 "$results has $(size_of "$free") left and needs $(size_of "$total_bytes")"
}

# ---- the run ----

prepare_folders() {
	local target folder
	for target in "${targets[@]}"; do
		folder=$results/$machine/$target/$scale
		mkdir -p -- "$folder" 2>/dev/null && [ -w "$folder" ] || die 1 "cannot write to $folder"
	done
}
time_left() { # sets `limit` to the flag for the seconds that MINUTES leaves; fails when there are none
	limit=()
	[ -n "${MINUTES:-}" ] || return 0
	local left
	left=$(awk -v m="$MINUTES" -v s="$SECONDS" 'BEGIN { printf "%.3f", 60 * m - s }')
	[[ $left != -* ]] && [ "$left" != 0.000 ] || return 1
	limit=(--copra_limit="$left")
}
cause() { # exit code
	if [ "$1" -gt 128 ]; then echo "signal $(($1 - 128))"; else echo "exit code $1"; fi
}
# Removes temporary files (harness/base/outfile.c) of processes that were killed while they wrote one.
remove_leftovers() { # folder
	local file pid
	for file in "$1"/*.tmp; do
		pid=${file%-*.tmp} && pid=${pid##*.}
		[[ -e $file && $pid =~ ^[0-9]+$ ]] && ! kill -0 "$pid" 2>/dev/null && rm -f -- "$file"
	done
}
# A program that ended in the middle of a case is started again for the others.
measure() { # target: sets `status`
	local target=$1 running=$results/$machine/$1/$scale/bench.running began=$SECONDS culprit
	local died=()
	remove_leftovers "${running%/*}"
	while :; do
		time_left || { status=3 && return; }
		rm -f -- "$running"
		bench "$target" --copra_progress --copra_part="$before:$after:$((spent + SECONDS - began))" \
			${limit[@]+"${limit[@]}"} ${died[@]+"${died[@]}"}
		run "${command[@]}"
		# who ends as it should, with whatever result, takes this file away
		culprit=$(cat -- "$running" 2>/dev/null)
		[ -n "$culprit" ] && [ -z "$interrupted" ] && [ ${#died[@]} -lt 30 ] || return
		complain "$target was ended by $(cause "$status") in $culprit; the other cases go on"
		died+=("--copra_died=$culprit")
	done
}
# Rows to the history, whose lines stay; what it has is not added again.
remember() { # what a sample is, target, file
	local kept=$status
	[ -x "$bin/copra-history" ] && [ -e "$results/$machine/$2/$3" ] || return
	COPRA_RESULTS=$results run "$bin/copra-history" add --source reproduce --sampling "$1" \
		--file "$results/$machine/$2/$3" >/dev/null
	[ "$status" -eq 0 ] || note 1
	status=$kept
}
whole_processes() { # once a build
	local target
	time_left || return
	COPRA_RESULTS=$results DEVICE=$device BIN=$bin run scripts/process.sh "${targets[@]}"
	note "$(failure_code "$status")"
	for target in "${targets[@]}"; do remember launch "$target" process.json; done
}
run_target() {
	local target=$1 began=$SECONDS
	after=$(add "$after" "-${seconds[$target]}")
	measure "$target"
	spent=$((spent + SECONDS - began))
	before=$(add "$before" "${seconds[$target]}")
	note "$(failure_code "$status")"
	case $status in
	0) echo "copra: $target: done in $(duration $((SECONDS - began)))" ;;
	3) echo "copra: $target: not finished; what was measured is kept" ;;
	*) echo "copra: $target: failed (exit code $status); see $results/$machine/$target/$scale/bench.skipped.json" ;;
	esac
	# a case that failed keeps no other out; one that is not finished will have more samples
	[ "$status" -gt 1 ] || remember repetition "$target" "$scale/bench.json"
}

check_settings "$@"
machine=$("$bin/copra-peaks" --machine) || exit 1
if [ "$only" = --estimate ]; then
	estimate_all
	exit "$worst"
fi
mkdir -p -- "$results" 2>/dev/null && [ -w "$results" ] || die 1 "cannot write to $results"
take_lock "$results/.lock" "${PAPER:-all papers} at scale $scale, device $device"
estimate_all
prepare_folders

[ "${CEILINGS:-1}" = 0 ] || run "$bin/copra-peaks"
[ "${status:-0}" -eq 0 ] || [ -n "$interrupted" ] || note "$(failure_code "$status")"
before=0 spent=0 after=0
for target in "${!seconds[@]}"; do after=$(add "$after" "${seconds[$target]}"); done
for target in "${targets[@]}"; do
	[ -n "$interrupted" ] && break
	[ -n "${seconds[$target]:-}" ] && run_target "$target"
done
[ "$only" = --measure ] || [ "$scale" = smoke ] || whole_processes
if [ -n "$interrupted" ]; then
	complain "interrupted; what was measured is kept, run the same command to continue"
	exit 3
fi
if [ "$only" != --measure ]; then
	run scripts/report.sh
	note "$(failure_code "$status")"
fi
[ "$worst" -eq 3 ] && complain "out of time; what was measured is kept, run the same command to continue"
exit "$worst"
