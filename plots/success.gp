# The share of successful runs. The second and third series are the ends of its interval; other series are
# lines.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
load plots . "/common.gp"
plot data using 1:at(1):at(2):at(3) with yerrorlines linewidth 2 pointsize 0.8 pointtype 7 \
	linecolor rgb colour[1] title of("title", 1) . " (95 % interval)", \
	for [i = 4:series] data using 1:at(i) with linespoints linewidth 2 pointsize 0.8 \
	pointtype shape[i - 2] linecolor rgb colour[i - 2] title of("title", i)
