#!/usr/bin/env bash
# Installs copra, or removes an installed one. Called by `make install` and `make uninstall`, which
# build what is installed and set the variables.
# usage: install.sh install|uninstall
# Environment: BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR PYTHONDIR, absolute; DESTDIR, put before
# them; BIN, the folder of the programs, and PROGRAMS, their names; LIB, the folder of the library,
# and SONAME and LIBVERSION; MAN, the folder of the man pages.
# DATADIR/copra/manifest lists what was installed. The next `install` and `uninstall` remove these files
# and the folders in DATADIR/copra and DOCDIR that are then empty, nothing else.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
unset CDPATH
cd -- "$(dirname -- "$0")/.."
for folder in "$BINDIR" "$LIBDIR" "$INCLUDEDIR" "$DATADIR" "$MANDIR" "$DOCDIR" "$PYTHONDIR"; do
	case $folder in
	/*) ;;
	*) echo "install: the folder '$folder' is not absolute" >&2 && exit 2 ;;
	esac
done
D=${DESTDIR:-}
data=$D$DATADIR/copra
doc=$D$DOCDIR
manifest=$data/manifest

copy() { # mode, folder, files...
	local mode=$1 folder=$2
	shift 2
	install -d "$folder"
	install -m "$mode" "$@" "$folder/"
	local file
	for file; do installed+=("$folder/${file##*/}"); done
}
link() { # file, what it points to, relative to its folder
	ln -sfn "$2" "$1"
	installed+=("$1")
}
copy_tree() { # folder of the sources, below it those that find selects, folder to copy to
	local from=$1 to=$2 file
	shift 2
	while IFS= read -r file; do
		install -D -m 644 "$from/$file" "$to/${file#./}"
		installed+=("$to/${file#./}")
	done < <(cd "$from" && find . -type f "$@" -print)
}
installed=()
write_manifest() {
	install -d "$data"
	printf '%s\n' "${installed[@]#"$D"}" >"$manifest"
}
remove_installed() {
	local file
	[ -f "$manifest" ] || return 0
	while IFS= read -r file; do
		[ -d "$D$file" ] && [ ! -L "$D$file" ] || rm -f -- "$D$file"
	done <"$manifest"
	rm -f -- "$manifest"
	for file in "$data" "$doc"; do
		[ ! -d "$file" ] || find "$file" -depth -type d -empty -delete
	done
}

install_programs() {
	local name
	for name in $PROGRAMS; do
		copy 755 "$D$BINDIR" "$BIN/$name"
	done
	link "$D$BINDIR/copra-ceilings" copra-peaks # the old name
	copy 644 "$D$MANDIR/man1" "$MAN"/*.1
}
install_library() {
	copy 644 "$D$INCLUDEDIR" library/copra.h
	copy 755 "$D$LIBDIR" "$LIB/libcopra.so.$LIBVERSION"
	copy 644 "$D$LIBDIR" "$LIB/libcopra.a"
	link "$D$LIBDIR/$SONAME" "libcopra.so.$LIBVERSION"
	link "$D$LIBDIR/libcopra.so" "$SONAME"
	local mpi
	for mpi in "$LIB"/copra-mpi-*.so; do # searches on several nodes
		[ ! -e "$mpi" ] || copy 755 "$D$LIBDIR" "$mpi"
	done
	copy 644 "$D$LIBDIR/pkgconfig" "$LIB/copra.pc"
	copy 644 "$D$PYTHONDIR" library/python/copra.py
}
install_data() {
	copy_tree plots "$data/plots" -name '*.gp'
	local folder
	for folder in campaigns papers proofs recorded simulated/helbecque-pool studies; do
		copy_tree "results/$folder" "$data/results/$folder"
	done
	[ ! -d datasets/samples ] || copy_tree datasets/samples "$data/datasets/samples"
	# copra reproduce and copra campaign, and the figures of copra-report
	copy 755 "$data/scripts" scripts/{reproduce,campaign,process,report,draw-plots,kick-the-tires}.sh \
		scripts/{compare-with,comparator,solve-with-cbc}.sh
	copy 644 "$data/scripts" scripts/{driver,locale}.bash
	copy_tree scripts/comparators "$data/scripts/comparators"
}
# The folders are those of the checkout, so that links between documents hold.
install_documents() {
	copy 644 "$doc" README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE
	copy_tree docs "$doc/docs" '(' -name '*.md' -o -name '*.yml' -o -name '*.svg' ')' -not -path './examples/*'
	copy_tree library/examples "$doc/library/examples"
	link "$doc/library/copra.h" "$(realpath -ms --relative-to="$D$DOCDIR/library" "$D$INCLUDEDIR/copra.h")"
	link "$doc/examples" library/examples
	copy_tree datasets/samples "$doc/datasets/samples"
	link "$doc/results" "$(realpath -ms --relative-to="$D$DOCDIR" "$D$DATADIR/copra/results")"
}

case ${1:-} in
install)
	remove_installed # what an earlier version installed
	install_data
	install_programs
	install_library
	install_documents
	write_manifest
	echo "copra is installed in $D$BINDIR; its data in $data, its documents in $doc"
	;;
uninstall)
	if [ -f "$manifest" ]; then
		remove_installed
		echo "copra is removed from $D$BINDIR, $data and $doc"
	else
		echo "copra is not installed here: there is no $manifest"
	fi
	;;
*) sed -n '4s/^# //p' "$0" >&2 && exit 2 ;;
esac
