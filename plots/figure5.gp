# Figure 5: computing time against the number of items, sequential and parallel.
load plots."/common.gp"
set format y "%g"
load plots."/series.gp"
