#!/usr/bin/env bash
# The parts of `solve` that all targets share.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/demo.bash"
json() { python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
print(eval(sys.argv[2], {"o": o}))' "$@"; }

check "solve exits with 0" exits 0 "$demo" solve --instance=91 --json=r.json
check "the summary shows status and verification" grep -q 'optimal, verified' out.txt
check "the JSON object has the documented members" test "$(json r.json 'set("target problem instance variant status objective bound \
	solution nodes seconds devices verified".split()) <= set(o)')" = True
check "the summary shows the solution" grep -qx 'solution   7 13' out.txt
check "the bound is null" test "$(json r.json '"bound" in o, o["bound"]')" = "(True, None)"
check "the JSON object has objective and solution" test "$(json r.json 'o["objective"], o["solution"]')" = "(7, [7, 13])"
check "the bound is null because none was proved" test "$(json r.json 'o["bound"]')" = None
check "the JSON object has the node counts" test "$(json r.json 'o["nodes"]["explored"]')" = 7
check "the total time includes the search" test "$(json r.json 'o["seconds"]["total"] >= o["seconds"]["search"] >= 0')" = True
check "the time until the devices are open is told" test "$(json r.json 'o["seconds"]["open"] > 0')" = True
check "the default variant is cpu, without devices" test "$(json r.json 'o["variant"], o["devices"]')" = "('cpu', [])"
check "the answer is verified" test "$(json r.json 'o["verified"]')" = True
check "--json - is accepted" exits 0 "$demo" solve --instance=91 --json -
check "--json - writes only the object to standard output" test "$(json out.txt 'o["status"]')" = optimal
check "--json - moves the summary to standard error" grep -q verified err.txt
check "a limit ends solve with exit code 3" exits 3 "$demo" solve --instance=10403 --largest=50 --json=r.json
check "the partial result has the status limit" test "$(json r.json 'o["status"]')" = limit
check "solve runs on simulated devices" exits 0 "$demo" solve --instance=15 --variant=tuned --device=sim:0,1 \
	--json=r.json
check "the JSON object lists both devices" test "$(json r.json 'len(o["devices"])')" = 2
check "--device without --variant is accepted" exits 0 "$demo" solve --instance=15 --device=sim --json=r.json
check "--device without --variant selects tuned" test "$(json r.json 'o["variant"]')" = tuned
check "--rung is accepted" exits 0 "$demo" solve --instance=15 --rung=literal --device=sim --json=r.json
check "--rung selects the variant" test "$(json r.json 'o["variant"], o["rung"]')" = "('published', 'literal')"
check "the summary shows the rung" grep -q '15, literal on sim' out.txt

# the square of a prime: 3e9 divisions
interruptible "$demo" solve --instance=9223371994482243049 --json=r.json >out.txt 2>err.txt &
pid=$!
until_it_takes_signals $pid "$demo"
kill -INT $pid
got=0
wait $pid || got=$?
check "SIGINT ends solve with exit code 3" test $got -eq 3
check "SIGINT leaves a verified partial result" test "$(json r.json 'o["status"], o["verified"]')" = "('limit', True)"

for bad in "" "--instance=91 --variant=fast" "--instance=91 --threads=-1" "--instance=91 --nope" \
	"--instance=91 --rung=highest" "--instance=91 --rung=literal --variant=tuned" \
	"--instance=91 --seed=-1" "--instance=91 --time-limit=soon" "--instance=91 --device=gpu:1 --variant=tuned" \
	"--instance=91 --variant=tuned --device=cpu" "--instance=91 --variant=published --device=cpu" \
	"--instance=91 --variant=cpu --gpus=1" \
	"--instance=91 --device=sim:0,0" "--instance=x" "--instance=1" "--instance="; do
	check "solve $bad is refused" exits 2 "$demo" solve $bad
	check "the refusal is one line" one_line demo
done
check "list exits with 0" exits 0 "$demo" list
check "list prints the rungs" grep -q '^  packed .*numbers packed into words' out.txt
check "list refuses arguments" exits 2 "$demo" list x
exit $failed
