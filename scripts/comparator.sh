#!/usr/bin/env bash
# Times another solver on an instance with hyperfine, so that the report shows it beside ours.
# usage: comparator.sh --instance NAME|FILE --command 'solver {file}' --name NAME [--runs N]
#   --instance  a known name (boyer:10000:1) or a knapsack file
#   --command   run without a shell; quotes group words; {file} stands for the instance's file
#   --name      the solver's name in the report: letters, digits, . _ -
#   --as        the instance's name in the report, as in the names of the benchmarks (n400-c1e8)
#   --runs      number of runs (5)
# The time is that of the whole process: start-up, reading the file, solving. Results go to
# results/local/<machine>/dp-knapsack/comparators.json and replace those of the same solver on the
# same instance. BIN: the folder of the programs. COPRA_RESULTS replaces results/local.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
top=$(cd -- "$(dirname -- "$0")/.." && pwd)
bin=${BIN:-$top/build/bin}

die() { # exit code, message
	echo "comparator: $2" >&2
	exit "$1"
}
instance='' command='' name='' as='' runs=5
while [ $# -gt 0 ]; do
	case $1 in
	--instance | --command | --name | --as | --runs)
		[ $# -gt 1 ] || die 2 "$1 needs a value"
		printf -v "${1#--}" %s "$2"
		shift 2
		;;
	-h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0" && exit 0 ;;
	*) die 2 "unknown option '$1'; see --help" ;;
	esac
done
[ -n "$instance" ] && [ -n "$command" ] && [ -n "$name" ] ||
	die 2 "--instance, --command and --name are required; see --help"
[[ $name =~ ^[A-Za-z0-9._-]+$ ]] || die 2 "--name may contain only letters, digits, '.', '_' and '-'"
[[ $runs =~ ^[1-9][0-9]{0,3}$ ]] || die 2 "--runs must be a number from 1 to 9999"
[[ $command == *'{file}'* ]] || die 2 "--command must contain {file}, the instance's file"
command -v hyperfine >/dev/null 2>&1 || die 4 "hyperfine is not installed (make setup)"

work=$(mktemp -d) || die 1 "no temporary folder"
trap 'rm -rf "$work"' EXIT
"$bin/copra-instance" --instance "$instance" --output "$work/instance.txt" || exit $?
machine=$("$bin/copra-peaks" --machine) && [ -n "$machine" ] || exit 1 # COPRA_MACHINE, as a folder name

# boyer:N:SEED gets the name that the benchmarks use, so that tables find both
if [ -n "$as" ]; then
	[[ $as =~ ^[A-Za-z0-9._:/-]+$ ]] || die 2 "--as may contain only letters, digits, '.', '_', ':', '/' and '-'"
	path=$as
elif [[ $instance =~ ^boyer:([0-9]+)(:([0-9]+))?$ ]]; then
	path=boyer/n:${BASH_REMATCH[1]}/seed:${BASH_REMATCH[3]:-1}
else
	path=$(basename "$instance" | tr -c 'A-Za-z0-9._:\n-' '-')
fi
hyperfine --shell=none --style=basic --warmup 1 --runs "$runs" --export-json "$work/times.json" \
	"${command//'{file}'/$work/instance.txt}" || die 1 "the command failed; nothing was stored"
"$bin/copra-report" comparator --hyperfine "$work/times.json" --label "$command" \
	--benchmark "dp-knapsack/comparator/$path/$name" \
	--out "${COPRA_RESULTS:-$top/results/local}/$machine/dp-knapsack/comparators.json"
