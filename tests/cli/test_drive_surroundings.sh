#!/usr/bin/env bash
# The driver and the programs in unusual environments: no terminal, no HOME, a locale with decimal
# commas and a dotless i, closed streams, a narrow umask, a path with spaces.
# usage: test_drive_surroundings.sh BIN_DIR
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
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
check "the driver runs without terminal, input and HOME" exits 0 env -u HOME -u TERM setsid "${drive[@]}" </dev/null
check "the output has no control characters" bash -c "! grep -q $'\\r\\|\\033' out.txt err.txt"
check "the results have all rows" is_complete 10

# decimal commas, and a lower-case i without a dot
if mkdir locales && localedef -c -i tr_TR -f UTF-8 locales/tr_TR.UTF-8 2>/dev/null; then
	turkish=(env LOCPATH="$work/locales" LC_ALL=tr_TR.UTF-8)
	fresh
	check "the driver runs in a Turkish locale" exits 0 "${turkish[@]}" "${drive[@]}"
	check "numbers have decimal points in a Turkish locale" numbers_have_points
	# the program reads the journal in that locale, without the driver, which sets its own
	check "bench continues in a Turkish locale" exits 0 "${turkish[@]}" "$bin/copra-demo" bench --copra_scale=quick \
		$COPRA_BENCH_FLAGS --copra_resume --copra_rows_only --benchmark_out="$folder/bench.json"
	check "bench reads the journal in a Turkish locale" never_twice
	check "the results have all rows" is_complete 10
	check "solve runs in a Turkish locale" exits 0 "${turkish[@]}" "$bin/copra-demo" solve --instance=15 --time-limit 0.5 \
		--json=-
	check "solve writes valid JSON in a Turkish locale" python3 -c 'import json; json.load(open("out.txt"))'
fi
fresh
check "the driver runs in a locale that does not exist" exits 0 env LC_ALL=xx_XX.UTF-8 "${drive[@]}"

fresh
got=0
"${drive[@]}" >&- 2>err.txt || got=$?
check "with closed standard output the cases are measured" is_complete 10
check "with closed standard output the journal is valid" never_twice
"${drive[@]}" <&- >&- 2>&- || got=$?
check "with all three streams closed the journal is valid" never_twice
for closed in "" "2>&-" "<&- 2>&-"; do
	rm -f b.*
	bash -c "'$bin/copra-demo' --benchmark_filter=nap --benchmark_min_time=1x --benchmark_out=b.json >&- $closed" 2>err.txt || true
	check "bench with >&- $closed: the results file is valid JSON" python3 -c \
		'import json; assert len(json.load(open("b.json"))["benchmarks"]) > 0'
	check "bench with >&- $closed: the journal is valid JSON" python3 -c '[__import__("json").loads(l) for l in open("b.journal.jsonl")]'
done
check "bench exits with 1 because the table was not printed" exits 1 bash -c \
	"'$bin/copra-demo' --benchmark_filter=nap --benchmark_min_time=1x >&-"

fresh
check "the driver runs with umask 027" exits 0 bash -c 'umask 027; exec "$@"' - "${drive[@]}"
check "files have the permissions of umask 027" test "$(stat -c %a "$folder/bench.json")" = 640
fresh
check "the driver runs with umask 077" exits 0 bash -c 'umask 077; exec "$@"' - "${drive[@]}"
check "files and folders have the permissions of umask 077" test "$(stat -c %a "$folder/bench.journal.jsonl" "$folder" | tr '\n' ' ')" = "600 700 "

fresh
mkdir -p "a b/build/bin" 
cp -r "$root/scripts" "a b/"
ln -s "$bin"/* "a b/build/bin/"
check "the driver runs in a path with spaces" exits 0 env -u BIN \
	COPRA_RESULTS="$work/re sults/of me" "a b/scripts/reproduce.sh" --measure
folder="$work/re sults/of me/here/copra-demo/quick"
check "the results have all rows" is_complete 10
check "the driver runs from another folder, with CDPATH set" exits 0 env -u BIN CDPATH=/:/tmp \
	COPRA_RESULTS="$work/re sults/of me" bash -c 'cd "./a b" && exec scripts/reproduce.sh --measure'
check "it measured nothing again" never_twice
folder=$work/results/here/copra-demo/quick

exit $failed
