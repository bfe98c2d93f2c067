# The share of instances that each solver has solved by a time. The data have a block for each solver:
# seconds and percent, the last at its time limit.
# Variables set by the caller: data, svg, plots, series, title_<i>, and x_low and x_high, the first proof
# and the longest limit.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
x_label = "seconds, from the start of the process"
y_label = "instances solved, percent"
scale = "logx"
figure = "proofs"
load plots . "/common.gp"
set format x "%g"
set yrange [0:100]
plot for [i = 1:series] data index i - 1 using 1:2 with steps linewidth 2.5 linecolor rgb colour[1 + (i - 1) % 12] \
	title of("title", i)
