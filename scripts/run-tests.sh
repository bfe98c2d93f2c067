#!/usr/bin/env bash
# Runs test programs, each in a process of its own with a time limit, and counts.
# usage: run-tests.sh --unit DIR | --gpu DIR | --cli BIN_DIR | --summary
# Counts are kept in $COPRA_TEST_TALLY when set, so that several runs add up; --summary prints them
# as the last line: "N passed, N failed, N skipped".
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
limit=${COPRA_TEST_LIMIT:-300}
passed=0 failed=0 skipped=0

count() { # lines of a cmocka log that match
	grep -cE "$1" "$2"
}
unit() { # one cmocka program
	local log status ok bad skip
	log=$(mktemp)
	timeout "$limit" "$1" >"$log" 2>&1
	status=$?
	ok=$(count '^\[ +OK \]' "$log")
	bad=$(grep -E '^\[  FAILED  \] [A-Za-z_]' "$log" | sort -u | wc -l)
	skip=$(count '^\[  SKIPPED \] [A-Za-z_]' "$log")
	# a crash, a sanitizer report or a time-out says nothing in cmocka's words
	[ $status -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
	[ $status -eq 0 ] && [ $((ok + skip)) -eq 0 ] && bad=1
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
	if [ "$bad" -gt 0 ]; then
		printf 'FAIL %s (exit %d)\n' "$1" "$status"
		tail -n 60 "$log"
	else
		printf 'ok   %s: %d\n' "${1#"$here"/}" "$ok"
	fi
	rm -f "$log"
}
script() { # one command-line test: exit 0 passed, 77 skipped
	local log status
	log=$(mktemp)
	timeout "$limit" bash "$1" "$2" >"$log" 2>&1
	status=$?
	case $status in
	0) passed=$((passed + 1)) && printf 'ok   %s\n' "${1#"$here"/}" ;;
	77) skipped=$((skipped + 1)) && printf 'skip %s: %s\n' "${1#"$here"/}" "$(tail -n 1 "$log")" ;;
	*)
		failed=$((failed + 1))
		printf 'FAIL %s (exit %d)\n' "$1" "$status"
		tail -n 60 "$log"
		;;
	esac
	rm -f "$log"
}

case ${1:-} in
--unit) for t in "$2"/test_*; do [ -x "$t" ] && unit "$t"; done ;;
--gpu) for t in "$2"/test_*; do [ -x "$t" ] && unit "$t"; done ;;
--cli) for t in "$here"/tests/cli/test_*.sh; do script "$t" "$2"; done ;;
--summary) ;;
*)
	echo "usage: run-tests.sh --unit DIR | --gpu DIR | --cli BIN_DIR | --summary" >&2
	exit 2
	;;
esac

tally=${COPRA_TEST_TALLY:-}
if [ -n "$tally" ]; then
	echo "$passed $failed $skipped" >>"$tally"
	if [ "$1" = --summary ]; then
		read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 } END { print p, f, s }' "$tally")
	fi
fi
if [ -z "$tally" ] || [ "$1" = --summary ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$passed" -eq 0 ] && exit 1
fi
[ "$failed" -eq 0 ]
