/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_verify.h"

#include <inttypes.h>
#include <string.h>

#include "algorithms/tree-search/checkpoint.h"

/* ---- known trees ---- */

/* LB2 forward: explored nodes and root of Table 1 of Helbecque et al. 2025. LB2 MaxSum: Table 1 of
 * Gmys et al. 2017 prints them to a tenth of a million; the remaining digits are our own counts, by
 * several searches that share no traversal (equal sums: the end). LB1: our own counts, by several
 * searches. ta056 at 3679 is its optimum. The two largest trees of ta081 were counted only by the
 * depth-first device search: at 6134 on one device and on two, at 6135 on two. */
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

/* ---- verification ---- */

static int verify_schedule(const struct search_request *r, const struct search_outcome *o,
			   struct err *e)
{
	int64_t makespan = o->order ? flowshop_makespan(r->flowshop, o->order) : o->best;
	/* if resumed, the answer may be a lower bound that was given to an earlier run */
	bool resumed = checkpoint_resumes(r->checkpoint);

	if (makespan != o->best)
		return err_set(e, ERR_FAILED,
			       "%s: the schedule has makespan %" PRId64
			       ", but the answer is %" PRId64,
			       r->flowshop->name, makespan, o->best);
	if (o->best > r->ub)
		return err_set(e, ERR_FAILED,
			       "%s: the answer %" PRId64 " is above the start %" PRId64,
			       r->flowshop->name, o->best, r->ub);
	if (!o->order && o->best < r->ub && !resumed)
		return err_set(e, ERR_FAILED, "%s: there is no schedule for the answer %" PRId64,
			       r->flowshop->name, o->best);
	if (o->complete && o->lower_bound != o->best)
		return err_set(e, ERR_FAILED,
			       "%s: the search finished with %" PRId64 ", but proves only %" PRId64,
			       r->flowshop->name, o->best, o->lower_bound);
	return 0;
}

/* A difference from a listed value is not an error, because lists may be wrong or out of date.
 * `solve` reports it (flowshop_compare). */
static int verify_known(const struct search_outcome *o, const struct flowshop_known *k,
			struct err *e)
{
	char why[256];

	if (flowshop_compare(k, o->order ? o->best : INT64_MAX, o->lower_bound, why, sizeof(why)) !=
	    FLOWSHOP_CONTRADICTS_PROOF)
		return 0;
	return err_set(e, ERR_FAILED, "%s", why);
}

/* An earlier run had another bound, so its nodes are not those of the request's tree. */
static bool bound_changed(const struct search_request *r, const struct search_outcome *o)
{
	const struct checkpoint_plan *plan = r->checkpoint;

	return checkpoint_resumes(plan) &&
	       ((plan->first_ub && plan->first_ub != r->ub) || o->best != r->ub);
}

static bool counts_agree(const struct search_outcome *o, const struct fsp_tree *tree)
{
	return (o->explored + 1 == tree->decomposed || (!o->explored && o->decomposed)) &&
	       (o->decomposed == tree->decomposed || !o->decomposed);
}

/* *counted: the size of this tree is known and the search found that number of nodes. Machine pairs
 * may have pruned some of them. */
static int verify_tree(const struct search_request *r, const struct search_outcome *o,
		       const struct flowshop_known *k, bool *counted, struct err *e)
{
	const struct fsp_tree *tree = fsp_tree(k->name, r->bound, r->branching, r->ub);

	if (!tree || !o->complete || bound_changed(r, o))
		return 0;
	*counted = counts_agree(o, tree);
	if (!*counted && !r->pairs)
		return err_set(e, ERR_FAILED,
			       "%s: %" PRIu64 " nodes explored, %" PRIu64
			       " decomposed; the tree has %" PRIu64 " nodes and the root",
			       k->name, o->explored, o->decomposed, tree->decomposed - 1);
	return 0;
}

int fsp_verify(const struct search_request *r, const struct search_outcome *o,
	       const struct flowshop_known *k, bool *verified, struct err *e)
{
	bool counted = false;
	int status = verify_schedule(r, o, e);

	if (!status && k)
		status = verify_known(o, k, e);
	if (!status && k)
		status = verify_tree(r, o, k, &counted, e);
	*verified = !status && (o->order || counted);
	return status;
}
