/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* SIMD vectors for the tree searches: harness/base/simd.h, and "store the selected lanes next to
 * each other", which is one instruction with AVX-512 (16-bit lanes: VBMI2), a permutation looked up
 * by the mask with AVX2, and a loop elsewhere. The including source defines VEC_CELL, uint16_t or
 * uint32_t, and includes this header once. */
/* 16-bit lanes of 64 bytes need BW and VBMI2; without them 32 bytes serve both widths well. */
#if defined(__AVX512BW__) && defined(__AVX512VBMI2__)
#define VEC_BYTES 64
#elif defined(__AVX2__)
#define VEC_BYTES 32
#else
#define VEC_BYTES 16
#endif
#include "harness/base/simd.h"

/* For each 8-bit mask, the indices of its set lanes in order; input of AVX2's permutations. */
struct vec_packing {
	uint8_t lanes[256][8];
};

static inline void vec_packing_make(struct vec_packing *p)
{
	for (unsigned mask = 0; mask < 256; mask++) {
		unsigned n = 0;

		for (unsigned i = 0; i < 8; i++)
			p->lanes[mask][i] = 0;
		for (unsigned i = 0; i < 8; i++) {
			if (mask >> i & 1)
				p->lanes[mask][n++] = (uint8_t)i;
		}
	}
}

/* One bit per lane that is not zero. */
static inline uint32_t vec_nonzero(vec v)
{
#if VEC_BYTES == 64
	return vec_bits(v);
#else
	return vec_bits((vec)(v != 0));
#endif
}

/* One bit per lane with a < b. */
static inline uint32_t vec_below(vec a, vec b)
{
#if VEC_BYTES == 64
	return sizeof(VEC_CELL) == 2 ? (uint32_t)_mm512_cmplt_epu16_mask((__m512i)a, (__m512i)b) :
				       (uint32_t)_mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b);
#elif VEC_BYTES == 32
	return vec_bits((vec)(vec_max(a, b) != a));
#else
	return vec_bits((vec)(a < b));
#endif
}

/* vec_pack stores the lanes of `mask` one after the other; it may write up to a whole vector. */
#if VEC_BYTES == 64

static inline void vec_pack(VEC_CELL *to, vec v, uint32_t mask, const struct vec_packing *p)
{
	(void)p;
	vec_store(to, sizeof(VEC_CELL) == 2 ?
			      (vec)_mm512_maskz_compress_epi16(mask, (__m512i)v) :
			      (vec)_mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)v));
}

#elif VEC_BYTES == 32

static inline __m128i vec_packing_lanes(const struct vec_packing *p, uint32_t mask)
{
	return _mm_loadl_epi64((const __m128i *)(const void *)p->lanes[mask]);
}

/* Packs eight 16-bit lanes. Returns the number stored. */
static inline int vec_pack_half(VEC_CELL *to, __m128i half, uint32_t mask,
				const struct vec_packing *p)
{
	__m128i lane = _mm_cvtepu8_epi16(vec_packing_lanes(p, mask));
	__m128i bytes = _mm_add_epi16(_mm_mullo_epi16(lane, _mm_set1_epi16(0x0202)),
				      _mm_set1_epi16(0x0100));

	_mm_storeu_si128((__m128i *)(void *)to, _mm_shuffle_epi8(half, bytes));
	return __builtin_popcount(mask);
}

static inline void vec_pack(VEC_CELL *to, vec v, uint32_t mask, const struct vec_packing *p)
{
	__m256i x = (__m256i)v;

	if (sizeof(VEC_CELL) == 4) {
		__m256i lanes = _mm256_cvtepu8_epi32(vec_packing_lanes(p, mask));

		vec_store(to, (vec)_mm256_permutevar8x32_epi32(x, lanes));
		return;
	}
	to += vec_pack_half(to, _mm256_castsi256_si128(x), mask & 0xff, p);
	vec_pack_half(to, _mm256_extracti128_si256(x, 1), mask >> 8, p);
}

#else

static inline void vec_pack(VEC_CELL *to, vec v, uint32_t mask, const struct vec_packing *p)
{
	(void)p;
	for (int i = 0; i < VEC_LANES; i++) {
		*to = v[i];
		to += mask >> i & 1;
	}
}

#endif

/* Several vectors with the same mask: vec_pack_as(to, v, vec_order_of(mask), p) stores what
 * vec_pack stores, but the lanes beyond the selected ones are arbitrary. */
#if VEC_BYTES == 64 && defined(__AVX512VBMI__)

/* A permutation takes half as long as the instruction that packs. */
typedef __m512i vec_order;

static inline vec_order vec_order_of(uint32_t mask)
{
	vec lane; /* its number; of a 16-bit lane, the numbers of its two bytes */

	for (int i = 0; i < VEC_LANES; i++)
		lane[i] = (VEC_CELL)(sizeof(VEC_CELL) == 2 ? 0x0100 + 0x0202 * i : i);
	return sizeof(VEC_CELL) == 2 ? _mm512_maskz_compress_epi16(mask, (__m512i)lane) :
				       _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)lane);
}

static inline void vec_pack_as(VEC_CELL *to, vec v, vec_order order, const struct vec_packing *p)
{
	(void)p;
	vec_store(to, sizeof(VEC_CELL) == 2 ? (vec)_mm512_permutexvar_epi8(order, (__m512i)v) :
					      (vec)_mm512_permutexvar_epi32(order, (__m512i)v));
}

#else

typedef uint32_t vec_order;

static inline vec_order vec_order_of(uint32_t mask)
{
	return mask;
}

static inline void vec_pack_as(VEC_CELL *to, vec v, vec_order order, const struct vec_packing *p)
{
	vec_pack(to, v, order, p);
}

#endif
