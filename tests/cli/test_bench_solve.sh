#!/usr/bin/env bash
# The parts of `solve` that all targets share.
set -eu
. "$(dirname "$0")/demo.bash"
json() { python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
print(eval(sys.argv[2], {"o": o}))' "$@"; }

check "solve" exits 0 "$demo" solve --instance=91 --json=r.json
check "... a summary" grep -q 'optimal, verified' out.txt
check "... the object" test "$(json r.json 'set("target problem instance variant status objective bound \
	solution nodes seconds devices verified".split()) <= set(o)')" = True
check "... printed too" grep -qx 'solution   7 13' out.txt
check "... no bound" test "$(json r.json '"bound" in o, o["bound"]')" = "(True, None)"
check "... its answer" test "$(json r.json 'o["objective"], o["solution"]')" = "(7, [7, 13])"
check "... no bound, where none was proved" test "$(json r.json 'o["bound"]')" = None
check "... its figures" test "$(json r.json 'o["nodes"]["explored"]')" = 7
check "... its times" test "$(json r.json 'o["seconds"]["total"] >= o["seconds"]["search"] >= 0')" = True
check "... without a GPU on the cpu" test "$(json r.json 'o["variant"], o["devices"]')" = "('cpu', [])"
check "... verified" test "$(json r.json 'o["verified"]')" = True
check "--json -" exits 0 "$demo" solve --instance=91 --json -
check "... alone on stdout" test "$(json out.txt 'o["status"]')" = optimal
check "... summary on stderr" grep -q verified err.txt
check "a limit" exits 3 "$demo" solve --instance=10403 --largest=50 --json=r.json
check "... is a valid partial result" test "$(json r.json 'o["status"]')" = limit
check "a simulated device" exits 0 "$demo" solve --instance=15 --variant=tuned --device=sim:0,1 \
	--json=r.json
check "... is named" test "$(json r.json 'len(o["devices"])')" = 2
check "... named alone means tuned" exits 0 "$demo" solve --instance=15 --device=sim --json=r.json
check "... so" test "$(json r.json 'o["variant"]')" = tuned

# the square of a prime: 3e9 divisions
interruptible "$demo" solve --instance=9223371994482243049 --json=r.json >out.txt 2>err.txt &
pid=$!
until_it_takes_signals $pid "$demo"
kill -INT $pid
got=0
wait $pid || got=$?
check "SIGINT: exit code 3" test $got -eq 3
check "... with the partial result" test "$(json r.json 'o["status"], o["verified"]')" = "('limit', True)"

for bad in "" "--instance=91 --variant=fast" "--instance=91 --threads=-1" "--instance=91 --nope" \
	"--instance=91 --seed=-1" "--instance=91 --time-limit=soon" "--instance=91 --device=gpu:1 --variant=tuned" \
	"--instance=91 --variant=tuned --device=cpu" "--instance=91 --variant=published --device=cpu" \
	"--instance=91 --variant=cpu --gpus=1" \
	"--instance=91 --device=sim:0,0" "--instance=x" "--instance=1" "--instance="; do
	check "refused: solve $bad" exits 2 "$demo" solve $bad
	check "... in one line" one_line demo
done
check "list" exits 0 "$demo" list
check "... says something" test -s out.txt
check "list takes nothing" exits 2 "$demo" list x
exit $failed
