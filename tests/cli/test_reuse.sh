#!/usr/bin/env bash
# Every file names its copyright holder and its licence (REUSE), and the check finds one that does not.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
check_in() { # folder, flags...
	(cd "$1" && shift && PYTHONDONTWRITEBYTECODE=1 python3 "$root/scripts/check-reuse.py" "$@")
}
check "all files have a holder and a licence" exits 0 check_in "$root"
cat out.txt
if [ -n "${COPRA_TEST_EXTENDED:-}" ] && python3 -m reuse --version >/dev/null 2>&1 && git -C "$root" rev-parse >/dev/null 2>&1; then
	check "the tool of REUSE agrees" exits 0 python3 -m reuse --root "$root" lint --lines
	cat out.txt
fi

mkdir -p copy/LICENSES copy/data
cp "$root/LICENSES/BSD-3-Clause.txt" copy/LICENSES/
sed 's/"\*\*.md",/"data\/**",/' "$root/REUSE.toml" >copy/REUSE.toml
echo "1 2 3" >copy/data/numbers.txt
check "files of REUSE.toml need no lines" exits 0 check_in copy
printf '/* A manual. */\nint x;\n' >copy/source.c
printf '#!/bin/sh\n# Says hello.\n# usage: hello.sh\nsed -n 3p "$0"\n' >copy/hello.sh
printf '#!/usr/bin/env python3\n"""A manual."""\n' >copy/tool.py
echo text >copy/notes.odd
check "a source, scripts and a file of unknown kind are found" exits 1 check_in copy
for name in source.c hello.sh tool.py notes.odd; do
	check "$name is named" grep -q "^$name: no SPDX-FileCopyrightText" out.txt
done
check "--fix leaves the file of unknown kind" exits 1 check_in copy --fix
check "... alone" test "$(wc -l <out.txt)" -eq 1
rm copy/notes.odd
check "--fix has added what was missing" exits 0 check_in copy
check "a usage text keeps its line" test "$(sh copy/hello.sh)" = "# usage: hello.sh"
check "a Python manual stays one" env PYTHONDONTWRITEBYTECODE=1 python3 -c 'import sys; sys.path.insert(0, "copy"); import tool; assert tool.__doc__ == "A manual."'
cp copy/source.c before.c
check "--fix changes nothing twice" exits 0 check_in copy --fix
check "... indeed" cmp copy/source.c before.c
sed -i 's/BSD-3-Clause/MIT/' copy/source.c
check "a licence without its text is found" exits 1 check_in copy
check "... by name" grep -qx 'LICENSES/MIT.txt is missing' out.txt
exit $failed
