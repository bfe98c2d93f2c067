#include "algorithms/gmys-ivm/outcome.h"

#include <inttypes.h>
#include <string.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/flowshop/flowshop_verify.h"
#include "algorithms/tree-search/nqueens/queens_solve.h"
#include "algorithms/tree-search/search_bench.h"
#include "datasets/atsp/atsp.h"

enum { DYNAMIC_PROGRAMMING_UP_TO = 16 }; /* cities: a fraction of a second */

static int verify_tour(const struct search_request *r, const struct search_outcome *o,
		       struct err *e)
{
	const char *name = r->atsp->name;

	if (o->order && (o->order[0] != 0 || atsp_tour_cost(r->atsp, o->order) != o->best))
		return err_set(e, ERR_FAILED, "%s: the tour does not cost %" PRId64, name, o->best);
	if (o->best > r->ub)
		return err_set(e, ERR_FAILED,
			       "%s: the answer %" PRId64 " is above the start %" PRId64, name,
			       o->best, r->ub);
	if (o->complete && o->lower_bound < o->best)
		return err_set(e, ERR_FAILED,
			       "%s: the search ended at %" PRId64 " and proves only %" PRId64, name,
			       o->best, o->lower_bound);
	return 0;
}

/* Without a tour the search says that some cost `best` where it counted leaves, else that none
 * does, or less. Leaves of a run before may have cost more: then that none costs less. */
static int verify_optimum(const struct search_request *r, const struct search_outcome *o,
			  struct err *e)
{
	bool resumed = r->checkpoint && r->checkpoint->resume;
	bool met = o->order || (o->leaves && !resumed);
	int64_t optimum;
	int status;

	if (!o->complete || r->atsp->cities > DYNAMIC_PROGRAMMING_UP_TO)
		return 0;
	status = atsp_held_karp(r->atsp, &optimum, NULL, e);
	if (status)
		return status;
	if (met ? o->best == optimum : o->best < optimum + (o->leaves > 0))
		return 0;
	return err_set(e, ERR_FAILED, "%s: found %s%" PRId64 ", the optimum is %" PRId64,
		       r->atsp->name, met ? "" : "no tour of ", o->best, optimum);
}

static int verify_atsp(const struct search_request *r, const struct search_outcome *o,
		       bool *verified, struct err *e)
{
	int status = verify_tour(r, o, e);

	if (!status)
		status = verify_optimum(r, o, e);
	*verified = !status && o->order;
	return status;
}

int ivm_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
	       struct err *e)
{
	*verified = false;
	if (r->flowshop)
		return fsp_verify(r, o, verified, e);
	return r->atsp ? verify_atsp(r, o, verified, e) : queens_verify(r, o, verified, e);
}

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

void ivm_time_bound(struct bench_case *c, const struct search_request *r,
		    const struct search_outcome *o, enum solve_variant v)
{
	if (r->flowshop && o->evaluated)
		search_floor(c, 2.0 * r->flowshop->machines * (double)o->evaluated, r, o, v);
}
