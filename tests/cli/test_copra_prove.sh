#!/usr/bin/env bash
# copra prove writes proofs that copra verify accepts; the counts do not depend on threads, devices and
# interruptions; every kind of wrong proof is rejected; bad input is refused in one line.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
copra=$bin/copra
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }

counts() { # proof: without its runs
	python3 -c '
import json, sys
p = json.load(open(sys.argv[1]))
del p["runs"]
print(p)' "$1"
}
same_counts() { # proof, proof
	[ "$(counts "$1")" = "$(counts "$2")" ] || { counts "$1"; counts "$2"; return 1; }
}
holds() { # proof, Python condition on p
	python3 -c '
import json, sys
p = json.load(open(sys.argv[1]))
if not eval(sys.argv[2]):
    sys.exit("does not hold: %s\n%s" % (sys.argv[2], p))' "$1" "$2"
}
# The nodes of the serial IVM search from the optimum.
decomposed() { # instance, bound
	"$bin/gmys-ivm" solve --instance "$1" --variant serial --bound lb1 --branching minbranch --start none --ub "$2" \
		--json - 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["nodes"]["decomposed"])'
}

# ---- a Taillard instance, which the checker generates ----
"$copra" solve ta011 --json answer.json >/dev/null 2>&1
check "a proof is written" exits 0 "$copra" prove answer.json --out proof.json --device cpu --threads 1
check "... with its counts in one line" grep -q '^ta011: .* parts, 150732 nodes below 1582' out.txt
check "... of all parts" holds proof.json 'len(p["parts"]) == p["levels"][-1] >= 1000 and p["nodes"] == 150732'
check "... and nothing else" bash -c '! ls proof.json.* 2>/dev/null'
check "copra verify accepts it" exits 0 "$copra" verify proof.json --all
check "... and says what it counted" grep -q '^recount:  \(.*\) of \1 parts' out.txt
check "a sample is accepted" exits 0 "$copra" verify proof.json --sample 5 --seed 3
check "... of five parts" grep -q '^recount:  5 of .* --seed 3$' out.txt
check "the counts of three threads are the same" exits 0 "$copra" prove answer.json --out threads.json --device cpu --threads 3
check "... in each part" same_counts proof.json threads.json
for devices in sim sim:0,1; do
	check "$devices counts all in one part" exits 0 "$copra" prove answer.json --out $devices.json --device $devices --parts 1
	check "... all nodes" holds $devices.json 'p["parts"] == [150732] and p["levels"] == [1]'
done
check "the checker is the same program" exits 0 "$bin/copra-check-proof" sim.json
check "parts that are too large are named" exits 2 "$copra" verify sim.json --most 1000
check "... in a line" grep -q '^part 0: not recounted, its 150732 nodes exceed --most 1000$' out.txt
check "... and nothing is accepted" one_line 'no part was recounted'

# ---- every kind of wrong proof ----
wrong() { # what, Python statement on p, regular expression for the line, flags...
	python3 -c '
import json, sys
p = json.load(open("proof.json"))
big = max(range(len(p["parts"])), key=lambda i: p["parts"][i])
exec(sys.argv[1])
json.dump(p, open("wrong.json", "w"))' "$2"
	check "$1 is rejected" exits 1 "$copra" verify wrong.json "${@:4}"
	check "... in one line" one_line "^rejected: $3"
}
wrong "a part with one node less" 'p["parts"][big] -= 1; p["nodes"] -= 1' 'part .* has more than the stated' --all
wrong "a part with one node more" 'p["parts"][big] += 1; p["nodes"] += 1' 'part .* nodes, the proof states' --all
wrong "a part with one node less, where another has one more" \
	'p["parts"][big] -= 1; p["parts"][big - 1] += 1' 'part ' --all
wrong "a sum that is wrong" 'p["nodes"] += 1' 'the levels and parts have 150732 nodes'
wrong "a missing part" 'p["nodes"] -= p["parts"].pop()' 'there are .* parts, but'
wrong "a missing node of a level" 'p["levels"][2] -= 1; p["nodes"] -= 1' 'level 2 has more than'
wrong "another node in a level" 'p["levels"][2] += 1; p["nodes"] += 1' 'level 2 has '
wrong "a missing level" 'p["levels"].pop(0); p["nodes"] -= 1' ''
wrong "two jobs of the schedule in turn" \
	's = p["schedule"]; s[0], s[-1] = s[-1], s[0]' 'the schedule has makespan .*, the proof states 1582'
wrong "a job that is twice in the schedule" 'p["schedule"][3] = p["schedule"][4]' 'the schedule is not an order'
wrong "a schedule without its last job" 'p["schedule"].pop()' 'the schedule has 19 jobs, not 20'
wrong "another makespan" 'p["bound"] += 1' 'the schedule has makespan 1582, the proof states 1583'
wrong "another hash" 'p["hash"] = p["hash"][:-1] + ("0" if p["hash"][-1] != "0" else "1")' 'the instance has hash'
wrong "another instance" 'p["instance"] = "ta012"' 'the instance has hash'
wrong "another size" 'p["jobs"] = 21' 'the instance has 20 jobs on 10 machines'
wrong "a bound above the optimum without schedule" \
	'p["bound"] = 1583; p["schedule"] = None' 'level .* has more than'

# ---- malformed files ----
malformed() { # what, text, regular expression
	printf '%s' "$2" >bad.json
	check "$1 is refused" exits 2 "$bin/copra-check-proof" bad.json
	check "... in one line" one_line "^copra-check-proof: $3"
}
malformed "a cut file" "$(head -c 300 proof.json)" 'bad.json:[0-9]*: '
malformed "an array" '[]' 'bad.json: not a proof'
malformed "an answer" "$(cat answer.json)" 'bad.json: not a proof: no valid "format"'
malformed "another format" '{"format": "copra-flowshop-proof-9"}' 'bad.json: the format'
malformed "a negative count" "$(sed 's/"parts": \[/&-1, /' proof.json)" 'bad.json: "parts" has a value'
malformed "a file of counts so far" "$(sed 's/"parts": \[/&null, /' proof.json)" '.*the proof is not complete$'
malformed "a member that is twice there" "$(sed '1a "jobs": 1,' proof.json)" 'bad.json:[0-9]*: duplicate'
check "a missing proof is refused" exits 2 "$bin/copra-check-proof" none.json
check "... in one line" one_line 'none.json: No such file'
check "an unknown flag is refused" exits 2 "$copra" verify proof.json --smaple 3
check "... in one line" one_line 'unknown flag --smaple'

# ---- interrupted ----
for limit in 0.05 0.001; do # a fast machine counts all in the first
	rm -f slow.json
	exits 3 "$copra" prove answer.json --out slow.json --device sim --parts 1 --time-limit $limit >code.txt && break
done
check "a time limit stops" test ! -s code.txt
check "... in one line" one_line '^copra-prove: stopped by --time-limit 0[.0-9]*; the same command continues$'
check "... without a proof" test ! -e slow.json
check "... but with the counts so far" test -s slow.json.partial
check "the same command continues" exits 0 "$copra" prove answer.json --out slow.json --device cpu --parts 1
check "... to the same proof" same_counts sim.json slow.json
check "... and removes the counts so far" bash -c '! ls slow.json.* 2>/dev/null'
python3 -c '
import json
p = json.load(open("proof.json"))
p["parts"][::2] = [None] * len(p["parts"][::2])
json.dump(p, open("half.json.partial", "w"))'
check "missing parts are counted" exits 0 "$copra" prove answer.json --out half.json --device cpu
check "... to the same proof" same_counts proof.json half.json
check "... and both runs are listed" holds half.json 'len(p["runs"]) == 2 and p["runs"][1]["parts"] == (len(p["parts"]) + 1) // 2'
sed 's/"bound": 1582/"bound": 1581/' proof.json >half.json.partial
check "counts of another bound are refused" exits 2 "$copra" prove answer.json --out half.json
check "... in one line" one_line 'half.json.partial: counts of another instance or bound'

# ---- random instances in files of both formats: prover and checker agree, and so does the serial search ----
for seed in 1 2 3 4 5 6; do
	name=random:$((5 + seed))x$((2 + seed % 4)):40:$seed
	"$bin/copra-instance" --instance "$name" --output shop.txt >/dev/null
	"$copra" solve shop.txt --json small.json >/dev/null 2>&1
	bound=$(python3 -c 'import json; print(json.load(open("small.json"))["objective"])')
	check "$name: a proof is written" exits 0 "$copra" prove small.json shop.txt --out small.proof --parts $((20 * seed)) --device cpu
	check "... with the nodes of the serial search" holds small.proof "p['nodes'] == $(decomposed shop.txt "$bound")"
	check "... and accepted" exits 0 "$copra" verify small.proof --all
done
sed "s/\"objective\": $bound/\"objective\": $((bound - 1))/" small.json >lies.json
check "an answer that lies about its schedule is refused" exits 1 "$copra" prove lies.json shop.txt --out lies.proof
check "... in one line" one_line "the schedule has makespan $bound, the answer states $((bound - 1))"
{ echo "3 2"; echo "0 4 1 3"; echo "0 5 1 2"; echo "0 6 1 1"; } >vfr.txt
printf '# three jobs\n4,3\n5,2\n6,1\n' >plain.csv
"$copra" solve vfr.txt --problem flowshop --json vfr.json >/dev/null 2>&1
check "an instance in VFR's format is proved" exits 0 "$copra" prove vfr.json vfr.txt --out vfr.proof
check "... and accepted" exits 0 "$copra" verify vfr.proof vfr.txt
check "... with the same times as a plain matrix" exits 0 "$copra" verify vfr.proof plain.csv --format jobs-by-machines
check "... but not transposed" exits 1 "$copra" verify vfr.proof plain.csv --format machines-by-jobs

# ---- a schedule that is not optimal, and a bound without one ----
python3 -c '
import json
print(json.dumps({"problem": "flowshop", "instance": "ta014", "solution": list(range(20))}))' >identity.json
check "a schedule that is not optimal cannot be proved" exits 1 "$copra" prove identity.json --out identity.proof
check "... in one line" one_line 'there is a schedule of makespan [0-9]*, shorter than [0-9]*: identity.proof.better.json$'
check "... which is verified" exits 0 "$copra" verify identity.proof.better.json
echo '{"problem": "flowshop", "instance": "ta014", "status": "proved", "bound": 1370, "solution": null}' >bound.json
check "a lower bound is proved without a schedule" exits 0 "$copra" prove bound.json --out bound.proof
check "... and accepted" exits 0 "$copra" verify bound.proof
check "... as such" grep -q '^schedule: none; the proof is of a lower bound of 1370$' out.txt

# ---- usage ----
check "an answer of another problem is refused" exits 2 "$copra" prove <(echo '{"problem": "atsp", "instance": "crane:9:1"}') --out x
check "... in one line" one_line 'only flowshops and knapsacks are proved'
check "an answer without a solution is refused" exits 2 "$copra" prove <(echo '{"instance": "ta001"}') --out x
check "... in one line" one_line 'it has neither a solution nor a proved bound'
check "a missing --out is refused" exits 2 "$copra" prove answer.json
check "... in one line" one_line '--out is missing'
check "a file that cannot be written is reported first" exits 1 "$copra" prove answer.json --out /proc/none/x
check "... in one line" one_line '/proc/none'
check "too many parts are refused" exits 2 "$copra" prove answer.json --out x --parts 50001
check "help is printed" exits 0 "$copra" help prove
check "... and is the same with --help" bash -c '"$1" help prove | cmp - <("$1" prove --help)' - "$copra"

# ---- the proofs in the repository ----
for proof in "$root"/results/proofs/*.json; do
	[ -e "$proof" ] || continue
	# those of VFR instances need a file that is not in the repository: only their sums and runs are checked
	[[ $(basename "$proof") != ta* ]] ||
		check "$(basename "$proof") is accepted" exits 0 "$copra" verify "$proof" --sample 6 --most 1000000
	check "$(basename "$proof"): its nodes add up" holds "$proof" 'p["nodes"] == sum(p["levels"][:-1]) + sum(p["parts"]) and len(p["parts"]) == p["levels"][-1]'
	check "$(basename "$proof") is from a clean build" holds "$proof" 'p["runs"] and not any(r["dirty"] for r in p["runs"])'
done
exit $failed
