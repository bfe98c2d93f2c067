# Operations a second against operations per byte, on logarithmic axes: the roofline model's own figure.
# A slanted roof is a peak rate of bytes, a flat roof one of operations. They meet at the ridge.
# Variables set by the caller: data, svg, blocks, names[], tint[], and for slanted and flat roofs, highest first:
# their number, slanted_rate[], slanted_ridge[] (where it ends; 0: at the edge), slanted_name[], flat_rate[],
# flat_ridge[] (where it begins; 0: at the edge), flat_name[]
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
x_label = "operations per byte"
y_label = "operations per second"
scale = "loglog"
figure = "intensity"
series = 0
load plots . "/common.gp"
set format x "10^{%L}"
set format y "10^{%L}"
stats data using (log10($1)) name "X" nooutput
stats data using (log10($2)) name "Y" nooutput
# ---- the range has all points, room for names right of them, the ridges with a piece of the slanted roofs,
# and the flat roofs ----
left = X_min
right = X_max + (flat > 0 ? 1 : 0)
low = Y_min
high = Y_max
do for [i = 1:slanted] {
	if (slanted_ridge[i] > 0) {
		ridge = log10(slanted_ridge[i])
		left = ridge - 1 < left ? ridge - 1 : left
		right = ridge + 1 > right ? ridge + 1 : right
	}
}
do for [i = 1:flat] {
	low = log10(flat_rate[i]) - 1 < low ? log10(flat_rate[i]) - 1 : low
	high = log10(flat_rate[i]) > high ? log10(flat_rate[i]) : high
}
x_first = floor(left - 0.3)
x_last = ceil(right + 0.3)
y_first = floor(low - 0.2)
y_last = high + 0.07 * (high - y_first) + 0.2
set xrange [10 ** x_first:10 ** x_last]
set yrange [10 ** y_first:10 ** y_last]
unset offsets
# fixed margins, so that the angle of a slanted roof is known
set lmargin at screen 0.1
set rmargin at screen 0.975
set tmargin at screen 0.975
set bmargin at screen 0.2
wide = 860 * 0.875 / (x_last - x_first) # pixels of a decade
tall = 560 * 0.775 / (y_last - y_first)
angle = atan2(tall, wide) * 180 / pi
# ---- the names: of a flat roof above its right end, of a slanted one above its left end ----
# While the name of another roof is less than a line of text away, that of a flat roof moves to the left, and that
# of a slanted one below its roof, then along it.
line = 16.0 # pixels
array flat_slot[flat + 1]
do for [i = 1:flat] {
	flat_slot[i] = 0
	do for [k = 1:i - 1] {
		if (tall * (log10(flat_rate[k]) - log10(flat_rate[i])) < line && flat_slot[k] == flat_slot[i]) {
			flat_slot[i] = flat_slot[i] + 1
		}
	}
	at_x = x_last - (4 + flat_slot[i] * 250.0) / wide
	set label i flat_name[i] at 10 ** at_x, flat_rate[i] right offset 0, 0.5 font ",12" front
}
# where the roof enters the figure, in decades
enters(i) = (e = y_first - log10(slanted_rate[i]), e > x_first ? e : x_first)
array slanted_slot[slanted + 1]
do for [i = 1:slanted] {
	slanted_slot[i] = 0
	do for [k = 1:i - 1] {
		if (tall * cos(angle * pi / 180) * (log10(slanted_rate[k]) - log10(slanted_rate[i])) < line \
			&& slanted_slot[k] == slanted_slot[i]) { slanted_slot[i] = slanted_slot[i] + 1 }
	}
	along = 12 + 250 * (slanted_slot[i] / 2) # pixels
	away = slanted_slot[i] % 2 ? -9 : 9
	at_x = enters(i) + (along * cos(angle * pi / 180) - away * sin(angle * pi / 180)) / wide
	at_y = enters(i) + log10(slanted_rate[i]) + (along * sin(angle * pi / 180) + away * cos(angle * pi / 180)) / tall
	set label 100 + i slanted_name[i] at 10 ** at_x, 10 ** at_y left rotate by angle font ",12" front
}
# without roofs, their loops run once, because gnuplot evaluates a function even in an empty loop
slant(x, i) = i > slanted ? NaN : slanted_ridge[i] == 0 || x <= 1.001 * slanted_ridge[i] ? slanted_rate[i] * x : NaN
level(x, i) = i > flat ? NaN : x >= 0.999 * flat_ridge[i] ? flat_rate[i] : NaN
set samples 2000
at_least(n) = n > 1 ? n : 1
plot for [i = 1:at_least(slanted)] slant(x, i) linewidth 2 linecolor rgb "#8a949e" notitle, \
	for [i = 1:at_least(flat)] level(x, i) linewidth 2 linecolor rgb "#8a949e" notitle, \
	for [i = 1:blocks] data index i - 1 using 1:2 with points pointsize 0.55 \
	linecolor rgb shade[4 * tint[i] - 3] pointtype filled[1 + tint[i] % 5] title names[i]
