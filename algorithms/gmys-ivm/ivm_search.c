/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the engine of the variants cpu, published and tuned. */
#include "algorithms/gmys-ivm/ivm_search.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gmys-ivm/team/farmer.h"
#include "algorithms/gmys-ivm/ivm_cover.h"
#include "algorithms/gmys-ivm/team/team.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/atsp/atsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/tree-search/by-set/sets_search.h"
#include "datasets/atsp/atsp.h"
#include "kernels/gmys-ivm/intervals.h"
#include "harness/base/team.h"

/* ---- published ---- */

static int check(const struct ivm_request *r, const struct ivm_team_setup *s, int available,
		 struct err *e)
{
	const struct search_request *c = &r->common;

	if (s->devices > available)
		return err_set(e, ERR_DEVICE, "%d GPUs requested, %d available", s->devices,
			       available);
	if (s->devices + s->hosts < 1)
		return err_set(e, ERR_USAGE, "the search needs a device or a thread");
	if (s->devices + s->hosts > SEARCH_WORKERS_MAX)
		return err_set(e, ERR_USAGE,
			       "%d devices and %d threads exceed the maximum of %d in total",
			       s->devices, s->hosts, SEARCH_WORKERS_MAX);
	if (r->steal_parts < 0 || r->steal_parts == 1 || r->steal_parts > UINT16_MAX)
		return err_set(e, ERR_USAGE, "a host cannot keep 1/%d of its interval",
			       r->steal_parts);
	if (c->private_incumbent)
		return err_set(e, ERR_UNSUPPORTED,
			       "this search always shares the best solution between workers");
	if (!c->flowshop && !c->atsp && !c->half_board)
		return err_set(e, ERR_UNSUPPORTED,
			       "this search of N-Queens works on half a board only");
	return 0;
}

static int published(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	const struct search_request *c = &r->common;
	int available = c->devices ? c->devices->count : 0;
	struct ivm_team_setup s = { .request = r,
				    .ops = &ivm_team_device_ops,
				    .dev = available ? c->devices->dev : NULL,
				    .devices = c->gpus > 0 ? c->gpus : available,
				    .hosts = c->threads,
				    .patience = IVM_FARMER_PATIENCE };
	int status;

	memset(o, 0, sizeof(*o));
	status = check(r, &s, available, e);
	if (status)
		return status;
	if (r->hybrid == IVM_FARMER && s.devices)
		s.hosts = ivm_farmer_hosts(s.hosts, s.devices, team_cores());
	return ivm_team_search(&s, o, e);
}

/* ---- flowshop from open nodes ---- */

/* Converts the intervals of a checkpoint to nodes. Their numbers refer to the tree of the upper
 * bound with which the search began. */
static int read_intervals(struct checkpoint *c, const struct search_request *r, struct err *e)
{
	struct search_request first = *r;
	struct checkpoint_key key;
	struct ivm_problem p;
	int status;

	first.ub = c->key.first_ub;
	checkpoint_key_of(r, first.ub, &key);
	status = checkpoint_matches(c, &key, e);
	if (status)
		return status;
	status = ivm_problem_make(&p, &first, e);
	if (!status)
		status = ivm_cover_convert(c, &p, CHECKPOINT_NODES, NULL, e);
	ivm_problem_free(&p);
	return status;
}

/* Loads a checkpoint for the depth-first searches, which continue from nodes. The variants
 * published and serial write intervals. */
static int load_nodes(struct checkpoint *c, const struct search_request *r, struct err *e)
{
	int status = checkpoint_load(c, r->checkpoint, e);

	if (!status && c->form == CHECKPOINT_INTERVALS)
		status = read_intervals(c, r, e);
	if (status)
		checkpoint_free(c);
	return status;
}

/* Runs a search of flowshop that continues from nodes. */
static int from_nodes(search_fn *search, const struct search_request *r, struct search_outcome *o,
		      struct err *e)
{
	struct search_request mine = *r;
	struct checkpoint_plan plan;

	if (r->checkpoint) {
		plan = *r->checkpoint;
		plan.read = load_nodes;
		mine.checkpoint = &plan;
	}
	return search(&mine, o, e);
}

/* ---- cpu ---- */

static int cpu(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	const struct search_request *common = &r->common;

	*o = (struct ivm_outcome){ .mode = IVM_PAPER_MODE };
	if (common->flowshop)
		return from_nodes(fsp_cpu, common, &o->common, e);
	return (common->atsp ? atsp_cpu : queens_cpu_half)(common, &o->common, e);
}

/* ---- tuned ---- */

/* Depth first, one stack per warp (dfs_search.h). */
static int deep(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return from_nodes(dfs_search, r, o, e);
}

/* Level by level with a table of the bounds of all job sets (sets_search.h). */
static int two_sided_sets(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return sets_search(r, true, o, e);
}

/* The published algorithm on devices only, in its fast form and with the faster mode and trigger.
 * An IVM holds any number of items. */
static int by_ivms(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct ivm_request request = { .common = *r, .mode = IVM_AUTO };
	struct ivm_outcome outcome;
	int status;

	request.common.threads = 0;
	request.common.forms |= IVM_FAST_FORMS;
	status = published(&request, &outcome, e);
	*o = outcome.common;
	outcome.common.order = NULL; /* now owned by *o */
	ivm_outcome_free(&outcome);
	return status;
}

/*   N-Queens, ATSP                intervals handed out by the host, prefixes searched on the device
 *   ATSP with more cities than    IVMs
 *   a word of a node has bits
 *   flowshop, LB2, two-sided      by job sets, if the table fits, except with SEARCH_DEPTH_FIRST
 *   flowshop otherwise            depth first */
static search_fn *engine_of(const struct search_request *r)
{
	if (r->atsp && r->atsp->cities > IVM_INTERVAL_ITEMS + 1)
		return by_ivms;
	if (!r->flowshop)
		return ivm_tuned_intervals;
	return r->forms & SEARCH_DEPTH_FIRST || !sets_search_supports(r, true) ? deep :
										 two_sided_sets;
}

static int tuned(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	*o = (struct ivm_outcome){ .mode = IVM_PAPER_MODE };
	return engine_of(&r->common)(&r->common, &o->common, e);
}

/* ---- all variants ---- */

int ivm_search(enum solve_variant v, const struct ivm_request *r, struct ivm_outcome *o,
	       struct err *e)
{
	switch (v) {
	case SOLVE_CPU:
		return cpu(r, o, e);
	case SOLVE_PUBLISHED:
		return published(r, o, e);
	case SOLVE_TUNED:
		return tuned(r, o, e);
	default:
		return ivm_search_serial(r, o, e);
	}
}
