#!/usr/bin/env bash
# The reproduction driver refuses bad settings, continues after a kill, and measures nothing twice.
# usage: test_reproduce.sh BIN_DIR
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
unset PAPER SCALE DEVICE MINUTES COPRA_BENCH_FLAGS COPRA_DEVICE COPRA_THREADS COPRA_SCALE
export BIN=$bin COPRA_RESULTS=$work/results COPRA_MACHINE=test-machine
folder=$work/results/test-machine/dp-knapsack/smoke

fail() {
	echo "FAIL $1"
	exit 1
}
refused() { # description, exit code, environment...: stderr is one line that begins with "reproduce:"
	local what=$1 want=$2 got=0
	shift 2
	env "$@" scripts/reproduce.sh >"$work/out" 2>"$work/err" || got=$?
	[ "$got" -eq "$want" ] || fail "$what: exit $got, not $want"
	[ "$(wc -l <"$work/err")" -eq 1 ] || fail "$what: stderr is not one line: $(cat "$work/err")"
	grep -q '^reproduce: ' "$work/err" || fail "$what: $(cat "$work/err")"
	echo "ok   $what"
}
refused "an unknown SCALE is refused" 2 SCALE=huge
refused "an unknown PAPER is refused" 2 PAPER=nothing
export TARGETS="dp-knapsack helbecque-pool"
short=--benchmark_min_time=0.03 # long enough for a kill in the middle of the run
export COPRA_BENCH_FLAGS=$short

SCALE=smoke scripts/reproduce.sh --estimate >"$work/out"
[ ! -e "$work/results/test-machine/dp-knapsack" ] || fail "--estimate wrote results"
echo "ok   an estimate runs nothing"

export CEILINGS=0 # measuring peak rates takes seconds, and this test does not need them
SCALE=smoke DEVICE=cpu setsid scripts/reproduce.sh --measure >"$work/first" 2>&1 &
pid=$!
for _ in $(seq 600); do
	[ -s "$folder/bench.journal.jsonl" ] && [ "$(wc -l <"$folder/bench.journal.jsonl")" -ge 3 ] && break
	sleep 0.05
done
kill -9 -- "-$pid" 2>/dev/null || true # the process group, unless the run has ended
wait "$pid" 2>/dev/null || true
cp "$folder/bench.journal.jsonl" "$work/journal.killed"
SCALE=smoke DEVICE=cpu scripts/reproduce.sh --measure >"$work/second" 2>&1 || fail "resume: $(tail -n 3 "$work/second")"
[ -s "$folder/bench.json" ] || fail "no result after the resume"
# the journal still begins with the lines of the killed run, except a last line that was cut off
head -n "$(($(wc -l <"$work/journal.killed") - 1))" "$work/journal.killed" >"$work/head"
cmp -s "$work/head" <(head -c "$(stat -c %s "$work/head")" "$folder/bench.journal.jsonl") ||
	fail "rows of the killed run were lost or measured again"
echo "ok   a killed run continues where it stopped"

cp "$folder/bench.journal.jsonl" "$work/journal.full"
SCALE=smoke DEVICE=cpu scripts/reproduce.sh >"$work/third" 2>&1 || fail "second run: $(grep -E '^[a-z-]+: ' "$work/third" | tail -n 5)"
cmp -s "$work/journal.full" "$folder/bench.journal.jsonl" || fail "a second run measured again"
echo "ok   nothing is measured twice"

for target in $TARGETS; do
	[ -s "$work/results/test-machine/$target/smoke/bench.json" ] || fail "no rows of $target"
	grep -qE "<h[12] id=\"$target\"" "$work/results/report/report.html" || fail "no report of $target"
done
echo "ok   every target has rows and a chapter of the report"

rm -r "$work/results/test-machine/helbecque-pool"
mv "$work/results/test-machine/dp-knapsack" "$work/kept"
PAPER=helbecque-pool SCALE=smoke DEVICE=cpu COPRA_BENCH_FLAGS="$short --benchmark_filter=table2" \
	scripts/reproduce.sh --measure >"$work/fourth" 2>&1 || fail "PAPER=helbecque-pool: $(tail -n 3 "$work/fourth")"
[ -s "$work/results/test-machine/helbecque-pool/smoke/bench.json" ] || fail "PAPER= measured nothing"
[ ! -e "$work/results/test-machine/dp-knapsack" ] || fail "PAPER= measured another target too"
echo "ok   PAPER=helbecque-pool runs only that target"

exec 8>"$work/results/.lock"
flock 8
refused "a second run at the same time is refused" 2 SCALE=smoke DEVICE=cpu
exec 8>&-
