#!/usr/bin/env bash
# scripts/prove.sh with our program and fake ones: rows, continuation, missing solvers, wrong answers.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
begin copra "$1"
folder=$(dirname "$bin")
[ -x "$folder/copra-report" ] || { echo "copra-report is not built: it needs jansson"; exit 77; }
unset VFR PBB CBC GPUS MINUTES THREADS OUT COPRA_DEVICE
export BIN=$folder DEVICE=cpu LIMIT=5 INSTANCES="small.txt ta001" COPRA_MACHINE=here COPRA_RESULTS=$work/results PYTHON=no-python
rows=results/here/proofs.jsonl
small_flowshop
optimum=$(python3 -c 'import small; print(small.optimum())' 2>/dev/null || PYTHONPATH=. python3 -c 'import small; print(small.optimum())')
prove() { # settings...
	env "$@" "$root/scripts/prove.sh"
}
row() { # instance, solver, condition: holds for its last row
	jq -se --arg i "$1" --arg s "$2" "map(select(.instance == \$i and .solver == \$s)) | last | $3" $rows >/dev/null ||
		{ cat $rows; return 1; }
}
fake_pbb() { # makespan, order: as pbb prints them
	mkdir -p pbb/build/multicore
	printf '#!/bin/sh\necho run >>%s/ran\ncat <<END\n%s\nEND\n%s\n' "$work" "$(printf '%b' "TOT-BRANCHED:\t5\nTOT-LEAVES:\t2\n
Argmin Cmax:\t$1,[$2 ]\nWalltime\t:\t 0.01")" "${3:-}" >pbb/build/multicore/bb
	chmod +x pbb/build/multicore/bb
}

check "copra proves both instances" exits 0 prove SOLVERS=copra,pbb,cpsat,cbc CBC=no-cbc
check "... and says which solvers are missing" bash -c 'grep -q "pbb is left out: PBB is not its build folder" err.txt &&
	grep -q "cpsat is left out: no-python has no module ortools" err.txt && grep -q "cbc is left out: there is no program no-cbc" err.txt'
check "... with a row of the optimum" row small copra ".status == \"optimal\" and .objective == $optimum and .bound == $optimum and .verified"
check "... of the whole process" row small copra '.seconds > 0 and .limit == 5 and .gpus == 0 and .threads > 0 and .nodes > 0 and .machine == "here"'
check "... and size and known makespan" row ta001 copra '.jobs == 20 and .machines == 5 and .known == 1278'
cp $rows before.jsonl
echo '{"instance": "cut' >>$rows
check "a second call exits with 0" exits 0 prove SOLVERS=copra
check "... and repeats nothing" cmp $rows before.jsonl
sed -i '$d' $rows
check "an interrupted run continues" exits 0 prove SOLVERS=copra
check "... with what is missing" test "$(grep -c . $rows)" -eq 2 -a "$(head -n 1 $rows)" = "$(head -n 1 before.jsonl)"
check "without time it stops" exits 3 prove SOLVERS=copra LIMIT=70 MINUTES=1
check "... and says so" one_line 'out of time; the rows are kept'

order=$("$bin" solve small.txt --json - 2>/dev/null | jq -r '.solution | join(" ")')
fake_pbb "$optimum" "$order"
check "a right answer of another solver counts" exits 0 prove SOLVERS=pbb PBB=pbb/build INSTANCES=small.txt
check "... as solved" row small pbb ".status == \"optimal\" and .verified and .nodes == 7 and .objective == $optimum"
fake_pbb $((optimum - 1)) "$order"
check "a schedule of another makespan is an error" exits 1 prove SOLVERS=pbb PBB=pbb/build INSTANCES=small.txt
check "... of one line" one_line "small: pbb was wrong: the schedule has makespan $optimum, the answer states $((optimum - 1))"
check "... and not solved" row small pbb '.status == "wrong" and (.verified | not)'
check "... in the summary" grep -q 'pbb, .* threads: 0 of 1 solved' out.txt
worse=$(python3 -c 'from small import *; print(next("%d %s" % (length(o), " ".join(map(str, o)))
	for o in itertools.permutations(range(8)) if length(o) > optimum()))')
fake_pbb "${worse%% *}" "${worse#* }"
check "a proof that is too large is an error" exits 1 prove SOLVERS=pbb PBB=pbb/build INSTANCES=small.txt
check "... of one line" one_line "small: a bound is wrong: pbb: the bound ${worse%% *} is above a makespan of $optimum"
check "... and not solved" row small pbb '.status == "wrong" and .verified'
check "... while ours stands" row small copra '.status == "optimal"'
fake_pbb 0 '' 'exit 7'
check "a failed run is an error" exits 1 prove SOLVERS=pbb PBB=pbb/build INSTANCES=small.txt
check "... with its exit code" one_line 'pbb failed: exit code 7'
: >ran
check "it is run again" exits 1 prove SOLVERS=pbb PBB=pbb/build INSTANCES=small.txt
check "... once" test "$(grep -c . ran)" -eq 1

# GPUs: our program runs on simulated ones
mkdir gpus
for name in "$folder"/copra-*; do ln -s "$name" gpus/; done
cat >gpus/copra <<END
#!/bin/bash
words=" \$* "
words=\${words/ --device auto / --device sim:0,1 }
words=\${words/ --gpus 1 / --device sim:0 }
[[ \$words != " solve "* || \$words == *" --device "* ]] || words+=" --device sim:0,1"
exec "$bin" \${words/ --gpus 2 / --device sim:0,1 }
END
chmod +x gpus/copra
mkdir pbb/build/gpu
fake_pbb "$optimum" "$order" 'echo "visible $CUDA_VISIBLE_DEVICES" >>'"$work/ran"
mv pbb/build/multicore/bb pbb/build/gpu/gpubb
check "one and two GPUs are measured" exits 0 prove BIN="$work/gpus" DEVICE=auto GPUS="1 2" SOLVERS=copra,pbb PBB=pbb/build \
	CUDA_VISIBLE_DEVICES=3,5 INSTANCES=small.txt OUT=gpus.jsonl
check "... with the devices in the rows" test "$(jq -r '"\(.solver) \(.gpus) \(.devices | length) \(.status)"' gpus.jsonl | xargs)" = \
	"copra 1 1 optimal copra 2 2 optimal pbb 1 1 optimal"
check "... and one GPU visible to pbb" grep -qx "visible 3" ran
check "more GPUs than there are is refused" exits 2 prove BIN="$work/gpus" DEVICE=auto GPUS="1 4" SOLVERS=copra
check "... in one line" one_line 'GPUS=1 4: there are 2 GPUs'

# the report
mkdir -p all/recorded
ln -s "$root/results/papers" all/papers
ln -s "$work/results" all/local
echo nonsense >>$rows
check "the report is written" exits 0 "$folder/copra-report" --results all --out report --target gboa
check "... with the curve's data" grep -q '^[0-9.]* 100$' report/plots/proofs.local-here.dat
check "... a table of solvers" grep -qE '^\| copra, [0-9]+ threads? \|.*\| 2 of 2 \| 5 s \|$' report/proofs.md
check "... runs that do not count" grep -qE '^\| small \| 8 x 5 \| [0-9.]+ m?s \| failed \|$' report/proofs.md
check "... and lines that are no runs" grep -q 'line [0-9]* is not a run' report/proofs.md

# settings
check "without VFR only Taillard's instances run" exits 0 prove INSTANCES= SOLVERS=copra "$root/scripts/prove.sh" --list
check "... which it says" one_line 'VFR is not set: only the instances of Taillard are run'
check "... twelve" test "$(grep -c ': copra 0$' out.txt)" -eq 12
check "a folder without the files is refused" exits 2 prove INSTANCES= VFR=. SOLVERS=copra
check "... in one line" one_line 'VFR20_20_1_Gap.txt does not exist'
check "an unknown solver is refused" exits 2 prove SOLVERS=copra,magic
check "... in one line" one_line "SOLVERS: unknown solver 'magic'; known are: copra pbb cpsat cbc"
check "an unknown instance is refused" exits 2 prove INSTANCES=nowhere SOLVERS=copra
check "a bad limit is refused" exits 2 prove LIMIT=soon
check "... in one line" one_line "LIMIT must be a number from 1, not 'soon'"
check "simulated devices are refused" exits 2 prove DEVICE=sim
exit "$failed"
