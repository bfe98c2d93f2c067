# A bar per paper, in steps from left to right: serial code, all cores, the literal GPU code (1), less work,
# share of the peak; or the last two as one step. A step that makes the code slower goes down; a missing step is left out.
# The factor stands at the end of each of the last steps, because one of 1 has no height.
# Variables set by the caller: data, svg, and plots.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
x_label = ""
y_label = "times as fast as the literal GPU code"
scale = "logy"
figure = "gain"
series = 0
load plots . "/common.gp"
set format y "%g"
set style fill solid 0.75
set xrange [-0.6:*]
stats data using 0 nooutput
rows = STATS_records
set xrange [-0.6:rows - 0.4]
step(k) = -0.4 + 0.2 * k
box(x, k) = x + step(k)
above(y) = y > 1 ? y : 1
factor(y) = sprintf("%.3g×", y)
plot data using (box($0, 0.5)):2:(box($0, 0)):(box($0, 1)):2:3 with boxxyerror linecolor rgb shade[5] title "all cores", \
	data using (box($0, 1.5)):3:(box($0, 1)):(box($0, 2)):3:(1) with boxxyerror linecolor rgb shade[1] title "GPU, literal code", \
	data using (box($0, 2.5)):(1):(box($0, 2)):(box($0, 3)):(1):4 with boxxyerror linecolor rgb shade[13] title "less work", \
	data using (box($0, 3.5)):4:(box($0, 3)):(box($0, 4)):4:5 with boxxyerror linecolor rgb shade[9] title "share of the peak", \
	data using (box($0, 3)):(1):(box($0, 2)):(box($0, 4)):(1):6 with boxxyerror linecolor rgb shade[17] title "not split: rows lack operations", \
	data using (box($0, 2.95)):(above($4)):(factor($4)) with labels right offset 0, 0.5 notitle, \
	data using (box($0, 3.5)):5:($5 < $4 ? "" : factor($5 / $4)) with labels offset 0, 0.5 notitle, \
	data using (box($0, 3.5)):5:($5 < $4 ? factor($5 / $4) : "") with labels offset 0, -0.7 notitle, \
	data using (box($0, 3)):(above($6)):(factor($6)) with labels offset 0, 0.5 notitle, \
	data using 0:(1):xtic(1) with points pointtype 0 notitle
