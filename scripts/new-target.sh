#!/usr/bin/env bash
# Creates a target: a copy of scripts/new-target under another name. It is built, tested, run and
# reported like the other targets, without editing any other file. Called by `make new-target NAME=x`.
# usage: new-target.sh NAME
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
unset CDPATH
cd -- "$(dirname -- "$0")/.." || exit 1
name=${1:-}
template=scripts/new-target

die() {
	echo "new-target: $1" >&2
	exit 2
}
[ -n "$name" ] || die "NAME=x is missing: lower-case letters, digits and dashes"
[[ $name =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ && ${#name} -le 40 ]] ||
	die "'$name' must be lower-case words joined by dashes, of letters and digits, at most 40 characters"
# the name must not clash with a rule of the Makefile
case " $(sed -n 's/^\.PHONY://p' Makefile | tr '\n' ' ') " in
*" $name "*) die "'$name' is a command of the Makefile" ;;
esac
# results/local/<machine>/gate holds baselines
[ "$name" != gate ] || die "'gate' is a folder of the results"
[[ $name == copra-* ]] && die "names that begin with copra- are reserved for copra's own programs"
identifier=${name//-/_}
# all test programs are built into one folder
other=$(find tests/unit -name "test_$identifier.c" | head -n 1)
[ -z "$other" ] || die "$other exists already"

rename() { # replaces the placeholder in paths and texts
	sed -e "s/sample-target/$name/g; s/sample_target/$identifier/g; s/SAMPLE_TARGET/${identifier^^}/g"
}
files=$(cd $template && find . -type f | sed 's|^\./||' | LC_ALL=C sort)
[ -d "algorithms/$name" ] && die "algorithms/$name exists already"
for file in $files; do
	to=$(rename <<<"$file")
	[ -e "$to" ] && die "$to exists already"
done
made=()
for file in $files; do
	to=$(rename <<<"$file")
	mkdir -p "$(dirname "$to")" && rename <"$template/$file" >"$to" && chmod --reference="$template/$file" "$to" || {
		rm -f "${made[@]}" "$to"
		echo "new-target: cannot write $to" >&2
		exit 1
	}
	made+=("$to")
done
# for make remove-target
printf '%s\n' "${made[@]}" >"algorithms/$name/.new-target" || exit 1
printf '%s\n' "${made[@]}"
cat <<END
Next:  make $name            build it
       make build/tests/test_$identifier && build/tests/test_$identifier
       build/bin/$name solve --instance random:20:1
       bash tests/cli/test_solve_$identifier.sh
       make reproduce PAPER=$name SCALE=smoke
docs/NEW-TARGET.md explains each file; make remove-target NAME=$name removes the target.
END
