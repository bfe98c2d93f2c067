# One line a series over the first row axis, with its bootstrap interval; the paper's own are dashed.
set offsets graph 0.02, graph 0.02, graph 0.02, graph 0.02
dash(i) = value(sprintf("paper_%d", i)) ? 2 : 1
plot for [i = 1:series] data using 1:at(i):at(i) + 1:at(i) + 2 with yerrorlines linewidth 2 \
	pointsize 0.8 linecolor rgb colour[1 + (i - 1) % 12] pointtype shape[1 + (i - 1) % 12] \
	dashtype dash(i) title columnheader(at(i))
