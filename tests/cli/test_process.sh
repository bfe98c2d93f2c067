#!/usr/bin/env bash
# Times of whole processes: rows, no second timing, another build, a program that fails, no hyperfine.
set -eu
. "$(dirname "$0")/checks.bash"
begin gboa "$1"
folder=$(dirname "$bin")
[ -x "$folder/copra-report" ] || { echo "copra-report is not built: it needs jansson"; exit 77; }
command -v hyperfine >/dev/null || { echo "hyperfine is not installed"; exit 77; }
export COPRA_RESULTS="$work/results" COPRA_MACHINE=here DEVICE=cpu RUNS=2 BIN=$folder
times() { "$root/scripts/process.sh" "$@"; }
file=results/here/gboa/process.json
rows() { # rows of a name
	grep -c "\"run_name\": \"$1\"" $file || true
}

check "whole processes are timed" exits 0 times gboa
for name in list/cpu shortest/cpu/trap5:10 solve/cpu/trap5:60; do
	check "... $name" test "$(rows gboa/process/$name)" -eq 2
done
check "... by the command as a user types it" grep -q '"label": "gboa solve --instance trap5:60 ' $file
check "... on this machine" grep -q '"copra_machine": "here"' $file
cp $file first.json
check "they are not timed again" exits 0 times gboa
check "... the file is as it was" cmp -s $file first.json
sed -i 's|gboa/process/list|gboa/process/gone|; s/"copra_identity": "/&x/' $file
check "another build is" exits 0 times gboa
check "... without the rows of the one before" test "$(rows gboa/process/gone/cpu)" -eq 0
check "... all of it" test "$(grep -c '"run_name"' $file)" -eq 6
check "the history takes them" exits 0 "$folder/copra-history" add --source reproduce --sampling launch --file $file
check "... one line each" test "$(wc -l <results/history/history.jsonl)" -eq 3

mkdir "a b"
for name in copra-report copra-peaks; do ln -s "$folder/$name" "a b/$name"; done
printf '#!/bin/sh\n[ "$1" = list ]\n' >"a b/gboa"
chmod +x "a b/gboa"
cp $file first.json
check "a program that fails is reported" exits 1 env BIN="$work/a b" "$root/scripts/process.sh" gboa
check "... by its rows" grep -q 'gboa/process/solve/cpu/trap5:60 failed' err.txt
check "... and what can be timed is" test "$(rows gboa/process/list/cpu)" -eq 2

printf '#!/bin/sh\necho $$ >"%s/started"\nexec sleep 600\n' "$work" >"a b/gboa"
BIN="$work/a b" "$root/scripts/process.sh" gboa >out.txt 2>err.txt &
pid=$!
for _ in $(seq 600); do
	[ -s started ] && break
	sleep 0.05
done
kill $pid
got=0
wait $pid || got=$?
check "SIGTERM ends it with 3, however long the program would take" test $got -eq 3
kill "$(cat started)" || true

mkdir -p tree/algorithms/two-words
cp -r "$root/scripts" tree/
: >tree/algorithms/two-words/main.c
check "all are those that are in algorithms/" exits 2 env -u TARGETS tree/scripts/process.sh
check "... by name" one_line 'two-words is not built'
mkdir tools
for name in bash dirname sed cat cksum mktemp rm grep; do ln -s "$(command -v $name)" tools/; done
check "without hyperfine nothing is lost" exits 0 env PATH="$work/tools" "$root/scripts/process.sh" gboa
check "... and this is reported" one_line 'hyperfine is not installed'
check "a target that is none" exits 2 times nonsense
check "RUNS that is no number" exits 2 env RUNS=x "$root/scripts/process.sh" gboa
check "help" exits 0 times --help

tool=${COPRA_COMPARE_PY:-/usr/share/benchmark/compare.py}
if [ -f "$tool" ] && /usr/bin/python3 -c 'import numpy, scipy.stats' 2>/dev/null; then
	check "compare.py reads them" exits 0 /usr/bin/python3 -B "$tool" --no-color benchmarks $file $file
	check "... each" grep -q '^gboa/process/list/cpu ' out.txt
fi
exit $failed
