#include "tests/unit/gboa/boa_naive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct sample sample_of_zeros(int n, int count)
{
	struct sample s = { .n = n, .count = count };

	s.value = calloc((size_t)n * (size_t)count, 1);
	assert_non_null(s.value);
	return s;
}

uint8_t *sample_at(const struct sample *s, int individual, int variable)
{
	return s->value + (size_t)individual * (size_t)s->n + (size_t)variable;
}

void sample_pack(struct sample *s, size_t spare)
{
	size_t stride = boa_words(s->count) + spare;
	uint32_t *words = calloc((size_t)s->n * stride, sizeof(*words));

	assert_non_null(words);
	for (int i = 0; i < s->count; i++)
		for (int v = 0; v < s->n; v++)
			words[(size_t)v * stride + (size_t)i / 32] |= (uint32_t)*sample_at(s, i, v)
								      << i % 32;
	s->data = (struct boa_data){ s->n, s->count, stride, words };
}

void sample_destroy(struct sample *s)
{
	free((void *)(uintptr_t)s->data.words);
	free(s->value);
}

struct sample sample_mixed(int n, int count, uint64_t seed)
{
	struct sample s = sample_of_zeros(n, count);
	struct rng r = rng_seeded(seed);

	for (int v = 0; v < n; v++) {
		uint64_t kind = rng_below(&r, 8), noise = rng_below(&r, 40);
		int a = v ? (int)rng_below(&r, (uint64_t)v) : 0;
		int b = v ? (int)rng_below(&r, (uint64_t)v) : 0;

		for (int i = 0; i < count; i++) {
			int x = *sample_at(&s, i, a), y = *sample_at(&s, i, b);
			int made = kind == 0 ? v & 1 :
				   kind == 1 ? 1 - x :
				   kind < 4  ? x :
				   kind < 6  ? x & y :
					       x ^ y;

			if (v == 0 || kind == 7)
				made = (int)rng_below(&r, 2);
			else if (kind > 1)
				made ^= rng_below(&r, 100) < noise;
			*sample_at(&s, i, v) = (uint8_t)made;
		}
	}
	sample_pack(&s, seed % 3);
	return s;
}

uint32_t naive_ln_factorial(uint32_t m, int scale)
{
	return (uint32_t)(uint64_t)llroundl(ldexpl(lgammal((long double)m + 1), scale));
}

uint32_t naive_count(const struct sample *s, int v, int x, const int32_t *parent, int parents,
		     int configuration)
{
	uint32_t sum = 0;

	for (int i = 0; i < s->count; i++) {
		bool all = *sample_at(s, i, v) == x;

		for (int p = 0; all && p < parents; p++)
			all = *sample_at(s, i, parent[p]) == (configuration >> p & 1);
		sum += all;
	}
	return sum;
}

uint32_t naive_score(const struct sample *s, int v, const int32_t *parent, int parents, int scale)
{
	uint32_t score = 0;

	for (int a = 0; a < 1 << parents; a++) {
		uint32_t zeros = naive_count(s, v, 0, parent, parents, a);
		uint32_t ones = naive_count(s, v, 1, parent, parents, a);

		score += naive_ln_factorial(zeros, scale) + naive_ln_factorial(ones, scale) -
			 naive_ln_factorial(zeros + ones + 1, scale);
	}
	return score;
}

int naive_scale(int count)
{
	int scale = 26;

	while ((count + 64) * logl(2) * powl(2, scale) >= powl(2, 31))
		scale--;
	return scale;
}

static int32_t naive_gain(const struct sample *s, struct naive_network *b, int u, int v)
{
	int count = b->parents[v], scale = naive_scale(s->count);

	b->parent[v][count] = u;
	return (int32_t)(naive_score(s, v, b->parent[v], count + 1, scale) -
			 naive_score(s, v, b->parent[v], count, scale));
}

void naive_permuted(const struct sample *s, const int32_t *rank, int k, struct naive_network *b)
{
	memset(b, 0, sizeof(*b));
	for (int v = 0; v < s->n; v++)
		while (b->parents[v] < k) {
			int32_t best = 0;
			int parent = -1;

			for (int u = 0; u < s->n; u++) {
				int32_t gain = rank[u] < rank[v] ? naive_gain(s, b, u, v) : 0;

				if (gain > best) {
					best = gain;
					parent = u;
				}
			}
			if (parent < 0)
				break;
			b->parent[v][b->parents[v]++] = parent;
		}
}

/* True if there is a path from u to v. */
static bool naive_leads(const struct naive_network *b, int u, int v)
{
	bool leads = u == v;

	for (int p = 0; !leads && p < b->parents[v]; p++)
		leads = naive_leads(b, u, b->parent[v][p]);
	return leads;
}

void naive_searched(const struct sample *s, int k, struct naive_network *b)
{
	memset(b, 0, sizeof(*b));
	for (;;) {
		int32_t best = 0;
		int from = -1, to = -1;

		for (int v = 0; v < s->n; v++)
			for (int u = 0; u < s->n && b->parents[v] < k; u++) {
				int32_t gain = naive_gain(s, b, u, v);

				if (gain > best && !naive_leads(b, v, u)) {
					best = gain;
					from = u;
					to = v;
				}
			}
		if (from < 0)
			return;
		b->parent[to][b->parents[to]++] = from;
	}
}

/* Thresholds by the definition of boa_threshold, rounded in integers. */
static uint32_t naive_threshold(uint64_t ones, uint64_t all, enum boa_smoothing smoothing)
{
	uint64_t above = ones + (smoothing == BOA_SMOOTH_LAPLACE);
	uint64_t below = all + (smoothing == BOA_SMOOTH_LAPLACE ? 2 : 0), t = 0;

	if (below == 0)
		return 32768;
	while ((2 * t + 1) * below <= 2 * 65536 * above) /* (t + 1/2) / 65536 <= p */
		t++;
	return (uint32_t)t;
}

void check_thresholds(const struct sample *s, const struct boa_network *b,
		      enum boa_smoothing smoothing)
{
	for (int v = 0; v < b->n; v++) {
		const int32_t *parent = b->parents + v * b->k;
		int parents = b->parent_count[v];

		for (int a = 0; a < 1 << parents; a++) {
			uint32_t zeros = naive_count(s, v, 0, parent, parents, a);
			uint32_t ones = naive_count(s, v, 1, parent, parents, a);

			assert_int_equal(b->thresholds[((size_t)v << b->k) + (size_t)a],
					 naive_threshold(ones, zeros + ones, smoothing));
		}
	}
}

void check_parents(const struct boa_network *b, const struct naive_network *naive)
{
	for (int v = 0; v < b->n; v++) {
		assert_int_equal(b->parent_count[v], naive->parents[v]);
		for (int p = 0; p < b->parent_count[v]; p++)
			assert_int_equal(b->parents[v * b->k + p], naive->parent[v][p]);
	}
}

void check_order(const struct boa_network *b)
{
	uint8_t *seen = calloc((size_t)b->n, 1);

	assert_non_null(seen);
	for (int v = 0; v < b->n; v++) {
		const int32_t *parent = b->parents + v * b->k;

		assert_in_range(b->rank[v], 0, b->n - 1);
		assert_int_equal(seen[b->rank[v]]++, 0);
		assert_in_range(b->parent_count[v], 0, b->k);
		for (int p = 0; p < b->parent_count[v]; p++) {
			assert_true(b->rank[parent[p]] < b->rank[v]);
			for (int q = 0; q < p; q++)
				assert_int_not_equal(parent[p], parent[q]);
		}
	}
	free(seen);
}

void check_same(const struct boa_network *a, const struct boa_network *b)
{
	for (int v = 0; v < a->n; v++) {
		int parents = a->parent_count[v];

		assert_int_equal(parents, b->parent_count[v]);
		assert_memory_equal(a->parents + v * a->k, b->parents + v * b->k,
				    (size_t)parents * sizeof(*a->parents));
		assert_memory_equal(a->thresholds + ((size_t)v << a->k),
				    b->thresholds + ((size_t)v << b->k),
				    sizeof(*a->thresholds) << parents);
	}
}

struct boa_network network_of(int n, int k)
{
	struct boa_network b;

	assert_int_equal(boa_network_create(&b, n, k, NULL), 0);
	return b;
}

void learn_by(const struct sample *s, const struct boa_options *o, bool serial, int threads,
	      struct boa_network *b)
{
	struct boa_learner *l;
	struct team *w = NULL;

	if (threads > 1)
		assert_int_equal(team_create(&w, threads, NULL), 0);
	assert_int_equal(boa_learner_create(&l, s->n, s->count, o, serial, w, NULL), 0);
	assert_int_equal(boa_learn(l, &s->data, b, NULL, NULL), 0);
	boa_learner_destroy(l);
	team_destroy(w);
}
