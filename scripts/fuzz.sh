#!/usr/bin/env bash
# Fuzzes each reader with RUNS inputs, starting from tests/fuzz/corpus/<reader>. New inputs are kept
# beside the program. Exit code 1 if an input makes a reader crash, leak or break its contract; the
# input is then in <folder>/<reader>.finding-* and belongs into the corpus.
# usage: fuzz.sh FOLDER
# Settings: RUNS=1000000 per reader; SECONDS_MOST=0, a limit per reader (0: none); READER="atsp csv".
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
folder=${1:?usage: fuzz.sh FOLDER}
runs=${RUNS:-1000000}
failed=0 ran=0

# The maximum length of an input: long inputs take time, but those of the corpus must fit.
longest() { # reader
	find "tests/fuzz/corpus/$1" -type f -printf '%s\n' | sort -n | tail -n 1 |
		awk '{ print ($1 > 1500 ? $1 + 200 : 1500) }'
}

outcome() { # exit status of libFuzzer, log
	case $1 in
	0) echo "no finding" ;;
	72) echo "interrupted, no finding so far" ;;
	*) echo "FINDING, see $2" ;;
	esac
}

fuzz() { # reader
	local program=$folder/$1 found=$folder/$1.found log=$folder/$1.log seeds=("tests/fuzz/corpus/$1")
	[ ! -d "tests/data/bad_$1s" ] || seeds+=("tests/data/bad_$1s")
	mkdir -p "$found"
	# short allocation stacks for speed; to see longer ones, run the program again with a finding
	ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=2:handle_segv=1 nice -n 15 "$program" "$found" \
		"${seeds[@]}" -runs="$runs" \
		-max_total_time="${SECONDS_MOST:-0}" -max_len="$(longest "$1")" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$folder/$1.finding-" -verbosity=1 \
		>"$log" 2>&1
	local status=$?
	printf '%-12s %9s runs, %5s/s, %6s branches: %s\n' "$1" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
		"$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" \
		"$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1 | cut -d' ' -f2)" \
		"$(outcome $status "$log")"
	return $status
}

for program in "$folder"/*; do
	name=$(basename "$program")
	[ -f "$program" ] && [ -x "$program" ] || continue
	[ -z "${READER:-}" ] || [[ " $READER " == *" $name "* ]] || continue
	ran=$((ran + 1))
	fuzz "$name" || failed=1
done
[ $ran -gt 0 ] || { echo "fuzz: no reader '${READER:-}' in $folder" >&2; exit 2; }
exit $failed
