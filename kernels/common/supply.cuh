/* Numbered nodes that the lanes of a warp take as they need them. */
#ifndef COPRA_KERNELS_COMMON_SUPPLY_CUH
#define COPRA_KERNELS_COMMON_SUPPLY_CUH

#include "kernels/common/gpu.cuh"

enum { SUPPLY = 64 };

/* Nodes that the warp has reserved: the ticket is asked for SUPPLY at a time. The same in all
 * lanes. */
struct supply {
	uint32_t next, end;
	bool dry; /* the ticket is past the last node */
};

/* Number of the node that this lane gets where it is one of `want`, or any number from `count` on.
 * All lanes call it. */
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
