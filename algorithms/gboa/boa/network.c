/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- networks ---- */

int boa_network_create(struct boa_network *b, int32_t n, int32_t k, struct err *e)
{
	size_t variables = (size_t)n, edges = variables * (size_t)(k > 0 ? k : 1);

	*b = (struct boa_network){
		.n = n,
		.k = k,
		.rank = calloc(variables, sizeof(int32_t)),
		.parent_count = calloc(variables, sizeof(int32_t)),
		.parents = calloc(edges, sizeof(int32_t)),
		.thresholds = calloc(variables << k, sizeof(uint32_t)),
	};
	if (b->rank && b->parent_count && b->parents && b->thresholds)
		return 0;
	boa_network_destroy(b);
	return err_set(e, ERR_MEMORY, "no memory for a network of %d variables", n);
}

void boa_network_destroy(struct boa_network *b)
{
	free(b->rank);
	free(b->parent_count);
	free(b->parents);
	free(b->thresholds);
	*b = (struct boa_network){ 0 };
}

/* ---- thresholds ---- */

/* For each configuration of a variable's parents: the number of individuals, and of those with a
 * one. */
struct configurations {
	uint32_t all[1 << BOA_PARENTS_MAX], ones[1 << BOA_PARENTS_MAX];
};

static void count_plain(const struct boa_data *d, const int32_t *parent, int32_t parents, int32_t v,
			struct configurations *c)
{
	for (int32_t i = 0; i < d->count; i++) {
		int a = 0;

		for (int32_t r = 0; r < parents; r++)
			a |= boa_bit(d, parent[r], i) << r;
		c->all[a]++;
		c->ones[a] += (uint32_t)boa_bit(d, v, i);
	}
}

static void count_words(const struct boa_data *d, const int32_t *parent, int32_t parents, int32_t v,
			struct configurations *c)
{
	for (size_t w = 0; w < boa_words(d->count); w++) {
		uint32_t with[1 << BOA_PARENTS_MAX], here = (uint32_t)d->count - 32 * (uint32_t)w;
		uint32_t x = d->words[(size_t)v * d->stride + w];

		with[0] = here < 32 ? (UINT32_C(1) << here) - 1 : UINT32_MAX;
		for (int32_t r = 0; r < parents; r++) {
			uint32_t p = d->words[(size_t)parent[r] * d->stride + w];

			for (int32_t a = 0; a < 1 << r; a++) {
				with[a | 1 << r] = with[a] & p;
				with[a] &= ~p;
			}
		}
		for (int32_t a = 0; a < 1 << parents; a++) {
			c->all[a] += (uint32_t)__builtin_popcount(with[a]);
			c->ones[a] += (uint32_t)__builtin_popcount(with[a] & x);
		}
	}
}

void boa_fill_thresholds(const struct boa_data *d, enum boa_smoothing smoothing, bool plain,
			 struct boa_network *b, int32_t v)
{
	struct configurations c = { .all = { 0 } };
	const int32_t *parent = b->parents + (size_t)v * (size_t)b->k;
	int32_t parents = b->parent_count[v];

	if (plain)
		count_plain(d, parent, parents, v, &c);
	else
		count_words(d, parent, parents, v, &c);
	for (int32_t a = 0; a < 1 << parents; a++)
		b->thresholds[((size_t)v << b->k) + (size_t)a] =
			boa_threshold(c.ones[a], c.all[a], smoothing);
}

/* ---- permutations ---- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int boa_permutation(uint64_t seed, uint32_t generation, int32_t n, int32_t *rank, struct err *e)
{
	uint64_t *keys = malloc((size_t)n * sizeof(*keys));

	if (!keys)
		return err_set(e, ERR_MEMORY, "no memory for a permutation of %d variables", n);
	for (int32_t v = 0; v < n; v++)
		keys[v] =
			(uint64_t)boa_order_key(seed, generation, (uint32_t)v) << 32 | (uint32_t)v;
	qsort(keys, (size_t)n, sizeof(*keys), by_value);
	for (int32_t r = 0; r < n; r++)
		rank[(uint32_t)keys[r]] = r;
	free(keys);
	return 0;
}

/* ---- the table of factorials ---- */

/* Gains and the scores they are compared with stay below 2^31 in magnitude. 64 more individuals
 * leave room for the losses of cells that are split. */
static int scale_of(int32_t count)
{
	int scale = 26;

	while (scale > 0 && ldexp((count + 64) * log(2), scale) >= 0x1p31)
		scale--;
	return scale;
}

int boa_k2_table_create(struct boa_k2_table *t, int32_t count, struct err *e)
{
	long double sum = 0;
	size_t values = (size_t)count + 2;

	*t = (struct boa_k2_table){ malloc(values * sizeof(uint32_t)), count, scale_of(count) };
	if (!t->at)
		return err_set(e, ERR_MEMORY, "no memory for a table of %d factorials", count);
	for (size_t m = 0; m < values; m++) {
		sum += m > 1 ? logl((long double)m) : 0;
		t->at[m] = (uint32_t)(uint64_t)llroundl(ldexpl(sum, t->scale));
	}
	return 0;
}

void boa_k2_table_destroy(struct boa_k2_table *t)
{
	free(t->at);
	*t = (struct boa_k2_table){ 0 };
}
