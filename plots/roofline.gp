# Each row as the share of the machine's peak rate that it reached, against the lower bound on its time.
# Slanted lines connect points of equal time. The line at the time of a kernel launch is the roof on the left.
# Variables set by the caller: data, svg, blocks, names[], tint[], launch (0 if unknown).
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
x_label = "lower bound on the time, from the measured peak rates, s"
y_label = "share of the peak rate reached, %"
scale = "loglog"
figure = "roofline"
series = 0
load plots . "/common.gp"
set format x "10^{%L}"
set format y "%g"
stats data using (log10($1)) name "X" nooutput
stats data using (log10($2)) name "Y" nooutput
x_low = 10 ** (floor(X_min) - 0.2)
x_high = 10 ** (ceil(X_max) + 0.2)
y_low = 10 ** floor(Y_min < -6 ? -6 : Y_min)
set xrange [x_low:x_high]
set yrange [y_low:300]
unset offsets
set style line 20 linewidth 1 dashtype 3 linecolor rgb "#8a949e"
# label each line of equal time at its end, above the points, unless that is too close to the edge
array seconds[6] = [1e-6, 1e-4, 1e-2, 1, 100, 1e4]
array words[6] = ["1 µs", "100 µs", "10 ms", "1 s", "100 s", "10,000 s"]
do for [i = 1:6] {
	x = 2 * seconds[i]
	along = log10(x / x_low) / log10(x_high / x_low)
	if (along > 0.04 && along < 0.96) { set label i words[i] at x, 240 center font ",11" }
}
share(x, t) = 100 * x / t < 200 ? 100 * x / t : NaN
roof(x) = launch > 0 && 100 * x / launch < 100 ? 100 * x / launch : 100
set samples 400
plot for [i = 1:6] share(x, seconds[i]) linestyle 20 notitle, \
	roof(x) linewidth 2 linecolor rgb "#8a949e" title launch > 0 ? "peak rate, launch" : "peak rate", \
	for [i = 1:blocks] data index i - 1 using 1:2 with points pointsize 0.55 \
	linecolor rgb shade[4 * tint[i] - 3] pointtype filled[1 + tint[i] % 5] title names[i]
