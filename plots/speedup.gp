# Table I as a figure: the paper's speed-ups (dashed) and ours.
load plots."/common.gp"
load plots."/series.gp"
