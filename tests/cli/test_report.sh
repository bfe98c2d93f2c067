#!/usr/bin/env bash
# The report of fabricated results: files, page, verdicts, bad input, missing gnuplot, comparators.
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
absent() { ! grep -q "$@"; }
report() { # the whole script, into $work/report
	BIN=$bin OUT=$work/report "$top/scripts/report.sh" --results "$work" "$@"
}

cp -r "$top/tests/data/report/local" "$top/tests/data/report/recorded" .
cp -r "$top/results/papers" .
page=report/report.html
target=report/dp-knapsack

check "a report is written" exits 0 report
check "... no drawing fails" absent 'gnuplot failed' err.txt
check "... the page names the machine measured here" grep -q 'measured here, on fixture-2c' $page
check "... and the recorded one as recorded, with its date" \
	grep -q 'RECORDED on fixture-h200-x4, 2026-11-20' $page
fold='<summary>Recorded on other machines</summary>'
in_order() { # the first lines with these texts, after the heading $2 of file $1
	awk -v from="$2" -v a="$3" -v b="$4" -v c="$5" 'index($0, from) { on = 1 }
		on && !x && index($0, a) { x = NR } x && !y && index($0, b) { y = NR }
		y && !z && index($0, c) { z = NR } on && !x && index($0, c) { exit }
		END { exit !(x && y && z) }' "$1"
}
check "... what recorded machines measured is folded below" \
	in_order $page 'id="dp-knapsack-figure5"' 'measured here' "$fold" 'RECORDED on'
check "... also in the list of machines" \
	in_order $page 'id="machines"' '>measured here</td>' "$fold" '>recorded</td>'
check "... every such block is closed" test "$(grep -o '<details' $page | wc -l)" -eq "$(grep -o '</details>' $page | wc -l)"
check "... and Markdown has it below, not folded" bash -c "! grep -rq 'Recorded on other' report --include=*.md &&
	grep -q 'measured here, on' report/dp-knapsack.md"
check "... a table names the revision, date and host that were measured" \
	grep -qE '(measured here|RECORDED) on [^·]* · revision [0-9a-f]{7}, 2026-11-20, host abc' $page
check "... loads nothing from the network" absent -E '(src|href)="?(http|//)|@import|url\(http' $page
check "... has no script" absent -i '<script' $page
check "... says why a claim was not tested" grep -q 'no NVIDIA driver' $page
check "... has both colour schemes" grep -q 'prefers-color-scheme:dark' $page
well_formed() { python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"; }
check "... is well-formed" well_formed $page
claims=$(grep -c '^claim *B' papers/dp-knapsack/claims.txt)
verdict='(REPRODUCED|NOT REPRODUCED|DOES NOT CARRY OVER|PAPER CONSISTENT|PAPER INCONSISTENT|INCONCLUSIVE|NOT TESTED)'
check "all $claims claims have a verdict on both machines" \
	test "$(grep -cE "^B.*,$verdict,$verdict\$" $target/claims.csv)" -eq "$claims"
check "a time of one run decides nothing" grep -q '^B1,.*,measured,NOT TESTED,,"*needs 5 runs, has [1-4][: ].*,NOT TESTED,NOT TESTED$' $target/claims.csv
check "the runs that claims need are listed" \
	grep -qE '^dp-knapsack/table1/boyer/published/.*/n:10000/.*,2,5,B3 ' $target/runs.recorded-fixture-h200-x4.csv
table1=$target/table1.recorded-fixture-h200-x4.csv
check "Table I says that the serial time was sampled" grep -q '^"n, items",serial here,serial sampled,' $table1
check "... and has the paper's number" grep -q '^10000,[0-9.]*,1,[0-9.]*,12.86,[0-9.]*,' $table1
check "... and in LaTeX" grep -q '^10,000 & .* & 12.86 & ' $target/table1.recorded-fixture-h200-x4.tex
check "... and in Markdown" grep -q '^| 10,000 | .* | 12.86 | ' $target/table1.recorded-fixture-h200-x4.md
check "without a GPU Table I has the CPU times and no speed-up" \
	grep -qE '^10000,[0-9.]+,1,[0-9.]+,12.86,9.39,[0-9.]+$' $target/table1.local-fixture-2c.csv
check "... and without measured values there is no plot" \
	test ! -e $target/plots/table1.local-fixture-2c.dat
check "the CPU times are in Figure 5" grep -q '^10000,' $target/figure5.local-fixture-2c.csv
check "a table that no machine can measure has the paper's numbers" \
	grep -q '^17Q,0.79,0.98$' report/helbecque-pool/table8.paper.csv
check "... and the reason, in the files and on the page" \
	grep -q 'NOT TESTED: needs 128 compute nodes' report/helbecque-pool/table8.paper.md $page
check "a column says why it is empty" grep -q "no NVIDIA driver (1 GPU, here" $page
check "the plot's data are written" test -s $target/plots/figure5.local-fixture-2c.dat
if command -v gnuplot >/dev/null; then
	check "plots are drawn" test -s $target/plots/figure5.local-fixture-2c.svg
	check "... and are in the page" grep -q '<svg' $page
fi

# The picture on the first page: a machine whose literal and tuned code have two bounds, one bound, or no counts
mkdir -p gain/local/m/dp-knapsack/quick && cp -r papers gain
ladder() { # lower bound of the tuned code, operations of the tuned code
	python3 - "$@" >gain/local/m/dp-knapsack/quick/bench.json <<'END'
import json, sys
name = "dp-knapsack/%s/manual_time"
operations = float(sys.argv[2])
counted = {"operations": operations} if operations else {}
rows = [(name % "table1/boyer/cpu/form:merged/n:50000/seed:1/gpus:0", 4000, 1, {}),
	(name % "ladder/boyer-50000/published/rung:literal/gpus:1", 800, 0.4, {"operations": 1e9}),
	(name % "ladder/boyer-50000/tuned/rung:merged/gpus:1", 10, float(sys.argv[1]), counted)]
print(json.dumps({"context": {"date": "2026-11-20T13:00:00+00:00", "copra_revision": "0000000"}, "benchmarks": [
	{"name": n, "run_name": n, "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "iterations": 1,
	 "real_time": t, "cpu_time": t, "time_unit": "ms", **({"floor_seconds": f} if f else {}), **more} for n, t, f, more in rows]}))
END
	"$bin/copra-report" --results gain --out gain/report --plots "$top/plots" >/dev/null
}
ladder 0.02 5e7
check "the picture on the first page has a missing step and two split ones" \
	grep -qx 'dp-knapsack ? 0.2 20 80 ?' gain/report/plots/gain.local-m.dat
ladder 0.4 5e7
check "... the first of which is 1 if both codes have the same bound" \
	grep -qx 'dp-knapsack ? 0.2 1 80 ?' gain/report/plots/gain.local-m.dat
if command -v gnuplot >/dev/null; then
	gnuplot gain/report/plots/gain.local-m.gp 2>/dev/null # it warns of the steps without points
	check "... which the drawing says" grep -q '>1×<' gain/report/plots/gain.local-m.svg
	rm -f gain/report/plots/gain.local-m.svg
fi
ladder 0.02 0
check "... they are one if the operations of one are not counted" \
	grep -qx 'dp-knapsack ? 0.2 ? 80 80' gain/report/plots/gain.local-m.dat
ladder 0 5e7
check "... or if one has no lower bound" \
	grep -qx 'dp-knapsack ? 0.2 ? 80 80' gain/report/plots/gain.local-m.dat
check "... and it comes before the summary" in_order gain/report/report.html \
	'id="gain"' 'measured here' 'The plot is missing' 'id="summary"'

# A file with rows of two revisions, one of them with changes: each table names those of its own rows
mkdir -p mixed/local/m/dp-knapsack/quick && cp -r papers mixed
python3 - >mixed/local/m/dp-knapsack/quick/bench.json <<'END'
import json
name = "dp-knapsack/table1/boyer/%s/form:%s/n:%d/seed:%d/gpus:0/manual_time"
other = {"copra_revision": "1234567890abcdef+", "copra_host": "fedcba9876543210", "copra_date": "2026-11-21T08:00:00+00:00"}
rows = [(name % ("serial", "item", 10000, 1), {}), (name % ("cpu", "merged", 10000, 1), {}),
	(name % ("cpu", "merged", 10000, 2), {}), (name % ("cpu", "class", 10000, 1), other),
	("dp-knapsack/ladder/boyer-50000/tuned/rung:merged/gpus:1/manual_time", other)]
print(json.dumps({"context": {"date": "2026-11-20T13:00:00+00:00", "copra_revision": "0000000abcdef", "copra_dirty": 0,
	"host_name": "0123456789abcdef"}, "benchmarks": [
	dict({"name": n, "run_name": n, "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "iterations": 1,
	      "real_time": 5, "cpu_time": 5, "time_unit": "ms"}, **more) for n, more in rows]}))
END
"$bin/copra-report" --results mixed --out mixed/report >/dev/null
line=' · 3 rows: revision 0000000, 2026-11-20, host 0123456; 1 row: revision 1234567 + changes, 2026-11-21, host fedcba9'
above() { # file, anchor: the line above the table of machine m
	awk -v from="<a id=\"$2\">" 'index($0, from) { on = 1 } on && /measured here, on m/ { gsub(/\*\*/, ""); print; exit }' "$1"
}
check "a table names the revisions of its rows, with their numbers" \
	test "$(above mixed/report/dp-knapsack.md dp-knapsack-figure5)" = "measured here, on m$line · no GPU"
check "... also in the caption of its Markdown file" \
	grep -qxF "measured here, on m$line" mixed/report/dp-knapsack/figure5.local-m.md
check "... and only those: rows of one revision are not counted" test "$(above mixed/report/dp-knapsack.md dp-knapsack-ladder)" = \
	"measured here, on m · revision 1234567 + changes, 2026-11-21, host fedcba9 · no GPU"
check "... and the list of machines has all revisions" \
	grep -qE '^\| dp-knapsack \| m \| .*\| 0000000, 1234567 \+ changes \|' mixed/report/README.md

# The second roofline: rows that count operations and bytes, with and without peak rates
check "without rows that count operations and bytes there is no second roofline" \
	test ! -e mixed/report/dp-knapsack/plots/intensity.local-m.gp
python3 - mixed/local/m/dp-knapsack/quick/bench.json <<'END'
import json, sys
data = json.load(open(sys.argv[1]))
for row in data["benchmarks"][:3]:
	row.update(operations=3e9, bytes=1e9, label="work: cells; operations: cpu_add_max; bytes: cpu_copy")
json.dump(data, open(sys.argv[1], "w"))
END
"$bin/copra-report" --results mixed --out mixed/report --plots "$top/plots" >/dev/null
counted='The second figure has the 3 of 5 rows that count operations and bytes: 1 serial, 2 cpu.'
check "... with such rows there is one" test -s mixed/report/dp-knapsack/plots/intensity.local-m.gp
check "... and the page counts them" grep -qxF "$counted" mixed/report/dp-knapsack.md
draws() { # without a warning
	gnuplot mixed/report/dp-knapsack/plots/intensity.local-m.gp 2>gnuplot.txt && test ! -s gnuplot.txt
}
if command -v gnuplot >/dev/null; then
	check "... it is drawn without the roofs if the peak rates are unknown" draws
	echo '{"cpu_add_max": 7.6e11, "cpu_copy": 1.2e11}' >mixed/local/m/ceilings.json
	"$bin/copra-report" --results mixed --out mixed/report --plots "$top/plots" >/dev/null
	check "... and with them" draws
	check "... with their names and values" grep -q 'memory copy, all cores: 120 GB/s' \
		mixed/report/dp-knapsack/plots/intensity.local-m.svg
fi

# Markdown, and links from a claim to its rows
md=report/README.md
check "the first page counts the measured claims of each paper by verdict" test "$(sed -n '/id="verdicts"/,/id="machines"/p' $md | grep -cE '^\| (dp|gboa|gmys|hel|koe|all)[^|]*( \| [0-9]+){6} \|$')" -eq 6
check "... counts arithmetic apart" grep -qE '^Arithmetic on .*, counted apart: [0-9]+ PAPER CONSISTENT, [0-9]+ PAPER INCONSISTENT\.$' $md
check "... and our own claims" grep -qE '^Our own claims, counted apart: [0-9]+ ' $md
check "... says what each verdict means" test "$(grep -cE "^- \*\*$verdict\*\*: [A-Z].*\.$" $md)" -eq 7
kinds() { # the number of claims of a kind in all papers
	cat papers/*/claims.txt | grep -cE "^kind +$1$"
}
check "... and counts every measured claim once" grep -qE "^\| all .*\| $(kinds measured) \|$" $md
check "... lists the 26 tables and figures" \
	test "$(sed -n '/The 26 tables/,/^<a/p' $md | grep -cE '^\| (dp|gboa|gmys|hel|koe).*\]\(')" -eq 26
anchors() { grep -oE 'id="[^"]+"' "$1" | sort | uniq -d | head -n 3; }
check "ids in the page are unique" test -z "$(anchors $page)"
dangling() { # broken links of the page
	comm -23 <(grep -oE 'href="#[^"]+' $page | sed 's/href="#//' | sort -u) \
		<(grep -oE 'id="[^"]+' $page | sed 's/id="//' | sort -u)
}
check "the page has no broken link" test -z "$(dangling)"
lost() { # broken links in Markdown
	local file link
	(cd report && grep -oE '\]\([^)]*\.md#[^)]*' ./*.md | sed 's/.*](//' | sort -u) |
		while IFS='#' read -r file link; do
			grep -q "<a id=\"$link\">" "report/$file" || echo "$file#$link"
		done
}
check "... and neither has the Markdown" test -z "$(lost)"
check "the evidence of B1 links to its rows" \
	bash -c "sed -n '/id=\"claim-dp-knapsack-B1\"/,/id=\"claim-dp-knapsack-B1a\"/p' report/dp-knapsack-claims.md | grep -q '^Rows read: .*dp-knapsack-rows.md#row-dp-knapsack-recorded'"
check "... and a row lists its claims" grep -qE '^\| <a id="row-[^|]*\| table1/.*\| B1 ' report/dp-knapsack-rows.md
verdicts() { grep -oE "<summary><strong class=\"[a-z]*\">$verdict" $page | sed 's/.*>//' | sort | uniq -c; }
md_verdicts() { grep -ohE "<summary><strong>$verdict" report/*.md | sed 's/.*>//' | sort | uniq -c; }
check "Markdown has the same verdicts as the page" test "$(verdicts)" = "$(md_verdicts)"

mkdir no-gnuplot
for tool in bash dirname find rm grep; do ln -s "$(command -v $tool)" no-gnuplot/; done
check "without gnuplot the report is written" exits 0 env PATH="$work/no-gnuplot" BIN="$bin" \
	OUT="$work/report" "$top/scripts/report.sh" --results "$work"
check "... with a warning" one_line 'gnuplot is not installed'
check "... also in the page" grep -q 'The plot is missing' $page
check "... with all tables" test -s $target/table1.recorded-fixture-h200-x4.md

mkdir broken
cat >broken/gnuplot <<'END'
#!/bin/sh
case "$*" in *figure5.local*) exit 1 ;; esac
END
chmod +x broken/gnuplot
check "a figure that gnuplot cannot draw fails the report" exits 1 env PATH="$work/broken:$PATH" BIN="$bin" \
	OUT="$work/report" "$top/scripts/report.sh" --results "$work"
check "... the error names it" grep -q 'gnuplot failed on .*/plots/figure5.local-fixture-2c.gp' err.txt
check "... and it is the only one" test "$(grep -c 'gnuplot failed' err.txt)" -eq 1
check "... and the rest is written" grep -q 'report: .*report.html' out.txt
check "... and the page says what is missing" grep -q 'The plot is missing' $page

bench=local/fixture-2c/dp-knapsack/quick/bench.json
cp $bench local/fixture-2c/dp-knapsack/process.json
check "a report with times of whole processes is written" exits 0 report
check "... rows keep their scale" \
	grep -qE '^\| dp-knapsack \| fixture-2c \| measured here .*\| quick \|' $md
rm local/fixture-2c/dp-knapsack/process.json

mv local/fixture-2c 'local/a&b <c>'
check "a folder of results may have any name" exits 0 report
check "... and the page is well-formed" well_formed $page
check "... without broken links" test -z "$(dangling)"
mv 'local/a&b <c>' local/fixture-2c

cp $bench whole.json
head -c 1000 whole.json >$bench
check "a truncated result file fails the run" exits 2 report
check "... and the error names file and line" grep -q "$bench:[0-9]" err.txt
check "... and the other files are used" grep -q 'RECORDED on fixture-h200-x4' $page
check "... and the page shows the error" grep -q 'Could not be read' $page
cp whole.json $bench

cp papers/dp-knapsack/claims.txt .
printf '\nclaim Z1\nwhere V\nsays x\nkind ours\ndecided times\ntest speedup(10000) > 1\n' >>papers/dp-knapsack/claims.txt
check "a malformed test is refused" exits 2 "$bin/copra-report" html --results . --out report
check "... and the error names file, line and column" \
	one_line "claims.txt:$(wc -l <papers/dp-knapsack/claims.txt):19: "
printf '\nclaim Z1\nwhere V\nsays x\nkind ours\ndecided times\n' | cat claims.txt - >papers/dp-knapsack/claims.txt
check "a claim without a test is refused" exits 2 "$bin/copra-report" html --results . --out report
check "... and the error names file and claim" one_line "claims.txt:[0-9]*:7: claim 'Z1' has no field 'test'"
cp claims.txt papers/dp-knapsack/claims.txt

check "an unknown flag is refused" exits 2 "$bin/copra-report" --nonsense
check "a folder without papers is refused" exits 2 "$bin/copra-report" --results nowhere
check "... in one line" one_line 'nowhere/papers'
check "an unknown paper is refused" exits 2 "$bin/copra-report" --results . --target x
check "an output folder that cannot be created is an error" exits 1 "$bin/copra-report" --results . --out /dev/null/x
check "... in one line" one_line '/dev/null'
check "--help succeeds" exits 0 "$bin/copra-report" --help

if command -v hyperfine >/dev/null; then
	compare() {
		BIN=$bin COPRA_MACHINE='Fixture 2c' COPRA_RESULTS=$work/local "$top/scripts/comparator.sh" "$@"
	}
	file=local/fixture-2c/dp-knapsack/comparators.json
	check "a solver is timed" exits 0 compare --instance boyer:10000:1 --name grep \
		--command 'grep -c 5 {file}' --runs 3
	check "... and again, which replaces its rows" exits 0 compare --instance boyer:10000:1 --name grep \
		--command 'grep -c 5 {file}' --runs 3
	check "... and three rows remain" test "$(grep -c '"run_name": ".*/n:10000/seed:1/grep"' $file)" -eq 3
	check "the report shows it" exits 0 report
	check "... next to our programs" grep -q '^10000,1,grep,' $target/comparators.local-fixture-2c.csv
	check "a command that fails is an error" exits 1 compare --instance boyer:100:1 --name no --command 'false {file}'
	check "... and adds no row" absent '/no"' $file
	check "a command without {file} is refused" exits 2 compare --instance boyer:100:1 --name no --command true
	check "a missing instance is refused" exits 2 compare --instance none.txt --name no \
		--command 'cat {file}'
fi
exit "$failed"
