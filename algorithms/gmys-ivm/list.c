#include <stdio.h>

#include "solve.h"

int ivm_list(struct err *e)
{
	(void)e;
	puts("problems and instances:\n"
	     "  --problem pfsp (the default; flowshop is the same)\n"
	     "    ta001 .. ta120                     Taillard 1993; the paper's: ta021 .. ta030\n"
	     "    taillard:JOBSxMACHINES:SEED        his generator with any seed\n"
	     "    random:JOBSxMACHINES:MAX[:SEED]    uniform times 1..MAX\n"
	     "    FILE                               Taillard's text, or VFR's rows of a job\n"
	     "  --problem nqueens\n"
	     "    N                                  1 .. 26, serial and published 1 .. 32; nodes\n"
	     "                                       known to 20, solutions to 27\n"
	     "  --problem atsp\n"
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
