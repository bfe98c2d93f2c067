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

/* Products by population counts are counted, those by tensor cores have no peak rate. */
static void tuned_rungs_on_tensor_cores_count_a_part(void **state)
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

		assert_int_equal(part, strcmp(r->name, "device") != 0);
		assert_int_equal(count, part ? 1 : 3);
		if (part)
			continue;
		/* two parents: a product for each pair and parent, divided between two devices */
		assert_float_equal(demand[0].amount, 4950 * 2 * 2400 / 32 / 2, 1e-6);
		/* 2,400 selected and 2,400 offspring, written and read */
		assert_float_equal(demand[2].amount, 2 * 100 * 4800 / 8 / 2, 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_need_more_passes_than_graphs),
		cmocka_unit_test(published_rungs_count_the_rounds_that_they_make),
		cmocka_unit_test(tuned_rungs_on_tensor_cores_count_a_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
