/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/sizing/size_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "algorithms/gboa/runs.h"
#include "algorithms/tree-search/cluster/world.h"
#include "harness/base/clock.h"

enum { STEP = 64 };

/* The bisection of one repeat. */
struct bisection {
	const struct boa_size_request *request;
	struct boa_size_outcome *out;
	struct boa_trials *trials;
	int repeat;
	double deadline;    /* clock_wall; 0: none */
	double evaluations; /* mean per run, at the last population that succeeded */
};

void boa_size_outcome_destroy(struct boa_size_outcome *out)
{
	free(out->points);
	free(out->found);
	*out = (struct boa_size_outcome){ .points = NULL };
}

/* Returns the point of a population, which is inserted if it is missing; NULL if memory runs
 * out. */
static struct boa_size_point *point_of(struct boa_size_outcome *out, int32_t population)
{
	int at = 0;

	while (at < out->count && out->points[at].population < population)
		at++;
	if (at < out->count && out->points[at].population == population)
		return &out->points[at];
	if (out->count == out->capacity) {
		int capacity = out->capacity ? 2 * out->capacity : 32;
		struct boa_size_point *grown =
			realloc(out->points, (size_t)capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		out->points = grown;
		out->capacity = capacity;
	}
	for (int i = out->count++; i > at; i--)
		out->points[i] = out->points[i - 1];
	out->points[at] = (struct boa_size_point){ .population = population };
	return &out->points[at];
}

static int add_point(struct bisection *b, int32_t population, const struct boa_summary *s,
		     struct err *e)
{
	struct boa_size_point *p = point_of(b->out, population);
	double before, all;

	if (!p)
		return err_set(e, ERR_MEMORY, "no memory for the success curve");
	before = p->runs;
	all = before + s->began;
	p->generations = (p->generations * before + s->generations * s->began) / all;
	p->evaluations = (p->evaluations * before + s->evaluations * s->began) / all;
	p->runs += s->began;
	p->successes += s->successes;
	p->seconds += b->trials->times.total;
	b->out->seconds += b->trials->times.total;
	return 0;
}

/* Makes the runs of one population. *enough: whether it succeeded. */
static int try_population(struct bisection *b, int32_t population, bool *enough, struct err *e)
{
	const struct boa_size_request *q = b->request;
	struct boa_setup setup = *q->setup;
	struct boa_options o = *setup.options;
	struct boa_summary s;
	int status;

	o.population = population;
	o.selected = population / 2;
	o.seed += (uint64_t)b->repeat * (uint64_t)q->runs;
	setup.options = &o;
	if (b->deadline > 0) {
		setup.time_limit = b->deadline - clock_wall();
		if (setup.time_limit <= 0 && !world_place())
			return err_set(e, ERR_LIMIT, "the time limit was reached");
		/* other ranks may be early enough, so that they wait for this one's runs */
		setup.time_limit = fmax(setup.time_limit, 1e-9);
	}
	status = boa_trials_share(b->trials, &setup, e);
	if (!status)
		status = boa_trials_verify(b->trials, setup.landscape, e);
	if (status)
		return status;
	boa_trials_sum_up(b->trials, setup.landscape, &o, &s);
	*enough = s.successes >= q->needed;
	if (*enough)
		b->evaluations = s.evaluations;
	if (q->progress)
		q->progress(q->context, b->repeat, population, s.successes);
	return add_point(b, population, &s, e);
}

/* Doubles the population until it succeeds, or halves it until it fails. *low failed (0: none was
 * too small), *high succeeded (0: `to` is too small). */
static int bracket(struct bisection *b, int32_t *low, int32_t *high, struct err *e)
{
	const struct boa_size_request *q = b->request;
	int32_t population = q->from;
	bool enough;
	int status = try_population(b, population, &enough, e);

	*low = enough ? 0 : population;
	*high = enough ? population : 0;
	while (!status && !*high && population < q->to) {
		population = population > q->to / 2 ? q->to : 2 * population;
		status = try_population(b, population, &enough, e);
		if (!status)
			*(enough ? high : low) = population;
	}
	while (!status && !*low && population > STEP) {
		population = population / 2 / STEP * STEP;
		population = population < STEP ? STEP : population;
		status = try_population(b, population, &enough, e);
		if (!status)
			*(enough ? high : low) = population;
	}
	return status;
}

static int bisect(struct bisection *b, int32_t *found, struct err *e)
{
	const struct boa_size_request *q = b->request;
	int32_t low = 0, high = 0;
	int status = bracket(b, &low, &high, e);

	while (!status && high && low && high - low > STEP && high > (1 + q->precision) * low) {
		int32_t middle = (low / STEP + high / STEP) / 2 * STEP;
		bool enough;

		status = try_population(b, middle, &enough, e);
		if (!status)
			*(enough ? &high : &low) = middle;
	}
	*found = high;
	return status;
}

static int check_request(const struct boa_size_request *q, struct err *e)
{
	const struct landscape *l = q->setup->landscape;

	if (l->infeasible)
		return err_set(
			e, ERR_USAGE,
			"%s: no assignment satisfies all hard clauses, so no run can succeed",
			l->name);
	if (!l->optimum_known)
		return err_set(e, ERR_USAGE,
			       "%s: the optimum is not known, so success cannot be determined",
			       l->name);
	if (q->runs < 1 || q->needed < 1 || q->needed > q->runs)
		return err_set(e, ERR_USAGE,
			       "%d successes of %d runs: must be between 1 and the number of runs",
			       q->needed, q->runs);
	if (q->from < STEP || q->from % STEP || q->to % STEP || q->to < q->from ||
	    q->to > BOA_POPULATION_MAX)
		return err_set(e, ERR_USAGE,
			       "populations from %" PRId32 " to %" PRId32
			       ": multiples of %d, at most %d",
			       q->from, q->to, STEP, BOA_POPULATION_MAX);
	return 0;
}

static void finish(struct bisection *b, int32_t found, double *populations, int *successful)
{
	b->out->found[b->out->ended++] = found;
	if (!found)
		return;
	*populations += found;
	b->out->evaluations += b->evaluations;
	++*successful;
}

int boa_size_search(const struct boa_size_request *q, struct boa_size_outcome *out, struct err *e)
{
	struct boa_trials trials = { .n = 0 };
	struct bisection b = { .request = q, .out = out, .trials = &trials };
	double populations = 0, limit = q->setup->time_limit;
	int successful = 0, status = check_request(q, e);

	*out = (struct boa_size_outcome){ .points = NULL };
	if (!status)
		status = boa_trials_create(&trials, q->setup->landscape->n, q->runs, e);
	if (status)
		return status;
	out->found = calloc((size_t)q->repeats, sizeof(*out->found));
	if (!out->found)
		status = err_set(e, ERR_MEMORY, "no memory for %d repeats", q->repeats);
	b.deadline = limit > 0 ? clock_wall() + limit : 0;
	for (; b.repeat < q->repeats && !status; b.repeat++) {
		int32_t found;

		status = bisect(&b, &found, e);
		if (!status)
			finish(&b, found, &populations, &successful);
	}
	if (successful) {
		out->population = populations / successful;
		out->evaluations /= successful;
	}
	boa_trials_destroy(&trials);
	return status;
}
