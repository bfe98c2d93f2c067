#!/usr/bin/env bash
# Simulated clusters: every node of a tree is searched once on any number of ranks, and runs repeat.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
if ! command -v smpirun >/dev/null || ! command -v smpicc >/dev/null; then
	echo "skipped: SimGrid is not installed (make setup)"
	exit 0
fi
in_new_folder "$1"
rank=$bin/../simulate/rank
cat >platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" bw="25GBps" lat="1us"/>
</platform>
XML
simulate() { # ranks, setting...: the line of rank 0
	local ranks=$1
	shift
	timeout 60 smpirun -np "$ranks" -platform platform.xml --cfg=smpi/simulate-computation:no \
		--cfg=smpi/iprobe:0 --cfg=smpi/test:0 --cfg=smpi/host-speed:1Gf \
		--log=root.threshold:error "$rank" "$@"
}
field() { # number, file: a field of the line
	tail -n 1 "$2" | cut -d, -f "$1"
}
nodes=3000000
for victims in lifelines permuted static; do
	tree="total=$nodes rate=1e6 chunk=10000 slice=0.01 skew=1.5 victims=$victims"
	[ $victims = lifelines ] || tree="$tree pending=400"
	for ranks in 1 2 16; do
		# shellcheck disable=SC2086
		check "$victims: $ranks ranks end" exits 0 simulate $ranks $tree
		cp out.txt "$victims-$ranks.txt"
		check "... and search every node once" test "$(field 2,3 out.txt)" = "$nodes,1"
	done
	# shellcheck disable=SC2086
	check "$victims: a second run ends" exits 0 simulate 16 $tree
	check "... with the same output" cmp out.txt "$victims-16.txt"
	check "... in less time than one rank" awk -v a="$(field 1 "$victims-16.txt")" \
		-v b="$(field 1 "$victims-1.txt")" 'BEGIN { exit !(a < b / 2) }'
done
check "one rank takes the time of its nodes" awk -v t="$(field 1 lifelines-1.txt)" 'BEGIN { exit !(t >= 3 && t < 3.1) }'
check "a recorded tree is searched" exits 0 simulate 16 total=514453279 rate=2e7 chunk=1e6 \
	record="$root/results/simulated/trees/ta026.tree"
check "... with its exact count" test "$(field 2,3 out.txt)" = "514453279,1"
# the exit code of smpirun 3.32 does not show an abort
simulate 1 total=1000 record=platform.xml >out.txt 2>err.txt || true
check "a file that is no record is refused by name" grep -q "platform.xml: not a recorded tree" err.txt
check "... without a result" test "$(grep -c , out.txt)" -eq 0
check "a total that is not a number is refused" exits 2 simulate 1 total=many
check "an unknown setting is refused" exits 2 simulate 1 rat=1

# a part of the committed experiments, which the simulator must repeat
rm -rf simulate && cp -r "$bin/../simulate" simulate
quick() { (cd simulate && SIMULATE=quick python3 "$root/scripts/simulate.py" . "$@"); }
check "the quick experiments run" exits 0 quick
compare() { # committed folder, new folder: prints the number of rows that were compared
	python3 - "$@" <<'PY'
import csv, glob, os, sys
count = 0
for path in glob.glob(os.path.join(sys.argv[2], "*.csv")):
    committed = os.path.join(sys.argv[1], os.path.basename(path))
    a, b = ({r["case"]: r for r in csv.DictReader(x for x in open(p) if not x.startswith("#"))} for p in (committed, path))
    for case, row in b.items():
        old, new = float(a[case]["simulated_s"]), float(row["simulated_s"])
        if abs(new / old - 1) > 0.02 or a[case]["searched"] != row["searched"] or row["status"] != "SIMULATED":
            sys.exit(f"{path}: {case}: {new} s, committed {old} s (make simulate)")
        count += 1
print(count)
PY
}
check "... with the times that are committed" exits 0 compare "$root/results/simulated/helbecque-pool" simulate/quick
check "... of several experiments" test "$(cat out.txt)" -ge 15
check "an unknown experiment is refused" exits 1 quick table7
check "... in one line" one_line "unknown experiment 'table7' (table6, "
exit "$failed"
