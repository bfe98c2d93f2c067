/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Limits, random numbers, K2 gains and thresholds: the arithmetic that fixes a run of BOA bit by
 * bit. Host and device use these definitions, so every variant computes the same run. */
#ifndef COPRA_KERNELS_GBOA_ARITHMETIC_H
#define COPRA_KERNELS_GBOA_ARITHMETIC_H

#include <stdint.h>

#include "harness/base/hd.h"
#include "harness/base/philox.h"

enum { BOA_PARENTS_MAX = 6, BOA_VARIABLES_MAX = 65536, BOA_POPULATION_MAX = 1 << 20 };

enum boa_smoothing {
	BOA_SMOOTH_NONE,    /* N_a1 / N_a, one half where N_a = 0 */
	BOA_SMOOTH_LAPLACE, /* (N_a1 + 1) / (N_a + 2) */
};

/* ---- random numbers ---- */

/* Random numbers are counter-based (Philox), so the order of the draws does not matter.
 * Key: the seed of the run. Counters: {variable, word or 0, generation, purpose}. */
enum boa_purpose {
	BOA_INITIAL = 1 << 8,
	BOA_ORDER = 2 << 8,
	BOA_SAMPLE = 3 << 8,
	BOA_OTHER = 4 << 8 /* hBOA: hboa.h */
};

/* Word `word` of a variable in population 0: one bit for each of 32 individuals. */
HD uint32_t boa_initial_word(uint64_t seed, uint32_t variable, uint32_t word)
{
	return philox_7(variable, word >> 2, 0, BOA_INITIAL, seed).word[word & 3];
}

/* The permutation of a generation: the rank of variable v, 0 .. n - 1, is the number of variables u
 * with (key(u), u) < (key(v), v). */
HD uint32_t boa_order_key(uint64_t seed, uint32_t generation, uint32_t variable)
{
	return philox_7(variable >> 2, 0, generation, BOA_ORDER, seed).word[variable & 3];
}

/* Sampling. A variable of offspring 32 w + b is 1 where u < t. t is its threshold, 0 .. BOA_ONE
 * (boa_threshold), and u a random number of 16 bits: bit 15 - d of u is bit b of digit word d,
 * 0 <= d < 16. Digit words allow the comparison of 32 individuals at once, digit by digit. */
enum { BOA_DIGITS = 16, BOA_ONE = 1 << BOA_DIGITS };

/* Digit words 4 q .. 4 q + 3 of offspring word `word`, q = 0 .. 3. */
HD struct philox4 boa_digits(uint64_t seed, uint32_t generation, uint32_t variable, uint32_t word,
			     uint32_t q)
{
	return philox_7(variable, word, generation, (uint32_t)BOA_SAMPLE + q, seed);
}

/* ---- learning ---- */

/* The K2 metric (Cooper, Herskovits 1992; the BD metric of Heckerman, Geiger, Chickering 1995
 * without prior knowledge) of a binary variable X with parents P is
 *
 *   ln K2 = sum over configurations a of P of  ln N_a0! + ln N_a1! - ln (N_a + 1)!
 *
 * where N_ax is the number of individuals with P = a and X = x. It is computed in fixed point
 * modulo 2^32. A sum is therefore independent of the order of its terms, and scalar, vector and GPU
 * code find exactly the same gains and ties. The gain of a parent is the difference of two scores,
 * read as a signed number.
 *
 * boa_k2_cell() is the term of one configuration. ln_factorial: struct boa_k2_table
 * (algorithms/gboa/boa/network.h). */
HD uint32_t boa_k2_cell(const uint32_t *ln_factorial, uint32_t zeros, uint32_t ones)
{
	return ln_factorial[zeros] + ln_factorial[ones] - ln_factorial[zeros + ones + 1];
}

/* The probability of a one as a threshold, given that `ones` of `all` individuals have a one:
 * rounded to the nearest, halves up. 0 <= ones <= all < 2^31. With all = 0 and no smoothing, one
 * half. */
HD uint32_t boa_threshold(uint32_t ones, uint32_t all, enum boa_smoothing smoothing)
{
	uint64_t above = ones, below = all;

	if (smoothing == BOA_SMOOTH_LAPLACE) {
		above += 1;
		below += 2;
	}
	return below == 0 ? BOA_ONE / 2 : (uint32_t)((above * BOA_ONE + below / 2) / below);
}

#endif
