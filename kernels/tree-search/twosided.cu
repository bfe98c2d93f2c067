/* The search by sets in two-sided branching. */
#include "kernels/tree-search/sets.h"
#include "kernels/tree-search/sets_drive.cuh"
#include "kernels/tree-search/twosided_bound.cuh"
#include "kernels/tree-search/twosided_expand.cuh"

/* Sums of a job's times from the first machine on, and from the last. */
static __device__ void add_times(const struct sets_search &q, twosided_block *b, int job, int side)
{
	uint16_t *sum = reinterpret_cast<uint16_t *>(b->sum[side] + job * SETS_STRIDE);
	uint16_t *before = reinterpret_cast<uint16_t *>(b->before[side] + job * SETS_STRIDE);
	uint32_t upto = 0;

	for (int i = 0; i < SETS_MACHINES; i++) {
		before[i] = (uint16_t)upto;
		upto += q.time[job * SETS_MACHINES + (side ? SETS_MACHINES - 1 - i : i)];
		sum[i] = (uint16_t)upto;
	}
}

struct twosided_form {
	typedef twosided_block block;
	enum : unsigned {
		THREADS = 384,
		BLOCKS = 1,
		CHUNKS = 16,
		LEAST = 24,
		BLOCK_BYTES = (sizeof(twosided_block) + 127) / 128 * 128,
	};

	HD unsigned warp_bytes(const struct sets_search &q)
	{
		return twosided_warp_bytes(q.jobs);
	}
	static __device__ __forceinline__ void prepare(const struct sets_search &q, block *b)
	{
		for (int i = (int)threadIdx.x; i < 2 * q.jobs; i += (int)blockDim.x)
			add_times(q, b, i / 2, i % 2);
		for (int i = (int)threadIdx.x; i < SETS_MACHINES * q.jobs; i += (int)blockDim.x)
			b->time[i] = (uint16_t)q.time[i];
	}
	static __device__ __forceinline__ void expand(const struct sets_search &q, block *b,
						      unsigned char *space)
	{
		expand_both(q, b, reinterpret_cast<twosided_warp *>(space));
	}
	static __device__ __forceinline__ uint32_t build_tasks(uint32_t missing)
	{
		return tasks_of_pairs(missing);
	}
	static __device__ __forceinline__ void build(const struct sets_search &q, const block *,
						     unsigned char *space, uint32_t missing,
						     uint32_t task)
	{
		build_pairs(q, reinterpret_cast<sets_members *>(space), missing, task);
	}
};

extern "C" const struct sets_kernels BACKEND_SYMBOL(twosided_kernels) = {
	twosided_form::THREADS,      number_sets, count_rows, pack, launch_search<twosided_form>,
	count_blocks<twosided_form>,
};
