#!/usr/bin/env bash
# make install: the installed programs, library, Python module and man pages work from an empty folder,
# without the checkout; make uninstall removes them. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
build=$(dirname "$bin")
# settings of this build, if the test is not run by make
cuda=1
"$bin/gboa" --version | grep -q 'CUDA none' && cuda=0
stage=$work/stage
to_stage() { # make target
	make -s -C "$root" "$1" CUDA=$cuda BUILD="$build" DESTDIR="$stage" PREFIX=/usr >out.txt 2>err.txt || { cat out.txt err.txt; return 1; }
}
prefix=$stage/usr
mkdir -p empty "$prefix/bin" "$prefix/lib" "$prefix/share/man/man1" "$prefix/share/doc/other"
for file in bin/other lib/libother.so share/man/man1/other.1 share/doc/other/README; do
	echo foreign >"$prefix/$file"
done
own_files() { # files of a user in the folders of copra
	mkdir -p "$prefix/share/copra/results/local" "$prefix/share/doc/copra/mine"
	echo own | tee "$prefix/share/copra/results/local/mine.json" "$prefix/share/doc/copra/mine/notes" >/dev/null
}
own_files
check "make install succeeds" to_stage install
check "... and names the folder" grep -qF "copra is installed in $prefix/bin" out.txt
touch "$prefix/share/copra/results/of-an-earlier-version"
echo /usr/share/copra/results/of-an-earlier-version >>"$prefix/share/copra/manifest"
check "a second make install succeeds" to_stage install
check "... it removes what only the earlier version had" test ! -e "$prefix/share/copra/results/of-an-earlier-version"
check "... and no file of a user" test -s "$prefix/share/copra/results/local/mine.json" -a -s "$prefix/share/doc/copra/mine/notes"
check "a relative folder is refused" bash -c '! make -s -C "$1" install CUDA=$2 BUILD="$3" PREFIX=here >/dev/null 2>err.txt && grep -q "not absolute" err.txt' \
	bash "$root" $cuda "$build"

# ---- programs ----
alone() { # command...: in an empty folder, with an empty environment
	(cd empty && env -i HOME="$work/empty" PATH="$prefix/bin:/usr/bin:/bin" "$@")
}
version=$(sed -n 's/^version: *//p' "$root/CITATION.cff")
programs=$(cd "$prefix/bin" && ls | grep -vx other)
for name in dp-knapsack helbecque-pool gmys-ivm koester-recovery gboa copra-report copra-compare copra-history \
	copra-instance copra-estimate copra-peaks copra-prove copra-check-proof copra-check-knapsack; do
	check "$name is installed" grep -qx "$name" <<<"$programs"
done
for program in $programs; do
	check "$program runs" bash -c '[[ $("$@") == *" '"$version"' "* ]]' bash env "$prefix/bin/$program" --version
done
check "an instance is solved" exits 0 alone gmys-ivm solve --instance random:8x5:99 --variant cpu --json flowshop.json
check "the answer is verified" exits 0 jq -e '.status == "optimal" and .verified' empty/flowshop.json
check "a benchmark runs" exits 0 alone dp-knapsack bench --copra_scale=smoke --device=cpu --benchmark_min_time=1x \
	--benchmark_filter=table1/boyer/serial --benchmark_out=results/local/here/dp-knapsack/smoke/bench.json
check "an instance is written" exits 0 alone copra-instance --instance ta001 --output ta001.txt
check "the report is written with the installed data" exits 0 alone copra-report --target dp-knapsack --out report
check "it has the recorded and the local rows" bash -c 'ls empty/report/dp-knapsack/table1.{recorded,local}-*.csv >/dev/null'
check "its plots use the installed scripts" grep -q "load \"$prefix/share/copra/\|load \".*/share/copra/plots" \
	"$(ls empty/report/dp-knapsack/plots/*.gp | head -n 1)"
if command -v gnuplot >/dev/null; then
	check "the installed script drew them" bash -c 'ls empty/report/dp-knapsack/plots/*.recorded-*.svg >/dev/null'
fi
check "a reproduction runs without the checkout" exits 0 alone SCALE=smoke PAPER=gboa DEVICE=cpu CEILINGS=0 COPRA_RESULTS=mine \
	COPRA_BENCH_FLAGS=--benchmark_filter=table1 copra reproduce
check "... and writes its report" grep -q '</html>' empty/mine/report/report.html
echo ta001 | sed '1i instance' >empty/list.csv
check "a campaign runs without the checkout" exits 0 alone copra campaign list.csv --out campaign
check "... and writes its table" grep -q '^| ta001 |.*| 1278 | 1278 | optimal |' empty/campaign/campaign.md
check "COPRA_DATA names another folder" bash -c '! COPRA_DATA=/nowhere "$1" data --out report 2>err.txt && grep -q "^copra-report: /nowhere/results/papers" err.txt' \
	bash "$prefix/bin/copra-report"
check "a build is compared by the installed programs" exits 0 alone copra-compare baseline --targets gboa --device cpu \
	--launches 1 --repetitions 1 --quiet
check "nothing was written outside the current folder" bash -c '[ "$(cd "$1" && find . -newer "$2" -type f | wc -l)" -eq 0 ]' \
	bash "$prefix" "$work/empty/flowshop.json"

# ---- man pages ----
for program in $programs; do
	[ "$program" != copra-ceilings ] || continue # an old name
	page=$prefix/share/man/man1/$program.1
	check "$program has a man page" test -s "$page"
	flags() { "$prefix/bin/$program" --help </dev/null | grep -oE '^  --[a-zA-Z_-]+' | tr -d ' ' | sort -u; }
	check "the flags in its help have a form that becomes an option" bash -c '! "$1" --help | grep "^  --" | sed "s/^  //; s/  .*//" | grep -vE "^--[a-z_-]+(=[^ ]+|\[=[^ ]+\])?(, --[a-z_-]+=[^ ]+)*$"' \
		bash "$prefix/bin/$program"
	check "it has the exit codes of its help" diff <(awk '/^\.S[HS]/ { on = $0 == ".SH EXIT STATUS" } on && sub(/^\.B /, "")' "$page") \
		<("$prefix/bin/$program" --help </dev/null | sed -n '/^exit codes: /,$p' | grep -oE '(^|[:;] )[0-9] ' | grep -o '[0-9]')
	check "it has all flags of --help" bash -c '! comm -23 <(cat) <(sed "s/\\\\-/-/g" "$1" | grep -oE "^.B --[a-zA-Z_-]+" | cut -c4- | sort -u) | grep .' \
		bash "$page" < <(flags)
	if command -v groff >/dev/null; then
		check "it is formatted without a warning" bash -c '! groff -man -Tutf8 -ww -z "$1" 2>&1 | grep .' bash "$page"
	fi
done
man1=$prefix/share/man/man1
check "an option has its argument" grep -q '^.B \\-\\-device=DEVICES' "$man1/copra-peaks.1"
check "... also what is on the next line of the help" grep -q 'measured, the second is its peer$' "$man1/copra-peaks.1"
check "the page of copra-compare has its own exit codes" grep -q '^something became slower or fails$' "$man1/copra-compare.1"
check "the page of copra says what bench needs" grep -q 'copra bench TARGET \\-\\-help' "$man1/copra.1"
check "... and has no heading of options in a description" bash -c '! sed -n "/DESCRIPTION/,/OPTIONS/p" "$1" | grep "^flags of"' bash "$man1/copra.1"
check "... and no flags that are joined" bash -c '! grep -E "^.B .*,$" "$1"' bash "$man1/copra.1"
check "the page of a target has the flags of its commands" grep -q '^.B \\-\\-population=N' "$prefix/share/man/man1/gboa.1"

# ---- documents ----
readarray -t documents < <(find -L "$prefix/share/doc/copra" -name '*.md')
check "the documents are installed" test ${#documents[@]} -ge 30
check "every relative link in them has a target" python3 "$root/tests/cli/links.py" "${documents[@]}"

# ---- library ----
so=$prefix/lib/libcopra.so.${version%%.*}
declared() { sed -n 's/^COPRA_API .*[ *]\(copra_[a-z_]*\)(.*/\1/p' "$prefix/include/copra.h" | sort; }
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }
check "the shared library exports the functions of copra.h, nothing else" diff <(declared) <(exported "$so")
check "so does the static one" diff <(declared) <(nm -g --defined-only "$prefix/lib/libcopra.a" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort)
check "its soname has the major version" bash -c 'readelf -d "$1" | grep -q "SONAME.*\[$(basename "$1")\]"' bash "$so"
check "it cannot end the process" bash -c '! nm -D --undefined-only "$1" | grep -E " (exit|_exit|quick_exit)(@|$)"' bash "$so"
check "it needs no library besides libc, libm, jansson and those of a GPU" bash -c \
	'! readelf -d "$1" | grep NEEDED | grep -vE "\[(libc|libm|libjansson|libdl|libpthread|librt|libgomp|libstdc\+\+|libgcc_s|ld-linux[a-z0-9_-]*)\.so"' bash "$so"
for compiler in "gcc -std=c99 -pedantic" "g++ -std=c++11 -pedantic"; do
	check "copra.h compiles alone with $compiler" bash -c 'echo "#include <copra.h>" | '"$compiler"' -Wall -Wextra -Werror -fsyntax-only -I"$1" -x "$2" -' \
		bash "$prefix/include" "$([[ $compiler == g++* ]] && echo c++ || echo c)"
done
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage
check "pkg-config knows the version" test "$(pkg-config --modversion copra)" = "$version"
cp "$prefix"/share/doc/copra/examples/* empty/
build_example() { # name, further arguments
	(cd empty && gcc -std=c11 -Wall -Wextra -Werror "$1.c" -o "$1" $(pkg-config --cflags --libs copra))
}
export LD_LIBRARY_PATH=$prefix/lib
for name in knapsack solve recovery; do
	check "the example $name is built with pkg-config alone" build_example $name
done
check "knapsack finds the optimum" test "$(empty/knapsack)" = "optimal: profit 220, items 1 2"
check "recovery rebuilds the best state" grep -qE '^difference [0-9]+:( [01]){12}$' <(empty/recovery)
check "solve reads a file" grep -q "flowshop ta001.*: optimal, objective 1278, bound 1278, verified" <(empty/solve empty/ta001.txt)
check "solve names file and line of an error" bash -c '! empty/solve "$1" 2>err.txt && grep -q "bounds_missing.txt:2:" err.txt' \
	bash "$root/tests/data/bad_flowshops/bounds_missing.txt"
static() {
	gcc -std=c11 empty/knapsack.c -o empty/static -I"$prefix/include" "$prefix/lib/libcopra.a" \
		$(PKG_CONFIG_SYSROOT_DIR= pkg-config --static --libs copra | sed 's/-lcopra//')
}
check "the static library is linked with pkg-config --static" static
check "the program needs no shared libcopra" bash -c '[ "$(LD_LIBRARY_PATH= empty/static)" = "optimal: profit 220, items 1 2" ]'
unset LD_LIBRARY_PATH

# ---- Python ----
python() {
	(cd empty && env -i PATH=/usr/bin:/bin PYTHONPATH="$prefix/share/copra/python" PYTHONDONTWRITEBYTECODE=1 python3 "$@")
}
check "the Python module passes its tests" exits 0 python "$root/tests/cli/python_module.py"
check "the Python example runs" grep -q "knapsack: optimal 220 items \[1, 2\]" <(python solve.py)

# ---- uninstall ----
check "make uninstall succeeds" to_stage uninstall
check "... and names the folder" grep -qF "copra is removed from $prefix/bin" out.txt
check "only the files of others are left" diff <(cd "$prefix" && find . '(' -type f -o -type l ')' | sort) \
	<(printf '%s\n' ./bin/other ./lib/libother.so ./share/copra/results/local/mine.json \
		./share/doc/copra/mine/notes ./share/doc/other/README ./share/man/man1/other.1)
rm -r "$prefix/share/copra" "$prefix/share/doc/copra" # what the user had
check "without files of a user" to_stage install
check "... make uninstall succeeds" to_stage uninstall
check "... no folder of copra is left" bash -c '[ ! -e "$1/share/copra" ] && [ ! -e "$1/share/doc/copra" ]' bash "$prefix"
check "a second make uninstall succeeds" to_stage uninstall
check "... and says that nothing is installed" grep -q 'copra is not installed here' out.txt
exit $failed
