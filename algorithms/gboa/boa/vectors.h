/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of 32-bit words for the host's steps: operations that harness/base/simd.h lacks, and
 * Philox lane by lane.
 *
 * A word holds one bit of each of 32 individuals. A source that counts (learn_counts.c) defines
 * BOA_VECTORS_COUNTING before it includes this header. Vectors are then the widest that have a
 * population count, and aligned as single words. With BOA_PORTABLE_VECTORS, only vectors that every
 * machine has are used. */
#ifndef COPRA_GBOA_BOA_VECTORS_H
#define COPRA_GBOA_BOA_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/gboa/arithmetic.h"

#define VEC_CELL uint32_t
#if defined(BOA_PORTABLE_VECTORS)
#define VEC_BYTES 16
#elif defined(__AVX512F__) && (defined(__AVX512VPOPCNTDQ__) || !defined(BOA_VECTORS_COUNTING))
#define VEC_512 1
#define VEC_BYTES 64
#elif defined(__AVX2__)
#define VEC_256 1
#define VEC_BYTES 32
#else
#define VEC_BYTES 16
#endif
#if !defined(BOA_VECTORS_COUNTING)
#define VEC_ALIGNED VEC_BYTES
#endif
#include "harness/base/simd.h"

enum { VEC_REGISTERS = VEC_BYTES == 64 ? 32 : 16 };

/* table[at[lane]] in each lane; at[lane] < 2^31. */
static inline vec vec_look_up(const uint32_t *table, vec at)
{
#if defined(VEC_512)
	return (vec)_mm512_i32gather_epi32((__m512i)at, table, 4);
#elif defined(VEC_256)
	return (vec)_mm256_i32gather_epi32((const int *)table, (__m256i)at, 4);
#else
	vec v;

	for (int lane = 0; lane < VEC_LANES; lane++)
		v[lane] = table[at[lane]];
	return v;
#endif
}

/* The number of bits set in each lane. */
static inline vec vec_count(vec v)
{
#if defined(VEC_512) && defined(__AVX512VPOPCNTDQ__)
	return (vec)_mm512_popcnt_epi32((__m512i)v);
#elif defined(VEC_256)
	const __m256i nibble = _mm256_set1_epi8(15);
	const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
					      1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	__m256i low = _mm256_and_si256((__m256i)v, nibble);
	__m256i high = _mm256_and_si256(_mm256_srli_epi32((__m256i)v, 4), nibble);
	__m256i bytes =
		_mm256_add_epi8(_mm256_shuffle_epi8(bits, low), _mm256_shuffle_epi8(bits, high));

	return (vec)_mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)),
				      _mm256_set1_epi16(1));
#else
	v -= v >> 1 & 0x55555555u;
	v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0fu;
	return v * 0x01010101u >> 24;
#endif
}

#if defined(BOA_VECTORS_COUNTING)

/* ---- for counting ---- */

typedef int32_t vec_signed __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));
typedef float vec_float __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));

/* 0, 1, 2, ... */
static inline vec vec_lanes(void)
{
	vec v;

	for (int lane = 0; lane < VEC_LANES; lane++)
		v[lane] = (uint32_t)lane;
	return v;
}

/* Converts integers below 2^31. */
static inline vec_float vec_to_float(vec v)
{
	return __builtin_convertvector((vec_signed)v, vec_float);
}

/* 1 / x, with a relative error below 1e-4. */
static inline vec_float vec_reciprocal(vec_float x)
{
#if defined(VEC_512)
	return (vec_float)_mm512_rcp14_ps((__m512)x);
#else
	return 1.0f / x;
#endif
}

/* True if any lane is above the limit. */
static inline bool vec_any_above(vec_float v, float limit)
{
#if defined(VEC_512)
	return _mm512_cmp_ps_mask((__m512)v, _mm512_set1_ps(limit), _CMP_GT_OQ) != 0;
#elif defined(VEC_256)
	return _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_set1_ps(limit), _CMP_GT_OQ)) != 0;
#else
	vec_signed above = v > limit;
	int32_t any = 0;

	for (int lane = 0; lane < VEC_LANES; lane++)
		any |= above[lane];
	return any != 0;
#endif
}

/* a where `mask` is all ones, b where it is 0. */
static inline vec vec_choose(vec mask, vec a, vec b)
{
	return (mask & a) | (~mask & b);
}

#else

/* ---- for the other steps ---- */

typedef uint64_t vec_wide __attribute__((vector_size(4 * VEC_LANES)));

/* Loads the first `lanes` lanes; the others are zero. */
static inline vec vec_load_some(const uint32_t *p, size_t lanes)
{
#if defined(VEC_512)
	return (vec)_mm512_maskz_loadu_epi32((__mmask16)((1u << lanes) - 1), p);
#else
	vec v = { 0 };

	if (lanes == VEC_LANES)
		memcpy(&v, p, sizeof(v));
	else
		memcpy(&v, p, lanes * sizeof(*p));
	return v;
#endif
}

static inline void vec_store_some(uint32_t *p, vec v, size_t lanes)
{
#if defined(VEC_512)
	_mm512_mask_storeu_epi32(p, (__mmask16)((1u << lanes) - 1), (__m512i)v);
#else
	if (lanes == VEC_LANES)
		memcpy(p, &v, sizeof(v));
	else
		memcpy(p, &v, lanes * sizeof(*p));
#endif
}

/* The first `lanes` lanes of v; the others are zero. */
static inline vec vec_first(vec v, size_t lanes)
{
#if defined(VEC_512)
	return (vec)_mm512_maskz_mov_epi32((__mmask16)((1u << lanes) - 1), (__m512i)v);
#else
	for (size_t i = lanes; i < VEC_LANES; i++)
		v[i] = 0;
	return v;
#endif
}

static inline bool vec_any(vec v)
{
#if defined(VEC_512)
	return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#else
	uint32_t any = 0;

	for (int i = 0; i < VEC_LANES; i++)
		any |= v[i];
	return any != 0;
#endif
}

/* Bit by bit: a where m is 1, else b. */
static inline vec vec_select(vec m, vec a, vec b)
{
#if defined(VEC_512)
	return (vec)_mm512_ternarylogic_epi32((__m512i)m, (__m512i)a, (__m512i)b, 0xca);
#else
	return (m & a) | (~m & b);
#endif
}

/* Bit by bit: the value that at least two of the three have. */
static inline vec vec_majority(vec a, vec b, vec c)
{
#if defined(VEC_512)
	return (vec)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
#else
	return (a & b) | (c & (a | b));
#endif
}

/* Bit k of the result is the lowest bit of lane k. */
static inline uint32_t vec_low_bits(vec v)
{
#if defined(VEC_512)
	return _mm512_test_epi32_mask((__m512i)v, _mm512_set1_epi32(1));
#else
	uint32_t bits = 0;

	for (uint32_t k = 0; k < VEC_LANES; k++)
		bits |= (v[k] & 1) << k;
	return bits;
#endif
}

/* a0 b0 a1 b1 ..., from the lower (half 0) or upper lanes of both. */
static inline vec vec_zip(vec a, vec b, uint32_t half)
{
	vec from;

	for (uint32_t k = 0; k < VEC_LANES; k++)
		from[k] = k / 2 + k % 2 * VEC_LANES + half * (VEC_LANES / 2);
	return __builtin_shuffle(a, b, from);
}

/* Products of the low halves of 64-bit lanes. */
static inline vec_wide vec_mul_even(vec a, vec b)
{
#if defined(VEC_512)
	return (vec_wide)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(VEC_256)
	return (vec_wide)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
	return ((vec_wide)a & 0xffffffffu) * ((vec_wide)b & 0xffffffffu);
#endif
}

/* High and low words of the products x * by, lane by lane. */
static inline void vec_mul(vec x, uint32_t by, vec *high, vec *low)
{
	const vec_wide odd_lanes = (vec_wide){ 0 } + 0xffffffff00000000u;
	vec_wide even = vec_mul_even(x, vec_all(by));
	vec_wide odd = vec_mul_even((vec)((vec_wide)x >> 32), vec_all(by));

	*high = (vec)(even >> 32 | (odd & odd_lanes));
	*low = (vec)((even & ~odd_lanes) | odd << 32);
}

/* philox_7 of the counters in each lane. */
static inline void vec_philox(vec c0, vec c1, vec c2, vec c3, uint64_t seed, vec out[4])
{
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

	for (int round = 0; round < 7; round++) {
		vec high_a, low_a, high_b, low_b;

		vec_mul(c0, 0xD2511F53u, &high_a, &low_a);
		vec_mul(c2, 0xCD9E8D57u, &high_b, &low_b);
		c0 = high_b ^ c1 ^ k0;
		c1 = low_b;
		c2 = high_a ^ c3 ^ k1;
		c3 = low_a;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* boa_digits of the word in each lane. */
static inline void vec_digits(uint64_t seed, uint32_t generation, uint32_t variable, vec word,
			      uint32_t q, vec digit[4])
{
	vec_philox(vec_all(variable), word, vec_all(generation), vec_all(BOA_SAMPLE + q), seed,
		   digit);
}

#endif

#endif
