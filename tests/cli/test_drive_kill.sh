#!/usr/bin/env bash
# kill -9 at any moment, of all or of the driver alone: nothing that was measured is lost, nothing is
# measured twice, and the dead hold no lock.
# usage: test_drive_kill.sh BIN_DIR       SEED=N: the moments
set -eu
. "$(dirname "$0")/drive.bash"
RANDOM=${SEED:-$$}
echo "moments from SEED=${SEED:-$$}"
naps 60 4
export COPRA_ORPHAN_SECONDS=10

kept() { # the rows that the journal had before are its head still
	head -n "$1" "$folder/bench.journal.jsonl" 2>/dev/null | cmp -s - before.jsonl
}
whole_lines() {
	{ cat "$folder/bench.journal.jsonl" 2>/dev/null || true; } | wc -l
}
for round in 1 2 3 4 5 6; do
	start
	sleep "0.$((RANDOM % 80 + 10))"
	if [ $((round % 2)) -eq 1 ]; then
		kill -9 -- "-$pid" 2>/dev/null || true
	else
		kill -9 "$pid" 2>/dev/null || true # its program is left
	fi
	finish
	lines=$(whole_lines)
	{ head -n "$lines" "$folder/bench.journal.jsonl" || true; } >before.jsonl 2>/dev/null
	# a line that the program of a killed driver is writing still is its own affair
	check "round $round: the journal only grows" kept "$lines"
done
# as of a process that was killed while it wrote the file, which hardly ever hits that moment
sleep 0 &
wait $!
mkdir -p "$folder" && : >"$folder/bench.json.$!-0.tmp"
check "then it ends well" exits 0 "${drive[@]}"
check "... with all rows" is_complete 20
check "... none of them measured twice" never_twice
check "... and those of the killed runs" kept "$lines"
check "nothing is left over" test -z "$(find results \( -name '*.tmp' -o -name '*.running' \))"
cp "$folder/bench.journal.jsonl" complete.jsonl
check "a complete run runs nothing" exits 0 "${drive[@]}"
check "... of the same rows" cmp -s complete.jsonl "$folder/bench.journal.jsonl"

naps 20 1
rm -r results
COPRA_DEMO_LONG=2 start
wait_for_rows 1
second=0
"${drive[@]}" >out2.txt 2>err.txt || second=$?
check "a second run is refused" test $second -eq 2
check "... and told who runs" one_line "process $pid on $(uname -n), since .*copra-demo"
gone() { # the program that the driver had started
	for _ in $(seq 600); do
		kill -0 -- "-$pid" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}
if setpriv --pdeathsig TERM true 2>/dev/null; then
	kill -9 "$pid"
	finish
	check "a killed driver's program ends before its time" gone
else
	kill -9 -- "-$pid"
	finish
fi
check "a killed driver's program does not block the next run" exits 0 "${drive[@]}"
check "... which has all rows" is_complete 5
check "... once" never_twice

rm -r results
mkdir results
printf 'pid=%s\nhost=%s\nsince=then\n' 4194304 "$(uname -n)" >results/.lock
naps 1 1
check "the lock file of a dead process does not block" exits 0 "${drive[@]}"
exit $failed
