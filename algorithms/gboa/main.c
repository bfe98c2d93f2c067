/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/sizing/size.h"
#include "algorithms/gboa/solve/solve.h"
#include "algorithms/tree-search/cluster/world.h"
#include "datasets/landscape/landscape.h"
#include "harness/bench/bench.h"

static int list(struct err *e)
{
	(void)e;
	puts("problems (--problem) and instances (--instance); trap5:60 names both:");
	landscape_print_problems();
	printf("  at most %d variables; for traps of 5 bits %d\n", BOA_VARIABLES_MAX,
	       BOA_VARIABLES_MAX / 5 * 5);
	puts("variants:\n"
	     "  serial     one core, one individual at a time as in the paper: sBOA or pBOA\n"
	     "  cpu        all cores, 32 individuals in a word, vectorised\n"
	     "  published  gBOA: the kernel of Figure 6, a block for each variable; the rest on "
	     "one core\n"
	     "  tuned      our algorithm, entirely on the device\n"
	     "models (--model):\n"
	     "  pboa       edges follow a random permutation of each generation (as in gBOA)\n"
	     "  sboa       the best of all edges that close no cycle; serial only\n"
	     "  hboa       decision graphs and restricted tournaments: hierarchical BOA\n"
	     "engines of tuned (--engine):\n"
	     "  grid       each run uses a whole device\n"
	     "  batch      many concurrent runs on all devices\n"
	     "  large      one run on all devices: many variables, large populations");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct subcommand commands[] = {
		{ "size", "the population that a problem needs", boa_size_main },
		{ NULL, NULL, NULL },
	};
	static const struct target target = {
		.name = "gboa",
		.summary = "the Bayesian Optimization Algorithm (Munawar et al. 2009)",
		.solve = &boa_solve_spec,
		.list = list,
		.commands = commands,
	};

	return world_main(argc, argv, &target);
}
