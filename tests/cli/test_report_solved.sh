#!/usr/bin/env bash
# The report's page of solved instances: tables of campaigns, proof files against the lists, files that
# cannot be read.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
bin=$(realpath "${1:-build/bin}")
. "$(dirname "$0")/checks.bash"
[ -x "$bin/copra-report" ] || { echo "copra-report is not built"; exit 77; }
top=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p all/{recorded,local/here/campaign,campaigns/{one,broken,short},proofs}
ln -s "$top/results/papers" all/papers

header='instance,best known,source,ours,bound,status,nodes,estimated nodes,seconds,GPUs,proof file,note'
cat >all/campaigns/one/campaign.csv <<END
$header
"A_1",200,"a list (2015)",198,198,"optimal",77,"9e1 (1 to 2)",0.5,2,"","new schedule and proof; a list (2015), has 200"
"A_2",300,"a list (2015)",300,250,"limit",88,"9e1 (1 to 2)",25,2,"",""
END
printf '%s\nA_1,"200\n' "$header" >all/campaigns/broken/campaign.csv
printf 'instance,ours\nA_1,2\n' >all/campaigns/short/campaign.csv
printf '%s\nmine,10,"own (2026)",10,10,optimal,5,1,1,0,,confirmed\n' "$header" >all/local/here/campaign/campaign.csv

cat >all/proofs/vfr.csv <<'END'
# a list
instance,file,lower_bound,best_known,source,source_date
B_1,B_1_Gap.txt,100,200,VFR list,2015
END
printf 'instance,lower_bound,best_known,source\nta021,2297,2297,proved by copra: x\nta022,2099,2099,a list of optima\nta081,6106,6173,upper bound of a list\n' >all/proofs/known.csv
proof() { # file, instance, bound, schedule
	cat >"all/proofs/$1" <<END
{"format": "copra-flowshop-proof-1", "instance": "$2", "jobs": 30, "machines": 15, "hash": "fnv1a:0", "rule": "lb1-minbranch",
"bound": $3, "schedule": $4, "levels": [1, 30], "parts": [5, 6], "nodes": 123456,
"runs": [{"revision": "0123456789abcdef", "dirty": false, "cpu": "a CPU", "threads": 4, "devices": [], "seconds": 2.5},
{"revision": "fedcba9876543210", "dirty": ${5:-false}, "cpu": "a CPU", "threads": 4, "devices": ["a GPU", "a GPU"], "seconds": 1.5}]}
END
}
proof equal.json B_1_Gap.txt 200 '[0]'
proof below.json B_1_Gap.txt 199 '[0]'
proof above.json B_1 201 '[0]'
proof low.json B_1 99 '[0]'
proof bound.json B_1 150 null
proof weak.json B_1 90 null
proof tight.json B_1 200 null
proof same.json B_1 100 null
proof tai.json ta021 2297 '[0]' true
proof list.json ta022 2099 '[0]'
proof open.json ta081 6173 '[0]'
proof unknown.json C_9 10 '[0]'
echo '{' >all/proofs/torn.json
echo '{"format": "other"}' >all/proofs/foreign.json

check "the report is written" exits 0 "$bin/copra-report" html --results all --out report --target gboa
page=report/solved.md
row() { # file of the proof, cells in between
	grep -F "| $1.json |" $page | grep -qF "$2"
}
check "a campaign has a row for each instance" grep -qF '| A\_1 | 200 | a list (2015) | 198 | 198 | optimal | 77 | 0.5 | 2 |  | new schedule and proof; a list (2015), has 200 |' $page
check "... and its number of solved ones" grep -qx '1 of 2 solved\.' $page
check "a local campaign is shown first" test "$(grep -n '^### ' $page | head -1 | sed 's/.* //')" = here
check "a torn campaign is named" grep -q 'Left out: .*broken/campaign.csv:2' $page
check "a campaign without a column is named" grep -q "Left out: .*short/campaign.csv: no column 'best known'" $page
check "a proof of the listed makespan" row equal '| 200 | 200, VFR list (2015) | new proof | 123456 | 2 runs; last: 2 × a GPU | 4.00 s | fedcba9 |'
check "... of a shorter one" row below '| 199 | 200, VFR list (2015) | new schedule and proof |'
check "... of a longer one contradicts" row above '| 201 | 200, VFR list (2015) | CONTRADICTION: the list has a shorter schedule |'
check "... below the list's lower bound, too" row low '| CONTRADICTION: below the lower bound of the list |'
check "a bound without a schedule" row bound '| ≥ 150 | 200, VFR list (2015) | new lower bound |'
check "... below the known one" row weak '| ≥ 90 | 200, VFR list (2015) | below the known bound |'
check "... that is the listed makespan" row tight '| ≥ 200 | 200, VFR list (2015) | new proof of the listed makespan |'
check "... that the list has" row same '| ≥ 100 | 200, VFR list (2015) | known bound |'
check "an optimum that copra proved before" row tai '| 2297, proved by copra: x | proved by copra before |'
check "an optimum of a list" row list '| 2099, a list of optima | confirmed |'
check "an upper bound of a list" row open '| 6173, upper bound of a list | new proof |'
check "... and a modified build" row tai '| fedcba9, modified |'
check "an instance of no list" row unknown '|  | in none of the lists |'
check "a torn proof is named" grep -q 'Left out: .*torn.json' $page
check "a foreign file is named" grep -q 'Left out: .*foreign.json is not a proof' $page
check "... and neither has a row" bash -c "! grep -q '^|.*\(torn\|foreign\)' $page"
check "HTML has the table, too" grep -q 'CONTRADICTION: the list has a shorter schedule' report/report.html
check "the first page links to it" grep -q '(solved\.md' report/README.md
check "the recorded report leaves local campaigns out" exits 0 "$bin/copra-report" html --results all --recorded=true --out recorded
check "... indeed" bash -c "! grep -q '^### here' recorded/solved.md"
rm -rf all/proofs all/campaigns all/local/here/campaign
check "without any the report is written" exits 0 "$bin/copra-report" html --results all --out none --target gboa
check "... and says so" test "$(grep -c 'There are none' none/solved.md)" = 2
exit $failed
