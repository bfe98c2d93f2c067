# Shares, 0 to 1, over the first row axis.
load plots."/common.gp"
set format y "%.1f"
set yrange [0:*]
load plots."/series.gp"
