# One point per series, side by side, at each entry of the first row axis, with its bootstrap interval.
# Points, not bars, because the length of a bar has no meaning on a logarithmic axis.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
load plots . "/common.gp"
set key samplen 1
x(i) = column(0) + 0.6 * ((i - 1) / (series > 1 ? series - 1.0 : 1) - 0.5)
plot for [i = 1:series] data skip 1 using (x(i)):at(i) with points pointsize 1 linewidth 2 \
	linecolor rgb tint(i) pointtype mark(i) title of("title", i), \
	for [i = 1:series] data skip 1 using (x(i)):at(i) + 1:(0):(column(at(i) + 2) - column(at(i) + 1)) \
	with vectors nohead linewidth 4 linecolor rgb tint(i) notitle
