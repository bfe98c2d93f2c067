/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra_solve: chooses the solver of the problem, and the result. The solvers are those of the
 * targets: dp-knapsack, gmys-ivm (flowshop, ATSP), helbecque-pool (N-Queens) and gboa. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/dp-knapsack/solve.h"
#include "algorithms/gboa/solve/options.h"
#include "algorithms/gboa/solve/solve.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/atsp/atsp_solve.h"
#include "algorithms/tree-search/nqueens/queens_solve.h"
#include "algorithms/tree-search/search_solve.h"
#include "harness/base/clock.h"
#include "library/internal.h"

enum { THREADS_MAX = SEARCH_WORKERS_MAX };

/* ---- devices and limits ---- */

/* Without a device the variant is cpu. "auto" accepts a machine without a GPU. */
static int open_devices(const struct copra_settings *s, struct solve_options *o, struct err *e)
{
	int status;

	o->variant = SOLVE_CPU;
	if (s->gpus > DEV_MAX)
		return err_set(e, ERR_USAGE, "gpus: must be at most %d", DEV_MAX);
	if (strcmp(s->device, "cpu") == 0 ||
	    (strcmp(s->device, "auto") == 0 && s->gpus == 0 && dev_gpu_unavailable()))
		return 0;
	o->as_pays = s->gpus == 0 && strcmp(s->device, "auto") == 0;
	status = (o->as_pays ? dev_set_open_first : dev_set_open)(&o->devices, s->device,
								  (int)s->gpus, e);
	if (!status)
		status = dev_set_await(&o->devices, e);
	if (!status && o->devices.count)
		o->variant = SOLVE_TUNED;
	if (!status && o->devices.backend == DEV_SIM && s->stop)
		dev_set_cancel_on(&o->devices, s->stop);
	return status;
}

static int open_options(const struct copra_settings *s, struct solve_options *o, struct err *e)
{
	*o = (struct solve_options){
		.target = "copra",
		.threads = library_threads(s, THREADS_MAX),
		.gpus = s->gpus,
		.ub = *s->ub ? s->ub : NULL,
		.seed = s->seed,
		.time_limit = s->time_limit,
		.deadline = s->time_limit > 0 ? clock_wall() + s->time_limit : 0,
		.stop = s->stop,
	};
	return open_devices(s, o, e);
}

/* ---- tree searches ---- */

struct tree {
	enum solve_variant variant;
};

static int refuse_nothing(void *context, const struct search_request *q, struct err *e)
{
	(void)context, (void)q, (void)e;
	return 0;
}

static void figures(void *context, const struct search_request *q, const struct search_outcome *o,
		    struct solve_result *r)
{
	(void)context;
	if (o->explored)
		solve_node_figure(r, "explored", (double)o->explored);
	if (o->decomposed)
		solve_node_figure(r, "decomposed", (double)o->decomposed);
	if (!q->queens)
		solve_node_figure(r, "leaves", (double)o->leaves);
	if (o->evaluated)
		solve_node_figure(r, "evaluated", (double)o->evaluated);
	solve_extra_figure(r, "workers", o->workers);
	solve_extra_figure(r, "memory_peak", (double)o->memory_peak);
}

static int search_intervals(void *context, const struct search_request *q, struct search_outcome *o,
			    struct err *e)
{
	const struct tree *t = context;
	struct ivm_request request = { .common = *q };
	struct ivm_outcome outcome;
	int status = ivm_search(t->variant, &request, &outcome, e);

	*o = outcome.common;
	outcome.common.order = NULL; /* now owned by the caller */
	ivm_outcome_free(&outcome);
	return status;
}

static int search_pool(void *context, const struct search_request *q, struct search_outcome *o,
		       struct err *e)
{
	const struct tree *t = context;

	return pool_search(t->variant)(q, o, e);
}

static int solve_tree(const copra_instance *i, const struct copra_settings *s,
		      const struct solve_options *o, struct solve_result *r, struct err *e)
{
	struct tree tree = { o->variant };
	const struct search_target target = { .context = &tree,
					      .search = i->problem == LIBRARY_QUEENS ?
								search_pool :
								search_intervals,
					      .branching = FSP_MAXSUM,
					      .refuse = refuse_nothing,
					      .figures = figures };
	const struct search_flags flags = { .bound = *s->bound ? s->bound : NULL,
					    .branching = *s->branching ? s->branching : NULL };
	struct search_request q = search_solve_request(o);

	q.memory = s->memory;
	q.solutions_only = i->problem == LIBRARY_QUEENS;
	if (i->problem == LIBRARY_FLOWSHOP)
		return fsp_solve_instance(o, &flags, &q, &target, &i->flowshop, r, e);
	if (i->problem == LIBRARY_ATSP)
		return atsp_solve_instance(o, NULL, &q, &target, &i->atsp, r, e);
	return queens_solve(o, &q, &target, r, e);
}

/* ---- landscapes ---- */

static int solve_landscape(const copra_instance *i, const struct copra_settings *s,
			   const struct solve_options *o, struct solve_result *r, struct err *e)
{
	struct boa_solve_options b = { .common = *o };

	boa_solve_defaults(&b);
	b.common.problem = i->problem_name;
	b.common.instance = i->landscape_instance;
	b.population = s->population;
	b.generations = s->generations;
	b.runs = s->runs;
	return boa_solve_spec.run(&b.common, r, e);
}

/* ---- all problems ---- */

static int solve_by(const copra_instance *i, const struct copra_settings *s,
		    const struct solve_options *o, struct solve_result *r, struct err *e)
{
	switch (i->problem) {
	case LIBRARY_KNAPSACK:
		return dp_solve_instance(o, s->memory, &i->knapsack, r, e);
	case LIBRARY_LANDSCAPE:
		return solve_landscape(i, s, o, r, e);
	default:
		return solve_tree(i, s, o, r, e);
	}
}

/* Whether the solver left a result: a stopped one may have none. */
static bool has_result(const struct solve_result *r)
{
	return r->has_objective || r->has_bound || r->status == SOLVE_INFEASIBLE;
}

/* The text of ERR_LIMIT: the cause, as the caller knows it. */
static void name_limit(const struct copra_settings *s, const struct solve_options *o,
		       double seconds, struct err *e)
{
	if (s->stop && *s->stop)
		err_set(e, ERR_LIMIT, "stopped by the stop flag after %.3g s", seconds);
	else if (o->deadline > 0 && clock_wall() >= o->deadline)
		err_set(e, ERR_LIMIT, "stopped by the time limit after %.3g s", seconds);
}

static int solve(copra_result *result, const copra_instance *instance,
		 const struct copra_settings *s, struct err *e)
{
	double begin = clock_wall();
	struct solve_options o;
	int status = open_options(s, &o, e);

	o.instance = instance->name;
	if (!status)
		status = solve_by(instance, s, &o, &result->r, e);
	dev_set_close(&o.devices);
	result->r.seconds_total = clock_wall() - begin;
	if (status == ERR_LIMIT)
		name_limit(s, &o, result->r.seconds_total, e);
	return status;
}

int copra_solve(copra_result **out, const copra_instance *instance, const copra_settings *settings,
		copra_error *error)
{
	struct copra_settings s = library_settings(settings);
	struct err e = { 0 };
	int status = library_given(instance, "instance", &e);

	*out = NULL;
	if (status)
		return library_error(error, status, &e);
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return library_error(error, err_set(&e, ERR_MEMORY, "no memory for a result"), &e);
	status = solve(*out, instance, &s, &e);
	if (status && (status != ERR_LIMIT || !has_result(&(*out)->r))) {
		copra_result_destroy(*out);
		*out = NULL;
	}
	return library_error(error, status, &e);
}

/* ---- results ---- */

void copra_result_destroy(copra_result *result)
{
	if (!result)
		return;
	free(result->r.solution);
	free(result);
}

_Static_assert((int)COPRA_STATUS_INFEASIBLE == (int)SOLVE_INFEASIBLE &&
		       (int)COPRA_STATUS_PROVED == (int)SOLVE_PROVED &&
		       (int)COPRA_STATUS_LIMIT == (int)SOLVE_LIMIT &&
		       (int)COPRA_STATUS_COUNTED == (int)SOLVE_COUNTED &&
		       (int)COPRA_STATUS_FEASIBLE == (int)SOLVE_FEASIBLE &&
		       (int)COPRA_STATUS_OPTIMAL == (int)SOLVE_OPTIMAL,
	       "the public numbers are those of the solvers");

enum copra_status copra_result_status(const copra_result *result)
{
	return (enum copra_status)result->r.status;
}

const char *copra_status_name(enum copra_status status)
{
	static const char *const names[] = {
		[COPRA_STATUS_OPTIMAL] = "optimal", [COPRA_STATUS_FEASIBLE] = "feasible",
		[COPRA_STATUS_COUNTED] = "counted", [COPRA_STATUS_LIMIT] = "limit",
		[COPRA_STATUS_PROVED] = "proved",   [COPRA_STATUS_INFEASIBLE] = "infeasible",
	};

	return (unsigned)status <= COPRA_STATUS_INFEASIBLE ? names[status] : "unknown";
}

int copra_result_has_objective(const copra_result *result)
{
	return result->r.has_objective;
}

int64_t copra_result_objective(const copra_result *result)
{
	return result->r.has_objective ? result->r.objective : 0;
}

int copra_result_has_bound(const copra_result *result)
{
	return result->r.has_bound;
}

int64_t copra_result_bound(const copra_result *result)
{
	return result->r.has_bound ? result->r.bound : 0;
}

const int64_t *copra_result_solution(const copra_result *result, size_t *length)
{
	if (length)
		*length = result->r.solution ? result->r.solution_length : 0;
	return result->r.solution;
}

int copra_result_verified(const copra_result *result)
{
	return result->r.verified;
}

double copra_result_seconds(const copra_result *result)
{
	return result->r.seconds_total;
}

static const struct solve_figure *find(const struct solve_figure *f, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(f[i].name, name) == 0)
			return &f[i];
	return NULL;
}

double copra_result_number(const copra_result *result, const char *name)
{
	const struct solve_result *r = &result->r;
	const struct solve_figure *f = find(r->nodes, r->node_count, name);

	f = f ? f : find(r->extras, r->extra_count, name);
	return f ? f->value : -1;
}
