#!/usr/bin/env bash
# copra-instance writes instances of all problems and refuses bad requests with one line.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/checks.bash"
tool=$bin/copra-instance
data=${COPRA_TEST_DATA:-$here/../data}

check "a knapsack is written from its name" exits 0 "$tool" --instance boyer:3 --output k.txt
check "... as n, items and capacity" test "$(wc -l <k.txt)" -eq 5
check "a knapsack is written from a file" exits 0 "$tool" --instance k.txt --output again.txt
check "... unchanged" cmp -s k.txt again.txt

check "a flowshop is written from its name" exits 0 "$tool" --instance ta001 --output f.txt
check "... with its header" grep -q '^20 5 873654221 1278 1278$' f.txt
check "... and the basis of its value" one_line 'ta001: makespan 1278, proved by copra: results/proofs/taillard.csv'
check "an open instance is written" exits 0 "$tool" --instance ta085 --output l.txt
check "... with its value as an upper bound of a list" \
	one_line 'ta085: makespan 6270, upper bound of a list: Timefold'
check "... with the certain lower bound" grep -q '^100 20 508154254 6270 6009$' l.txt
check "an instance without a known value is written" exits 0 "$tool" --instance taillard:5x3:7 --output l.txt
check "... without a basis" test ! -s err.txt
check "... and its first row" grep -q '^54 83 15 71 77 36 53 38 27 87 ' f.txt
check "a flowshop is written from a file" exits 0 "$tool" --problem=flowshop --instance f.txt --output g.txt
check "... with the same times" cmp -s <(tail -n +3 f.txt) <(tail -n +3 g.txt)
check "... also from a VFR file" exits 0 "$tool" --problem=flowshop \
	--instance "$data/flowshop_vfr.txt" --output g.txt
check "... with its last row" grep -q '^1 2 0$' g.txt

check "a flowshop is written from a plain matrix" exits 0 "$tool" --format jobs-by-machines \
	--instance "$data/matrix_jobs_by_machines.txt" --output m.txt
check "... with its rows" cmp -s <(tail -n 2 m.txt) <(printf '4 5 6\n1 2 0\n')
check "--format is refused for a knapsack" exits 2 "$tool" --problem knapsack --format jobs-by-machines \
	--instance "$data/matrix_jobs_by_machines.txt" --output x.txt
check "... with one line" one_line '--format is not supported by --problem knapsack'

check "an ATSP is written from its name" exits 0 "$tool" --instance crane:15:1 --output a.txt
check "... with its size" grep -q '^DIMENSION: 15$' a.txt
check "an ATSP is written from a file" exits 0 "$tool" --problem=atsp --instance a.txt --output b.txt
check "... unchanged" cmp -s a.txt b.txt
check "a random ATSP is written" exits 0 "$tool" --problem=atsp --instance random:5:9 --output a.txt
check "a bad ATSP file is refused" exits 2 "$tool" --problem=atsp --instance \
	"$data/bad_atsps/cost_negative.txt" --output x.txt
check "... in one line" one_line 'cost_negative.txt:8: cost from 1 to 2 is negative'

for name in boyer:3 ta001 crane:5:1; do
	check "$name is written to a file" exits 0 "$tool" --instance $name --output file.txt
	check "$name is written to standard output" exits 0 "$tool" --instance $name --output -
	check "... unchanged" cmp -s file.txt out.txt
	check "... and not to a file named -" test ! -e ./-
	rm -f ./-
done
check "a full disk at standard output is an error" bash -c '
	"$1" --instance ta001 --output - >/dev/full 2>err.txt; test $? -eq 1' bash "$tool"
check "... in one line" one_line "standard output"

# ---- the problem of a file, by its content ----
for file in flowshop_taillard.txt flowshop_vfr.txt atsp_plain.txt knapsack_indexed.txt; do
	check "$file is read without --problem" exits 0 "$tool" --instance "$data/$file" --output own.txt
	check "... and with it" exits 0 "$tool" --problem "${file%%_*}" --instance "$data/$file" --output said.txt
	check "... with the same result" cmp -s own.txt said.txt
done
check "a file of n, C and pairs is a knapsack, although it could be a matrix" exits 0 "$tool" --instance "$data/knapsack_plain.txt" --output own.txt
mkfifo pipe
for i in 1 2 3 4 5; do
	cat k.txt >pipe &
	check "a pipe is read as a knapsack, and opened only once" exits 0 timeout 10 "$tool" --instance pipe --output own.txt
	kill $! 2>/dev/null || true
done
check "... with the same result" cmp -s k.txt own.txt

# ---- a file that is refused: what it looks like ----
hints() { # expected text, flags...
	check "${*:2}" exits 2 "$tool" "${@:2}" --output x.txt
	check "... $1" one_line "$1"
}
matrix=$data/matrix_machines_by_jobs.csv
formats='--format jobs-by-machines or --format machines-by-jobs$'
hints "number of items is not an integer; matrix_machines_by_jobs.csv looks like a plain matrix of 2 x 3 numbers;\
 for a flowshop add $formats" --instance "$matrix"
hints "2 x 3 numbers; for a flowshop use --problem flowshop $formats" --problem knapsack --instance "$matrix"
hints "2 x 3 times; add $formats" --problem flowshop --instance "$matrix"
hints "looks like a Taillard flowshop file; leave out --format$" --format machines-by-jobs --instance f.txt
hints "looks like a knapsack file; use --problem knapsack without --format$" --format auto --instance k.txt
hints "f.txt:1: number of items .*; f.txt looks like a Taillard flowshop file; use --problem flowshop$" \
	--problem knapsack --instance f.txt
hints "looks like a DIMACS cnf file; only knapsack, flowshop and ATSP instances can be written$" \
	--instance "$data/maxsat_plain.cnf"
printf '10 2 3\n4 10 6\n1 5 10\n' >square.txt
hints "3 x 3 numbers; an ATSP file needs the TSPLIB header above the matrix (see docs/SOLVE.md), or for a flowshop use\
 --problem flowshop $formats" --problem atsp --instance square.txt
check "a name of another problem is refused" exits 2 "$tool" --problem=knapsack --instance ta001 \
	--output x.txt
check "an unknown problem is refused" exits 2 "$tool" --problem=x --instance ta001 --output x.txt
check "... in one line" one_line "not 'x'"
check "an incomplete name is refused" exits 2 "$tool" --instance random:5x3 --output x.txt
check "... in one line" one_line 'random:5x3: expected'
check "a missing --instance is refused" exits 2 "$tool" --output x.txt
check "a full disk is an error" exits 1 "$tool" --instance ta001 --output /dev/full
check "refused requests leave no file" test ! -e x.txt
check "--help works" exits 0 "$tool" --help

# ---- the list that the report reads ----
known() {
	for name in $(seq -f ta%03g 120); do
		"$tool" --problem flowshop --instance "$name" --output i.txt 2>why || return
		read -r _ _ _ best lower < <(sed -n 2p i.txt)
		basis=$(sed -n 's/^ta[0-9]*: makespan [0-9]*, //p' why)
		[[ $basis == upper* ]] || lower=$best
		echo "$name,$lower,$best,\"$basis\""
	done
}
check "results/proofs/known.csv has what is known" bash -c 'cmp "$1" <(tail -n +3 "$2")' - <(known) "$here/../../results/proofs/known.csv"
exit "$failed"
