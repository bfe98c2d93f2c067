#!/usr/bin/env bash
# After SIGINT, SIGTERM or SIGHUP, to the driver only or to its process group, the driver ends with exit
# code 3, leaves no process behind, keeps the measurements and can continue. MINUTES ends it in time.
# usage: test_drive_stop.sh BIN_DIR
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/drive.bash"

# background jobs of a script ignore SIGINT; the driver is started so that it does not
start_interruptible() {
	setsid python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "${drive[@]}" >out.txt 2>err.txt &
	pid=$!
}
gone() { # no process of the group is left
	for _ in $(seq 600); do
		kill -0 -- "-$pid" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}
naps 20 2
stops() { # signal, alone or group
	rm -rf results
	COPRA_DEMO_LONG=2 start_interruptible
	wait_for_rows 2
	if [ "$2" = alone ]; then kill "-$1" "$pid"; else kill "-$1" -- "-$pid"; fi
	finish
	check "SIG$1 ($2): exit code 3" test $code -eq 3
	check "SIG$1 ($2): one line reports the interruption" test "$(grep -c '^reproduce: interrupted' err.txt)" -eq 1
	check "SIG$1 ($2): the measurements are kept" test "$(journal_rows)" -eq 2
	check "SIG$1 ($2): no process is left" gone
	check "SIG$1 ($2): the results have the rows" test -s "$folder/bench.json"
}
stops INT group
stops TERM alone
stops TERM group
stops HUP group
check "the same command continues" exits 0 "${drive[@]}"
check "the results have all rows" is_complete 10
check "no case was measured twice" never_twice

rm -rf results
naps 1 1
check "MINUTES ends the run with exit code 3" exits 3 env COPRA_DEMO_LONG=3 MINUTES=5 "${drive[@]}"
check "the end of the time is reported" grep -q '^reproduce: out of time' err.txt
check "the results have the rows that were measured in time" is_complete 2
check "MINUTES=0 starts nothing" exits 3 env MINUTES=0 "${drive[@]}"
check "the next run completes the others" exits 0 "${drive[@]}"
check "the results then have all rows" is_complete 5
check "the next run measured no case twice" never_twice
check "MINUTES=soon is refused" exits 2 env MINUTES=soon "${drive[@]}"
check "the refusal is one line that names MINUTES" one_line MINUTES
check "LONGEST=soon is refused" exits 2 env LONGEST=soon "${drive[@]}"
check "the refusal is one line that names LONGEST" one_line LONGEST
exit $failed
