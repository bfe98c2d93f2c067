/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* SIMD vectors: the types and operations that several modules share. They use the compiler's vector
 * types, and intrinsics where the compiler does not find the instruction by itself.
 *
 * Vectors of integers. A source defines VEC_CELL, the type of an element (uint16_t, uint32_t,
 * int32_t or int64_t), and includes this header once:
 *
 *   vec                 VEC_LANES elements. + - * & | ^ ~ << >> work lane by lane, also with one
 *                       number for all lanes; so do comparisons, whose lanes are all ones or zero.
 *   vec_load vec_store  at any element: no alignment is needed
 *   vec_all(x)          x in every lane
 *   vec_max(a, b)       signed or unsigned, as VEC_CELL is
 *   vec_bits(m)         one bit a lane of a comparison's result, lane 0 in bit 0
 *
 * VEC_BYTES, the width of vec, may be defined before as well: 64 needs __AVX512F__ (AVX512BW too
 * for elements of 2 bytes), 32 needs __AVX2__, 16 works everywhere. The default is SIMD_WIDEST.
 * VEC_ALIGNED may be defined as the alignment of a vec in memory; the default is that of one
 * element.
 *
 * Vectors of floats: vec_float4, vec_float8 (AVX) and vec_float16 (AVX-512), with vec_fma4,
 * vec_fma8 and vec_fma16: a * b + c, rounded once. vec_floats and vec_fma are the widest of them.
 *
 * Operations that only one module needs are defined in that module. */
#ifndef COPRA_BASE_SIMD_H
#define COPRA_BASE_SIMD_H

#include <math.h>
#include <stdint.h>

/* Bytes of the widest vectors of this build. */
#if defined(__AVX512F__)
#define SIMD_WIDEST 64
#elif defined(__AVX2__)
#define SIMD_WIDEST 32
#else
#define SIMD_WIDEST 16 /* SSE2 and NEON; the compiler finds their instructions */
#endif
#if defined(__AVX__)
#include <immintrin.h>
#endif

/* ---- floats ---- */

typedef float vec_float4 __attribute__((vector_size(16)));

static inline vec_float4 vec_fma4(vec_float4 a, vec_float4 b, vec_float4 c)
{
#if defined(__FMA__)
	return (vec_float4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#else
	for (int i = 0; i < 4; i++)
		a[i] = fmaf(a[i], b[i], c[i]);
	return a;
#endif
}

#if defined(__AVX__)
typedef float vec_float8 __attribute__((vector_size(32)));

static inline vec_float8 vec_fma8(vec_float8 a, vec_float8 b, vec_float8 c)
{
#if defined(__FMA__)
	return (vec_float8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
	for (int i = 0; i < 8; i++)
		a[i] = fmaf(a[i], b[i], c[i]);
	return a;
#endif
}
#endif

#if defined(__AVX512F__)
typedef float vec_float16 __attribute__((vector_size(64)));

static inline vec_float16 vec_fma16(vec_float16 a, vec_float16 b, vec_float16 c)
{
	return (vec_float16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
#endif

#if SIMD_WIDEST == 64
typedef vec_float16 vec_floats;
#define vec_fma vec_fma16
#elif SIMD_WIDEST == 32
typedef vec_float8 vec_floats;
#define vec_fma vec_fma8
#else
typedef vec_float4 vec_floats;
#define vec_fma vec_fma4
#endif

/* ---- integers of VEC_CELL ---- */

#if defined(VEC_CELL)

#if !defined(VEC_BYTES)
#define VEC_BYTES SIMD_WIDEST
#endif
#if !defined(VEC_ALIGNED)
#define VEC_ALIGNED sizeof(VEC_CELL)
#endif
#define VEC_CELL_IS_SIGNED ((VEC_CELL)-1 < (VEC_CELL)1)
enum { VEC_LANES = VEC_BYTES / (int)sizeof(VEC_CELL) };

typedef VEC_CELL vec __attribute__((vector_size(VEC_BYTES), aligned(VEC_ALIGNED), may_alias));
typedef VEC_CELL vec_anywhere
	__attribute__((vector_size(VEC_BYTES), aligned(sizeof(VEC_CELL)), may_alias));

static inline vec vec_load(const VEC_CELL *p)
{
	return *(const vec_anywhere *)p;
}

static inline void vec_store(VEC_CELL *p, vec v)
{
	*(vec_anywhere *)p = v;
}

static inline vec vec_all(VEC_CELL x)
{
	return (vec){ 0 } + x;
}

static inline vec vec_max(vec a, vec b)
{
#if VEC_BYTES == 64
#if defined(__AVX512BW__)
	if (sizeof(VEC_CELL) == 2)
		return VEC_CELL_IS_SIGNED ? (vec)_mm512_max_epi16((__m512i)a, (__m512i)b) :
					    (vec)_mm512_max_epu16((__m512i)a, (__m512i)b);
#endif
	if (sizeof(VEC_CELL) == 4)
		return VEC_CELL_IS_SIGNED ? (vec)_mm512_max_epi32((__m512i)a, (__m512i)b) :
					    (vec)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif VEC_BYTES == 32
	if (sizeof(VEC_CELL) == 2)
		return VEC_CELL_IS_SIGNED ? (vec)_mm256_max_epi16((__m256i)a, (__m256i)b) :
					    (vec)_mm256_max_epu16((__m256i)a, (__m256i)b);
	if (sizeof(VEC_CELL) == 4)
		return VEC_CELL_IS_SIGNED ? (vec)_mm256_max_epi32((__m256i)a, (__m256i)b) :
					    (vec)_mm256_max_epu32((__m256i)a, (__m256i)b);
#if defined(__AVX512VL__)
	if (VEC_CELL_IS_SIGNED)
		return (vec)_mm256_max_epi64((__m256i)a, (__m256i)b);
#endif
#endif
	vec larger = (vec)(a > b);

	return (a & larger) | (b & ~larger);
}

static inline uint32_t vec_bits(vec m)
{
#if VEC_BYTES == 64
#if defined(__AVX512BW__)
	if (sizeof(VEC_CELL) == 2)
		return (uint32_t)_mm512_test_epi16_mask((__m512i)m, (__m512i)m);
#endif
	if (sizeof(VEC_CELL) == 4)
		return (uint32_t)_mm512_test_epi32_mask((__m512i)m, (__m512i)m);
#elif VEC_BYTES == 32
	__m256i x = (__m256i)m;

	if (sizeof(VEC_CELL) == 2)
		return (uint32_t)_mm_movemask_epi8(
			_mm_packs_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
	if (sizeof(VEC_CELL) == 4)
		return (uint32_t)_mm256_movemask_ps((__m256)x);
	if (sizeof(VEC_CELL) == 8)
		return (uint32_t)_mm256_movemask_pd((__m256d)x);
#endif
	uint32_t bits = 0;

	for (int i = 0; i < VEC_LANES; i++)
		bits |= (uint32_t)(m[i] & 1) << i;
	return bits;
}

#endif

#endif
