# Bars side by side, one a series, at each entry of the first row axis; the paper's own are hatched.
load plots."/common.gp"
set format y "%.0s%c"
set style data histograms
set style histogram clustered gap 1
set boxwidth 0.9
set xtics rotate by -35 left
set offsets 0.5, 0.5, 0, 0
fill(i) = value(sprintf("paper_%d", i)) ? 4 : 3
plot for [i = 1:series] data using at(i):xticlabels(1) fillstyle pattern fill(i) \
	linecolor rgb colour[1 + (i - 1) % 12] title columnheader(at(i))
