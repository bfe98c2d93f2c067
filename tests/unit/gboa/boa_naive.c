/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/gboa/boa_naive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/base/plain_philox.h"

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
	assert_int_equal(boa_learn(l, &s->data, b, 0, b->n, NULL, NULL), 0);
	boa_learner_destroy(l);
	team_destroy(w);
}

/* ---- steps other than learning ---- */

int naive_initial_bit(uint64_t seed, int32_t v, int32_t i)
{
	uint32_t word = (uint32_t)i / 32, r[4];

	plain_philox(7, (uint32_t[4]){ (uint32_t)v, word / 4, 0, 256 }, seed, r);
	return r[word % 4] >> (i % 32) & 1;
}

uint32_t naive_number(uint64_t seed, int32_t generation, int32_t v, int32_t i)
{
	uint32_t word = (uint32_t)i / 32, u = 0, r[4];

	for (uint32_t d = 0; d < 16; d++) {
		plain_philox(7,
			     (uint32_t[4]){ (uint32_t)v, word, (uint32_t)generation, 768 + d / 4 },
			     seed, r);
		if (r[d % 4] >> (i % 32) & 1)
			u += 1u << (15 - d);
	}
	return u;
}

void naive_ranks(uint64_t seed, int32_t generation, int32_t n, int32_t *rank)
{
	uint32_t *key = malloc((size_t)n * sizeof(*key)), r[4];

	for (int32_t v = 0; v < n; v++) {
		uint32_t counter[4] = { (uint32_t)v / 4, 0, (uint32_t)generation, 512 };

		plain_philox(7, counter, seed, r);
		key[v] = r[v % 4];
	}
	for (int32_t v = 0; v < n; v++) {
		rank[v] = 0;
		for (int32_t u = 0; u < n; u++)
			rank[v] += key[u] < key[v] || (key[u] == key[v] && u < v);
	}
	free(key);
}

int naive_bit(const uint32_t *words, size_t stride, int32_t v, int32_t i)
{
	return words[(size_t)v * stride + (size_t)(i / 32)] >> (i % 32) & 1;
}

uint32_t naive_configuration(const struct boa_network *b, const uint32_t *words, size_t stride,
			     int32_t v, int32_t i)
{
	uint32_t a = 0;

	for (int32_t r = 0; r < b->parent_count[v]; r++)
		if (naive_bit(words, stride, b->parents[v * b->k + r], i))
			a += 1u << r;
	return a;
}

int32_t naive_select(const int32_t *fitness, int32_t count, int32_t selected, int32_t *positions)
{
	int32_t taken = 0;

	for (int32_t i = 0; i < count; i++) {
		int32_t better = 0;

		for (int32_t j = 0; j < count; j++)
			better += fitness[j] > fitness[i] || (fitness[j] == fitness[i] && j < i);
		if (better < selected)
			positions[taken++] = i;
	}
	return taken;
}

/* ---- individuals packed by variable ---- */

struct boa_data individuals_zero(int32_t n, int32_t count, size_t spare)
{
	size_t stride = boa_words(count) + spare;

	return (struct boa_data){ n, count, stride, calloc((size_t)n * stride, sizeof(uint32_t)) };
}

void individuals_set(const struct boa_data *d, int32_t v, int32_t i, int value)
{
	uint32_t *word = (uint32_t *)(uintptr_t)d->words + (size_t)v * d->stride + (size_t)i / 32;

	*word = (*word & ~(1u << i % 32)) | (uint32_t)value << i % 32;
}

struct boa_data individuals_random(int32_t n, int32_t count, size_t spare, struct rng *r)
{
	struct boa_data d = individuals_zero(n, count, spare);

	for (int32_t v = 0; v < n; v++)
		for (int32_t i = 0; i < count; i++)
			individuals_set(&d, v, i, (int)rng_below(r, 2));
	return d;
}

struct boa_data individuals_related(int32_t n, int32_t count, size_t spare, struct rng *r)
{
	struct boa_data d = individuals_random(n, count, spare, r);

	for (int32_t v = 2; v < n; v++) {
		int32_t a = (int32_t)rng_below(r, (uint64_t)v),
			b = (int32_t)rng_below(r, (uint64_t)v);
		uint64_t table = rng_below(r, 16), noise = 3 + rng_below(r, 20);

		for (int32_t i = 0; i < count; i++)
			if (rng_below(r, noise))
				individuals_set(
					&d, v, i,
					(int)(table >> (2 * boa_bit(&d, a, i) + boa_bit(&d, b, i)) &
					      1));
	}
	return d;
}

void individuals_free(struct boa_data *d)
{
	free((uint32_t *)(uintptr_t)d->words);
	d->words = NULL;
}
