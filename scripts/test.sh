#!/usr/bin/env bash
# Builds and runs the tests: the unit tests and the command-line tests; with --all also the unit
# tests of the published kernels on waves of 64 lanes, and all of them under AddressSanitizer and
# UBSan, and under ThreadSanitizer. Called by `make test` and `make
# test-all`.
# usage: test.sh [--all]
# MAKE names the make to use; JUNIT a file for the results as JUnit XML. The last line is "N passed,
# N failed, N skipped".
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
make=${MAKE:-make}
case ${1:-} in '' | --all) ;; *) sed -n '5s/^# //p' "$0" >&2 && exit 2 ;; esac
COPRA_TEST_TALLY=$(mktemp -d)
export COPRA_TEST_TALLY
trap 'rm -rf "$COPRA_TEST_TALLY"' EXIT

counted() {
	cat "$COPRA_TEST_TALLY/counts" 2>/dev/null | wc -l
}
step() { # title, make arguments...
	echo "== $1"
	shift
	local before start=$SECONDS
	before=$(counted)
	# a step that fails before it records a test, such as a build, counts as one failure
	"$make" --no-print-directory "$@" || [ "$(counted)" -gt "$before" ] ||
		echo "0 1 0 make $*" >>"$COPRA_TEST_TALLY/counts"
	echo "== took $((SECONDS - start)) s"
}

jobs=-j$(nproc)
step "build" "$jobs" all unit-binaries cli-binaries
step "unit tests" test-unit
step "command-line tests" test-cli
if [ "${1:-}" = --all ]; then
	step "unit tests on waves of 64 lanes" test-waves
	step "unit tests under AddressSanitizer and UBSan" "$jobs" SAN=address,undefined test-unit
	step "unit tests under ThreadSanitizer" "$jobs" SAN=thread test-unit
fi
scripts/run-tests.sh --summary
