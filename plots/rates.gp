# Cell updates a second against the number of items; the last series is the floor of the machine.
load plots."/common.gp"
set format y "%.0s%c"
load plots."/series.gp"
