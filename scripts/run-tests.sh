#!/usr/bin/env bash
# Runs test programs, each in its own process with a time limit, and counts the results. Two run at
# a time if the machine has the cores.
# usage: run-tests.sh --unit DIR [NAME...]  the unit tests (cmocka programs) of a folder
#        run-tests.sh --gpu DIR             the same, one at a time
#        run-tests.sh --cli BIN [TEST...]   command-line tests (default: all of tests/cli)
#        run-tests.sh --summary             the totals of several runs; see COPRA_TEST_TALLY
# Settings, from the environment:
#   COPRA_TEST_LIMIT  seconds a program may take (1800)
#   COPRA_TEST_LABEL  a word that distinguishes these results from others of the same programs
#   COPRA_TEST_TALLY  a folder that collects the results of several runs until --summary
#   JUNIT             a file to write the results to, as JUnit XML
# The last line is "N passed, N failed, N skipped". Exit code 1 if a test failed.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
here=$(cd -- "$(dirname -- "$0")/.." && pwd)
limit=${COPRA_TEST_LIMIT:-1800}

usage() {
	sed -n '4,7s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# ---- one test ----

# Records a result: counts, XML and the printed text, under a lock because tests run in parallel.
record() { # name, passed, failed, skipped, text, XML file
	(
		flock 8
		printf '%s\n' "$5"
		echo "$2 $3 $4 $1" >>"$COPRA_TEST_TALLY/counts"
		cat "$6" >>"$COPRA_TEST_TALLY/suites.xml"
	) 8>>"$COPRA_TEST_TALLY/lock"
}
# XML of one test program, from a log in cmocka's format. A failure that cmocka did not report (a
# crash, a sanitizer's finding, the time limit) becomes a separate test case.
suite() { # name, exit status, seconds, log
	tr -d '\000-\010\013-\037' <"$4" | iconv -c -f UTF-8 -t UTF-8 |
		awk -v suite="$1" -v status="$2" -v seconds="$3" '
	function xml(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s); return s }
	function add(name, body) { n++; cases = cases "    <testcase classname=\"" xml(suite) "\" name=\"" xml(name) "\"" (body == "" ? "/>" : ">" body "</testcase>") "\n" }
	function fail(name, text) { failed++; add(name, "<failure>" xml(text) "</failure>") }
	/^\[ RUN      \] / { if (name != "") fail(name, text); name = substr($0, 14); text = ""; next }
	name != "" && /^\[       OK \] / { add(name, ""); name = ""; text = ""; next }
	name != "" && /^\[  FAILED  \] / { fail(name, text); name = ""; text = ""; next }
	name != "" && /^\[  SKIPPED \] / { skipped++; add(name, "<skipped/>"); name = ""; text = ""; next }
	{ text = text $0 "\n" }
	END {
		if (name != "") fail(name, text)
		else if (status == 77) { skipped++; add("script", "<skipped>" xml(text) "</skipped>") }
		else if (status != 0 && failed == 0) fail("exit status " status, text)
		else if (n == 0) add("script", "")
		printf "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%s\">\n%s  </testsuite>\n", xml(suite), n, failed, skipped, seconds, cases
	}'
}
count() { # lines of a cmocka log that match
	grep -cE "$1" "$2"
}
unit() { # one cmocka program
	local log status ok bad skip start=$SECONDS name=${1#"$here"/}${COPRA_TEST_LABEL:+ ($COPRA_TEST_LABEL)}
	log=$(mktemp)
	timeout "$limit" "$1" >"$log" 2>&1
	status=$?
	ok=$(count '^\[ +OK \]' "$log")
	bad=$(grep -E '^\[  FAILED  \] [A-Za-z_]' "$log" | sort -u | wc -l)
	skip=$(count '^\[  SKIPPED \] [A-Za-z_]' "$log")
	[ $status -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
	[ $status -eq 0 ] && [ $((ok + skip)) -eq 0 ] && bad=1
	suite "$name" $status $((SECONDS - start)) "$log" >"$log.xml"
	if [ "$bad" -gt 0 ]; then
		record "$name" "$ok" "$bad" "$skip" "FAIL $name (exit $status, $((SECONDS - start)) s)
$(tail -n 60 "$log" | tr -d '\0')" "$log.xml"
	else
		record "$name" "$ok" 0 "$skip" "ok   $name: $ok ($((SECONDS - start)) s)" "$log.xml"
	fi
	rm -f "$log" "$log.xml"
}
script() { # one command-line test: exit status 0 passed, 77 skipped
	local log status name=${1#"$here"/} start=$SECONDS
	log=$(mktemp)
	timeout "$limit" bash "$1" "$2" >"$log" 2>&1
	status=$?
	suite "$name" $status $((SECONDS - start)) "$log" >"$log.xml"
	case $status in
	0) record "$name" 1 0 0 "ok   $name ($((SECONDS - start)) s)" "$log.xml" ;;
	77) record "$name" 0 0 1 "skip $name: $(tail -n 1 "$log")" "$log.xml" ;;
	*) record "$name" 0 1 0 "FAIL $name (exit $status, $((SECONDS - start)) s)
$(grep -a -B 4 '^FAIL' "$log" | head -n 40 | tr -d '\0')
-- the end of its output:
$(tail -n 20 "$log" | tr -d '\0')" "$log.xml" ;;
	esac
	rm -f "$log" "$log.xml"
}

case ${1:-} in
--one-unit) unit "$2" && exit ;;
--one-script) script "$2" "$3" && exit ;;
esac

# ---- all tests ----

each() { # number at once, kind, the folder of the programs or ''; tests on stdin
	xargs -r -d '\n' -P "$1" -I{} "$here/scripts/run-tests.sh" "$2" {} ${3:+"$3"}
}
programs() { # folder; names: default all
	if [ $# -gt 1 ]; then
		printf "$1/%s\n" "${@:2}"
	elif [ -d "$1" ]; then
		find "$1" -maxdepth 1 -name 'test_*' -type f -executable | sort
	fi
}
scripts() { # the tests given, or all
	if [ $# -gt 0 ]; then printf '%s\n' "$@"; else find "$here/tests/cli" -name 'test_*.sh' | sort; fi
}
counted() { # number of recorded programs
	cat "$COPRA_TEST_TALLY/counts" 2>/dev/null | wc -l
}
write_junit() {
	{
		echo '<?xml version="1.0" encoding="UTF-8"?>'
		echo '<testsuites name="copra">'
		cat "$COPRA_TEST_TALLY/suites.xml" 2>/dev/null
		echo '</testsuites>'
	} >"$JUNIT"
}

several=${COPRA_TEST_TALLY:-} # set: --summary comes later
if [ -z "$several" ]; then
	COPRA_TEST_TALLY=$(mktemp -d)
	export COPRA_TEST_TALLY
	trap 'rm -rf "$COPRA_TEST_TALLY"' EXIT
fi
jobs=$(nproc 2>/dev/null || echo 1)
[ "$jobs" -gt 2 ] && jobs=2
before=$(counted)
case ${1:-} in
--unit) programs "${@:2}" | each "$jobs" --one-unit ;;
--gpu) programs "$2" | each 1 --one-unit ;;
--cli) scripts "${@:3}" | each "$jobs" --one-script "$2" ;;
--summary) before=0 ;;
*) usage ;;
esac
# a build without cmocka has no unit tests, which counts as one skipped test
[ "$1" = --summary ] || [ "$(counted)" -gt "$before" ] ||
	record "$2" 0 0 1 "skip $2: no tests were built (make config)" /dev/null
read -r passed failed skipped < <(tail -n "+$((before + 1))" "$COPRA_TEST_TALLY/counts" 2>/dev/null |
	awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
if [ -z "$several" ] || [ "$1" = --summary ]; then
	sed -n 's/^[0-9]* [1-9][0-9]* [0-9]* /failed: /p' "$COPRA_TEST_TALLY/counts" 2>/dev/null
	if [ -n "${JUNIT:-}" ]; then
		write_junit || { echo "run-tests: cannot write $JUNIT" >&2 && failed=$((failed + 1)); }
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$passed" -gt 0 ] || exit 1
fi
[ "$failed" -eq 0 ]
