#!/usr/bin/env bash
# scripts/compare-with.sh with fake programs, which print what the real ones print: rows, counts that
# differ, garbage, crashes, programs that hang or are missing, interruptions, continuation.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin helbecque-pool "$1"
folder=$(dirname "$bin")
[ -x "$folder/copra-report" ] || { echo "copra-report is not built: it needs jansson"; exit 77; }
unset LONGEST MINUTES GPUS COMPARE_WITH COMPARE_FILTER CUDA_VISIBLE_DEVICES PAPER TARGETS
export COPRA_RESULTS="$work/results" COPRA_MACHINE=here DEVICE=cpu SCALE=smoke BIN=$folder CEILINGS=0
mkdir programs
compare() { # programs, further arguments...
	COMPARE_WITH=$1 "$root/scripts/compare-with.sh" "${@:2}"
}
fake() { # file, lines of a shell script...
	mkdir -p "$(dirname "programs/$1")"
	{ echo '#!/bin/sh' && printf '%s\n' "echo \$\$ \"\$0\" \"\$@\" >>$work/ran" "${@:2}"; } >"programs/$1"
	chmod +x "programs/$1"
}
queens() { # explored, solutions: as Helbecque's programs print them, a partial count first
	fake nqueens_c.out "cat <<END" "Sequential C" "Size of the explored tree: 12" "Elapsed time: 0.1 [s]" "" \
		"Size of the explored tree: $1" "Number of explored solutions: $2" "Elapsed time: 0.0017 [s]" END
}
rows() { # target, name: number of rows
	grep -c "\"run_name\": \"$2\"" "results/here/$1/comparators.json" || true
}
value() { # target, name, expression: holds for every row of the name
	jq -e --arg name "$2" "[.benchmarks[] | select(.run_name == \$name) | $3] | length > 0 and all" \
		"results/here/$1/comparators.json" >value.txt || { cat "results/here/$1/comparators.json"; return 1; }
}
jq_says() { # condition, file
	jq -e "$1" "$2" >value.txt
}
row=helbecque-pool/comparator/10Q/helbecque/work:queens/gpus:0/manual_time

queens 35538 724
fake pfsp_c.out 'echo "Size of the explored tree: 271602"; echo "Optimal makespan: 1234"; echo "Elapsed time: 0.0816 [s]"'
check "right programs give rows" exits 0 compare helbecque=programs
check "the row has the program's time and counts" value helbecque-pool $row \
	'.real_time == 0.0017 and .explored == 35538 and .solutions == 724 and .work == 35538'
check "the row has the time of the whole process" value helbecque-pool $row '.process_seconds > 0'
check "the row names the command and the program's checksum" value helbecque-pool $row \
	'.label | test("^nqueens_c.out -N 10 .sha256 [0-9a-f]{12}")'
check "ours stand beside it" value helbecque-pool "${row/helbecque\/w/cpu\/w}" '.explored == 35538'
check "the flowshop row is there" test "$(rows helbecque-pool helbecque-pool/comparator/ta007/helbecque/work:lb1/gpus:0/manual_time)" -eq 1
check "the file names machine and commit" jq_says '.context | .copra_machine == "here" and .copra_revision' \
	results/here/helbecque-pool/comparators.json
check "the flags are Helbecque's" grep -q ' -i 7 -l 1 -u 1$' ran
: >ran
check "a second call exits with 0" exits 0 compare helbecque=programs
check "... and runs nothing again" test ! -s ran
check "quick repeats three times" exits 0 env SCALE=quick COMPARE_FILTER=13Q LONGEST=60 COMPARE_WITH=helbecque=programs \
	bash -c 'sed -i s/35538/4674889/\;s/724/73712/ programs/nqueens_c.out && "$0"' "$root/scripts/compare-with.sh"
check "... in rows" test "$(rows helbecque-pool ${row/10Q/13Q})" -eq 3
echo '{"name": "cut' >>results/here/helbecque-pool/comparators.journal.jsonl
check "a journal that was cut is continued" exits 0 env COMPARE_FILTER=ta007 COMPARE_WITH=helbecque=programs "$root/scripts/compare-with.sh"

queens 35539 724
check "a wrong count is an error" exits 1 compare helbecque=programs
check "... that names program, line and both counts" one_line \
	"helbecque: nqueens_c.out -N 10: line 5: 'Size of the explored tree: 35539': explored is 35539, but ours is 35538; it gets no row"
check "... and removes the rows that it had" test "$(rows helbecque-pool $row)" -eq 0
check "... but not ours" test "$(rows helbecque-pool "${row/helbecque\/w/cpu\/w}")" -eq 1
check "... nor those of other programs" test "$(rows helbecque-pool helbecque-pool/comparator/ta007/helbecque/work:lb1/gpus:0/manual_time)" -eq 1

bad() { # what, regular expression of the message
	check "$1 is an error" exits 1 compare helbecque=programs
	check "... with one line" one_line "nqueens_c.out -N 10: $2"
	check "... and no row" test "$(rows helbecque-pool $row)" -eq 0
}
fake nqueens_c.out 'head -c 3000 /dev/urandom'
bad garbage "line [0-9]* is the last, and no line matches"
fake nqueens_c.out 'echo "Size of the explored tree: 3e4"; echo "Number of explored solutions: 724"; echo "Elapsed time: 1 [s]"'
bad "a number of another form" "line 1: 'Size of the explored tree: 3e4': explored is 3, but ours is 35538"
fake nqueens_c.out 'echo "Size of the explored tree: 99999999999999999999999"; echo "Number of explored solutions: 724"'
bad "a number that is too large" "line 1: .* is not a count"
fake nqueens_c.out 'echo "Size of the explored tree: 35538"; echo "Number of explored solutions: 724"; echo "Elapsed time: 0.0000 [s]"'
bad "a time of 0" "line 3: .*: the time is 0"
fake nqueens_c.out 'echo "out of memory"; exit 7'
bad "a program that fails" "failed with exit code 7; its last line: out of memory"
fake nqueens_c.out 'kill -SEGV $$'
bad "a crash" "was ended by signal 11"
fake nqueens_c.out 'exit 0'
bad "a program that prints nothing" "line 0 is the last, and no line matches"
fake nqueens_c.out 'exec sleep 600'
export LONGEST=1
bad "a program that hangs" "did not end within 1 s"
unset LONGEST
check "the program that hung was ended" bash -c '! kill -0 "$(tail -n 1 ran | cut -d" " -f1)" 2>/dev/null'

: >ran
setsid env COMPARE_WITH=helbecque=programs "$root/scripts/compare-with.sh" >out.txt 2>err.txt &
pid=$!
until_there grep -q nqueens ran || true
kill $pid
got=0
wait $pid || got=$?
check "SIGTERM ends the script with exit code 3" test $got -eq 3
check "... and the program" bash -c '! kill -0 "$(grep nqueens ran | cut -d" " -f1)" 2>/dev/null'
check "... and says how to continue" grep -q 'measurements are kept, run the same command to continue' err.txt
queens 35538 724
: >ran
check "it continues" exits 0 compare helbecque=programs
check "... with what is missing" test "$(grep -c . ran)" -eq 1
check "... and has the row" test "$(rows helbecque-pool $row)" -eq 1
check "without time it stops" exits 3 env MINUTES=0 SCALE=quick COMPARE_WITH=helbecque=programs "$root/scripts/compare-with.sh"

# the other programs
fake build/multicore/bb 'echo "TOT-BRANCHED:	$(cat '"$work"'/branched)"; echo "TOT-LEAVES:	9"' \
	'echo "Optimal makespan is >= 1377 (initial solution) "; printf "Walltime	:	 0.020603\n"'
pbb=gmys-ivm/comparator/ta014/pbb/work:lb1/gpus:0/manual_time
echo 19289 >branched
check "pbb's counts are added" exits 0 compare pbb=programs/build
check "... and may lack the first descent" value gmys-ivm $pbb '.decomposed == 19298 and .real_time == 0.020603'
check "it is given the optimum and its own configuration" grep -q 'programs/build/../multicore/mcconfig.ini -z p=fsp,i=ta14,o=1377 -t' ran
echo 19293 >branched
touch programs/build/multicore/bb && echo '# changed' >>programs/build/multicore/bb
check "more nodes than ours are an error" exits 1 compare pbb=programs/build
check "... of one line" one_line "decomposed is 19302, but ours is 19301"
echo 19289 >branched
check "a program that was mended has rows again" exits 0 compare pbb=programs/build
fake combo '[ -s "$1" ] && echo "optimum 283862" && echo "seconds 0.000192"'
fake cbc 'echo "Objective value:                -283862.0"'
check "combo and CBC are run on the file" exits 0 compare "combo=programs/combo cbc=programs/cbc"
check "combo's time is its own" value dp-knapsack dp-knapsack/comparator/boyer/n:1000/seed:1/combo '.real_time == 0.000192'
check "CBC's time is that of the process" value dp-knapsack dp-knapsack/comparator/boyer/n:1000/seed:1/cbc '.real_time == .process_seconds'
check "ours has no row there" test "$(rows dp-knapsack dp-knapsack/comparator/boyer/n:1000/seed:1/cpu)" -eq 0
fake combo 'echo "optimum 283863"; echo "seconds 0.000192"'
check "a wrong optimum is an error" exits 1 compare "combo=programs/combo"
check "... of one line" one_line "combo: combo {file}: line 1: 'optimum 283863': objective is 283863, but ours is 283862"
check "cbc is looked up in PATH" exits 0 env PATH="$work/programs:$PATH" COMPARE_WITH=cbc "$root/scripts/compare-with.sh" dp-knapsack
printf 'printf "[2026-01-01 00:00:00.000] cuda 10 queens result 724, calc time: [0.45ms]\\n"\n' >queens.sh
fake n_queens "$(cat queens.sh)"
check "a GPU program is not run on a machine without GPUs" exits 0 compare queens=programs/n_queens
mkdir descriptions
sed 's/^gpus .*/gpus 0/; s/^beside .*/beside cpu/' "$root/scripts/comparators/queens.txt" >descriptions/queens.txt
check "the counter's line is read" exits 0 env COMPARATORS="$work/descriptions" COMPARE_WITH=queens=programs/n_queens "$root/scripts/compare-with.sh"
check "... with its milliseconds" value helbecque-pool helbecque-pool/comparator/10Q/queens/work:solutions/gpus:0/manual_time \
	'.real_time == 0.00045 and .solutions == 724'

# GPUs: our programs run on simulated ones
mkdir gpus
for name in "$folder"/copra-*; do ln -s "$name" gpus/; done
cat >gpus/helbecque-pool <<END
#!/bin/bash
[[ "\$*" != *"--gpus 4"* ]] || exit 4
exec "$bin" "\${@//cuda/sim:0,1}"
END
chmod +x gpus/helbecque-pool
fake n_queens 'echo "visible $CUDA_VISIBLE_DEVICES" >>'"$work/ran" "$(cat queens.sh)"
check "cases of one and two GPUs run" exits 0 env DEVICE=auto BIN="$work/gpus" CUDA_VISIBLE_DEVICES=3,5,7 \
	COMPARE_WITH=queens=programs/n_queens "$root/scripts/compare-with.sh" helbecque-pool
check "... with as many GPUs visible" test "$(grep visible ran | sort | xargs)" = "visible 3 visible 3,5"
for gpus in 1 2; do
	check "... and rows" value helbecque-pool helbecque-pool/comparator/10Q/queens/work:solutions/gpus:$gpus/manual_time '.solutions == 724'
	check "... beside tuned" value helbecque-pool helbecque-pool/comparator/10Q/tuned/work:solutions/gpus:$gpus/manual_time '.solutions == 724'
done
check "GPUs that are not there are one line" one_line "4 GPUs are not available here; cases with so many or more are left out"
echo '# changed' >>programs/n_queens
check "GPUS limits their number" exits 0 env DEVICE=auto GPUS=1 BIN="$work/gpus" COMPARE_WITH=queens=programs/n_queens \
	"$root/scripts/compare-with.sh" helbecque-pool
check "... to the first ones" test "$(grep visible ran | tail -n 1)" = "visible 0"

# the report and the rows' format
mkdir -p all/recorded
ln -s "$root/results/papers" all/papers
ln -s "$work/results" all/local
check "no row names a folder of this machine" bash -c '! grep -h "\"label\"" results/here/*/comparators.json | grep -qF "$1"' _ "$work"
check "... but the place of a file in it" bash -c 'grep -qh "{folder}/../multicore/mcconfig.ini" results/here/gmys-ivm/comparators.json'
check "the report is written" exits 0 "$folder/copra-report" data --results all --out report --target gmys-ivm
check "... with the program beside ours" grep -q '^ta014,lb1,pbb,0,19298,0.020603,' report/gmys-ivm/comparators.local-here.csv
add_rows() { # hyperfine's export
	echo "$1" >times.json
	"$folder/copra-report" comparator --hyperfine times.json --benchmark t/comparator/x --label x --out rows.json
}
check "counters become members of the rows" exits 0 add_rows '{"results": [{"times": [1, 2], "counters": {"nodes": [5, 6]}}]}'
check "... one a run" jq_says '[.benchmarks[].nodes] == [5, 6]' rows.json
check "a counter with too few numbers is refused" exits 2 add_rows '{"results": [{"times": [1, 2], "counters": {"nodes": [5]}}]}'
check "... and named" one_line "counter 'nodes' is not one number a run"
check "a counter that is no number is refused" exits 2 add_rows '{"results": [{"times": [1], "counters": {"nodes": ["5"]}}]}'
check "a counter with the name of a member is refused" exits 2 add_rows '{"results": [{"times": [1], "counters": {"label": [5]}}]}'
check "... and named" one_line "a counter cannot be called 'label'"

# settings
check "an unknown program is refused" exits 2 compare nonsense=x
check "... in one line" one_line "unknown program 'nonsense'; known are: cbc combo helbecque pbb queens"
check "a path that does not exist is one line" exits 1 compare helbecque=nowhere
check "... and names it" one_line 'helbecque: nowhere does not exist; its cases are left out'
rm programs/nqueens_c.out
check "a program that is missing in the folder is one line" exits 1 compare helbecque=programs
check "... and names it" one_line "helbecque: no program $work/programs/nqueens_c.out; its cases are left out"
check "--list prints the commands" exits 0 compare pbb=programs/build --list
check "... and runs nothing" grep -q "^$pbb: .*mcconfig.ini .* --variant cpu published$" out.txt
check "an unknown scale is refused" exits 2 env SCALE=huge "$root/scripts/compare-with.sh"
check "no COMPARE_WITH is nothing to do" exits 0 "$root/scripts/compare-with.sh"

# the drivers
echo 19289 >branched
export PAPER=gmys-ivm COPRA_BENCH_FLAGS=--benchmark_filter=table1/r9x8/cpu COMPARE_WITH=pbb=$work/programs/build
check "reproduce runs them after our benchmarks" exits 0 "$root/scripts/reproduce.sh" --measure
check "... and has the row" value gmys-ivm $pbb '.decomposed == 19298'
check "its estimate counts them" exits 0 "$root/scripts/reproduce.sh" --estimate
check "... in a line" grep -q 'other programs .*up to 1 cases, at most 120 s a run' out.txt
exit "$failed"
