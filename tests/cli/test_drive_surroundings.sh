#!/usr/bin/env bash
# The driver and the programs in unusual environments: no terminal, no HOME, a locale with decimal
# commas and a dotless i, closed streams, a narrow umask, a path with spaces.
# usage: test_drive_surroundings.sh BIN_DIR
set -eu
. "$(dirname "$0")/drive.bash"
naps 1 2
fresh() {
	rm -rf results
}
numbers_have_points() { # in the lines of the driver and in the results
	! grep -E '[0-9],[0-9]* (s|MB|GB|KB)\b' out.txt && is_complete 10
}

fresh
check "no terminal, no input, no HOME" exits 0 env -u HOME -u TERM setsid "${drive[@]}" </dev/null
check "... plain lines" bash -c "! grep -q $'\\r\\|\\033' out.txt err.txt"
check "... all rows" is_complete 10

# decimal commas, and a lower-case i without a dot
if mkdir locales && localedef -c -i tr_TR -f UTF-8 locales/tr_TR.UTF-8 2>/dev/null; then
	turkish=(env LOCPATH="$work/locales" LC_ALL=tr_TR.UTF-8)
	fresh
	check "a Turkish locale" exits 0 "${turkish[@]}" "${drive[@]}"
	check "... numbers with points" numbers_have_points
	# the program reads the journal in that locale, without the driver, which sets its own
	check "... and resumed" exits 0 "${turkish[@]}" "$bin/copra-demo" bench --copra_scale=quick \
		$COPRA_BENCH_FLAGS --copra_resume --copra_rows_only --benchmark_out="$folder/bench.json"
	check "... with nothing measured again" never_twice
	check "... all rows" is_complete 10
	check "... solve" exits 0 "${turkish[@]}" "$bin/copra-demo" solve --instance=15 --time-limit 0.5 \
		--json=-
	check "... JSON" python3 -c 'import json; json.load(open("out.txt"))'
fi
fresh
check "a locale that does not exist" exits 0 env LC_ALL=xx_XX.UTF-8 "${drive[@]}"

fresh
got=0
"${drive[@]}" >&- 2>err.txt || got=$?
check "with closed standard output the cases are measured" is_complete 10
check "... and the journal is valid" never_twice
"${drive[@]}" <&- >&- 2>&- || got=$?
check "... also with all three streams closed" never_twice
for closed in "" "2>&-" "<&- 2>&-"; do
	rm -f b.*
	bash -c "'$bin/copra-demo' --benchmark_filter=nap --benchmark_min_time=1x --benchmark_out=b.json >&- $closed" 2>err.txt || true
	check "bench with >&- $closed: a results file of JSON alone" python3 -c \
		'import json; assert len(json.load(open("b.json"))["benchmarks"]) > 0'
	check "... and a journal too" python3 -c '[__import__("json").loads(l) for l in open("b.journal.jsonl")]'
done
check "... with exit code 1, since the table was not shown" exits 1 bash -c \
	"'$bin/copra-demo' --benchmark_filter=nap --benchmark_min_time=1x >&-"

fresh
check "umask 027" exits 0 bash -c 'umask 027; exec "$@"' - "${drive[@]}"
check "... holds" test "$(stat -c %a "$folder/bench.json")" = 640
fresh
check "umask 077 in an old folder" exits 0 bash -c 'umask 077; exec "$@"' - "${drive[@]}"
check "... holds" test "$(stat -c %a "$folder/bench.journal.jsonl" "$folder" | tr '\n' ' ')" = "600 700 "

fresh
mkdir -p "a b/build/bin" 
cp -r "$root/scripts" "a b/"
ln -s "$bin"/* "a b/build/bin/"
check "a checkout and results in a path with spaces" exits 0 env -u BIN \
	COPRA_RESULTS="$work/re sults/of me" "a b/scripts/reproduce.sh" --measure
folder="$work/re sults/of me/here/copra-demo/quick"
check "... all rows" is_complete 10
check "... and from another folder, with CDPATH" exits 0 env -u BIN CDPATH=/:/tmp \
	COPRA_RESULTS="$work/re sults/of me" bash -c 'cd "./a b" && exec scripts/reproduce.sh --measure'
check "... measures nothing again" never_twice
folder=$work/results/here/copra-demo/quick

exit $failed
