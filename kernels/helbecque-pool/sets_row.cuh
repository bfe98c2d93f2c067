/* Rows of nodes: fronts on machines 1 and up, of two nodes at once in the halves of words.
 *
 * Narrow: each half of a word has a value in its low 12 bits; the high 4 bits of three halves together are one
 * more. 8 words: 16 values and 3 more. Wide: 16 bits each. */
#ifndef COPRA_KERNELS_HELBECQUE_SETS_ROW_CUH
#define COPRA_KERNELS_HELBECQUE_SETS_ROW_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/helbecque-pool/sets.h"

enum { SETS_VALUES = SETS_MACHINES - 1 };

static __device__ __forceinline__ uint32_t halves_low(uint32_t a, uint32_t b)
{
	return __byte_perm(a, b, 0x5410);
}
static __device__ __forceinline__ uint32_t halves_high(uint32_t a, uint32_t b)
{
	return __byte_perm(a, b, 0x7632);
}
static __device__ __forceinline__ uint32_t both(uint32_t v)
{
	return v * 0x10001u;
}

template <bool WIDE> struct row_form;

template <> struct row_form<false> {
	enum { WORDS = SETS_NARROW_WORDS, DIRECT = 2 * WORDS };

	/* f[k], k from 1, low half of node a, high half of node b */
	static __device__ __forceinline__ void unpack(const uint32_t *a, const uint32_t *b, uint32_t *f)
	{
		uint32_t half[DIRECT];

#pragma unroll
		for (int i = 0; i < WORDS; i++) {
			half[i] = halves_low(a[i], b[i]);
			half[i + WORDS] = halves_high(a[i], b[i]);
		}
#pragma unroll
		for (int i = 0; i < DIRECT; i++)
			f[i + 1] = half[i] & 0x0fff0fffu;
#pragma unroll
		for (int i = 0; i < SETS_VALUES - DIRECT; i++)
			f[i + 1 + DIRECT] = (half[3 * i] >> 12 & 0x000f000fu) |
					    (half[3 * i + 1] >> 8 & 0x00f000f0u) |
					    (half[3 * i + 2] >> 4 & 0x0f000f00u);
	}
	static __device__ __forceinline__ void pack(const uint32_t *f, uint32_t *a, uint32_t *b)
	{
		uint32_t half[DIRECT];

#pragma unroll
		for (int i = 0; i < DIRECT; i++)
			half[i] = f[i + 1];
#pragma unroll
		for (int i = 0; i < SETS_VALUES - DIRECT; i++) {
			half[3 * i] |= f[i + 1 + DIRECT] << 12 & 0xf000f000u;
			half[3 * i + 1] |= f[i + 1 + DIRECT] << 8 & 0xf000f000u;
			half[3 * i + 2] |= f[i + 1 + DIRECT] << 4 & 0xf000f000u;
		}
#pragma unroll
		for (int i = 0; i < WORDS; i++) {
			a[i] = halves_low(half[i], half[i + WORDS]);
			b[i] = halves_high(half[i], half[i + WORDS]);
		}
	}
};

template <> struct row_form<true> {
	enum { WORDS = SETS_WIDE_WORDS };

	static __device__ __forceinline__ void unpack(const uint32_t *a, const uint32_t *b, uint32_t *f)
	{
#pragma unroll
		for (int i = 0; i < SETS_VALUES; i++)
			f[i + 1] = i % 2 ? halves_high(a[i / 2], b[i / 2]) : halves_low(a[i / 2], b[i / 2]);
	}
	static __device__ __forceinline__ void pack(const uint32_t *f, uint32_t *a, uint32_t *b)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++) {
			uint32_t x = 2 * i < SETS_VALUES ? f[2 * i + 1] : 0;
			uint32_t y = 2 * i + 1 < SETS_VALUES ? f[2 * i + 2] : 0;

			a[i] = halves_low(x, y);
			b[i] = halves_high(x, y);
		}
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
