/* Conditional tables of a network, counted from data in words. */
#include <string.h>

#include "algorithms/gboa/learn_parts.h"

void boa_fill_row(const struct boa_data *d, enum boa_smoothing smoothing, struct boa_network *b,
		  int32_t v)
{
	uint32_t all[1 << BOA_PARENTS_MAX] = { 0 }, ones[1 << BOA_PARENTS_MAX] = { 0 };
	const int32_t *parent = b->parents + (size_t)v * (size_t)b->k;
	int32_t parents = b->parent_count[v], configurations = 1 << parents;

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
		for (int32_t a = 0; a < configurations; a++) {
			all[a] += (uint32_t)__builtin_popcount(with[a]);
			ones[a] += (uint32_t)__builtin_popcount(with[a] & x);
		}
	}
	for (int32_t a = 0; a < configurations; a++)
		b->thresholds[((size_t)v << b->k) + (size_t)a] =
			boa_threshold(ones[a], all[a], smoothing);
}

void boa_fill_thresholds(const struct boa_data *d, enum boa_smoothing smoothing,
			 struct boa_network *b)
{
	for (int32_t v = 0; v < d->n; v++)
		boa_fill_row(d, smoothing, b, v);
}
