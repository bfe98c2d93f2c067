#!/usr/bin/env bash
# copra-instance as a user calls it: writes instances of all problems, says no in one line.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/checks.bash"
tool=$bin/copra-instance
data=${COPRA_TEST_DATA:-$here/../data}

check "a knapsack by name" exits 0 "$tool" --instance boyer:3 --output k.txt
check "... n, items, capacity" test "$(wc -l <k.txt)" -eq 5
check "a knapsack from a file" exits 0 "$tool" --instance k.txt --output again.txt
check "... the same" cmp -s k.txt again.txt

check "a flowshop by name" exits 0 "$tool" --instance ta001 --output f.txt
check "... its numbers" grep -q '^20 5 873654221 1278 1278$' f.txt
check "... what they rest on" one_line 'ta001: makespan 1278, proved by copra: results/proofs/taillard.csv'
check "an open instance" exits 0 "$tool" --instance ta085 --output l.txt
check "... its value is reported as an upper bound of a list" \
	one_line 'ta085: makespan 6270, upper bound of a list: Timefold'
check "... with the certain lower bound" grep -q '^100 20 508154254 6270 6009$' l.txt
check "an instance without a known value" exits 0 "$tool" --instance taillard:5x3:7 --output l.txt
check "... prints no basis" test ! -s err.txt
check "... its first row" grep -q '^54 83 15 71 77 36 53 38 27 87 ' f.txt
check "a flowshop from a file" exits 0 "$tool" --problem=flowshop --instance f.txt --output g.txt
check "... the same times" cmp -s <(tail -n +3 f.txt) <(tail -n +3 g.txt)
check "... from the other format" exits 0 "$tool" --problem=flowshop \
	--instance "$data/flowshop_vfr.txt" --output g.txt
check "... its last row" grep -q '^1 2 0$' g.txt

check "a flowshop from a plain matrix" exits 0 "$tool" --format jobs-by-machines \
	--instance "$data/matrix_jobs_by_machines.txt" --output m.txt
check "... its rows" cmp -s <(tail -n 2 m.txt) <(printf '4 5 6\n1 2 0\n')
check "a plain matrix of a knapsack" exits 2 "$tool" --problem knapsack --format jobs-by-machines \
	--instance "$data/matrix_jobs_by_machines.txt" --output x.txt
check "... in one line" one_line '--format is not supported by --problem knapsack'

check "an ATSP by name" exits 0 "$tool" --instance crane:15:1 --output a.txt
check "... its size" grep -q '^DIMENSION: 15$' a.txt
check "an ATSP from a file" exits 0 "$tool" --problem=atsp --instance a.txt --output b.txt
check "... the same" cmp -s a.txt b.txt
check "a random ATSP" exits 0 "$tool" --problem=atsp --instance random:5:9 --output a.txt
check "a bad ATSP" exits 2 "$tool" --problem=atsp --instance \
	"$data/bad_atsps/cost_negative.txt" --output x.txt
check "... in one line" one_line 'cost_negative.txt:8: cost from 1 to 2 is negative'

for name in boyer:3 ta001 crane:5:1; do
	check "$name to a file" exits 0 "$tool" --instance $name --output file.txt
	check "$name to standard output" exits 0 "$tool" --instance $name --output -
	check "... is the same" cmp -s file.txt out.txt
	check "... and no file is called -" test ! -e ./-
	rm -f ./-
done
check "standard output is a full disk" bash -c '
	"$1" --instance ta001 --output - >/dev/full 2>err.txt; test $? -eq 1' bash "$tool"
check "... in one line" one_line "standard output"

# ---- the problem of a file, by its content ----
for file in flowshop_taillard.txt flowshop_vfr.txt atsp_plain.txt knapsack_indexed.txt; do
	check "$file" exits 0 "$tool" --instance "$data/$file" --output own.txt
	check "... with its problem" exits 0 "$tool" --problem "${file%%_*}" --instance "$data/$file" --output said.txt
	check "... is the same" cmp -s own.txt said.txt
done
check "n C and pairs, also a plain matrix" exits 0 "$tool" --instance "$data/knapsack_plain.txt" --output own.txt
mkfifo pipe
for i in 1 2 3 4 5; do
	cat k.txt >pipe &
	check "a pipe is a knapsack, and opened once" exits 0 timeout 10 "$tool" --instance pipe --output own.txt
	kill $! 2>/dev/null || true
done
check "... the same" cmp -s k.txt own.txt

# ---- a file that is refused: what it looks like ----
hints() { # words, flags...
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
check "a name of the other problem" exits 2 "$tool" --problem=knapsack --instance ta001 \
	--output x.txt
check "no problem at all" exits 2 "$tool" --problem=x --instance ta001 --output x.txt
check "... in one line" one_line "not 'x'"
check "a bad name" exits 2 "$tool" --instance random:5x3 --output x.txt
check "... in one line" one_line 'random:5x3: expected'
check "no instance" exits 2 "$tool" --output x.txt
check "a full disk" exits 1 "$tool" --instance ta001 --output /dev/full
check "nothing was left behind" test ! -e x.txt
check "--help" exits 0 "$tool" --help
exit "$failed"
