#include <stdio.h>

#include "algorithms/tree-search/search_solve.h"
#include "algorithms/gmys-ivm/solve.h"

int ivm_list(struct err *e)
{
	(void)e;
	search_list_instances("; the paper's: ta021 .. ta030", true);
	puts("variants:\n"
	     "  serial     Algorithms 1 and 2: one IVM on one core\n"
	     "  cpu        vectorised, all cores, bounds looked up by set of jobs\n"
	     "  published  Algorithms 3 to 7: thousands of IVMs a GPU, work stealing inside and\n"
	     "             between GPUs and cores; with --device cpu the multi-core version\n"
	     "  tuned      ours: other ways through the same trees\n"
	     "the time by phase and the speed-ups are drawn from the rows of table1 and table2");
	return 0;
}
