#!/usr/bin/env bash
# Removes a target that `make new-target` made: its code, papers folder, tests, page in docs/targets,
# build outputs, local results, report pages and rows in the history. Called by `make remove-target
# NAME=x`.
# usage: remove-target.sh NAME          COPRA_RESULTS replaces results/local
# Refused for a target that make new-target did not make or that git tracks. Untracked work in the
# target's folders is lost.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
program=remove-target
. scripts/driver.bash
name=${1:-}
results=${COPRA_RESULTS:-results/local}

[ -n "$name" ] || die 2 "NAME=x is missing"
[[ $name =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]] && [ -d "algorithms/$name" ] || die 2 "there is no target '$name'"
identifier=${name//-/_}
manifest=algorithms/$name/.new-target # the files that new-target.sh made

sources=("algorithms/$name" "kernels/$name" "results/papers/$name" "docs/targets/$name.md" \
	"datasets/$identifier" "tests/unit/$name" "tests/gpu/test_${identifier}_gpu.c" results/recorded/*/"$name")
if [ -e "$manifest" ]; then
	while IFS= read -r file; do
		[[ $file == */* && $file != /* && $file != *..* ]] && sources+=("$file")
	done <"$manifest"
fi
tracked=$(git ls-files -- "${sources[@]}" 2>/dev/null | head -n 1)
[ -z "$tracked" ] || die 2 "git tracks $tracked: use git rm for a committed target"
[ -e "$manifest" ] || die 2 "make new-target did not make '$name': $manifest is missing"
[ ! -d "$results" ] || take_lock "$results/.lock" "removal of $name"

# ---- rows in the history, under the lock of the programs that append to it ----
lines=$results/history/history.jsonl
if [ -e "$lines" ]; then
	exec 8>>"$lines.lock" || die 1 "cannot write $lines.lock"
	flock 8 2>/dev/null
	before=$(wc -l <"$lines")
	command -v jq >/dev/null || die 1 "jq is not installed (make setup)"
	jq -rR --arg name "$name/" '. as $line | (fromjson? // {}) |
		select((.name? // "" | startswith($name)) | not) | $line' "$lines" >"$lines.new" && sync "$lines.new" && mv -f "$lines.new" "$lines" || {
		rm -f "$lines.new"
		die 1 "cannot write $lines"
	}
	removed=$((before - $(wc -l <"$lines")))
	exec 8>&-
	[ $removed -eq 0 ] || echo "$removed rows of the history"
fi

# ---- files ----
shopt -s nullglob
local_files=("$results"/*/"$name" "$results"/*/gate/*/"$name".* "$results"/*/gate/*/bin/"$name" \
	"$results/report/$name.md" "$results/report/$name-claims.md" "$results/report/$name-rows.md")
# the last comparison, if it has benchmarks of the target, because the report shows it
for file in "$results"/*/gate/compare/compare.json; do
	jq -e --arg name "$name/" 'any(.benchmarks[]; .name | startswith($name))' "$file" >/dev/null &&
		local_files+=("$file" "${file%.json}.md")
done
built=(build/bin/"$name" build/tests/test_"$identifier" build/tests/gpu/test_"$identifier"_gpu \
	build/san-*/bin/"$name" build/san-*/tests/test_"$identifier" \
	build/obj/*/algorithms/"$name" build/obj/*/kernels/"$name" \
	build/obj/*/{datasets/"$identifier",tests/unit/"$name"} build/obj/*/tests/gpu/test_"$identifier"_gpu.[do] \
	build/obj/*/lib*.a) # archives are rebuilt without the target's objects
for file in "${sources[@]}" "${local_files[@]}"; do
	[ -e "$file" ] || continue
	rm -rf -- "$file" || die 1 "could not remove $file"
	echo "$file"
done
rm -rf -- "${built[@]}" || die 1 "could not remove the build outputs"
[ ! -e "$results/report/report.html" ] || echo "Next:  make report             writes the report without $name"
exit 0
