#!/usr/bin/env bash
# The driver when results cannot be written or the disk is full or becomes full: it measures nothing that
# it cannot store, and loses no measurement.
# usage: test_drive_disk.sh BIN_DIR
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/drive.bash"
naps 1 2

# folders that cannot be written
: >plain
check "a file in place of the results folder is refused" exits 1 env COPRA_RESULTS="$work/plain" "${drive[@]}"
check "the error is one line that names the file" one_line "cannot write to $work/plain"
mkdir -p results/here
: >results/here/copra-demo
check "a file in place of a target's folder is refused" exits 1 "${drive[@]}"
check "the error is one line that names the target's folder" one_line "cannot write to .*here/copra-demo"
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
	check "results on a read-only disk are refused" exits 1 "${drive[@]}"
	check "the error is one line that names the folder" one_line "cannot write to .*results"
	mount -o remount,rw results
	check "a run that needs more space than is free is refused" exits 1 env COPRA_BENCH_FLAGS="--benchmark_filter=nap
		--benchmark_repetitions=1000000" "${drive[@]}"
	check "the error compares free and needed space" one_line "has .* left but needs"
	check "no case was run" test ! -e "$folder/bench.journal.jsonl"
	naps 500 2
	start
	wait_for_rows 2
	dd if=/dev/zero of=results/filler bs=4k 2>/dev/null || true
	finish
	check "a disk that fills up during the run gives exit code 1" test $code -eq 1
	check "the error says that no space is left" grep -q 'No space left' err.txt
	rm results/filler
	check "the run continues when there is space again" exits 0 "${drive[@]}"
	check "the results have all rows" is_complete 10
	check "no case was measured twice" never_twice
elif [ "$(id -u)" -ne 0 ]; then
	mkdir -p results && chmod 500 results
	check "results without write permission are refused" exits 1 "${drive[@]}"
	check "the error is one line that names the folder" one_line "cannot write to .*results"
	chmod 700 results
fi
exit $failed
