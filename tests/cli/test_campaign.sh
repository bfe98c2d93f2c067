#!/usr/bin/env bash
# copra campaign: the queue, kills and signals, wrong lists, the comparison with the list, counts and proofs.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin copra "$1"
command -v jq >/dev/null || { echo "jq is not installed"; exit 77; }
folder=$(dirname "$bin")
unset BIN COPRA_LAUNCH COPRA_RESULTS VFR
fast=(--estimate-seconds 0.05 -- --threads 1 --start-seconds 0.05)
campaign() { # arguments: with the script of this tree
	BIN=${programs:-$folder} "$root/scripts/campaign.sh" "$@"
}
state() { # folder, jq condition on the array of events
	jq -se "$2" "$1/state.jsonl" >/dev/null || { cat "$1/state.jsonl"; return 1; }
}
answer_is() { # jq condition, file
	jq -e "$1" "$2" >/dev/null || { cat "$2"; return 1; }
}
note() { # folder, instance, text: in its row
	grep "^| $2 |" "$1/campaign.md" | grep -qF -- "$3" || { cat "$1/campaign.md"; return 1; }
}

# ---- estimates ----
check "a tree is estimated" exits 0 "$bin" estimate ta030 --json estimate.json
check "... within 20 %" answer_is '.ub == 2178 and .low <= .nodes and .nodes <= .high and .nodes > 0.8 * 2415779 and .nodes < 1.2 * 2415779' estimate.json
check "a wrong --ub is refused" exits 2 "$bin" estimate ta030 --ub soon
check "... in one line" one_line "copra-estimate: --ub must be opt or a makespan, not 'soon'"

# ---- the queue ----
cat >list.csv <<'END'
# the largest tree first
instance,file,best_known,lower_bound,source,source_date
ta013,,1496,1407,"A ""good"" list, of 1993",1993
ta016,,1398,1290,A list,1993
ta001,,1278,1278,A list,1993
END
check "--list prints the queue" exits 0 campaign list.csv --list --out none
check "... by the size of the trees" test "$(sed -n '2,$s/ .*//p' out.txt | xargs)" = "ta001 ta016 ta013"
check "... and writes nothing" test ! -e none
check "without a budget nothing is solved" exits 3 campaign list.csv --budget 0 --out zero
check "... which is said" one_line 'the budget is used up; the same command continues'
check "... in a table of queued instances" test "$(grep -c '| queued |' zero/campaign.md)" -eq 3
check "... without a search" state zero 'length == 0'
check "all are solved" exits 0 campaign list.csv --out all "${fast[@]}"
check "... the smallest first" test "$(sed -n 's/: solve, slice 1,.*//p' out.txt | xargs)" = "ta001 ta016 ta013"
check "... a known optimum is confirmed" note all ta001 '| confirmed |'
check "... a proof that the list has not is new" note all ta013 'new proof; A "good" list, of 1993 (1993) has bounds 1407 to 1496'
check "... a schedule, too" note all ta016 'new schedule and proof; A list (1993) has 1398'
check "... with verified answers" answer_is '.status == "optimal" and .verified and .objective == 1397' all/answers/ta016.solve.json
check "... and as CSV" grep -q '^"ta016",1398,"A list (1993)",1397,1397,"optimal",[0-9]*,' all/campaign.csv
check "... the checkpoints are removed" test -z "$(ls all/checkpoints)"
# ---- knapsacks: larger is better ----
mkdir -p hard/one
printf '%s\n' 4 '0 9 5' '1 6 4' '2 6 4' '3 1 1' 8 >hard/one/test.in
cat >hard.csv <<'END'
instance,file,problem,best_known,lower_bound,source,source_date
none,hard/one/test.in,knapsack,,,A list,1993
same,hard/one/test.in,knapsack,12,12,A list,1993
less,hard/one/test.in,knapsack,11,,A list,1993
ta001,,,1278,1278,A list,1993
END
check "knapsacks are solved beside flowshops" exits 0 campaign hard.csv --out hard -- --threads 1
estimated=$("$folder/dp-knapsack" estimate --instance hard/one/test.in --json - | jq '"\(.nodes | round) (\(.nodes | round) to \(.cells | round))"')
check "... in the order of their estimates" grep -qF "$estimated" hard/campaign.csv
check "... without a known value" note hard none '| 12 | 12 | optimal |'
check "... with an optimum that is confirmed" note hard same '| confirmed |'
check "... and with one that is better than the list" note hard less 'new choice and proof; A list (1993) has 11'
sed 's/,11,,/,11,10,/' hard.csv >below.csv
check "an upper bound below the known profit is refused" exits 2 campaign below.csv --out hard -- --threads 1
check "... in one line" one_line 'column lower_bound: 10 is below best_known, 11'
sed 's/,11,,/,11,12,/' hard.csv >above.csv
check "one above it is not" exits 0 campaign above.csv --out hard -- --threads 1
sed -i 's/,12,12,/,13,13,/; s/,11,,/,11,11,/' hard.csv
check "a list that contradicts the optimum is an error" exits 1 campaign hard.csv --out wrong -- --threads 1
check "... where it has more" note wrong same 'contradiction: the bound 12 is proved, but A list (1993) has a profit of 13'
check "... and where it has less" note wrong less 'contradiction: a profit of 12, but A list (1993) has the upper bound 11'

cp all/state.jsonl before
printf '{"event": "sli' >>all/state.jsonl
check "a second call exits with 0" exits 0 env COPRA_DATA="$root" "$bin" campaign list.csv --out all
check "... and solves nothing, even after a line that was cut" cmp before all/state.jsonl

# ---- kills and signals ----
printf 'instance,best_known,lower_bound\nta017,1484,1388\n' >long.csv
printf 'instance,best_known,lower_bound\nta051,3850,3771\n' >endless.csv
slow=(--slice 300 --estimate-seconds 0.05 -- --threads 1 --checkpoint-period 0.05)
begin_campaign() { # folder, list of an instance: sets pid and search; returns when a checkpoint is there
	rm -f "$1/lock" # its text outlives a kill
	BIN=$folder "$root/scripts/campaign.sh" "$2" --out "$1" "${slow[@]}" >out.txt 2>err.txt &
	pid=$!
	until_there grep -q '^now=copra (process' "$1/lock" 2>/dev/null || true
	search=$(sed -n 's/^now=.*(process \([0-9]*\))/\1/p' "$1/lock")
	until_it_takes_signals "$search" "$folder/gmys-ivm"
	until_there compgen -G "$1/checkpoints/*.solve" >/dev/null || true
}
begin_campaign kills long.csv
kill -KILL "$search" $pid
wait $pid 2>/dev/null || true
check "a kill of everything leaves a start without an end" state kills '(map(select(.event == "slice")) | length) == 0 and (last | .event) == "start"'
begin_campaign kills long.csv
kill -KILL $pid
wait $pid 2>/dev/null || true
check "after a kill of the campaign it continues, with the answer of the search that it had begun" exits 0 campaign long.csv --out kills "${slow[@]}"
check "... from the checkpoints" state kills 'map(select(.event == "start")) | map(.resumed) == [false, true, true]'
check "... the search that was stopped counts" state kills 'map(select(.event == "slice")) | map(.status) == ["limit", "optimal"]'
check "... with the optimum" state kills 'last | .objective == 1484 and .bound == 1484 and .verified'
"$bin" solve ta017 --ub 1484 --start none --threads 2 --json count.json >/dev/null 2>&1
check "... which has no start of its own, and each node counted once" state kills "last | .start == null and .nodes == $(jq .nodes.decomposed count.json)"
begin_campaign signals endless.csv
check "a second campaign in the folder is refused" exits 2 campaign endless.csv --out signals
check "... in one line" one_line 'another run is writing to .*signals'
kill -TERM $pid
code=0
wait $pid || code=$?
check "SIGTERM ends it with exit code 3" test "$code" -eq 3
check "... with the answer of the search" state signals "last | .event == \"slice\" and .status == \"limit\" and .objective >= 3850 and
	.objective == $(jq .objective signals/answers/ta051.solve.json || true)"
check "... and a checkpoint" test -s signals/checkpoints/ta051.solve

# ---- what cannot be written ----
check "a folder that cannot be written is refused" exits 1 campaign list.csv --out /dev/null/here
check "... in one line" one_line 'cannot write to /dev/null/here'
mkdir full
for _ in $(seq 500); do echo '{"event": "an older one"}'; done >full/state.jsonl # 12.5 KB of the 13 that a file may have
full() { (trap '' XFSZ && ulimit -f 13 && campaign list.csv --out full); }
check "a full disk ends it" exits 1 full
check "... and says what cannot be written" grep -q 'cannot write .*full/state.jsonl' err.txt

# ---- lists ----
bad() { # message, lines of the list...
	local words=$1
	shift
	printf '%s\n' "$@" >bad.csv
	check "a list is refused: $words" exits 2 campaign bad.csv --out bad
	check "... in one line" one_line "bad.csv$words"
}
bad ':1: the header has no column instance' name,file ta001,
bad ':2: 1 columns, the header has 2' instance,best_known ta001
bad ":3: column best_known: '12x' is not a whole number" '# a comment' instance,best_known ta001,12x
bad ':2: column lower_bound: 1300 is above best_known, 1278' instance,best_known,lower_bound ta001,1278,1300
bad ":2: column instance: '../x' is not a name" instance ../x
bad ':3: column instance: ta001 is listed twice' instance ta001 ta001
bad ':2: column file: .*/nowhere.txt does not exist' instance,file x,nowhere.txt
bad ":2: column problem: 'chess' is unknown; known: flowshop" instance,problem ta001,chess
bad ':2: .*ta1234' instance ta1234
check "an unknown set is refused" exits 2 campaign taillard-closed
check "... in one line" one_line 'taillard-closed is not a file; sets are taillard-open, taillard, vfr:FOLDER and jooken:FOLDER'
check "a folder without VFR files is refused" exits 2 campaign vfr:.
check "flags of the campaign are not for solve" exits 2 campaign list.csv -- --time-limit 3
check "a bad budget is refused" exits 2 campaign list.csv --budget soon
check "a value for a flag that takes none is refused" exits 2 campaign list.csv --prove=later
check "... in one line" one_line '--prove takes no value'

# ---- contradictions, counts, proofs ----
printf 'instance,file,best_known,lower_bound,source\nmine,mine.txt,1290,1279,A wrong list\nta006,,1190,1180,Another\n' >wrong.csv
"$folder/copra-instance" --instance ta001 --output mine.txt 2>/dev/null
check "an optimum below a listed lower bound is an error" exits 1 campaign wrong.csv --out wrong -- --threads 1
check "... that is named" grep -q '^campaign: mine: contradiction: a schedule of 1278, but A wrong list has the lower bound 1279$' err.txt
check "... as is a bound above a listed schedule" grep -q '^campaign: ta006: contradiction: the bound 1195 is proved, but Another has a schedule of 1190$' err.txt
check "... in the table" note wrong mine 'contradiction: a schedule of 1278'
mkdir programs
for name in "$folder"/*; do ln -s "$name" programs/; done
rm -f programs/copra-prove
printf 'instance,best_known,lower_bound\nta006,1195,1180\n' >counts.csv
programs=$work/programs
check "without copra-prove there are no proofs" exits 1 campaign counts.csv --prove --out counts "${fast[@]}"
check "... which is said" one_line 'copra-prove is not built; there are no proof files'
printf '#!/bin/sh\n[ "$3" = --out ] && grep -q optimal "$1" && echo "{\\"of\\": \\"$2\\"}" >"$4"\n' >programs/copra-prove
chmod +x programs/copra-prove
check "trees are counted again on a simulated device, and proofs are written" exits 0 campaign counts.csv --prove --recount \
	--recount-device sim --out counts "${fast[@]}"
check "... with equal counts" note counts ta006 'counted twice'
check "... on the other device" state counts 'map(select(.task == "count-2"))[-1].devices == ["simulated GPU 0"]'
check "... and the proof's file in the table" note counts ta006 '| proofs/ta006.proof.json |'
sed -i 's/\("task":"count-2",.*"nodes":\)/\17/' counts/state.jsonl
check "different counts are an error" exits 1 campaign counts.csv --recount --out counts
check "... that is named" grep -q '^campaign: ta006: contradiction: the tree has [0-9]* nodes and, counted again, 7' err.txt
programs=''
printf 'instance,file\nsmall,small.txt\ntaillard:27x5:4,\n' >both.csv
printf '3 1\n0 1\n0 2\n0 3\n' >small.txt # also a board of SameGame and a knapsack
check "trees are counted and proved" exits 0 campaign both.csv --prove --recount --out both "${fast[@]}"
check "... twice without machine pairs where the search had them" state both 'map(select(.event == "slice" and (.instance | startswith("taillard"))) |
	[.task, .pairs]) == [["solve", true], ["count-1", false], ["count-2", false]]'
check "... the first proof before the last search" state both 'map(.event + .task) | index("proof") as $p | $p != null and $p < rindex("slicesolve")'
for name in small taillard:27x5:4; do
	file=$name.txt
	[ -f "$file" ] || file=$name
	check "... the proof of $name is accepted" exits 0 "$bin" verify "both/proofs/$name.proof.json" "$file" --all
done
rm both/proofs/small.proof.json
check "a proof that is gone is made again" exits 0 campaign both.csv --prove --out both "${fast[@]}"
check "... and only that one" test "$(grep -c ': proof$' out.txt)" -eq 1
rm both/proofs/small.proof.json
check "without a budget for it, it stays open" exits 3 campaign both.csv --prove --budget 0 --out both
check "... which is said" one_line 'the budget is used up; the same command continues'

programs=$work/programs
cat >programs/copra-prove <<END
#!/bin/sh
echo "\$*" >>"$work/prove.txt"
case \$* in *--time-limit*) exit 3 ;; esac
echo '{}' >"\$4"
END
check "a proof longer than a slice is continued at the end" exits 0 campaign counts.csv --prove --slice 7 --out late "${fast[@]}"
check "... after one try for the time of a slice" test "$(grep -c -- '--time-limit 7' prove.txt)" -eq 1
check "... and is in the table" note late ta006 '| proofs/ta006.proof.json |'
rm late/proofs/ta006.proof.json
printf '%s\n' ta002,, >>counts.csv
check "the next call goes on" exits 0 campaign counts.csv --prove --slice 7 --out late "${fast[@]}"
check "... with proofs of earlier calls at the end" test "$(grep -c 'ta006.*--time-limit 7' prove.txt)" -eq 1
check "... and tries that of the new instance at once" test "$(grep -c 'ta002.*--time-limit 7' prove.txt)" -eq 1
printf '#!/bin/sh\necho broken >&2\nexit 1\n' >programs/copra-prove
check "a failed proof is an error" exits 1 campaign counts.csv --prove --out failed "${fast[@]}"
check "... said once an instance" test "$(grep -c 'no proof: exit code 1: broken' err.txt)" -eq 2
programs=''

# ---- several processes ----
if command -v mpirun >/dev/null && ls "$folder"/../lib/copra-mpi-*.so >/dev/null 2>&1; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	printf 'instance,best_known\nta006,1195\n' >ranks.csv
	check "searches run on two ranks" exits 0 campaign ranks.csv --out ranks --launch "mpirun --oversubscribe --bind-to none -n 2" "${fast[@]}"
	check "... which the state says" state ranks 'last | .ranks == 2 and .status == "optimal"'
fi
exit "$failed"
