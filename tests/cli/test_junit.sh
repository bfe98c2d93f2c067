#!/usr/bin/env bash
# scripts/run-tests.sh: results of passing, failing, crashing and skipped tests, as text and as JUnit
# XML.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
unset COPRA_TEST_TALLY COPRA_TEST_LIMIT JUNIT
run=$root/scripts/run-tests.sh

# programs that print what cmocka prints
mkdir programs
program() { # name, exit status, output
	printf '#!/bin/sh\ncat <<"END"\n%s\nEND\nexit %s\n' "$3" "$2" >"programs/$1"
	chmod +x "programs/$1"
}
program test_good 0 '[ RUN      ] adds
[       OK ] adds
[ RUN      ] needs_a_gpu
[  SKIPPED ] needs_a_gpu'
check "run-tests.sh exits with 0 if all tests pass" exits 0 env JUNIT=good.xml "$run" --unit programs
check "passed and skipped tests are counted" grep -qx '1 passed, 0 failed, 1 skipped' out.txt
program test_bad 1 '[ RUN      ] a_wrong_answer
[  ERROR   ] --- 1 < 2 && "x" != "y"
[  FAILED  ] a_wrong_answer
[ RUN      ] right
[       OK ] right
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] a_wrong_answer'
program test_crash 139 '[ RUN      ] before
[       OK ] before
[ RUN      ] dereferences_null'
program test_sanitizer 66 '[ RUN      ] fine
[       OK ] fine
ERROR: LeakSanitizer'
check "run-tests.sh exits with 1 if a test fails" exits 1 env JUNIT=all.xml "$run" --unit programs
check "failed tests, crashes and sanitizer findings are counted" grep -qx '4 passed, 3 failed, 1 skipped' out.txt
for name in bad crash sanitizer; do
	check "the failed program test_$name is named" grep -qE "^failed: .*/?programs/test_$name$" out.txt
done

printf 'echo "ok   one"\nexit 0\n' >test_one.sh
printf 'echo "FAIL two < three"\nexit 1\n' >test_two.sh
printf 'echo "no hyperfine"\nexit 77\n' >test_three.sh
check "run-tests.sh exits with 1 if a script fails" exits 1 env JUNIT=cli.xml "$run" --cli . "$work"/test_{one,two,three}.sh
check "scripts are counted" grep -qx '1 passed, 1 failed, 1 skipped' out.txt
check "an XML file that cannot be written gives exit code 1" exits 1 env JUNIT=/nowhere/x.xml "$run" --cli . "$work/test_one.sh"

# several runs are one file
mkdir tally
check "a first run with COPRA_TEST_TALLY passes" exits 0 env COPRA_TEST_TALLY=tally "$run" --cli . "$work/test_one.sh"
check "a second run with COPRA_TEST_TALLY fails" exits 1 env COPRA_TEST_TALLY=tally "$run" --cli . "$work/test_two.sh"
check "the summary of both runs exits with 1" exits 1 env COPRA_TEST_TALLY=tally JUNIT=several.xml "$run" --summary
check "the summary counts both runs" grep -qx '1 passed, 1 failed, 0 skipped' out.txt

cat >junit.py <<'END'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites", root.tag
cases = {}
for suite in root:
    assert suite.tag == "testsuite"
    inside = list(suite)
    kinds = ["".join(child.tag for child in case) or "ok" for case in inside]
    assert int(suite.get("tests")) == len(inside)
    assert int(suite.get("failures")) == kinds.count("failure")
    assert int(suite.get("skipped")) == kinds.count("skipped")
    float(suite.get("time"))
    for case, kind in zip(inside, kinds):
        cases[suite.get("name").split("/")[-1] + "." + case.get("name")] = (kind, case)
found = {name: kind for name, (kind, case) in cases.items()}
assert found == eval(sys.argv[2]), found
for name, (kind, case) in cases.items():
    if name == "test_bad.a_wrong_answer":
        assert '1 < 2 && "x" != "y"' in case.find("failure").text
END
junit() { # file, test cases
	python3 junit.py "$@"
}
check "the XML has passed and skipped tests" junit good.xml '{"test_good.adds": "ok", "test_good.needs_a_gpu": "skipped"}'
check "the XML has failed tests" junit all.xml '{"test_good.adds": "ok", "test_good.needs_a_gpu": "skipped",
	"test_bad.a_wrong_answer": "failure", "test_bad.right": "ok", "test_crash.before": "ok",
	"test_crash.dereferences_null": "failure", "test_sanitizer.fine": "ok",
	"test_sanitizer.exit status 66": "failure"}'
check "the XML has scripts" junit cli.xml '{"test_one.sh.script": "ok", "test_two.sh.exit status 1": "failure",
	"test_three.sh.script": "skipped"}'
check "the XML of several runs has all their tests" junit several.xml '{"test_one.sh.script": "ok", "test_two.sh.exit status 1": "failure"}'
exit $failed
