#!/usr/bin/env bash
# Proofs of knapsacks: copra prove writes them, and copra-check-knapsack accepts optimal choices and no others.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin copra "$1"
folder=$(dirname "$bin")
proof() { # instance file: solves it and writes proof.json
	"$bin" solve "$1" --problem knapsack --device cpu --threads 1 --json answer.json >/dev/null 2>&1 &&
		"$bin" prove answer.json "$1" --out proof.json >/dev/null
}
# Writes bad.json, the proof with a change: python code on the object p.
change() {
	python3 -c 'import json, sys
p = json.load(open("proof.json"))
exec(sys.argv[1])
json.dump(p, open("bad.json", "w"))' "$1"
}
refused() { # what, exit code, message
	check "$1 is refused" exits "$2" "$bin" verify bad.json hard.txt
	check "... in one line" one_line "$3"
}

# ---- instances of every kind ----
for name in hard:60:200000:4:0.3:0.01:50 hard:90:3000000:8:0.1:0.0001:300 hard:200:10000000:6:0.2:0:100 boyer:200 \
	correlation:uncorrelated:80 correlation:subset-sum:50 correlation:inverse:60; do
	"$folder/copra-instance" --problem knapsack --instance $name --output instance.txt
	proof instance.txt
	check "the optimum of $name is accepted" exits 0 "$bin" verify proof.json instance.txt
	check "... as a proof" grep -q '^accepted: no choice is worth more than' out.txt
	# without the item of least profit, the choice is possible but not the best
	python3 - <<-'END'
		import json
		words = list(map(int, open("instance.txt").read().split()))
		item = [words[2 + 3 * i:4 + 3 * i] for i in range(words[0])]
		p = json.load(open("proof.json"))
		worst = min((i for i in p["chosen"] if item[i][0] > 0), key=lambda i: item[i][0])
		p["chosen"].remove(worst)
		p["profit"] -= item[worst][0]
		p["weight"] -= item[worst][1]
		json.dump(p, open("bad.json", "w"))
	END
	check "... and less is rejected" exits 1 "$bin" verify bad.json instance.txt
	check "... because of a better choice" one_line '^rejected: a choice of weight [0-9]* has profit [0-9]*$'
	check "... though its sums are right" exits 0 "$bin" verify bad.json instance.txt --sums
done

# ---- random small instances, against all subsets ----
check "choices are accepted only if no subset is worth more" python3 - "$folder/copra-check-knapsack" <<'END'
import itertools, json, random, subprocess, sys
random.seed(5)
def line(h, a, b):
    for c in b"%d %d\n" % (a, b):
        h = (h ^ c) * 1099511628211 % 2 ** 64
    return h
for trial in range(60):
    n, most = random.randint(1, 10), random.choice([12, 100, 10 ** 12])
    item = [(random.randint(0, most), random.randint(0, most)) for _ in range(n)]
    if trial % 3 == 0:
        item = [(w + random.randint(0, 3), w) for _, w in item]
    capacity = random.randint(0, max(1, sum(w for _, w in item) * 2 // 3))
    h = line(14695981039346656037, n, capacity)
    for p, w in item:
        h = line(h, p, w)
    with open("small.txt", "w") as f:
        if trial % 2:
            f.write("%d %d\n" % (n, capacity) + "".join("%d %d\n" % x for x in item))
        else:
            f.write("%d\n" % n + "".join("%d %d %d\n" % (i, *x) for i, x in enumerate(item)) + "%d\n" % capacity)
    fits = [s for k in range(n + 1) for s in itertools.combinations(range(n), k) if sum(item[i][1] for i in s) <= capacity]
    profit = lambda s: sum(item[i][0] for i in s)
    best = max(map(profit, fits))
    for choice in [max(fits, key=profit)] + random.sample(fits, min(3, len(fits))):
        json.dump({"format": "copra-knapsack-proof-1", "items": n, "capacity": capacity, "hash": "fnv1a:%016x" % h,
                   "profit": profit(choice), "weight": sum(item[i][1] for i in choice), "chosen": list(choice)}, open("p.json", "w"))
        code = subprocess.run([sys.argv[1], "p.json", "small.txt"], capture_output=True).returncode
        assert code == (profit(choice) != best), (trial, item, capacity, choice, code)
END

# ---- what is wrong ----
"$folder/copra-instance" --problem knapsack --instance hard:60:200000:4:0.3:0.01:50 --output hard.txt
proof hard.txt
check "the checker is a program of its own" exits 0 "$folder/copra-check-knapsack" proof.json hard.txt
change 'p["profit"] += 1' && refused "another profit" 1 '^rejected: the chosen items have profit'
change 'p["weight"] += 1' && refused "another weight" 1 '^rejected: the chosen items have weight'
change 'p["chosen"][1] = p["chosen"][0]' && refused "an item that is chosen twice" 1 'is chosen twice$'
change 'p["chosen"][1] = 60' && refused "an item that is not there" 1 'is not an item of the instance$'
change 'p["hash"] = p["hash"][:-1] + "x"' && refused "another hash" 1 '^rejected: the proof is of another instance: its hash'
change 'p["capacity"] += 1' && refused "another capacity" 1 '^rejected: the proof is of another instance'
change 'p["chosen"] = None' && refused "a proof without items" 2 'chosen is not a list$'
change 'del p["profit"]' && refused "a proof without a profit" 2 'profit is not a whole number$'
echo 1 2 3 >short.txt
check "a file that is no knapsack is refused" exits 2 "$bin" verify proof.json short.txt
check "... in one line" one_line 'short.txt: not a knapsack'
echo 1 2 x 4 >short.txt
check "a word in the instance is refused" exits 2 "$bin" verify proof.json short.txt
check "... in one line" one_line "short.txt: 'x' is not a whole number"
check "a missing instance is refused" exits 2 "$bin" verify proof.json
check "... in one line" one_line 'name the proof and the instance'
check "an unknown flag is refused" exits 2 "$bin" verify proof.json hard.txt --smus
check "... in one line" one_line 'unknown flag --smus'
"$bin" solve hard.txt --problem knapsack --value-only --json value.json >/dev/null 2>&1
check "an answer without items is no proof" exits 2 "$bin" prove value.json hard.txt --out none.json
check "... in one line" one_line 'value.json: it has no items: solve without --value-only'
check "... and writes nothing" test ! -e none.json
sed 's/"optimal"/"limit"/' answer.json >limit.json
check "an answer that is not optimal is no proof" exits 2 "$bin" prove limit.json hard.txt --out none.json
check "a full disk is an error" exits 1 "$bin" prove answer.json hard.txt --out /dev/full/proof.json
check "... in one line" one_line '/dev/full'
exit $failed
