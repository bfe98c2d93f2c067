#include <stdio.h>

#include "algorithms/tree-search/flowshop/fsp_solve.h"
#include "algorithms/koester-recovery/solve.h"

int track_list(struct err *e)
{
	(void)e;
	puts("problems and instances:\n"
	     "  --problem pfsp (the default)         beam search for the makespan");
	fsp_list_instances("");
	puts("  --problem samegame                   beam search for the score\n"
	     "    random:ROWSxCOLUMNS:COLOURS[:SEED] boards; 15x15:5 is the usual size\n"
	     "    FILE                               a row a line, colours 0 (empty), 1, 2 ...\n"
	     "  --problem synthetic                  the paper's model: products of matrices\n"
	     "    ROWSxCOLUMNS                       of a state's matrix; the paper's: 16x16\n"
	     "variants:\n"
	     "  serial     one core, Algorithms 1 and 2 line by line\n"
	     "  cpu        all cores, vectorised, shared paths\n"
	     "  published  the paper's: a launch a line, pruning on the host, a thread a state\n"
	     "  tuned      ours: fused kernels, pruning on the device, shared paths\n"
	     "ways of recovery (--recovery):\n"
	     "  replay     from the inputs, or the last layer with --cache on: the paper's\n"
	     "  gpu, pinned, host, peer   all layers kept there\n"
	     "  checkpoint, adaptive      every d-th layer kept, or copies half way too\n"
	     "  multistage                what costs least, by measured times");
	return 0;
}
