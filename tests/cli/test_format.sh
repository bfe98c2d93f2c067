#!/usr/bin/env bash
# All sources are formatted as .clang-format says (make format). Skipped without clang-format 14,
# because versions format differently.
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)[.].*/\1/p')
[ "$version" = 14 ] || { echo "clang-format 14 is not installed"; exit 77; }

check "all sources are formatted" exits 0 bash -c \
	'set -o pipefail; cd "$1" && scripts/sources.sh | xargs clang-format --dry-run -Werror' - "$root"
cp "$root/.clang-format" .
printf 'int f( int x ) { return x ; }\n' >bad.c
check "a badly formatted source is found" exits 1 clang-format --dry-run -Werror bad.c
check "the file and line are named" grep -q '^bad.c:1' err.txt
exit $failed
