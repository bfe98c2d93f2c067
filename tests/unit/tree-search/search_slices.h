/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* For tests of searches in slices: each slice continues the open work that the one before left in
 * memory, or several searches continue parts of it. Their counts must add up to those of one run.
 * */
#ifndef COPRA_TESTS_SEARCH_SLICES_H
#define COPRA_TESTS_SEARCH_SLICES_H

#include <string.h>

#include "algorithms/tree-search/checkpoint.h"
#include "harness/bench/solve.h"

enum { MOST_SLICES = 5000 };

/* A search under test. */
struct engine {
	const char *name;
	enum solve_variant variant;
	int threads;
	bool devices;
	unsigned forms;
	int locales; /* > 0: on so many locales */
};

/* What the searches of a test have in common. */
struct slicing {
	/* Runs to the end or, if most > 0, for about `most` nodes. */
	int (*run)(const struct engine *g, const struct search_request *r, uint64_t most,
		   struct search_outcome *o, struct err *e);
	/* Checks what a slice that ended with `status` has left, and may replace it. */
	void (*check)(const struct engine *g, int slices, int status, struct checkpoint *left,
		      const struct search_outcome *o);
	/* Whether all engines count explored nodes, and leaves of N-Queens. */
	bool counts_all;
};

static inline void expect(const struct engine *g, int status, int wanted, const struct err *e)
{
	if (status != wanted)
		fail_msg("%s: status %d, %s", g->name, status, e->text);
}

static inline void same_counts(const struct slicing *s, const char *name,
			       const struct search_outcome *o, const struct search_outcome *whole)
{
	bool leaves = s->counts_all || !whole->solutions;

	if (o->decomposed != whole->decomposed || o->solutions != whole->solutions ||
	    (s->counts_all && o->explored != whole->explored) ||
	    (leaves && o->leaves != whole->leaves) || o->best != whole->best)
		fail_msg("%s: %llu decomposed, %llu explored, %llu leaves, %llu solutions, best "
			 "%lld; expected %llu, %llu, %llu, %llu, %lld",
			 name, (unsigned long long)o->decomposed, (unsigned long long)o->explored,
			 (unsigned long long)o->leaves, (unsigned long long)o->solutions,
			 (long long)o->best, (unsigned long long)whole->decomposed,
			 (unsigned long long)whole->explored, (unsigned long long)whole->leaves,
			 (unsigned long long)whole->solutions, (long long)whole->best);
}

/* Runs slices of about `most` nodes, by the engines in turn. Checks all states and the last
 * outcome. Returns the number of slices. */
static inline int in_slices(const struct slicing *s, const struct engine *const *g, int engines,
			    const struct search_request *r, uint64_t most,
			    const struct search_outcome *whole)
{
	struct checkpoint left = { .count = 0 };
	struct search_request mine = *r;
	struct search_outcome o;
	struct err e = { 0 };
	int slices = 0, status;

	do {
		const struct engine *now = g[slices % engines];
		struct checkpoint from = left;
		struct checkpoint_plan plan = { .from = slices ? &from : NULL, .left = &left };

		mine.checkpoint = &plan;
		status = s->run(now, &mine, most, &o, &e);
		checkpoint_free(&from);
		expect(now, status == ERR_LIMIT ? 0 : status, 0, &e);
		assert_int_equal(status == ERR_LIMIT, !o.complete);
		assert_true(++slices < MOST_SLICES);
		s->check(now, slices, status, &left, &o);
		if (!status)
			same_counts(s, now->name, &o, whole);
		search_outcome_free(&o);
	} while (status);
	assert_int_equal(left.count, 0);
	assert_int_equal(left.decomposed, whole->decomposed);
	checkpoint_free(&left);
	return slices;
}

/* Moves every second unit of `c` to `to`, which has no counts. */
static inline void divide(struct checkpoint *c, struct checkpoint *to)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);
	uint64_t kept = 0;

	assert_int_equal(checkpoint_copy(to, c, true, NULL), 0);
	to->solutions = to->explored = to->decomposed = to->leaves = to->evaluated = 0;
	to->count = 0;
	for (uint64_t i = 0; i < c->count; i++) {
		struct checkpoint *side = i % 2 ? to : c;
		uint64_t at = i % 2 ? to->count++ : kept++;

		memmove(side->work + at * stride, c->work + i * stride, stride * sizeof(*c->work));
	}
	c->count = kept;
}

/* Stops `first` after `most` nodes and lets both finish a part. */
static inline void finish_parts(const struct slicing *s, const struct engine *first,
				const struct engine *second, const struct search_request *r,
				uint64_t most, const struct search_outcome *whole)
{
	struct search_request mine = *r;
	struct checkpoint part[2] = { { .count = 0 } };
	struct search_outcome o, sum = { .best = whole->best };
	struct err e = { 0 };
	struct checkpoint_plan plan = { .left = &part[0] };
	int status;

	mine.checkpoint = &plan;
	status = s->run(first, &mine, most, &o, &e);
	expect(first, status == ERR_LIMIT ? 0 : status, 0, &e);
	search_outcome_free(&o);
	divide(&part[0], &part[1]);
	for (int i = 0; i < 2; i++) {
		const struct engine *g = i ? second : first;

		plan = (struct checkpoint_plan){ .from = &part[i] };
		expect(g, s->run(g, &mine, 0, &o, &e), 0, &e);
		sum.explored += o.explored;
		sum.decomposed += o.decomposed;
		sum.leaves += o.leaves;
		sum.solutions += o.solutions;
		search_outcome_free(&o);
		checkpoint_free(&part[i]);
	}
	same_counts(s, first->name, &sum, whole);
}

#endif
