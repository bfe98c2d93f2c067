#!/usr/bin/env bash
# Builds and runs every test: unit tests as users build them, the command line, then the unit tests
# once more under ASan+UBSan and under TSan. Last line: "N passed, N failed, N skipped".
# usage: test-all.sh        (MAKE names the make to use)
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
make=${MAKE:-make}
COPRA_TEST_TALLY=$(mktemp)
export COPRA_TEST_TALLY
trap 'rm -f "$COPRA_TEST_TALLY"' EXIT

step() { # title, make arguments...
	echo "== $1"
	shift
	local counted start=$SECONDS
	counted=$(wc -l <"$COPRA_TEST_TALLY")
	# a step that broke before its tests could count anything is one failure
	"$make" --no-print-directory "$@" || [ "$(wc -l <"$COPRA_TEST_TALLY")" -gt "$counted" ] ||
		echo "0 1 0 make:$*" >>"$COPRA_TEST_TALLY"
	echo "== took $((SECONDS - start)) s"
}

jobs=-j$(nproc)
step "build" "$jobs" all unit-binaries
step "unit tests" test-unit
step "command line" test-cli
step "unit tests under AddressSanitizer and UBSan" "$jobs" SAN=address,undefined test-unit
step "unit tests under ThreadSanitizer" "$jobs" SAN=thread test-unit
scripts/run-tests.sh --summary
