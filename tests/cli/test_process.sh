#!/usr/bin/env bash
# scripts/process.sh: rows, a second call, another build, a program that fails, a missing hyperfine.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
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

check "process.sh times whole processes" exits 0 times gboa
for name in list/cpu shortest/cpu/trap5:10 solve/cpu/trap5:60; do
	check "$name has a row for each run" test "$(rows gboa/process/$name)" -eq 2
done
check "the label is the command as a user types it" grep -q '"label": "gboa solve --instance trap5:60 ' $file
check "the context names this machine" grep -q '"copra_machine": "here"' $file
cp $file first.json
check "a second call exits with 0" exits 0 times gboa
check "a second call measures nothing" cmp -s $file first.json
sed -i 's|gboa/process/list|gboa/process/gone|; s/"copra_identity": "/&x/' $file
check "another build is timed again" exits 0 times gboa
check "rows of the previous build are removed" test "$(rows gboa/process/gone/cpu)" -eq 0
check "all rows of the new build are written" test "$(grep -c '"run_name"' $file)" -eq 6
check "copra-history accepts the file" exits 0 "$folder/copra-history" add --source reproduce --sampling launch --file $file
check "the history has one line per process" test "$(wc -l <results/history/history.jsonl)" -eq 3

mkdir "a b"
for name in copra-report copra-peaks; do ln -s "$folder/$name" "a b/$name"; done
printf '#!/bin/sh\n[ "$1" = list ]\n' >"a b/gboa"
chmod +x "a b/gboa"
cp $file first.json
check "a program that fails gives exit code 1" exits 1 env BIN="$work/a b" "$root/scripts/process.sh" gboa
check "the rows of the failed program are named" grep -q 'gboa/process/solve/cpu/trap5:60 failed' err.txt
check "the processes that succeed are still timed" test "$(rows gboa/process/list/cpu)" -eq 2

printf '#!/bin/sh\necho $$ >"%s/started"\nexec sleep 600\n' "$work" >"a b/gboa"
BIN="$work/a b" "$root/scripts/process.sh" gboa >out.txt 2>err.txt &
pid=$!
until_there test -s started || true
kill $pid
got=0
wait $pid || got=$?
check "SIGTERM ends the script at once with exit code 3" test $got -eq 3
kill "$(cat started)" || true

mkdir -p tree/algorithms/two-words
cp -r "$root/scripts" tree/
: >tree/algorithms/two-words/main.c
check "the default is all targets of algorithms/" exits 2 env -u TARGETS tree/scripts/process.sh
check "a target that is not built is named" one_line 'two-words is not built'
mkdir tools
for name in bash dirname sed cat cksum mktemp rm grep; do ln -s "$(command -v $name)" tools/; done
check "without hyperfine the script exits with 0" exits 0 env PATH="$work/tools" "$root/scripts/process.sh" gboa
check "the missing hyperfine is reported" one_line 'hyperfine is not installed'
check "an unknown target is refused" exits 2 times nonsense
check "RUNS=x is refused" exits 2 env RUNS=x "$root/scripts/process.sh" gboa
check "--help exits with 0" exits 0 times --help

tool=${COPRA_COMPARE_PY:-/usr/share/benchmark/compare.py}
if [ -f "$tool" ] && /usr/bin/python3 -c 'import numpy, scipy.stats' 2>/dev/null; then
	check "compare.py accepts the file" exits 0 /usr/bin/python3 -B "$tool" --no-color benchmarks $file $file
	check "compare.py shows the rows" grep -q '^gboa/process/list/cpu ' out.txt
fi
exit $failed
