#!/usr/bin/env bash
# A file given to the wrong program or problem: the error message keeps the reader's message, says what the file looks
# like, and names a command that accepts it. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
data=$root/tests/data
cp "$data/atsp_plain.txt" a.atsp
cp "$data/flowshop_taillard.txt" t.fsp
cp "$data/flowshop_vfr.txt" v.fsp
cp "$data/knapsack_indexed.txt" k.txt
cp "$data/maxsat_plain.cnf" c.cnf
cp "$data/maxsat_top.wcnf" w.wcnf
cp "$data/samegame_plain.txt" s.txt
cp "$data/matrix_machines_by_jobs.csv" m.csv

hints() { # what it looks like, command that accepts it, program, flags...
	local what=$1 command=$2
	shift 2
	check "$*" exits 2 "$bin/$1" solve "${@:2}" --variant cpu
	check "... one line: looks like $what" one_line " looks like $what"
	check "... use $command" grep -qF "use $command" err.txt
}
as() { sed 's/; .* looks like .*//' err.txt; } # the reader's message

# ---- every wrong program and problem names the same file and a command ----
for call in "dp-knapsack" "helbecque-pool" "gmys-ivm" "gmys-ivm --problem nqueens" "koester-recovery" \
	"koester-recovery --problem samegame" "koester-recovery --problem synthetic" "gboa" "gboa --problem maxsat"; do
	hints "a TSPLIB ATSP file" "gmys-ivm solve --problem atsp --instance a.atsp" $call --instance a.atsp
done
for call in "gmys-ivm --problem nqueens" "gmys-ivm --problem atsp" "dp-knapsack" "gboa"; do
	hints "a Taillard flowshop file" "gmys-ivm solve --instance t.fsp" $call --instance t.fsp
	hints "a VFR flowshop file" "gmys-ivm solve --instance v.fsp" $call --instance v.fsp
	[ "$call" = gboa ] ||
		hints "a DIMACS wcnf file" "gboa solve --problem maxsat --instance w.wcnf" $call --instance w.wcnf
done
hints "a Taillard flowshop file" "koester-recovery solve --instance t.fsp" koester-recovery --problem samegame \
	--instance t.fsp
for call in "helbecque-pool" "gmys-ivm --problem atsp" "koester-recovery --problem samegame"; do
	hints "a knapsack file" "dp-knapsack solve --instance k.txt" $call --instance k.txt
	hints "a DIMACS cnf file" "gboa solve --problem maxsat --instance c.cnf" $call --instance c.cnf
done
hints "a knapsack file" "gboa solve --problem knapsack --instance k.txt" gboa --instance k.txt
hints "a DIMACS cnf file" "gboa solve --problem maxsat --instance c.cnf" gboa --instance c.cnf
for call in "helbecque-pool" "koester-recovery" "dp-knapsack" "gboa"; do
	hints "a SameGame board of 3 x 4 cells" "koester-recovery solve --problem samegame --instance s.txt" \
		$call --instance s.txt
done

# ---- the named commands work ----
for call in "gmys-ivm --problem atsp --instance a.atsp" "gmys-ivm --instance t.fsp" "gmys-ivm --instance v.fsp" \
	"dp-knapsack --instance k.txt" "gboa --problem knapsack --instance k.txt --population 64" \
	"gboa --problem maxsat --instance c.cnf --population 64" \
	"gboa --problem maxsat --instance w.wcnf --population 64" \
	"koester-recovery --problem samegame --instance s.txt" "koester-recovery --instance t.fsp"; do
	check "the command works: $call" exits 0 "$bin/${call%% *}" solve ${call#* } --variant cpu
done

# ---- a plain matrix ----
for program in helbecque-pool gmys-ivm koester-recovery; do
	check "$program refuses a plain matrix" exits 2 "$bin/$program" solve --instance m.csv --variant cpu
	check "... and names the missing flag" one_line \
		'm.csv looks like a plain matrix of 2 x 3 times; add --format jobs-by-machines or --format machines-by-jobs$'
	check "... after the reader's message" [ "$(as)" = "$program: m.csv:1: number of jobs is not an integer" ]
done
check "dp-knapsack refuses a plain matrix" exits 2 "$bin/dp-knapsack" solve --instance m.csv --variant cpu
check "... and names the program for it" one_line \
	'2 x 3 numbers; for a flowshop use gmys-ivm solve --instance m.csv --format jobs-by-machines or --format'
check "a matrix of 101 rows is made" python3 -c 'open("tall.txt", "w").write("1 2\n" * 101)'
check "... and refused" exits 2 "$bin/gmys-ivm" solve --instance tall.txt --variant cpu
check "... with only the possible order" one_line 'of 101 x 2 times; add --format jobs-by-machines$'
check "--format for a Taillard file is refused" exits 2 "$bin/gmys-ivm" solve --instance t.fsp \
	--format jobs-by-machines --variant cpu
check "... with the right command" one_line 'looks like a Taillard flowshop file; use gmys-ivm solve --instance t.fsp$'

# ---- a plain matrix below a line with its size ----
printf '5 3\n17 2 3\n4 5 6\n7 8 9\n1 2 3\n4 5 6\n' >sized.txt
check "a matrix with a header is refused without --format" exits 2 "$bin/gmys-ivm" solve --instance sized.txt --variant cpu
check "... and recognised" one_line "sized.txt looks like a plain matrix of 5 x 3 times with its size in the first line;\
 add --format jobs-by-machines or --format machines-by-jobs$"
for order in jobs-by-machines machines-by-jobs; do
	check "... and read as $order" exits 0 "$bin/gmys-ivm" solve --instance sized.txt --variant cpu --format $order
done
sed 1s/.*/"3 5"/ sized.txt >reverse.txt
check "a header in reverse order is refused" exits 2 "$bin/gmys-ivm" solve --instance reverse.txt --variant cpu \
	--format jobs-by-machines
check "... with the reason" one_line "reverse.txt:1: the header says 3 x 5, but the matrix below it is 5 x 3;\
 correct or remove it, and check --format$"
printf '2 2\n17 2\n4 5\n' >ways.txt
check "a first line that may be a header or a row" exits 2 "$bin/gmys-ivm" solve --instance ways.txt --variant cpu
check "... has both possibilities named" one_line "a plain matrix of 3 x 2 times or one of 2 x 2 with its size in the first line;.*\
 or add --format jobs-by-machines or --format machines-by-jobs, which reads the first line as the size$"

# ---- a square matrix instead of an ATSP file ----
printf '0 2 3\n4 0 6\n1 5 0\n' >square.txt
check "a square matrix is refused as an ATSP" exits 2 "$bin/gmys-ivm" solve --problem atsp --instance square.txt --variant cpu
check "... and the missing header named first" one_line "a plain matrix of 3 x 3 numbers; an ATSP file needs the TSPLIB header\
 above the matrix (see docs/SOLVE.md), or use koester-recovery .* or for a flowshop use gmys-ivm .* machines-by-jobs$"
check "a matrix that is not square is refused" exits 2 "$bin/gmys-ivm" solve --problem atsp --instance m.csv --variant cpu
check "... without mention of TSPLIB" bash -c '! grep -q TSPLIB err.txt'
awk '/^A plain matrix of costs/ {on = 1} on && /^```/ {n++; next} n == 1' "$root/docs/SOLVE.md" >square.atsp
check "the header of docs/SOLVE.md makes it an ATSP file" exits 0 "$bin/gmys-ivm" solve --problem atsp --instance square.atsp --variant cpu
check "... with the same matrix" [ "$(tail -n 3 square.atsp)" = "$(cat square.txt)" ]

# ---- two possibilities, names with spaces, long names, and cases without a hint ----
printf '3 10\n1 8\n2 9\n3 7\n' >"two ways.txt"
check "a file with two possible formats is refused" exits 2 "$bin/gmys-ivm" solve --instance "two ways.txt" --variant cpu
check "... with both named" one_line "looks like a knapsack file or a plain matrix of 4 x 2 times;\
 use dp-knapsack solve --instance 'two ways.txt', or add --format jobs-by-machines or --format machines-by-jobs$"
long_path() { # length of each of two folders' names: leaves a copy of a.atsp at $path
	local name
	name=$(printf "%0$1d" 0)
	path=$name/$name/a.atsp
	mkdir -p "$name/$name"
	cp a.atsp "$path"
}
for length in 110 150; do # no room for the path twice; a path that is too long for a command
	long_path $length
	check "a long path of 2 x $length is refused" exits 2 "$bin/gmys-ivm" solve --instance "$path" --variant cpu
	check "... and not repeated" one_line \
		'looks like a TSPLIB ATSP file; use gmys-ivm solve --problem atsp --instance FILE$'
done
long_path 200
check "a path that leaves no room for a hint is refused" exits 2 "$bin/gmys-ivm" solve --instance "$path" --variant cpu
check "... with only the reader's message" one_line '/a.atsp:2: number of jobs is not an integer$'
printf '3 10\n1 x\n2 9\n3 7\n' >own.txt
for bad in "$data"/bad_knapsacks/*.txt own.txt; do
	check "a faulty knapsack is refused: $(basename "$bad")" exits 2 "$bin/dp-knapsack" solve --instance "$bad" --variant cpu
	check "... and not sent to dp-knapsack" bash -c '! grep -q "use dp-knapsack" err.txt'
done
check "a missing file is refused" exits 2 "$bin/gmys-ivm" solve --instance none.txt --variant cpu
check "... without a hint" one_line 'none.txt: No such file or directory$'
mkfifo pipe
(sleep 0.1; cat a.atsp) >pipe &
check "a pipe, which cannot be read twice, is refused" exits 2 timeout 10 "$bin/gmys-ivm" solve --instance pipe --variant cpu
check "... with the reader's message" one_line 'pipe:[12]: number of jobs is not an integer$'
exit $failed
