#!/usr/bin/env bash
# The reproduction driver: bad settings, a kill during a run, a second start.
# usage: test_reproduce.sh BIN_DIR
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
refused() { # what, expected exit code, environment...: one line on stderr that begins with "reproduce:"
	local what=$1 want=$2 got=0
	shift 2
	env "$@" scripts/reproduce.sh >"$work/out" 2>"$work/err" || got=$?
	[ "$got" -eq "$want" ] || fail "$what: exit $got, not $want"
	[ "$(wc -l <"$work/err")" -eq 1 ] || fail "$what: not one line: $(cat "$work/err")"
	grep -q '^reproduce: ' "$work/err" || fail "$what: $(cat "$work/err")"
	echo "ok   $what"
}
refused "a scale that does not exist" 2 SCALE=huge
refused "a paper that does not exist" 2 PAPER=nothing
export TARGETS="dp-knapsack helbecque-pool"

SCALE=smoke scripts/reproduce.sh --estimate >"$work/out"
[ ! -e "$work/results/test-machine/dp-knapsack" ] || fail "an estimate left results behind"
echo "ok   an estimate runs nothing"

export CEILINGS=0 # they take seconds and are not what this test is about
SCALE=smoke DEVICE=cpu setsid scripts/reproduce.sh --measure >"$work/first" 2>&1 &
pid=$!
for _ in $(seq 600); do
	[ -s "$folder/bench.journal.jsonl" ] && [ "$(wc -l <"$folder/bench.journal.jsonl")" -ge 3 ] && break
	sleep 0.05
done
kill -9 -- "-$pid" 2>/dev/null || true # the whole group, or nothing if it was already done
wait "$pid" 2>/dev/null || true
cp "$folder/bench.journal.jsonl" "$work/journal.killed"
SCALE=smoke DEVICE=cpu scripts/reproduce.sh --measure >"$work/second" 2>&1 || fail "resume: $(tail -n 3 "$work/second")"
[ -s "$folder/bench.json" ] || fail "no result after the resume"
# the journal only grows: the lines of the killed run (but for a torn last one) are still its head
head -n "$(($(wc -l <"$work/journal.killed") - 1))" "$work/journal.killed" >"$work/head"
cmp -s "$work/head" <(head -c "$(stat -c %s "$work/head")" "$folder/bench.journal.jsonl") ||
	fail "rows of the killed run were lost or measured again"
echo "ok   a killed run continues where it was"

cp "$folder/bench.journal.jsonl" "$work/journal.full"
SCALE=smoke DEVICE=cpu scripts/reproduce.sh >"$work/third" 2>&1 || fail "second run: $(grep -E '^[a-z-]+: ' "$work/third" | tail -n 5)"
cmp -s "$work/journal.full" "$folder/bench.journal.jsonl" || fail "a second run measured again"
echo "ok   nothing is measured twice"

for target in $TARGETS; do
	[ -s "$work/results/test-machine/$target/smoke/bench.json" ] || fail "no rows of $target"
	grep -qE "<h[12] id=\"$target\"" "$work/results/report/report.html" || fail "no report of $target"
done
echo "ok   every target has its rows and its part of the report"

rm -r "$work/results/test-machine/helbecque-pool"
mv "$work/results/test-machine/dp-knapsack" "$work/kept"
PAPER=helbecque-pool SCALE=smoke DEVICE=cpu COPRA_BENCH_FLAGS=--benchmark_filter=table2 \
	scripts/reproduce.sh --measure >"$work/fourth" 2>&1 || fail "one paper: $(tail -n 3 "$work/fourth")"
[ -s "$work/results/test-machine/helbecque-pool/smoke/bench.json" ] || fail "PAPER= measured nothing"
[ ! -e "$work/results/test-machine/dp-knapsack" ] || fail "PAPER= measured another target too"
echo "ok   PAPER= runs one target alone"

exec 8>"$work/results/.lock"
flock 8
refused "two runs at once" 2 SCALE=smoke DEVICE=cpu
exec 8>&-
