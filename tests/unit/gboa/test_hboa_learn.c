/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Decision graphs: the greedy construction agrees with one in doubles, graphs are valid, known
 * relations are found, and both learners agree for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gboa/hboa/learn_graphs.h"
#include "algorithms/gboa/hboa/tournaments.h"
#include "tests/unit/gboa/boa_naive.h"

/* ---- the oracle: members of leaves as flags, scores by lgamma ---- */

struct tally {
	double zeros, ones;
};

static double score(struct tally t)
{
	return lgamma(t.zeros + 1) + lgamma(t.ones + 1) - lgamma(t.zeros + t.ones + 2);
}

static struct tally tally(const struct boa_data *d, int32_t v, const uint8_t *leaf, int32_t l,
			  int32_t u, int value)
{
	struct tally t = { 0, 0 };

	for (int32_t i = 0; i < d->count; i++)
		if (leaf[i] == l && (u < 0 || boa_bit(d, u, i) == value)) {
			t.zeros += !boa_bit(d, v, i);
			t.ones += boa_bit(d, v, i);
		}
	return t;
}

static double gain_of_split(const struct boa_data *d, int32_t v, const uint8_t *leaf, int32_t l,
			    int32_t u)
{
	return score(tally(d, v, leaf, l, u, 0)) + score(tally(d, v, leaf, l, u, 1)) -
	       score(tally(d, v, leaf, l, -1, 0)) - log(d->count) / 2;
}

static double gain_of_merge(const struct boa_data *d, int32_t v, const uint8_t *leaf, int32_t l,
			    int32_t m)
{
	struct tally a = tally(d, v, leaf, l, -1, 0), b = tally(d, v, leaf, m, -1, 0);

	return score((struct tally){ a.zeros + b.zeros, a.ones + b.ones }) - score(a) - score(b) +
	       log(d->count) / 2;
}

static double best_split(const struct boa_data *d, const int32_t *rank, int32_t v,
			 const uint8_t *leaf, int32_t leaves)
{
	double best = -INFINITY;

	for (int32_t l = 0; l < leaves; l++)
		for (int32_t u = 0; u < d->n; u++)
			if (rank[u] < rank[v])
				best = fmax(best, gain_of_split(d, v, leaf, l, u));
	return best;
}

static double best_merge(const struct boa_data *d, int32_t v, const uint8_t *leaf, int32_t leaves)
{
	double best = -INFINITY;

	for (int32_t l = 0; l < leaves; l++)
		for (int32_t m = l + 1; m < leaves; m++)
			best = fmax(best, gain_of_merge(d, v, leaf, l, m));
	return best;
}

/* Sets leaf[i] to the leaf that individual i reaches. */
static void follow(const struct hboa_graph *g, const struct boa_data *d, uint8_t *leaf)
{
	for (int32_t i = 0; i < d->count; i++) {
		int32_t at = g->splits ? 0 : -1;

		while (at >= 0)
			at = g->split[at].child[boa_bit(d, g->split[at].variable, i)];
		leaf[i] = (uint8_t)(-1 - at);
	}
}

static void check_shape(const struct hboa_graph *g, const struct boa_data *d, const int32_t *rank,
			int32_t v, const uint8_t *leaf)
{
	bool reached[HBOA_SPLITS_MAX] = { true };

	assert_in_range(g->leaves, 1, g->splits + 1);
	for (int32_t s = 0; s < g->splits; s++) {
		assert_true(reached[s]);
		assert_true(rank[g->split[s].variable] < rank[v]);
		for (int x = 0; x < 2; x++) {
			int32_t child = g->split[s].child[x];

			assert_true(child < 0 ? -1 - child < g->leaves :
						child > s && child < g->splits);
			if (child >= 0)
				reached[child] = true;
		}
	}
	for (int32_t l = 0; l < g->leaves; l++) {
		struct tally t = tally(d, v, leaf, l, -1, 0);

		assert_true(t.zeros + t.ones > 0);
		assert_int_equal(g->threshold[l], floor(65536 * t.ones / (t.zeros + t.ones) + 0.5));
	}
}

enum { MOST = 400 };
static const double slack = 1e-4;

/* Fails unless no operator gains any more and, without merges, the splits are the greedy ones in
 * their order. */
static void check_greedy(const struct hboa_graph *g, const struct boa_data *d, const int32_t *rank,
			 int32_t v, const uint8_t *final, bool merges)
{
	uint8_t leaf[MOST] = { 0 };

	assert_true(best_split(d, rank, v, final, g->leaves) <= slack);
	if (merges) {
		assert_true(best_merge(d, v, final, g->leaves) <= slack);
		return;
	}
	/* Leaf numbers repeat the construction: the new leaf of split s is number s + 1. The leaf
	 * that was split is the one that its individuals with value 0 reach. */
	for (int32_t s = 0; s < g->splits; s++) {
		double best = best_split(d, rank, v, leaf, s + 1);
		int32_t found = -1;

		for (int32_t l = 0; l <= s && found < 0; l++)
			if (fabs(gain_of_split(d, v, leaf, l, g->split[s].variable) - best) < slack)
				found = l;
		assert_true(found >= 0 && best > -slack);
		for (int32_t i = 0; i < d->count; i++)
			if (leaf[i] == found && boa_bit(d, g->split[s].variable, i))
				leaf[i] = (uint8_t)(s + 1);
	}
}

/* ---- all learners ---- */

static void permute(struct hboa_model *m, struct rng *r)
{
	for (int32_t v = 0; v < m->n; v++) {
		int32_t at = (int32_t)rng_below(r, (uint64_t)v + 1);

		m->order[v] = m->order[at];
		m->order[at] = v;
	}
	for (int32_t v = 0; v < m->n; v++)
		m->rank[m->order[v]] = v;
}

static void learn(struct hboa_model *m, const struct boa_data *d, const struct boa_options *o,
		  bool plain, int threads)
{
	struct hboa_learner *l;
	struct team *w = NULL;
	struct err e = { 0 };

	if (threads > 1)
		assert_int_equal(team_create(&w, threads, &e), 0);
	assert_int_equal(hboa_learner_create(&l, d->n, d->count, o, plain, w, &e), 0);
	hboa_learn(l, d, m, NULL);
	hboa_learner_destroy(l);
	team_destroy(w);
}

static void expect_same(const struct hboa_model *a, const struct hboa_model *b)
{
	for (int32_t v = 0; v < a->n; v++) {
		const struct hboa_graph *x = &a->graph[v], *y = &b->graph[v];

		assert_int_equal(x->splits, y->splits);
		assert_int_equal(x->leaves, y->leaves);
		assert_memory_equal(x->split, y->split, (size_t)x->splits * sizeof(x->split[0]));
		assert_memory_equal(x->threshold, y->threshold,
				    (size_t)x->leaves * sizeof(x->threshold[0]));
	}
}

static struct boa_options options(bool merges)
{
	struct boa_options o;

	boa_defaults(&o);
	o.model = BOA_TREES;
	o.merges = merges;
	return o;
}

static void create(struct hboa_model *m, int32_t n)
{
	struct err e = { 0 };

	if (hboa_model_create(m, n, &e))
		fail_msg("%s", e.text);
}

static void check_case(const struct boa_data *d, bool merges, struct rng *r)
{
	struct boa_options o = options(merges);
	struct hboa_model plain, packed;
	uint8_t leaf[MOST];

	create(&plain, d->n);
	create(&packed, d->n);
	permute(&plain, r);
	memcpy(packed.rank, plain.rank, (size_t)d->n * sizeof(int32_t));
	memcpy(packed.order, plain.order, (size_t)d->n * sizeof(int32_t));
	learn(&plain, d, &o, true, 1);
	for (int threads = 1; threads <= 3; threads += 2) {
		learn(&packed, d, &o, false, threads);
		expect_same(&plain, &packed);
	}
	for (int32_t v = 0; v < d->n; v++) {
		follow(&plain.graph[v], d, leaf);
		check_shape(&plain.graph[v], d, plain.rank, v, leaf);
		check_greedy(&plain.graph[v], d, plain.rank, v, leaf, merges);
	}
	hboa_model_destroy(&plain);
	hboa_model_destroy(&packed);
}

static void graphs_match_a_construction_in_doubles(void **state)
{
	struct rng r = rng_seeded(5);

	(void)state;
	for (int i = 0; i < 150; i++) {
		int32_t n = 1 + (int32_t)rng_below(&r, 11);
		int32_t count = 1 + (int32_t)rng_below(&r, i % 3 ? MOST : 40);
		struct boa_data d = individuals_related(n, count, (size_t)(i % 2), &r);

		check_case(&d, i % 2, &r);
		individuals_free(&d);
	}
}

/* Learns variables in their order and returns the graph of the last. */
static struct hboa_graph last_graph(const struct boa_data *d, bool merges)
{
	struct boa_options o = options(merges);
	struct hboa_model m;

	create(&m, d->n);
	for (int32_t v = 0; v < d->n; v++)
		m.rank[v] = m.order[v] = v;
	learn(&m, d, &o, false, 1);
	struct hboa_graph g = m.graph[d->n - 1];

	hboa_model_destroy(&m);
	return g;
}

/* x2 = x0 and x1: a tree needs three leaves, a graph two. */
static void a_conjunction_needs_two_leaves_with_merges(void **state)
{
	struct rng r = rng_seeded(6);
	struct boa_data d = individuals_random(3, 320, 0, &r);

	(void)state;
	for (int32_t i = 0; i < d.count; i++)
		individuals_set(&d, 2, i, boa_bit(&d, 0, i) & boa_bit(&d, 1, i));
	struct hboa_graph tree = last_graph(&d, false), graph = last_graph(&d, true);

	assert_int_equal(tree.splits, 2);
	assert_int_equal(tree.leaves, 3);
	assert_int_equal(graph.splits, 2);
	assert_int_equal(graph.leaves, 2);
	individuals_free(&d);
}

/* x2 = x0 xor x1 where x0 is mostly 1: four leaves without merges, two with. */
static void parity_is_found_if_an_input_is_informative(void **state)
{
	struct rng r = rng_seeded(7);
	struct boa_data d = individuals_random(3, 960, 0, &r);

	(void)state;
	for (int32_t i = 0; i < d.count; i++) {
		individuals_set(&d, 0, i, rng_below(&r, 4) != 0);
		individuals_set(&d, 2, i, boa_bit(&d, 0, i) ^ boa_bit(&d, 1, i));
	}
	struct hboa_graph tree = last_graph(&d, false), graph = last_graph(&d, true);

	assert_int_equal(tree.leaves, 4);
	assert_int_equal(graph.leaves, 2);
	for (int l = 0; l < 2; l++)
		assert_true(graph.threshold[l] == 0 || graph.threshold[l] == BOA_ONE);
	individuals_free(&d);
}

static void a_chain_is_found(void **state)
{
	struct rng r = rng_seeded(8);
	struct boa_data d = individuals_random(12, 640, 0, &r);
	struct boa_options o = options(true);
	struct hboa_model m;

	(void)state;
	create(&m, d.n);
	for (int32_t v = 0; v < d.n; v++) {
		m.rank[v] = m.order[v] = v;
		for (int32_t i = 0; v && i < d.count; i++)
			individuals_set(&d, v, i, boa_bit(&d, v - 1, i) ^ (rng_below(&r, 8) == 0));
	}
	learn(&m, &d, &o, false, 2);
	for (int32_t v = 1; v < d.n; v++) {
		assert_true(m.graph[v].splits >= 1);
		assert_int_equal(m.graph[v].split[0].variable, v - 1);
	}
	assert_in_range(hboa_edges(&m), d.n - 1, d.n);
	hboa_model_destroy(&m);
	individuals_free(&d);
}

static void independent_variables_have_few_edges(void **state)
{
	struct rng r = rng_seeded(9);
	struct boa_data d = individuals_random(40, 1600, 3, &r);
	struct boa_options o = options(true);
	struct hboa_model m;

	(void)state;
	create(&m, d.n);
	permute(&m, &r);
	learn(&m, &d, &o, false, 1);
	/* 780 pairs; about one in two hundred gains more than the penalty */
	assert_in_range(hboa_edges(&m), 0, 12);
	hboa_model_destroy(&m);
	individuals_free(&d);
}

/* The variable is a random function of seven variables, which needs more leaves than a graph
 * has. */
static void a_graph_ends_at_the_maximum_of_leaves(void **state)
{
	enum { BITS = 8, TIMES = 40 };
	struct rng r = rng_seeded(10);
	struct boa_data d = individuals_zero(BITS + 1, TIMES << BITS, 0);
	uint8_t value[1 << BITS];

	(void)state;
	for (int i = 0; i < 1 << BITS; i++)
		value[i] = (uint8_t)rng_below(&r, 2);
	for (int32_t i = 0; i < d.count; i++) {
		for (int32_t v = 0; v < BITS; v++)
			individuals_set(&d, v, i, i >> v & 1);
		individuals_set(&d, BITS, i, value[i % (1 << BITS)]);
	}
	for (int merges = 0; merges < 2; merges++) {
		struct hboa_graph g = last_graph(&d, merges);

		assert_in_range(g.splits, 60, HBOA_SPLITS_MAX);
		assert_in_range(g.leaves, 2, g.splits + 1);
	}
	individuals_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_match_a_construction_in_doubles),
		cmocka_unit_test(a_conjunction_needs_two_leaves_with_merges),
		cmocka_unit_test(parity_is_found_if_an_input_is_informative),
		cmocka_unit_test(a_chain_is_found),
		cmocka_unit_test(independent_variables_have_few_edges),
		cmocka_unit_test(a_graph_ends_at_the_maximum_of_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
