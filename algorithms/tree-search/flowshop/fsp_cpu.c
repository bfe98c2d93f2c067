/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_cpu.h"

#include "algorithms/tree-search/by-set/sets_cpu.h"
#include "algorithms/tree-search/depth-first/dfs_cpu.h"

/* The search by job set scans a bit map of all sets for each piece of open nodes. With less memory
 * than this a piece has only a few nodes. The depth-first search needs only one path per thread.
 */
static bool too_little_for_sets(const struct search_request *r)
{
	return r->memory > 0 && r->memory < INT64_C(4) << r->flowshop->jobs;
}

/* The search by job set does not support checkpoints. */
static bool is_by_layers(const struct search_request *r)
{
	return !r->checkpoint && sets_cpu_supports(r) && !too_little_for_sets(r);
}

int fsp_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return is_by_layers(r) ? sets_cpu(r, o, e) : dfs_cpu(r, o, e);
}

double fsp_cpu_operations(const struct search_request *r, const struct search_outcome *o)
{
	double m = r->flowshop->machines, bounds = (double)o->evaluated;

	if (r->bound == FSP_LB1 || is_by_layers(r))
		return bounds * 2 * m;
	return dfs_cpu_sets_supports(r) ? bounds * (m + m * (m + 1) / 2) : 0;
}
