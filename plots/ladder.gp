# A line per series over the rungs of a ladder, which are the entries of the first row axis, with
# bootstrap intervals.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
load plots . "/common.gp"
set xtics rotate by -30 left
plot for [i = 1:series] data skip 1 using 0:at(i) with linespoints linewidth 2 pointsize 1 \
	linecolor rgb tint(i) pointtype mark(i) dashtype dash(i) title of("title", i), \
	for [i = 1:series] data skip 1 using 0:at(i) + 1:(0):(column(at(i) + 2) - column(at(i) + 1)) \
	with vectors nohead linewidth 4 linecolor rgb tint(i) notitle
