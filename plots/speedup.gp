# Speed-ups: the paper's (dashed) and ours.
load plots."/common.gp"
load plots."/series.gp"
