/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A supply of numbered nodes for the lanes of a warp, reserved in batches from a global counter. */
#ifndef COPRA_KERNELS_COMMON_SUPPLY_CUH
#define COPRA_KERNELS_COMMON_SUPPLY_CUH

#include "kernels/common/gpu.cuh"

enum { SUPPLY = 64 };

/* The nodes that the warp has reserved, SUPPLY at a time; the same in all lanes. */
struct supply {
	uint32_t next, end;
	bool dry; /* the counter is past the last node */
};

/* Returns the number of a node to each lane of the mask `want`, or a number >= `count` if none is
 * left. All lanes call it. *ticket is the global counter. */
static __device__ uint32_t supply_take(supply *s, unsigned want, uint32_t count, uint32_t *ticket)
{
	unsigned me = threadIdx.x % 32, n = (unsigned)__popc(want);
	uint32_t rank = (uint32_t)__popc(want & ((1u << me) - 1)), have = s->end - s->next;
	uint32_t old = s->next, fresh = UINT32_MAX - SUPPLY;

	if (n <= have) {
		s->next += n;
		return old + rank;
	}
	if (!s->dry) {
		if (me == 0)
			fresh = atomicAdd(ticket, (uint32_t)SUPPLY);
		fresh = __shfl_sync(UINT32_MAX, fresh, 0);
		s->dry = fresh >= count;
	}
	s->next = s->dry ? 0 : fresh + n - have;
	s->end = s->dry ? 0 : fresh + SUPPLY;
	return rank < have ? old + rank : fresh + (rank - have);
}

#endif
