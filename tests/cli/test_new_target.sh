#!/usr/bin/env bash
# `make new-target` in a copy of the tree: the target is created, built, tested, run and reported without
# editing any file. Then `make remove-target` removes all of it. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
bin=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/cli/checks.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COPRA_RESULTS COPRA_DEVICE COPRA_THREADS COPRA_SCALE BIN PAPER SCALE DEVICE TARGETS OUT
export COPRA_MACHINE=test-machine

# copies the sources with their objects, so that only the new files are compiled
cd "$top"
objects=$(make -pn help 2>/dev/null | sed -n 's/^OBJ := //p')
[ -f "$objects/libcopra.a" ] || { echo "FAIL $objects/libcopra.a is not built"; exit 1; }
mkdir -p "$work/copra/results" "$work/copra/$(dirname "$objects")"
cp -a Makefile CITATION.cff algorithms datasets front harness kernels library plots scripts tests "$work/copra/"
cp -a results/papers "$work/copra/results/"
cp -a "$objects" "$work/copra/$objects"
cd "$work/copra"

built() { # make arguments...: builds in the copy, quietly
	make --no-print-directory -j2 SETUP=0 "$@" >out.txt 2>&1 || { tail -n 20 out.txt; return 1; }
}
refused_name() { # text of the error, NAME=...
	check "'$2' is refused" exits 2 make -s --no-print-directory new-target "$2"
	check "the refusal says: $1" grep -q -- "$1" err.txt
}
# make exits with 2 whatever the exit code of the script is
refused_name "NAME=x is missing" NAME=
refused_name "lower-case" NAME=Two_Heaps
refused_name "lower-case" "NAME=../x"
refused_name "command of the Makefile" NAME=test
refused_name "copra's own" NAME=copra-demo
refused_name "folder of the results" NAME=gate
refused_name "exists already" NAME=report-csv
refused_name "exists already" NAME=gboa
refused_name "exists already" NAME=knapsack
check "refused names create no files" test -z "$(find algorithms datasets kernels -newer out.txt -type f)"

check "make new-target creates the target" exits 0 make -s --no-print-directory new-target NAME=two-heaps
check "no file contains the placeholder's name" bash -c \
	'! grep -riE "sample.?target" algorithms/two-heaps datasets/two_heaps tests/unit/two-heaps kernels/two-heaps results/papers/two-heaps'
check "a second new-target of this name is refused" exits 2 make -s --no-print-directory new-target NAME=two-heaps
check "make builds the target and its test" built two-heaps build/tests/test_two_heaps
check "the build prints no warning" bash -c '! grep -i warning out.txt'
check "its unit tests pass" exits 0 build/tests/test_two_heaps
check "its command-line test passes" exits 0 bash tests/cli/test_solve_two_heaps.sh build/bin
check "the command-line test needs no argument" exits 0 bash tests/cli/test_solve_two_heaps.sh
check "the new target solves an instance" exits 0 build/bin/two-heaps solve --instance random:16:1 --variant cpu
check "copra is built with the new target" built build/bin/copra
check "copra knows the new target" exits 0 build/bin/copra list two-heaps
check "the new target solves an instance again" exits 0 build/bin/two-heaps solve --instance random:16:1 --variant cpu
check "its answer is optimal and verified" grep -q 'optimal, verified' out.txt

[ -x "$bin/copra-report" ] || { echo "no report: it needs jansson"; exit "$failed"; }
cp "$bin/copra-report" "$bin/copra-peaks" "$bin/copra-history" build/bin/
all=$(make -pn help | sed -n 's/^TARGETS := //p')
check "reproduce.sh accepts the target" exits 0 env PAPER=two-heaps TARGETS="$all" SCALE=smoke DEVICE=cpu \
	scripts/reproduce.sh --estimate
# reproduce would first measure the peak rates, which takes seconds and is tested elsewhere
folder=results/local/test-machine/two-heaps/smoke
mkdir -p "$folder"
check "its experiments run" exits 0 build/bin/two-heaps bench --copra_scale=smoke --device=cpu \
	--copra_rows_only --benchmark_out_format=json --benchmark_out="$folder/bench.json"
check "the report includes the target" exits 0 scripts/report.sh --target two-heaps
check "a run at toy size decides no claim" bash -c '! grep -q "^  [A-Z ]*C1 " out.txt'
mkdir "${folder%/*}/quick" && cp "$folder/bench.json" "${folder%/*}/quick/"
check "the report of a larger run is written" exits 0 scripts/report.sh --target two-heaps
check "its claim is reproduced" grep -q '^  REPRODUCED  *C1 ' out.txt
check "its table is written" grep -q '^10,512,[0-9.e-]*,[0-9.e-]*,' \
	results/local/report/two-heaps/table1.local-test-machine.csv
if command -v gnuplot >/dev/null; then
	check "its figure is drawn" test -s results/local/report/two-heaps/plots/table1.local-test-machine.svg
fi

lines=results/local/history/history.jsonl
check "its rows are added to the history" exits 0 build/bin/copra-history add --source reproduce --file "$folder/bench.json"
sed 's|"name": "two-heaps/|"name": "other/|; s|"id": "....|"id": "ffff|' "$lines" | head -n 1 >>"$lines"
compared=results/local/test-machine/gate/compare/compare.json
mkdir -p "${compared%/*}" && echo '{"benchmarks": [{"name": "two-heaps/x"}]}' >"$compared"

remove() { # exit code, text of the error line, NAME
	check "remove-target '$3' exits with $1" exits "$1" scripts/remove-target.sh "$3"
	check "the refusal is one line: $2" one_line "$2"
}
remove 2 "NAME=x is missing" ""
remove 2 "no target" nothing
remove 2 "no target" ../x
remove 2 "make new-target did not make 'gboa'" gboa
if command -v git >/dev/null; then
	git init -q . && git add datasets/two_heaps/two_heaps.c
	remove 2 "git tracks datasets/two_heaps/two_heaps.c" two-heaps
	check "a refused remove-target removes nothing" test -e algorithms/two-heaps/main.c
	git rm -q --cached datasets/two_heaps/two_heaps.c
fi
check "make remove-target removes the target" exits 0 make -s --no-print-directory remove-target NAME=two-heaps
check "no file with its name is left" test -z "$(find . -path ./.git -prune -o \( -name '*two-heaps*' -o -name '*two_heaps*' \) -print)"
check "its rows in the history are gone, and other rows are kept" test "$(grep -c . "$lines")" -eq 1
check "the comparison that contains it is gone" test ! -e "$compared"
check "another target still builds" built gboa
check "the report is written without it" exits 0 scripts/report.sh
check "the report does not name it" bash -c '! grep -rlE "two.heaps" results/local/report'
check "the history is written without it" exits 0 scripts/history.sh --all-commits
check "the history does not name it" bash -c '! grep -lE "two.heaps" out.txt results/local/history/*'
exit "$failed"
