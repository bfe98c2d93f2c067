/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The operations of a row, from which the lower bound on its time follows: the least number of
 * population counts of learning, and what the published kernel counts with. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/gboa/boa/network.h"
#include "algorithms/gboa/case.h"
#include "algorithms/gboa/rungs.h"
#include "tests/unit/device/simulated_devices.h"

/* Passes over all pairs in one generation. */
static double passes(enum boa_model model, double edges_a_variable)
{
	struct boa_options o;
	enum { N = 11, PAIRS = 55 };
	struct boa_work f = { &o, N, 1, N * edges_a_variable, NULL };

	boa_defaults(&o);
	o.model = model;
	o.selected = 640;
	return boa_least_popcounts(&f) / (PAIRS * 10);
}

static void tables_need_more_passes_than_graphs(void **state)
{
	(void)state;
	/* a network without edges can follow from the counts of single variables */
	assert_float_equal(passes(BOA_PERMUTED, 0), 0, 1e-9);
	/* q parents: counts with the newest parent, for all configurations of the earlier ones */
	assert_float_equal(passes(BOA_PERMUTED, 1), 1, 1e-9);
	assert_float_equal(passes(BOA_PERMUTED, 2), 2, 1e-9);
	assert_float_equal(passes(BOA_PERMUTED, 3), 5, 1e-9);
	assert_float_equal(passes(BOA_PERMUTED, 2.5), 3.5, 1e-9);
	/* a split reads the individuals of one leaf */
	assert_float_equal(passes(BOA_TREES, 0.5), 0.5, 1e-9);
	assert_float_equal(passes(BOA_TREES, 5.3), 1, 1e-9);
}

/* ---- the operations of the published kernel ---- */

/* Adds up the rounds of a network as the kernel makes them. */
struct counted {
	bool words, groups;
	double operations, edges, generations;
};

static double cost_of(const struct counted *c, int parents)
{
	/* by words: all individuals of 2 x 2^parents sets, and those with the candidate's bit */
	if (c->words)
		return 4 * (1 << parents) / 32.0;
	/* bits of the variable, the parents and the candidate, and an addition to the count */
	return c->groups ? 2 : 1 + parents + 1 + 1;
}

static void count_rounds(void *context, const struct boa_generation *g)
{
	const struct boa_network *b = g->network;
	struct counted *c = context;

	c->generations++;
	for (int32_t v = 0; v < b->n; v++) {
		int q = b->parent_count[v];

		c->edges += q;
		for (int p = 0; p < b->k && p <= q; p++)
			if (b->rank[v] > p)
				c->operations += (b->rank[v] - p) * (double)g->selected->count *
						 cost_of(c, p);
	}
}

/* The operations of a rung on a simulated device, over those counted from the networks of
 * serial. */
static double share_counted(const char *rung)
{
	uint64_t candidates[BOA_PARENTS_MAX] = { 0 };
	double rounds[BOA_PARENTS_MAX];
	struct dev_set set;
	struct counted c = { .operations = 0 };
	struct landscape l;
	struct boa_trials t;
	struct boa_options o;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .threads = 1,
			       .watch = count_rounds,
			       .watch_context = &c };
	struct peak_demand demand[BOA_DEMANDS];
	bool part;

	boa_rung_apply(solve_rung_find(boa_rungs, NULL, rung), &s);
	c.words = s.form.words;
	c.groups = s.form.groups;
	s.variant = SOLVE_SERIAL;
	assert_int_equal(landscape_load(&l, "trap5", "20", NULL), 0);
	boa_defaults(&o);
	o.population = 256;
	o.selected = 128;
	o.generations = 3;
	assert_int_equal(boa_trials_create(&t, l.n, 1, NULL), 0);
	assert_int_equal(boa_trials_run(&t, &s, NULL), 0);
	assert_true(c.generations == 3 && c.edges > 0);
	s.variant = SOLVE_PUBLISHED;
	s.watch = NULL;
	s.candidates = candidates;
	s.devices = &set;
	open_devices(&set, 1, "random", 1);
	assert_int_equal(boa_trials_run(&t, &s, NULL), 0);
	dev_set_close(&set);
	for (int p = 0; p < BOA_PARENTS_MAX; p++)
		rounds[p] = (double)candidates[p];
	struct boa_work w = { &o, l.n, c.generations, c.edges / c.generations, rounds };
	assert_int_equal(boa_device_demands(&w, &s, 1, demand, &part), 2);
	assert_false(part);
	assert_int_equal(demand[0].what, c.words ? PEAK_GPU_POPCOUNT : PEAK_GPU_ADD_MAX);
	boa_trials_destroy(&t);
	landscape_free(&l);
	return demand[0].amount / c.operations;
}

static void published_rungs_count_the_rounds_that_they_make(void **state)
{
	static const char *const rungs[] = { "literal", "groups", "words" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		double share = share_counted(rungs[i]);

		if (fabs(share - 1) > 1e-12)
			fail_msg("%s: %g of the operations", rungs[i], share);
	}
}

/* Products on tensor cores and by population counts do the same. */
static void tuned_rungs_count_their_products(void **state)
{
	struct boa_options o;
	struct peak_demand demand[BOA_DEMANDS];
	bool part;

	(void)state;
	boa_defaults(&o);
	struct boa_work w = { &o, 100, 1, 200, NULL };

	for (const struct solve_rung *r = boa_rungs; r->name; r++) {
		struct boa_setup s = { .options = &o };

		boa_rung_apply(r, &s);
		if (s.variant != SOLVE_TUNED)
			continue;
		size_t count = boa_device_demands(&w, &s, 2, demand, &part);
		bool popcounts = !strcmp(r->name, "device");

		assert_false(part);
		assert_int_equal(demand[0].what, popcounts ? PEAK_GPU_POPCOUNT : PEAK_GPU_BINARY);
		/* two parents: a product for each pair and parent, divided between two devices */
		assert_float_equal(demand[0].amount, 4950 * 2 * 2400 / 32 / 2, 1e-6);
		/* `tuned` may be made by a cluster, in shared memory */
		assert_int_equal(count, strcmp(r->name, "tuned") ? 3 : 2);
		/* 2,400 selected and 2,400 offspring, written and read */
		if (count == 3)
			assert_float_equal(demand[2].amount, 2 * 100 * 4800 / 8 / 2, 1e-6);
	}
}

static void what_is_not_all_of_a_tuned_run_is_a_part(void **state)
{
	struct boa_options o;
	struct boa_setup s = { .options = &o, .variant = SOLVE_TUNED };
	struct peak_demand all[BOA_DEMANDS], some[BOA_DEMANDS];
	bool part;

	(void)state;
	boa_defaults(&o);
	struct boa_work w = { &o, 100, 1, 200, NULL };

	assert_int_equal(boa_device_demands(&w, &s, 1, all, &part), 2);
	s.host_share = 0.25;
	assert_int_equal(boa_device_demands(&w, &s, 1, some, &part), 2);
	assert_true(part);
	for (int i = 0; i < 2; i++)
		assert_true(fabs(some[i].amount / all[i].amount - 0.75) < 1e-9);
	s.host_share = 0;
	o.model = BOA_TREES;
	assert_int_equal(boa_device_demands(&w, &s, 1, some, &part), 1);
	assert_true(part && some[0].what == PEAK_GPU_ADD_MAX);
}

/* ---- the products of a tuned run, counted from its networks ---- */

/* A word of 32 individuals: what a plain program must AND and count for the network of a
 * generation, if it counts all pairs and then, variable by variable, the sets of parents with the
 * newest one. */
static void count_products(void *context, const struct boa_generation *g)
{
	const struct boa_network *b = g->network;
	struct counted *c = context;
	double words = g->selected->count / 32.0;

	c->generations++;
	for (int32_t v = 0; v < b->n; v++) {
		c->edges += b->parent_count[v];
		for (int32_t u = 0; u < b->n; u++) {
			if (b->rank[u] >= b->rank[v])
				continue;
			c->operations += words; /* u and v */
			for (int q = 1; q < b->parent_count[v]; q++)
				for (int with = 0; with < 2; with++) /* v */
					for (int set = 0; set < 1 << (q - 1); set++)
						c->operations += set || with ? words : 0;
		}
	}
}

static void least_products_are_fewer_than_those_of_the_networks(void **state)
{
	struct counted c = { .operations = 0 };
	struct landscape l;
	struct boa_trials t;
	struct boa_options o;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .threads = 1,
			       .watch = count_products,
			       .watch_context = &c };

	(void)state;
	assert_int_equal(landscape_load(&l, "trap5", "30", NULL), 0);
	boa_defaults(&o);
	o.population = 512;
	o.selected = 256;
	o.generations = 20;
	for (o.max_parents = 1; o.max_parents <= 3; o.max_parents++) {
		c.operations = c.edges = c.generations = 0;
		assert_int_equal(boa_trials_create(&t, l.n, 1, NULL), 0);
		assert_int_equal(boa_trials_run(&t, &s, NULL), 0);
		struct boa_work w = { &o, l.n, c.generations, c.edges / c.generations, NULL };
		double least = boa_least_products(&w), pairs = 30 * 29 / 2 * 8 * c.generations;

		/* with one parent, all pairs and nothing else */
		if (least > c.operations || least < pairs ||
		    (o.max_parents == 1 && fabs(least - pairs) > 1e-6))
			fail_msg("%d parents: %g products, %g counted, %g pairs", o.max_parents,
				 least, c.operations, pairs);
		boa_trials_destroy(&t);
	}
	o.max_parents = 0;
	struct boa_work none = { &o, l.n, 1, 0, NULL };
	assert_true(boa_least_products(&none) == 0);
	landscape_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_need_more_passes_than_graphs),
		cmocka_unit_test(published_rungs_count_the_rounds_that_they_make),
		cmocka_unit_test(tuned_rungs_count_their_products),
		cmocka_unit_test(what_is_not_all_of_a_tuned_run_is_a_part),
		cmocka_unit_test(least_products_are_fewer_than_those_of_the_networks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
