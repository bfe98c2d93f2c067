/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* pBOA and sBOA: the learners agree with naive ones, and find known structures in data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/gboa/arithmetic.h"
#include "tests/unit/gboa/boa_naive.h"
#include "tests/unit/base/sanitized.h"

static struct boa_options options_of(int k, enum boa_smoothing smoothing)
{
	struct boa_options o;

	memset(&o, 0, sizeof(o));
	o.model = BOA_PERMUTED;
	o.max_parents = k;
	o.smoothing = smoothing;
	return o;
}

/* Both learners and the naive one agree. */
static void compare(int n, int count, int k, enum boa_smoothing smoothing, uint64_t seed)
{
	struct sample s = sample_mixed(n, count, seed);
	struct boa_options o = options_of(k, smoothing);
	struct boa_network b[2] = { network_of(n, k), network_of(n, k) };
	struct naive_network naive;

	for (int way = 0; way < 2; way++) {
		assert_int_equal(boa_permutation(seed, 7, n, b[way].rank, NULL), 0);
		learn_by(&s, &o, way == 0, 1, &b[way]);
		check_order(&b[way]);
	}
	naive_permuted(&s, b[0].rank, k, &naive);
	check_parents(&b[0], &naive);
	check_parents(&b[1], &naive);
	check_thresholds(&s, &b[0], smoothing);
	check_same(&b[0], &b[1]);
	for (int way = 0; way < 2; way++)
		boa_network_destroy(&b[way]);
	sample_destroy(&s);
}

static void learners_match_the_naive_one(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	for (uint64_t i = 0; i < 150; i++) {
		int n = (int)rng_between(&r, 1, 12), k = (int)rng_between(&r, 0, BOA_PARENTS_MAX);
		int count = (int)rng_between(&r, 1, i % 3 ? 70 : 400);

		compare(n, count, k, i % 2 ? BOA_SMOOTH_LAPLACE : BOA_SMOOTH_NONE, i);
	}
}

static void one_individual_gives_no_edges(void **state)
{
	(void)state;
	compare(5, 1, 3, BOA_SMOOTH_NONE, 3);
	compare(1, 1, 0, BOA_SMOOTH_LAPLACE, 3);
}

/* All variables are equal: among equal gains the lowest index wins, regardless of its rank. */
static void ties_go_to_the_lowest_index(void **state)
{
	enum { N = 40, M = 64 };
	struct sample s = sample_of_zeros(N, M);
	struct boa_options o = options_of(2, BOA_SMOOTH_NONE);
	struct boa_network b = network_of(N, 2);

	(void)state;
	for (int i = 0; i < M; i++)
		for (int v = 0; v < N; v++)
			*sample_at(&s, i, v) = (uint8_t)(i ^ (v % 2)) & 1;
	sample_pack(&s, 0);
	for (int v = 0; v < N; v++)
		b.rank[v] = (v * 7 + 3) % N;
	for (int way = 0; way < 2; way++) {
		learn_by(&s, &o, way == 0, 1, &b);
		for (int v = 0; v < N; v++) {
			int lowest = N;

			for (int u = N - 1; u >= 0; u--)
				if (b.rank[u] < b.rank[v])
					lowest = u;
			assert_int_equal(b.parent_count[v], lowest < N);
			if (lowest < N)
				assert_int_equal(b.parents[v * 2], lowest);
		}
	}
	boa_network_destroy(&b);
	sample_destroy(&s);
}

/* Sizes that need several tiles and passes: the packed learner agrees with the plain one, for any
 * number of threads, and rank by rank. */
static void packed_learner_matches_plain_on_large_data(void **state)
{
	static const int sizes[][3] = { { 130, 3300, 3 }, { 203, 640, 3 }, { 65, 6200, 4 } };

	(void)state;
	for (size_t i = 0; i < (UNDER_TSAN ? 1 : sizeof(sizes) / sizeof(*sizes)); i++) {
		int n = sizes[i][0], k = sizes[i][2];
		struct sample s = sample_mixed(n, sizes[i][1], 11 + i);
		struct boa_options o = options_of(k, BOA_SMOOTH_NONE);
		struct boa_network serial = network_of(n, k), b = network_of(n, k);

		assert_int_equal(boa_permutation(5, 6, n, serial.rank, NULL), 0);
		memcpy(b.rank, serial.rank, (size_t)n * sizeof(*b.rank));
		learn_by(&s, &o, true, 1, &serial);
		check_order(&serial);
		for (int threads = 1; threads <= 5; threads += 2) {
			memset(b.parent_count, 0xff, (size_t)n * sizeof(*b.parent_count));
			learn_by(&s, &o, false, threads, &b);
			check_same(&serial, &b);
		}
		for (int plain = 0; plain < 2; plain++) {
			memset(b.thresholds, 0xff, sizeof(*b.thresholds) * (size_t)n << k);
			for (int v = 0; v < n; v++)
				boa_fill_thresholds(&s.data, o.smoothing, plain, &b, v);
			check_same(&serial, &b);
		}
		boa_network_destroy(&serial);
		boa_network_destroy(&b);
		sample_destroy(&s);
	}
}

/* One learner learns ranges of ranks one after another. Together they give the whole network. */
static void parts_of_the_ranks_give_the_whole_network(void **state)
{
	enum { N = 77, M = 320, K = 3 };
	struct sample s = sample_mixed(N, M, 5);
	struct boa_options o = options_of(K, BOA_SMOOTH_LAPLACE);
	struct boa_network whole = network_of(N, K), b = network_of(N, K);
	struct boa_learner *l;

	(void)state;
	for (int way = 0; way < 2; way++)
		for (int step = 1; step < 60; step += 23) {
			boa_permutation(9, (uint32_t)step, N, whole.rank, NULL);
			memcpy(b.rank, whole.rank, N * sizeof(*b.rank));
			learn_by(&s, &o, way == 0, 1, &whole);
			memset(b.parent_count, 0xff, N * sizeof(*b.parent_count));
			assert_int_equal(boa_learner_create(&l, N, M, &o, way == 0, NULL, NULL), 0);
			for (int first = 0; first < N; first += step)
				boa_learn(l, &s.data, &b, first,
					  first + step < N ? first + step : N, NULL, NULL);
			boa_learn(l, &s.data, &b, 4, 4, NULL, NULL);
			boa_learner_destroy(l);
			check_same(&whole, &b);
		}
	boa_network_destroy(&whole);
	boa_network_destroy(&b);
	sample_destroy(&s);
}

/* Data learned earlier does not influence a learner. */
static void a_learner_keeps_nothing_of_earlier_data(void **state)
{
	enum { N = 90, M = 96, K = 3 };
	struct boa_options o = options_of(K, BOA_SMOOTH_NONE);
	struct boa_network b = network_of(N, K), fresh = network_of(N, K);
	struct boa_learner *l;

	(void)state;
	assert_int_equal(boa_learner_create(&l, N, M, &o, false, NULL, NULL), 0);
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct sample s = sample_mixed(N, M, seed);

		boa_permutation(seed, 0, N, b.rank, NULL);
		memcpy(fresh.rank, b.rank, N * sizeof(*b.rank));
		assert_int_equal(boa_learn(l, &s.data, &b, 0, N, NULL, NULL), 0);
		learn_by(&s, &o, true, 1, &fresh);
		check_same(&fresh, &b);
		sample_destroy(&s);
	}
	boa_learner_destroy(l);
	boa_network_destroy(&b);
	boa_network_destroy(&fresh);
}

/* A variable that is the majority of six others gets all six as parents, which is the maximum. */
static void a_majority_of_six_has_six_parents(void **state)
{
	enum { N = 9, M = 1500, VOTES = 6 };
	struct sample s = sample_of_zeros(N, M);
	struct boa_options o = options_of(VOTES, BOA_SMOOTH_LAPLACE);
	struct boa_network b = network_of(N, VOTES);
	struct naive_network naive;
	struct rng r = rng_seeded(8);

	(void)state;
	for (int i = 0; i < M; i++)
		for (int v = 0; v < N; v++) {
			int votes = 0;

			for (int u = 0; u < VOTES; u++)
				votes += *sample_at(&s, i, u);
			*sample_at(&s, i, v) = (uint8_t)(v == 8 ? votes > 2 : rng_below(&r, 2));
		}
	sample_pack(&s, 0);
	for (int v = 0; v < N; v++)
		b.rank[v] = v;
	naive_permuted(&s, b.rank, VOTES, &naive);
	assert_int_equal(naive.parents[8], VOTES);
	for (int way = 0; way < 2; way++) {
		learn_by(&s, &o, way == 0, 1, &b);
		check_parents(&b, &naive);
		check_thresholds(&s, &b, o.smoothing);
	}
	boa_network_destroy(&b);
	sample_destroy(&s);
}

/* ---- structure ---- */

/* Independent values, each 1 with probability `p`. */
static struct sample independent(int n, int count, double p, uint64_t seed)
{
	struct sample s = sample_of_zeros(n, count);
	struct rng r = rng_seeded(seed);

	for (int i = 0; i < n * count; i++)
		s.value[i] = rng_unit(&r) < p;
	return s;
}

/* X2 = X0 xor X1, with inputs that are 1 with probability 1/4, so that each input by itself carries
 * information. */
static void exclusive_or_is_found(void **state)
{
	struct sample s = independent(10, 2400, 0.25, 1);
	struct boa_options o = options_of(3, BOA_SMOOTH_NONE);
	struct boa_network b = network_of(10, 3);

	(void)state;
	for (int i = 0; i < s.count; i++)
		*sample_at(&s, i, 2) = *sample_at(&s, i, 0) ^ *sample_at(&s, i, 1);
	sample_pack(&s, 0);
	for (int v = 0; v < 10; v++)
		b.rank[v] = v == 2 ? 9 : v == 9 ? 2 : v;
	for (int way = 0; way < 2; way++) {
		learn_by(&s, &o, way == 0, 1, &b);
		assert_int_equal(b.parent_count[2], 2);
		assert_int_equal(b.parents[6] + b.parents[7], 1);
		assert_int_equal(b.thresholds[16] + b.thresholds[19], 0);
		assert_int_equal(b.thresholds[17] + b.thresholds[18], 2 * BOA_ONE);
	}
	boa_network_destroy(&b);
	sample_destroy(&s);
}

/* Each variable copies the previous one with an error rate of 1/10. */
static void a_chain_is_found(void **state)
{
	enum { N = 60 };
	struct sample s = independent(N, 2400, 0.1, 2);
	struct boa_options o = options_of(3, BOA_SMOOTH_NONE);
	struct boa_network b = network_of(N, 3);
	int exact = 0;

	(void)state;
	for (int i = 0; i < s.count; i++) {
		*sample_at(&s, i, 0) = i & 1;
		for (int v = 1; v < N; v++)
			*sample_at(&s, i, v) ^= *sample_at(&s, i, v - 1);
	}
	sample_pack(&s, 0);
	for (int v = 0; v < N; v++)
		b.rank[v] = v;
	learn_by(&s, &o, false, 1, &b);
	for (int v = 1; v < N; v++) {
		assert_true(b.parent_count[v] >= 1);
		assert_int_equal(b.parents[v * 3], v - 1);
		exact += b.parent_count[v] == 1;
	}
	assert_true(
		exact >
		N * 2 / 3); /* the best of many irrelevant variables may gain a little by chance */
	boa_network_destroy(&b);
	sample_destroy(&s);
}

/* An edge between independent variables has a positive gain with a probability of about 1/200. */
static void independent_variables_have_few_edges(void **state)
{
	enum { N = 60 };
	struct boa_options o = options_of(3, BOA_SMOOTH_NONE);
	struct boa_network b = network_of(N, 3);
	int edges = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct sample s = independent(N, 2400, 0.5, seed + 10);

		sample_pack(&s, 0);
		boa_permutation(seed, 0, N, b.rank, NULL);
		learn_by(&s, &o, false, 1, &b);
		for (int v = 0; v < N; v++)
			edges += b.parent_count[v];
		sample_destroy(&s);
	}
	assert_true(edges < 4 * N * (N - 1) / 2 / 50);
	boa_network_destroy(&b);
}

/* ---- the permutation ---- */

static void ranks_are_a_permutation(void **state)
{
	enum { N = 500 };
	int32_t rank[N], first[3] = { 0 };

	(void)state;
	assert_int_equal(boa_permutation(42, 17, N, rank, NULL), 0);
	for (int v = 0; v < N; v++) {
		uint32_t key = boa_order_key(42, 17, (uint32_t)v);
		int below = 0;

		for (int u = 0; u < N; u++) {
			uint32_t other = boa_order_key(42, 17, (uint32_t)u);

			below += other < key || (other == key && u < v);
		}
		assert_int_equal(rank[v], below);
	}
	for (uint32_t generation = 0; generation < 3000; generation++) {
		boa_permutation(1, generation, 3, rank, NULL);
		for (int v = 0; v < 3; v++)
			first[v] += rank[v] == 0;
	}
	for (int v = 0; v < 3; v++)
		assert_in_range(first[v], 900, 1100); /* 4 standard deviations: 103 */
}

/* ---- sBOA ---- */

static struct boa_options searched_options(int k)
{
	struct boa_options o;

	memset(&o, 0, sizeof(o));
	o.model = BOA_SEARCHED;
	o.max_parents = k;
	return o;
}

/* Fails unless the order is topological and, at each rank, the lowest possible variable stands. */
static void check_topological(const struct boa_network *b)
{
	check_order(b);
	for (int v = 0; v < b->n; v++)
		for (int u = 0; u < v; u++) {
			bool ready = b->rank[u] > b->rank[v];

			for (int p = 0; ready && p < b->parent_count[u]; p++)
				ready = b->rank[b->parents[u * b->k + p]] < b->rank[v];
			assert_false(ready);
		}
}

static void sboa_matches_the_naive_search(void **state)
{
	struct rng r = rng_seeded(2);

	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		int n = (int)rng_between(&r, 1, 9), k = (int)rng_between(&r, 0, 4);
		struct sample s = sample_mixed(n, (int)rng_between(&r, 1, 90), i);
		struct boa_options o = searched_options(k);
		struct boa_network b = network_of(n, k);
		struct naive_network naive;

		learn_by(&s, &o, true, 1, &b);
		naive_searched(&s, k, &naive);
		check_parents(&b, &naive);
		check_topological(&b);
		check_thresholds(&s, &b, BOA_SMOOTH_NONE);
		boa_network_destroy(&b);
		sample_destroy(&s);
	}
}

/* In a ring of copies, all edges are found except the one that would close a cycle. */
static void a_ring_loses_the_edge_that_closes_a_cycle(void **state)
{
	enum { N = 24, M = 640 };
	struct sample s = sample_of_zeros(N, M);
	struct boa_options o = searched_options(1);
	struct boa_network b = network_of(N, 1);
	struct rng r = rng_seeded(4);
	int edges = 0;

	(void)state;
	for (int i = 0; i < M; i++) {
		int at = (int)rng_below(&r, N);

		for (int v = 0; v < N; v++)
			*sample_at(&s, i, v) = (v + at) % N < N / 2;
	}
	sample_pack(&s, 0);
	learn_by(&s, &o, true, 1, &b);
	check_topological(&b);
	for (int v = 0; v < N; v++)
		edges += b.parent_count[v];
	assert_int_equal(edges, N - 1);
	boa_network_destroy(&b);
	sample_destroy(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learners_match_the_naive_one),
		cmocka_unit_test(one_individual_gives_no_edges),
		cmocka_unit_test(ties_go_to_the_lowest_index),
		cmocka_unit_test(packed_learner_matches_plain_on_large_data),
		cmocka_unit_test(parts_of_the_ranks_give_the_whole_network),
		cmocka_unit_test(a_learner_keeps_nothing_of_earlier_data),
		cmocka_unit_test(a_majority_of_six_has_six_parents),
		cmocka_unit_test(exclusive_or_is_found),
		cmocka_unit_test(a_chain_is_found),
		cmocka_unit_test(independent_variables_have_few_edges),
		cmocka_unit_test(ranks_are_a_permutation),
		cmocka_unit_test(sboa_matches_the_naive_search),
		cmocka_unit_test(a_ring_loses_the_edge_that_closes_a_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
