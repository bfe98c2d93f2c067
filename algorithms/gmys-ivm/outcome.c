#include "algorithms/gmys-ivm/outcome.h"

#include <string.h>

#include "algorithms/tree-search/search_case.h"

static int common_figures(const struct search_outcome *o, struct measure *f)
{
	const struct measure all[] = {
		{ "setup_seconds", o->seconds_setup, true },
		{ "table_seconds", o->seconds_tables, true },
		{ "workers", o->workers, false },
		{ "memory_peak", (double)o->memory_peak, false },
	};

	memcpy(f, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static int published_figures(const struct ivm_outcome *o, struct measure *f)
{
	const struct measure all[] = {
		{ "ivms", o->ivms, false },
		{ "mode", o->mode, false },
		{ "trigger", o->trigger > 0 ? (double)o->trigger : 0, false },
		{ "busy", o->busy, false },
		{ "inside_phases", (double)o->inside_phases, false },
		{ "inside_steals", (double)o->inside_steals, false },
		{ "h2h_steals", (double)o->steal_done[IVM_H2H], false },
		{ "d2d_steals", (double)o->steal_done[IVM_D2D], false },
		{ "h2d_steals", (double)o->steal_done[IVM_H2D], false },
		{ "d2h_steals", (double)o->steal_done[IVM_D2H], false },
		{ "expand_seconds", o->seconds_expand, true },
		{ "bound_seconds", o->seconds_bound, true },
		{ "inside_seconds", o->seconds_inside, true },
		{ "wait_seconds", o->seconds_wait, true },
		{ "other_seconds", o->seconds_other, true },
		{ "device_decomposed", (double)o->device_decomposed, false },
		{ "host_decomposed", (double)o->host_decomposed, false },
	};

	memcpy(f, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

int ivm_figures(const struct ivm_outcome *o, bool published, struct measure figures[IVM_FIGURES])
{
	int count = common_figures(&o->common, figures);

	return published ? count + published_figures(o, figures + count) : count;
}

void ivm_counters(struct bench_case *c, const struct ivm_request *r, const struct ivm_outcome *o,
		  enum solve_variant v)
{
	const struct search_outcome *all = &o->common;
	struct measure figures[IVM_FIGURES];
	int count = ivm_figures(o, v == SOLVE_PUBLISHED, figures);

	if (all->complete)
		bench_counter(c, "decomposed", (double)all->decomposed, BENCH_COUNT);
	if (r->common.queens)
		bench_counter(c, "solutions", (double)all->solutions, BENCH_COUNT);
	else
		bench_counter(c, "leaves", (double)all->leaves, BENCH_COUNT);
	if (all->evaluated)
		bench_counter(c, "evaluated", (double)all->evaluated, BENCH_COUNT);
	bench_counter(c, "total_seconds", all->seconds_total, BENCH_MEAN);
	if (!r->trace)
		bench_measures(c, figures, count);
}

void ivm_time_bound(struct bench_case *c, const struct search_case *x)
{
	const struct flowshop *f = x->request.flowshop;

	if (f && x->outcome.evaluated)
		search_case_time_bound(c, x, 2.0 * f->machines * (double)x->outcome.evaluated);
}
