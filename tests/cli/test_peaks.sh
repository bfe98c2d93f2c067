#!/usr/bin/env bash
# copra-peaks as a user calls it: it measures once, shows stored rates, and refuses bad usage.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu

bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
export COPRA_CEILINGS=$work/kept/ceilings.json
unset COPRA_DEVICE

check() { # text, command...
	local text=$1
	shift
	if "$@"; then echo "ok   $text"; else echo "FAIL $text" && failed=1; fi
}
exits() { # status, argument of copra-peaks...
	local wanted=$1 status=0
	shift
	"$bin/copra-peaks" "$@" >out.txt 2>err.txt || status=$?
	[ "$status" -eq "$wanted" ] || { echo "exit $status, not $wanted"; cat out.txt err.txt; return 1; }
}
one_line() { # text: the error is one line that contains it
	[ "$(wc -l <err.txt)" -eq 1 ] && grep -qF -- "$1" err.txt
}

starts_measuring() { # checks only its first output, because a whole measurement takes seconds
	local pid started=1
	stdbuf -oL "$bin/copra-peaks" --device cpu >out.txt 2>err.txt &
	pid=$!
	for _ in $(seq 600); do
		grep -q Measuring out.txt && started=0 && break
		kill -0 $pid 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	return $started
}

mkdir kept
echo '{"cpu_copy": nan' >"$COPRA_CEILINGS"
check "a damaged file of rates is measured again" exits 0 --device cpu --threads 1 --json copy.json
check "the rates are printed" grep -q 'cpu_copy_1 .*B/s' out.txt
check "the damaged file is replaced" grep -q '"key"' "$COPRA_CEILINGS"
check "--json writes a copy of the file" cmp -s copy.json "$COPRA_CEILINGS"
cp "$COPRA_CEILINGS" before.json
check "stored rates are shown" exits 0 --device cpu
check "stored rates are not measured again" test "$(grep -c Measuring out.txt)" -eq 0
check "showing rates leaves the file unchanged" cmp -s before.json "$COPRA_CEILINGS"

rm "$COPRA_CEILINGS"
check "rates are measured if there is no file" starts_measuring
sed 's/"key": "[0-9a-f]*"/"key": "0000000000000000"/' before.json >"$COPRA_CEILINGS"
check "rates are measured again after a change of driver or build" starts_measuring
cp before.json "$COPRA_CEILINGS"

check "with COPRA_DEVICE=sim the rates of the processor are shown" env COPRA_DEVICE=sim \
	"$bin/copra-peaks" --threads 1 >out.txt
check "--device sim is refused" exits 4 --device sim --force
check "the refusal is one line: simulated" one_line simulated
check "a device that does not exist is refused" exits 4 --device cuda:15 --force
check "the refusal is one line: CUDA" one_line CUDA
check "an unknown flag is refused" exits 2 --fast
check "the refusal is one line: --fast" one_line --fast
check "--threads 0 is refused" exits 2 --threads 0
check "a stray argument is refused" exits 2 cpu
check "the refusal is one line: cpu" one_line cpu
check "--help exits with 0" exits 0 --help
check "the old name copra-ceilings works" "$bin/copra-ceilings" --help >out.txt
if [ -w /dev/full ]; then
	check "--json on a full disk exits with 1" exits 1 --device cpu --json /dev/full
	check "the error is one line that names the file" one_line /dev/full
fi
exit $failed
