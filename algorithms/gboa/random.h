/* Every random number of a run, by counter: for host and device alike, whoever draws it.
 *
 * Key: the seed of the run. Counters: {variable, word or 0, generation, purpose}. */
#ifndef COPRA_GBOA_RANDOM_H
#define COPRA_GBOA_RANDOM_H

#include "harness/base/philox.h"

enum boa_purpose {
	BOA_INITIAL = 1 << 8,
	BOA_ORDER = 2 << 8,
	BOA_SAMPLE = 3 << 8,
	BOA_OTHER = 4 << 8
};

/* Bits of a variable of 32 individuals of population 0. */
HD uint32_t boa_initial_word(uint64_t seed, uint32_t variable, uint32_t word)
{
	return philox_7(variable, word >> 2, 0, BOA_INITIAL, seed).word[word & 3];
}

/* The permutation of a generation: the rank of variable v, perm[v] in 0 .. n-1, is the number of
 * variables u with (key(u), u) < (key(v), v). */
HD uint32_t boa_order_key(uint64_t seed, uint32_t generation, uint32_t variable)
{
	return philox_7(variable >> 2, 0, generation, BOA_ORDER, seed).word[variable & 3];
}

/* Sampling. The variable of offspring individual 32 w + b is 1 where u < t, with t its threshold,
 * 0 .. 65536 (network.h), and u a number of 16 bits: bit 15 - d of u is bit b of digit word d, 0 <=
 * d < 16. So 32 individuals are compared at once, digit by digit, without being told apart. One
 * call gives digit words 4 q .. 4 q + 3, q = 0 .. 3. */
enum { BOA_DIGITS = 16, BOA_ONE = 1 << BOA_DIGITS };

HD struct philox4 boa_digits(uint64_t seed, uint32_t generation, uint32_t variable, uint32_t word,
			     uint32_t q)
{
	return philox_7(variable, word, generation, (uint32_t)BOA_SAMPLE + q, seed);
}

#endif
