/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Device functions that the kernels of the published algorithm share. */
#ifndef COPRA_KERNELS_GMYS_IVM_PUBLISHED_CUH
#define COPRA_KERNELS_GMYS_IVM_PUBLISHED_CUH

#include "kernels/common/warp.cuh"
#include "kernels/gmys-ivm/published.h"

/* Launches that the table of kernels in published.cu takes from the other files. */
extern "C" {
/* published_pte.cu */
int BACKEND_SYMBOL(ivm_steps)(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
			      struct ivm_stepping limit, bool staged, struct err *e);
int BACKEND_SYMBOL(ivm_staged)(struct dev_stream *s, const struct ivm_fleet *f, int sm_count,
			       size_t shared_per_block, bool *staged, bool *all_staged,
			       struct err *e);
/* published_steal.cu */
int BACKEND_SYMBOL(ivm_lengths)(struct dev_stream *s, const struct ivm_fleet *f, bool flags,
				struct err *e);
int BACKEND_SYMBOL(ivm_victims)(struct dev_stream *s, const struct ivm_fleet *f,
				const struct ivm_victim_rule *v, struct err *e);
int BACKEND_SYMBOL(ivm_steal)(struct dev_stream *s, const struct ivm_fleet *f, int parts,
			      struct err *e);
int BACKEND_SYMBOL(ivm_split)(struct dev_stream *s, const struct ivm_fleet *f, struct ivm_parcel to,
			      int first, int count, struct err *e);
int BACKEND_SYMBOL(ivm_accept)(struct dev_stream *s, const struct ivm_fleet *f,
			       struct ivm_parcel from, int first, int count, struct err *e);
/* published_rounds.cu */
int BACKEND_SYMBOL(ivm_map_scan)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
int BACKEND_SYMBOL(ivm_reduce_states)(struct dev_stream *s, const struct ivm_fleet *f,
				      struct err *e);
int BACKEND_SYMBOL(ivm_reduce_lengths)(struct dev_stream *s, const struct ivm_fleet *f,
				       struct err *e);
int BACKEND_SYMBOL(ivm_select_hyper)(struct dev_stream *s, const struct ivm_fleet *f,
				     const struct ivm_victim_rule *v, int i, int j, struct err *e);
int BACKEND_SYMBOL(ivm_try_select)(struct dev_stream *s, const struct ivm_fleet *f,
				   const struct ivm_victim_rule *v, int back, struct err *e);
int BACKEND_SYMBOL(ivm_steal_each)(struct dev_stream *s, const struct ivm_fleet *f, int parts,
				   struct err *e);
}

static const int WARP = 32;

static __device__ __forceinline__ int global_thread(void)
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ struct ivm ivm_of(const struct ivm_fleet &f, int t)
{
	return ivm_at(f.n, f.memory + (size_t)t * f.bytes);
}

static __device__ __forceinline__ struct ivm_scratch scratch_of(const struct ivm_fleet &f, int t)
{
	return ivm_scratch_at(&f.problem, f.scratch + (size_t)t * f.scratch_bytes);
}

static __device__ __forceinline__ void add_count(uint64_t *to, uint64_t mine)
{
	for (int d = WARP / 2; d; d /= 2)
		mine += __shfl_down_sync(WARP_ALL, mine, (unsigned)d);
	if (threadIdx.x % WARP == 0 && mine)
		atomicAdd((unsigned long long *)to, (unsigned long long)mine);
}

/* All threads of the block call it. */
static __device__ __forceinline__ void add_counts(const struct ivm_fleet &f,
						  const struct ivm_counts &c)
{
	add_count(&f.control->decomposed, c.decomposed);
	add_count(&f.control->leaves, c.leaves);
	add_count(&f.control->solutions, c.solutions);
}

/* Records a leaf if it is the best of its IVM. */
static __device__ __forceinline__ void record_leaf(const struct ivm_fleet &f, int t,
						   const struct ivm &v, int32_t value)
{
	if (value >= f.leaf_value[t])
		return;
	f.leaf_value[t] = value;
	ivm_order(&v, f.leaf_order + (size_t)t * (size_t)f.n);
	atomicMin(&f.control->best, value);
}

/* ---- lengths of intervals ----
 *
 * The host uses them to check that no part of the tree was lost. The length that an IVM has
 * explored is counted when the IVM is found empty, before it gets another interval. */

static __device__ __forceinline__ void add_length(struct ivm_length *to, uint64_t length)
{
	atomicAdd((unsigned long long *)&to->low, (unsigned long long)(length & 0xffffffffu));
	atomicAdd((unsigned long long *)&to->high, (unsigned long long)(length >> IVM_LENGTH_BITS));
}

static __device__ __forceinline__ void length_begin(const struct ivm_fleet &f, int t,
						    const struct ivm &v)
{
	f.begin[t] = ivm_factoradic_residue(v.position, v.n);
}

/* Counts the explored length of an empty IVM. */
static __device__ __forceinline__ void length_end(const struct ivm_fleet &f, int t,
						  const struct ivm &v)
{
	if (f.begin[t] == IVM_NO_BEGIN)
		return;
	add_length(&f.control->covered,
		   ivm_factoradic_distance(f.begin[t],
					   ivm_factoradic_reached(v.position, v.end, v.n)));
	f.begin[t] = IVM_NO_BEGIN;
}

/* A thief has got an interval. */
static __device__ __forceinline__ void count_steal(const struct ivm_fleet &f, int t)
{
	f.state[t] = IVM_EXPLORING;
	length_begin(f, t, ivm_of(f, t));
	atomicAdd(&f.control->working, 1);
	atomicAdd((unsigned long long *)&f.control->steals, 1ull);
}

/* ---- IVMs and their scratch in shared memory while a kernel runs ----
 *
 * The distance between two threads is an odd number of words, which avoids bank conflicts. Blocks
 * have one warp, so that T IVMs are distributed evenly over the multiprocessors. */

static const int STAGE_BLOCK = 32;

static __host__ __device__ __forceinline__ size_t staged_words(const struct ivm_fleet &f)
{
	return ((f.bytes + f.scratch_bytes) / 4) | 1;
}

static inline size_t stage_bytes(const struct ivm_fleet &f)
{
	return staged_words(f) * sizeof(uint32_t) * (size_t)STAGE_BLOCK;
}

static __device__ __forceinline__ struct ivm staged_ivm(const struct ivm_fleet &f, uint32_t *area)
{
	return ivm_at(f.n, area + (size_t)threadIdx.x * staged_words(f));
}

static __device__ __forceinline__ struct ivm_scratch staged_scratch(const struct ivm_fleet &f,
								    uint32_t *area)
{
	return ivm_scratch_at(&f.problem,
			      area + (size_t)threadIdx.x * staged_words(f) + f.bytes / 4);
}

/* The warp moves its IVMs together: `bytes` of each, from or to device memory at `far`. */
template <bool IN>
static __device__ __forceinline__ void stage(const struct ivm_fleet &f, uint32_t *area,
					     unsigned char *far, size_t bytes)
{
	int first = (int)(blockIdx.x * blockDim.x), words = (int)(bytes / 4);

	__syncwarp();
	for (int i = 0; i < STAGE_BLOCK && first + i < f.ivms; i++) {
		uint32_t *there = (uint32_t *)(far + (size_t)(first + i) * bytes);
		uint32_t *here = area + (size_t)i * staged_words(f);

		for (int w = (int)threadIdx.x; w < words; w += STAGE_BLOCK) {
			if (IN)
				here[w] = there[w];
			else
				there[w] = here[w];
		}
	}
	__syncwarp();
}

static __device__ __forceinline__ void stage_in(const struct ivm_fleet &f, uint32_t *area)
{
	stage<true>(f, area, f.memory, f.bytes);
}

static __device__ __forceinline__ void stage_out(const struct ivm_fleet &f, uint32_t *area)
{
	stage<false>(f, area, f.memory, f.bytes);
}

static __device__ __forceinline__ void stage_out_scratch(const struct ivm_fleet &f, uint32_t *area)
{
	stage<false>(f, area + f.bytes / 4, f.scratch, f.scratch_bytes);
}

#endif
