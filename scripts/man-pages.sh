#!/usr/bin/env bash
# Writes a man page for each program, from its --help and that of its commands, which the programs print
# from their tables of flags (harness/base/flags.h).
# usage: man-pages.sh FOLDER VERSION PROGRAM...
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
unset CDPATH COPRA_DEVICE COPRA_THREADS COPRA_SCALE
folder=${1:?usage: man-pages.sh FOLDER VERSION PROGRAM...} version=${2:?} here=$(cd "$(dirname "$0")/.." && pwd)
shift 2
date=$(sed -n 's/^date-released: *"\(.*\)"/\1/p' "$here/CITATION.cff")

# For programs whose help does not begin with "NAME: SUMMARY".
summary() { # name
	case $1 in
	copra) echo "solve instances, reproduce experiments and compare builds" ;;
	copra-check-knapsack) echo "check a proof that a choice of items is optimal" ;;
	copra-check-proof) echo "check a proof that a flowshop schedule is optimal" ;;
	copra-compare) echo "find benchmarks that became slower" ;;
	copra-estimate) echo "estimate how many nodes a flowshop search decomposes" ;;
	copra-history) echo "show how benchmarks changed over commits" ;;
	copra-instance) echo "write a known or generated instance to a file" ;;
	copra-peaks) echo "measure the peak rates of the machine" ;;
	copra-prove) echo "write a proof that a schedule or a choice of items is optimal" ;;
	copra-report) echo "write the report on local and recorded measurements" ;;
	*) echo "a program of copra" ;;
	esac
}
# The commands: words of the help for which `PROGRAM WORD --help` describes the command.
commands() { # program, name; its help on stdin
	local word first
	grep -oE "^ *(usage: )?$2 +\[?[a-z]+\]?|^  [a-z]+  " | sed -E "s/^ *(usage: )?($2 )? *//; s/[][ ]//g" |
		awk '!seen[$0]++' | while IFS= read -r word; do
		first=$("$1" "$word" --help 2>/dev/null </dev/null | head -n 1) || continue
		case $first in "usage: $2 $word"*) echo "$word" ;; esac
	done
}
# A help text as a SYNOPSIS, a DESCRIPTION, OPTIONS and an EXIT STATUS; `level` is the macro of their
# headings. The form of a help text:
#   usage: NAME ...         and further lines that begin with the name, or after a second "usage:" with blanks
#   ... flags ...:          a heading of options
#     --flag=VALUE  text    two blanks before the text, or the text on the next line
#                   text    goes on
#   exit codes: 0 text; 1 text
roff() { # name, level
	local help
	help=$(cat)
	awk -v name="$1" -v level="$2" -v usages="$(grep -c '^usage: ' <<<"$help")" '
	function text(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); gsub(/\^/, "\\(ha", s); gsub(/~/, "\\(ti", s); gsub(/`/, "\\(ga", s)
		return s ~ /^[.\047]/ ? "\\&" s : s }
	function block(lines) { return ".PP\n.nf\n" lines ".fi\n" }
	function entry(left, right) { return ".TP\n.B " text(left) "\n" text(right) "\n" }
	function end_option() { if (flag != "") options = options entry(flag, help); flag = help = "" }
	function join(a, b) { return a (a == "" ? "" : " ") b }
	function exit_status(codes,  all) {
		while (match(codes, /; [0-9] /)) {
			all = all entry(substr(codes, 1, 1), substr(codes, 3, RSTART - 3))
			codes = substr(codes, RSTART + 2)
		}
		return all entry(substr(codes, 1, 1), substr(codes, 3))
	}
	NR == 1 && index($0, name ": ") == 1 { next }
	/^usage: / { sub(/^usage: /, ""); synopsis = synopsis text($0) "\n"; usage = 1; next }
	usage && $0 ~ "^ +" name "( |$)" { sub(/^ +/, ""); synopsis = synopsis text($0) "\n"; next }
	usage && usages > 1 && /^  [^-]/ { synopsis = synopsis text($0) "\n"; next }
	{ usage = 0 }
	/^exit codes: / { end_option(); sub(/^exit codes: /, ""); codes = $0; next }
	codes != "" && /^[a-z0-9]/ && !/: / { codes = codes " " $0; next }
	/^  --[a-z]/ {
		end_option()
		sub(/^  /, "")
		at = match($0, /  +/)
		flag = at ? substr($0, 1, at - 1) : $0
		help = at ? substr($0, at + RLENGTH) : ""
		next
	}
	flag != "" && /^          / { sub(/^ +/, ""); help = join(help, $0); next }
	{ end_option() }
	/^$/ { next }
	/^[^ ]/ && /flags.*:$/ { options = options ".PP\n" text($0) "\n"; next }
	{ words = words text($0) "\n" }
	END {
		end_option()
		if (synopsis != "") printf "%s SYNOPSIS\n%s", level, block(synopsis)
		if (words != "") printf "%s DESCRIPTION\n%s", level, block(words)
		if (options != "") printf "%s OPTIONS\n%s", level, options
		if (codes != "") printf "%s EXIT STATUS\n%s", level, exit_status(codes)
	}' <<<"$help"
}
page() { # program, name
	local help about command
	help=$("$1" --help </dev/null)
	about=$(sed -n "1s/^$2: //p" <<<"$help")
	printf '.\\" Written by scripts/man-pages.sh. Do not edit.\n'
	printf '.TH %s 1 "%s" "copra %s" "copra manual"\n.SH NAME\n%s \\- %s\n' "$2" "$date" "$version" "$2" \
		"$(sed 's/-/\\-/g' <<<"${about:-$(summary "$2")}")"
	roff "$2" .SH <<<"$help"
	commands "$1" "$2" <<<"$help" | while IFS= read -r command; do
		printf '.SH COMMAND %s\n' "${command^^}"
		"$1" "$command" --help </dev/null | roff "$2" .SS
	done
	cat <<'END'
.SH ENVIRONMENT
.TP
.B COPRA_RESULTS
folder of results (results/local)
.TP
.B COPRA_DATA
folder of the data: the papers, recorded results and plot scripts
END
	printf '.SH SEE ALSO\n%s\n' "$(for other in "${names[@]}"; do
		[ "$other" = "$2" ] || printf '.BR %s (1),\n' "${other//-/\\-}"
	done | sed '$s/,$//')"
}

names=()
for program; do names+=("$(basename "$program")"); done
rm -rf -- "$folder"
mkdir -p "$folder"
for program; do
	name=$(basename "$program")
	page "$program" "$name" >"$folder/$name.1"
done
