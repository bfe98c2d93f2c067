#!/usr/bin/env bash
# Runs the papers' experiments on this machine and writes the report. Called by `make reproduce`,
# which builds first.
# usage: reproduce.sh [--merge] [--estimate | --measure | --help]
#   --merge     first take what the shards of this scale have measured; then only the rest runs, or is estimated
#   --estimate  only print what would run, with time and disk space
#   --measure   write no report
# Settings, from the environment:
#   PAPER    one target, or several separated by spaces (all)
#   SCALE    smoke, quick (default) or paper
#   DEVICE   auto (default), cpu, sim, sim:0,1, cuda, cuda:0,1, hip, hip:0,1
#   MINUTES  stop after about this many minutes; the same command continues later
#   LONGEST  skip cases that are predicted to take more than this many seconds
#   COMPARE_WITH  other people's programs to run beside ours: see scripts/compare-with.sh --help
#   CEILINGS=0  do not measure peak rates; the results then have no lower bounds on time
#   BIN      the folder of the programs (build/bin);  COPRA_RESULTS  replaces results/local
#   SHARD    I/N: measure only part I of N, split by predicted time, and write no report. Shards may run at
#            the same time in one folder; --merge joins them. Build before they start
#   ROWS     a folder with files <target>.txt for --copra_rows: run only these rows; RANK: only ranks 1 to RANK
#   COPRA_BENCH_FLAGS  flags for every target's bench, such as --benchmark_filter=table1
#
# Each target keeps a journal beside its results and continues from it, also after a kill. Cases that
# the journal has, with this build and these parameters, are not run again. A case or target that
# fails does not stop the others.
# Exit codes: 0 done, all answers correct; 1 a failure; 2 bad settings, or another run is active; 3
# interrupted or out of time, the same command continues; 4 the device is not available.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
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
merging=''
[ "${1:-}" != --merge ] || { merging=1 && shift; }
only=${1:-} shard=${SHARD:-}

check_settings() {
	local target setting
	[ $# -le 1 ] || die 2 "at most one option; see --help"
	case $only in
	'' | --estimate | --measure) ;;
	-h | --help) sed -n '2,26s/^# \{0,1\}//p' "$0" && exit 0 ;;
	*) die 2 "unknown option '$only'; see --help" ;;
	esac
	case $scale in smoke | quick | paper) ;; *) die 2 "SCALE must be smoke, quick or paper, not '$scale'" ;; esac
	for setting in MINUTES LONGEST; do
		[[ ${!setting:-1} =~ ^[0-9]{1,6}([.][0-9]{1,6})?$ ]] || die 2 "$setting must be a number, not '${!setting}'"
	done
	if [ -n "$shard" ]; then
		[[ $shard =~ ^[1-9][0-9]{0,3}/[1-9][0-9]{0,3}$ ]] && [ "${shard%/*}" -le "${shard#*/}" ] ||
			die 2 "SHARD must be I/N with 1 <= I <= N, not '$shard'"
		[ -z "$merging" ] || die 2 "--merge needs all shards: unset SHARD"
	fi
	command -v jq >/dev/null || die 1 "jq is not installed (make setup)"
	for target in "${targets[@]}"; do
		[[ " $all_targets " == *" $target "* ]] || die 2 "PAPER must be one of $all_targets, not '$target'"
		[ -x "$bin/$target" ] || die 2 "$bin/$target is not built (make $target)"
	done
}

# The file of results. Every target gives its longest case to another shard. An estimate after a merge
# reads journals that were merged in a folder of its own.
scratch=''
results_file() { # target
	echo "${scratch:-$results/$machine}/$1/$scale/${shard:+shards/${shard%/*}-of-${shard#*/}.}bench.json"
}
part_of() { # target
	local before=${all_targets%%"$1"*}
	before=$(wc -w <<<"$before")
	echo "$(((${shard%/*} - 1 + before) % ${shard#*/} + 1))/${shard#*/}"
}
bench() { # target, flags...: sets `command`
	local rows=()
	[ -z "${ROWS:-}" ] || [ ! -e "$ROWS/$1.txt" ] || rows=(--copra_rows="$ROWS/$1.txt" ${RANK:+--copra_rank="$RANK"})
	command=("$bin/$1" bench --copra_scale="$scale" --device="$device" --copra_rows_only
		--copra_resume --benchmark_out="$(results_file "$1")" ${shard:+--copra_shard="$(part_of "$1")"}
		${rows[@]+"${rows[@]}"} ${bench_flags[@]+"${bench_flags[@]}"} "${@:2}")
}

# ---- the estimate ----

declare -A seconds # predicted for each target that can run
worst=0 total_seconds=0 total_bytes=0
note() { # exit code: a failure (1) takes precedence, otherwise the latest code counts
	[ "$1" -ne 0 ] && [ "$worst" -ne 1 ] && worst=$1
}
failure_code() { # exit code of a program; a program ended by a signal has failed
	if [ "$1" -le 4 ]; then echo "$1"; else echo 1; fi
}
add() { # two numbers
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a + b }'
}
estimate() { # target: prints its line and adds it to the total
	local line code cases to_run known impossible unknown long bytes no_device
	bench "$1" --copra_estimate --benchmark_format=json
	line=$("${command[@]}")
	code=$?
	case $code in
	0) ;;
	2 | 4) exit $code ;; # a setting that is wrong for one target is wrong for all
	*)
		complain "$1 cannot be run (exit code $code); continuing with the other targets"
		note 1
		return
		;;
	esac
	IFS=$'\t' read -r "seconds[$1]" cases to_run known impossible unknown long bytes no_device < <(
		jq -r '[.seconds, .cases, .to_run, .measured, .impossible, .unknown, .too_long, .bytes, .no_device] | @tsv' <<<"$line")
	total_seconds=$(add "$total_seconds" "${seconds[$1]}")
	total_bytes=$((total_bytes + bytes))
	printf '  %-17s %4d cases, %d to run, about %s' "$1" "$cases" "$to_run" "$(duration "${seconds[$1]}")"
	[ "$known" -gt 0 ] && printf ', %d already measured' "$known"
	[ "$impossible" -gt 0 ] && printf ', %d cannot run here (%s)' "$impossible" "$no_device"
	[ "$long" -gt 0 ] && printf ', %d too long' "$long"
	[ "$unknown" -gt 0 ] && printf ', %d without an estimate' "$unknown"
	echo
}
free_bytes() { # of the file system of a folder or, if it does not exist, of its nearest parent
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
	if [ "$only" != --measure ] && [ -z "$shard" ]; then # the report with its plots, and whole-process times
		total_bytes=$((total_bytes + 8000000))
		total_seconds=$(add "$total_seconds" 15)
		[ "$scale" = smoke ] || compgen -G "$results/$machine/*/process.json" >/dev/null || total_seconds=$(add "$total_seconds" 30)
	fi
	for target in "${targets[@]}"; do # whole-process times
		[ "$only" = --measure ] || [ -n "$shard" ] || [ -e "$results/$machine/$target/process.json" ] ||
			total_seconds=$(add "$total_seconds" 3)
	done
	[ -z "${COMPARE_WITH:-}" ] || printf '  %-17s up to %d cases, at most %s s a run; not in the total\n' "other programs" \
		"$(SCALE=$scale DEVICE=$device BIN=$bin scripts/compare-with.sh --list "${targets[@]}" | wc -l)" "${LONGEST:-120}"
	[ -e "$results/$machine/ceilings.json" ] || [ "${CEILINGS:-1}" = 0 ] || total_seconds=$(add "$total_seconds" 15)
	free=$(free_bytes "$results")
	printf '  %-17s about %s, %s of disk in %s (%s free)\n' "total" "$(duration "$total_seconds")" \
		"$(size_of "$total_bytes")" "$results" "$(size_of "${free:-0}")"
	[ -z "$free" ] || [ "$free" -ge "$total_bytes" ] || [ "$only" = --estimate ] ||
		die 1 "$results has $(size_of "$free") left but needs $(size_of "$total_bytes")"
}

# ---- shards ----

# Says what is merged, and which shards of a split are not there.
name_shards() { # target, folder
	local file of i found=0 missing=''
	local -A split=()
	for file in "$2"/*.bench.journal.jsonl; do
		[[ ${file##*/} =~ ^([0-9]+)-of-([0-9]+)[.] ]] || continue
		found=$((found + 1)) split[${BASH_REMATCH[2]}]=1
	done
	for of in "${!split[@]}"; do
		for ((i = 1; i <= of; i++)); do
			[ -e "$2/$i-of-$of.bench.journal.jsonl" ] || missing+=", $i of $of"
		done
	done
	echo "copra: $1: merging $found shard(s)${missing:+; without rows: ${missing#, }}"
}
# A file that nothing changes keeps its time: scripts/slurm/job.bash requeues a job only after progress.
replace_if_new() { # new file, file
	if cmp -s -- "$1" "$2"; then rm -f -- "$1"; else mv -- "$1" "$2"; fi
}
# A case takes the rows of one journal: the first that has it complete, else the one with most rows. The
# journal of the whole run comes first. Each is read as bench reads it (harness/bench/bench_journal.c):
# repetition 0 starts a case again, and an end with another number of rows drops them. Rows that a
# failure dropped count in no journal. A line that a kill cut off is no JSON and is left out. NULs, of
# which a crash can leave blocks, end a line.
merge() { # target
	local folder=$results/$machine/$1/$scale file number=0 merged
	merged=$(results_file "$1")
	merged=${merged%.json}.journal.jsonl
	name_shards "$1" "$folder/shards"
	set -o pipefail # a file that cannot be read
	for file in "$folder/bench.journal.jsonl" "$folder"/shards/*.journal.jsonl; do
		[ -e "$file" ] || continue
		number=$((number + 1))
		tr '\0' '\n' <"$file" | jq -R -r --arg file $number '. as $line | (fromjson? // empty) | select(type == "object" and .identity and .case) |
			"\($file)\t\(.identity) \(.case)\t\(.repetition // "end \(.complete)")\t\($line)"' || die 1 "cannot read $file"
	done | awk -F '\t' '
		function drop(id, failed) {
			if (failed) for (j = 0; j < count[id]; j++) gone[text[row[id, j]]]
			count[id] = 0; end[id] = 0
		}
		{ id[NR] = $1 SUBSEP $2; what[NR] = $3; text[NR] = $4; if (!($2 in first)) { first[$2]; name[++names] = $2 } files = $1 }
		END {
			for (pass = 1; pass <= 2; pass++) { # the first finds the rows that failures dropped
				split("", count); split("", end)
				for (i = 1; i <= NR; i++) {
					if (what[i] ~ /^end/) {
						n = substr(what[i], 5) + 0
						if (n && n == count[id[i]]) end[id[i]] = i
						else drop(id[i], n == 0)
					} else if (!(text[i] in gone)) {
						if (what[i] == 0) drop(id[i], 0)
						if (what[i] == count[id[i]] + 0) { row[id[i], count[id[i]]++] = i; end[id[i]] = 0 }
					}
				}
			}
			for (k = 1; k <= names; k++) {
				best = 0
				for (f = 1; f <= files; f++) {
					a = f SUBSEP name[k]; b = best SUBSEP name[k]
					if (count[a] && (!best || (end[a] && !end[b]) || (!end[b] && count[a] > count[b]))) best = f
				}
				b = best SUBSEP name[k]
				for (j = 0; j < count[b]; j++) print text[row[b, j]]
				if (best && end[b]) print text[end[b]]
			}
		}' >"$merged.tmp" &&
		[ "${PIPESTATUS[0]}" -eq 0 ] && sync "$merged.tmp" && replace_if_new "$merged.tmp" "$merged" ||
		{ rm -f -- "$merged.tmp" && die 1 "cannot merge the shards in $folder"; }
}

# ---- the run ----

prepare_folders() {
	local target folder
	for target in "${targets[@]}"; do
		folder=$(dirname -- "$(results_file "$target")")
		mkdir -p -- "$folder" 2>/dev/null && [ -w "$folder" ] || die 1 "cannot write to $folder"
	done
}
time_left() { # sets `limit` to the flag for the seconds left of MINUTES; fails if there are none
	limit=()
	[ -n "${MINUTES:-}" ] || return 0
	local left
	left=$(awk -v m="$MINUTES" -v s="$(elapsed)" 'BEGIN { printf "%.3f", 60 * m - s }')
	[[ $left != -* ]] && [ "$left" != 0.000 ] || return 1
	limit=(--copra_limit="$left")
}
cause() { # exit code
	if [ "$1" -gt 128 ]; then echo "signal $(($1 - 128))"; else echo "exit code $1"; fi
}
# Removes temporary files (harness/base/outfile.c) of processes that were killed while writing. Only those of
# these results: a shard beside this one may be running on another node.
remove_leftovers() { # file of results, without .json
	local file pid
	for file in "$1".*.tmp; do
		pid=${file%-*.tmp} && pid=${pid##*.}
		[[ -e $file && $pid =~ ^[0-9]+$ ]] && ! kill -0 "$pid" 2>/dev/null && rm -f -- "$file"
	done
}
# A program that died during a case is started again for the other cases.
measure() { # target: sets `status`
	local target=$1 running began=$(elapsed) culprit
	local died=()
	running=$(results_file "$target")
	remove_leftovers "${running%.json}"
	running=${running%.json}.running
	while :; do
		time_left || { status=3 && return; }
		rm -f -- "$running"
		bench "$target" --copra_progress --copra_part="$before:$after:$((spent + $(elapsed) - began))" \
			${limit[@]+"${limit[@]}"} ${died[@]+"${died[@]}"}
		run "${command[@]}"
		# a program that ends normally, with any result, removes this file
		culprit=$(cat -- "$running" 2>/dev/null)
		[ -n "$culprit" ] && [ -z "$interrupted" ] && [ ${#died[@]} -lt 30 ] || return
		complain "$target was ended by $(cause "$status") in $culprit; continuing with the other cases"
		died+=("--copra_died=$culprit")
	done
}
# Adds rows to the history, unless it has them.
remember() { # kind of sample, target, file
	local kept=$status
	[ -x "$bin/copra-history" ] && [ -e "$results/$machine/$2/$3" ] || return
	COPRA_RESULTS=$results run "$bin/copra-history" add --source reproduce --sampling "$1" \
		--file "$results/$machine/$2/$3" >/dev/null
	[ "$status" -eq 0 ] || note 1
	status=$kept
}
whole_processes() { # times them once per build
	local target
	time_left || return
	COPRA_RESULTS=$results DEVICE=$device BIN=$bin run scripts/process.sh "${targets[@]}"
	note "$(failure_code "$status")"
	for target in "${targets[@]}"; do remember launch "$target" process.json; done
}
other_programs() {
	local left=()
	[ -n "${COMPARE_WITH:-}" ] && [ -z "$interrupted" ] || return 0
	time_left || { note 3 && return; }
	[ -z "${MINUTES:-}" ] || left=(MINUTES="$(awk -v m="$MINUTES" -v s="$(elapsed)" 'BEGIN { printf "%.3f", m - s / 60 }')")
	run env SCALE="$scale" DEVICE="$device" BIN="$bin" COPRA_RESULTS="$results" ${left[@]+"${left[@]}"} \
		scripts/compare-with.sh "${targets[@]}"
	note "$(failure_code "$status")"
}
run_target() {
	local target=$1 began=$(elapsed) file
	after=$(add "$after" "-${seconds[$target]}")
	measure "$target"
	spent=$((spent + $(elapsed) - began))
	before=$(add "$before" "${seconds[$target]}")
	note "$(failure_code "$status")"
	case $status in
	0) echo "copra: $target: done in $(duration $(($(elapsed) - began)))" ;;
	3) echo "copra: $target: not finished; its measurements are kept" ;;
	*)
		file=$(results_file "$target")
		echo "copra: $target: failed (exit code $status); see ${file%.json}.skipped.json"
		;;
	esac
	# the other cases count if one failed; unfinished cases will have more samples later
	[ "$status" -gt 1 ] || [ -n "$shard" ] || remember repetition "$target" "$scale/bench.json"
}

check_settings "$@"
machine=$("$bin/copra-peaks" --machine) || exit 1
if [ "$only" = --estimate ]; then
	if [ -n "$merging" ]; then
		scratch=$(mktemp -d) || exit 1
		trap 'rm -rf "$scratch"' EXIT
		prepare_folders
		for target in "${targets[@]}"; do merge "$target"; done
	fi
	estimate_all
	exit "$worst"
fi
mkdir -p -- "$results" 2>/dev/null && [ -w "$results" ] || die 1 "cannot write to $results"
what="${PAPER:-all papers} at scale $scale, device $device${shard:+, shard $shard}"
if [ -n "$shard" ]; then
	take_shard_lock "$results/.lock" "${shard%/*}-of-${shard#*/}-$scale" "$what"
else
	take_lock "$results/.lock" "$what"
fi
if [ -n "$merging" ]; then
	prepare_folders
	for target in "${targets[@]}"; do merge "$target"; done
fi
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
[ -n "$shard" ] || other_programs
[ "$only" = --measure ] || [ -n "$shard" ] || [ "$scale" = smoke ] || whole_processes
if [ -n "$interrupted" ]; then
	complain "interrupted; measurements are kept, run the same command to continue"
	exit 3
fi
if [ "$only" != --measure ] && [ -z "$shard" ]; then
	run scripts/report.sh
	note "$(failure_code "$status")"
fi
[ "$worst" -eq 3 ] && complain "out of time; measurements are kept, run the same command to continue"
exit "$worst"
