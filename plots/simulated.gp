# Efficiency of simulated clusters against the number of nodes (scripts/simulate.py): data, svg.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 860,560 dynamic font "sans-serif,15" name "simulated_efficiency"
set output svg
set border 3
set tics nomirror
set grid linewidth 0.5 linetype 1 linecolor rgb "#8a949e" dashtype 3
set key outside below center horizontal Left reverse
set logscale x 2
set xlabel "nodes of 8 GPUs (ta021)"
set ylabel "efficiency relative to one node"
set yrange [0:1.05]
plot data index 0 with linespoints linewidth 2 pointtype 6 dashtype 2 title "paper, Table 6", \
	data index 1 with linespoints linewidth 2 pointtype 7 title "SIMULATED: paper's protocol, rate of one node", \
	data index 2 with linespoints linewidth 2 pointtype 5 title "SIMULATED: paper's protocol, rate of 8 nodes", \
	data index 3 with linespoints linewidth 2 pointtype 9 title "SIMULATED: lifelines"
