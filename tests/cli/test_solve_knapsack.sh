#!/usr/bin/env bash
# dp-knapsack solve and list: answers, items, bad input, limits, signals. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin dp-knapsack "$1"
# The answer of result.json re-computed from the instance file: value, weight, objective, capacity.
resum() { # instance file
	python3 - "$1" <<'PY'
import json, sys
lines = [list(map(int, l.split())) for l in open(sys.argv[1])]
n = lines[0][0]
items = [l[-2:] for l in lines[1:n + 1]]
capacity = lines[0][1] if len(lines[0]) == 2 else lines[n + 1][0]
r = json.load(open("result.json"))
chosen = r["solution"]
assert len(set(chosen)) == len(chosen)
value, weight = (sum(items[i][k] for i in chosen) for k in (0, 1))
assert value == r["objective"] and weight <= capacity, (value, weight, r["objective"])
assert r["verified"] is True and r["status"] == sys.argv[2] if len(sys.argv) > 2 else True
print(value)
PY
}

# The optimum by the plain recursion, all weights and the capacity divided by a factor.
knapsack_optimum() { # instance file, factor
	python3 - "$1" "$2" <<'PY'
import sys
lines = [list(map(int, l.split())) for l in open(sys.argv[1])]
capacity, factor = lines[0][1], int(sys.argv[2])
best = [0] * (capacity // factor + 1)
for p, w in lines[1:]:
    if w <= capacity:
        assert w % factor == 0
        for c in range(len(best) - 1, w // factor - 1, -1):
            best[c] = max(best[c], best[c - w // factor] + p)
print(best[-1])
PY
}

printf '4 10\n10 5\n40 4\n30 6\n50 3\n' >small.txt
for variant in "serial" "cpu --form fused" "cpu --form class" "cpu --form merged" "cpu --threads 1" \
	"tuned --device sim" "tuned --device sim:0,1 --form fused"; do
	check "solve --variant $variant" exits 0 "$bin" solve --instance small.txt --variant $variant \
		--json result.json
	check "... value and items" [ "$(resum small.txt)" = 90 ]
	check "... printed" summary "'solution   ' + $numbers + ' (items, numbered from 0)'"
	check "... with the bound" summary "'bound      90'"
done
used() { # number of devices; the answer of result.json
	python3 -c 'import json, sys; r = json.load(open("result.json"))
assert len(r["devices"]) == int(sys.argv[1]) and r["objective"] == 90, r' "$1"
}
for flags in "auto" "auto --value-only" "auto --form class" "auto --form reachable"; do
	check "a small instance does not pay for a second device: --gpus $flags" exits 0 "$bin" solve --instance small.txt \
		--device sim:0,1 --gpus $flags --json result.json
	check "... and uses the first of two" used 1
	check "... which the summary says" grep -q 'tuned on sim x 1$' out.txt
done
for flags in "--device sim:0,1 --gpus 2" "--device sim:0,1" "--device sim --gpus 2"; do
	check "$flags is a request for two devices" exits 0 "$bin" solve --instance small.txt $flags --json result.json
	check "... and gets them, with the same answer" used 2
done
check "--gpus auto is refused by published" exits 2 "$bin" solve --instance small.txt --variant published --device sim:0,1 --gpus auto
check "... in one line" one_line "gpus=auto is only for --variant=tuned"
printf '1 3\n5 4\n' >none.txt
check "an instance in which no item fits is solved" exits 0 "$bin" solve --instance none.txt --variant cpu
check "... with no items" grep -qx "solution   no items" out.txt
check "published returns the value" exits 0 "$bin" solve --instance small.txt --variant published \
	--device sim --json result.json
check "... verified" grep -q verified out.txt
check "a generated instance is solved" exits 0 "$bin" solve --instance boyer:300:2 --variant cpu
check "... to optimality" grep -q 'optimal, verified' out.txt
"$bin" solve --instance boyer:300:2 --variant cpu --json - >out.txt 2>err.txt || true
check "... with the optimum as the bound" python3 -c '
import json
r = json.load(open("out.txt"))
assert r["objective"] == r["bound"], r
'
best=$(python3 -c 'import json; print(json.load(open("out.txt"))["objective"])')
check "--value-only works" exits 0 "$bin" solve --instance boyer:300 --variant cpu --value-only
check "a hard instance is solved" exits 0 "$bin" solve --instance hard:60:10000:4:0.3:0.01:50 --variant cpu
check "list works" exits 0 "$bin" list
check "... and names the generator" grep -q boyer:N out.txt
same_work() { # rung (none: a variant); the answer of result.json
	python3 - "$best" "$@" <<'PY'
import json, sys
r = json.load(open("result.json"))
assert r["objective"] == int(sys.argv[1]) and r["verified"] is True and r["nodes"]["cells"] == 16945889, r
assert len(sys.argv) < 3 or r["rung"] == sys.argv[2], r
PY
}
rungs=$(sed -n '/^rungs of the ladder/,$s/^  \([a-z-]*\) .*/\1/p' out.txt)
check "... and the rungs" [ "$(echo $rungs)" = "literal swap pinned one-launch trim fused class pairs merged" ]
for rung in $rungs; do
	check "boyer:300:2, rung $rung" exits 0 "$bin" solve --instance boyer:300:2 --rung $rung --device sim:0,1 --json result.json
	check "... has the optimum" same_work "$rung"
done
for memory in pageable pinned; do
	check "published exchanges through $memory memory" exits 0 "$bin" solve --instance boyer:300:2 --variant published \
		--device sim:0,1 --transfers $memory --json result.json
	check "... with the same optimum" same_work
done
for given in "--form class" "--transfers pinned"; do
	check "refused: --rung with $given" exits 2 "$bin" solve --instance small.txt --rung literal --device sim $given
	check "... in one line" one_line "rung literal chooses the form and the transfers"
done
check "refused: another kind of transfers" exits 2 "$bin" solve --instance small.txt --variant published --device sim \
	--transfers swapped
check "... in one line" one_line "not pageable or pinned"

for file in "$root"/tests/data/bad_knapsacks/*.txt; do
	name=$(basename "$file")
	check "refused: $name" exits 2 "$bin" solve --instance "$file" --variant cpu
	check "... in one line" one_line "$name"
done
check "a missing file is refused" exits 2 "$bin" solve --instance nothing.txt --variant cpu
check "... in one line" one_line nothing.txt
for bad in "--form quick" "--memory lots" "--memory -1" "--ub 5" "--checkpoint x" "--problem tsp" \
	"--threads 0x"; do
	check "refused: $bad" exits 2 "$bin" solve --instance small.txt --variant cpu $bad
	check "... in one line" one_line ""
done
check "a missing --instance is refused" exits 2 "$bin" solve --variant cpu

# Weights with a common factor: the tables are for the divided capacity. Item 3 is too heavy and not a multiple.
awk 'BEGIN { print 40, "7000000000999"; for (i = 0; i < 40; i++)
	print 100 + i * i % 37, i == 3 ? "7000000001001" : i % 9 + 1 "00000000000" }' >factor.txt
best=$(knapsack_optimum factor.txt 100000000000)
for variant in serial cpu "tuned --device sim"; do
	check "weights with a common factor are solved by $variant" exits 0 "$bin" solve --instance factor.txt --variant $variant \
		--memory 64K --json result.json
	check "... with items of the whole instance" [ "$(resum factor.txt optimal)" = "$best" ]
	check "... and the factor" grep -q '"weight_divisor": 100000000000' result.json
	check "... which the summary shows" grep -q 'common factor 100000000000: solved with capacity 70$' out.txt
done
check "published divides the weights too" exits 0 "$bin" solve --instance factor.txt --variant published --device sim --json result.json
check "... with the same value" grep -q "\"objective\": $best," result.json
for seed in 1 2 3 4; do
	awk -v seed=$seed 'BEGIN { srand(seed); print 12, 20 * 7 + seed; for (i = 0; i < 12; i++) print int(50 * rand()), 7 * int(25 * rand()) }' >random.txt
	best=$(knapsack_optimum random.txt 1)
	check "random weights that are multiples of 7 are solved" exits 0 "$bin" solve --instance random.txt --variant cpu --json result.json
	check "... to the optimum of all choices" [ "$(resum random.txt optimal)" = "$best" ]
done
check "weights without a common factor are solved" exits 0 "$bin" solve --instance small.txt --variant cpu --json result.json
check "... with divisor 1" grep -q '"weight_divisor": 1,*$' result.json
check "... which the summary does not mention" bash -c '! grep -q factor out.txt'

# ---- estimate ----
heavy=hard:400:1000000:10:0.3:0.0001:300
check "estimate" exits 0 "$bin" estimate --instance $heavy --json estimate.json
check "... names the dense table" grep -q '^dense recursion: [0-9.e+]* cell updates, a table of 8e+06 bytes$' out.txt
check "... and the reachable cells" grep -q '^few reachable capacities: at least [0-9.e+]* cell updates' out.txt
check "the form reachable solves it" exits 0 "$bin" solve --instance $heavy --variant cpu --form reachable --value-only --json result.json
check "... in at least as many cells, and fewer than ten times as many" python3 -c '
import json
x, r = json.load(open("estimate.json")), json.load(open("result.json"))
assert 0 < x["reachable_cells"] <= r["nodes"]["cells_done"] < 10 * x["reachable_cells"], (x, r["nodes"])
assert x["nodes"] == x["reachable_cells"] and x["cells"] == r["nodes"]["cells"], (x, r["nodes"])
'
check "estimate to standard output" exits 0 "$bin" estimate --instance $heavy --json -
check "... prints JSON alone" python3 -c 'import json; json.load(open("out.txt"))'
check "estimate without time for the sets" exits 0 "$bin" estimate --instance $heavy --seconds 1e-9 --json estimate.json
check "... says so" grep -q 'not known, the sets take too much time' out.txt
check "... and gives the dense cells" python3 -c '
import json
x = json.load(open("estimate.json"))
assert x["nodes"] == x["cells"] and x["reachable_cells"] is None, x
'
printf '2 50\n5 40\n6 30\n' >even.txt
check "estimate divides by the common factor" exits 0 "$bin" estimate --instance even.txt
check "... as solve does" grep -q 'a table of 40 bytes' out.txt
check "estimate without an instance" exits 2 "$bin" estimate
check "... is one line" one_line 'dp-knapsack: --instance is missing'
check "estimate of a missing file" exits 2 "$bin" estimate --instance nosuch.txt
check "... is one line" one_line 'nosuch.txt'
check "estimate in no time" exits 2 "$bin" estimate --instance $heavy --seconds 0
check "... is one line" one_line 'seconds must be above 0'
check "estimate to a full disk" exits 1 "$bin" estimate --instance $heavy --json /dev/full
check "... is one line" one_line '/dev/full'

printf '2 4000000000000000000\n5 4000000000000000000\n6 3999999999999999999\n' >vast.txt
printf '2 4000000000000000000\n5 3999999999999999998\n6 3999999999999999996\n' >vast_even.txt
check "a divided table larger than memory is refused" exits 1 "$bin" solve --instance vast_even.txt --variant cpu
check "... with the divisor" one_line 'bytes.*(weights and capacity divided by 2)'
check "a table larger than memory is refused" exits 1 "$bin" solve --instance vast.txt --variant cpu
check "... with the bytes" one_line bytes
check "a memory budget that is too small is refused" exits 1 "$bin" solve --instance boyer:300 --variant cpu --memory 1000
check "... with the bytes" one_line bytes

"$bin" solve --instance boyer:300 --variant cpu --json result.json >out.txt
check "a time limit stops the run" exits 3 "$bin" solve --instance boyer:40000 --variant serial --value-only --time-limit 0.2 \
	--json result.json
check "... with a valid solution and a bound" python3 -c '
import json
r = json.load(open("result.json"))
assert r["status"] == "limit" and r["solution"] and r["verified"], r
assert r["objective"] <= r["bound"] == r["upper_bound"], r
'
check "... in the summary" summary "'bound      %d' % r['bound']"
check "... with the gap" bash -c 'grep -qE "^gap        [0-9]+ \([0-9.e-]+ % of the objective\)$" out.txt'
check "... and the number of items" grep -qE "^solution   [0-9]+ items \(--json shows them\)$" out.txt
code=0
"$bin" solve --instance boyer:60000 --variant serial --value-only --json result.json >out.txt 2>err.txt &
pid=$!
until_it_takes_signals $pid "$bin"
kill -INT $pid
wait $pid || code=$?
check "SIGINT ends with 3" [ "$code" -eq 3 ]
check "... with a message" grep -q 'limit' out.txt
exit $failed
