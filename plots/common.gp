# What all figures share. Set before it is loaded, by the script that copra-report writes: data, svg,
# title_text, x_label, y_label, scale, series, paper_<i>.
# Colours hold on a light and on a dark page; text and axes take the page's own ink (page_style.c).
set terminal svg size 900,520 dynamic font "sans-serif,14" name figure
set output svg
set datafile missing "?"
set encoding utf8
set border 3 linewidth 1
set tics nomirror
set grid linewidth 0.5 linetype 1 linecolor rgb "#8a949e" dashtype 3
set key outside right top vertical Left reverse spacing 1.2 samplen 2.5
set xlabel x_label
set ylabel y_label
if (scale eq "logx" || scale eq "loglog") set logscale x
if (scale eq "logy" || scale eq "loglog") set logscale y
set format x "%.0f"
if (scale ne "logx" && scale ne "loglog") set xrange [0:*]
array colour[12] = ["#3f8fd8", "#e0752f", "#3fa66b", "#c2508f", "#8f7ae0", "#b39a1f", "#25a3a8", \
	"#d4574e", "#7d8a97", "#a0703f", "#5fae2e", "#d86fc7"]
array shape[12] = [7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 2, 1]
at(i) = 3 * i - 1
