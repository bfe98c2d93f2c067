#!/usr/bin/env bash
# Runs other people's solvers beside ours on the same instances, interleaved, and checks their counts
# against ours. Called by make reproduce, make record and make bench if COMPARE_WITH is set.
# usage: compare-with.sh [--list | --help] [TARGET...]          (default: all targets)
#   --list  print the commands; run nothing
# Settings, from the environment:
#   COMPARE_WITH  the programs, which you provide (docs/COMPARATORS.md):
#                 "helbecque=FOLDER pbb=FOLDER queens=PATH combo=PATH cbc"
#                 PATH is a program or a folder with it; a bare name is looked up in $PATH.
#   SCALE         smoke (1 run of each), quick (3, default) or paper (5)
#   DEVICE, GPUS  as in make reproduce and make record
#   MINUTES       stop after about this many minutes; the same command continues later
#   COMPARE_FILTER  a regular expression: run only the cases whose rows match
#   LONGEST       end a run that takes longer than this many seconds (120)
#   BIN           the folder of our programs (build/bin);  COPRA_RESULTS  replaces results/local
# Rows <target>/comparator/<instance>/<variant>/work:<what>/gpus:<n> go to
# results/local/<machine>/<target>/comparators.json, with the variant named after the program. Every run
# is kept in comparators.journal.jsonl at once. Runs that the journal has of the same program are not
# repeated. A program with a wrong count or without readable output is reported and has no rows.
# Exit codes: 0 done; 1 a program failed, was wrong or is missing; 2 bad settings; 3 interrupted or out
# of time, the same command continues.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=compare-with
unset CDPATH
from=$PWD
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/driver.bash
top=$PWD
bin=$(realpath -- "${BIN:-build/bin}") || exit 2
results=${COPRA_RESULTS:-results/local}
scale=${SCALE:-quick}
limit=${LONGEST:-120}
descriptions=${COMPARATORS:-scripts/comparators}
failed=0
fail() { # message: is reported, the other cases go on
	complain "$1"
	failed=1
}

# ---- descriptions ----
# scripts/comparators/NAME.txt has one setting a line, "word value". Those above the first `group` hold
# for all groups.
#   target T         the target that solves the same instances
#   group WORK       begins the cases of one kind of work
#   command C        the program in the folder, and its arguments; {instance}, {number} (the number in
#                    its name), {file}, {optimum}, {gpus}, {threads} and {folder} are replaced
#   wrapper SCRIPT   a script of ours that runs the program, which it finds in COMPARATOR_PROGRAM
#   gpus N...        numbers of GPUs; 0: the command uses cores only
#   smoke, quick, paper INSTANCE[=LABEL]...
#   ours FLAGS       the flags of `T solve` for the same work
#   beside V...      our variants that run beside it and have rows; the first one gives the counts
#   reference V      instead of beside: our variant that gives the counts and has no row
#   seconds REGEX    the time that it prints: group 1 of the last line that matches; also milliseconds.
#                    Without either, the time of the whole process counts.
#   read NAME REGEX  a number that it prints, found likewise; numbers of the same name are added
#   same NAME        this number must equal ours
#   near NAME A B    this number less ours must lie from A to B; 1% is a hundredth of ours
#   row TEMPLATE     the end of the row's name
declare -A setting field # of the group that is being read; "<case>.<name>" of all cases
cases=0

fill() { # text, case: replaces what is known before any run
	local text=$1 instance=${field[$2.instance]}
	text=${text//'{instance}'/$instance}
	[[ $instance =~ ([0-9]+) ]] && text=${text//'{number}'/$((10#${BASH_REMATCH[1]}))}
	text=${text//'{label}'/${field[$2.label]}}
	text=${text//'{gpus}'/${field[$2.gpus]}}
	text=${text//'{work}'/${setting[group]}}
	text=${text//'{threads}'/$threads}
	text=${text//'{folder}'/$folder}
	echo "$text"
}
# The program of the group, or nothing and one message.
find_program() { # comparator
	local word=${setting[command]%% *}
	if [ -d "$path" ]; then executable=$path/$word; else executable=$path; fi
	folder=$path
	[ -d "$path" ] || folder=$(dirname -- "$path")
	[ ! -x "$executable" ] || [ -d "$executable" ] || return 0
	[ -n "${missing[$executable]:-}" ] || fail "$1: no program $executable; its cases are left out"
	missing[$executable]=1
	return 1
}
add_case() { # comparator, instance[=label], GPUs
	local c=$cases word
	field[$c.comparator]=$1 field[$c.instance]=${2%%=*} field[$c.label]=${2#*=} field[$c.gpus]=$3
	field[$c.folder]=$folder
	field[$c.executable]=$executable
	for word in target ours reference beside reads checks seconds milliseconds wrapper; do
		field[$c.$word]=${setting[$word]:-}
	done
	field[$c.reference]=${setting[reference]:-${setting[beside]%% *}}
	field[$c.arguments]=$(fill "${setting[command]#"${setting[command]%% *}"}" $c)
	field[$c.ours]=$(fill "${setting[ours]}" $c)
	field[$c.row]=${setting[target]}/comparator/$(fill "$row" $c)
	[[ $(name_of $c "$1") =~ ${COMPARE_FILTER:-.} ]] && cases=$((cases + 1))
}
add_group() { # comparator
	local instance gpus row=${setting[row]:-'{label}/{variant}/work:{work}/gpus:{gpus}/manual_time'}
	[ -n "${setting[group]:-}" ] && [[ " ${targets[*]} " == *" ${setting[target]} "* ]] || return 0
	for instance in ${setting[$scale]:-}; do
		for gpus in ${setting[gpus]}; do
			[ "$gpus" -gt "$most_gpus" ] || { find_program "$1" && add_case "$1" "$instance" "$gpus"; }
		done
	done
}
read_description() { # comparator
	local word value
	local -A common=()
	setting=()
	while read -r word value; do
		case $word in
		'' | '#'*) ;;
		group)
			if [ -z "${setting[group]:-}" ]; then # the first one
				for word in "${!setting[@]}"; do common[$word]=${setting[$word]}; done
			fi
			add_group "$1"
			setting=()
			for word in "${!common[@]}"; do setting[$word]=${common[$word]}; done
			setting[group]=$value
			;;
		read) setting[reads]+=$value$'\n' ;;
		same | near) setting[checks]+="$word $value"$'\n' ;;
		*) setting[$word]=$value ;;
		esac
	done <"$descriptions/$1.txt"
	add_group "$1"
}
declare -A missing
read_comparators() {
	local entry name path folder executable
	for entry in ${COMPARE_WITH:-}; do
		name=${entry%%=*} path=${entry#*=}
		[[ $name =~ ^[a-z0-9-]+$ ]] && [ -e "$descriptions/$name.txt" ] ||
			die 2 "COMPARE_WITH: unknown program '$name'; known are: $(cd "$descriptions" && echo *.txt | sed 's/\.txt//g')"
		if [ "$entry" = "$name" ] && ! path=$(command -v -- "$name"); then
			fail "$name: no such program in \$PATH; its cases are left out"
		elif [[ $path == /* ]] || path=$from/$path; [ ! -e "$path" ]; then
			fail "$name: ${entry#*=} does not exist; its cases are left out"
		else
			path=$(realpath -- "$path")
			read_description "$name"
		fi
	done
}

# ---- the journal ----
# A line for each run: name of the row, key (what ran), seconds, label, counters, whether it is a row.
# Lines of other programs under the same name are replaced.

declare -A runs_known counts # "<name> <key>"; "<name> <key> <counter>"
journal_of() { # target
	echo "$results/$machine/$1/comparators.journal.jsonl"
}
load_journals() {
	local target file name key counter value
	for target in "${targets[@]}"; do
		file=$(journal_of "$target")
		mkdir -p -- "${file%/*}" || die 1 "cannot write to ${file%/*}"
		[ -e "$file" ] || continue
		jq -Rc 'fromjson? | select(.name and .key and .seconds)' "$file" >"$file.$$.tmp" &&
			mv -f -- "$file.$$.tmp" "$file" || die 1 "cannot write $file" # a kill may have cut the last line
		while IFS=$'\t' read -r name key counter value; do
			if [ "$counter" = . ]; then
				runs_known[$name $key]=$((${runs_known[$name $key]:-0} + 1))
			else
				counts[$name $key $counter]=$value
			fi
		done < <(jq -r '([.name, .key, ".", 0], (.name as $n | .key as $k | .counters | to_entries[] |
			[$n, $k, .key, .value])) | @tsv' "$file")
	done
}
keep_run() { # target, name, key, seconds, label, counters as JSON, whether it is a row
	local counter value
	jq -cn --arg name "$2" --arg key "$3" --argjson seconds "$4" --arg label "$5" --argjson counters "$6" \
		--argjson row "$7" '$ARGS.named' >>"$(journal_of "$1")" || die 1 "cannot write $(journal_of "$1")"
	runs_known[$2 $3]=$((${runs_known[$2 $3]:-0} + 1))
	while IFS=$'\t' read -r counter value; do
		counts[$2 $3 $counter]=$value
	done < <(jq -r 'to_entries[] | [.key, .value] | @tsv' <<<"$6")
}
# A program that was wrong once has no rows.
forget() { # target, name
	local file rows=$results/$machine/$1/comparators.json
	file=$(journal_of "$1")
	jq -c --arg name "$2" 'select(.name != $name)' "$file" >"$file.$$.tmp" && mv -f -- "$file.$$.tmp" "$file"
	[ ! -e "$rows" ] || { jq --arg name "$2" '.benchmarks |= map(select(.run_name != $name))' "$rows" \
		>"$rows.$$.tmp" && mv -f -- "$rows.$$.tmp" "$rows"; }
}
# Writes the rows of a journal. Those of our own programs belong to this build.
store() { # target
	local file name identity=() rows=$results/$machine/$1/comparators.json
	file=$(journal_of "$1")
	[ -s "$file" ] || return 0
	grep -q '"row":"ours"' "$file" && identity=(--identity "$(cksum <"$bin/$1")")
	jq -rs '[.[] | select(.row != "none")] | map(.name) | unique[]' "$file" | while read -r name; do
		jq -s --arg name "$name" 'map(select(.name == $name)) | last.key as $key | map(select(.key == $key)) |
			map(.counters += (if .counters.work then {nodes_per_second: (.counters.work / .seconds)} else {} end)) |
			[.[].counters | keys[]] as $names | . as $runs |
			{label: .[0].label, results: [{times: map(.seconds), counters: (reduce ($names | unique[]) as $n
				({}; .[$n] = [$runs[].counters[$n] // 0]))}]}' "$file" >"$work/rows.json" &&
			"$bin/copra-report" comparator --out "$rows" --benchmark "$name" ${identity[@]+"${identity[@]}"} \
				--label "$(jq -r .label "$work/rows.json")" --hyperfine "$work/rows.json" || return 1
	done
}
store_all() {
	local target
	for target in "${targets[@]}"; do
		store "$target" || fail "$target: the rows could not be written"
	done
}
stop() { # message: what was measured is kept
	store_all
	complain "$1; measurements are kept, run the same command to continue"
	exit 3
}

# ---- runs ----

name_of() { # case, variant
	echo "${field[$1.row]//'{variant}'/$2}"
}
sum_of() { # file
	sha256sum <"$1" | cut -c1-12
}
timed() { # command...: runs it within the limit; sets status and process_seconds; output in $work/out
	local began=$EPOCHREALTIME
	run env -C "$work/run" timeout --kill-after=5 "$limit" bash -c 'ulimit -f 100000; exec "$@"' - "$@" >"$work/out" 2>&1
	process_seconds=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f", b - a }')
	[ -z "$interrupted" ] || stop interrupted
}
cause() { # exit code: why a program failed
	if [ "$1" -eq 124 ] || { [ "$1" -eq 137 ] && awk -v s="$process_seconds" -v l="$limit" 'BEGIN { exit !(s >= l) }'; }; then
		echo "did not end within $limit s"
	elif [ "$1" -gt 128 ]; then
		echo "was ended by signal $(($1 - 128))"
	else
		echo "failed with exit code $1"
	fi
	local last
	last=$(tr -d '\000' <"$work/out" | grep -av '^[[:space:]]*$\|^scripts/driver.bash: line' | tail -n 1 | cut -c1-160)
	[ -z "$last" ] || echo "; its last line: $last"
}
out_of_time() {
	awk -v m="${MINUTES:-1000000}" -v s="$(elapsed)" 'BEGIN { exit !(s >= 60 * m) }'
}

key_of_ours() { # case
	echo "$(sum_of "$bin/${field[$1.target]}") ${field[$1.ours]}"
}
# Runs one of our variants; a case whose GPUs are not there is dropped.
run_ours() { # case, variant
	local c=$1 target=${field[$1.target]} gpus=${field[$1.gpus]} device=() row='"ours"' counters flags
	case $gpus in
	0) [ "$2" = cpu ] || [ "$2" = serial ] || device=(--device cpu) ;;
	*) device=(--device "$cuda" --gpus "$gpus") ;;
	esac
	[[ " ${field[$c.beside]} " == *" $2 "* ]] || row='"none"'
	read -ra flags <<<"${field[$c.ours]}"
	rm -f -- "$work/ours.json"
	timed "$bin/$target" solve "${flags[@]}" --variant "$2" ${device[@]+"${device[@]}"} --json "$work/ours.json"
	if [ "$status" -eq 4 ]; then
		complain "$gpus GPUs are not available here; cases with so many or more are left out"
		too_many=$gpus dropped[$c]=1
		return
	elif [ "$status" -ne 0 ]; then
		fail "$target solve ${field[$c.ours]} --variant $2 $(cause "$status" | tr -d '\n'); the case is left out"
		dropped[$c]=1
		return
	fi
	counters=$(jq -c --argjson process "$process_seconds" '(.nodes | map_values(select(type == "number"))) +
		(if .problem == "nqueens" then {solutions: .objective} else {objective: (.objective // .bound)} end) +
		{total_seconds: .seconds.total, process_seconds: $process}' "$work/ours.json")
	counters=$(with_work "$c" "$counters")
	keep_run "$target" "$(name_of "$c" "$2")" "$(key_of_ours "$c")" "$(jq .seconds.search "$work/ours.json")" \
		"copra solve ${field[$c.ours]}" "$counters" "$row"
}
# Adds the counter `work`: the nodes or solutions that are compared.
with_work() { # case, counters
	local kind name rest
	while read -r kind name rest; do
		[ -n "$name" ] && [ "$name" != objective ] || continue
		jq -c --arg name "$name" 'if .[$name] then .work = .[$name] else . end' <<<"$2"
		return
	done <<<"${field[$1.checks]}"
	echo "$2"
}
reference_count() { # case, counter
	echo "${counts[$(name_of "$1" "${field[$1.reference]}") $(key_of_ours "$1") $2]:-}"
}

key_of_theirs() { # case
	local word=${field[$1.executable]}
	echo "$(sum_of "$word") ${field[$1.arguments]# }"
}
# The last line that matches: its number and text, and what group 1 matched.
find_number() { # regular expression: sets found, found_at
	local i
	for ((i = ${#lines[@]} - 1; i >= 0; i--)); do
		if [[ ${lines[i]} =~ $1 ]]; then
			found=${BASH_REMATCH[1]} found_at=$((i + 1))
			[[ $found =~ ^[0-9]+([.][0-9]+)?$ ]] && return 0
			problem="line $found_at: '${lines[i]:0:120}': '$found' is not a number"
			return 1
		fi
	done
	problem="line ${#lines[@]} is the last, and no line matches $1"
	[ ${#lines[@]} -eq 0 ] || problem+=": '${lines[-1]:0:120}'"
	return 1
}
# Reads the numbers of the output; fails with a problem.
read_output() { # case: sets numbers, read_at, seconds
	local name regex
	numbers=() read_at=() problem='' seconds=$process_seconds
	mapfile -t lines < <(tr -d '\000\r' <"$work/out")
	while read -r name regex; do
		[ -n "$name" ] || continue
		find_number "$regex" || return 1
		if [[ ! $found =~ ^[0-9]{1,18}$ ]]; then
			problem="line $found_at: '${lines[found_at - 1]:0:120}': '$found' is not a count"
			return 1
		fi
		numbers[$name]=$((${numbers[$name]:-0} + 10#$found)) read_at[$name]=$found_at
	done <<<"${field[$1.reads]}"
	for name in seconds milliseconds; do
		[ -n "${field[$1.$name]}" ] || continue
		find_number "${field[$1.$name]}" || return 1
		seconds=$(awk -v t="$found" -v u="$name" 'BEGIN { printf "%.9f", u == "seconds" ? t : t / 1000 }')
		[[ $seconds =~ [1-9] ]] && continue
		problem="line $found_at: '${lines[found_at - 1]:0:120}': the time is 0"
		return 1
	done
}
# Compares the numbers with ours; fails with a problem.
check_counts() { # case
	local kind name least most ours theirs
	while read -r kind name least most; do
		[ -n "$name" ] || continue
		ours=$(reference_count "$1" "$name") theirs=${numbers[$name]:-}
		[ "$kind" = near ] || least=0 most=0
		[[ $least != *% ]] || least=$((${least%\%} * ${ours:-0} / 100))
		[[ $most != *% ]] || most=$((${most%\%} * ${ours:-0} / 100))
		[ -n "$ours" ] && [ -n "$theirs" ] && [ $((theirs - ours)) -ge "$least" ] &&
			[ $((theirs - ours)) -le "$most" ] && continue
		problem="line ${read_at[$name]:-0}: '${lines[${read_at[$name]:-1} - 1]:0:120}': $name is $theirs, but ours is ${ours:-unknown}"
		return 1
	done <<<"${field[$1.checks]}"
}
declare -A numbers read_at dropped
too_many='' # the least number of GPUs that is not there
# The command of a case, with what only our result or the instance's file can say: sets words.
command_of() { # case
	local text=${field[$1.arguments]}
	text=${text//'{optimum}'/$(reference_count "$1" objective)}
	if [[ $text == *'{file}'* ]]; then
		"$bin/copra-instance" --instance "${field[$1.instance]}" --output "$work/instance.txt" || return 1
		text=${text//'{file}'/$work/instance.txt}
	fi
	read -ra words <<<"$text"
	words=("${field[$1.executable]}" "${words[@]}")
	[ -z "${field[$1.wrapper]}" ] || words[0]=$top/${field[$1.wrapper]}
}
visible() { # number of GPUs: the first ones
	local all=${CUDA_VISIBLE_DEVICES-$(seq -s, 0 63)}
	[ "$1" -eq 0 ] || cut -d, -f"1-$1" <<<"$all"
}
run_theirs() { # case
	local c=$1 name label counters=''
	local -a words
	name=$(name_of "$c" "${field[$c.comparator]}")
	# a row does not name a folder of this machine
	label="$(basename -- "${field[$c.executable]}")${field[$c.arguments]//"${field[$c.folder]}"/'{folder}'}"
	command_of "$c" || { fail "$label: no file of the instance" && dropped[$c]=1 && return; }
	timed env CUDA_VISIBLE_DEVICES="$(visible "${field[$c.gpus]}")" COMPARATOR_PROGRAM="${field[$c.executable]}" "${words[@]}"
	if [ "$status" -ne 0 ]; then
		problem=$(cause "$status" | tr -d '\n')
	elif read_output "$c" && check_counts "$c"; then
		for found in "${!numbers[@]}"; do counters+="\"$found\":${numbers[$found]},"; done
		keep_run "${field[$c.target]}" "$name" "$(key_of_theirs "$c")" "$seconds" \
			"$label (sha256 $(sum_of "${field[$c.executable]}"))" \
			"$(with_work "$c" "{$counters\"process_seconds\":$process_seconds}")" '"theirs"'
		return
	fi
	fail "${field[$c.comparator]}: $label: $problem; it gets no row"
	forget "${field[$c.target]}" "$name"
	dropped[$c]=1
}
run_one() { # case, variant
	[ -z "${dropped[$1]:-}" ] || return 0
	! out_of_time || stop "out of time"
	if [ "$2" = "${field[$1.comparator]}" ]; then run_theirs "$1"; else run_ours "$1" "$2"; fi
}
known() { # case, variant: the number of runs in the journal
	local key
	if [ "$2" = "${field[$1.comparator]}" ]; then key=$(key_of_theirs "$1"); else key=$(key_of_ours "$1"); fi
	echo "${runs_known[$(name_of "$1" "$2") $key]:-0}"
}
# Every round runs what is missing of it, in random order.
run_rounds() {
	local round c variant
	for ((c = 0; c < cases; c++)); do
		[ -z "$too_many" ] || [ "${field[$c.gpus]}" -lt "$too_many" ] || dropped[$c]=1
		[ "$(known $c "${field[$c.reference]}")" -gt 0 ] || run_one $c "${field[$c.reference]}"
	done
	for ((round = 1; round <= repetitions; round++)); do
		while read -r c variant; do
			[ "$(known "$c" "$variant")" -ge "$round" ] || run_one "$c" "$variant"
		done < <(for ((c = 0; c < cases; c++)); do
			for variant in "${field[$c.comparator]}" ${field[$c.beside]}; do echo "$c $variant"; done
		done | shuf)
	done
}
show_rows() {
	local target
	for target in "${targets[@]}"; do
		[ -s "$(journal_of "$target")" ] || continue
		jq -rs 'map(select(.row != "none")) | group_by(.name)[] | sort_by(.seconds) |
			[.[0].name, length, .[length / 2 | floor].seconds, (map(.counters.process_seconds) | sort | .[length / 2 | floor])] |
			@tsv' "$(journal_of "$target")" | while IFS=$'\t' read -r name runs seconds process; do
			printf '  %-70s %d runs, %.4f s, process %.4f s\n' "$name" "$runs" "$seconds" "$process"
		done
	done
}
list_cases() {
	local c
	for ((c = 0; c < cases; c++)); do
		echo "$(name_of $c "${field[$c.comparator]}"): ${field[$c.executable]}${field[$c.arguments]}; ${field[$c.target]} solve ${field[$c.ours]} --variant ${field[$c.beside]:-${field[$c.reference]}}"
	done
}

# ---- ----
only=''
case ${1:-} in
-h | --help) sed -n '2,24s/^# \{0,1\}//p' "$0" && exit 0 ;;
--list) only=list && shift ;;
-*) die 2 "unknown option '$1'; see --help" ;;
esac
read -ra targets <<<"${*:-${TARGETS:-$(ls algorithms/*/main.c | cut -d/ -f2 | xargs)}}"
case $scale in smoke) repetitions=1 ;; quick) repetitions=3 ;; paper) repetitions=5 ;; *) die 2 "SCALE must be smoke, quick or paper, not '$scale'" ;; esac
for word in MINUTES LONGEST GPUS; do
	[[ ${!word:-1} =~ ^[0-9]{1,6}([.][0-9]{1,6})?$ ]] || die 2 "$word must be a number, not '${!word}'"
done
for word in jq timeout sha256sum shuf; do
	command -v $word >/dev/null || die 1 "$word is not installed (make setup)"
done
for word in "${targets[@]}"; do
	[ -x "$bin/$word" ] || die 2 "$bin/$word is not built, or is not a target"
done
case ${DEVICE:-auto} in
cpu | sim*) most_gpus=0 cuda='' ;;
cuda*) most_gpus=${GPUS:-64} cuda=$DEVICE ;;
*) most_gpus=${GPUS:-64} cuda=cuda ;;
esac
threads=$(nproc)
read_comparators
if [ "$only" = list ]; then
	list_cases
	exit $failed
fi
machine=$("$bin/copra-peaks" --machine) && [ -n "$machine" ] || exit 1
work=$(mktemp -d) || die 1 "no temporary folder"
trap 'rm -rf "$work"' EXIT
mkdir "$work/run"
read -ra targets <<<"$(for ((i = 0; i < cases; i++)); do echo "${field[$i.target]}"; done | sort -u | xargs)"
load_journals
echo "$program: $cases cases, $repetitions runs of each program, at most $limit s a run"
run_rounds
store_all
show_rows
exit $failed
