/* The steps of a generation implemented from the definitions in boa.h and kernels/gboa/arithmetic.h
 * only: bit by bit, on bytes, with its own Philox. Shares no code with what it checks. */
#ifndef COPRA_TESTS_UNIT_GBOA_BOA_PLAIN_H
#define COPRA_TESTS_UNIT_GBOA_BOA_PLAIN_H

#include <stdlib.h>

#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/boa/network.h"
#include "tests/unit/base/plain_philox.h"

/* Variable v of individual i of population 0. */
static inline int plain_initial_bit(uint64_t seed, int32_t v, int32_t i)
{
	uint32_t word = (uint32_t)i / 32, r[4];

	plain_philox(7, (uint32_t[4]){ (uint32_t)v, word / 4, 0, 256 }, seed, r);
	return r[word % 4] >> (i % 32) & 1;
}

/* The 16-bit number of variable v of offspring i. */
static inline uint32_t plain_number(uint64_t seed, int32_t generation, int32_t v, int32_t i)
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

/* rank[v]: the number of variables with a smaller key, or the same key and a lower index. */
static inline void plain_ranks(uint64_t seed, int32_t generation, int32_t n, int32_t *rank)
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

static inline int plain_bit(const uint32_t *words, size_t stride, int32_t v, int32_t i)
{
	return words[(size_t)v * stride + (size_t)(i / 32)] >> (i % 32) & 1;
}

/* The configuration of the parents of v in individual i. */
static inline uint32_t plain_configuration(const struct boa_network *b, const uint32_t *words,
					   size_t stride, int32_t v, int32_t i)
{
	uint32_t a = 0;

	for (int32_t r = 0; r < b->parent_count[v]; r++)
		if (plain_bit(words, stride, b->parents[v * b->k + r], i))
			a += 1u << r;
	return a;
}

/* The positions selected: an individual is selected if few enough are better. */
static inline int32_t plain_select(const int32_t *fitness, int32_t count, int32_t selected,
				   int32_t *positions)
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

#endif
