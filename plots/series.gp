# One line a series over the first row axis, with its bootstrap interval; the paper's own are dashed.
dash(i) = value(sprintf("paper_%d", i)) ? 2 : 1
style(i) = 1 + (i - 1) % 12
set offsets 0, graph 0.02, 0, 0
plot for [i = 1:series] data using 1:at(i) with linespoints linewidth 2 pointsize 0.8 \
	linecolor rgb colour[style(i)] pointtype shape[style(i)] dashtype dash(i) \
	title columnheader(at(i)), \
	for [i = 1:series] data using 1:at(i) + 1:(0):(column(at(i) + 2) - column(at(i) + 1)) \
	with vectors nohead linewidth 4 linecolor rgb colour[style(i)] notitle
