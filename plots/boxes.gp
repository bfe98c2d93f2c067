# Box plots: the series come in fives (least, quarter, median, three quarters, most), one box a group
# at each entry of the first row axis; a series left over is drawn as a line.
load plots."/common.gp"
groups = int(series / 5)
set format y "%g %%"
set xtics rotate by -35 left
set style fill solid 0.35
width = 0.8 / groups
set boxwidth width * 0.85
set offsets 0.5, 0.5, 0, 0
x(g) = column(0) + (g - (groups - 1) / 2.0) * width
part(g, k) = 100 * column(at(5 * g + k))
name(g) = system(sprintf("head -n 1 '%s' | grep -o '\"[^\"]*\"' | sed -n '%dp' | sed 's/^\"//; s/, [^,]*\"$//'", data, 5 * g + 2))
set yrange [0:*]
plot data skip 1 using 0:(0):xticlabels(1) with dots notitle, \
	for [g = 0:groups - 1] data skip 1 using (x(g)):(part(g, 2)):(part(g, 1)):(part(g, 5)):(part(g, 4)) \
	with candlesticks whiskerbars 0.6 linewidth 1.5 linecolor rgb colour[1 + g] title name(g), \
	for [g = 0:groups - 1] data skip 1 using (x(g)):(part(g, 3)):(part(g, 3)):(part(g, 3)):(part(g, 3)) \
	with candlesticks linewidth 3 linecolor rgb colour[1 + g] notitle, \
	for [i = 5 * groups + 1:series] data using 0:(100 * column(at(i))) with lines dashtype 2 \
	linewidth 1.5 linecolor rgb colour[8] title columnheader(at(i))
