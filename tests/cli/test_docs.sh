#!/usr/bin/env bash
# The documents are correct: links have targets, make commands exist, no documented command line is
# refused, and the commands of the first ten minutes of the artifact appendix give correct answers.
# $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
bin=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/cli/checks.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COPRA_DEVICE COPRA_THREADS COPRA_SCALE
documents=("$top"/*.md "$top"/docs/*.md "$top"/docs/targets/*.md)
cd "$work"

check "every relative link has a target" python3 "$top/tests/cli/links.py" "${documents[@]}"

# prints the lines of code blocks without comments, with continued lines joined
code() {
	awk '/^```/ { inside = !inside; next } inside' "$@" | sed -e ':a;/\\$/{N;s/\\\n *//;ba}' \
		-e 's/  *#.*//' -e 's/^\$ //'
}
code "${documents[@]}" >code.txt
known=$(make -C "$top" -pn help 2>/dev/null | sed -n 's/^\([a-zA-Z][a-zA-Z0-9_./-]*\):.*/\1/p')
unknown=
for word in $(grep -oE '^make .*' code.txt | sed 's/&&.*//; s/"[^"]*"//g' | tr ' ' '\n' | grep -vE '^make$|^-|=|^build/|^$' | sort -u); do
	case $word in
	my-paper) ;; # of the example
	*) grep -qxF -- "$word" <<<"$known" || unknown+=" $word" ;;
	esac
done
check "every documented make command exists" test -z "$unknown"

check "make -n test starts no test" bash -c '! timeout 60 make -n -C "$1" SETUP=0 test | grep "^== "' - "$top"

# the files of the examples
mkdir build
ln -s "$bin" build/bin
printf '2 10\n10 5\n40 4\n' >my.txt
printf 'jobs machines\n3 2 0 0 0\nprocessing times :\n4 5 6\n3 2 1\n' >my.fsp
printf 'NAME: m\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\nEOF\n' >my.atsp
printf '4,3\n5,2\n6,1\n' >times.csv
printf '4 5 6\n3 2 1\n' >times.txt
printf 'p cnf 2 2\n1 2 0\n-1 2 0\n' >my.cnf
calls() { # command lines of programs that every build has
	grep -E '^build/bin/(copra|dp-knapsack|helbecque-pool|gmys-ivm|koester-recovery|gboa|copra-instance) ' code.txt |
		grep -vE '[$]|&&' | sort -u
}
not_refused() { # command line: ended soon, because wrong usage is reported at once; exit code 4: no GPU
	local got=0
	[[ $1 == *--resume* || $1 == *verify* || $1 == *" prove "* ]] && return 0 # needs the file of another command
	COPRA_THREADS=2 timeout 0.3 bash -c "$1" >out.txt 2>err.txt || got=$?
	case $got in
	0 | 3 | 4 | 124 | 143) ;;
	*)
		cat err.txt
		return 1
		;;
	esac
}
check "the documents have at least 20 command lines" test "$(calls | wc -l)" -ge 20
while IFS= read -r line; do
	check "not refused: $line" not_refused "$line"
done < <(calls)

check "kick-the-tires.sh succeeds" exits 0 env BIN="$bin" "$top/scripts/kick-the-tires.sh"
check "kick-the-tires.sh checks at least nine answers" test "$(grep -c '^ok ' out.txt)" -ge 9
check "kick-the-tires.sh ends with the number of correct answers" bash -c 'tail -n 1 out.txt | grep -qE "^(9 of 9|11 of 11) answers are correct$"'
mkdir wrong
for target in dp-knapsack helbecque-pool gmys-ivm koester-recovery gboa; do
	printf '#!/bin/sh\necho "objective 1"\n' >wrong/$target
	chmod +x wrong/$target
done
check "kick-the-tires.sh fails if the answers are wrong" exits 1 env BIN="$work/wrong" "$top/scripts/kick-the-tires.sh"
check "every wrong answer is marked WRONG" test "$(grep -c '^WRONG ' out.txt)" -ge 9
check "the last line says that no answer is correct" bash -c 'tail -n 1 out.txt | grep -qE "^0 of [0-9]+ answers are correct$"'
check "kick-the-tires.sh without a build exits with 2" exits 2 env BIN="$work/nothing" "$top/scripts/kick-the-tires.sh"
check "it prints the command that builds" one_line 'not built; run: make'
check "it reports no wrong answers" test ! -s out.txt

cat >claims.py <<'END'
"""The claims that ARTIFACT.md names exist, and their number is the one it gives."""
import glob, re, sys
ids, count = set(), 0
for path in glob.glob(sys.argv[1] + "/results/papers/*/claims.txt"):
    claims = re.findall(r"^claim\s+(\S+)", open(path).read(), re.M)
    ids |= set(claims)
    count += len(claims)
text = open(sys.argv[1] + "/docs/ARTIFACT.md").read()
named = set(re.findall(r"`([A-Z][0-9]+[a-z0-9]*)`", text))
said = int(re.search(r"(\d+) claims", text).group(1))
# outside of `...` nothing may look like a claim of the report
mixed = ids & set(re.findall(r"\b[A-Z][0-9]+[a-z0-9]*\b", re.sub(r"`[^`]*`", "", text)))
print(sorted(named - ids), sorted(mixed), said, count)
sys.exit(bool(named - ids or mixed) or len(named) < 30 or said != count)
END
check "the artifact appendix names existing claims and their correct number" exits 0 \
	python3 claims.py "$top"
verdicts() { # of a document: what stands between the marks
	sed -n '/^<!-- verdicts -->$/,/^<!-- end of verdicts -->$/p' "$1" | sed '1d;$d'
}
sed '1,/id="verdicts"/d; /<a id=/,$d; /^## Verdicts$/d' "$top/docs/report/README.md" | sed '/./,$!d' |
	sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >verdicts.txt
check "the report counts verdicts" grep -q '^| measured claims ' verdicts.txt
for document in README.md docs/ARTIFACT.md; do
	check "$document has the verdicts of the report (else: make report-recorded)" \
		test "$(verdicts "$top/$document")" = "$(cat verdicts.txt)"
done
cat >forms.py <<'END'
"""The documents give the recorded cpu times of n = 100,000, each with its form."""
import json, sys
def seconds(form):
    path = sys.argv[1] + "/results/recorded/h200-x4/dp-knapsack/paper/bench.json"
    times = [r["real_time"] / 1000 for r in json.load(open(path))["benchmarks"] if r.get("run_type") != "aggregate"
             and r["name"].startswith("dp-knapsack/fig5/boyer/cpu/form:%s/n:100000/" % form)]
    return sum(times) / len(times)
def says(document, text):
    return text in open(sys.argv[1] + "/" + document).read() or print("not in %s: %s" % (document, text))
sys.exit(not (says("README.md", "%.2f s (class)" % seconds("class")) and
              says("docs/ARTIFACT.md", "%.2f s (fused, the same work; class takes %.2f s, merged %.2f s)"
                   % (seconds("fused"), seconds("class"), seconds("merged")))))
END
check "README and the artifact appendix give the recorded CPU time of each form" exits 0 python3 forms.py "$top"
newest=$(sed -n 's/^## \[\([0-9.]*\)\] - [0-9-]*$/\1/p' "$top/CHANGELOG.md" | head -n 1)
check "citation and changelog have the same version" grep -qx "version: $newest" "$top/CITATION.cff"
check "every target has a page" bash -c 'for t in '"$top"'/algorithms/*/main.c; do
	t=$(basename "$(dirname "$t")"); test -f '"$top"'/docs/targets/$t.md || exit 1; done'
exit "$failed"
