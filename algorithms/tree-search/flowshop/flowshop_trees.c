#include "algorithms/tree-search/flowshop/flowshop_trees.h"

#include <string.h>

#include "datasets/flowshop/flowshop.h"

/* LB2 forward: Table 1 of Helbecque et al. 2025, its explored nodes and the root. LB2 MaxSum:
 * Table 1 of Gmys et al. 2017 prints them to a tenth of a million; the digits behind are our own
 * counts, by several searches that share no traversal (ties of the sums to the end). LB1: our own
 * counts, by several searches. ta056 at 3679 = its optimum. The two largest of ta081 were counted
 * by the depth-first device search alone, at 6134 on one device and on two, at 6135 on two. */
static const struct fsp_tree trees[] = {
	{ "ta021", FSP_LB2, FSP_FORWARD, 2297, 3944527268 },
	{ "ta022", FSP_LB2, FSP_FORWARD, 2099, 14561975 },
	{ "ta023", FSP_LB2, FSP_FORWARD, 2326, 115511994 },
	{ "ta024", FSP_LB2, FSP_FORWARD, 2223, 2173092256 },
	{ "ta025", FSP_LB2, FSP_FORWARD, 2291, 234988696 },
	{ "ta026", FSP_LB2, FSP_FORWARD, 2226, 514453279 },
	{ "ta027", FSP_LB2, FSP_FORWARD, 2273, 54588347 },
	{ "ta028", FSP_LB2, FSP_FORWARD, 2200, 196916206 },
	{ "ta029", FSP_LB2, FSP_FORWARD, 2237, 9499308 },
	{ "ta030", FSP_LB2, FSP_FORWARD, 2178, 13228601 },
	{ "ta021", FSP_LB2, FSP_MAXSUM, 2297, 41417881 },
	{ "ta022", FSP_LB2, FSP_MAXSUM, 2099, 22068771 },
	{ "ta023", FSP_LB2, FSP_MAXSUM, 2326, 140848940 },
	{ "ta024", FSP_LB2, FSP_MAXSUM, 2223, 40067821 },
	{ "ta025", FSP_LB2, FSP_MAXSUM, 2291, 41440440 },
	{ "ta026", FSP_LB2, FSP_MAXSUM, 2226, 71376390 },
	{ "ta027", FSP_LB2, FSP_MAXSUM, 2273, 57111463 },
	{ "ta028", FSP_LB2, FSP_MAXSUM, 2200, 8088505 },
	{ "ta029", FSP_LB2, FSP_MAXSUM, 2237, 6778450 },
	{ "ta030", FSP_LB2, FSP_MAXSUM, 2178, 1648102 },
	{ "ta021", FSP_LB1, FSP_MINBRANCH, 2297, 461634463 },
	{ "ta030", FSP_LB1, FSP_MINBRANCH, 2178, 2415779 },
	{ "ta030", FSP_LB1, FSP_MAXSUM, 2178, 3040754 },
	{ "ta056", FSP_LB1, FSP_MINBRANCH, 3560, 42 },
	{ "ta056", FSP_LB1, FSP_MINBRANCH, 3590, 405 },
	{ "ta056", FSP_LB1, FSP_MINBRANCH, 3620, 8042 },
	{ "ta056", FSP_LB1, FSP_MINBRANCH, 3640, 285385 },
	{ "ta056", FSP_LB1, FSP_MINBRANCH, 3679, 173314864804 },
	{ "ta081", FSP_LB1, FSP_MINBRANCH, 6095, 3735734 },
	{ "ta081", FSP_LB1, FSP_MINBRANCH, 6121, 1289131013 },
	{ "ta081", FSP_LB1, FSP_MINBRANCH, 6134, 61493711427 },
	{ "ta081", FSP_LB1, FSP_MINBRANCH, 6135, 85326961437 },
};

const struct fsp_tree *fsp_tree(const char *instance, enum fsp_bound bound,
				enum fsp_branching branching, int64_t ub)
{
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		const struct fsp_tree *t = &trees[i];

		if (t->bound == bound && t->branching == branching && t->ub == ub &&
		    strcmp(t->instance, instance) == 0)
			return t;
	}
	return NULL;
}

const struct fsp_tree *fsp_tree_at_best(const char *instance, enum fsp_bound bound,
					enum fsp_branching branching)
{
	const struct flowshop_known *k = flowshop_known(instance);

	return k ? fsp_tree(instance, bound, branching, k->upper) : NULL;
}
