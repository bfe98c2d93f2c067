#!/usr/bin/env bash
# All sources are formatted as .clang-format says (make format). Skipped without clang-format 14,
# because versions format differently.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
cat >columns.py <<'END'
"""Names the lines of the files that are longer than 100 columns."""
import sys
bad = [f"{p}:{i}" for p in sys.argv[1:]
       for i, line in enumerate(open(p, encoding="utf-8"), 1) if len(line.rstrip("\n").expandtabs(8)) > 100]
sys.exit("\n".join(bad) or 0)
END
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)[.].*/\1/p')
[ "$version" = 14 ] || { echo "clang-format 14 is not installed"; exit 77; }

check "all sources are formatted" exits 0 bash -c \
	'set -o pipefail; cd "$1" && scripts/sources.sh | xargs clang-format --dry-run -Werror' - "$root"
# comments are not reflowed by clang-format: their length is checked here, with tabs of 8 columns
check "no line is longer than 100 columns" exits 0 bash -c 'set -o pipefail; cd "$1" && scripts/sources.sh |
	xargs -d "\n" python3 "$2"' - "$root" "$PWD/columns.py"
cp "$root/.clang-format" .
printf 'int f( int x ) { return x ; }\n' >bad.c
check "a badly formatted source is found" exits 1 clang-format --dry-run -Werror bad.c
check "the file and line are named" grep -q '^bad.c:1' err.txt
exit $failed
