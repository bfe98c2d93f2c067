#include "algorithms/helbecque-pool/outcome.h"

#include <string.h>

#include "algorithms/tree-search/search_case.h"
#include "harness/base/stats.h"

uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o)
{
	if (r->solutions_only)
		return 0;
	if (o->decomposed || r->flowshop || !o->complete || !o->explored)
		return o->decomposed;
	return o->explored - o->solutions + 1;
}

static void shares(struct bench_case *c, const struct search_outcome *o)
{
	static const char *const names[] = { "share_min", "share_q1", "share_median", "share_q3",
					     "share_max" };
	double share[SEARCH_WORKERS_MAX], total = 0;

	if (o->workers < 1 || o->workers > SEARCH_WORKERS_MAX)
		return;
	for (int i = 0; i < o->workers; i++)
		total += (double)o->worker_explored[i];
	for (int i = 0; i < o->workers; i++)
		share[i] = total > 0 ? (double)o->worker_explored[i] / total : 0;
	for (int i = 0; i < 5 && total > 0; i++)
		bench_counter(c, names[i], stat_quantile(share, (size_t)o->workers, i / 4.0),
			      BENCH_COUNT);
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

void pool_counters(struct bench_case *c, const struct search_request *r,
		   const struct search_outcome *o)
{
	struct measure figures[POOL_FIGURES];

	if (!r->solutions_only) {
		bench_counter(c, "explored", (double)o->explored, BENCH_COUNT);
		if (pool_decomposed(r, o))
			bench_counter(c, "decomposed", (double)pool_decomposed(r, o), BENCH_COUNT);
	}
	if (r->flowshop)
		bench_counter(c, "leaves", (double)o->leaves, BENCH_COUNT);
	else
		bench_counter(c, "solutions", (double)o->solutions, BENCH_COUNT);
	if (o->evaluated)
		bench_counter(c, "evaluated", (double)o->evaluated, BENCH_COUNT);
	bench_counter(c, "total_seconds", o->seconds_total, BENCH_MEAN);
	pool_figures(o, figures);
	bench_measures(c, figures, POOL_FIGURES);
	if (r->gpus > 1)
		shares(c, o);
}

void pool_time_bound(struct bench_case *c, const struct search_case *x)
{
	const struct search_request *r = &x->request;

	if (r->flowshop && r->bound == FSP_LB2 && r->branching == FSP_FORWARD)
		search_case_time_bound(c, x,
				       2.0 * r->flowshop->machines * (double)x->outcome.explored);
}
