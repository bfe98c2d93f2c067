/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Selection, gathering, sampling and evaluation, plain and in words, agree with independent
 * implementations (boa_naive.h), and samples have the expected distribution. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gboa/boa/learn.h"
#include "algorithms/gboa/boa/steps.h"
#include "harness/base/rng.h"
#include "tests/unit/gboa/boa_naive.h"

static struct err error;
#define OK(call)                                                                                   \
	do {                                                                                       \
		if (call)                                                                          \
			fail_msg("%s", error.text);                                                \
	} while (0)

static struct team *workers_of(int threads)
{
	struct team *w = NULL;

	if (threads)
		OK(team_create(&w, threads, &error));
	return w;
}

/* ---- random numbers ---- */

static void population_0_follows_its_definition(void **state)
{
	enum { N = 7, COUNT = 384, STRIDE = 15 };
	uint32_t words[N * STRIDE];
	uint64_t seed = 0x123456789abcdefull;
	int ones = 0;

	(void)state;
	memset(words, 0xa5, sizeof(words));
	boa_first_population(seed, N, COUNT, STRIDE, words);
	for (int32_t v = 0; v < N; v++) {
		for (int32_t i = 0; i < COUNT; i++) {
			int bit = naive_bit(words, STRIDE, v, i);

			assert_int_equal(bit, naive_initial_bit(seed, v, i));
			ones += bit;
		}
		for (int w = COUNT / 32; w < STRIDE; w++)
			assert_int_equal(words[v * STRIDE + w], 0xa5a5a5a5);
	}
	/* Five standard deviations. */
	assert_true(abs(2 * ones - N * COUNT) < 5 * sqrt(N * COUNT));
}

static void ranks_follow_their_definition(void **state)
{
	int32_t rank[300], plain[300];

	(void)state;
	for (int32_t n = 1; n <= 300; n += n < 10 ? 1 : 97) {
		for (int32_t g = 0; g < 3; g++) {
			OK(boa_permutation(77, (uint32_t)g, n, rank, &error));
			naive_ranks(77, g, n, plain);
			assert_memory_equal(rank, plain, (size_t)n * sizeof(*rank));
		}
	}
}

/* ---- selection ---- */

static void selection_takes_the_fittest(void **state)
{
	enum { MOST = 400 };
	int32_t fitness[MOST], positions[MOST], plain[MOST];
	struct rng r;

	(void)state;
	r = rng_seeded(3);
	for (int round = 0; round < 300; round++) {
		int32_t count = 1 + (int32_t)rng_below(&r, MOST);
		int32_t selected = 1 + (int32_t)rng_below(&r, (uint64_t)count);
		int32_t values = 1 + round % 50;

		for (int32_t i = 0; i < count; i++) {
			fitness[i] = (int32_t)rng_below(&r, (uint64_t)values) - values / 2;
			if (round % 7 == 0)
				fitness[i] = rng_below(&r, 2) ? INT32_MAX : INT32_MIN;
			if (round % 7 == 1)
				fitness[i] = (int32_t)(uint32_t)rng_next(&r);
		}
		assert_int_equal(naive_select(fitness, count, selected, plain), selected);
		boa_select(fitness, count, selected, positions);
		assert_memory_equal(positions, plain, (size_t)selected * sizeof(*plain));
	}
}

/* ---- gathering ---- */

static void gathering_copies_the_columns(void **state)
{
	enum { N = 37, MOST = 700 };
	static uint32_t from[N * 25], to[N * 24];
	int32_t positions[MOST], fitness[MOST];
	struct rng r;

	(void)state;
	r = rng_seeded(4);
	for (int round = 0; round < 120; round++) {
		int32_t count = 1 + (int32_t)rng_below(&r, MOST);
		int32_t some = round % 10 ? 1 + (int32_t)rng_below(&r, (uint64_t)count) : count;
		struct boa_data d = { N, count, boa_words(count) + (size_t)round % 3, from };
		size_t stride = boa_words(some) + (size_t)round % 2;
		struct team *w = workers_of(round % 4);

		memset(from, 0, sizeof(from));
		for (int32_t v = 0; v < N; v++)
			for (int32_t i = 0; i < count; i++)
				from[(size_t)v * d.stride + (size_t)i / 32] |=
					(uint32_t)rng_below(&r, 2) << i % 32;
		for (int32_t i = 0; i < count; i++)
			fitness[i] = (int32_t)rng_below(&r, 1000);
		naive_select(fitness, count, some, positions);
		for (int plain = 0; plain <= 1; plain++) {
			memset(to, 0x5a, sizeof(to));
			boa_gather(&d, positions, some, to, stride, plain, w);
			for (int32_t v = 0; v < N; v++)
				for (int32_t i = 0; i < (int32_t)boa_words(some) * 32; i++)
					assert_int_equal(naive_bit(to, stride, v, i),
							 i < some ? naive_bit(from, d.stride, v,
									      positions[i]) :
								    0);
		}
		team_destroy(w);
	}
}

/* ---- sampling ---- */

/* A random network: parents of lower rank, thresholds of every kind. */
static void random_network(struct boa_network *b, int32_t n, int32_t k, struct rng *r)
{
	int32_t *order = malloc((size_t)n * sizeof(*order));

	OK(boa_network_create(b, n, k, &error));
	OK(boa_permutation(rng_next(r), 0, n, b->rank, &error));
	for (int32_t v = 0; v < n; v++)
		order[b->rank[v]] = v;
	for (int32_t v = 0; v < n; v++) {
		int32_t lower = b->rank[v], kind = (int32_t)rng_below(r, 4), parents = 0;

		while (parents < k && parents < lower && rng_below(r, 5)) {
			int32_t u = order[rng_below(r, (uint64_t)lower)];
			bool new = true;

			for (int32_t i = 0; i < parents; i++)
				new &= b->parents[v * k + i] != u;
			if (new)
				b->parents[v * k + parents++] = u;
		}
		b->parent_count[v] = parents;
		for (int32_t a = 0; a < 1 << parents; a++)
			b->thresholds[(v << k) + a] = kind == 0 ?
							      (rng_below(r, 2) ? BOA_ONE : 0) :
							      (uint32_t)rng_below(r, BOA_ONE + 1);
	}
	free(order);
}

static void sampling_follows_its_definition(void **state)
{
	enum { MOST = 29, ROW = 70 };
	static uint32_t words[2][MOST * ROW];
	struct rng r;

	(void)state;
	r = rng_seeded(5);
	for (int round = 0; round < 40; round++) {
		int32_t n = 1 + (int32_t)rng_below(&r, MOST), k = round % (BOA_PARENTS_MAX + 1);
		int32_t count = 32 * (1 + (int32_t)rng_below(&r, round % 8 ? 20 : ROW - 1));
		size_t stride = (size_t)count / 32 + (size_t)round % 2;
		uint64_t seed = rng_next(&r);
		struct team *w = workers_of(round % 4);
		struct boa_network b;

		random_network(&b, n, k, &r);
		for (int plain = 0; plain <= 1; plain++) {
			memset(words[plain], 0x77, sizeof(words[plain]));
			OK(boa_sample(&b, seed, (uint32_t)round, count, words[plain], stride, plain,
				      w, &error));
		}
		assert_memory_equal(words[0], words[1], sizeof(words[0]));
		for (int32_t v = 0; v < n; v++) {
			for (int32_t i = round % 5; i < count; i += 5) {
				uint32_t a = naive_configuration(&b, words[0], stride, v, i);

				assert_int_equal(naive_bit(words[0], stride, v, i),
						 naive_number(seed, round, v, i) <
							 b.thresholds[(v << k) + (int32_t)a]);
			}
		}
		boa_network_destroy(&b);
		team_destroy(w);
	}
}

/* A chi-square statistic as a normal deviate (Wilson and Hilferty). */
static double deviate(double chi_square, int degrees)
{
	double v = 2.0 / (9.0 * degrees);

	return (cbrt(chi_square / degrees) - (1 - v)) / sqrt(v);
}

/* For each family and each configuration of its parents, the frequency of ones agrees with the
 * table. The terms are independent, because the random numbers are independent given the
 * parents. */
static void frequencies_follow_the_tables(void **state)
{
	enum { N = 40, K = 3, COUNT = 1 << 17 };
	uint32_t *words = malloc((size_t)N * COUNT / 8);
	double chi_square = 0;
	struct boa_network b;
	struct rng r;
	int degrees = 0;

	(void)state;
	r = rng_seeded(6);
	random_network(&b, N, K, &r);
	OK(boa_sample(&b, 99, 3, COUNT, words, COUNT / 32, false, NULL, &error));
	for (int32_t v = 0; v < N; v++) {
		int32_t all[1 << K] = { 0 }, ones[1 << K] = { 0 };

		for (int32_t i = 0; i < COUNT; i++) {
			uint32_t a = naive_configuration(&b, words, COUNT / 32, v, i);

			all[a]++;
			ones[a] += naive_bit(words, COUNT / 32, v, i);
		}
		for (int32_t a = 0; a < 1 << b.parent_count[v]; a++) {
			double p = b.thresholds[(v << K) + a] / 65536.0, mean = all[a] * p;

			if (p == 0 || p == 1)
				assert_int_equal(ones[a], p == 1 ? all[a] : 0);
			else if (mean > 10 && all[a] - mean > 10) {
				chi_square += pow(ones[a] - mean, 2) / (mean * (1 - p));
				degrees++;
			}
		}
	}
	assert_true(degrees > 50);
	assert_true(fabs(deviate(chi_square, degrees)) < 4);
	boa_network_destroy(&b);
	free(words);
}

/* In a small network, the frequency of each string is the product of its table entries. */
static void strings_follow_the_network(void **state)
{
	enum { N = 8, K = 3, COUNT = 1 << 18 };
	uint32_t *words = malloc((size_t)N * COUNT / 8);
	struct rng r;

	(void)state;
	r = rng_seeded(7);
	for (int round = 0; round < 3; round++) {
		int32_t seen[1 << N] = { 0 };
		double chi_square = 0, sum = 0;
		struct boa_network b;
		int degrees = -1;

		random_network(&b, N, K, &r);
		OK(boa_sample(&b, rng_next(&r), 0, COUNT, words, COUNT / 32, false, NULL, &error));
		for (int32_t i = 0; i < COUNT; i++) {
			uint32_t string = 0;

			for (int32_t v = 0; v < N; v++)
				string |= (uint32_t)naive_bit(words, COUNT / 32, v, i) << v;
			seen[string]++;
		}
		for (uint32_t string = 0; string < 1 << N; string++) {
			uint32_t column[N];
			double p = 1;

			for (int32_t v = 0; v < N; v++)
				column[v] = string >> v & 1;
			for (int32_t v = 0; v < N; v++) {
				uint32_t a = naive_configuration(&b, column, 1, v, 0);
				double one = b.thresholds[(v << K) + (int32_t)a] / 65536.0;

				p *= column[v] ? one : 1 - one;
			}
			sum += p;
			if (p == 0)
				assert_int_equal(seen[string], 0);
			else if (p * COUNT > 5) {
				chi_square += pow(seen[string] - p * COUNT, 2) / (p * COUNT);
				degrees++;
			}
		}
		assert_true(fabs(sum - 1) < 1e-9);
		assert_true(degrees > 3);
		assert_true(fabs(deviate(chi_square, degrees)) < 4);
		boa_network_destroy(&b);
	}
	free(words);
}

/* ---- evaluation ---- */

static void evaluate(const char *problem, const char *instance)
{
	enum { MOST = 1000 };
	int32_t fitness[MOST];
	struct landscape l;
	struct rng r;

	if (landscape_load(&l, problem, instance, &error))
		fail_msg("%s:%s: %s", problem, instance, error.text);
	size_t stride = boa_words(MOST) + 1;
	uint32_t *words = malloc((size_t)l.n * stride * sizeof(*words));
	uint8_t *bits = malloc((size_t)l.n);

	r = rng_seeded(8);
	for (size_t i = 0; i < (size_t)l.n * stride; i++)
		words[i] = (uint32_t)(rng_next(&r) | (i % 3 ? rng_next(&r) : 0));
	for (int round = 0; round < 8; round++) {
		int32_t count = round < 4 ? MOST - round * 37 : 1 + (int32_t)rng_below(&r, MOST);
		struct team *w = workers_of(round % 4);

		memset(fitness, 0x33, sizeof(fitness));
		boa_evaluate(&l, words, stride, count, fitness, round % 2, w);
		for (int32_t i = 0; i < count; i++) {
			for (int32_t v = 0; v < l.n; v++)
				bits[v] = (uint8_t)naive_bit(words, stride, v, i);
			assert_int_equal(fitness[i], landscape_evaluate(&l, bits));
		}
		for (int32_t i = count; i < MOST; i++)
			assert_int_equal(fitness[i], 0x33333333);
		team_destroy(w);
	}
	free(bits);
	free(words);
	landscape_free(&l);
}

static void evaluate_file(const char *problem, const char *file)
{
	const char *root = getenv("COPRA_TEST_DATA");
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root ? root : "tests/data", file);
	evaluate(problem, path);
}

static void evaluation_matches_the_oracle(void **state)
{
	(void)state;
	evaluate("trap5", "60");
	evaluate("trap2", "2");
	evaluate("trap3", "33");
	evaluate("trap8", "264");
	evaluate("trap4", "1000");
	evaluate("onemax", "70");
	evaluate("overlap4", "31");
	evaluate("htrap", "27");
	evaluate("htrap", "81");
	evaluate("nk", "40:4:7");
	evaluate("ising", "6:3");
	evaluate("maxsat", "random:50:200:5");
	evaluate_file("maxsat", "maxsat_weights.wcnf");
	evaluate_file("knapsack", "knapsack_plain.txt");
}

static void equal_individuals_are_all_alike(void **state)
{
	enum { N = 3, STRIDE = 4 };

	(void)state;
	for (int32_t count = 1; count <= 100; count++) {
		uint32_t words[N * STRIDE] = { 0 };
		struct boa_data d = { N, count, STRIDE, words };

		for (int32_t i = 0; i < count; i++)
			words[STRIDE + i / 32] |= 1u << i % 32;
		assert_true(boa_all_alike(&d));
		for (int32_t v = 0; count > 1 && v < N; v++) {
			for (int32_t i = 0; i < count; i += 1 + count / 7) {
				words[v * STRIDE + i / 32] ^= 1u << i % 32;
				assert_false(boa_all_alike(&d));
				words[v * STRIDE + i / 32] ^= 1u << i % 32;
			}
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(population_0_follows_its_definition),
		cmocka_unit_test(ranks_follow_their_definition),
		cmocka_unit_test(selection_takes_the_fittest),
		cmocka_unit_test(gathering_copies_the_columns),
		cmocka_unit_test(sampling_follows_its_definition),
		cmocka_unit_test(frequencies_follow_the_tables),
		cmocka_unit_test(strings_follow_the_network),
		cmocka_unit_test(evaluation_matches_the_oracle),
		cmocka_unit_test(equal_individuals_are_all_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
