#!/usr/bin/env bash
# Shards of a reproduction: together they measure each case once, also after a kill, and the merged
# results are those of a run in one piece.
# usage: test_shards.sh BIN_DIR
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/drive.bash"
naps 20 3
names() { # of the rows in a file of results
	python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["benchmarks"]: print(row["name"], row["repetition_index"], row["repetitions"])' "$1"
}
shard() { # number, of how many: runs it
	SHARD=$1/$2 "${drive[@]}" >"out.$1.txt" 2>"err.$1.txt"
}
rows() { # in the journals of the shards
	cat "$folder"/shards/*.journal.jsonl | grep -c '"repetition"'
}

check "a run in one piece succeeds" exits 0 "${drive[@]}"
names "$folder/bench.json" >whole.txt
rm -r results

pids=()
for i in 1 2 3 4; do
	shard $i 4 &
	pids+=($!)
done
for i in 1 2 3 4; do check "shard $i of 4 succeeds beside the others" wait "${pids[i - 1]}"; done
check "the shards have the rows of the whole run" test "$(rows)" -eq "$(wc -l <whole.txt)"
check "no shard writes the results of the whole run" test ! -e "$folder/bench.json"
check "each shard has a part" test "$(for f in "$folder"/shards/*.bench.journal.jsonl; do grep -c '"repetition"' "$f"; done | sort | xargs)" = "3 3 3 6"
merged() { # of how many rows that are measured already
	exits 0 "${drive[0]}" --merge --measure && grep -q "$1 already measured" out.txt
}
check "the merge measures nothing again" merged 5
names "$folder/bench.json" >merged.txt
check "the merged results have the rows of a run in one piece" cmp whole.txt merged.txt
check "no case was measured twice" never_twice
cp "$folder/bench.journal.jsonl" first.jsonl
written=$(stat -c %Y.%i "$folder/bench.journal.jsonl")
check "a second merge succeeds" merged 5
check "a second merge does not write the journal" test "$(stat -c %Y.%i "$folder/bench.journal.jsonl")" = "$written"
check "a second merge changes nothing" cmp first.jsonl "$folder/bench.journal.jsonl"

# a shard that was killed, a line that it had not finished, and the same cases in two splits
rm -r results
naps 80 3
setsid env SHARD=1/2 "${drive[@]}" >out.txt 2>err.txt &
pid=$!
for _ in $(seq 600); do
	[ "$(rows 2>/dev/null || true)" -ge 2 ] 2>/dev/null && break
	sleep 0.05
done
kill -9 -- "-$pid" 2>/dev/null || true
finish
printf '{"identity": "x", "case": "cut o' >>"$folder/shards/1-of-2.bench.journal.jsonl"
check "a shard of another split succeeds" shard 2 3
kept=$(grep -h '"repetition": 0' "$folder"/shards/1-of-2.bench.journal.jsonl | head -n 1)
check "the merge measures what is missing" exits 0 "${drive[0]}" --merge --measure
check "the merged results are complete" is_complete 15
check "no case was measured twice after the kill" never_twice
check "a row of the killed shard is kept" grep -qF "$kept" "$folder/bench.journal.jsonl"

# a case that failed and was measured again counts once
python3 - "$folder/bench.journal.jsonl" "$folder/shards/9-of-9.bench.journal.jsonl" <<'PY'
import json, sys
lines = open(sys.argv[1]).read().splitlines()
one = [l for l in lines if json.loads(l)["case"] == json.loads(lines[0])["case"]]
failed = json.loads(one[-1])
failed["complete"] = 0
bad = json.loads(one[0])
bad["real_seconds"] = 99
rest = [l for l in lines if l not in one]
open(sys.argv[2], "w").write("\n".join([json.dumps(bad), json.dumps(failed)] + one + rest) + "\n")
PY
rm "$folder/bench.journal.jsonl" "$folder"/shards/[12]-of-*
check "rows before a failure do not count" merged 5
check "the row before the failure is gone" bash -c "! grep -q '\"real_seconds\": 99' '$folder/bench.journal.jsonl'"

# shards that measured a case with other numbers of rows: the case takes the rows of one shard
python3 - "$folder/bench.journal.jsonl" "$folder/shards" <<'PY'
import json, sys
lines = open(sys.argv[1]).read().splitlines()
one = [l for l in lines if json.loads(l)["case"] == json.loads(lines[0])["case"]]
end = json.loads(one[-1])
end["complete"] = 1
open(sys.argv[2] + "/1-of-8.bench.journal.jsonl", "w").write("\n".join(one[:2]) + "\n")
open(sys.argv[2] + "/2-of-8.bench.journal.jsonl", "w").write("\n".join([one[0], json.dumps(end)]) + "\n")
PY
rm "$folder/bench.journal.jsonl" "$folder"/shards/9-of-*
check "a merge of shards with other numbers of rows succeeds" exits 0 "${drive[0]}" --merge --measure
check "a later merge finds all cases measured" merged 5
check "its results are complete" is_complete 15

# what is refused
rm -r results
naps 500 2
SHARD=1/2 start
for _ in $(seq 600); do
	[ -s results/.lock ] && [ -e "$folder/shards/1-of-2.bench.running" ] && break
	sleep 0.05
done
hold # or it might end before the runs beside it
check "the same shard is refused meanwhile" exits 2 env SHARD=1/2 "${drive[@]}"
check "the refusal names the process" one_line "process $pid on $(uname -n), since .*shard 1/2"
check "a run in one piece is refused meanwhile" exits 2 "${drive[@]}"
check "a merge is refused meanwhile" exits 2 "${drive[0]}" --merge --measure
naps 20 1
check "another shard runs meanwhile" shard 2 2
release
finish
check "the first shard ends well" test "$code" -eq 0
for bad in 0/2 3/2 1 1/0 a/b 1/2/3 -1/2; do
	check "SHARD=$bad is refused" exits 2 env SHARD=$bad "${drive[@]}"
	check "its message says what is expected" one_line "SHARD must be I/N with 1 <= I <= N, not '$bad'"
done
check "a merge of one shard is refused" exits 2 env SHARD=1/2 "${drive[0]}" --merge

# one shard as a job of its own; the variables are those of Slurm
job() { # shards to run in all, number of this shard, settings...
	exec env SHARDS="$1" SLURM_JOB_ID=7 SLURM_JOB_NAME=job SLURM_SUBMIT_DIR="$root" SLURM_ARRAY_TASK_ID="$2" \
		SLURM_ARRAY_TASK_MIN="$2" SLURM_ARRAY_TASK_MAX="$2" SLURM_ARRAY_TASK_COUNT=1 "${@:3}" "$root/scripts/slurm/reproduce.sh"
}
one_job() { (job "$@"); }
rm -r results
check "one shard of four runs as a job" exits 0 one_job 4 2
check "it has the journal of that shard" test "$(ls "$folder"/shards/*.jsonl)" = "$folder/shards/2-of-4.bench.journal.jsonl"
for bad in '' 0 1 x; do
	check "SHARDS='$bad' is refused for shard 2" exits 2 one_job "$bad" 2
	check "its message says what is expected" one_line "job: needs sbatch --array=1-N, or SHARDS=N"
done

# the signal before the time limit, with a folder that has a space and a launcher for searches
mkdir slurm
printf '#!/bin/sh\nif [ "$1" = requeue ]; then echo "$@" >>"%s/requeued"; kill -9 $PPID; fi\n' "$work" >slurm/scontrol
printf '#!/bin/sh\ncat "%s/job-state"\n' "$work" >slurm/squeue
printf '#!/bin/sh\n' >slurm/scancel # a real one signals only steps, so not this job
chmod +x slurm/*
folder="$work/with space/here/copra-demo/quick"
stop_job() { # state of the job while it is signalled
	echo "$1" >job-state
	rm -rf requeued "with space"
	naps 20 3 # and two cases that last until they are stopped, one in each shard
	job 2 1 COPRA_DEMO_LONG=4 COPRA_RESULTS="$work/with space" COPRA_LAUNCH=srun PATH="$work/slurm:$PATH" >out.txt 2>err.txt &
	pid=$!
	for _ in $(seq 600); do
		! grep -q '"repetition"' "$folder"/shards/*.jsonl 2>/dev/null || break
		sleep 0.05
	done
	kill -TERM "$pid"
	finish
}
stop_job "RUNNING None"
check "a signal requeues the job" test "$(cat requeued)" = "requeue 7_1"
stop_job "COMPLETING TimeLimit"
check "... also after its time limit" test "$(cat requeued)" = "requeue 7_1"
stop_job "COMPLETING None"
check "a cancelled job is not requeued" test ! -e requeued
check "its message says so" grep -qx "job 7_1: cancelled; not requeued" err.txt
check "bench names the range of --copra_shard" exits 2 "$bin/copra-demo" bench --copra_shard=3/2
exit $failed
