/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/koester-recovery/pfsp_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/flowshop/fsp_greedy.h"

struct flowshop pfsp_loaded(const char *name)
{
	struct flowshop f;

	OK(flowshop_load(&f, name, &e));
	return f;
}

struct track_pfsp_problem *pfsp_problem_of(const struct flowshop *f, enum track_pfsp_guide guide,
					   enum track_pfsp_branching branching, int32_t best)
{
	struct track_pfsp_options o = { guide, branching };
	struct track_pfsp_problem *q;

	OK(track_pfsp_problem_create(&q, f, &o, best, &e));
	return q;
}

struct track_batch pfsp_sample_batch(const struct pfsp_sample *x, void *states)
{
	struct track_batch b = { .layout = x->q->domain.layout,
				 .states = states,
				 .slots = x->count,
				 .count = x->count,
				 .seed = 1,
				 .iteration = 1 };

	return b;
}

/* Makes one state by random successors and records the jobs. */
static void sample_one(struct pfsp_sample *x, uint32_t i, struct track_place *host, struct rng *r)
{
	const struct track_pfsp *d = &x->q->parameters;
	uint32_t *state = calloc(x->units, sizeof(*state));
	int64_t *left = malloc((size_t)d->jobs * sizeof(*left));
	int32_t n = d->jobs;

	memcpy(state, x->q->root, x->units * sizeof(*state));
	for (int32_t j = 0; j < d->jobs; j++)
		left[j] = j;
	for (uint32_t k = 0; k < x->depth[i]; k++, n--) {
		uint32_t successor = (uint32_t)rng_below(r, (uint64_t)n);
		struct track_batch b = { .layout = x->q->domain.layout,
					 .states = state,
					 .slots = 1,
					 .count = 1,
					 .successor = &successor };

		OK(track_pfsp_ops_host.advance(host, d, &b, 1, TRACK_ASSIGN_FIRST, &e));
		x->order[i * (uint32_t)d->jobs + k] = left[successor];
		memmove(left + successor, left + successor + 1,
			((uint32_t)n - successor - 1) * sizeof(*left));
	}
	for (uint32_t u = 0; u < x->units; u++)
		x->states[u * x->count + i] = state[u];
	free(left);
	free(state);
}

struct pfsp_sample pfsp_sample_make(struct track_pfsp_problem *q, uint32_t count,
				    struct track_place *host, uint64_t seed)
{
	struct pfsp_sample x = { .q = q, .count = count, .units = q->domain.layout.units };
	uint32_t jobs = (uint32_t)q->parameters.jobs;
	struct rng r;

	r = rng_seeded(seed);
	x.states = malloc((size_t)count * x.units * sizeof(*x.states));
	x.depth = malloc(count * sizeof(*x.depth));
	x.order = malloc((size_t)count * jobs * sizeof(*x.order));
	for (uint32_t i = 0; i < count; i++) {
		x.depth[i] = (uint32_t)rng_below(&r, jobs + 1);
		sample_one(&x, i, host, &r);
	}
	return x;
}

void pfsp_sample_free(struct pfsp_sample *x)
{
	free(x->states);
	free(x->depth);
	free(x->order);
}

/* ---- the definition ---- */

/* Schedules the jobs of one side in the order in which they were placed. Computes the fronts, and
 * adds the idle time and its share (w) to *m. reverse: the side at the end. */
static void define_side(const struct flowshop *f, const int64_t *order, uint32_t count,
			bool reverse, double mean, int64_t *front, struct pfsp_meaning *m)
{
	int64_t *work = calloc((size_t)f->machines, sizeof(*work));
	double share = 0;

	for (uint32_t n = 0; n < count; n++) {
		int64_t end = 0;

		share = 0;
		for (int i = 0; i < f->machines; i++) {
			int k = reverse ? f->machines - 1 - i : i;
			int64_t p = f->time[k * f->jobs + order[n]], old = front[k];
			int64_t start = end > old ? end : old;
			double expected = ((double)old > mean * i ? (double)old : mean * i) + mean;
			double idle = (double)(old - work[k]), part = idle / expected;

			end = start + p;
			share += part + (1 - part) / expected * (double)(start - old) -
				 part / expected * ((double)p - mean);
			front[k] = end;
			work[k] += p;
		}
	}
	for (int k = 0; k < f->machines; k++)
		m->idle += front[k] - work[k];
	m->share += share;
	free(work);
}

/* In forward schedules, the least tail of each machine counts as idle time at the back. */
static void define_tails(const struct flowshop *f, int64_t *back, struct pfsp_meaning *m)
{
	for (int k = 0; k < f->machines; k++) {
		back[k] = INT64_MAX;
		for (int j = 0; j < f->jobs; j++) {
			int64_t sum = 0;

			for (int i = k + 1; i < f->machines; i++)
				sum += f->time[i * f->jobs + j];
			back[k] = sum < back[k] ? sum : back[k];
		}
		m->idle += back[k];
	}
}

struct pfsp_meaning pfsp_define(const struct flowshop *f, const int64_t *order, uint32_t placed,
				bool both_ends)
{
	int64_t front[FLOWSHOP_MAX_MACHINES] = { 0 }, back[FLOWSHOP_MAX_MACHINES] = { 0 };
	int64_t side[2][FLOWSHOP_MAX_JOBS], total = 0;
	uint32_t count[2] = { 0, 0 };
	struct pfsp_meaning m = { 0 };
	double mean;

	for (int i = 0; i < f->jobs * f->machines; i++)
		total += f->time[i];
	mean = (double)(total / f->jobs / f->machines);
	mean = mean < 1 ? 1 : mean;
	for (uint32_t n = 0; n < placed; n++) {
		int s = both_ends && n % 2;

		side[s][count[s]++] = order[n];
	}
	define_side(f, side[0], count[0], false, mean, front, &m);
	if (both_ends)
		define_side(f, side[1], count[1], true, mean, back, &m);
	else
		define_tails(f, back, &m);
	for (int k = 0; k < f->machines; k++) {
		int64_t x = front[k] + back[k];

		for (int j = 0; j < f->jobs; j++)
			x += f->time[k * f->jobs + j];
		for (uint32_t n = 0; n < placed; n++)
			x -= f->time[k * f->jobs + order[n]];
		m.bound = x > m.bound ? x : m.bound;
	}
	return m;
}

/* ---- children rated from their parent ---- */

static void *track_pfsp_put(struct track_place *p, const void *from, size_t bytes)
{
	void *there;

	OK(track_alloc(p, &there, bytes + 1, &e));
	OK(track_to(p, there, from, bytes, &e));
	OK(track_sync(p, &e));
	return there;
}

/* Rates children without rate_children: advances and rates clones, as the tracker does. */
static void rate_made(const struct pfsp_sample *x, struct track_place *host, const uint32_t *first,
		      uint32_t *rating)
{
	const struct track_pfsp *d = &x->q->parameters;
	uint32_t *state = malloc(x->units * sizeof(*state));

	for (uint32_t i = 0; i < x->count; i++)
		for (uint32_t k = 0; k < (uint32_t)d->jobs - x->depth[i]; k++) {
			struct track_batch b = { .layout = x->q->domain.layout,
						 .states = state,
						 .slots = 1,
						 .count = 1,
						 .successor = &k };

			for (uint32_t u = 0; u < x->units; u++)
				state[u] = x->states[u * x->count + i];
			OK(track_pfsp_ops_host.advance(host, d, &b, 1, TRACK_ASSIGN_FIRST, &e));
			OK(track_pfsp_ops_host.rate(host, d, &b, rating + first[i] + k, &e));
		}
	free(state);
}

/* Checks that rate_children of the place gives the same ratings for any order of slots. */
static void check_children(const struct pfsp_sample *x, struct track_place *p,
			   struct track_place *host, uint64_t seed)
{
	const struct track_ops *ops = track_ops_of(&x->q->domain, p);
	size_t words = (size_t)x->count * sizeof(uint32_t);
	uint32_t *number = malloc(words), *first = malloc(words), *slot = malloc(words);
	uint32_t *mixed = malloc(words * x->units), total = 0, *made, *rated;
	struct track_pfsp d = x->q->parameters;
	void *held = NULL;
	struct rng r;

	r = rng_seeded(seed);
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t j = (uint32_t)rng_below(&r, i + 1);

		number[i] = (uint32_t)d.jobs - x->depth[i];
		first[i] = total;
		total += number[i];
		slot[i] = slot[j];
		slot[j] = i;
	}
	for (uint32_t i = 0; i < x->count; i++)
		for (uint32_t u = 0; u < x->units; u++)
			mixed[u * x->count + slot[i]] = x->states[u * x->count + i];
	made = malloc((total + 1) * sizeof(*made));
	rated = malloc((total + 1) * sizeof(*rated));
	rate_made(x, host, first, made);
	memset(rated, 0x5A, total * sizeof(*rated));
	if (p->device)
		OK(x->q->domain.enter(&x->q->domain, p, &d, &held, &e));
	{
		struct track_batch b =
			pfsp_sample_batch(x, track_pfsp_put(p, mixed, words * x->units));
		struct track_children c = { .first = track_pfsp_put(p, first, words),
					    .number = track_pfsp_put(p, number, words),
					    .total = total };
		uint32_t *there = track_pfsp_put(p, rated, total * sizeof(*rated));

		b.slot = track_pfsp_put(p, slot, words);
		OK(ops->rate_children(p, &d, &b, &c, NULL, 1, TRACK_ASSIGN_FIRST, 0, there, &e));
		OK(track_from(p, rated, there, total * sizeof(*rated), &e));
		OK(track_sync(p, &e));
		track_free(p, b.states, words * x->units + 1);
		track_free(p, (void *)b.slot, words + 1);
		track_free(p, (void *)c.first, words + 1);
		track_free(p, (void *)c.number, words + 1);
		track_free(p, there, total * sizeof(*rated) + 1);
	}
	if (p->device)
		x->q->domain.leave(&x->q->domain, p, held);
	for (uint32_t i = 0; i < total; i++)
		if (made[i] != rated[i])
			fail_msg("child %u of %u: %u, made %u", i, total, rated[i], made[i]);
	free(number);
	free(first);
	free(slot);
	free(mixed);
	free(made);
	free(rated);
}

void pfsp_check_children_of(const char *name, enum track_pfsp_guide guide,
			    enum track_pfsp_branching branching, uint32_t count,
			    struct track_place *p, struct track_place *host)
{
	struct flowshop f = pfsp_loaded(name);
	int64_t order[FLOWSHOP_MAX_JOBS];
	int64_t best = fsp_neh(&f, order, NULL);
	struct track_pfsp_problem *q =
		pfsp_problem_of(&f, guide, branching, (int32_t)(best + best / 4));
	struct pfsp_sample x = pfsp_sample_make(q, count, host, 7 + count);

	check_children(&x, p, host, 3);
	pfsp_sample_free(&x);
	track_pfsp_problem_destroy(q);
	flowshop_free(&f);
}
