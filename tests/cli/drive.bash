# Shared by the tests of the reproduction driver; $1 is the folder of programs. The target is
# copra-demo, the machine is "here", and the results go to a new folder in `work`.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$(cd "$1" && pwd)
[ -x "$bin/copra-demo" ] || { echo "FAIL $bin/copra-demo is not built"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset BENCHMARK_FILTER COPRA_DEVICE COPRA_SCALE COPRA_THREADS COPRA_CEILINGS PAPER SCALE DEVICE MINUTES
export BIN=$bin COPRA_RESULTS=$work/results COPRA_MACHINE=here TARGETS=copra-demo DEVICE=cpu CEILINGS=0
. "$root/tests/cli/checks.bash"
folder=$work/results/here/copra-demo/quick
drive=("$root/scripts/reproduce.sh" --measure)

naps() { # milliseconds, repetitions: the driver runs 5 cases of this length
	export COPRA_BENCH_FLAGS="--benchmark_filter=nap --copra_axis=ms=$1 --benchmark_min_time=1x
		--benchmark_repetitions=$2"
}
random_rounds() { # number, with COPRA_TEST_EXTENDED: sets rounds; RANDOM begins with SEED
	RANDOM=${SEED:-$$}
	echo "random times from SEED=${SEED:-$$}"
	rounds=$1
	[ -z "${COPRA_TEST_EXTENDED:-}" ] || rounds=$2
}
start() { # starts the driver in its own process group: sets pid
	setsid "${drive[@]}" >out.txt 2>err.txt &
	pid=$!
}
hold() { # the driver and its programs stay as they are until release
	kill -STOP -- "-$pid"
}
release() {
	kill -CONT -- "-$pid"
}
finish() { # waits for the driver: sets code
	code=0
	wait "$pid" 2>/dev/null || code=$?
}
journal_rows() {
	{ grep -c '"repetition"' "$folder/bench.journal.jsonl" 2>/dev/null || true; } | tail -n 1
}
wait_for_rows() { # until the journal has at least this many
	for _ in $(seq 600); do
		[ "$(journal_rows || echo 0)" -ge "$1" ] 2>/dev/null && return 0
		sleep 0.05
	done
	return 1
}
never_twice() { # the journal has each repetition of each case once
	python3 - "$folder/bench.journal.jsonl" <<'PY'
import json, sys
seen = set()
for line in open(sys.argv[1]):
    row = json.loads(line)
    key = row["case"], row.get("repetition", "end")
    if key in seen:
        sys.exit("twice: %s" % (key,))
    seen.add(key)
PY
}
is_complete() { # expected number of rows
	python3 - "$folder/bench.json" "$1" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))["benchmarks"]
if len(rows) != int(sys.argv[2]):
    sys.exit("%d rows" % len(rows))
PY
}
# Puts a copra-demo into BIN that claims the commit and dirty flag of the file `revision`.
as_of_a_commit() {
	mkdir bin
	ln -s "$bin/copra-peaks" bin/
	cat >bin/copra-demo <<END
#!/usr/bin/env bash
read -r revision dirty <"$work/revision"
claim() {
	sed -E "s/(\"(copra_)?revision\": )\"[^\"]*\"/\\1\"\$revision\"/; s/(\"(copra_)?dirty\": )[01]/\\1\$dirty/" "\$@"
}
case " \$* " in *--copra_estimate*) "$bin/copra-demo" "\$@" | claim && exit ;; esac
stopped=''
trap 'stopped=1; kill -TERM \$child' INT TERM
"$bin/copra-demo" "\$@" &
child=\$!
wait \$child
code=\$?
[ -z "\$stopped" ] || { wait \$child; code=\$?; }
for out in "\$@"; do
	case \$out in --benchmark_out=*) claim -i "\${out#*=}" ;; esac
done
exit \$code
END
	chmod +x bin/copra-demo
	export BIN=$work/bin
}
