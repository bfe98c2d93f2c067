# Shared by all figures. The script that copra-report writes sets these variables before it loads this file:
# always: data, svg, figure, x_label, y_label, scale
# for a table: series, rows, unit (a format of tables.csv), x_marks, y_low, y_high, and x_low and x_high if
#   the first row axis has numbers
# for every series i of a table: paper_<i> (1: numbers printed in the paper), family_<i>, member_<i> (its
#   position in the family), title_<i>
# The colours suit light and dark pages. Text and axes have the text colour of the page
# (doc_style in harness/report/document/document.c).
# a terminal's name may contain letters, digits and underscores only
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
underscored(name) = strstrt(name, "-") == 0 ? name : \
	underscored(name[1:strstrt(name, "-") - 1] . "_" . name[strstrt(name, "-") + 1:*])
set terminal svg size 860,560 dynamic font "sans-serif,15" name underscored(figure)
set output svg
set datafile missing "?"
set encoding utf8
set border 3 linewidth 1
set tics nomirror
set grid linewidth 0.5 linetype 1 linecolor rgb "#8a949e" dashtype 3
set key outside below center horizontal Left reverse spacing 1.2 samplen 2.5 width 1 height 0.7
set xlabel x_label offset 0, 0.3
set ylabel y_label
if (scale eq "logx" || scale eq "loglog") set logscale x
if (scale eq "logy" || scale eq "loglog") set logscale y
set format x "%.0f"
array colour[12] = ["#3f8fd8", "#e0752f", "#3fa66b", "#c2508f", "#8f7ae0", "#b39a1f", "#25a3a8", \
	"#d4574e", "#7d8a97", "#a0703f", "#5fae2e", "#d86fc7"]
array shape[12] = [7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 2, 1]

# ---- series: serial, cpu, published, tuned and the paper look the same in all figures ----
array shade[20] = ["#7d8a97", "#a9b3bd", "#59646f", "#93a1b8", \
	"#3f8fd8", "#25a3a8", "#7f9fe8", "#2f6db3", \
	"#e0752f", "#d4574e", "#c9971f", "#b5541a", \
	"#3fa66b", "#8fb52e", "#2d8f8a", "#6fcf97", \
	"#8f7ae0", "#c2508f", "#b59af0", "#6f58b8"]
array filled[5] = [7, 5, 9, 11, 13]
array hollow[5] = [6, 4, 8, 10, 12]
of(what, i) = value(sprintf("%s_%d", what, i))
array spare[4] = ["#b39a1f", "#d86fc7", "#a0703f", "#5fae2e"]
mixed = 0
if (exists("family_1")) { do for [i = 1:series] { if (of("family", i) % 5) { mixed = 1 } } }
tint(i) = of("family", i) == 0 ? (mixed ? spare[1 + (of("member", i) - 1) % 4] \
		: colour[1 + (of("member", i) - 1) % 12]) : shade[4 * (of("family", i) - 1) + 1 + (of("member", i) - 1) % 4]
mark(i) = (k = 1 + (of("family", i) % 5 + of("member", i) - 1) % 5, of("paper", i) ? hollow[k] : filled[k])
dash(i) = of("paper", i) ? 2 : 1
at(i) = 3 * i - 1

# ---- axes with units: a mark every 1, 2 or 5 times a power of ten ----
name(v) = unit eq "seconds" ? (v == 0 ? "0" : abs(v) < 0.9e-3 ? sprintf("%g µs", v * 1e6) \
		: abs(v) < 0.9 ? sprintf("%g ms", v * 1e3) : sprintf("%g s", v)) \
	: unit eq "percent" ? sprintf("%g %%%%", 100 * v) \
	: abs(v) >= 0.9e12 ? sprintf("%g T", v / 1e12) : abs(v) >= 0.9e9 ? sprintf("%g G", v / 1e9) \
	: abs(v) >= 0.9e6 ? sprintf("%g M", v / 1e6) : abs(v) >= 0.9e4 ? sprintf("%g k", v / 1e3) \
	: sprintf("%g", v)
round_step(raw) = (m = 10 ** floor(log10(raw)), raw < 1.5 * m ? m : raw < 3.5 * m ? 2 * m : raw < 7.5 * m ? 5 * m : 10 * m)
if (exists("y_low")) {
	y_low = 1.0 * y_low # integers would be divided as integers
	y_high = 1.0 * y_high
	set ytics ()
	if (scale eq "logy" || scale eq "loglog") {
		# the axis spans at least a decade, so that small differences do not look large
		y_room = y_high / y_low < 10 ? sqrt(10 * y_low / y_high) : 1.1 * (y_high / y_low) ** 0.04
		bottom = y_low / y_room
		top = y_high * y_room
		first = floor(log10(bottom))
		last = ceil(log10(top))
		do for [e = first:last] {
			do for [k = 1:9] {
				v = k * 10.0 ** e
				named = k == 1 || (log10(top / bottom) < 2.6 && (k == 2 || k == 5))
				if (v >= bottom * 0.999 && v <= top * 1.001) {
					if (named) { set ytics add (name(v) v) } else { set ytics add ("" v 1) }
				}
			}
		}
		set yrange [bottom:top]
	} else {
		step = round_step((y_high > 0 ? y_high : 1) / 5.0)
		top = (y_high > 0 ? y_high : 1) * 1.04
		do for [k = 0:12] { if (k * step <= top * 1.001) { set ytics add (name(k * step) k * step) } }
		set yrange [0:top]
	}
}
if (exists("x_low")) {
	x_low = 1.0 * x_low
	x_high = 1.0 * x_high
	if (scale eq "logx" || scale eq "loglog") {
		x_room = x_high > x_low ? (x_high / x_low) ** 0.04 : 2 # a single point needs an axis too
		set xrange [x_low / x_room:x_high * x_room]
	} else {
		set xrange [0:x_high > 0 ? 1.03 * x_high : 1]
	}
} else {
	if (exists("rows")) { set xrange [-0.6:rows - 0.4] }
}
if (exists("x_marks")) { eval "set xtics (" . x_marks . ")" }
