#!/usr/bin/env bash
# Simulated tables stand in the report, marked as such, and decide no claim.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
bin=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$bin/copra-report" ] || { echo "copra-report is not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$top/tests/cli/checks.bash"
report() { # output folder
	"$bin/copra-report" --results . --target helbecque-pool --out "$1"
}
cp -r "$top/tests/data/report/local" "$top/tests/data/report/recorded" .
cp -r "$top/results/papers" "$top/results/simulated" .
cp -r recorded/fixture-h200-x4/dp-knapsack recorded/fixture-h200-x4/helbecque-pool
sed -i 's/dp-knapsack/helbecque-pool/g' recorded/fixture-h200-x4/helbecque-pool/*/*.json
data=simulated/helbecque-pool

# the committed rows
check "every simulated row says so" bash -c "! grep -hv '^#' $data/*.csv | grep -v '^case,' | grep -v ',SIMULATED,'"
origins=$(python3 - $data/*.csv <<'PY'
import csv, sys
rows = [r for p in sys.argv[1:] for r in csv.DictReader(x for x in open(p) if not x.startswith("#"))]
print("\n".join(sorted({r["revision"] for r in rows})))
assert all(r["machine"] and r["date"] and r["parameters"] for r in rows)
PY
)
check "all of them are of one revision" test "$(wc -l <<<"$origins")" -eq 1
check "... which was committed" bash -c "! grep -q dirty <<<'$origins'"

check "a report with simulated tables is written" exits 0 report with
md=with/helbecque-pool.md
for table in "Table 6" "Table 8" "Figure 12"; do
	check "$table: the measured table stays NOT TESTED" \
		bash -c "sed -n '/^### $table: /,/^### /p' $md | grep -q '^NOT TESTED: needs'"
	check "... and a simulated one follows it, with its origin" \
		bash -c "sed -n '/^### $table, SIMULATED: /,/^### /p' $md | grep -q '^SIMULATED, decides no claim; revision $origins, on '"
	check "... also in HTML" grep -q ">$table, SIMULATED: " with/report.html
done
check "a cell is that of its row" test "$(awk -F, '$1 == "ta021" && $2 == 128 { print $4 }' with/helbecque-pool/table6-simulated.simulated.csv)" = \
	"$(awk -F, '$1 == "ta021/one-node/128" { print $8 }' $data/table6.csv)"
check "the efficiency has a plot" grep -q 'title_2 = "SIMULATED: ' with/helbecque-pool/plots/efficiency-simulated.simulated.gp

check "three claims need 128 nodes" test "$(grep -cE '^(H6|H8e|H9),.*,measured,NOT TESTED,' with/helbecque-pool/claims.csv)" -eq 3
mv simulated away
check "a report without simulated tables is written" exits 0 report without
check "... and says so" grep -q '^NOT SIMULATED yet' without/helbecque-pool.md
check "simulated tables change no verdict" cmp with/helbecque-pool/claims.csv without/helbecque-pool/claims.csv
mv away simulated
# times that would decide H6, H8e and H9, if a claim read them
for t in table6 table8; do
	awk -F, -v OFS=, '!/^#/ && !/^case,/ { $8 = "1e-9" } 1' $data/$t.csv >edited.csv && mv edited.csv $data/$t.csv
done
check "... whatever they say" exits 0 report with
check "... not one" cmp with/helbecque-pool/claims.csv without/helbecque-pool/claims.csv

printf '\nclaim Z1\nwhere V\nsays x\nkind ours\ndecided times\ntest simulated("table6", "simulated_s", "ta021/one-node/8") > 0\n' \
	>>papers/helbecque-pool/claims.txt
check "a claim on simulated values is refused" exits 2 report refused
check "... with its place" one_line "claims.txt:$(wc -l <papers/helbecque-pool/claims.txt):6: simulated values decide no claim"
exit "$failed"
