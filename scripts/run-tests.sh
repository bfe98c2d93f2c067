#!/usr/bin/env bash
# Runs test programs, each in a process of its own with a time limit, two at a time where there are
# cores for it, and counts.
# usage: run-tests.sh --unit DIR | --gpu DIR | --cli BIN_DIR | --summary
# Counts are kept in $COPRA_TEST_TALLY when set, so that several runs add up; --summary prints them
# as the last line: "N passed, N failed, N skipped". COPRA_TEST_LIMIT: seconds a program may take.
set -u
unset CDPATH
here=$(cd -- "$(dirname -- "$0")/.." && pwd)
limit=${COPRA_TEST_LIMIT:-900}

usage() {
	echo "usage: run-tests.sh --unit DIR | --gpu DIR | --cli BIN_DIR | --summary" >&2
	exit 2
}
count() { # lines of a cmocka log that match
	grep -cE "$1" "$2"
}
report() { # test, passed failed skipped, what to print: whole, even when several tests end at once
	(
		flock 8
		printf '%s\n' "$5"
		echo "$2 $3 $4 $1" >>"$COPRA_TEST_COUNTS"
	) 8>>"$COPRA_TEST_COUNTS.lock"
}
unit() { # one cmocka program
	local log status ok bad skip start=$SECONDS
	log=$(mktemp)
	timeout "$limit" "$1" >"$log" 2>&1
	status=$?
	ok=$(count '^\[ +OK \]' "$log")
	bad=$(grep -E '^\[  FAILED  \] [A-Za-z_]' "$log" | sort -u | wc -l)
	skip=$(count '^\[  SKIPPED \] [A-Za-z_]' "$log")
	# a crash, a sanitizer report or a time-out says nothing in cmocka's words
	[ $status -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
	[ $status -eq 0 ] && [ $((ok + skip)) -eq 0 ] && bad=1
	if [ "$bad" -gt 0 ]; then
		report "$1" "$ok" "$bad" "$skip" "FAIL $1 (exit $status, $((SECONDS - start)) s)
$(tail -n 60 "$log" | tr -d '\0')"
	else
		report "$1" "$ok" 0 "$skip" "ok   ${1#"$here"/}: $ok ($((SECONDS - start)) s)"
	fi
	rm -f "$log"
}
script() { # one command-line test: exit 0 passed, 77 skipped
	local log status name=${1#"$here"/} start=$SECONDS
	log=$(mktemp)
	timeout "$limit" bash "$1" "$2" >"$log" 2>&1
	status=$?
	case $status in
	0) report "$name" 1 0 0 "ok   $name ($((SECONDS - start)) s)" ;;
	77) report "$name" 0 0 1 "skip $name: $(tail -n 1 "$log")" ;;
	*) report "$name" 0 1 0 "FAIL $name (exit $status, $((SECONDS - start)) s)
$(grep -a -B 4 '^FAIL' "$log" | head -n 40 | tr -d '\0')
-- its end:
$(tail -n 20 "$log" | tr -d '\0')" ;;
	esac
	rm -f "$log"
}
each() { # how many at once, kind, the folder of the programs or ''; tests on stdin
	xargs -r -d '\n' -P "$1" -I{} "$here/scripts/run-tests.sh" "$2" {} ${3:+"$3"}
}
programs() { # in a folder
	[ ! -d "$1" ] || find "$1" -maxdepth 1 -name 'test_*' -type f -executable | sort
}

case ${1:-} in
--one-unit) unit "$2" && exit ;;
--one-script) script "$2" "$3" && exit ;;
esac

tally=${COPRA_TEST_TALLY:-}
export COPRA_TEST_COUNTS=${tally:-$(mktemp)}
jobs=$(nproc 2>/dev/null || echo 1)
[ "$jobs" -gt 2 ] && jobs=2
before=$(wc -l <"$COPRA_TEST_COUNTS")
case ${1:-} in
--unit) programs "$2" | each "$jobs" --one-unit ;;
--gpu) programs "$2" | each 1 --one-unit ;; # one at a time on the GPUs
--cli) find "$here/tests/cli" -name 'test_*.sh' | sort | each "$jobs" --one-script "$2" ;;
--summary) before=0 ;;
*) usage ;;
esac
# a build without a library has no tests that need it: that must be seen
[ "$1" = --summary ] || [ "$(wc -l <"$COPRA_TEST_COUNTS")" -gt "$before" ] ||
	report "$2" 0 0 1 "skip $2: no tests are there (make config)"
read -r passed failed skipped < <(tail -n "+$((before + 1))" "$COPRA_TEST_COUNTS" |
	awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
rm -f "$COPRA_TEST_COUNTS.lock"
if [ -z "$tally" ] || [ "$1" = --summary ]; then
	tail -n "+$((before + 1))" "$COPRA_TEST_COUNTS" | sed -n 's/^[0-9]* [1-9][0-9]* [0-9]* /failed: /p'
	echo "$passed passed, $failed failed, $skipped skipped"
	[ -z "$tally" ] && rm -f "$COPRA_TEST_COUNTS"
	[ "$passed" -eq 0 ] && exit 1
fi
[ "$failed" -eq 0 ]
