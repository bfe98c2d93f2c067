#!/usr/bin/env bash
# Solves a knapsack file (n, lines "index profit weight", capacity) to optimality with CBC, a branch
# and cut solver (Debian: coinor-cbc), and prints the optimum. For scripts/comparator.sh:
#   scripts/comparator.sh --instance boyer:10000:1 --name cbc --command 'scripts/solve-with-cbc.sh {file}'
# usage: solve-with-cbc.sh FILE                  COMPARATOR_PROGRAM: the path of cbc (cbc)
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
[ $# -eq 1 ] && [ -r "$1" ] || { echo "usage: solve-with-cbc.sh FILE" >&2; exit 2; }
cbc=${COMPARATOR_PROGRAM:-cbc}
command -v "$cbc" >/dev/null || { echo "solve-with-cbc: cbc is not installed (coinor-cbc)" >&2; exit 4; }
lp=$(mktemp --suffix=.lp)
trap 'rm -f "$lp"' EXIT
awk 'NR == 1 { n = $1; next }
	NR <= n + 1 { p[$1] = $2; w[$1] = $3; next }
	{ capacity = $1 }
	END {
		print "Maximize\n profit:"
		for (i in p) printf " + %s x%s\n", p[i], i
		print "Subject To\n weight:"
		for (i in w) printf " + %s x%s\n", w[i], i
		print " <= " capacity "\nBinary"
		for (i in p) print " x" i
		print "End"
	}' "$1" >"$lp"
"$cbc" "$lp" ratioGap 0 allowableGap 0 solve | awk '/^Objective value:/ { printf "%d\n", $3 < 0 ? -$3 : $3; found = 1 }
	END { exit !found }'
