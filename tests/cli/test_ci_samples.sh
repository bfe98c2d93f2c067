#!/usr/bin/env bash
# The sample workflows in docs/ci use only commands, settings, programs and flags that exist.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat "$root"/docs/ci/*.yml >all.yml
check "there are two sample workflows" test "$(ls "$root"/docs/ci/*.yml | wc -l)" -eq 2

# a command at the start of a line of shell
commands=$(sed 's/^[# ]*//; s/^- *//; s/^run: *//; s/^sudo *//; s/-j[^ ]* *//' all.yml | sed -n 's/^make \([a-z-]*\).*/\1/p' | sort -u)
check "the workflows call at least five make commands" test "$(wc -w <<<"$commands")" -ge 5
make -s -C "$root" help >help.txt
for command in $commands; do
	check "make $command exists" bash -c 'grep -qE "^ +make $1( |$)" help.txt || [ -d "$2/algorithms/$1" ]' - "$command" "$root"
done
for setting in $(grep -oE '\b[A-Z]+=[a-z0-9]+' all.yml | sed 's/=.*//' | sort -u); do
	check "$setting is a setting of the Makefile or the driver" grep -qw "$setting" "$root/Makefile" "$root/scripts/reproduce.sh"
done
read -ra flags <<<"$(grep -oE -- '--(benchmark|copra|device)[a-z_]*=[^ ]*' all.yml | sort -u | tr '\n' ' ')"
check "the workflows use at least four flags of bench" test ${#flags[@]} -ge 4
check "bench accepts these flags" exits 0 "$bin/gboa" bench "${flags[@]}" --benchmark_list_tests

python=
for p in python3 /usr/bin/python3; do "$p" -c 'import yaml' 2>/dev/null && python=$p && break; done
if [ -n "$python" ]; then
	check "the workflows are valid YAML without tabs" exits 0 "$python" -c 'import sys, yaml
for path in sys.argv[1:]:
    text = open(path).read()
    assert "\t" not in text and yaml.safe_load(text), path' "$root"/docs/ci/*.yml
	# runs the shell commands of a step of the GitHub workflow as GitHub does
	step() { # name
		"$python" -c 'import sys, yaml
jobs = yaml.safe_load(open(sys.argv[1]))["jobs"].values()
print(*(s["run"] for j in jobs for s in j["steps"] if s.get("name") == sys.argv[2]))' \
			"$root/docs/ci/github-actions.yml" "$1" >step.sh
		[ -s step.sh ] && NUMBER=17 GITHUB_STEP_SUMMARY=summary.md PATH="$work/fake:$PATH" bash -eo pipefail step.sh
	}
	mkdir -p fake results/local/report results/local/machine/gate/compare
	echo "# the report" >results/local/report/README.md
	echo "# the comparison" >results/local/machine/gate/compare/compare.md
	# gh that has no comment to edit the first time
	printf '#!/bin/sh\necho "$@" >>gh.txt\ncase "$*" in *--edit-last*) [ -e commented ] || exit 1 ;; esac\ncat comment.md >commented\n' >fake/gh
	chmod +x fake/gh
	check "a step writes the summary of the report" step "Step summary of the report"
	check "a step writes the summary of the comparison" step "Step summary of the comparison"
	check "the summary has both" diff summary.md <(printf '# the report\n# the comparison\n')
	check "the first run comments on the pull request" step "Comment on the pull request"
	check "with the comparison" grep -qx '# the comparison' commented
	check "the second run replaces the comment" step "Comment on the pull request"
	check "there is one comment" test "$(grep -c 'pr comment 17 --body-file' gh.txt)" -eq 1
fi
exit $failed
