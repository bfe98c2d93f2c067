#!/usr/bin/env bash
# Gives each reader RUNS made-up inputs, which begin from tests/fuzz/corpus/<reader> and are kept
# beside the program. Ends with 1 where one of them crashes, leaks or breaks what the reader promises;
# what it was given is then in <folder>/<reader>.finding-*, to be put into the corpus.
# usage: fuzz.sh FOLDER      (RUNS=1000000 READER="atsp csv" SECONDS_MOST=0: of each reader, 0 is no limit)
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
folder=${1:?usage: fuzz.sh FOLDER}
runs=${RUNS:-1000000}
failed=0 ran=0

# Long inputs only take time, but what begins from a file must have room for it.
longest() { # reader
	find "tests/fuzz/corpus/$1" -type f -printf '%s\n' | sort -n | tail -n 1 |
		awk '{ print ($1 > 1500 ? $1 + 200 : 1500) }'
}

outcome() { # exit status of libFuzzer, log
	case $1 in
	0) echo "no finding" ;;
	72) echo "interrupted, no finding until then" ;;
	*) echo "FINDING, see $2" ;;
	esac
}

fuzz() { # reader
	local program=$folder/$1 found=$folder/$1.found log=$folder/$1.log seeds=("tests/fuzz/corpus/$1")
	[ ! -d "tests/data/bad_$1s" ] || seeds+=("tests/data/bad_$1s")
	mkdir -p "$found"
	# a leak is looked for at the end, and whenever memory seems to grow; a finding that is run again
	# alone tells longer stacks of allocations
	ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=2:handle_segv=1 nice -n 15 "$program" "$found" \
		"${seeds[@]}" -runs="$runs" \
		-max_total_time="${SECONDS_MOST:-0}" -max_len="$(longest "$1")" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$folder/$1.finding-" -verbosity=1 \
		>"$log" 2>&1
	local status=$?
	printf '%-12s %9s runs, %5s a second, %6s branches: %s\n' "$1" \
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
