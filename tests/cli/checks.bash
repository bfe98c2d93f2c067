# Shared by the command-line tests. `failed` is 1 after a failed check. A test that sources this file
# first may be run without an argument; $1 is then build/bin of this tree.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
[ $# -gt 0 ] || set -- "$(dirname "${BASH_SOURCE[0]}")/../../build/bin"
failed=0

check() { # description, command...: ok if the command succeeds
	local what=$1
	shift
	if "$@"; then
		echo "ok   $what"
	else
		echo "FAIL $what: $*"
		failed=1
	fi
}
exits() { # exit code, command...: its output goes to out.txt and err.txt
	local want=$1 got=0
	shift
	"$@" >out.txt 2>err.txt || got=$?
	[ "$got" -eq "$want" ] || { echo "exit code $got, expected $want"; cat err.txt; return 1; }
}
one_line() { # err.txt is one line that matches
	[ "$(wc -l <err.txt)" -eq 1 ] && grep -q -- "$1" err.txt || { cat err.txt; return 1; }
}
until_there() { # command that succeeds soon, within a minute on a slow machine
	for _ in $(seq 3000); do
		"$@" && return 0
		sleep 0.02
	done
	return 1
}
# Waits until a program has installed its signal handler: before, a background job ignores SIGINT.
until_it_takes_signals() { # pid, program
	local caught
	for _ in $(seq 600); do
		kill -0 "$1" 2>/dev/null || return 0
		if [ "/proc/$1/exe" -ef "$2" ]; then # not the shell, which may have a handler too
			caught=$(sed -n 's/^SigCgt:\t*//p' "/proc/$1/status" 2>/dev/null) || return 0
			[ $((0x${caught:-0} & 2)) -ne 0 ] && return 0
		fi
		sleep 0.05
	done
}

in_new_folder() { # folder of programs: sets root and bin, and changes to a new folder, work
	root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	bin=$(cd "$1" && pwd)
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	cd "$work" || exit
	unset COPRA_DEVICE COPRA_THREADS COPRA_SCALE
}

# ---- checkpoints that cannot be written ----

said() { # how often, regular expression
	[ "$(grep -c "$2" err.txt)" -eq "$1" ]
}
folder_is() { # what `kept` leads to, from one moment to the next
	ln -s "$1" kept.new && mv -T kept.new kept
}
# Starts a search whose folder of checkpoints vanishes after the first one: sets pid.
loses_its_folder() { # what, command...
	local what=$1
	shift
	rm -rf there kept
	mkdir there
	folder_is there
	"$@" --checkpoint kept/state --checkpoint-period 0.05 >out.txt 2>err.txt &
	pid=$!
	until_there test -s there/state || true
	folder_is /dev/null
	check "$what: a checkpoint that cannot be written is reported" until_there said 1 \
		'^checkpoint: .*kept/state: .*Not a directory; the search goes on and tries again$'
}
completes_without_folder() { # what, its answer, command...: exit code 0, and two lines
	local code=0 answer=$2
	loses_its_folder "$1" "${@:3}"
	cp there/state before
	wait $pid || code=$?
	check "... once, and the search completes" [ "$code" -eq 0 ]
	check "... with its answer" grep -q "^objective  $answer\$" out.txt
	check "... and a line on the last checkpoint" said 1 '^checkpoint: .*kept/state: .*; the search is complete$'
	check "... and no others" test "$(wc -l <err.txt)" -eq 2
	check "... and the older file" cmp before there/state
}
# Stopped by SIGTERM after the folder has come back and vanished again.
stops_without_folder() { # what, program, command...
	local code=0 program=$2
	loses_its_folder "$1" "${@:3}"
	folder_is there
	check "... until it can be written again" until_there said 1 '^checkpoint: kept/state is written again$'
	folder_is /dev/null
	check "... and when it cannot again" until_there said 2 '; the search goes on and tries again$'
	cp there/state before
	kill -TERM $pid || true # an earlier end shows in the exit code
	wait $pid || code=$?
	# an mpirun that was signalled may return any exit code
	[ -n "${launched:-}" ] || check "... and the stopped search fails" [ "$code" -eq 1 ]
	check "... in one line" said 1 "^$program: kept/state: .*Not a directory\$"
	check "... without others" test "$(grep -c "^checkpoint: \|^$program: " err.txt)" -eq 4
	check "... and leaves the older file" cmp before there/state
}

# ---- tests of a target's solve, list and bench ----

begin() { # target, folder of programs: bin is then the target's program
	in_new_folder "$2"
	bin=$bin/$1
	[ -x "$bin" ] || { echo "FAIL $bin is not built"; exit 1; }
}
solve() { # exit code, flags...: leaves result.json
	local code=$1
	shift
	rm -f result.json
	exits "$code" "$bin" solve "$@" --json result.json
}
# Runs a search that the time limit stops after it has written the checkpoint `state`. On a busy
# machine the limit may strike before that, and a fast one may end the search before; then it is
# repeated with another limit.
stopped() { # seconds, flags...
	local limit=$1 code factor
	shift
	for _ in $(seq 30); do
		rm -f state result.json
		code=0
		"$bin" solve "$@" --checkpoint state --time-limit "$limit" --json result.json >out.txt 2>err.txt || code=$?
		case $code in
		0) factor=0.4 ;;
		3) factor=2 && [ -f state ] && return 0 ;;
		*) break ;;
		esac
		limit=$(awk "BEGIN { print $factor * $limit }")
	done
	cat err.txt
	return 1
}
# Checks that a search is interrupted, with longer and longer limits until a line of its log, $2, matches
# the regular expression $3: a loaded machine needs longer.
interrupted_showing() { # what, log, regular expression, seconds, command...
	local what=$1 log=$2 shown=$3 limit=$4 _
	shift 4
	for _ in 1 2 3 4; do
		rm -f "$log"
		check "$what" exits 3 "$@" --time-limit "$limit" --log "$log"
		! grep -q "$shown" "$log" || return 0
		limit=$(awk "BEGIN { print 3 * $limit }")
	done
	tail -n 3 "$log"
	check "... and its log shows $shown" false
}
killed() { # description, seconds before the kill, flags...: resumes until the search is complete
	local what=$1 pause=$2 runs=0 code=9 pid
	shift 2
	rm -f state
	while [ $code -ne 0 ] && [ $runs -lt 60 ]; do
		resume=
		[ -f state ] && resume="--resume state"
		"$bin" solve "$@" --checkpoint state --checkpoint-period 0.01 $resume --json result.json \
			>out.txt 2>err.txt &
		pid=$!
		runs=$((runs + 1))
		sleep "$pause" # longer each time, so that the search ends on any machine
		pause=$(awk "BEGIN { print $pause * 1.3 }")
		kill -KILL $pid 2>/dev/null || true
		code=0
		wait $pid 2>/dev/null || code=$?
		[ $code -eq 0 ] || [ $code -eq 137 ] || break
	done
	check "$what: complete after $runs runs" [ $code -eq 0 ]
}
refused() { # regular expression for the error line, flags...
	local words=$1
	shift
	check "solve $* is refused" exits 2 "$bin" solve "$@"
	check "the refusal is one line: $words" one_line "$words"
}
bad_flowshops_are_refused() {
	local file
	for file in "$root"/tests/data/bad_flowshops/*.txt; do
		refused "$(basename "$file")" --instance "$file" --variant cpu
	done
}
summary() { # a line that out.txt must have, as a Python expression of r, the object of result.json
	python3 -c '
import json, sys
r = json.load(open("result.json"))
line = eval(sys.argv[1])
if line not in open("out.txt").read().split("\n"):
    sys.exit("no line \"%s\" in:\n%s" % (line, open("out.txt").read()))' "$1"
}
numbers='" ".join(map(str, r["solution"]))'
interrupted() { # seconds before SIGINT, flags...: leaves result.json
	local pause=$1 code=0 pid
	shift
	"$bin" solve "$@" --json result.json >out.txt 2>err.txt &
	pid=$!
	until_it_takes_signals $pid "$bin"
	sleep "$pause"
	kill -INT $pid || true # if it ended earlier, the exit code shows it
	wait $pid || code=$?
	check "SIGINT ends solve $* with exit code 3" [ "$code" -eq 3 ]
}
names() { # scale: writes the names of the cases to out.txt
	"$bin" bench --copra_scale="$1" --benchmark_list_tests --device=cpu >out.txt
}
experiments_are_listed() { # experiments of the target, at all scales
	local scale experiment
	for scale in smoke quick paper; do
		check "bench lists the cases of scale $scale" names $scale
		for experiment in "$@"; do
			check "experiment $experiment has cases at scale $scale" grep -q "^$(basename "$bin")/$experiment/" out.txt
		done
	done
}
smoke_is_right_on_simulated_devices() { # filter of cases
	check "smoke answers are correct on simulated devices" exits 0 "$bin" bench --copra_scale=smoke \
		--device=sim:0,1 --benchmark_filter="$1"
	check "no case was skipped for another reason" bash -c '! grep -vE "answer correct|^-|^Benchmark" out.txt | grep SKIPPED'
}

# Plain matrices with the times of small.txt, in both orders, have the same optimum.
plain_matrices_are_read() { # flags that make the search complete...
	local want order
	tail -n +4 small.txt >by-jobs.txt
	python3 -c 'for row in zip(*[l.split() for l in open("by-jobs.txt")]): print(",".join(row))' >by-machines.csv
	"$bin" solve --instance small.txt --variant cpu "$@" --json result.json >out.txt
	want=$(python3 -c 'import json; print(json.load(open("result.json"))["objective"])')
	for order in "machines-by-jobs by-jobs.txt" "jobs-by-machines by-machines.csv"; do
		check "a plain matrix is read with --format ${order% *}" exits 0 "$bin" solve --format ${order% *} --instance ${order#* } \
			--variant cpu "$@" --json result.json
		check "the plain matrix has the same optimum as small.txt" json "r['objective'] == $want" "makespan(r) == $want"
	done
	check "--format auto is accepted" exits 0 "$bin" solve --format auto --instance small.txt --variant cpu "$@"
	refused "auto, jobs-by-machines, machines-by-jobs" --format rows --instance by-jobs.txt --variant cpu
	refused "known instance" --format jobs-by-machines --instance ta001 --variant cpu
	refused "small.txt:1: time of job 0 on machine 0 is not an integer" --format jobs-by-machines \
		--instance small.txt --variant cpu
	bad_matrices_are_refused
}
bad_matrices_are_refused() { # each file of the folder, with the line and the reason
	local file folder=$root/tests/data/bad_matrices
	local -A reason=(
		[comma_first.txt]=":2: a number is missing before a comma"
		[comma_last.txt]=":1: a number is missing after the last comma"
		[comma_twice.txt]=":1: a number is missing before a comma"
		[empty.txt]=": the file contains no numbers"
		[fraction.txt]=":1: time of job 0 on machine 1 is not an integer"
		[many_jobs.txt]=":1001: more than 1000 jobs"
		[many_machines.txt]=":1: more than 100 machines"
		[negative.txt]=":2: time of job 1 on machine 1 is negative"
		[not_a_number.txt]=":2: time of job 1 on machine 1 is not an integer"
		[nul_byte.txt]=":2: a NUL byte: not text"
		[only_comments.txt]=": the file contains no numbers"
		[row_long.txt]=":3: more than the 2 numbers of the first row"
		[row_short.txt]=":2: 2 numbers, but the first row has 3"
		[sum_overflows.txt]=":2: the sum of the times does not fit in 31 bits"
		[time_overflows.txt]=":2: a time does not fit in 31 bits"
		[time_overflows_64.txt]=":1: time of job 0 on machine 1 does not fit in 64 bits"
	)
	check "every file in bad_matrices has an expected message" diff <(LC_ALL=C ls "$folder") <(printf '%s\n' "${!reason[@]}" | LC_ALL=C sort)
	for file in "${!reason[@]}"; do
		refused "$file${reason[$file]}" --format jobs-by-machines --instance "$folder/$file" --variant cpu
	done
}

# Writes small.txt, with 8 jobs on 5 machines, and small.py for a test's check.py: the optimum, found by
# trying all orders, and conditions on result.json.
small_flowshop() {
	cat >small.txt <<'END'
number of jobs, number of machines, initial seed, upper bound and lower bound :
8 5 0 0 0
processing times :
95 60 55 76 44 16 63 66
49 27 57 98 69 10 89 88
99 61 42 51 36 81 31 90
83 84 11 1 55 15 82 11
18 88 32 81 16 23 61 1
END
	cat >small.py <<'END'
import itertools, json, sys
times = [list(map(int, l.split())) for l in open("small.txt").readlines()[3:]]
def length(order):
    front = [0] * len(times)
    for job in order:
        before = 0
        for k in range(len(times)):
            before = front[k] = max(front[k], before) + times[k][job]
    return front[-1]
def makespan(r):
    assert sorted(r["solution"]) == list(range(len(times[0])))
    return length(r["solution"])
def optimum():
    return min(map(length, itertools.permutations(range(len(times[0])))))
def hold(conditions, names):
    """Checks that all conditions hold, with the object of result.json as r and the names of `names`."""
    r = json.load(open("result.json"))
    for text in conditions:
        if not eval(text, dict(names, r=r)):
            sys.exit("does not hold: %s\n%s" % (text, r))
END
}
json() { # Python conditions on r, the object of result.json; all must hold. Not for subshells
	local status=1
	[ -n "${checker_PID:-}" ] || coproc checker { exec python3 "$root/tests/cli/check_server.py"; }
	printf '%s\0' $# "$@" >&"${checker[1]}"
	read -r status <&"${checker[0]}" || true
	[ "$status" -eq 0 ] || { cat check.out; return 1; }
}
