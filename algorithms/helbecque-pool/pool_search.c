/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/pool_search.h"

#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/tree-search/by-set/sets_search.h"

/* ---- the search of a variant ---- */

static int search_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return r->flowshop ? fsp_cpu(r, o, e) : queens_cpu(r, o, e);
}

/* Flowshop: forward branching with LB2 by job sets if the table fits, else depth first. */
static int search_tuned(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	if (!r->flowshop)
		return pool_tuned_queens(r, o, e);
	if (r->forms & SEARCH_DEPTH_FIRST || !sets_search_supports(r, false))
		return dfs_search(r, o, e);
	return sets_search(r, false, o, e);
}

/* On one machine. */
static int search_published(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return pool_search_published(r, 1, o, e);
}

search_fn *pool_search(enum solve_variant v)
{
	static search_fn *const searches[] = {
		[SOLVE_SERIAL] = pool_search_serial,
		[SOLVE_CPU] = search_cpu,
		[SOLVE_PUBLISHED] = search_published,
		[SOLVE_TUNED] = search_tuned,
	};

	return searches[v];
}

/* ---- the figures of an outcome ---- */

uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o)
{
	if (r->solutions_only)
		return 0;
	if (o->decomposed || r->flowshop || !o->complete || !o->explored)
		return o->decomposed;
	return o->explored - o->solutions + 1;
}

void pool_figures(const struct search_outcome *o, struct measure figures[POOL_FIGURES])
{
	const struct measure all[POOL_FIGURES] = {
		{ "setup_seconds", o->seconds_setup, true },
		{ "table_seconds", o->seconds_tables, true },
		{ "workers", o->workers, false },
		{ "steals_tried", (double)o->steals_tried, false },
		{ "steals_done", (double)o->steals_done, false },
		{ "nodes_stolen", (double)o->nodes_stolen, false },
		{ "offloads", (double)o->offloads, false },
		{ "offload_least", (double)o->m, false },
		{ "offload_most", (double)o->M, false },
		{ "memory_peak", (double)o->memory_peak, false },
	};

	memcpy(figures, all, sizeof(all));
}
