#!/usr/bin/env bash
# gboa solve, size, list and bench: all variants make the same run, and an independent
# definition checks the answers; sizing, bad input and limits. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin gboa "$1"

cat >check.py <<'END'
import json, sys
def trap(bits, k, step):
    blocks = [sum(bits[i:i + k]) for i in range(0, len(bits) - k + 1, step)]
    return sum(k if u == k else k - 1 - u for u in blocks)
def value(r):
    x, problem = r["solution"], r["problem"]
    if problem.startswith("trap"):
        return trap(x, int(problem[4:]), int(problem[4:]))
    if problem.startswith("overlap"):
        return trap(x, int(problem[7:]), int(problem[7:]) - 1)
    if problem == "onemax":
        return sum(x)
    if problem == "maxsat":
        clauses = [l.split()[:-1] for l in open("small.cnf") if l[0] not in "pc"]
        return sum(any((int(v) > 0) == (x[abs(int(v)) - 1] == 1) for v in c) for c in clauses)
def right(r):
    return r["verified"] is True and set(r["solution"]) <= {0, 1} and value(r) == r["objective"]
r = json.load(open("result.json"))
for text in sys.argv[1:]:
    if not eval(text, dict(globals(), r=r)):
        sys.exit("not so: %s\n%s" % (text, r))
END
cat >small.cnf <<'END'
c six variables
p cnf 6 9
1 2 -3 0
-1 4 5 0
3 -4 6 0
-2 -5 -6 0
1 -6 0
2 3 0
-1 -2 0
4 -5 0
5 6 0
END

# ---- the same run by every variant ----
small=(--instance 20 --population 256 --generations 4)
answer=
for flags in "serial" "cpu" "cpu --threads 1" "published --device sim" "published --device sim --block-threads 64" \
	"published --device sim --block-shared 5000" \
	"published --device sim --host-share 0.5" "tuned --device sim --engine grid" \
	"tuned --device sim --engine batch" "tuned --device sim:0,1 --engine large"; do
	check "trap5:20, $flags" exits 0 "$bin" solve "${small[@]}" --variant $flags --json result.json
	check "... is verified" json "right(r)" "r['nodes']['generations'] <= 4" "len(r['solution']) == 20"
	now=$(python3 -c 'import json; r = json.load(open("result.json"))
print(r["objective"], r["solution"], r["nodes"])')
	check "... and equals the run of the other variants" [ "${answer:=$now}" = "$now" ]
done
for flags in "auto --engine large" "auto --engine grid" "auto"; do
	check "a short run does not pay for a second device: --gpus $flags" exits 0 "$bin" solve "${small[@]}" --device sim:0,1 \
		--gpus $flags --json result.json
	check "... and uses the first of two" json "right(r)" "r['devices'] == ['simulated GPU 0']"
	now=$(python3 -c 'import json; r = json.load(open("result.json"))
print(r["objective"], r["solution"], r["nodes"])')
	check "... for the same run" [ "$answer" = "$now" ]
done
for flags in "--device sim:0,1 --gpus 2" "--device sim:0,1" "--device sim --gpus 2"; do
	check "$flags is a request for two devices" exits 0 "$bin" solve "${small[@]}" --engine large $flags --json result.json
	check "... and gets them" json "right(r)" "len(r['devices']) == 2"
done
check "two runs have a device each" exits 0 "$bin" solve "${small[@]}" --runs 2 --device sim:0,1,2 --gpus auto --json result.json
check "... of three" json "right(r)" "len(r['devices']) == 2"
check "a long run pays for a second device" exits 3 "$bin" solve --instance 2000 --population 640 --generations 1000000 \
	--stop generations --engine large --device sim:0,1 --gpus auto --time-limit 1 --json result.json
check "... and takes both" json "r['status'] == 'limit'" "len(r['devices']) == 2"
for starts in 1 2; do
	check "$starts of three devices start" env COPRA_SIM_STARTS=$starts "$bin" solve "${small[@]}" --runs 3 --device sim:0,1,2 \
		--gpus auto --json result.json
	check "... and make all runs" json "right(r)" "len(r['devices']) == $starts" "r['runs'] == 3"
done
rungs=$("$bin" list | sed -n '/^rungs of the ladder/,$s/^  \([a-z-]*\) .*/\1/p')
check "list prints the rungs" [ "$(echo $rungs)" = "literal groups words host-words cores device tensor-cores one-kernel tuned" ]
for rung in $rungs; do
	check "trap5:20, rung $rung" exits 0 "$bin" solve "${small[@]}" --rung $rung --device sim --json result.json
	check "... is verified" json "right(r)" "r['rung'] == '$rung'"
	now=$(python3 -c 'import json; r = json.load(open("result.json"))
print(r["objective"], r["solution"], r["nodes"])')
	check "... and equals the run of the variants" [ "$answer" = "$now" ]
done
for model in pboa sboa hboa; do
	check "trap5:30 by $model, serial" exits 0 "$bin" solve --instance trap5:30 --variant serial --model $model \
		--population 2048 --json result.json
	check "... is the optimum" json "right(r)" "r['objective'] == 30" "r['status'] == 'optimal'" \
		"r['bound'] == 30"
done
check "... printed as a string" summary "'solution   ' + ''.join(map(str, r['solution']))"
check "a solution of 81 bits" exits 0 "$bin" solve --problem onemax --instance 81 --variant cpu --population 64 --generations 1
check "... is not printed as a string" grep -qx "solution   81 bits (--json shows them)" out.txt
check "the name of an instance may include the problem" exits 0 "$bin" solve --instance overlap3:21 --variant cpu \
	--population 1024 --json result.json
check "... and the result states both" json "right(r)" "r['problem'] == 'overlap3'" "r['instance'] == 'overlap3:21'"
check "an instance of another problem than --problem is refused" exits 2 "$bin" solve --problem trap5 --instance nk:12:3 --variant cpu
check "... in one line" one_line 'nk:12:3 is not an instance of --problem trap5'
check "an instance without a size" exits 2 "$bin" solve --instance trap5: --variant cpu
check "... is refused with a reason" one_line 'trap5:: expected a number of variables'
check "a DIMACS file" exits 0 "$bin" solve --problem maxsat --instance small.cnf --variant cpu --population 256 \
	--json result.json
check "... satisfies as many clauses as possible" json "right(r)" "r['objective'] == 9"

# ---- hard clauses ----
printf 'h 1 0\nh -1 0\n3 2 0\n' >contradiction.wcnf
printf 'p wcnf 2 3 4\n4 1 0\n4 -1 0\n3 2 0\n' >contradiction_top.wcnf
for file in contradiction.wcnf contradiction_top.wcnf; do
	check "$file" exits 0 "$bin" solve --problem maxsat --instance $file --variant cpu --runs 3 --json result.json
	check "... is infeasible, not optimal" json "r['status'] == 'infeasible'" "r['objective'] is None" \
		"r['solution'] is None" "r['verified'] is True" "r['hard_clauses'] == 2" "r['hard_violated'] == 1"
	check "... and says how many hard clauses are violated" grep -q '2 hard; every assignment violates at least 1' out.txt
	check "... so size is refused" exits 2 "$bin" size --problem maxsat --instance $file --variant cpu
	check "... in one line" one_line 'no assignment satisfies all hard clauses'
done
# 30 hard and 50 soft clauses over 12 variables, and the least soft cost of all assignments
cat >soft.py <<'END'
import json, random
random.seed(3)
n, clauses = 12, []
planted = [random.randrange(2) for _ in range(n)]
while len(clauses) < 80:
    c = [v if random.randrange(2) else -v for v in random.sample(range(1, n + 1), 3)]
    hard = len(clauses) < 30
    if not hard or any((v > 0) == planted[abs(v) - 1] for v in c):
        clauses.append(("h" if hard else random.randrange(1, 30), c))
with open("soft.wcnf", "w") as out:
    for weight, c in clauses:
        print(weight, *c, 0, file=out)
def violated(x, hard):
    return sum(1 if hard else w for w, c in clauses if (w == "h") == hard and not any((v > 0) == x[abs(v) - 1] for v in c))
costs = [violated(x, False) for x in ([s >> v & 1 for v in range(n)] for s in range(1 << n)) if not violated(x, True)]
json.dump({"clauses": clauses, "least": min(costs), "soft": sum(w for w, c in clauses if w != "h")}, open("soft.json", "w"))
END
python3 soft.py
cost=$(python3 -c 'import json; print(json.load(open("soft.json"))["least"])')
check "hard and soft clauses" exits 0 "$bin" solve --problem maxsat --instance soft.wcnf --variant cpu --runs 5 --json result.json
check "... the optimum counts only soft weights" json "r['status'] == 'optimal'" \
	"json.load(open('soft.json'))['soft'] - r['objective'] == $cost" "r['optimum'] == r['objective']" "$cost > 0" \
	"r['soft_cost'] == $cost" "r['hard_clauses'] == 30" "r['hard_violated'] == 0" \
	"1 <= r['successes'] <= r['feasible_runs'] <= 5" \
	"all(any((v > 0) == r['solution'][abs(v) - 1] for v in c) for w, c in json.load(open('soft.json'))['clauses'] if w == 'h')"
check "... and the summary shows the soft cost" grep -q "30 hard, 0 violated; soft cost $cost " out.txt
# 12 pigeons in 11 holes: infeasible, which the short search for a proof on loading does not find
awk 'BEGIN { p = 12; h = 11
	for (i = 0; i < p; i++) { printf "h"; for (j = 1; j <= h; j++) printf " %d", i * h + j; print " 0" }
	for (j = 1; j <= h; j++) for (i = 0; i < p; i++) for (k = 0; k < i; k++) print "h", -(i * h + j), -(k * h + j), 0
	print "7 1 0" }' >pigeons.wcnf
check "hard clauses that are not satisfied" exits 3 "$bin" solve --problem maxsat --instance pigeons.wcnf --variant cpu \
	--population 256 --runs 2 --json result.json
check "... in one line" one_line 'no assignment found satisfies all 738 hard clauses: the best violates [0-9]* (not proved infeasible)'
check "... are no answer" json "r['status'] == 'limit'" "r['objective'] is None" "r['solution'] is None" \
	"r['hard_clauses'] == 738" "1 <= r['hard_violated'] <= 100" "r['feasible_runs'] == 0" "'successes' not in r" \
	"'soft_cost' not in r"
check "... and the summary says so" grep -q '738 hard, the best found violates' out.txt
for i in $(seq 40); do echo "h $i 0"; done >units.wcnf
check "hard clauses that can be satisfied" exits 3 "$bin" solve --problem maxsat --instance units.wcnf --variant cpu \
	--population 64 --generations 0 --runs 3 --json result.json
check "... but were not" one_line 'all 40 hard clauses: the best violates [0-9]* (an assignment that satisfies all exists)'
check "... count as failures" json "r['status'] == 'limit'" "r['objective'] is None" "r['successes'] == 0" "r['runs'] == 3" \
	"r['optimum'] == 0" "r['feasible_runs'] == 0"
check "bench refuses contradictory hard clauses" exits 1 "$bin" bench --copra_scale=smoke --benchmark_filter=problems/.*pboa/cpu \
	--copra_axis instance=maxsat:contradiction.wcnf --device=cpu
check "... and says so" grep -q 'contradiction.wcnf: no assignment satisfies all hard clauses' out.txt
awk 'BEGIN { print 200, 5; for (i = 0; i < 200; i++) print 3, 10 }' >full.txt
check "a knapsack that is too small for any item" exits 3 "$bin" solve --problem knapsack --instance full.txt \
	--variant cpu --population 64 --generations 0 --json result.json
check "... is not overfilled" json "r['status'] == 'limit'" "r['objective'] is None" "r['solution'] is None"
check "... and one line says why" one_line 'no selection that fits was found: the best weighs [0-9]* more than the capacity'
check "--stop generations" exits 0 "$bin" solve --instance 10 --variant cpu --stop generations --generations 12 \
	--population 64 --selected 32 --max-parents 2 --replacement all --smoothing laplace --json result.json
check "... runs to the last generation" json "right(r)" "r['nodes']['generations'] == 12"
check "many runs" exits 0 "$bin" solve --instance 15 --variant cpu --population 512 --runs 20 --seed 5 --json result.json
check "... report a success rate and its interval" json "right(r)" "r['runs'] == 20" \
	"r['success_low'] <= r['successes'] / 20 <= r['success_high']" "r['successes'] >= 10"
check "hierarchical BOA" exits 0 "$bin" solve --problem htrap --instance 27 --variant cpu --model hboa \
	--population 1024 --tournament 4 --window 20 --merges on --json result.json
check "... with decision graphs" json "r['verified']" "r['objective'] == r['optimum']"

# ---- size ----
check "size" exits 0 "$bin" size --instance 15 --variant cpu --runs 10 --repeats 2 --json result.json
check "... finds a population" json "r['status'] == 'found'" "r['verified'] is True" \
	"r['devices'] == []" "r['repeats_found'] == 2" "len(r['repeats']) == 2" \
	"all(p % 64 == 0 for p in r['repeats'])" "r['population'] == sum(r['repeats']) / 2" "64 <= r['population'] <= 2048"
check "... on a curve" json "[p['population'] for p in r['points']] == sorted({p['population'] for p in r['points']})" \
	"all(p['success_low'] <= p['successes'] / p['runs'] <= p['success_high'] for p in r['points'])" \
	"any(p['successes'] < p['runs'] for p in r['points'])"
check "... and prints it" grep -q '^population needed' out.txt
check "a largest population that is too small" exits 3 "$bin" size --instance 60 --variant cpu --runs 3 --from 64 --to 128
check "... in one line" one_line "no population up to 128 is enough"
check "size stops at a time limit" exits 3 "$bin" size --instance 400 --variant cpu --time-limit 0.5 --json result.json
check "... without a population" json "r['status'] == 'limit'" "r['population'] is None"
check "help of size" exits 0 "$bin" size --help
check "... names its flags" grep -q -- '--needed' out.txt

check "list" exits 0 "$bin" list
check "... names problems" grep -q 'maxsat' out.txt
check "... and experiments" grep -q gboa/table1 out.txt
check "help" exits 0 "$bin" --help
check "... names size" grep -q 'gboa size' out.txt

cpu=(--instance 20 --variant cpu)
refused "not a known problem" --problem chess "${cpu[@]}"
refused "multiple" --instance 21 --variant cpu
refused nothing.cnf --problem maxsat --instance nothing.cnf --variant cpu
refused "not an instance of --problem nk" --problem nk --instance trap5:20 --variant cpu
refused "multiple of 64" "${cpu[@]}" --population 100
refused "selected" "${cpu[@]}" --population 128 --selected 128
refused "parents" "${cpu[@]}" --max-parents 7
refused "pboa, sboa, hboa" "${cpu[@]}" --model ga
refused "worst, all" "${cpu[@]}" --replacement best
refused "none, laplace" "${cpu[@]}" --smoothing some
refused "either, optimum, converged, generations" "${cpu[@]}" --stop never
refused "auto, grid, batch, large" --instance 20 --variant tuned --device sim --engine fast
refused "not a number between 0 and 1" --instance 20 --variant tuned --device sim --host-share 2
refused "32 to 1024" --instance 20 --variant published --device sim --block-threads 16
refused "only for --variant tuned" "${cpu[@]}" --engine grid
refused "only for --variant published" "${cpu[@]}" --block-shared 16K
refused "chooses the engine" --instance 20 --rung device --device sim --engine grid
refused "only for --model pboa" --instance 20 --rung literal --device sim --model hboa
refused "one device" --instance 20 --rung words --device sim:0,1
refused "published, or tuned" "${cpu[@]}" --host-share 0.5
refused "only for --variant published" "${cpu[@]}" --block-threads 64
refused "only for --model hboa" "${cpu[@]}" --window 5
refused "decision graph" "${cpu[@]}" --model hboa --max-parents 2
refused "--ub is not supported by gboa$" "${cpu[@]}" --ub opt
refused "--checkpoint is not supported by gboa$" "${cpu[@]}" --checkpoint x
refused "--resume is not supported by gboa$" "${cpu[@]}" --resume x
refused "between 1 and 1000000" "${cpu[@]}" --runs 2000000
refused "requires --variant serial" "${cpu[@]}" --model sboa
refused "a population of 0" "${cpu[@]}" --population 0
refused "0 selected" "${cpu[@]}" --selected 0
refused "between 1 and 1000000" "${cpu[@]}" --runs 0
refused "tournaments of 0" "${cpu[@]}" --model hboa --tournament 0
refused "population 99999999999" "${cpu[@]}" --population 99999999999
refused "multiple of 32" --instance 20 --variant published --device sim --block-threads 33
refused "one device" --instance 20 --variant published --device sim:0,1
refused "engine batch" --instance 20 --variant tuned --device sim --host-share 0.5
refused "use gboa solve --problem maxsat --instance small.cnf" --instance small.cnf --variant cpu
refused "see --problem" --instance random:9:9 --variant cpu
check "zero generations" exits 0 "$bin" solve "${cpu[@]}" --generations 0 --json result.json
check "... report the first population" json "right(r)" "r['nodes']['generations'] == 0"
check "too little shared memory" exits 4 "$bin" solve --instance 20 --variant published --device sim --block-shared 1K
check "... is refused with a reason" one_line '20 variables need [0-9]* bytes of shared memory per block; there are 1024'
check "a GPU number that does not exist" exits 4 "$bin" solve --instance 20 --variant tuned --device cuda:15
check "size needs an optimum" exits 2 "$bin" size --problem maxsat --instance random:60:400:1 --variant cpu
check "... in one line" one_line "not known"
check "size refuses more successes than runs" exits 2 "$bin" size "${cpu[@]}" --runs 5 --needed 6
check "... and zero successes" exits 2 "$bin" size "${cpu[@]}" --runs 5 --needed 0

check "a time limit" exits 3 "$bin" solve --instance 1000 --variant cpu --runs 1000 --time-limit 1 --json result.json
check "... leaves the best so far" json "r['status'] == 'limit'" "right(r)" "len(r['solution']) == 1000" \
	"r['successes'] <= r['runs'] < 1000"
check "... and says that runs cut off count as failures" grep -q "cut off count as failures" out.txt
interrupted 1 --instance 1000 --variant cpu --runs 1000
check "... with the best so far" json "r['status'] == 'limit'" "right(r)"

# ---- experiments: all are listed, and their answers are checked ----
experiments_are_listed table1 model quality generation batch large together devices problems sizing
check "the cell of the paper is listed" grep -q table1/published/n:1000/population:4800/generations:200/gpus:1 out.txt
check "no experiment has an invalid population" bash -c '
	"$1" bench --copra_scale=paper --benchmark_list_tests | sed -n "s,.*/population:\([0-9]*\)/.*,\1,p" |
		awk "\$1 % 64 { exit 1 } END { exit NR < 100 }"' bash "$bin"
check "smoke runs on cores" exits 0 "$bin" bench --copra_scale=smoke --device=cpu --benchmark_min_time=1x \
	--benchmark_out=cpu.json
check "... and all variants make the same run" python3 -c '
import json
rows = {b["name"]: b for b in json.load(open("cpu.json"))["benchmarks"]}
name = "gboa/table1/%s/n:30/population:256/generations:2/gpus:0/manual_time"
assert rows[name % "pboa"]["output_hash"] == rows[name % "cpu"]["output_hash"]
assert 0 < rows[name % "pboa"]["learn_share"] < 1
assert all(r["compared"] >= 1 for n, r in rows.items() if "compared" in r and "sboa" not in n)
assert sum("compared" in r for r in rows.values()) > 20
'
smoke_is_right_on_simulated_devices '(published|tuned)'
exit $failed
