/* boa_digits() of random.h, of one word, generation and q for many variables: half of the products
 * of Philox's first two rounds do not depend on the variable. */
#ifndef COPRA_KERNELS_GBOA_BATCH_DRAW_CUH
#define COPRA_KERNELS_GBOA_BATCH_DRAW_CUH

#include "algorithms/gboa/random.h"
#include "kernels/common/gpu.cuh"

/* As in harness/base/philox.h. */
static const uint32_t DRAW_M0 = 0xD2511F53u, DRAW_M1 = 0xCD9E8D57u, DRAW_W0 = 0x9E3779B9u,
		      DRAW_W1 = 0xBB67AE85u;

struct batch_draw {
	uint32_t k0, k1; /* of the third round */
	uint32_t from_generation, from_word, word, q;

	__device__ batch_draw(uint64_t seed, uint32_t generation, uint32_t w, uint32_t digits)
	    : k0((uint32_t)seed + 2 * DRAW_W0), k1((uint32_t)(seed >> 32) + 2 * DRAW_W1)
	{
		uint64_t b = (uint64_t)DRAW_M1 * generation;
		uint64_t a = (uint64_t)DRAW_M0 * ((uint32_t)(b >> 32) ^ w ^ (uint32_t)seed);

		from_generation = (uint32_t)b ^ (k0 - DRAW_W0);
		from_word = (uint32_t)(a >> 32) ^ (k1 - DRAW_W1);
		word = (uint32_t)a;
		q = ((uint32_t)BOA_SAMPLE + digits) ^ (uint32_t)(seed >> 32);
	}

	__device__ __forceinline__ struct philox4 digits(uint32_t variable) const
	{
		uint64_t first = (uint64_t)DRAW_M0 * variable;
		uint64_t second = (uint64_t)DRAW_M1 * ((uint32_t)(first >> 32) ^ q);
		uint32_t c0 = (uint32_t)(second >> 32) ^ from_generation, c1 = (uint32_t)second;
		uint32_t c2 = from_word ^ (uint32_t)first, c3 = word;

#pragma unroll
		for (uint32_t round = 0; round < 5; round++) {
			uint64_t a = (uint64_t)DRAW_M0 * c0, b = (uint64_t)DRAW_M1 * c2;

			c0 = (uint32_t)(b >> 32) ^ c1 ^ (k0 + round * DRAW_W0);
			c1 = (uint32_t)b;
			c2 = (uint32_t)(a >> 32) ^ c3 ^ (k1 + round * DRAW_W1);
			c3 = (uint32_t)a;
		}
		return philox4{ { c0, c1, c2, c3 } };
	}
};

#endif
