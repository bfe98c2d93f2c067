#!/usr/bin/env bash
# SIGINT, SIGTERM and SIGHUP, to the driver alone or to its process group: it ends soon with exit code
# 3, leaves no process behind, keeps the measurements and can continue. MINUTES= ends it in time.
# usage: test_drive_stop.sh BIN_DIR
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
	for _ in $(seq 100); do
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
	check "SIG$1, $2: exit code 3" test $code -eq 3
	check "... with one line" test "$(grep -c '^reproduce: interrupted' err.txt)" -eq 1
	check "... keeps the measurements" test "$(journal_rows)" -eq 2
	check "... no process is left" gone
	check "... the rows are in the results" test -s "$folder/bench.json"
}
stops INT group
stops TERM alone
stops TERM group
stops HUP group
check "the same command continues" exits 0 "${drive[@]}"
check "... to all rows" is_complete 10
check "... none of them measured twice" never_twice

rm -rf results
naps 1 1
check "out of time: exit code 3" exits 3 env COPRA_DEMO_LONG=3 MINUTES=5 "${drive[@]}"
check "... says so" grep -q '^reproduce: out of time' err.txt
check "... with the rows that fit" is_complete 2
check "MINUTES=0 starts nothing" exits 3 env MINUTES=0 "${drive[@]}"
check "the next run does the rest" exits 0 "${drive[@]}"
check "... all rows" is_complete 5
check "... once" never_twice
check "MINUTES=soon is refused" exits 2 env MINUTES=soon "${drive[@]}"
check "... in one line" one_line MINUTES
check "LONGEST=soon is refused" exits 2 env LONGEST=soon "${drive[@]}"
check "... in one line" one_line LONGEST
exit $failed
