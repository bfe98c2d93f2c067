# One line per series over the first row axis, with its bootstrap interval. The paper's own series are
# dashed, with hollow points.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
load plots . "/common.gp"
plot for [i = 1:series] data using 1:at(i) with linespoints linewidth 2 pointsize 0.8 \
	linecolor rgb tint(i) pointtype mark(i) dashtype dash(i) title of("title", i), \
	for [i = 1:series] data using 1:at(i) + 1:(0):(column(at(i) + 2) - column(at(i) + 1)) \
	with vectors nohead linewidth 4 linecolor rgb tint(i) notitle
