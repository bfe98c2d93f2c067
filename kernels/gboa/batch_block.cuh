/* The view that a thread has of its block in a batched run (batch.h), and the layout of shared
 * memory. */
#ifndef COPRA_KERNELS_GBOA_BATCH_BLOCK_CUH
#define COPRA_KERNELS_GBOA_BATCH_BLOCK_CUH

#include "kernels/gboa/arithmetic.h"
#include "kernels/common/cluster.cuh"
#include "kernels/common/warp.cuh"
#include "kernels/gboa/batch.h"

/* Words of `control`. */
enum { CONTROL_RUN, CONTROL_TOP_AT, CONTROL_HALT, CONTROL_MIXED, CONTROL_EDGES };

/* A slot is a variable that the block learns: its best gain with the variable that gives it (2
 * words), cells of up to 8 configurations of its parents, its score, the number of parents, and the
 * parents. A cell is packed: individuals in the low 16 bits, those with a one in the high 16. */
enum {
	SLOT_BEST = 2,
	SLOT_CELLS = 8,
	SLOT_PARENTS = BOA_BATCH_PARENTS_MAX,
	SLOT_WORDS = SLOT_BEST + SLOT_CELLS + 2 + SLOT_PARENTS
};

/* Masks that compress a word of the population to its selected individuals: the selected, and the
 * bits that move by 1, 2, 4, 8, 16 places (Hacker's Delight, 7-4). While they are made: the number
 * of selected before the word. */
enum { MASK_CHOSEN, MASK_MOVES, MASK_BEFORE = 7, MASK_WORDS };

/* The record of the variable of a rank, for sampling. Words 0 to 3: bit a of byte d of word q is
 * digit 4 q + d of the threshold of configuration a (boa_digits); for BOA_ONE, of the number below
 * it. Word 4: the variable, the number of parents in bits 16 and 17, RECORD_CERTAIN if every
 * threshold is 0 or BOA_ONE, and bit 24 + a if configuration a always gives a one. Words 5 to 7:
 * where the parents' words begin, in the words that are sampled. */
enum { RECORD_INFO = 4, RECORD_PARENTS = 5, RECORD_WORDS = 8, RECORD_CERTAIN = 1 << 18 };

template <bool MANY> struct batch_block {
	const boa_batch_plan &p;
	const boa_batch_memory &m;
	uint32_t *shared;
	uint64_t seed;
	unsigned thread, threads, lane, warp, warps;
	unsigned rank, blocks, blocks_log; /* in the cluster of 2^blocks_log blocks */

	__device__ batch_block(const boa_batch_plan &plan, const boa_batch_memory &memory,
			       uint32_t *s)
	    : p(plan), m(memory), shared(s), seed(0), thread(threadIdx.x), threads(blockDim.x),
	      lane(threadIdx.x % 32), warp(threadIdx.x / 32), warps(blockDim.x / 32),
	      rank(MANY ? cluster_rank() : 0), blocks(MANY ? (unsigned)plan.cluster : 1),
	      blocks_log(MANY ? (unsigned)plan.cluster_log : 0)
	{
	}

	/* [variable][selected_stride]; words beyond the selected are 0 */
	__device__ uint32_t *selected() const
	{
		return shared;
	}
	/* [own row][offspring_stride]; words of the population that do not stay */
	__device__ uint32_t *offspring() const
	{
		return shared + p.at_offspring;
	}
	/* [variable][slice_stride], and coins [configuration][item]; only in clusters */
	__device__ uint32_t *slice() const
	{
		return shared + p.at_slice;
	}
	__device__ uint32_t *coins() const
	{
		return shared + p.at_coins;
	}
	__device__ uint32_t *planes() const
	{
		return shared + p.at_planes;
	}
	__device__ uint32_t *table() const
	{
		return shared + p.at_table;
	}
	__device__ uint16_t *order() const
	{
		return (uint16_t *)(shared + p.at_order);
	}
	__device__ uint32_t *control() const
	{
		return shared + p.at_control;
	}

	/* Sums during selection: one for each plane, 0 before; then one for each part of the
	 * population. */
	__device__ uint32_t *sums() const
	{
		return control() + BOA_BATCH_CONTROL;
	}
	__device__ uint32_t *keys() const
	{
		return shared + p.at_keys;
	}

	/* During selection: masks of each word. During learning: the slots. */
	__device__ uint32_t *masks() const
	{
		return shared + p.at_slots;
	}
	__device__ unsigned long long *best() const
	{
		return (unsigned long long *)(shared + p.at_slots);
	}
	__device__ uint32_t *cells() const
	{
		return shared + p.at_slots + SLOT_BEST * p.slots;
	}
	__device__ uint32_t *score() const
	{
		return cells() + SLOT_CELLS * p.slots;
	}
	__device__ uint32_t *parent_count() const
	{
		return score() + p.slots;
	}
	__device__ uint32_t *parents() const
	{
		return parent_count() + p.slots;
	}

	/* During selection: individuals above and at the threshold, a word of each (later the
	 * position of the word's selected, and their number in the high 16 bits), and the best
	 * individuals (later the word with which each gathered word begins). During sampling: the
	 * records. */
	__device__ uint32_t *above() const
	{
		return shared + p.at_records;
	}
	__device__ uint32_t *equal() const
	{
		return above() + p.population;
	}
	__device__ uint32_t *top() const
	{
		return equal() + p.population;
	}
	__device__ uint32_t *spans() const
	{
		return equal();
	}
	__device__ uint32_t *begins() const
	{
		return top();
	}
	__device__ uint32_t *records() const
	{
		return shared + p.at_records;
	}

	/* The same position in this block or in another block of the cluster. */
	template <class T> __device__ T *at(T *mine, unsigned block) const
	{
		if constexpr (MANY)
			return cluster_shared(mine, block);
		else
			return mine;
	}
	/* Synchronises all threads of the run. */
	__device__ void sync_run() const
	{
		if constexpr (MANY)
			cluster_sync();
		else
			__syncthreads();
	}

	__device__ unsigned own_rows() const
	{
		return ((unsigned)p.n + blocks - 1 - rank) >> blocks_log;
	}
	__device__ bool owns(unsigned variable) const
	{
		return owner(variable) == rank;
	}
	__device__ unsigned owner(unsigned variable) const
	{
		return variable & (blocks - 1);
	}
	__device__ uint32_t *own_row(unsigned variable) const
	{
		return offspring() + (variable >> blocks_log) * (unsigned)p.offspring_stride;
	}

	__device__ unsigned own_groups() const
	{
		return (unsigned)p.slots / BOA_BATCH_GROUP;
	}
	/* The rank of a slot; n or more if there is none. Later ranks have more candidates, so
	 * blocks take ranks in turn, and every other turn backwards. */
	__device__ unsigned rank_of(unsigned slot) const
	{
		return MANY ? slot * blocks + (slot & 1 ? blocks - 1 - rank : rank) : slot;
	}
	/* An upper bound of the ranks in a group. */
	__device__ unsigned last_rank(unsigned group) const
	{
		return (group + 1) * BOA_BATCH_GROUP * blocks - 1;
	}
	/* Stride of the words that are sampled. */
	__device__ unsigned sampled_stride() const
	{
		return (unsigned)(MANY ? p.slice_stride : p.offspring_stride);
	}

	__device__ uint32_t ln_factorial(uint32_t count) const
	{
		return MANY ? table()[(count << p.copies_log) +
				      (lane & ((1u << p.copies_log) - 1))] :
			      table()[count];
	}
};

#endif
