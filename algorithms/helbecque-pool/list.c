#include <stdio.h>

#include "solve.h"

int pool_list(struct err *e)
{
	(void)e;
	puts("problems and instances:\n"
	     "  --problem pfsp (the default; flowshop is the same)\n"
	     "    ta001 .. ta120                     Taillard 1993; the paper's: ta021 .. ta030\n"
	     "    taillard:JOBSxMACHINES:SEED        his generator with any seed\n"
	     "    random:JOBSxMACHINES:MAX[:SEED]    uniform times 1..MAX\n"
	     "    FILE                               Taillard's text, or VFR's rows of a job\n"
	     "  --problem nqueens\n"
	     "    N                                  1 .. 26, serial and published 1 .. 32;\n"
	     "                                       nodes known to 20, solutions to 27\n"
	     "variants:\n"
	     "  serial     Algorithm 1 on one core, depth first\n"
	     "  cpu        vectorised, all cores, work stealing, LB2 looked up by set of jobs\n"
	     "  published  Section 3: pools on the host, bounds on the GPU; --m, --M;\n"
	     "             --branching forward only\n"
	     "  tuned      ours: the tree lives on the GPU\n"
	     "figures drawn from other rows: 9 and 10 from table1 and table2, 11 from\n"
	     "table5 and table7");
	return 0;
}
