/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/rng.h"

/* ---- insertion ----
 *
 * The best position of a job in a partial order, by Taillard's acceleration (EJOR 47, 1990): all
 * n + 1 positions in O(n m) instead of O(n^2 m). */

struct insertion {
	int jobs, machines;
	int32_t *time;  /* [job * machines + machine] */
	int32_t *ahead; /* [place * machines + machine]: completion times of the jobs before the
			   place */
	int32_t *after; /* the same from the end: remaining times from the place on */
};

static void insertion_free(struct insertion *s)
{
	free(s->time);
	free(s->ahead);
	free(s->after);
	*s = (struct insertion){ .jobs = 0 };
}

/* ERR_MEMORY. */
static int insertion_make(struct insertion *s, const struct flowshop *f, struct err *e)
{
	size_t n = (size_t)f->jobs, m = (size_t)f->machines;

	s->jobs = f->jobs;
	s->machines = f->machines;
	s->time = calloc(n * m, sizeof(*s->time));
	s->ahead = calloc((n + 1) * m, sizeof(*s->ahead));
	s->after = calloc((n + 1) * m, sizeof(*s->after));
	if (!s->time || !s->ahead || !s->after) {
		insertion_free(s);
		return err_set(e, ERR_MEMORY, "no memory for a heuristic on %s", f->name);
	}
	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < m; k++)
			s->time[j * m + k] = f->time[k * n + j];
	return 0;
}

/* Fills ahead[0..count]; ahead[0] stays 0. */
static void fill_ahead(struct insertion *s, const int *order, int count)
{
	int m = s->machines;

	for (int i = 0; i < count; i++)
		fsp_append(&s->time[order[i] * m], &s->ahead[i * m], &s->ahead[(i + 1) * m], m);
}

/* Fills after[0..count]. */
static void fill_after(struct insertion *s, const int *order, int count)
{
	int m = s->machines;

	memset(&s->after[count * m], 0, (size_t)m * sizeof(*s->after));
	for (int i = count - 1; i >= 0; i--)
		fsp_prepend(&s->time[order[i] * m], &s->after[(i + 1) * m], &s->after[i * m], m);
}

/* Makespan through a job of times p between `ahead` and `after`. */
static int32_t through(const int32_t *p, const int32_t *ahead, const int32_t *after, int machines)
{
	int32_t t = 0, most = 0;

	for (int k = 0; k < machines; k++) {
		t = (t > ahead[k] ? t : ahead[k]) + p[k];
		most = t + after[k] > most ? t + after[k] : most;
	}
	return most;
}

/* The least makespan of `order` (count jobs) with `job` inserted; *place is the first position that
 * gives it. */
static int32_t insertion_best(struct insertion *s, const int *order, int count, int job, int *place)
{
	int m = s->machines;
	int32_t best = INT32_MAX;

	fill_ahead(s, order, count);
	fill_after(s, order, count);
	*place = 0;
	for (int i = 0; i <= count; i++) {
		int32_t x = through(&s->time[job * m], &s->ahead[i * m], &s->after[i * m], m);

		if (x < best) {
			best = x;
			*place = i;
		}
	}
	return best;
}

/* Makespan of `count` jobs in that order. */
static int32_t insertion_makespan(struct insertion *s, const int *order, int count)
{
	fill_ahead(s, order, count);
	return s->ahead[count * s->machines + s->machines - 1];
}

/* Inserts a job into, or removes one from, an order that holds `count` jobs before the call. */
static void insertion_put(int *order, int count, int place, int job)
{
	memmove(&order[place + 1], &order[place], (size_t)(count - place) * sizeof(*order));
	order[place] = job;
}

static int insertion_take(int *order, int count, int place)
{
	int job = order[place];

	memmove(&order[place], &order[place + 1], (size_t)(count - place - 1) * sizeof(*order));
	return job;
}

/* ---- NEH ---- */

struct load {
	int64_t work;
	int job;
};

/* Largest load first. Ties are ordered by job number, so that the result is the same everywhere. */
static int compare_loads(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->work != y->work)
		return x->work > y->work ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static void sort_by_load(const struct insertion *s, struct load *loads)
{
	for (int j = 0; j < s->jobs; j++) {
		loads[j] = (struct load){ .work = 0, .job = j };
		for (int k = 0; k < s->machines; k++)
			loads[j].work += s->time[j * s->machines + k];
	}
	qsort(loads, (size_t)s->jobs, sizeof(*loads), compare_loads);
}

static int64_t build(struct insertion *s, const struct load *loads, int *order)
{
	int32_t makespan = 0;
	int place;

	for (int i = 0; i < s->jobs; i++) {
		makespan = insertion_best(s, order, i, loads[i].job, &place);
		insertion_put(order, i, place, loads[i].job);
	}
	return makespan;
}

int64_t fsp_neh(const struct flowshop *f, int64_t *order, struct err *e)
{
	int now[FLOWSHOP_MAX_JOBS] = { 0 };
	struct load loads[FLOWSHOP_MAX_JOBS];
	struct insertion s;
	int64_t makespan;
	int status = insertion_make(&s, f, e);

	if (status)
		return status;
	sort_by_load(&s, loads);
	makespan = build(&s, loads, now);
	for (int i = 0; i < f->jobs; i++)
		order[i] = now[i];
	insertion_free(&s);
	return makespan;
}

/* ---- iterated greedy, with local search of the jobs that are left after the removal ---- */

enum { REMOVED = 2 };
#define TEMPERATURE 0.7

struct fsp_greedy {
	struct insertion places;
	struct rng rng;
	double temperature;
	const atomic_bool *over;
	int now[FLOWSHOP_MAX_JOBS], next[FLOWSHOP_MAX_JOBS], best[FLOWSHOP_MAX_JOBS];
	int32_t now_makespan, best_makespan;
};

static bool ended(const struct fsp_greedy *g)
{
	return g->over && atomic_load_explicit(g->over, memory_order_relaxed);
}

/* TEMPERATURE times a tenth of the mean processing time. */
static double temperature_of(const struct insertion *s)
{
	int count = s->jobs * s->machines;
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += s->time[i];
	return TEMPERATURE * sum / count / 10;
}

static void shuffle(struct rng *rng, int *jobs, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)rng_below(rng, (uint64_t)i + 1), t = jobs[i];

		jobs[i] = jobs[j];
		jobs[j] = t;
	}
}

static int place_of(const int *order, int job)
{
	int i = 0;

	while (order[i] != job)
		i++;
	return i;
}

/* Moves single jobs among the first n of g->next, in random order, until a whole round finds no
 * better position. */
static int32_t improve(struct fsp_greedy *g, int n, int32_t makespan)
{
	int jobs[FLOWSHOP_MAX_JOBS];
	bool better = true;

	memcpy(jobs, g->next, (size_t)n * sizeof(*jobs));
	while (better) {
		better = false;
		shuffle(&g->rng, jobs, n);
		for (int i = 0; i < n && !ended(g); i++) {
			int from = place_of(g->next, jobs[i]), to;
			int32_t x;

			insertion_take(g->next, n, from);
			x = insertion_best(&g->places, g->next, n - 1, jobs[i], &to);
			insertion_put(g->next, n - 1, x < makespan ? to : from, jobs[i]);
			better |= x < makespan;
			makespan = x < makespan ? x : makespan;
		}
	}
	return makespan;
}

/* Removes REMOVED random jobs from g->next, improves the rest, and inserts each at its best
 * position. */
static int32_t destroy_and_rebuild(struct fsp_greedy *g)
{
	int n = g->places.jobs, count = n, removed[REMOVED], place;
	int32_t makespan = g->now_makespan;

	for (int i = 0; i < REMOVED && count > 1; i++, count--)
		removed[i] =
			insertion_take(g->next, count, (int)rng_below(&g->rng, (uint64_t)count));
	improve(g, count, insertion_makespan(&g->places, g->next, count));
	for (int i = 0; count < n; i++, count++) {
		makespan = insertion_best(&g->places, g->next, count, removed[i], &place);
		insertion_put(g->next, count, place, removed[i]);
	}
	return makespan;
}

/* Replaces g->now by g->next if it is as good, or at random; keeps the best. */
static void accept(struct fsp_greedy *g, int32_t makespan)
{
	size_t bytes = (size_t)g->places.jobs * sizeof(*g->now);
	double worse = (double)makespan - g->now_makespan;

	if (worse > 0 && rng_unit(&g->rng) > exp(-worse / g->temperature))
		return;
	memcpy(g->now, g->next, bytes);
	g->now_makespan = makespan;
	if (makespan < g->best_makespan) {
		memcpy(g->best, g->next, bytes);
		g->best_makespan = makespan;
	}
}

static void take_now(struct fsp_greedy *g)
{
	memcpy(g->next, g->now, (size_t)g->places.jobs * sizeof(*g->now));
}

int fsp_greedy_create(struct fsp_greedy **out, const struct flowshop *f, const int64_t *order,
		      uint64_t seed, const atomic_bool *over, struct err *e)
{
	struct fsp_greedy *g;
	int status;

	*out = NULL;
	if (flowshop_makespan(f, order) < 0)
		return err_set(e, ERR_USAGE, "%s: the order to improve is not a permutation",
			       f->name);
	g = calloc(1, sizeof(*g));
	if (!g)
		return err_set(e, ERR_MEMORY, "no memory for a heuristic on %s", f->name);
	g->over = over;
	status = insertion_make(&g->places, f, e);
	if (status) {
		free(g);
		return status;
	}
	g->rng = rng_seeded(seed);
	g->temperature = temperature_of(&g->places);
	fsp_greedy_from(g, order);
	take_now(g);
	*out = g;
	return 0;
}

void fsp_greedy_destroy(struct fsp_greedy *g)
{
	if (!g)
		return;
	insertion_free(&g->places);
	free(g);
}

void fsp_greedy_from(struct fsp_greedy *g, const int64_t *order)
{
	for (int i = 0; i < g->places.jobs; i++)
		g->now[i] = g->best[i] = (int)order[i];
	g->now_makespan = g->best_makespan = insertion_makespan(&g->places, g->now, g->places.jobs);
}

int64_t fsp_greedy_step(struct fsp_greedy *g)
{
	int32_t rebuilt;

	take_now(g);
	rebuilt = destroy_and_rebuild(g);
	accept(g, improve(g, g->places.jobs, rebuilt));
	return g->best_makespan;
}

void fsp_greedy_best(const struct fsp_greedy *g, int64_t *order)
{
	for (int i = 0; i < g->places.jobs; i++)
		order[i] = g->best[i];
}
