/* What the phases share: numbers of sets, shared memory, the plan of an iteration. */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_COMMON_CUH
#define COPRA_KERNELS_TREE_SEARCH_SETS_COMMON_CUH

#include "kernels/tree-search/sets_row.cuh"

enum {
	SETS_ROUND = 128, /* nodes a warp expands at once */
	SETS_LANE_NODES = SETS_ROUND / 32,
	SETS_STRIDE = 12,      /* words from one row of a table in shared memory to the next */
	SETS_FOUND = 512,      /* survivors that a warp writes together */
	SETS_RESERVE = 512,    /* most rows a warp takes at once */
	SETS_LEAST_CHUNK = 16, /* nodes: smaller ones waste the work on a set */
	SETS_DEEP = 5,         /* levels at the bottom that need little memory */
};

/* An iteration; the same in all blocks. */
struct sets_plan {
	int level;              /* of the slice; -1: stop */
	uint32_t entering;      /* not 0: no slice but so many rows of `level`, from outside */
	uint32_t chunk, chunks; /* offered */
	uint32_t row;           /* the children's rows begin here */
	uint32_t row_stop;      /* no more chunks are drawn when so many rows are taken */
	uint32_t reserve;       /* rows a warp takes at once */
	uint32_t chunk_nodes;   /* of the new batch */
	int64_t ub;
	int turn;
};

/* What every form of the search has in its block's memory. */
struct sets_stage {
	struct sets_control control;
	struct sets_plan plan;
};

/* Forward branching: tables of times, jobs by rows of SETS_STRIDE words. */
struct sets_block : sets_stage {
	alignas(16) uint32_t sum[SETS_JOBS * SETS_STRIDE];    /* of the times on machines 0..k */
	alignas(16) uint32_t before[SETS_JOBS * SETS_STRIDE]; /* on machines 0..k-1 */
};

/* A warp's, for expanding; building of bounds uses the same space. */
template <bool WIDE> struct sets_warp {
	alignas(16) uint32_t constant[SETS_JOBS * SETS_STRIDE];
	alignas(16) uint32_t
		row[2][SETS_ROUND * row_form<WIDE>::WORDS]; /* of this round and the next */
	uint32_t row_index[2][SETS_ROUND];
	uint32_t number[32], job[32]; /* of the children, by position in the set of jobs left */
	uint16_t found[SETS_FOUND + SETS_ROUND];
};
enum : unsigned { SETS_BUILD_BYTES = SETS_JOBS * 32 * sizeof(uint2) + 2 * 32 * sizeof(uint4) };

static __device__ __forceinline__ int lane_of(void)
{
	return (int)(threadIdx.x % 32);
}
static __device__ __forceinline__ uint32_t warp_of_grid(void)
{
	return (uint32_t)((blockIdx.x * blockDim.x + threadIdx.x) / 32);
}
static __device__ __forceinline__ uint32_t warps_of_grid(void)
{
	return (uint32_t)(gridDim.x * blockDim.x / 32);
}
static __device__ __forceinline__ uint32_t lanes_below(void)
{
	return (1u << lane_of()) - 1;
}

static __device__ __forceinline__ uint32_t number_of(const struct sets_search &q, uint32_t set,
						     int jobs)
{
	return __ldg(q.high + (((uint32_t)jobs << q.high_bits) | set >> q.low_bits)) +
	       __ldg(q.low + (set & ((1u << q.low_bits) - 1)));
}

/* Rows that one node of each deeper level may need, so that the search can always go on. */
static __device__ __forceinline__ uint32_t rows_kept(int jobs, int level)
{
	uint32_t left = (uint32_t)(jobs - level);

	return left * (left - 1) / 2;
}

/* Nodes of `level` whose children surely fit, when rows from row_end on are free. At least 1: the
 * slice before was cut so. */
static __device__ __forceinline__ uint32_t nodes_that_fit(const struct sets_search &q, int level,
							  uint32_t row_end)
{
	return (q.capacity - row_end - rows_kept(q.jobs, level)) / (uint32_t)(q.jobs - level);
}

#endif
