#!/usr/bin/env bash
# Measures the time to a proof from nothing: runs copra and other solvers on 24 flowshop instances and
# writes a row for each run. `make report` draws the share of solved instances against time.
# usage: prove.sh [--list | --help]
#   --list  print the cases; run nothing
# Settings, from the environment:
#   VFR        the folder with the files VFR20_20_1_Gap.txt and so on, which you provide; without it only
#              the 12 instances of Taillard run (docs/COMPARATORS.md)
#   SOLVERS    copra,pbb,cpsat,cbc (default: all); those that are not installed are left out
#   PBB        the build folder of pbb;  PYTHON  a Python with ortools (python3);  CBC  its program (cbc)
#   DEVICE     auto (default), cpu, cuda or hip, with numbers of devices (cuda:0,1)
#   GPUS       numbers of GPUs that copra may use, as "1 2" (default: all)
#   THREADS    threads of every solver on cores (default: all cores)
#   LIMIT      seconds of a run (60). The rows of one limit give the whole curve up to it.
#   OUT        the file of the rows (results/local/<machine>/proofs.jsonl)
#   MINUTES    start no run that may end later than after this many minutes
#   INSTANCES  names or files of flowshops to run instead
#   BIN        the folder of our programs (build/bin);  COPRA_RESULTS  replaces results/local
# The instances are the first, fifth and ninth of each group: Taillard 20 x 20, 50 x 10, 100 x 10 and
# 50 x 20; VFR 20 x 20, 30 x 15, 30 x 20 and 40 x 15.
# Runs whose rows exist are not repeated, except failed ones. `copra verify` evaluates every schedule. A
# schedule that has another makespan than stated, and a bound above a schedule that some solver found or
# that is known, get the status `wrong`.
# Exit codes: 0 done; 1 a solver failed or was wrong; 2 bad settings; 3 interrupted or out of time, the
# same command continues.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=prove
unset CDPATH
from=$PWD
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/driver.bash
bin=$(realpath -- "${BIN:-build/bin}") || exit 2
model=$PWD/scripts/comparators/flowshop.py
limit=${LIMIT:-60}
failed=0
fail() { # message: is reported, the other runs go on
	complain "$1"
	failed=1
}
absolute() { # path, as seen from the caller's folder
	if [[ $1 == /* ]]; then realpath -m -- "$1"; else realpath -m -- "$from/$1"; fi
}

# ---- instances ----

taillard=(ta021 ta025 ta029 ta041 ta045 ta049 ta071 ta075 ta079 ta051 ta055 ta059)
vfr=(20_20 30_15 30_20 40_15)
find_instances() { # sets instances: names or files
	local group number file
	instances=("${taillard[@]}")
	if [ -n "${INSTANCES:-}" ]; then
		read -ra instances <<<"$INSTANCES"
		for number in "${!instances[@]}"; do
			file=$(absolute "${instances[number]}")
			[ ! -f "$file" ] || instances[number]=$file
		done
		return
	fi
	if [ -z "${VFR:-}" ]; then
		complain "VFR is not set: only the instances of Taillard are run"
		return
	fi
	for group in "${vfr[@]}"; do
		for number in 1 5 9; do
			file=$(absolute "$VFR/VFR${group}_${number}_Gap.txt")
			[ -f "$file" ] || die 2 "$file does not exist; VFR must be the folder with the files of the VFR instances"
			instances+=("$file")
		done
	done
}
name_of() { # instance
	local name=${1##*/}
	[ -f "$1" ] || name=$1
	name=${name%.*}
	echo "${name%_Gap}"
}

# ---- solvers ----
# A case is "solver gpus"; gpus is 0 on cores. `versions` has what ran.

declare -A versions
find_solvers() { # sets cases
	local solver gpus
	cases=()
	for solver in ${solvers//,/ }; do
		case $solver in
		copra)
			versions[copra]=$revision
			for gpus in $gpus_of_copra; do cases+=("copra $gpus"); done
			;;
		pbb)
			program_of_pbb=multicore/bb
			[ "$gpus_here" -eq 0 ] || program_of_pbb=gpu/gpubb
			pbb=$(absolute "${PBB:-.}")/$program_of_pbb
			if [ -z "${PBB:-}" ] || [ ! -x "$pbb" ]; then
				complain "pbb is left out: PBB is not its build folder with $program_of_pbb"
				continue
			fi
			versions[pbb]="sha256 $(sha256sum <"$pbb" | cut -c1-12)"
			cases+=("pbb $((gpus_here > 0))")
			;;
		cpsat)
			versions[cpsat]=$("$python" -c 'import ortools; print("ortools", ortools.__version__)' 2>/dev/null) &&
				cases+=("cpsat 0") || complain "cpsat is left out: $python has no module ortools"
			;;
		cbc)
			if versions[cbc]=$("$cbc" -quit 2>/dev/null </dev/null | sed -n 's/^Version: *\([^ ]*\).*/cbc \1/p') && [ -n "${versions[cbc]}" ]; then
				cases+=("cbc 0")
			else
				complain "cbc is left out: there is no program $cbc"
			fi
			;;
		*) die 2 "SOLVERS: unknown solver '$solver'; known are: copra pbb cpsat cbc" ;;
		esac
	done
}

# Runs a command in an empty folder: sets status and seconds; output in $work/out.
timed() { # seconds until it is ended, command...
	local most=$1 began ended
	shift
	rm -rf -- "$work/run" && mkdir "$work/run" && cp -- "$work/plain.txt" "$work/run/" || die 1 "cannot write $work"
	began=$EPOCHREALTIME
	run env -C "$work/run" timeout --kill-after=5 "$most" "$@" >"$work/out" 2>&1
	ended=$EPOCHREALTIME
	[ -z "$interrupted" ] || die 3 "interrupted; the rows are kept, run the same command to continue"
	seconds=$(awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.3f", b - a }')
}
# Each of these runs a solver on $instance and writes $work/answer.json: status (optimal, limit),
# objective, bound, solution, and start, nodes and devices where they are known.
run_copra() { # GPUs
	local device=()
	if [ "$1" -eq 0 ]; then
		device=(--device cpu)
	else
		[ "$1" -eq "$gpus_here" ] || device=(--gpus "$1") # without --gpus: all, the default
		[ "$device_asked" = auto ] || device+=(--device "$device_asked")
	fi
	timed $((limit + 30)) "$bin/copra" solve "$instance" ${device[@]+"${device[@]}"} --threads "$threads" --time-limit "$limit" \
		--json "$work/copra.json"
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || return 1
	jq '{status, objective, bound, solution, start: .start_makespan, nodes: .nodes.decomposed, devices}' \
		"$work/copra.json" >"$work/answer.json"
}
# pbb has no time limit. It prints the start, each improvement, and in the end the best schedule, unless
# the start is optimal.
run_pbb() { # GPUs
	local folder=${PBB_SOURCE:-$(absolute "$PBB/..")} settings=multicore/mcconfig.ini visible=''
	[ "$1" -eq 0 ] || settings=gpu/gpuconfig.ini visible=${CUDA_VISIBLE_DEVICES:-0}
	timed "$limit" stdbuf -oL env CUDA_VISIBLE_DEVICES="${visible%%,*}" "$pbb" -f "$folder/$settings" \
		-z p=fsp,i=./plain.txt,o=neh -t "$threads" --primary-bound s --branch 2
	[ "$status" -eq 0 ] || [ "$status" -eq 124 ] || return 1
	tr -d '\000\r' <"$work/out" | awk -v ended="$status" -v device="${1/0/}" '
		/#Initial upper bound - NEH/ { start = $NF }
		/^#Initial solution/ { at = NR }
		at && NR == at + 2 { objective = $1 }
		at && NR == at + 3 { order = $0 }
		/^New Best:/ {
			order = $0
			sub(/^[^[]*\[/, "", order)
			sub(/\].*/, "", order)
			gsub(/\|/, " ", order)
			objective = $NF
		}
		/^Argmin Cmax:/ {
			objective = order = $0
			gsub(/^[^0-9]*|,.*/, "", objective)
			gsub(/.*\[|\].*/, "", order)
		}
		/^TOT-(BRANCHED|LEAVES):/ { if (device == "" || /BRANCHED/) nodes += $NF }
		/^Walltime/ { proved = 1 }
		END {
			if (ended == 0 && !proved) exit 1
			n = split(order, job, " ")
			printf("{\"status\": \"%s\", \"objective\": %s, \"bound\": %s, \"start\": %s, \"nodes\": %s, \"solution\": [",
				ended ? "limit" : "optimal", n ? objective : "null", ended ? "null" : objective,
				start ? start : "null", nodes ? nodes : "null")
			for (i = 1; i <= n; i++) printf("%s%s", i > 1 ? "," : "", job[i])
			print "]}"
		}' >"$work/answer.json"
}
run_model() { # cpsat or cbc; CBC may not notice that its time is over
	timed $((limit + 30)) env CBC="$cbc" TMPDIR="$work/run" "$python" "$model" "$1" "$work/instance.txt" --time-limit "$limit" \
		--threads "$threads" --json "$work/answer.json"
	[ "$status" -ne 124 ] || echo '{"status": "limit"}' >"$work/answer.json"
	[ "$status" -eq 0 ] || [ "$status" -eq 124 ]
}

# ---- rows ----

declare -A have # "<instance> <solver> <gpus> <threads> <limit> <version>"
key_of() { # instance's name, solver, GPUs
	echo "$1 $2 $3 $threads $limit ${versions[$2]}"
}
load_rows() {
	local key
	[ -s "$out" ] || return 0
	# a kill may have cut the last line
	jq -Rc 'fromjson? | select(.instance and .solver and .status)' "$out" >"$out.$$.tmp" && mv -f -- "$out.$$.tmp" "$out" ||
		die 1 "cannot write $out"
	while read -r key; do
		have[$key]=1
	done < <(jq -r 'select(.status != "failed") | "\(.instance) \(.solver) \(.gpus) \(.threads) \(.limit) \(.version)"' "$out")
}
# A bound above a schedule is wrong, whoever found either. The run that came first may be the wrong one.
check_bounds() {
	local before after
	before=$(grep -c '"status":"wrong"' "$out")
	jq -cs '(group_by(.instance) | map({(.[0].instance): map((select(.verified) | .objective), .known // empty) | min}) | add // {}) as $best |
		.[] | if .status != "wrong" and .bound != null and $best[.instance] != null and .bound > $best[.instance]
			then .status = "wrong" | .problem = "the bound \(.bound) is above a makespan of \($best[.instance])" else . end' \
		"$out" >"$out.$$.tmp" && mv -f -- "$out.$$.tmp" "$out" || die 1 "cannot write $out"
	after=$(grep -c '"status":"wrong"' "$out")
	[ "$after" -eq "$before" ] || fail "$name: a bound is wrong: $(jq -r --arg i "$name" \
		'select(.status == "wrong" and .instance == $i) | "\(.solver): \(.problem)"' "$out" | tail -n 1)"
}
# Checks $work/answer.json: sets verified and problem.
verify() {
	verified=false problem=''
	if ! jq -e '(.status == "optimal" or .status == "limit") and (.objective == null or (.objective | type) == "number") and
		(.status == "limit" or (.objective != null and .objective == .bound))' "$work/answer.json" >/dev/null 2>&1; then
		problem="unreadable answer, or a proof whose bound is not the makespan"
	elif jq -e .objective "$work/answer.json" >/dev/null; then
		jq --arg i "$name" '{problem: "flowshop", instance: $i, objective, solution}' "$work/answer.json" >"$work/claim.json"
		if "$bin/copra" verify "$work/claim.json" "$instance" >"$work/verdict" 2>&1; then
			verified=true
		else
			problem=$(tail -n 1 "$work/verdict" | sed 's/^copra: [^ ]*: //')
		fi
	fi
}
put_row() { # solver, GPUs, status
	[ -s "$work/answer.json" ] && jq -e . "$work/answer.json" >/dev/null 2>&1 || echo '{}' >"$work/answer.json"
	jq -c --arg instance "$name" --argjson jobs "$jobs" --argjson machines "$machines" --argjson known "$known" --arg solver "$1" \
		--arg version "${versions[$1]}" --argjson gpus "$2" --argjson threads "$threads" --argjson limit "$limit" --arg status "$3" \
		--argjson seconds "$seconds" --argjson verified "$verified" --arg problem "$problem" --arg machine "$machine" \
		--arg revision "$revision" --arg date "$(date -u +%F)" --arg device "$device_here" '
		{$instance, $jobs, $machines, $solver, $version,
		devices: (if (.devices // []) == [] and $gpus > 0 then [$device] else .devices // [] end), $gpus, $threads, $limit, $status, objective, bound,
		start, $seconds, nodes, $verified, $known, problem: (if $problem == "" then null else $problem end), $revision, $machine,
		$date}' "$work/answer.json" >"$work/row" && cat "$work/row" >>"$out" || die 1 "cannot write $out"
	jq -r '"  \(.instance) \(.solver)\(if .gpus > 0 then ", \(.gpus) GPU" else "" end): \(.status), \(.objective // "no schedule")" +
		(if .bound then ", bound \(.bound)" else "" end) + ", \(.seconds) s"' "$work/row"
}
run_case() { # solver, GPUs
	local state
	rm -f -- "$work/answer.json" "$work/copra.json"
	verified=false problem=''
	case $1 in
	copra) run_copra "$2" ;;
	pbb) run_pbb "$2" ;;
	*) run_model "$1" ;;
	esac
	if [ $? -ne 0 ]; then
		problem="exit code $status; last line: $(tr -d '\000' <"$work/out" | grep -av '^[[:space:]]*$' | tail -n 1 | cut -c1-120)"
		fail "$name: $1 failed: $problem"
		put_row "$1" "$2" failed
		return
	fi
	verify
	state=$(jq -r .status "$work/answer.json" 2>/dev/null)
	if [ -n "$problem" ]; then
		fail "$name: $1 was wrong: $problem"
		state=wrong
	fi
	put_row "$1" "$2" "$state"
	check_bounds
}
# Sets name, jobs, machines, known, and the instance's files: Taillard's text and plain numbers.
open_instance() {
	name=$(name_of "$instance")
	"$bin/copra-instance" --problem flowshop --instance "$instance" --output "$work/instance.txt" 2>"$work/why" ||
		die 2 "$(tail -n 1 "$work/why")"
	read -r jobs machines _ known _ < <(sed -n 2p "$work/instance.txt")
	[ "$known" -gt 0 ] || known=null
	awk 'NR == 2 { print $1, $2 } NR > 3' "$work/instance.txt" >"$work/plain.txt"
}
run_instance() {
	local entry solver gpus
	open_instance
	for entry in "${cases[@]}"; do
		read -r solver gpus <<<"$entry"
		[ -z "${have[$(key_of "$name" "$solver" "$gpus")]:-}" ] || continue
		[ -z "${MINUTES:-}" ] || [ $(($(elapsed) + limit)) -le $((60 * MINUTES)) ] ||
			die 3 "out of time; the rows are kept, run the same command to continue"
		run_case "$solver" "$gpus"
	done
}
show_summary() {
	jq -rs 'group_by([.solver, .gpus, .threads])[] | map({key: .instance, value: .}) | from_entries | map(.) |
		"  \(.[0].solver), \(if .[0].gpus > 0 then "\(.[0].gpus) GPU" else "\(.[0].threads) threads" end): " +
		"\(map(select(.status == "optimal")) | length) of \(length) solved"' "$out"
}

# ---- ----
only=''
case ${1:-} in
-h | --help) sed -n '2,28s/^# \{0,1\}//p' "$0" && exit 0 ;;
--list) only=list ;;
'') ;;
*) die 2 "unknown option '$1'; see --help" ;;
esac
for word in LIMIT THREADS MINUTES; do
	[[ ${!word:-1} =~ ^[1-9][0-9]{0,5}$ ]] || die 2 "$word must be a number from 1, not '${!word}'"
done
[[ ${GPUS:-1} =~ ^[1-9][0-9]*(\ [1-9][0-9]*)*$ ]] || die 2 "GPUS must be numbers of GPUs, as \"1 2\", not '$GPUS'"
[ -x "$bin/copra" ] || die 2 "$bin/copra is not built (make all)"
for word in jq timeout stdbuf sha256sum; do
	command -v $word >/dev/null || die 1 "$word is not installed (make setup)"
done
solvers=${SOLVERS:-copra,pbb,cpsat,cbc} threads=${THREADS:-$(nproc)} python=${PYTHON:-python3} cbc=${CBC:-cbc}
device_asked=${DEVICE:-auto}
[[ $device_asked != sim* ]] || die 2 "DEVICE=$device_asked: times of simulated devices mean nothing"
work=$(mktemp -d) || die 1 "no temporary folder"
trap 'rm -rf "$work"' EXIT
machine=$("$bin/copra-peaks" --machine) && [ -n "$machine" ] || exit 1
revision=$("$bin/copra" --version | sed 's/.*(revision \([^;]*\);.*/\1/')
# the devices that a search finds; without --gpus the cores may answer before a GPU is open
"$bin/copra" solve ta001 --device "$device_asked" --gpus 1 --json "$work/probe.json" >/dev/null 2>&1 ||
	"$bin/copra" solve ta001 --device "$device_asked" --json "$work/probe.json" >/dev/null 2>"$work/why" ||
	die 2 "DEVICE=$device_asked: $(tail -n 1 "$work/why")"
device_here=$(jq -r '.devices[0] // ""' "$work/probe.json") gpus_here=0
if [ -n "$device_here" ]; then # a search names the devices that worked, so each number of them is tried
	while "$bin/copra" solve ta001 --device "$device_asked" --gpus $((gpus_here + 1)) >/dev/null 2>&1; do
		gpus_here=$((gpus_here + 1))
	done
fi
gpus_of_copra=0
if [ "$gpus_here" -gt 0 ]; then
	gpus_of_copra=${GPUS:-$gpus_here}
	for word in $gpus_of_copra; do
		[ "$word" -le "$gpus_here" ] || die 2 "GPUS=$gpus_of_copra: there are $gpus_here GPUs"
	done
fi
find_instances
find_solvers
if [ "$only" = list ]; then
	for instance in "${instances[@]}"; do
		printf "$(name_of "$instance"): %s\n" "${cases[@]}"
	done
	exit 0
fi
out=$(absolute "${OUT:-${COPRA_RESULTS:-$PWD/results/local}/$machine/proofs.jsonl}")
mkdir -p -- "${out%/*}" || die 1 "cannot write to ${out%/*}"
take_lock "$out.lock" "prove.sh"
trap 'rm -rf "$work"; { : >"$lock"; } 2>/dev/null' EXIT
load_rows
echo "$program: ${#instances[@]} instances, ${#cases[@]} solvers, at most $limit s a run; rows in $out"
for instance in "${instances[@]}"; do run_instance; done
show_summary
exit $failed
