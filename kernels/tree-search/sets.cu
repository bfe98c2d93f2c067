/* The search by sets in forward branching, with rows of 12 and of 16 bits. */
#include "kernels/tree-search/sets.h"
#include "kernels/tree-search/sets_bound.cuh"
#include "kernels/tree-search/sets_drive.cuh"
#include "kernels/tree-search/sets_expand.cuh"

/* Sums of a job's times, in the order of rows. */
static __device__ void add_times(const struct sets_search &q, sets_block *b, int job)
{
	uint16_t *sum = reinterpret_cast<uint16_t *>(b->sum + job * SETS_STRIDE);
	uint16_t *before = reinterpret_cast<uint16_t *>(b->before + job * SETS_STRIDE);
	uint32_t upto = 0;

	for (int k = 0; k < SETS_MACHINES; k++) {
		before[place_of_machine(k)] = (uint16_t)upto;
		upto += q.time[job * SETS_MACHINES + k];
		sum[place_of_machine(k)] = (uint16_t)upto;
	}
}

template <bool WIDE> struct forward_form {
	typedef sets_block block;
	enum : unsigned {
		THREADS = SETS_THREADS,
		BLOCKS = 2,
		CHUNKS = 4,
		LEAST = 64,
		BLOCK_BYTES = (sizeof(sets_block) + 127) / 128 * 128,
		EXPAND_BYTES = sizeof(sets_warp<WIDE>),
		WARP_BYTES =
			EXPAND_BYTES > SETS_BUILD_BYTES ? EXPAND_BYTES : (unsigned)SETS_BUILD_BYTES,
	};

	HD unsigned warp_bytes(const struct sets_search &)
	{
		return WARP_BYTES;
	}
	static __device__ __forceinline__ void prepare(const struct sets_search &q, sets_block *b)
	{
		for (int j = (int)threadIdx.x; j < q.jobs; j += (int)blockDim.x)
			add_times(q, b, j);
	}
	static __device__ __forceinline__ void expand(const struct sets_search &q, sets_block *b,
						      unsigned char *space)
	{
		expand_forward<WIDE>(q, b, reinterpret_cast<sets_warp<WIDE> *>(space));
	}
	static __device__ __forceinline__ uint32_t build_tasks(uint32_t missing)
	{
		return bound_tasks(missing);
	}
	static __device__ __forceinline__ void build(const struct sets_search &q,
						     const sets_block *b, unsigned char *space,
						     uint32_t missing, uint32_t task)
	{
		build_bounds(q, b, reinterpret_cast<sets_members *>(space), missing, task);
	}
};

static int search(struct dev_stream *s, const struct sets_search *q, int blocks, int threads,
		  struct err *e)
{
	return q->wide ? launch_search<forward_form<true>>(s, q, blocks, threads, e) :
			 launch_search<forward_form<false>>(s, q, blocks, threads, e);
}

static int blocks(struct dev_stream *s, const struct sets_search *q, int threads,
		  int *blocks_per_sm, struct err *e)
{
	return q->wide ? count_blocks<forward_form<true>>(s, q, threads, blocks_per_sm, e) :
			 count_blocks<forward_form<false>>(s, q, threads, blocks_per_sm, e);
}

extern "C" const struct sets_kernels BACKEND_SYMBOL(sets_kernels) = { SETS_THREADS, number_sets,
								      count_rows,   pack,
								      search,       blocks };
