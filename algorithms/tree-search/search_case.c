/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/search_case.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "algorithms/tree-search/cluster/cluster_search.h"
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/tree-search/search_work.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "kernels/tree-search/queens.h"

/* ---- the instance ---- */

static int load_instance(struct search_case *x, const char *label, struct err *e)
{
	struct search_request *q = &x->request;
	int status;

	q->queens = label_queens(label);
	if (q->queens > QUEENS_MAX)
		return err_set(e, ERR_USAGE, "%s: at most %d queens", label, QUEENS_MAX);
	if (q->queens)
		return 0;
	if (label_is_atsp(label)) {
		status = label_atsp(&x->atsp, label, e);
		q->atsp = status ? NULL : &x->atsp;
	} else {
		status = label_flowshop(&x->flowshop, label, e);
		q->flowshop = status ? NULL : &x->flowshop;
	}
	return status;
}

static int find_optimum(struct search_case *x, const char *label, struct err *e)
{
	struct search_request *q = &x->request;

	if (q->flowshop)
		return label_optimum(&x->flowshop, label, &x->optimum, e);
	q->start = x->start;
	return atsp_held_karp(&x->atsp, NULL, &x->optimum, x->start, e);
}

int search_case_load(struct search_case *x, const char *label, struct err *e)
{
	struct search_request *q = &x->request;
	int status = load_instance(x, label, e);

	if (status || q->queens)
		return status;
	x->start =
		malloc((size_t)(q->atsp ? x->atsp.cities : x->flowshop.jobs) * sizeof(*x->start));
	if (!x->start)
		return err_set(e, ERR_MEMORY, "no memory for a first solution");
	status = find_optimum(x, label, e);
	if (status || x->from_scratch > 0)
		return status;
	if (!x->optimum)
		return err_set(e, ERR_USAGE, "%s: its optimum is not known", label);
	q->ub = x->optimum;
	return 0;
}

int search_case_setup(struct bench_case *c, size_t bytes,
		      int (*prepare)(struct search_case *x, const struct bench_case *c,
				     const void *settings, struct err *e),
		      const void *settings, struct err *e)
{
	struct search_case *x = bench_new_data(c, bytes, e);
	int status = x ? prepare(x, c, settings, e) : ERR_MEMORY;

	if (x && status)
		search_case_teardown(c);
	return status;
}

void search_case_teardown(struct bench_case *c)
{
	struct search_case *x = bench_data(c);

	if (x->release)
		x->release(x);
	search_outcome_free(&x->outcome);
	if (x->request.flowshop)
		flowshop_free(&x->flowshop);
	if (x->request.atsp)
		atsp_free(&x->atsp);
	free(x->start);
	free(x);
}

bool search_case_needs_count(const struct search_case *x)
{
	return world_place() ? !world_is_helper() : x->variant != SOLVE_SERIAL;
}

/* ---- the search ---- */

static int find_start(struct search_case *x, struct err *e)
{
	struct search_request *q = &x->request;
	double begin = clock_wall();
	struct fsp_start_effort effort = { .most = x->from_scratch / 4,
					   .threads = x->variant == SOLVE_SERIAL ? 1 : q->threads,
					   .seed = q->seed,
					   .stop = q->stop };
	int status;

	if (x->from_scratch <= 0 || world_is_helper()) /* rank 0 has the start */
		return 0;
	status = fsp_start(FSP_START_IG, q->flowshop, &effort, x->start, &x->start_makespan, e);
	x->start_seconds = clock_wall() - begin;
	q->ub = x->start_makespan;
	q->start = x->start;
	q->time_limit = fmax(x->from_scratch - x->start_seconds, 1e-3);
	return status;
}

int search_case_run(struct search_case *x, struct err *e)
{
	const struct search_request *q = &x->request;
	int status = find_start(x, e);

	if (status)
		return status;
	search_outcome_free(&x->outcome);
	x->outcome = (struct search_outcome){ 0 };
	if (!world_place())
		status = x->target.search(x->target.context, q, &x->outcome, e);
	else
		status = cluster_search(&x->target, q, &x->outcome, e);
	if (status == ERR_LIMIT && world_is_helper())
		return 0;
	return status == ERR_LIMIT && q->time_limit > 0 && !interrupt_asked(q) ? 0 : status;
}

/* ---- verification ---- */

static uint64_t nodes_of(const struct search_case *x)
{
	return x->by_decomposed ? x->outcome.decomposed : x->outcome.explored;
}

static int check_count(const struct search_case *x, struct err *e)
{
	if (!x->outcome.complete && !x->part)
		return err_set(e, ERR_FAILED, "the search did not finish");
	if (!x->tree || (x->outcome.complete ? nodes_of(x) == x->tree : nodes_of(x) <= x->tree))
		return 0;
	return err_set(e, ERR_FAILED, "%" PRIu64 " nodes %s, the tree has %" PRIu64, nodes_of(x),
		       x->by_decomposed ? "decomposed" : "explored", x->tree);
}

int search_case_check(struct bench_case *c, struct err *e)
{
	const struct search_case *x = bench_data(c);
	const struct search_outcome *o = &x->outcome;
	int64_t expected = x->request.ub < x->optimum ? x->request.ub : x->optimum;
	bool verified;
	int status;

	if (world_is_helper())
		return 0;
	status = search_verify(&x->request, o, &verified, e);
	if (status)
		return status;
	if (x->optimum && o->complete && o->best != expected)
		return err_set(e, ERR_FAILED, "found %" PRId64 ", the optimum is %" PRId64, o->best,
			       expected);
	if (x->from_scratch > 0)
		return verified ? 0 : err_set(e, ERR_FAILED, "no schedule was returned");
	return check_count(x, e);
}

/* ---- reports ---- */

static bool is_part(const struct search_case *x)
{
	return x->part && !x->outcome.complete;
}

static uint64_t hash_of(const struct search_case *x)
{
	const struct search_outcome *o = &x->outcome;
	uint64_t hash = hash_u64(hash_u64(HASH_INIT, o->solutions), (uint64_t)o->best);

	if (is_part(x))
		return hash_u64(HASH_INIT, (uint64_t)x->optimum);
	if (x->request.solutions_only || x->from_scratch > 0)
		return hash;
	return hash_u64(hash, nodes_of(x));
}

/* The search time of the whole tree, from that of the part that was searched. */
static double extrapolate(struct bench_case *c, const struct search_case *x, const char *name)
{
	double part = (double)nodes_of(x), all = x->tree ? (double)x->tree : part;

	bench_counter(c, "extrapolated", 1, BENCH_COUNT);
	bench_counter(c, name, part, BENCH_COUNT);
	bench_label(c, "extrapolated from %.3g of %.3g nodes", part, all);
	return part > 0 ? x->outcome.seconds_search * all / part : x->outcome.seconds_search;
}

bool search_case_report(struct bench_case *c, const struct search_case *x, double seconds,
			const char *part)
{
	bool extrapolated = is_part(x);

	bench_output_hash(c, hash_of(x));
	bench_set_seconds(c, x->start_seconds + (extrapolated ? extrapolate(c, x, part) : seconds));
	return extrapolated;
}

void search_case_ranks(struct bench_case *c, const struct search_case *x)
{
	const struct search_outcome *o = &x->outcome;
	bool counted = !x->request.solutions_only, flowshop = x->request.flowshop;

	if (counted && o->explored)
		bench_counter(c, "explored", (double)o->explored, BENCH_COUNT);
	if (counted && o->decomposed)
		bench_counter(c, "decomposed", (double)o->decomposed, BENCH_COUNT);
	bench_counter(c, flowshop || x->request.atsp ? "leaves" : "solutions",
		      (double)(flowshop || x->request.atsp ? o->leaves : o->solutions),
		      BENCH_COUNT);
	if (o->evaluated)
		bench_counter(c, "evaluated", (double)o->evaluated, BENCH_COUNT);
	bench_counter(c, "total_seconds", o->seconds_total, BENCH_MEAN);
}

int search_case_refuse_ranks(struct bench_case *c, const char *why, struct err *e)
{
	if (!world_place())
		return 0;
	return bench_skip(c, (struct skip){ .reason = SKIP_UNSUPPORTED }, e,
			  "not on several ranks: %s", why);
}

void search_case_scratch(struct bench_case *c, const struct search_case *x)
{
	const struct search_outcome *o = &x->outcome;

	bench_counter(c, "proved", o->complete, BENCH_COUNT);
	bench_counter(c, "best", (double)o->best, BENCH_COUNT);
	bench_counter(c, "lower_bound", (double)o->lower_bound, BENCH_COUNT);
	bench_counter(c, "start_makespan", (double)x->start_makespan, BENCH_COUNT);
	bench_counter(c, "start_seconds", x->start_seconds, BENCH_MEAN);
}

void search_case_device_demands(struct bench_case *c, const struct search_case *x, enum peak what,
				double operations, double bytes)
{
	double devices = x->outcome.workers;
	const struct peak_demand demand[] = { { what, operations / devices },
					      { PEAK_GPU_COPY, bytes / devices } };

	if (devices >= 1)
		bench_demands(c, demand, sizeof(demand) / sizeof(*demand));
}

void search_case_least_demand(struct bench_case *c, const struct search_case *x, uint64_t bounds)
{
	bool device = x->variant >= SOLVE_PUBLISHED;
	double operations = 2.0 * x->request.flowshop->machines * (double)bounds;
	const struct peak_demand demand = {
		.what = device                  ? PEAK_GPU_ADD_MAX_16 :
			x->request.threads == 1 ? PEAK_CPU_ADD_MAX_1 :
						  PEAK_CPU_ADD_MAX,
		.amount = device ? operations / x->outcome.workers : operations / 2,
	};

	if (x->outcome.workers >= 1)
		bench_least_demands(c, &demand, 1);
}

void search_case_sets_demands(struct bench_case *c, const struct search_case *x)
{
	enum fsp_branching branching = x->request.branching;

	search_case_device_demands(c, x, PEAK_GPU_ADD_MAX_16,
				   search_work_sets(branching, &x->outcome),
				   search_work_sets_bytes(branching, &x->outcome));
}

void search_case_cores_demands(struct bench_case *c, const struct search_case *x, double operations)
{
	bool one = x->variant == SOLVE_SERIAL || x->request.threads == 1;
	const struct peak_demand demand[] = {
		{ one ? PEAK_CPU_ADD_MAX_1 : PEAK_CPU_ADD_MAX, operations },
		{ one ? PEAK_CPU_COPY_1 : PEAK_CPU_COPY, search_work_cores_bytes(&x->request) },
	};

	bench_demands(c, demand, sizeof(demand) / sizeof(*demand));
}
