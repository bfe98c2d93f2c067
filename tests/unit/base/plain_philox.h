/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Philox4x32 from the paper (Salmon et al. 2011), as a simple reference for tests. test_philox.c
 * checks it against the published vectors. */
#ifndef COPRA_TESTS_UNIT_BASE_PLAIN_PHILOX_H
#define COPRA_TESTS_UNIT_BASE_PLAIN_PHILOX_H

#include <stdint.h>

/* Multipliers, key increments, swap. */
static inline void plain_philox(int rounds, const uint32_t counter[4], uint64_t key,
				uint32_t out[4])
{
	uint32_t x[4] = { counter[0], counter[1], counter[2], counter[3] };
	uint32_t k[2] = { (uint32_t)(key & 0xffffffff), (uint32_t)(key >> 32) };

	for (int round = 0; round < rounds; round++) {
		uint64_t p0 = (uint64_t)3528531795u * x[0], p1 = (uint64_t)3449720151u * x[2];
		uint32_t y[4] = { (uint32_t)(p1 >> 32) ^ x[1] ^ k[0], (uint32_t)p1,
				  (uint32_t)(p0 >> 32) ^ x[3] ^ k[1], (uint32_t)p0 };

		for (int i = 0; i < 4; i++)
			x[i] = y[i];
		k[0] += 2654435769u;
		k[1] += 3144134277u;
	}
	for (int i = 0; i < 4; i++)
		out[i] = x[i];
}

#endif
