/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Barriers and warp operations of CUDA. Included by gpu_sim.cuh. */
#ifndef COPRA_KERNELS_COMMON_GPU_SIM_WARP_CUH
#define COPRA_KERNELS_COMMON_GPU_SIM_WARP_CUH

static inline void __syncthreads(SIM_HERE)
{
	(void)sim_barrier(SIM_BARRIER, 0, SIM_PLACE);
}
static inline int __syncthreads_count(int predicate, SIM_HERE)
{
	return sim_barrier(SIM_BARRIER_COUNT, predicate, SIM_PLACE);
}
static inline int __syncthreads_and(int predicate, SIM_HERE)
{
	return sim_barrier(SIM_BARRIER_AND, predicate, SIM_PLACE);
}
static inline int __syncthreads_or(int predicate, SIM_HERE)
{
	return sim_barrier(SIM_BARRIER_OR, predicate, SIM_PLACE);
}
static inline void grid_sync(SIM_HERE)
{
	sim_grid_barrier(SIM_PLACE);
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, SIM_HERE)
{
	(void)sim_warp(SIM_SYNCWARP, mask, 0, 0, SIM_PLACE);
}

/* The hardware decides which lanes are active. A correct kernel must also work if only the caller
 * is. */
static inline unsigned __activemask()
{
	return 1u << sim_self->lane;
}
static inline unsigned __ballot_sync(unsigned mask, int predicate, SIM_HERE)
{
	return (unsigned)sim_warp(SIM_BALLOT, mask, predicate != 0, 0, SIM_PLACE);
}
static inline int __any_sync(unsigned mask, int predicate, SIM_HERE)
{
	return sim_warp(SIM_BALLOT, mask, predicate != 0, 1, SIM_PLACE) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, SIM_HERE)
{
	return sim_warp(SIM_BALLOT, mask, predicate == 0, 2, SIM_PLACE) == 0;
}

template <class T> static inline uint64_t sim_bits(T v)
{
	static_assert(sizeof(T) <= 8, "warp operations move at most 8 bytes");
	uint64_t bits = 0;
	memcpy(&bits, &v, sizeof(v));
	return bits;
}
template <class T> static inline T sim_value(uint64_t bits)
{
	T v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The source lane of a shuffle within its segment of `width` lanes; 32: the lane keeps its own
 * value. */
static inline unsigned sim_source_idx(unsigned lane, int src, int width)
{
	return (lane & ~(unsigned)(width - 1)) | ((unsigned)src & (unsigned)(width - 1));
}
static inline unsigned sim_source_up(unsigned lane, unsigned delta, int width)
{
	return (lane & (unsigned)(width - 1)) >= delta ? lane - delta : 32;
}
static inline unsigned sim_source_down(unsigned lane, unsigned delta, int width)
{
	return (lane & (unsigned)(width - 1)) + delta < (unsigned)width ? lane + delta : 32;
}
static inline unsigned sim_source_xor(unsigned lane, int lanes, int width)
{
	unsigned src = lane ^ (unsigned)lanes;
	return src < (lane & ~(unsigned)(width - 1)) + (unsigned)width ? src : 32;
}

#define SIM_SHUFFLES(name, source, P)                                                              \
	template <class T>                                                                         \
	static inline T name(unsigned mask, T v, P param, int width = SIM_WARP, SIM_HERE)          \
	{                                                                                          \
		return sim_value<T>(sim_warp(SIM_SHUFFLE, mask, sim_bits(v),                       \
					     source(sim_self->lane, param, width), SIM_PLACE));    \
	}
SIM_SHUFFLES(__shfl_sync, sim_source_idx, int)
SIM_SHUFFLES(__shfl_up_sync, sim_source_up, unsigned)
SIM_SHUFFLES(__shfl_down_sync, sim_source_down, unsigned)
SIM_SHUFFLES(__shfl_xor_sync, sim_source_xor, int)
#undef SIM_SHUFFLES

template <class T> static inline unsigned __match_any_sync(unsigned mask, T v, SIM_HERE)
{
	return (unsigned)sim_warp(SIM_MATCH_ANY, mask, sim_bits(v), 0, SIM_PLACE);
}
template <class T>
static inline unsigned __match_all_sync(unsigned mask, T v, int *predicate, SIM_HERE)
{
	unsigned r = (unsigned)sim_warp(SIM_MATCH_ALL, mask, sim_bits(v), 0, SIM_PLACE);
	*predicate = r != 0;
	return r;
}

#define SIM_REDUCES(name, T, kind)                                                                 \
	static inline T name(unsigned mask, T v, SIM_HERE)                                         \
	{                                                                                          \
		return (T)sim_warp(kind, mask, (uint64_t)v, 0, SIM_PLACE);                         \
	}
SIM_REDUCES(__reduce_add_sync, unsigned, SIM_REDUCE_ADD)
SIM_REDUCES(__reduce_add_sync, int, SIM_REDUCE_ADD)
SIM_REDUCES(__reduce_min_sync, unsigned, SIM_REDUCE_MIN)
SIM_REDUCES(__reduce_min_sync, int, SIM_REDUCE_MIN_S)
SIM_REDUCES(__reduce_max_sync, unsigned, SIM_REDUCE_MAX)
SIM_REDUCES(__reduce_max_sync, int, SIM_REDUCE_MAX_S)
SIM_REDUCES(__reduce_and_sync, unsigned, SIM_REDUCE_AND)
SIM_REDUCES(__reduce_or_sync, unsigned, SIM_REDUCE_OR)
SIM_REDUCES(__reduce_xor_sync, unsigned, SIM_REDUCE_XOR)
#undef SIM_REDUCES

#endif
