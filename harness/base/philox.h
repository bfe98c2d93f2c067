/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Counter-based random numbers for host and device: Philox4x32 (Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Four words are a function of four
 * counter words and a key, so any thread, core or device computes the same numbers in any order.
 *
 * The authors recommend ten rounds; seven are the fewest that pass all of their tests. */
#ifndef COPRA_BASE_PHILOX_H
#define COPRA_BASE_PHILOX_H

#include <stdint.h>

#include "harness/base/hd.h"

struct philox4 {
	uint32_t word[4];
};

HD struct philox4 philox_rounds(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint64_t key,
				int rounds)
{
	uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
	struct philox4 r;

	for (int round = 0; round < rounds; round++) {
		uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;

		c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
		c1 = (uint32_t)b;
		c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
		c3 = (uint32_t)a;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	r.word[0] = c0;
	r.word[1] = c1;
	r.word[2] = c2;
	r.word[3] = c3;
	return r;
}

HD struct philox4 philox_10(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint64_t key)
{
	return philox_rounds(c0, c1, c2, c3, key, 10);
}

HD struct philox4 philox_7(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint64_t key)
{
	return philox_rounds(c0, c1, c2, c3, key, 7);
}

#endif
