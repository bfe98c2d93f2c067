/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Selection, sampling and restricted tournaments of hierarchical BOA agree with their definitions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gboa/hboa/learn_graphs.h"
#include "algorithms/gboa/hboa/tournaments.h"
#include "tests/unit/gboa/boa_naive.h"

static void rows_convert_to_columns_and_back(void **state)
{
	static const int32_t sizes[] = { 1, 31, 32, 33, 63, 64, 65, 100, 130 };
	struct rng r = rng_seeded(1);
	struct err e = { 0 };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct boa_data d = individuals_random(sizes[s], 96, 1, &r);
		struct boa_data back = individuals_zero(sizes[s], 64, 0);
		struct hboa_rows rows;
		int32_t slots[64];

		assert_int_equal(hboa_rows_create(&rows, d.n, d.count, &e), 0);
		hboa_rows_from(&rows, d.words, d.stride, NULL);
		for (int32_t i = 0; i < d.count; i++)
			for (int32_t v = 0; v < (int32_t)rows.stride * 64; v++)
				assert_int_equal(
					rows.words[(size_t)i * rows.stride + (size_t)v / 64] >>
							v % 64 &
						1,
					v < d.n ? boa_bit(&d, v, i) : 0);
		for (int i = 0; i < 64; i++)
			slots[i] = (int32_t)rng_below(&r, 96);
		hboa_rows_to(&rows, slots, 64, (uint32_t *)(uintptr_t)back.words, back.stride,
			     NULL);
		for (int32_t i = 0; i < 64; i++)
			for (int32_t v = 0; v < d.n; v++)
				assert_int_equal(boa_bit(&back, v, i), boa_bit(&d, v, slots[i]));
		hboa_rows_destroy(&rows);
		individuals_free(&back);
		individuals_free(&d);
	}
}

static struct boa_options options(int32_t population, int32_t tournament, int32_t window)
{
	struct boa_options o;

	boa_defaults(&o);
	o.model = BOA_TREES;
	o.population = population;
	o.selected = population / 2;
	o.tournament = tournament;
	o.window = window;
	return o;
}

static void tournaments_are_won_by_the_fittest(void **state)
{
	enum { N = 192 };
	struct rng r = rng_seeded(2);
	int32_t fitness[N], slots[N / 2];

	(void)state;
	for (int32_t size = 1; size <= 9; size++) {
		struct boa_options o = options(N, size, 0);

		for (int i = 0; i < N; i++)
			fitness[i] = (int32_t)rng_below(&r, 8) - 3;
		hboa_select(&o, 77, (uint32_t)size, fitness, slots, NULL);
		for (uint32_t j = 0; j < N / 2; j++) {
			uint32_t best = hboa_contestant(77, (uint32_t)size, j, 0, N);

			for (uint32_t d = 1; d < (uint32_t)size; d++) {
				uint32_t slot = hboa_contestant(77, (uint32_t)size, j, d, N);

				best = fitness[slot] > fitness[best] ? slot : best;
			}
			assert_int_equal(slots[j], best);
		}
	}
}

/* In tournaments of t, the best of N wins with probability 1 - (1 - 1 / N)^t. */
static void selection_pressure_is_as_expected(void **state)
{
	enum { N = 64, ROUNDS = 2000 };
	struct boa_options o = options(N, 2, 0);
	int32_t fitness[N] = { [17] = 1 }, slots[N / 2];
	int won = 0;
	double p = 1 - pow(1 - 1.0 / N, 2), trials = ROUNDS * (N / 2);

	(void)state;
	for (uint32_t g = 0; g < ROUNDS; g++) {
		hboa_select(&o, 3, g, fitness, slots, NULL);
		for (int j = 0; j < N / 2; j++)
			won += slots[j] == 17;
	}
	assert_true(fabs(won - p * trials) < 5 * sqrt(p * (1 - p) * trials));
}

/* A graph with splits on variables 0 and 1, and thresholds of all kinds. */
static void some_model(struct hboa_model *m, struct rng *r)
{
	static const uint32_t special[] = { 0, BOA_ONE, 1, BOA_ONE - 1, BOA_ONE / 2 };
	struct err e = { 0 };

	assert_int_equal(hboa_model_create(m, 9, &e), 0);
	for (int32_t v = 0; v < m->n; v++) {
		struct hboa_graph *g = &m->graph[v];

		m->rank[v] = m->order[v] = v;
		g->leaves = 1;
		for (int32_t s = 0; v && s < 2 * v; s++)
			hboa_graph_split(g, (int32_t)rng_below(r, (uint64_t)g->leaves),
					 (int32_t)rng_below(r, (uint64_t)v));
		if (g->leaves > 4)
			hboa_graph_merge(g, 1, 3);
		for (int32_t l = 0; l < g->leaves; l++)
			g->threshold[l] = rng_below(r, 2) ? special[rng_below(r, 5)] :
							    (uint32_t)rng_below(r, BOA_ONE + 1);
	}
}

static uint32_t threshold_for(const struct hboa_model *m, const struct boa_data *d, int32_t v,
			      int32_t i)
{
	const struct hboa_graph *g = &m->graph[v];
	int32_t at = g->splits ? 0 : -1;

	while (at >= 0)
		at = g->split[at].child[boa_bit(d, g->split[at].variable, i)];
	return g->threshold[-1 - at];
}

static uint32_t number_of(uint64_t seed, uint32_t generation, int32_t v, int32_t i)
{
	uint32_t u = 0;

	for (uint32_t d = 0; d < BOA_DIGITS; d++)
		u |= (boa_digits(seed, generation, (uint32_t)v, (uint32_t)i / 32, d / 4)
				      .word[d % 4] >>
			      i % 32 &
		      1)
		     << (15 - d);
	return u;
}

static void offspring_follow_the_definition(void **state)
{
	struct rng r = rng_seeded(3);
	struct err e = { 0 };
	struct team *w;

	(void)state;
	assert_int_equal(team_create(&w, 3, &e), 0);
	for (int t = 0; t < 12; t++) {
		int32_t count = 32 * (1 + (int32_t)rng_below(&r, 70));
		struct boa_data plain = individuals_zero(9, count, 0);
		struct boa_data wide = individuals_zero(9, count, 2);
		struct hboa_model m;

		some_model(&m, &r);
		hboa_sample(&m, 5, 6, count, (uint32_t *)(uintptr_t)plain.words, plain.stride, true,
			    NULL);
		hboa_sample(&m, 5, 6, count, (uint32_t *)(uintptr_t)wide.words, wide.stride, false,
			    t % 2 ? w : NULL);
		for (int32_t v = 0; v < 9; v++)
			for (int32_t i = 0; i < count; i++) {
				int expected =
					number_of(5, 6, v, i) < threshold_for(&m, &plain, v, i);

				assert_int_equal(boa_bit(&plain, v, i), expected);
				assert_int_equal(boa_bit(&wide, v, i), expected);
			}
		hboa_model_destroy(&m);
		individuals_free(&plain);
		individuals_free(&wide);
	}
	team_destroy(w);
}

/* ---- restricted tournaments ---- */

struct niche {
	struct boa_data population, offspring;
	int32_t *fitness, *offspring_fitness;
};

static int distance(const struct boa_data *a, int32_t i, const struct boa_data *b, int32_t j)
{
	int differ = 0;

	for (int32_t v = 0; v < a->n; v++)
		differ += boa_bit(a, v, i) != boa_bit(b, v, j);
	return differ;
}

/* Restricted tournaments by their definition, bit by bit. Returns the number of replacements. */
static int brute_force(struct niche *t, uint64_t seed, uint32_t generation, int32_t window)
{
	uint32_t slots = (uint32_t)t->population.count;
	int replaced = 0;

	for (int32_t i = 0; i < t->offspring.count; i++) {
		int32_t nearest = 0, least = INT32_MAX;

		for (int32_t d = 0; d < window; d++) {
			int32_t slot = (int32_t)hboa_window_slot(seed, generation, (uint32_t)i,
								 (uint32_t)d, slots);
			int far = distance(&t->population, slot, &t->offspring, i);

			if (far < least) {
				least = far;
				nearest = slot;
			}
		}
		if (t->offspring_fitness[i] <= t->fitness[nearest])
			continue;
		t->fitness[nearest] = t->offspring_fitness[i];
		for (int32_t v = 0; v < t->population.n; v++)
			individuals_set(&t->population, v, nearest, boa_bit(&t->offspring, v, i));
		replaced++;
	}
	return replaced;
}

static void in_one_way(const struct niche *t, const struct boa_options *o, bool plain, int threads,
		       struct hboa_rows *population, int32_t *fitness)
{
	struct hboa_tournaments *tournaments;
	struct hboa_rows offspring;
	struct team *w = NULL;
	struct err e = { 0 };
	int32_t n = t->population.n;

	if (threads > 1)
		assert_int_equal(team_create(&w, threads, &e), 0);
	assert_int_equal(hboa_rows_create(population, n, t->population.count, &e), 0);
	assert_int_equal(hboa_rows_create(&offspring, n, t->offspring.count, &e), 0);
	hboa_rows_from(population, t->population.words, t->population.stride, NULL);
	hboa_rows_from(&offspring, t->offspring.words, t->offspring.stride, NULL);
	assert_int_equal(hboa_tournaments_create(&tournaments, n, o, plain, w, &e), 0);
	hboa_replace(tournaments, 9, 4, population, fitness, &offspring, t->offspring_fitness);
	hboa_tournaments_destroy(tournaments);
	hboa_rows_destroy(&offspring);
	team_destroy(w);
}

static void check_replacement(int32_t n, const struct boa_options *o, int32_t values, struct rng *r)
{
	struct niche t = { individuals_random(n, o->population, 0, r),
			   individuals_random(n, boa_offspring(o), 0, r),
			   calloc((size_t)o->population, sizeof(int32_t)),
			   calloc((size_t)o->population, sizeof(int32_t)) };
	struct hboa_rows population[4], expected;
	int32_t *fitness[4];
	struct err e = { 0 };
	size_t bytes = (size_t)o->population * sizeof(int32_t);

	for (int32_t i = 0; i < o->population; i++) {
		t.fitness[i] = (int32_t)rng_below(r, (uint64_t)values);
		t.offspring_fitness[i] = (int32_t)rng_below(r, (uint64_t)values) + 1;
	}
	for (int way = 0; way < 4; way++) {
		fitness[way] = malloc(bytes);
		memcpy(fitness[way], t.fitness, bytes);
		in_one_way(&t, o, way == 0, way, &population[way], fitness[way]);
	}
	assert_true(brute_force(&t, 9, 4, hboa_window(o, n)) > 0);
	assert_int_equal(hboa_rows_create(&expected, n, o->population, &e), 0);
	hboa_rows_from(&expected, t.population.words, t.population.stride, NULL);
	for (int way = 0; way < 4; way++) {
		assert_memory_equal(fitness[way], t.fitness, bytes);
		assert_memory_equal(population[way].words, expected.words,
				    expected.stride * sizeof(uint64_t) * (size_t)expected.count);
		hboa_rows_destroy(&population[way]);
		free(fitness[way]);
	}
	hboa_rows_destroy(&expected);
	individuals_free(&t.population);
	individuals_free(&t.offspring);
	free(t.fitness);
	free(t.offspring_fitness);
}

static void replacement_matches_brute_force(void **state)
{
	struct rng r = rng_seeded(4);

	(void)state;
	for (int i = 0; i < 12; i++) {
		struct boa_options o = options(64 * (1 + (int32_t)rng_below(&r, 6)), 2,
					       (int32_t)rng_below(&r, 60));

		o.replacement = i % 2 ? BOA_REPLACE_ALL : BOA_REPLACE_WORST;
		check_replacement(1 + (int32_t)rng_below(&r, i % 3 ? 12 : 300), &o, i % 4 ? 50 : 2,
				  &r);
	}
	/* a window longer than one vector, and the largest possible one */
	struct boa_options wide = options(128, 2, 128);

	check_replacement(70, &wide, 9, &r);
}

static void the_default_window_is_the_least_of_n_and_a_twentieth(void **state)
{
	struct boa_options o = options(640, 2, 0);

	(void)state;
	assert_int_equal(hboa_window(&o, 20), 20);
	assert_int_equal(hboa_window(&o, 100), 32);
	o.window = 7;
	assert_int_equal(hboa_window(&o, 100), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_convert_to_columns_and_back),
		cmocka_unit_test(tournaments_are_won_by_the_fittest),
		cmocka_unit_test(selection_pressure_is_as_expected),
		cmocka_unit_test(offspring_follow_the_definition),
		cmocka_unit_test(replacement_matches_brute_force),
		cmocka_unit_test(the_default_window_is_the_least_of_n_and_a_twentieth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
