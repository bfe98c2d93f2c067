# The lines of lines.gp over shares, and a line at 0.5: below it two GPUs take longer than one.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
if (y_high < 1) { y_high = 1 }
set arrow from graph 0, first 0.5 to graph 1, first 0.5 nohead linewidth 2 linecolor rgb "#8a949e" dashtype 2
load plots . "/lines.gp"
