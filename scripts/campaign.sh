#!/usr/bin/env bash
# usage: copra campaign SET|FILE [flags] [-- FLAGS OF SOLVE]
# Solves a list of flowshops or knapsacks, the smallest estimate first, in slices of time, until all are solved
# or the budget is used up. The same command continues, also after a kill.
#   SET   taillard-open (Taillard's flowshops without a proof), taillard (all 120), vfr:FOLDER, the instances
#         of results/proofs/vfr.csv in FOLDER, which you provide (VFR30_15_1_Gap.txt and so on), or
#         jooken:FOLDER, the knapsacks of results/proofs/jooken.csv (FOLDER/NAME/test.in)
#   FILE  a CSV file with a header. Columns: instance (required), file, best_known, lower_bound, source,
#         source_date, problem; others are ignored. `file` is relative to the folder of FILE
# flags:
#   --list                 print the queue with its estimates; solve nothing, write nothing
#   --budget=HOURS         start nothing new after this time, and stop what runs (default: no limit)
#   --slice=SECONDS        first slice of each instance (600). The next one is twice as long
#   --out=FOLDER           folder of the state (results/local/<machine>/campaign)
#   --device=DEVICES       as for solve; further flags of solve follow after --
#   --launch=COMMAND       starts the ranks of each search, as "mpirun --bind-to none -n 2" (COPRA_LAUNCH)
#   --most-nodes=N         leave out instances whose estimate is above N
#   --estimate-seconds=S   time of each estimate (10)
#   --recount              count the tree of each solved instance from its optimum on the devices of the
#                          campaign and on others, and compare the counts
#   --recount-device=DEVICES  the others (default: cpu)
#   --prove                write a proof file for each solved instance (copra prove): for the time of a slice
#                          at once, and when the searches are done, for as long as it takes
# The folder holds state.jsonl, answers/, checkpoints/, logs/, proofs/, and the table in campaign.md and
# campaign.csv. docs/CAMPAIGN.md describes them.
# exit codes: 0 all instances are solved; 1 something failed or contradicts the list; 2 bad usage or input;
# 3 stopped by the budget or a signal, the same command continues
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
program=campaign
unset CDPATH
from=$PWD
cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/driver.bash
bin=$(realpath -- "${BIN:-build/bin}") || exit 2
failed=0
fail() { # message: is reported, the other instances go on
	complain "$1"
	failed=1
}
absolute() { # path, as seen from the caller's folder
	if [[ $1 == /* ]]; then realpath -m -- "$1"; else realpath -m -- "$from/$1"; fi
}

# ---- problems: what differs between them. A further problem adds a function of each kind ----

problems='flowshop knapsack'
# Prints the instance, in a form that names of files do not change; else one line on stderr.
print_flowshop() { # name or file
	"$bin/copra-instance" --problem flowshop --instance "$1" --output -
}
print_knapsack() {
	"$bin/copra-instance" --problem knapsack --instance "$1" --output -
}
# Writes {nodes, low, high, samples} of the tree from the best known value.
estimate_flowshop() { # name or file, best known value or null, file to write
	local ub=()
	[ "$2" = null ] || ub=(--ub "$2")
	run "$bin/copra-estimate" "$1" ${ub[@]+"${ub[@]}"} --seconds "$estimate_seconds" --json "$3"
}
# The cells of the first round on few reachable capacities, or of the dense recursion if those are fewer.
estimate_knapsack() {
	run "$bin/dp-knapsack" estimate --instance "$1" --seconds "$estimate_seconds" --json "$work/work.json"
	[ "$status" != 0 ] || jq -c --argjson best "$2" '{ub: $best, nodes, low: .nodes, high: .cells, samples: 0, seconds: 0}' "$work/work.json" >"$3" || status=$?
}
# Sets flags: the search, and the count of the tree from the optimum. With machine pairs the nodes of a tree
# depend on the time, so where the search used them, the counts are those of LB1.
solve_flowshop() { # task, optimum, whether the search may have used machine pairs
	flags=()
	[ "$1" = solve ] || flags=(--ub "$2" --start none)
	[ "$1" = solve ] || [ "$3" != true ] || flags+=(--bound lb1)
}
solve_knapsack() {
	flags=()
}
# Problems whose searches keep checkpoints and can be counted again and proved by copra prove. A slice of the
# others begins anew.
is_tree() { # problem
	[ "$1" = flowshop ]
}

# ---- the list: items.jsonl, an object for each instance, with `what` (name or file for solve) and `id` ----

put_item() { # instance, what, problem, best known, lower bound, source, date, where it was named
	local id
	id=$("print_$3" "$2" 2>"$work/why" | cksum; exit "${PIPESTATUS[0]}") || die 2 "$8: $(tail -n 1 "$work/why")"
	jq -cn --arg instance "$1" --arg what "$2" --arg problem "$3" --argjson best "$4" --argjson lower "$5" --arg source "$6" \
		--arg date "$7" --arg id "${id%% *}" '{$instance, $what, $problem, $best, $lower, $source, $date, $id}' >>"$work/items.jsonl"
}
list_taillard() { # open or all
	local number name basis known lower source date
	for number in $(seq -f %03g 120); do
		name=ta$number
		print_flowshop "$name" >"$work/instance" 2>"$work/why" || die 1 "$(tail -n 1 "$work/why")"
		read -r _ _ _ known lower < <(sed -n 2p "$work/instance")
		basis=$(sed -n 's/^ta[0-9]*: makespan [0-9]*, //p' "$work/why")
		source=${basis#*: } date=''
		case $source in
		*17028980*) date=2025 ;;
		*4542886*) date=2021 ;;
		*2025*) date=2025-04 ;;
		esac
		case $basis in
		upper*) ;;
		*)
			[ "$1" = all ] || continue
			lower=$known
			;;
		esac
		put_item "$name" "$name" flowshop "$known" "$lower" "$source" "$date" "$name"
	done
}
# Prints a row of a CSV file as tab-separated fields: line number, instance, file, problem, best known, lower
# bound, source, date; or one line "error ...".
read_csv() { # file
	jq -Rrn '
		def cells: ("," + .) | [match(",(?:\"((?:[^\"]|\"\")*)\"|([^,\"]*))(?=,|$)"; "g") |
			(.captures | map(.string) | map(select(. != null)) | .[0] // "") | gsub("\"\""; "\"") | sub("^ +"; "") | sub(" +$"; "")];
		def is_number: test("^[1-9][0-9]{0,17}$");
		[inputs | sub("\r$"; "")] | to_entries | map({line: (.key + 1), text: .value} | select(.text | test("^[ ,]*($|#)") | not)) |
		if length == 0 then "error 1: no header" else . end |
		if type == "string" then . else
		map({line, cells: (.text | cells)}) | .[0].cells as $head | .[0].line as $first | ($head | index("instance")) as $name |
		if $name == null then "error \($first): the header has no column instance"
		elif ($head | unique | length) != ($head | length) then "error \($first): two columns have the same name"
		elif length == 1 then "error \($first): there is no instance below the header"
		else (reduce .[1:][] as $row ({}; ($row.cells[$name] // "") as $n | if has($n) then . else .[$n] = $row.line end)) as $named |
			.[1:][] | .line as $line | .cells as $c |
			if ($c | length) != ($head | length) then "error \($line): \($c | length) columns, the header has \($head | length)"
			else (reduce range($head | length) as $i ({}; .[$head[$i]] = $c[$i])) as $r |
				($r.problem // "" | if . == "" then "flowshop" else . end) as $problem |
				if $r.instance | test("^[A-Za-z0-9_][A-Za-z0-9_.:+-]*$") | not then
					"error \($line): column instance: \u0027\($r.instance)\u0027 is not a name of letters, digits and . _ : + -"
				elif $named[$r.instance] < $line then
					"error \($line): column instance: \($r.instance) is listed twice"
				elif ($r.best_known // "") | . != "" and (is_number | not) then
					"error \($line): column best_known: \u0027\($r.best_known)\u0027 is not a whole number above 0"
				elif ($r.lower_bound // "") | . != "" and (is_number | not) then
					"error \($line): column lower_bound: \u0027\($r.lower_bound)\u0027 is not a whole number above 0"
				elif ($r.best_known // "") != "" and ($r.lower_bound // "") != "" and $problem != "knapsack" and
					($r.lower_bound | tonumber) > ($r.best_known | tonumber)
				then "error \($line): column lower_bound: \($r.lower_bound) is above best_known, \($r.best_known)"
				elif ($r.best_known // "") != "" and ($r.lower_bound // "") != "" and $problem == "knapsack" and
					($r.lower_bound | tonumber) < ($r.best_known | tonumber)
				then "error \($line): column lower_bound: \($r.lower_bound) is below best_known, \($r.best_known)"
				elif $ENV.problems | split(" ") | index($problem) == null then
					"error \($line): column problem: \u0027\($problem)\u0027 is unknown; known: \($ENV.problems)"
				else [$line, $r.instance, ($r.file // "" | if . == "" then "-" else . end), $problem,
					($r.best_known // "" | if . == "" then "null" else . end),
					($r.lower_bound // "" | if . == "" then "null" else . end),
					($r.source // "" | if . == "" then "-" else . end), ($r.source_date // "" | if . == "" then "-" else . end)] | @tsv
				end
			end
		end end' <"$1"
}
list_csv() { # file, folder of instance files; with a third argument, files that do not exist are left out
	local line instance file problem best lower source date missing=0 what
	problems=$problems read_csv "$1" >"$work/rows" 2>"$work/why" || die 2 "$1: $(tail -n 1 "$work/why")"
	! grep -m 1 '^error ' "$work/rows" >"$work/why" || die 2 "$1:$(sed 's/^error //' "$work/why")"
	while IFS=$'\t' read -r line instance file problem best lower source date; do
		what=$instance
		if [ "$file" != - ]; then
			what=$file
			[[ $file == /* ]] || what=$2/$file
			if [ ! -f "$what" ]; then
				[ -n "${3:-}" ] || die 2 "$1:$line: column file: $what does not exist"
				missing=$((missing + 1))
				continue
			fi
		fi
		put_item "$instance" "$what" "$problem" "$best" "$lower" "${source#-}" "${date#-}" "$1:$line"
	done <"$work/rows"
	[ $missing -eq 0 ] || complain "$missing files of $1 are not in $2"
}
make_list() {
	: >"$work/items.jsonl"
	case $set in
	taillard-open) list_taillard open ;;
	taillard) list_taillard all ;;
	vfr:* | jooken:*)
		local list=results/proofs/${set%%:*}.csv
		[ -d "$(absolute "${set#*:}")" ] || die 2 "$set: there is no such folder"
		list_csv "$list" "$(absolute "${set#*:}")" leave
		[ -s "$work/items.jsonl" ] || die 2 "$set: none of the files of $list is in this folder"
		;;
	*)
		set=$(absolute "$set")
		[ -f "$set" ] || die 2 "$set is not a file; sets are taillard-open, taillard, vfr:FOLDER and jooken:FOLDER"
		list_csv "$set" "${set%/*}"
		;;
	esac
}

# ---- the state: a line of JSON for each event, appended ----

put() { # event as JSON
	printf '%s\n' "$1" >>"$state" && sync -- "$state" 2>/dev/null || die 1 "cannot write $state"
}
# A kill or a full disk may have cut the last line.
repair_state() {
	if [ -s "$state" ] && [ -n "$(tail -c 1 "$state")" ]; then
		jq -Rc 'fromjson? | select(.event)' "$state" >"$state.$$.tmp" && mv -f -- "$state.$$.tmp" "$state" || die 1 "cannot write $state"
	fi
}
# Prints an object for each instance: the item, its estimate, our results, and the next task with its pass.
summarise() {
	jq -cRn --slurpfile items "$work/items.jsonl" --argjson recount "$recount" --argjson most "$most_nodes" '
		[inputs | fromjson? | select(.event)] as $all |
		def done: .status == "optimal" or .status == "proved";
		$items[] | . as $item | ($item.problem == "flowshop") as $tree |
		def better($a; $b): if $tree then $a < $b else $a > $b end; [$all[] | select(.instance == $item.instance and .id == $item.id)] as $own |
		def of_task($t): [$own[] | select(.event == "slice" and .task == $t)];
		def count($t): of_task($t) | map(select(done)) | last | .nodes;
		of_task("solve") as $s | ([$s[] | select(done)] | last) as $final |
		([$s[].objective | values] | if $tree then min else max end) as $ours |
		($final.pairs // false) as $pairs |
		(if ($pairs | not) and $s[0].start != null and $s[0].start == $ours and ([$s[] | select(.resumed | not)] | length) == 1 then $final.nodes
			else count("count-1") end) as $first |
		(if $final == null then "solve" elif $tree == false then null elif $recount and $ours != null and $first == null then "count-1"
			elif $recount and $ours != null and count("count-2") == null then "count-2" else null end) as $task |
		$item + {estimate: ([$own[] | select(.event == "estimate" and .best == $item.best)] | last),
			ours: $ours, bound: ([$s[].bound | values] | if $tree then max else min end), status: ($final // ($s | last) // {}).status,
			$pairs, nodes: (($final // ($s | last)) // {}).nodes, seconds: ([$s[].seconds | values] | add // 0),
			devices: (($s | last) // {}).devices, ranks: (($s | last) // {}).ranks, first: $first, second: count("count-2"),
			proof: ([$own[] | select(.event == "proof")] | last | .file)} |
		.gpus = (.devices // [] | length) * (.ranks // 1) |
		.list = (if .source == "" then "the list" else .source end + if .date == "" then "" else " (\(.date))" end) |
		.solved = ($final != null) |
		.problem_found = (if $tree == false and .ours != null and .lower != null and .ours > .lower then
				"a profit of \(.ours), but \(.list) has the upper bound \(.lower)"
			elif $tree == false and .bound != null and .best != null and .bound < .best then
				"the bound \(.bound) is proved, but \(.list) has a profit of \(.best)"
			elif $tree == false then null
			elif .ours != null and .lower != null and .ours < .lower then
				"a schedule of \(.ours), but \(.list) has the lower bound \(.lower)"
			elif .bound != null and .best != null and .bound > .best then "the bound \(.bound) is proved, but \(.list) has a schedule of \(.best)"
			elif .first != null and .second != null and .first != .second then "the tree has \(.first) nodes and, counted again, \(.second)"
			else null end) |
		.note = (if .problem_found then "contradiction: \(.problem_found)"
			elif .best == null then (if .solved then "solved; the list has no value" else "" end)
			elif .ours != null and better(.ours; .best) then "new \(if $tree then "schedule" else "choice" end)\(if .solved then " and proof" else "" end); \(.list) has \(.best)"
			elif .solved and .lower == .best then "confirmed"
			elif .solved and $tree then "new proof; \(.list) has bounds \(.lower // "none") to \(.best)"
			elif .solved then "new proof; \(.list) has \(.best)"
			else "" end) +
			(if .first != null and .first == .second then "; counted twice" else "" end) |
		.leave_out = ($most != null and .estimate != null and .estimate.nodes > $most) |
		.task = (if .leave_out or .problem_found then null else $task end) |
		.pass = (if .task == null then null else of_task(.task) | length end)' "$1"
}
update() { # keeps the summary of the state
	summarise "$state" >"$work/summary.jsonl" || die 1 "$state cannot be read"
}
field() { # object, jq path
	jq -r "$2" <<<"$1"
}

# ---- the table ----

write_file() { # path; from stdin
	cat >"$1.$$.tmp" && mv -f -- "$1.$$.tmp" "$1" || { rm -f -- "$1.$$.tmp"; die 1 "cannot write $1"; }
}
columns='instance,best known,source,ours,bound,status,nodes,estimated nodes,seconds,GPUs,proof file,note'
# A JSON array for each row.
rows() {
	jq -c --arg out "$out/" '[.instance, .best, (.source + if .date == "" then "" else " (\(.date))" end), .ours, .bound,
		(if .leave_out then "left out" else .status // "queued" end), .nodes,
		(if .estimate then "\(.estimate.text) (\(.estimate.text_low) to \(.estimate.text_high))" else null end), (.seconds * 10 | round / 10), .gpus,
		(.proof // "" | ltrimstr($out)), .note]' "$work/summary.jsonl"
}
show_table() {
	{ echo "$columns" | tr ',' '\t' && rows | jq -r 'map(if . == null or . == "" then "-" else tostring end) | @tsv'; } |
		awk -F '\t' '{ rows = NR; if (NF > n) n = NF
			for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) } }
			END { for (r = 1; r <= rows; r++) for (i = 1; i <= n; i++)
				printf("%s%s", i < n ? sprintf("%-*s  ", width[i], cell[r, i]) : cell[r, i], i < n ? "" : "\n") }'
}
write_tables() {
	{ echo "$columns" && rows | jq -r @csv; } | write_file "$out/campaign.csv"
	{
		echo "# Campaign: ${set##*/}" && echo
		echo "Estimated nodes of flowshops: LB1, MinBranch, from the best known value, before the search; large trees usually have more." \
			"Of knapsacks: the cells of the first round (copra estimate), up to those of the dense recursion; nodes are the cells computed." && echo
		echo "| ${columns//,/ | } |" && echo "|$(sed 's/[^,]*/---/g; s/,/|/g' <<<"$columns")|"
		rows | jq -r '"| " + (map(. // "" | tostring | gsub("\\|"; "\\|")) | join(" | ")) + " |"'
	} | write_file "$out/campaign.md"
}

# ---- work ----

make_estimates() {
	local item code name
	while read -r item; do
		[ -z "$interrupted" ] || return
		! over || return
		name=$(field "$item" .instance)
		"estimate_$(field "$item" .problem)" "$(field "$item" .what)" "$(field "$item" .best)" "$work/estimate.json" \
			>/dev/null 2>"$work/why"
		[ -z "$interrupted" ] || return
		if [ "$status" -ne 0 ]; then
			fail "$name: no estimate: $(tail -n 1 "$work/why")"
			continue
		fi
		put "$(jq -c --argjson item "$item" '
			def text: if . < 1e6 then tostring else (log10 | floor) as $e | "\(. / pow(10; $e) * 100 | round / 100)e\($e)" end;
			def whole: if . < 1e15 then round else . end;
			{event: "estimate", instance: $item.instance, id: $item.id, best: $item.best, ub, nodes, low, high, samples, seconds,
			text: (.nodes | whole | text), text_low: (.low | whole | text), text_high: (.high | whole | text)}' "$work/estimate.json")"
	done < <(jq -c 'select(.estimate == null and .solved == false)' "$work/summary.jsonl")
	update
}
over() { # whether the budget is used up
	[ -n "$budget" ] && [ "$(left)" -lt 1 ]
}
left() { # seconds of the budget
	echo $((budget - $(elapsed)))
}
# Takes the answer of a slice into the state: $out/answers/NAME.TASK.new is that of the slice in progress.
take_answer() { # instance, id, task, resumed
	local new=$out/answers/$1.$3.new
	if ! jq -e '.status and (.nodes | type == "object")' "$new" >/dev/null 2>&1; then
		rm -f -- "$new"
		return 1
	fi
	put "$(jq -c --arg instance "$1" --arg id "$2" --arg task "$3" --argjson resumed "$4" --arg revision "$revision" --arg date "$(date -u +%FT%TZ)" \
		'{event: "slice", $instance, $id, $task, $resumed, status, objective, bound, nodes: (.nodes.decomposed // .nodes.cells_done), start: .start_makespan,
		pairs: (.pairs == 1), seconds: .seconds.total, target, devices, threads, ranks: (.ranks // null), verified, $revision, $date}' "$new")"
	mv -f -- "$new" "$out/answers/$1.$3.json" || die 1 "cannot write $out/answers"
	if jq -e '.status == "optimal" or .status == "proved"' "$out/answers/$1.$3.json" >/dev/null; then
		rm -f -- "$out/checkpoints/$1.$3"
	fi
}
# Answers of searches that ended when nobody was there to note them: each has a `start` without a `slice`.
adopt() {
	local new name task id resumed
	for new in "$out"/answers/*.new; do
		[ -f "$new" ] || continue
		name=${new##*/} && name=${name%.new} && task=${name##*.} && name=${name%.*}
		read -r id resumed < <(jq -Rrn --arg i "$name" --arg t "$task" 'last(inputs | fromjson? |
			select((.event == "start" or .event == "slice") and .instance == $i and .task == $t)) | select(.event == "start") |
			"\(.id) \(.resumed)"' "$state")
		if [ -n "$id" ]; then
			take_answer "$name" "$id" "$task" "$resumed"
		else
			rm -f -- "$new"
		fi
		id=''
	done
}
declare -A given_up # tasks that failed in this call
# Runs one slice of a task.
run_slice() { # summary of the instance
	local name what id task pass seconds resumed=false checkpoint device_flags=() resume=() optimum problem pairs
	{ read -r name && read -r what && read -r id && read -r task && read -r pass && read -r optimum && read -r problem && read -r pairs; } \
		< <(jq -r '.instance, .what, .id, .task, .pass, .ours, .problem, .pairs' <<<"$1")
	checkpoint=$out/checkpoints/$name.$task
	seconds=$(awk -v s="$slice" -v p="$pass" 'BEGIN { s *= 2 ^ p; printf "%.3f", s < 1e8 ? s : 1e8 }')
	[ -z "$budget" ] || seconds=$(awk -v s="$seconds" -v l="$(left)" 'BEGIN { print s < l ? s : l }')
	if [ -s "$checkpoint" ]; then resumed=true resume=(--resume "$checkpoint"); fi
	! is_tree "$problem" || resume+=(--checkpoint "$checkpoint")
	local at=$device
	[ "$task" != count-2 ] || at=$recount_device
	[ -z "$at" ] || device_flags=(--device "$at")
	"solve_$problem" "$task" "$optimum" "$pairs"
	rm -f -- "$out/answers/$name.$task.new"
	put "$(jq -cn --arg instance "$name" --arg id "$id" --arg task "$task" --argjson resumed $resumed --argjson seconds "$seconds" \
		--arg date "$(date -u +%FT%TZ)" '{event: "start", $instance, $id, $task, $resumed, $seconds, $date}')"
	echo "$name: $task, slice $((pass + 1)), at most $(duration "$seconds")"
	local ranks=()
	! is_tree "$problem" || ranks=(${launch[@]+"${launch[@]}"})
	launcher=${ranks[0]:-}
	run ${ranks[@]+"${ranks[@]}"} "$bin/copra" solve "$what" --problem "$problem" ${device_flags[@]+"${device_flags[@]}"} \
		${solve_flags[@]+"${solve_flags[@]}"} ${flags[@]+"${flags[@]}"} \
		${resume[@]+"${resume[@]}"} --time-limit "$seconds" --json "$out/answers/$name.$task.new" >>"$out/logs/$name.txt" 2>"$work/why"
	launcher=''
	cat "$work/why" >>"$out/logs/$name.txt"
	local code=$status
	if ! take_answer "$name" "$id" "$task" $resumed || [ "$code" -eq 1 ] || [ "$code" -eq 2 ] || [ "$code" -eq 4 ]; then
		[ -z "$interrupted" ] || return # before the search had begun
		given_up[$name]=1
		fail "$name: $task failed with exit code $code: $(grep -av '^copra: ' "$work/why" | tail -n 1 || tail -n 1 "$work/why")"
		return
	fi
	check_answer "$name" "$task" "$what"
	update
	if [ "$task" != solve ]; then
		jq -r '"  \(.status), \(.nodes.decomposed) nodes, \(.seconds.total * 10 | round / 10) s"' "$out/answers/$name.$task.json"
		return
	fi
	jq -r --arg i "$name" 'select(.instance == $i) | "  \(.status), \(if .problem == "flowshop" then "schedule" else "profit" end) \(.ours // "none"), bound \(.bound // "none"), \(.nodes) nodes, " +
		"\(.seconds * 10 | round / 10) s\(if .note == "" then "" else "; " + .note end)"' "$work/summary.jsonl"
}
# Evaluates the schedule by code that no search uses.
check_answer() { # instance, task, what
	local answer=$out/answers/$1.$2.json
	jq -e '.objective != null' "$answer" >/dev/null || return 0
	"$bin/copra" verify "$answer" "$3" >/dev/null 2>"$work/why" && return
	given_up[$1]=1
	fail "$1: $(tail -n 1 "$work/why" | sed 's/^copra: //')"
}
# The next task: the one with the fewest slices so far, then the one with the smallest tree.
next_task() {
	local skip="${!given_up[*]}"
	jq -cs --arg skip "$skip" '($skip | split(" ")) as $skip | map(select(.task != null and (.instance as $i | $skip | index($i) == null))) |
		sort_by(.pass, (if .estimate then .estimate.nodes else infinite end)) | .[0] // empty' "$work/summary.jsonl"
}
open_proofs='' # whether proofs were stopped by the budget
declare -A tried_proof # at the end of its search, by name
# Proves one instance, or all, if they are solved and have no proof yet.
write_proofs() { # seconds and instance for a first try; without: all, as long as it takes
	local item name file flags most=${1:-} only=${2:-} seconds
	[ -n "$prove" ] || return 0
	if [ ! -x "$bin/copra-prove" ]; then
		[ -n "$most" ] || fail "--prove: $bin/copra-prove is not built; there are no proof files"
		return
	fi
	while read -r item; do
		name=$(field "$item" .instance)
		file=$out/proofs/$name.proof.json
		[ ! -s "$file" ] || [ "$(field "$item" .proof)" != "$file" ] || continue
		[ -z "$only" ] || { [ "$name" = "$only" ] && [ -z "${tried_proof[$name]:-}" ]; } || continue
		[ "${tried_proof[$name]:-}" != failed ] || continue
		[ -z "$interrupted" ] || return
		flags=()
		[ -z "$device" ] || flags+=(--device "$device")
		[ -z "$threads" ] || flags+=(--threads "$threads")
		seconds=$most
		if [ -n "$budget" ]; then
			! over || { open_proofs=1 && break; }
			seconds=$(awk -v s="$most" -v l="$(left)" 'BEGIN { print s != "" && s + 0 < l ? s : l }')
		fi
		[ -z "$seconds" ] || flags+=(--time-limit "$seconds")
		tried_proof[$name]=yes
		echo "$name: proof${seconds:+, at most $(duration "$seconds")}"
		run "$bin/copra-prove" "$out/answers/$name.solve.json" "$(field "$item" .what)" --out "$file" ${flags[@]+"${flags[@]}"} \
			>>"$out/logs/$name.txt" 2>"$work/why"
		cat "$work/why" >>"$out/logs/$name.txt"
		if [ "$status" -eq 0 ] && [ -s "$file" ]; then
			put "$(jq -c --arg file "$file" '{event: "proof", instance, id, $file}' <<<"$item")"
		elif [ "$status" -eq 3 ]; then
			[ -n "$most" ] || open_proofs=1
		elif [ -z "$interrupted" ]; then
			tried_proof[$name]=failed
			fail "$name: no proof: exit code $status: $(tail -n 1 "$work/why")"
		fi
	done < <(jq -c 'select(.solved and .ours != null and .problem_found == null)' "$work/summary.jsonl")
	update
}
work_through() {
	local next
	while [ -z "$interrupted" ] && next=$(next_task) && [ -n "$next" ]; do
		! over || return
		run_slice "$next"
		write_tables
		[ -n "$interrupted" ] || over || write_proofs "$slice" "$(field "$next" .instance)"
	done
	[ -n "$interrupted" ] || write_proofs
}
launcher='' # of the program that runs; '': none
# srun kills its ranks on a signal instead of passing it on.
on_signal() {
	interrupted=1 signalled=1
	[ -n "$child" ] || return
	case $launcher in
	srun | */srun) [ -z "${SLURM_JOB_ID:-}" ] || scancel --signal=TERM "$SLURM_JOB_ID" ;;
	*) kill -TERM "$child" 2>/dev/null ;;
	esac
}

# ---- ----
set='' only='' budget='' slice=600 out='' device='' recount=false recount_device=cpu prove='' most_nodes=null estimate_seconds=10
launch_text=${COPRA_LAUNCH:-} solve_flags=()
is_real() { # text: a number from 0
	[[ $1 =~ ^[0-9]*\.?[0-9]+(e[+]?[0-9]+)?$|^[0-9]+\.$ ]]
}
while [ $# -gt 0 ]; do
	word=$1 value=''
	shift
	case $word in
	-h | --help) sed -n '2,28s/^# \{0,1\}//p' scripts/campaign.sh && exit 0 ;;
	--list | --recount | --prove) ;;
	--list=* | --recount=* | --prove=*) die 2 "${word%%=*} takes no value" ;;
	--) solve_flags=("$@") && break ;;
	--*=*) value=${word#*=} word=${word%%=*} ;;
	--budget | --slice | --out | --device | --launch | --most-nodes | --estimate-seconds | --recount-device)
		[ $# -gt 0 ] || die 2 "$word needs a value"
		value=$1
		shift
		;;
	-*) die 2 "unknown flag '$word'; see --help" ;;
	*)
		[ -z "$set" ] || die 2 "two sets: $set and $word"
		set=$word
		;;
	esac
	case $word in
	--list) only=list ;;
	--recount) recount=true ;;
	--prove) prove=1 ;;
	--budget)
		is_real "$value" || die 2 "--budget must be a number of hours, not '$value'"
		budget=$(awk -v h="$value" 'BEGIN { h *= 3600; printf "%d", h < 1e9 ? h : 1e9 }')
		;;
	--slice) is_real "$value" && awk -v s="$value" 'BEGIN { exit s > 0 && s <= 1e8 ? 0 : 1 }' && slice=$value ||
		die 2 "--slice must be a number of seconds above 0, not '$value'" ;;
	--estimate-seconds) is_real "$value" && awk -v s="$value" 'BEGIN { exit s > 0 ? 0 : 1 }' && estimate_seconds=$value ||
		die 2 "--estimate-seconds must be above 0, not '$value'" ;;
	--most-nodes) is_real "$value" && most_nodes=$value || die 2 "--most-nodes must be a number of nodes, not '$value'" ;;
	--out) [ -n "$value" ] && out=$(absolute "$value") || die 2 "--out needs a folder" ;;
	--device) device=$value ;;
	--recount-device) recount_device=$value ;;
	--launch) launch_text=$value ;;
	--*) die 2 "unknown flag '$word'; see --help" ;;
	esac
done
[ -n "$set" ] || die 2 "name a set or a file: copra campaign SET|FILE [flags]; see --help"
threads='' # for the proofs
for word in "${solve_flags[@]+"${solve_flags[@]}"}"; do
	[ "${last:-}" != --threads ] || threads=$word
	last=$word
	case $word in
	--threads=*) threads=${word#*=} ;;
	--json* | --problem* | --checkpoint | --checkpoint=* | --resume* | --time-limit* | --ub* | --start | --start=* | --device*)
		die 2 "$word is set by the campaign" ;;
	esac
done
read -rd '' -a launch <<<"$launch_text"
[ ${#launch[@]} -eq 0 ] || command -v "${launch[0]}" >/dev/null || die 2 "--launch: ${launch[0]} is not installed"
[ -x "$bin/copra" ] && [ -x "$bin/copra-estimate" ] || die 2 "$bin/copra is not built (make all)"
for word in jq cksum; do
	command -v $word >/dev/null || die 1 "$word is not installed (make setup)"
done
work=$(mktemp -d) || die 1 "no temporary folder"
trap 'rm -rf "$work"' EXIT
make_list
if [ -z "$out" ]; then
	machine=$("$bin/copra-peaks" --machine) && [ -n "$machine" ] || exit 1
	out=$(absolute "${COPRA_RESULTS:-$PWD/results/local}/$machine/campaign")
fi
state=$out/state.jsonl
revision=$("$bin/copra" --version | sed 's/.*(revision \([^;]*\);.*/\1/')
if [ "$only" = list ]; then # in a copy, so that a campaign may run meanwhile
	cp -- "$state" "$work/state.jsonl" 2>/dev/null || : >"$work/state.jsonl"
	state=$work/state.jsonl
	update
	make_estimates
	[ -z "$interrupted" ] || exit 3
	jq -cs 'sort_by(.solved, (if .estimate then .estimate.nodes else infinite end))[]' "$work/summary.jsonl" >"$work/sorted" &&
		mv "$work/sorted" "$work/summary.jsonl"
	show_table
	exit $failed
fi
mkdir -p -- "$out/answers" "$out/checkpoints" "$out/logs" "$out/proofs" 2>/dev/null && [ -w "$out" ] || die 1 "cannot write to $out"
take_lock "$out/lock" "copra campaign"
trap 'rm -rf "$work"; { : >"$lock"; } 2>/dev/null' EXIT
{ : >>"$state"; } 2>/dev/null || die 1 "cannot write $state"
repair_state
adopt
update
echo "$program: $(jq -s 'map(select(.solved)) | "\(length)"' -r "$work/summary.jsonl") of $(grep -c . "$work/items.jsonl") instances are solved; state in $out"
make_estimates
work_through
write_tables
show_table
while read -r word; do fail "$word"; done < <(jq -r \
	'select(.problem_found) | "\(.instance): contradiction: \(.problem_found)"' "$work/summary.jsonl")
[ $failed -eq 0 ] || exit 1
if [ -n "$interrupted" ]; then
	die 3 "interrupted; the state is kept, the same command continues"
elif [ -n "$open_proofs" ] || [ -n "$(next_task)" ]; then
	die 3 "the budget is used up; the same command continues"
fi
