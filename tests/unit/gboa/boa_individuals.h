/* Test data: individuals packed by variable. */
#ifndef COPRA_TESTS_UNIT_GBOA_BOA_INDIVIDUALS_H
#define COPRA_TESTS_UNIT_GBOA_BOA_INDIVIDUALS_H

#include <stdlib.h>

#include "algorithms/gboa/boa.h"
#include "harness/base/rng.h"

/* All bits zero; each row has `spare` words more than needed. The caller frees `words`. */
static inline struct boa_data individuals_zero(int32_t n, int32_t count, size_t spare)
{
	size_t stride = boa_words(count) + spare;

	return (struct boa_data){ n, count, stride, calloc((size_t)n * stride, sizeof(uint32_t)) };
}

static inline void individuals_set(const struct boa_data *d, int32_t v, int32_t i, int value)
{
	uint32_t *word = (uint32_t *)(uintptr_t)d->words + (size_t)v * d->stride + (size_t)i / 32;

	*word = (*word & ~(1u << i % 32)) | (uint32_t)value << i % 32;
}

/* Each bit is random. */
static inline struct boa_data individuals_random(int32_t n, int32_t count, size_t spare,
						 struct rng *r)
{
	struct boa_data d = individuals_zero(n, count, spare);

	for (int32_t v = 0; v < n; v++)
		for (int32_t i = 0; i < count; i++)
			individuals_set(&d, v, i, (int)rng_below(r, 2));
	return d;
}

/* Dependent bits: each variable is, in most individuals, a function of two earlier variables. */
static inline struct boa_data individuals_related(int32_t n, int32_t count, size_t spare,
						  struct rng *r)
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

static inline void individuals_free(struct boa_data *d)
{
	free((uint32_t *)(uintptr_t)d->words);
	d->words = NULL;
}

#endif
