#!/usr/bin/env bash
# kill -9 of the driver, with or without its programs, at random times: no measurement is lost, nothing
# is measured twice, and dead processes hold no lock.
# usage: test_drive_kill.sh BIN_DIR       SEED=N: the random times; COPRA_TEST_EXTENDED=1: 200 kills
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/drive.bash"
random_rounds 4 200
naps 60 4
export COPRA_ORPHAN_SECONDS=10

kept() { # number of lines: the journal still begins with them
	head -n "$1" "$folder/bench.journal.jsonl" 2>/dev/null | cmp -s - before.jsonl
}
whole_lines() {
	{ cat "$folder/bench.journal.jsonl" 2>/dev/null || true; } | wc -l
}
for round in $(seq $rounds); do
	[ $((round % 10)) -ne 9 ] || rm -rf results # or later rounds would find a complete journal
	start
	sleep "0.$((RANDOM % 80 + 10))"
	if [ $((round % 2)) -eq 1 ]; then
		kill -9 -- "-$pid" 2>/dev/null || true
	else
		kill -9 "$pid" 2>/dev/null || true # its program keeps running
	fi
	finish
	lines=$(whole_lines)
	{ head -n "$lines" "$folder/bench.journal.jsonl" || true; } >before.jsonl 2>/dev/null
	# the program of a killed driver may still be writing another line
	check "round $round: the journal still has all its lines" kept "$lines"
done
# what a process leaves that is killed while it writes the file, which random times rarely hit
sleep 0 &
wait $!
mkdir -p "$folder" && : >"$folder/bench.json.$!-0.tmp"
check "the run completes after the kills" exits 0 "${drive[@]}"
check "the results have all rows" is_complete 20
check "no case was measured twice" never_twice
check "the rows of the killed runs are kept" kept "$lines"
check "no temporary files are left" test -z "$(find results \( -name '*.tmp' -o -name '*.running' \))"
cp "$folder/bench.journal.jsonl" complete.jsonl
check "a run with a complete journal succeeds" exits 0 "${drive[@]}"
check "it does not change the journal" cmp -s complete.jsonl "$folder/bench.journal.jsonl"

naps 20 1
rm -r results
COPRA_DEMO_LONG=2 start
wait_for_rows 1
second=0
"${drive[@]}" >out2.txt 2>err.txt || second=$?
check "a second run at the same time is refused" test $second -eq 2
check "the refusal names the process that holds the lock" one_line "process $pid on $(uname -n), since .*copra-demo"
gone() { # the program that the driver started
	for _ in $(seq 600); do
		kill -0 -- "-$pid" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}
if setpriv --pdeathsig TERM true 2>/dev/null; then
	kill -9 "$pid"
	finish
	check "a killed driver's program is terminated" gone
else
	kill -9 -- "-$pid"
	finish
fi
check "a killed driver's program does not block the next run" exits 0 "${drive[@]}"
check "the next run has all rows" is_complete 5
check "the next run measured no case twice" never_twice

rm -r results
mkdir results
printf 'pid=%s\nhost=%s\nsince=then\n' 4194304 "$(uname -n)" >results/.lock
naps 1 1
check "the lock file of a dead process does not block a run" exits 0 "${drive[@]}"
exit $failed
