#!/usr/bin/env bash
# Tests koester-recovery solve, list and bench: the answers of the three problems with every way of
# recovery, bad input, and limits. $1: the folder with the programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin koester-recovery "$1"

# Makes an instance of 8 jobs on 5 machines, whose optimum comes from trying all orders, and a board.
# score() computes the score of a game by the rules.
small_flowshop
cat >board.txt <<'END'
112233
121233
211322
331122
312211
221133
END
cat >check.py <<'END'
import sys
from small import *
def group(columns, x, y):
    seen, todo = {(x, y)}, [(x, y)]
    while todo:
        a, b = todo.pop()
        for c, d in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
            if 0 <= c < len(columns) and 0 <= d < len(columns[c]) and (c, d) not in seen \
                    and columns[c][d] == columns[x][y]:
                seen.add((c, d))
                todo.append((c, d))
    return seen
def score(r):
    """Plays the game on stacks, one per column, bottom first. Returns the score."""
    lines = [l.strip() for l in open("board.txt")]
    rows, width = len(lines), len(lines[0])
    columns = [[lines[y][x] for y in reversed(range(rows))] for x in range(width)]
    points = 0
    for move in r["solution"]:
        x, y = move % width, rows - 1 - move // width
        gone = group(columns, x, y)
        assert len(gone) > 1
        points += (len(gone) - 2) ** 2
        columns = [[s for y, s in enumerate(c) if (x, y) not in gone] for x, c in enumerate(columns)]
        columns = [c for c in columns if c]
    assert all(len(group(columns, x, y)) == 1 for x, c in enumerate(columns) for y in range(len(c)))
    left = [s for c in columns for s in c]
    return points + 1000 if not left else points - sum((left.count(s) - 2) ** 2 for s in set(left))
if sys.argv[1] == "optimum":
    print(optimum())
else:
    hold(sys.argv[1:], globals())
END
optimum=$(python3 check.py optimum)

# ---- flowshop: a beam wider than the tree finds the optimum ----
for flags in "serial" "cpu" "cpu --threads 1" "cpu --branching both-ends" "cpu --recovery gpu --rounds 2" \
	"cpu --recovery checkpoint --distance 3 --rounds 2" "cpu --memory 64M" \
	"published --device sim" "tuned --device sim" "tuned --device sim:0,1" \
	"tuned --device sim:0,1 --recovery peer --rounds 1"; do
	check "small.txt, $flags" exits 0 "$bin" solve --instance small.txt --variant $flags \
		--beam 50000 --json result.json
	check "... is the optimum" json "r['objective'] == $optimum" "makespan(r) == $optimum" \
		"r['verified'] is True" "r['status'] == 'feasible'" "r['problem'] == 'pfsp'"
done
check "... printed too" summary "'solution   ' + $numbers + ' (jobs, numbered from 0)'"
check "a short beam uses the first device of two" exits 0 "$bin" solve --instance small.txt --variant tuned \
	--device sim:0,1 --gpus auto --beam 50000 --json result.json
check "... and finds the optimum" json "r['devices'] == ['simulated GPU 0']" "r['objective'] == $optimum"
for guide in bound idle bound-idle gap; do
	check "ta001 by $guide" exits 0 "$bin" solve --instance ta001 --variant cpu --beam 100 --guide $guide \
		--json result.json
	check "... is near 1278" json "1278 <= r['objective'] <= 1450" "r['verified']"
done
answer=
for flags in "replay" "gpu" "host" "pinned" "checkpoint" "adaptive --distance 4 --adapt 2" "multistage" \
	"replay --cache off"; do
	check "ta021 in rounds, $flags" exits 0 "$bin" solve --instance ta021 --variant cpu --beam 64 --rounds 2 \
		--recovery $flags --json result.json
	now=$(python3 -c 'import json; r = json.load(open("result.json")); print(r["objective"], r["solution"])')
	check "... gives the same schedule as the others" [ "${answer:=$now}" = "$now" ]
done

# ---- SameGame ----
for flags in "serial" "cpu" "cpu --recovery gpu --rounds 1" "published --device sim" "tuned --device sim:0,1"; do
	check "board.txt, $flags" exits 0 "$bin" solve --problem samegame --instance board.txt --beam 32 \
		--variant $flags --json result.json
	check "... is a game" json "r['verified'] is True" "score(r) == r['objective']" "r['status'] == 'feasible'"
done
check "... printed too" summary "'solution   ' + $numbers + ' (cells, numbered from 0)'"
check "a random board" exits 0 "$bin" solve --problem samegame --instance random:8x8:4:7 --variant cpu --beam 16

# ---- the synthetic model: the oracle computes every sampled state again ----
model=(--problem synthetic --instance 16x16 --states 96 --load 2 --iterations 5)
for flags in "serial" "cpu" "cpu --schedule together" "cpu --schedule each" "cpu --fill-rate 0" \
	"cpu --schedule together --fill-rate 1 --break-probability 0.3" "cpu --state-bytes 4096" \
	"cpu --recovery checkpoint --distance 2" "cpu --recovery multistage" "cpu --beam 96 --cache off" \
	"published --device sim" "tuned --device sim" "tuned --device sim --recovery host" \
	"tuned --device sim --recovery pinned" "tuned --device sim:0,1 --recovery peer" \
	"tuned --device sim:0,1 --recovery gpu"; do
	check "synthetic, $flags" exits 0 "$bin" solve "${model[@]}" --variant $flags --json result.json
	check "... is verified" json "r['verified'] is True" "r['objective'] is None" "r['iterations'] == 5" \
		"r['nodes']['children'] == 5 * 96"
done

for rung in literal independent-sums vectors whole-steps device-paths registers thread-per-row four-rows; do
	check "synthetic, rung $rung" exits 0 "$bin" solve "${model[@]}" --rung $rung --device sim:0,1 --json result.json
	check "... is verified" json "r['verified'] is True" "r['rung'] == '$rung'" "r['nodes']['children'] == 5 * 96"
done

check "list" exits 0 "$bin" list
check "... names problems" grep -q -- '--problem samegame' out.txt
check "... and experiments" grep -q koester-recovery/table4 out.txt
check "help" exits 0 "$bin" solve --help
check "... names the ways of recovery" grep -q -- '--recovery' out.txt

bad_flowshops_are_refused
plain_matrices_are_read --beam 50000
small=(--instance small.txt --variant cpu)
refused nothing.txt --instance nothing.txt --variant cpu
refused "not used by --problem pfsp" --rung literal --device sim --instance small.txt
refused "pfsp, samegame, synthetic" --problem chess "${small[@]}"
refused "replay, gpu, pinned, host, peer, checkpoint, adaptive, multistage" "${small[@]}" --recovery tape
refused "on, off" "${small[@]}" --cache maybe
refused "not a number from 1" "${small[@]}" --beam 0
refused "not a number from 1" "${small[@]}" --beam 5000000000
refused "not a valid size" "${small[@]}" --memory 5X
refused "not a valid size" "${small[@]}" --memory G
refused "not a valid size" "${small[@]}" --memory -5M
refused "64 bits" "${small[@]}" --memory 99999999999T
refused "not a number from 0 to 1" "${small[@]}" --fill-rate 1.5
refused "requires --recovery checkpoint or adaptive" "${small[@]}" --distance 4
refused "--adapt requires --recovery adaptive" "${small[@]}" --recovery checkpoint --adapt 4
refused "bound, idle, bound-idle, gap" "${small[@]}" --guide luck
refused "forward, both-ends" "${small[@]}" --branching maxsum
refused "--ub is not supported by koester-recovery$" "${small[@]}" --ub opt
refused "--checkpoint is not supported by koester-recovery$" "${small[@]}" --checkpoint x
refused "--resume is not supported by koester-recovery$" "${small[@]}" --resume x
refused "--load is not used by --problem pfsp" "${small[@]}" --load 5
refused "--schedule is not used" "${small[@]}" --schedule each
refused "--guide is not used" --problem samegame --instance board.txt --variant cpu --guide idle
refused "--rounds is not used" "${model[@]}" --variant cpu --rounds 2
refused "--format is not used" --problem samegame --instance board.txt --variant cpu --format auto
refused "--fill-rate is not used" "${small[@]}" --fill-rate 0.5
refused "require --recovery multistage" "${small[@]}" --budget-device 1M
refused "at most 32768 products" "${model[@]}" --variant cpu --load 4294967295
refused "not a matrix size" --problem synthetic --instance=-1x1 --variant cpu
refused "slots < 2^31" "${model[@]}" --variant cpu --states 4294967295
refused "printed, together, each" "${model[@]}" --variant cpu --schedule never
refused "not a matrix size" --problem synthetic --instance ta021 --variant cpu
refused "not a matrix size" --problem synthetic --instance 16x --variant cpu
refused "exceeds --states" "${model[@]}" --variant cpu --beam 97
refused "at most 32" "${model[@]}" --variant cpu --look-ahead 33
refused "state" "${model[@]}" --variant cpu --state-bytes 100
refused "at most 256" "${small[@]}" --threads 257
printf '1 2\n1\n' >bad-board.txt
refused bad-board.txt --problem samegame --instance bad-board.txt --variant cpu
check "recovery peer needs a second device" exits 4 "$bin" solve "${model[@]}" --variant tuned --device sim \
	--recovery peer
check "... in one line" one_line "needs 2 devices"
check "a missing GPU is refused" exits 4 "$bin" solve --instance small.txt --variant tuned --device cuda:15
check "too little memory is an error" exits 1 "$bin" solve "${model[@]}" --variant cpu --memory 16K
check "... in one line" one_line "memory\|bytes"

check "a time limit stops the search" exits 3 "$bin" solve --instance ta111 --variant cpu --beam 20000 --rounds 50 \
	--time-limit 1 --json result.json
check "... with a verified schedule" json "r['status'] == 'limit'" "len(r['solution']) == 500" "r['verified']"
interrupted 1 --problem synthetic --instance 16x16 --states 4096 --iterations 1000000 --variant cpu
check "... with checked iterations" json "r['status'] == 'limit'" "r['verified']" "r['iterations'] > 0"

# ---- experiments: the experiments of the paper exist, and their answers are checked ----
experiments_are_listed table1 table2 table3 table4 recoveries fill equation1 figure4 iterations \
	big gpus pfsp samegame
check "the cell of the paper exists" grep -q \
	table1/tuned/schedule:printed/load:10/states:65536/P:70/F:60/gpus:1 out.txt
check "smoke runs on cores" exits 0 "$bin" bench --copra_scale=smoke --device=cpu \
	--benchmark_filter='table|figure4|equation1|pfsp' --benchmark_min_time=1x --benchmark_out=cpu.json
check "... and leaves rows with counts" python3 -c '
import json
rows = {b["name"].replace("koester-recovery/", ""): b for b in json.load(open("cpu.json"))["benchmarks"]}
for F, breaks in ((0, 8), (60, 1)):
    for v in ("serial", "cpu"):
        row = rows["table1/%s/schedule:printed/load:2/states:128/P:70/F:%d/gpus:0/manual_time" % (v, F)]
        assert row["breaks"] == breaks, row
        assert row["assigned"] == 128 * breaks + 8, row
a, b = (rows["table3/cpu/recovery:%s/cache:off/states:64/kib:2/gpus:0/manual_time" % r] for r in ("replay", "gpu"))
assert b["memory_peak"] > 4 * a["memory_peak"], (a, b)
assert rows["figure4/serial/manual_time"]["path"] == 4
'
smoke_is_right_on_simulated_devices '(published|tuned)'
exit $failed
