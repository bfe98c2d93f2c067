#!/usr/bin/env bash
# If an output cannot be written, the program prints one error line and exits with 1, and an old file is
# not changed.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/demo.bash"
fast="--benchmark_min_time=1x"

complains() { # text: the program printed exactly one error line, which contains the text
	[ "$(grep -c '^demo: ' err.txt)" -eq 1 ] && grep '^demo: ' err.txt | grep -q -- "$1" ||
		{ cat err.txt; return 1; }
}

if [ -w /dev/full ]; then
	check "--benchmark_out=/dev/full makes bench exit with 1" exits 1 "$demo" $fast --benchmark_filter=nap \
		--benchmark_out=/dev/full
	check "the error names /dev/full" complains /dev/full
	check "standard output on a full disk makes bench exit with 1" \
		exits 1 sh -c "'$demo' $fast --benchmark_filter=nap >/dev/full"
	check "the error names standard output" complains "standard output"
	check "solve --json=/dev/full exits with 1" exits 1 "$demo" solve --instance=15 --json=/dev/full
	check "the error of solve names /dev/full" complains /dev/full
fi

echo precious >old.json
check "a limit on the size of files makes bench exit with 1" exits 1 bash -c \
	"trap '' XFSZ; ulimit -f 1; '$demo' $fast --benchmark_filter=nap --benchmark_out=old.json"
check "the error says that the file is too large" complains "File too large"
check "the old file is unchanged" grep -q precious old.json
check "no temporary files are left" test -z "$(find . -name '*.tmp')"

check "a folder is refused as the output file" exits 1 "$demo" $fast --benchmark_filter=nap \
	--benchmark_out=.
check "the folder is refused before any case runs" test ! -s out.txt
: >plain
check "an output below a plain file is refused" exits 1 "$demo" $fast --benchmark_filter=nap \
	--benchmark_out=plain/b.json
check "the error names the plain file" complains plain
check "missing folders are created" exits 0 "$demo" $fast --benchmark_filter=nap \
	--benchmark_out=new/folder/b.json
check "the file is in the new folder" test -s new/folder/b.json

mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=16k none small 2>/dev/null; then
	trap 'umount "$work/small" 2>/dev/null || true; rm -rf "$work"' EXIT
	echo precious >small/b.json
	check "a full disk makes bench exit with 1" exits 1 "$demo" $fast --benchmark_repetitions=30 --benchmark_filter=nap \
		--benchmark_out=small/b.json
	check "the error says that no space is left" complains "No space left"
	check "a full disk leaves the old file unchanged" grep -q precious small/b.json
	check "a full disk does not affect the printed results" grep -q 'demo/nap/ms:1/case:1' out.txt
	umount small
fi
exit $failed
