#!/usr/bin/env bash
# Installs copra, or removes an installed one. Called by `make install` and `make uninstall`, which
# build what is installed and set the variables.
# usage: install.sh install|uninstall
# Environment: BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR PYTHONDIR, absolute; DESTDIR, put before
# them; BIN, the folder of the programs, and PROGRAMS, their names; LIB, the folder of the library,
# and SONAME and LIBVERSION; MAN, the folder of the man pages.
# Data, documents and examples go to folders that belong to copra alone: DATADIR/copra and DOCDIR.
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

copy() { # mode, folder, files...
	local mode=$1 folder=$2
	shift 2
	install -d "$folder"
	install -m "$mode" "$@" "$folder/"
}
copy_tree() { # folder of the sources, below it those that find selects, folder to copy to
	local from=$1 to=$2
	shift 2
	(cd "$from" && find . -type f "$@" -print) | while IFS= read -r file; do
		install -D -m 644 "$from/$file" "$to/${file#./}"
	done
}

install_programs() {
	local name
	for name in $PROGRAMS; do
		copy 755 "$D$BINDIR" "$BIN/$name"
	done
	ln -sf copra-peaks "$D$BINDIR/copra-ceilings" # the old name
	copy 644 "$D$MANDIR/man1" "$MAN"/*.1
}
install_library() {
	copy 644 "$D$INCLUDEDIR" library/copra.h
	copy 755 "$D$LIBDIR" "$LIB/libcopra.so.$LIBVERSION"
	copy 644 "$D$LIBDIR" "$LIB/libcopra.a"
	ln -sf "libcopra.so.$LIBVERSION" "$D$LIBDIR/$SONAME"
	ln -sf "$SONAME" "$D$LIBDIR/libcopra.so"
	copy 644 "$D$LIBDIR/pkgconfig" "$LIB/copra.pc"
	copy 644 "$D$PYTHONDIR" library/python/copra.py
}
install_data() {
	rm -rf -- "$data"
	copy_tree plots "$data/plots" -name '*.gp'
	local folder
	for folder in papers proofs recorded studies; do
		copy_tree "results/$folder" "$data/results/$folder"
	done
	[ ! -d datasets/samples ] || copy_tree datasets/samples "$data/datasets/samples"
	copy 755 "$data/scripts" scripts/draw-plots.sh scripts/locale.bash
}
install_documents() {
	rm -rf -- "$doc"
	copy 644 "$doc" README.md CHANGELOG.md CITATION.cff LICENSE
	copy_tree docs "$doc/docs" '(' -name '*.md' -o -name '*.yml' ')' -not -path './report/*' \
		-not -path './examples/*' -not -path './lab-notes/*'
	copy_tree library/examples "$doc/examples"
}
uninstall() {
	local name
	for name in $PROGRAMS copra-ceilings; do
		rm -f -- "$D$BINDIR/$name" "$D$MANDIR/man1/$name.1"
	done
	rm -f -- "$D$INCLUDEDIR/copra.h" "$D$LIBDIR"/libcopra.{a,so} "$D$LIBDIR/$SONAME" \
		"$D$LIBDIR"/libcopra.so."${SONAME##*.}".* "$D$LIBDIR/pkgconfig/copra.pc" "$D$PYTHONDIR/copra.py"
	rm -rf -- "$data" "$doc" # folders that other packages use too, such as BINDIR, stay
}

case ${1:-} in
install)
	install_data # first: it empties the folder
	install_programs
	install_library
	install_documents
	;;
uninstall) uninstall ;;
*) sed -n '4s/^# //p' "$0" >&2 && exit 2 ;;
esac
