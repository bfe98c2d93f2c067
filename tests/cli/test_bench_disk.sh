#!/usr/bin/env bash
# An output that cannot be written is one clear error line and exit code 1, and an old file stays
# unchanged.
set -eu
. "$(dirname "$0")/demo.bash"
fast="--benchmark_min_time=1x"

complains() { # a word: exactly one line of err.txt is the program's complaint, and has the word
	[ "$(grep -c '^demo: ' err.txt)" -eq 1 ] && grep '^demo: ' err.txt | grep -q -- "$1" ||
		{ cat err.txt; return 1; }
}

if [ -w /dev/full ]; then
	check "/dev/full as the file" exits 1 "$demo" $fast --benchmark_filter=nap \
		--benchmark_out=/dev/full
	check "... is reported" complains /dev/full
	check "/dev/full as standard output" \
		exits 1 sh -c "'$demo' $fast --benchmark_filter=nap >/dev/full"
	check "... is reported" complains "standard output"
	check "solve --json to /dev/full" exits 1 "$demo" solve --instance=15 --json=/dev/full
	check "... is reported" complains /dev/full
fi

echo precious >old.json
check "a limit on the size of files" exits 1 bash -c \
	"trap '' XFSZ; ulimit -f 1; '$demo' $fast --benchmark_filter=nap --benchmark_out=old.json"
check "... is reported" complains "File too large"
check "... an old file stays" grep -q precious old.json
check "... no temporary files are left" test -z "$(find . -name '*.tmp')"

check "a folder in place of the file" exits 1 "$demo" $fast --benchmark_filter=nap \
	--benchmark_out=.
check "... is reported before anything runs" test ! -s out.txt
: >plain
check "a file in place of a folder" exits 1 "$demo" $fast --benchmark_filter=nap \
	--benchmark_out=plain/b.json
check "... is reported" complains plain
check "missing folders are made" exits 0 "$demo" $fast --benchmark_filter=nap \
	--benchmark_out=new/folder/b.json
check "... with the file" test -s new/folder/b.json

mkdir small
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=16k none small 2>/dev/null; then
	trap 'umount "$work/small" 2>/dev/null || true; rm -rf "$work"' EXIT
	echo precious >small/b.json
	check "a full disk" exits 1 "$demo" $fast --benchmark_repetitions=30 --benchmark_filter=nap \
		--benchmark_out=small/b.json
	check "... is reported" complains "No space left"
	check "... an old file stays" grep -q precious small/b.json
	check "... the printed results are complete" grep -q 'demo/nap/ms:1/case:1' out.txt
	umount small
fi
exit $failed
