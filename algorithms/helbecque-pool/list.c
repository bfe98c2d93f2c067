#include <stdio.h>

#include "algorithms/tree-search/search_solve.h"
#include "algorithms/helbecque-pool/solve.h"

int pool_list(struct err *e)
{
	(void)e;
	search_list_instances("; the paper's: ta021 .. ta030", false);
	puts("variants:\n"
	     "  serial     Algorithm 1 on one core, depth first\n"
	     "  cpu        vectorised, all cores, work stealing, LB2 looked up by set of jobs\n"
	     "  published  Section 3: pools on the host, bounds on the GPU; --m, --M;\n"
	     "             --branching forward only\n"
	     "  tuned      ours: the tree lives on the GPU\n"
	     "figures drawn from other rows: 9 and 10 from table1 and table2, 11 from\n"
	     "table5 and table7");
	return 0;
}
