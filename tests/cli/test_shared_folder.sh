#!/usr/bin/env bash
# Shards of a reproduction in a folder that nodes share, when its disk fills up, a node vanishes, clocks
# differ, or locks do not work: no row is lost and none counts twice.
# usage: test_shared_folder.sh BIN_DIR       SEED=N: the random times; COPRA_TEST_EXTENDED=1: 60 kills
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/drive.bash"
random_rounds 3 60
journal=$folder/shards/1-of-2.bench.journal.jsonl
merge=("${drive[0]}" --merge --measure)

rows_of_shard() {
	{ grep -c '"repetition"' "$journal" 2>/dev/null || true; } | tail -n 1
}
wait_for_shard() { # until the journal of shard 1 has this many rows
	for _ in $(seq 600); do
		[ "$(rows_of_shard)" -ge "$1" ] 2>/dev/null && return 0
		sleep 0.05
	done
	return 1
}
shard() { # exit code, number of the shard of two
	exits "$1" env SHARD="$2/2" "${drive[@]}"
}
holds_lines_of() { # file, file of lines that it must have
	! grep -vxFf "$1" "$2"
}
merges() { # number of rows: a merge succeeds, has them all, and none twice
	exits 0 "${merge[@]}" && is_complete "$1" && never_twice
}
start_shard() { # starts shard 1 in its own process group, with files of its own for its output: sets pid
	SHARD=1/2 setsid env "$@" "${drive[@]}" >back.txt 2>back-err.txt &
	pid=$!
}
kill_it() { # the driver and its programs
	kill -9 -- "-$pid" 2>/dev/null || true
	finish
}

# ---- a disk that fills up ----
naps 20 3
check "a limit on the size of files ends a shard with exit code 1" exits 1 bash -c \
	"trap '' XFSZ; ulimit -f 2; SHARD=1/2 exec '${drive[0]}' --measure"
check "one line names the journal" test "$(grep -c "cannot append to $journal: File too large" err.txt)" -eq 1
check "the journal has only whole lines" test -z "$(tail -c 1 "$journal")"
cp "$journal" before.jsonl
check "the journal has rows" test -s before.jsonl
check "the shard continues without the limit" shard 0 1
check "no row from before is lost" holds_lines_of "$journal" before.jsonl
check "the other shard succeeds" shard 0 2
check "the merge has every row once" merges 15
check "the merge keeps the rows from before" holds_lines_of "$folder/bench.journal.jsonl" before.jsonl
rm -r results
mkdir results
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=80k none results 2>/dev/null; then
	trap 'umount "$work/results" 2>/dev/null || true; rm -rf "$work"' EXIT
	fill() { # number of the file that takes all space
		dd if=/dev/zero of="results/filler.$1" bs=4k 2>/dev/null || true
	}
	naps 400 2
	start_shard
	wait_for_shard 2
	fill 1
	finish
	check "a disk that fills up ends the shard with exit code 1" test $code -eq 1
	check "one line names the journal and the full disk" test "$(grep -c "shards/1-of-2.*: No space left" back-err.txt)" -eq 1
	cp "$journal" before.jsonl
	check "a merge on the full disk fails" exits 1 "${merge[@]}"
	fill 2
	check "a search on the full disk succeeds" exits 0 "$bin/gmys-ivm" solve --problem nqueens --instance 17 \
		--variant cpu --threads 2 --checkpoint results/search.state --checkpoint-period 0.1
	check "its count is exact" grep -q '^objective  95815104$' out.txt
	check "it says once that its checkpoints cannot be written" test "$(grep -c 'No space left.*; the search goes on' err.txt)" -eq 1
	check "it says that the last could not either" test "$(grep -c 'No space left.*; the search is complete' err.txt)" -eq 1
	rm results/filler.*
	check "with space, the shard continues" shard 0 1
	check "no row from before the full disk is lost" holds_lines_of "$journal" before.jsonl
	check "the merge runs the other shard's cases and has every row once" merges 10
	umount results
	trap 'rm -rf "$work"' EXIT
else
	echo "skipped: a full disk needs root and tmpfs"
fi
rm -rf results

# ---- a node that vanishes ----
naps 60 8
for round in $(seq $rounds); do
	[ $((round % 6)) -ne 5 ] || rm -rf results
	start_shard
	wait_for_shard 1
	sleep "0.$((RANDOM % 80 + 10))"
	kill_it
	# the last bytes never reached the server, or only their length did
	truncate -s "-$((RANDOM % 60))" "$journal"
	head -n "$(wc -l <"$journal")" "$journal" >before.jsonl
	[ $((round % 2)) -eq 0 ] || truncate -s +4096 "$journal"
done
: >"$folder/shards/2-of-2.bench.json.4194304-0.tmp" # of a process on another node
check "the killed runs have left rows" test -s before.jsonl
check "the shard of the vanished node completes elsewhere" shard 0 1
check "the rows of the killed runs are kept" holds_lines_of "$journal" before.jsonl
check "a temporary file of another shard stays" test -e "$folder/shards/2-of-2.bench.json.4194304-0.tmp"
left_over() { # files of processes that are gone: the number of one may be that of another by now
	local file number
	find "$folder" -name '1-of-2.*.tmp' | while read -r file; do
		number=${file%-*}
		kill -0 "${number##*.}" 2>/dev/null || echo "$file"
	done
}
check "no temporary file of this shard stays" test -z "$(left_over)"
estimated() { # what the last estimate said
	exits 0 "${drive[0]}" --merge --estimate && grep -q "$1" out.txt
}
check "an estimate of the merge counts what the shards have" estimated "5 cases, 2 to run, .*3 already measured\|5 cases, 3 to run, .*2 already measured"
check "the estimate writes no results" test ! -e "$folder/bench.journal.jsonl"
check "the merge runs the cases of the missing shard" merges 40
check "it names the missing shard" grep -q "merging 1 shard(s); without rows: 2 of 2" out.txt
check "after it, nothing is left to run" estimated "5 cases, 0 to run, .*5 already measured"

# a block of NULs before a line, as file systems leave after a crash
python3 - "$folder/bench.journal.jsonl" "$journal" <<'PY'
import sys
lines = open(sys.argv[1], "rb").read().splitlines(keepends=True)
half = len(lines) // 2
open(sys.argv[2], "wb").write(b"".join(lines[:half]) + b"\0" * 4096 + b"".join(lines[half:]))
PY
mv "$folder/bench.journal.jsonl" whole.jsonl
check "a merge of a journal with a block of NULs succeeds" merges 40
check "it keeps the lines behind the NULs" cmp <(sort whole.jsonl) <(sort "$folder/bench.journal.jsonl")

# ---- clocks that differ ----
rm -rf results
naps 20 3
if clock=$(faketime -f +0 printenv LD_PRELOAD 2>/dev/null); then
	at() { # offset, command...
		env LD_PRELOAD="$clock" DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 FAKETIME="$1" "${@:2}"
	}
	check "a shard succeeds on a node that is an hour ahead" exits 0 at +1h env SHARD=1/2 "${drive[@]}"
	check "a shard succeeds on a node that is an hour behind" exits 0 at -1h env SHARD=2/2 MINUTES=5 "${drive[@]}"
	touch -d '+1 hour' "$folder/shards/2-of-2.bench.journal.jsonl"
	cp "$folder"/shards/*.jsonl .
	check "the merge between them has every row once" merges 15
	check "nothing was measured again" grep -q "5 cases, 0 to run" out.txt
	check "the rows are those of the shards" holds_lines_of <(cat [12]-of-2.bench.journal.jsonl) "$folder/bench.journal.jsonl"

	# a clock that is set back by an hour during the run
	rm -r results
	naps 150 3
	echo +0 >offset
	mkdir two
	ln -s "$bin"/copra-{demo,peaks} two/
	ln -s copra-demo two/second
	LD_PRELOAD=$clock DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 FAKETIME_TIMESTAMP_FILE=$work/offset \
		FAKETIME_NO_CACHE=1 MINUTES=5 TARGETS="copra-demo second" BIN=$work/two start
	code=''
	wait_for_rows 2
	echo -1h >offset
	finish
	check "a run succeeds when the clock is set back" test "$code" -eq 0
	check "no time in its output is negative" bash -c "! grep -E '(^|[ :])-[0-9]' out.txt err.txt"
	check "its results are complete" is_complete 15
else
	echo "skipped: faketime is not installed"
fi

# ---- locks that do not work ----
rm -rf results
gcc -shared -fPIC -O1 -o failing_disk.so "$root/tests/cli/failing_disk.c" -ldl
without_locks() { # command...
	env LD_PRELOAD="$work/failing_disk.so" "$@"
}
naps 20 3
check "a shard succeeds without locks" exits 0 without_locks env SHARD=1/2 "${drive[@]}"
check "one line says that locks do not work" test "$(grep -c "^reproduce: .*shard-1-of-2-quick cannot be locked here" err.txt)" -eq 1
rm -r results
naps 400 2
start_shard LD_PRELOAD="$work/failing_disk.so"
wait_for_shard 1
hold # or it might end before the runs beside it
refused() { # what the line must have, command...
	exits 2 without_locks "${@:2}" && one_line "$1"
}
holder="process $pid on $(uname -n), since .*remove $work/results/.lock-shard-1-of-2-quick"
check "the same shard is refused" refused "$holder" env SHARD=1/2 "${drive[@]}"
check "a run in one piece is refused" refused "$holder" "${drive[@]}"
check "a merge is refused" refused "$holder" "${merge[@]}"
naps 20 2
check "another shard runs beside it" exits 0 without_locks env SHARD=2/2 "${drive[@]}"
naps 400 2
rm results/.lock-shard-1-of-2-quick # a mistake of the user, or two that start at the same moment
second=0
without_locks env SHARD=1/2 "${drive[@]}" >out.txt 2>err.txt || second=$?
release
finish
check "of two writers of one shard, one stops" test "$((code + second))" -eq 1
check "one line says why" test "$(cat err.txt back-err.txt | grep -c "$journal has changed: another process writes to it")" -eq 1
check "the shard then completes" shard 0 1
naps 400 2
check "the merge has every row once" merges 10

naps 400 2
rm -r results
start_shard LD_PRELOAD="$work/failing_disk.so"
wait_for_shard 1
kill_it
naps 20 1
check "a shard killed on this node does not block the next run" exits 0 without_locks "${drive[@]}"
printf 'pid=1\nhost=n9\nsystem=other\nsince=then\nwhat=all papers, shard 1/2\n' >results/.lock-shard-1-of-2-quick
elsewhere="process 1 on n9, since then, all papers, shard 1/2; .*remove $work/results/.lock-shard-1-of-2-quick"
check "one of a vanished node is named" refused "$elsewhere" "${drive[@]}"
vanished=$(cat results/.lock-shard-1-of-2-quick)
printf '%s\njob=7\nstart=0\n' "$vanished" >results/.lock-shard-1-of-2-quick
check "one of the same start of a job blocks" refused "$elsewhere" env SLURM_JOB_ID=7 "${drive[@]}"
check "one of another job blocks" refused "$elsewhere" env SLURM_JOB_ID=8 SLURM_RESTART_COUNT=1 "${drive[@]}"
check "one of an earlier start of the job does not" exits 0 without_locks env SLURM_JOB_ID=7 SLURM_RESTART_COUNT=1 SHARD=1/2 "${drive[@]}"
printf '%s\n' "$vanished" >results/.lock-shard-1-of-2-quick
check "with locks it does not block" exits 0 "${drive[@]}"
mkdir mounts
printf '#!/bin/sh\necho nfs4 rw,vers=4.2,local_lock=all\n' >mounts/findmnt
chmod +x mounts/findmnt
check "it does where locks are those of one node" exits 2 env PATH="$work/mounts:$PATH" "${drive[@]}"
check "the refusal is one line" one_line "$elsewhere"
rm results/.lock-shard-1-of-2-quick
check "after its file is removed, a run succeeds" exits 0 without_locks "${drive[@]}"
check "a run that has ended blocks none" exits 0 without_locks env SHARD=2/2 "${drive[@]}"

# ---- file handles that become stale ----
rm -r results
naps 20 2
check "a shard whose results cannot be renamed fails" exits 1 without_locks env STALE_NAME=1-of-2.bench.json SHARD=1/2 "${drive[@]}"
check "one line names the file" test "$(grep -c 'cannot write .*1-of-2.bench.json: Stale file handle' err.txt)" -eq 1
cp "$journal" before.jsonl
check "a shard whose journal cannot be read fails" exits 2 without_locks env STALE_NAME=1-of-2.bench.journal SHARD=1/2 "${drive[@]}"
check "one line names the journal" test "$(grep -c "cannot read $journal: Stale file handle" err.txt)" -ge 1
check "the journal is unchanged" cmp "$journal" before.jsonl
check "the merge has every row once after them" merges 10
exit $failed
