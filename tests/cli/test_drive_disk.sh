#!/usr/bin/env bash
# Results that cannot be written, and a disk that is full before or on the way: nothing is measured in
# vain, nothing that was measured is lost.
# usage: test_drive_disk.sh BIN_DIR
set -eu
. "$(dirname "$0")/drive.bash"
naps 1 2

# folders that cannot be written: nothing is measured in vain
: >plain
check "a file in the place of the results" exits 1 env COPRA_RESULTS="$work/plain" "${drive[@]}"
check "... one line" one_line "cannot write to $work/plain"
mkdir -p results/here
: >results/here/copra-demo
check "a file in the place of a target's folder" exits 1 "${drive[@]}"
check "... one line" one_line "cannot write to .*here/copra-demo"
rm -rf results
mounted=''
unmount() {
	for place in $mounted; do umount "$place" 2>/dev/null || true; done
}
trap 'unmount; rm -rf "$work"' EXIT
mkdir results
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=40k none results 2>/dev/null; then
	mounted=results
	mount -o remount,ro results
	check "results on a read-only disk" exits 1 "${drive[@]}"
	check "... one line" one_line "cannot write to .*results"
	mount -o remount,rw results
	check "too little room for the run" exits 1 env COPRA_BENCH_FLAGS="--benchmark_filter=nap
		--benchmark_repetitions=1000000" "${drive[@]}"
	check "... is said before it starts" one_line "has .* left but needs"
	check "... nothing ran" test ! -e "$folder/bench.journal.jsonl"
	naps 500 2
	start
	wait_for_rows 2
	dd if=/dev/zero of=results/filler bs=4k 2>/dev/null || true
	finish
	check "a disk that fills up on the way: exit code 1" test $code -eq 1
	check "... is said" grep -q 'No space left' err.txt
	rm results/filler
	check "with room again it goes on" exits 0 "${drive[@]}"
	check "... to all rows" is_complete 10
	check "... once" never_twice
elif [ "$(id -u)" -ne 0 ]; then
	mkdir -p results && chmod 500 results
	check "results that may not be written" exits 1 "${drive[@]}"
	check "... one line" one_line "cannot write to .*results"
	chmod 700 results
fi
exit $failed
