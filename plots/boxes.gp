# Box plots: groups of five series (minimum, first quartile, median, third quartile, maximum) give one
# box per group at each entry of the first row axis. A remaining series is drawn as a line.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
load plots . "/common.gp"
groups = int(series / 5)
if (rows > 12) { set xtics rotate by -40 left }
set style fill solid 0.35
width = 0.8 / groups
set boxwidth width * 0.85
x(g) = column(0) + (g - (groups - 1) / 2.0) * width
part(g, k) = column(at(5 * g + k))
whole(i) = of("title", i)
group(g) = (whole(5 * g + 1))[1:strstrt(whole(5 * g + 1), ",") - 1]
plot for [g = 0:groups - 1] data skip 1 using (x(g)):(part(g, 2)):(part(g, 1)):(part(g, 5)):(part(g, 4)) \
	with candlesticks whiskerbars 0.6 linewidth 1.5 linecolor rgb colour[1 + g] title group(g), \
	for [g = 0:groups - 1] data skip 1 using (x(g)):(part(g, 3)):(part(g, 3)):(part(g, 3)):(part(g, 3)) \
	with candlesticks linewidth 3 linecolor rgb colour[1 + g] notitle, \
	for [i = 5 * groups + 1:series] data skip 1 using 0:at(i) with lines dashtype 2 \
	linewidth 1.5 linecolor rgb colour[8] title whole(i)
