/* Rows of nodes and the order of machines in them.
 *
 * Values of two machines share a word: (1, 2), (3, 4), ... (17, 18), (19, 0), the first in the low
 * half. Rows of bounds and the tables of times keep the same order. A wide row is those ten words
 * (and two unused). A narrow row has values of 12 bits: the first eight words, and in the high 4
 * bits of six of their halves each of the last two words. */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_ROW_CUH
#define COPRA_KERNELS_TREE_SEARCH_SETS_ROW_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/tree-search/sets.h"

enum { SETS_WORDS = SETS_MACHINES / 2 };

/* Where machine k's value is among the 20 halves. */
static __device__ __forceinline__ int place_of_machine(int k)
{
	return k ? k - 1 : SETS_MACHINES - 1;
}

static __device__ __forceinline__ uint32_t low_twice(uint32_t a)
{
	return __byte_perm(a, a, 0x1010);
}
static __device__ __forceinline__ uint32_t high_twice(uint32_t a)
{
	return __byte_perm(a, a, 0x3232);
}
static __device__ __forceinline__ uint32_t both(uint32_t v)
{
	return v * 0x10001u;
}

template <bool WIDE> struct row_form;

template <> struct row_form<false> {
	enum { WORDS = SETS_NARROW_WORDS };

	static __device__ __forceinline__ void unpack(const uint32_t *row, uint32_t *f)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			f[i] = row[i] & 0x0fff0fffu;
#pragma unroll
		for (int i = 0; i < SETS_WORDS - WORDS; i++)
			f[WORDS + i] = (row[3 * i] >> 12 & 0x000f000fu) |
				       (row[3 * i + 1] >> 8 & 0x00f000f0u) |
				       (row[3 * i + 2] >> 4 & 0x0f000f00u);
	}
	static __device__ __forceinline__ void pack(const uint32_t *f, uint32_t *row)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			row[i] = f[i];
#pragma unroll
		for (int i = 0; i < SETS_WORDS - WORDS; i++) {
			row[3 * i] |= f[WORDS + i] << 12 & 0xf000f000u;
			row[3 * i + 1] |= f[WORDS + i] << 8 & 0xf000f000u;
			row[3 * i + 2] |= f[WORDS + i] << 4 & 0xf000f000u;
		}
	}
};

template <> struct row_form<true> {
	enum { WORDS = SETS_WIDE_WORDS };

	static __device__ __forceinline__ void unpack(const uint32_t *row, uint32_t *f)
	{
#pragma unroll
		for (int i = 0; i < SETS_WORDS; i++)
			f[i] = row[i];
	}
	static __device__ __forceinline__ void pack(const uint32_t *f, uint32_t *row)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			row[i] = i < SETS_WORDS ? f[i] : 0;
	}
};

/* Rows are read and written 16 bytes at a time. */
template <int WORDS>
static __device__ __forceinline__ void words_load(const uint32_t *from, uint32_t *to)
{
#pragma unroll
	for (int i = 0; i < WORDS / 4; i++) {
		uint4 v = reinterpret_cast<const uint4 *>(from)[i];

		to[4 * i] = v.x;
		to[4 * i + 1] = v.y;
		to[4 * i + 2] = v.z;
		to[4 * i + 3] = v.w;
	}
}
template <int WORDS>
static __device__ __forceinline__ void words_store(uint32_t *to, const uint32_t *from)
{
#pragma unroll
	for (int i = 0; i < WORDS / 4; i++)
		reinterpret_cast<uint4 *>(to)[i] =
			make_uint4(from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]);
}

#endif
