#include <stdio.h>

#include "algorithms/tree-search/flowshop/flowshop_solve.h"
#include "algorithms/tree-search/nqueens/queens_solve.h"
#include "algorithms/gmys-ivm/solve.h"

int ivm_list(struct err *e)
{
	(void)e;
	puts("problems and instances:\n"
	     "  --problem pfsp (the default; flowshop is the same)");
	fsp_list_instances("; the paper's: ta021 .. ta030");
	queens_list_instances();
	puts("  --problem atsp\n"
	     "    crane:CITIES:SEED                  moves of a stacker crane\n"
	     "    tsmat:CITIES:SEED                  symmetric, triangle inequality holds\n"
	     "    random:CITIES:MAX[:SEED]           uniform costs\n"
	     "    FILE                               TSPLIB, full matrix\n"
	     "variants:\n"
	     "  serial     Algorithms 1 and 2: one IVM on one core\n"
	     "  cpu        vectorised, all cores, bounds looked up by set of jobs\n"
	     "  published  Algorithms 3 to 7: thousands of IVMs a GPU, work stealing inside and\n"
	     "             between GPUs and cores; with --device cpu the multi-core version\n"
	     "  tuned      ours: other ways through the same trees\n"
	     "the time by phase and the speed-ups are drawn from the rows of table1 and table2");
	return 0;
}
