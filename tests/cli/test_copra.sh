#!/usr/bin/env bash
# The program copra: its commands run the other programs; `copra solve` recognises and solves the
# samples of every format and the lines of the README's table, refuses what could be two things, and
# passes flags, signals and exit codes on. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
export COPRA_DEVICE=cpu
copra=$bin/copra
[ -x "$copra" ] || { echo "FAIL $copra is not built"; exit 1; }
cp "$root/tests/cli/samples.py" .
cat >check.py <<'END'
"""All arguments hold for r, the object of result.json. best(kind, file): by trying everything."""
import json, sys, samples
r = json.load(open("result.json"))
def best(kind, file):
    optimum, value = samples.KINDS[kind](file)
    return (optimum, value(r["solution"]))
for text in sys.argv[1:]:
    if not eval(text):
        sys.exit("does not hold: %s\n%s" % (text, r))
END
solve() { # exit code, arguments of copra solve...: leaves result.json
	local code=$1
	shift
	rm -f result.json
	exits "$code" "$copra" solve "$@" --json result.json
}
same() { # words of one command -- words of another one: both write the same to stdout
	local first=()
	while [ "$1" != -- ]; do first+=("$1"); shift; done
	shift
	diff <("${first[@]}" 2>&1) <("$@" 2>&1)
}
refused() { # regular expression of the one line, arguments of copra...: exit code 2
	local words=$1
	shift
	check "copra $* is refused" exits 2 "$copra" "$@"
	check "... in one line: $words" one_line "$words"
}

# ---- commands ----
check "copra --help lists the commands" bash -c '"$1" --help | grep -q "copra solve FILE|NAME"' - "$copra"
check "copra without arguments prints the same and exits with 2" exits 2 "$copra"
check "copra help is the same as --help" same "$copra" help -- "$copra" --help
check "copra list names every target" exits 0 "$copra" list
for target in "$root"/algorithms/*/main.c; do
	target=$(basename "$(dirname "$target")")
	check "... $target with its summary" grep -qE "^$target +[^ ].{20}" out.txt
done
check "copra list TARGET is the target's list" same "$copra" list gboa -- "$bin/gboa" list
check "copra bench TARGET is the target's bench" same "$copra" bench dp-knapsack --copra_scale=smoke --benchmark_list_tests \
	-- "$bin/dp-knapsack" bench --copra_scale=smoke --benchmark_list_tests
for command in report compare history peaks instance; do
	check "copra $command is copra-$command" same "$copra" $command --help -- "$bin/copra-$command" --help
	check "copra help $command is the same" same "$copra" help $command -- "$bin/copra-$command" --help
done
check "copra estimate of a knapsack is dp-knapsack estimate" same "$copra" estimate boyer:300 -- "$bin/dp-knapsack" estimate --instance boyer:300
check "copra estimate of a flowshop is copra-estimate" exits 0 "$copra" estimate ta001 --seconds 0.1
check "... with the nodes" grep -q '^about .* nodes' out.txt
check "copra estimate refuses other problems" exits 2 "$copra" estimate 18Q
check "... in one line" one_line 'copra: only flowshops and knapsacks are estimated; 18Q is: '
check "copra estimate explains a wrong name" exits 2 "$copra" estimate hard:1:2
check "... in one line" one_line 'copra: .*hard:N:C:G:F:EPS:S'
check "copra estimate --help names both" bash -c '"$1" estimate --help | grep -q "dp-knapsack estimate --help"' - "$copra"
smoke=(env -u BIN -u TARGETS COPRA_DATA="$root" SCALE=smoke PAPER=gboa "$copra" reproduce)
check "copra reproduce --estimate predicts" exits 0 "${smoke[@]}" --estimate
check "... for the target, with the results in the current folder" grep -q "of disk in $work/results/local " out.txt
check "... and COPRA_RESULTS is relative to it" bash -c 'COPRA_RESULTS=a/b "${@:2}" | grep -q "of disk in $1/a/b "' - "$work" "${smoke[@]}" --estimate
check "... with the programs beside copra" exits 0 env BIN=/nothing COPRA_DATA="$root" PAPER=gboa "$copra" reproduce --estimate
check "copra help reproduce names the settings" bash -c '"$1" help reproduce | grep -q "SCALE=smoke|quick|paper"' - "$copra"
check "its exit code is passed on" exits 2 env COPRA_DATA="$root" SCALE=huge "$copra" reproduce
check "... with one line" one_line "SCALE must be smoke, quick or paper"
check "data without the script is an error" exits 4 env COPRA_DATA=/nothing "$copra" reproduce
check "... in one line" one_line "^copra: /nothing/scripts/reproduce.sh: No such file or directory"
check "copra instance writes an instance" exits 0 "$copra" instance --instance boyer:3 --output k.txt
check "a command's exit code is passed on" exits 2 "$copra" instance --instance nothing --output x.txt
check "copra solve --help exits with 0" exits 0 "$copra" solve --help
check "... with the flags that only some targets have" grep -qE '^  --(plot|node-limit|checkpoint)=' out.txt
check "copra bench --help says how to see the flags" bash -c '"$1" help bench | grep -q "copra bench TARGET --help"' - "$copra"
check "copra help solve is the same" same "$copra" help solve -- "$copra" solve --help
check "copra solve FILE --help begins with its own usage and flags" bash -c '"$1" solve ta001 --help | head -n 6 | tr "\n" " " | grep -q "^usage: copra solve .*--target=NAME"' - "$copra"
check "copra solve FILE --help lists the flags of the target" bash -c '"$1" solve ta001 --help | grep -q -- --branching' - "$copra"
refused "unknown command 'sovle'; did you mean solve?" sovle
refused "unknown command 'qwertz'; copra --help lists them" qwertz
refused "unknown target 'gmys'; did you mean gmys-ivm?" list gmys
refused "unknown target 'dp-knapsak'; did you mean dp-knapsack?" bench dp-knapsak
refused "bench needs a target" bench
refused "gboa is a target, not a command" gboa
check "a full disk is an error" bash -c '"$1" list >/dev/full 2>err.txt; test $? -eq 1' - "$copra"
ln -s "$copra" link
check "the programs are found through a link to copra" exits 0 ./link list gboa
mkdir lonely
cp "$copra" lonely/
check "a missing program exits with 4" exits 4 lonely/copra list gboa
check "... and names it" one_line "lonely/gboa: No such file or directory"

# ---- a sample of every format, by its content ----
cp -r "$root/datasets/samples" .
kind() { # of tests/cli/samples.py
	case $1 in
	flowshop-*) local rest=${1#flowshop-}; echo "${rest%.*}" ;;
	knapsack-*) echo knapsack ;;
	*.atsp) echo atsp ;;
	*.cnf | *.wcnf) echo maxsat ;;
	board.txt) echo samegame ;;
	esac
}
solved() { # file, optimum, flags...: the answer has this value, which trying everything confirms
	local file=$1 optimum=$2
	shift 2
	check "samples/$file is solved" solve 0 "samples/$file" "$@"
	check "... copra says what it chose and why, in one line" one_line '^copra: .*: .*; .'
	check "... the answer has the value $optimum, the best of all solutions, and is verified" \
		json "best('$(kind "$file")', 'samples/$file') == ($optimum, r['objective'])" "r['objective'] == $optimum" \
		"r['verified'] is True" "r['status'] == '$([[ $file == board.txt ]] && echo feasible || echo optimal)'"
}
count=0
while IFS='|' read -r _ file _ flags optimum _; do
	file=${file//[\` ]/}
	# shellcheck disable=SC2086 # several words
	solved "$file" "${optimum// /}" ${flags//\`/}
	count=$((count + 1))
done < <(grep '^| `' samples/README.md)
check "the table of samples has a line for each file" test "$count" -eq "$(find samples -type f ! -name README.md | wc -l)"

# ---- the README's table ----
mkdir build
ln -s "$bin" build/bin
ln -s "$root/datasets" datasets
sed -n 's/^| .*| `\(build\/bin\/copra .*\)` |$/\1/p' "$root/README.md" >lines.txt
check "the README has at least ten lines of copra" test "$(wc -l <lines.txt)" -ge 10
while IFS= read -r line; do
	want=0
	[[ $line == *--time-limit* ]] && want=3
	check "README: $line" exits $want bash -c "COPRA_THREADS=2 $line"
	if [[ $line == *' verify '* ]]; then
		check "... the answer is right" grep -q ', as stated' out.txt
	else
		check "... the answer is verified" grep -qE '^status +[a-z]+, verified' out.txt
	fi
done < <(sed 's/--time-limit 60/--time-limit 2/' lines.txt)

# ---- what could be two things ----
printf '3 1\n0 5\n0 6\n0 7\n' >two.txt
refused "two.txt could be a VFR flowshop file .* or a knapsack file .*; add --problem flowshop or --problem knapsack" solve two.txt
check "--problem flowshop decides" exits 0 "$copra" solve two.txt --problem flowshop
check "... for the makespan" grep -q '^objective  18$' out.txt
check "--problem knapsack decides" exits 0 "$copra" solve two.txt --problem=knapsack
check "... for the profit: no item has weight 1" grep -q '^objective  0$' out.txt
refused "--problem atsp.*--problem maxsat" solve random:12:100
refused "12Q is N-Queens" solve 12
refused "for a flowshop add --format" solve samples/flowshop-jobs-by-machines.csv
# ---- names that do not exist ----
refused "did you mean .*ta021" solve ta0021
refused "did you mean boyer:100?" solve boyr:100
refused "did you mean samples/tour.atsp?" solve samples/tuor.atsp
refused "'flowshp'.*did you mean flowshop?" solve ta001 --problem flowshp
refused "unknown target 'gbao'; did you mean gboa?" solve ta001 --target gbao
refused "the instance must come first" solve --time-limit 3
refused "two instances" solve ta001 --instance ta002
refused "--problem needs a value" solve ta001 --problem
refused "bounds_missing.txt:2: lower bound is missing" solve "$root/tests/data/bad_flowshops/bounds_missing.txt"
# ---- hopeless ----
refused "gboa does not solve flowshop; these targets do: gmys-ivm, helbecque-pool, koester-recovery" solve ta001 --target gboa
refused "'0Q': at least one queen is needed" solve 0Q
refused "61 variables are not a multiple of 5" solve trap5:61
refused "30 queens: the search counts at most 26" solve 30Q
refused "ATSP of 60 cities: .*--time-limit" solve crane:60:1
check "with a time limit the best tour is the answer" exits 3 "$copra" solve crane:60:1 --time-limit 0.2
check "a device that is not there exits with 4" exits 4 "$copra" solve ta001 --device cuda:15

# ---- the user's flags replace those of the rule ----
check "--bound lb1 is taken" solve 0 ta001 --bound=lb1
check "... and not the rule's" bash -c 'grep -q "gmys-ivm --branching maxsum; your flags" err.txt'
for start in "--start neh" "--start none" "--ub none"; do
	# shellcheck disable=SC2086 # several words
	check "with $start a time limit ends the search" exits 3 "$copra" solve ta051 $start --time-limit 0.1
	check "... the reason claims nothing about iterated greedy" bash -c 'head -n 1 err.txt | grep -q "than LB2$"'
done
check "one queen is counted" exits 0 "$copra" solve 1Q
check "... and is one queen" grep -q '^copra: 1 queen:' err.txt
check "--target is taken" solve 0 ta001 --target helbecque-pool --bound lb1 --branching minbranch
check "... for the answer" json "r['target'] == 'helbecque-pool'"
check "koester-recovery gets its word for a flowshop" exits 0 "$copra" solve ta001 --target koester-recovery --beam 64
check "--json - writes only the object to stdout" bash -c '"$1" solve ta001 --json - 2>err.txt | python3 -m json.tool >/dev/null' - "$copra"

# ---- a beam search, then the tree search ----
python3 -c '
import random
r = random.Random(5)
rows = [[r.randint(40, 99) if k == 8 else r.randint(1, 9) for _ in range(41)] for k in range(16)]
print("jobs machines\n41 16 0 0 0\nprocessing times :")
for row in rows: print(*row)' >bottleneck.txt
check "a flowshop of 41 x 16 is solved" solve 0 bottleneck.txt
check "... after a beam search" grep -q 'the start command found [0-9]* in' out.txt
beam=$(sed -n 's/.*the start command found \([0-9]*\) in.*/\1/p' out.txt)
rows='list(zip(*[[int(x) for x in l.split()] for l in open("bottleneck.txt").readlines()[3:]]))'
check "... and the answer is optimal and starts from the schedule of the beam search" json "r['target'] == 'gmys-ivm'" \
	"r['status'] == 'optimal'" "r['verified'] is True" "r['objective'] <= r['start_makespan'] <= $beam" \
	"samples.makespan($rows, r['solution']) == r['objective']"
cp result.json first.json
check "--ub of the user replaces the beam search" solve 0 bottleneck.txt --ub none
check "... with the same optimum" json "r['status'] == 'optimal'" \
	"r['objective'] == json.load(open('first.json'))['objective']"

# ---- what is refused before the beam search, which would take 5 s ----
before_the_beam() { # exit code, regular expression, arguments of copra solve...
	local code=$1 words=$2
	shift 2
	check "copra solve $* is refused" exits "$code" timeout 3 "$copra" solve taillard:200x20:5 --time-limit 20 "$@"
	check "... at once: $words" grep -q -- "$words" err.txt
}
before_the_beam 2 "unknown flag --bonud (see --help); did you mean --bound?" --bonud lb1
before_the_beam 2 "'lb9' is not one of lb2, lb1" --bound lb9
before_the_beam 4 "[Cc][Uu][Dd][Aa]" --device cuda:15
before_the_beam 1 "--plot: .*no/such" --plot /proc/no/such.svg
before_the_beam 2 "--json needs a value" --json
before_the_beam 2 "--steal-parts\|--trigger\|--ivms" --ivms 64

# ---- the clock, the progress and the log begin with the command ----
began=$(date +%s.%N)
check "--progress works with a beam search" solve 3 taillard:200x20:5 --time-limit 2 --progress=0.2 --log beam.log
took=$(python3 -c "import time; print(time.time() - $began)")
check "... the limit is the user's" grep -q 'stopped by --time-limit 2$' err.txt
check "... a line is shown during the beam search" grep -qE '^gmys-ivm: 0\.[0-9] s, bound [0-9]+$' err.txt
check "... the seconds count from the start of the command" json "1.9 <= r['seconds']['total'] <= $took" \
	"r['seconds']['search'] < r['seconds']['total'] - 0.4"
beam=$(sed -n 's/.*the start command found \([0-9]*\) in.*/\1/p' out.txt)
check "... the log has the schedule of the beam search when it was found" json \
	"any(l.get('event') == 'incumbent' and l['value'] == $beam and 0.1 < l['seconds'] < 1.7 for l in map(json.loads, open('beam.log')))"

mkdir "it's"
cp bottleneck.txt "it's/a b.txt"
check "a file whose name has quotes and blanks is solved" solve 0 "it's/a b.txt"
check "... after a beam search" grep -q 'the start command found' out.txt

mkdir broken
cp "$copra" "$bin/gmys-ivm" broken/
printf '#!/bin/sh\necho "koester-recovery: no memory" >&2\nexit 1\n' >broken/koester-recovery
chmod +x broken/koester-recovery
check "a beam search that fails is left out" exits 0 broken/copra solve bottleneck.txt --json result.json
check "... with its message" grep -q '^koester-recovery: no memory$' err.txt
check "... and the same optimum" json "r['objective'] == json.load(open('first.json'))['objective']"
check "... and stdout is that of the tree search" grep -q '^gmys-ivm: ' <(head -n 1 out.txt)

running() { # pid of copra, program: copra, or its child, is this program; waits until it takes signals
	local pid=$1 child
	for child in "$pid" $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do
		if [ "/proc/$child/exe" -ef "$2" ]; then
			until_it_takes_signals "$child" "$2"
			return 0
		fi
	done
	return 1
}
stopped() { # signal, program that runs, arguments of copra solve...: exit code 3 and a valid answer
	local code=0 signal=$1 program=$bin/$2
	shift 2
	rm -f result.json run.log chart.svg
	"$copra" solve "$@" --json result.json --log run.log --plot chart.svg >out.txt 2>err.txt &
	check "$(basename "$program") runs" until_there running $! "$program"
	sleep 0.3
	kill -"$signal" $!
	wait $! || code=$?
	check "SIG$signal in $(basename "$program") gives exit code 3" test $code -eq 3
	check "... with a verified schedule" json "r['status'] == 'limit'" "r['verified'] is True" \
		"sorted(r['solution']) == list(range(len(r['solution'])))" "r['target'] == 'gmys-ivm'"
	check "... a log and a chart" grep -q '</svg>' chart.svg
	check "... whose end is that of the result" json \
		"json.loads(open('run.log').readlines()[-1])['objective'] == r['objective']"
	check "... the summary is on stdout" grep -q '^status     limit, verified' out.txt
	check "... and the cause on stderr" grep -q "gmys-ivm: stopped by SIG$signal" err.txt
}
stopped INT koester-recovery taillard:200x20:5
stopped TERM koester-recovery taillard:200x20:5
stopped TERM gmys-ivm ta056 --start neh
exit $failed
