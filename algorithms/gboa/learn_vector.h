/* Vectors of 32-bit words for counting: the widest that have a population count, and the few operations
 * that the compiler's vector types lack. BOA_PORTABLE_VECTORS asks for those of any machine. */
#ifndef COPRA_BOA_LEARN_VECTOR_H
#define COPRA_BOA_LEARN_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512VPOPCNTDQ__) && !defined(BOA_PORTABLE_VECTORS)
#include <immintrin.h>
enum { VEC_LANES = 16, VEC_REGISTERS = 32 };
#define VEC_512 1
#elif defined(__AVX2__) && !defined(BOA_PORTABLE_VECTORS)
#include <immintrin.h>
enum { VEC_LANES = 8, VEC_REGISTERS = 16 };
#define VEC_256 1
#else
enum { VEC_LANES = 4, VEC_REGISTERS = 16 };
#endif

typedef uint32_t vec __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));
typedef int32_t vec_signed __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));
typedef float vec_float __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));

static inline vec vec_load(const uint32_t *p)
{
	vec v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void vec_store(uint32_t *p, vec v)
{
	memcpy(p, &v, sizeof(v));
}

static inline vec vec_all(uint32_t x)
{
	return x - (vec){ 0 };
}

/* 0, 1, 2, ... */
static inline vec vec_lanes(void)
{
	vec v;

	for (int lane = 0; lane < VEC_LANES; lane++)
		v[lane] = (uint32_t)lane;
	return v;
}

/* Bits set in each lane. */
static inline vec vec_count(vec v)
{
#if defined(VEC_512)
	return (vec)_mm512_popcnt_epi32((__m512i)v);
#elif defined(VEC_256)
	const __m256i nibble = _mm256_set1_epi8(15);
	const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
					      2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	__m256i low = _mm256_and_si256((__m256i)v, nibble);
	__m256i high = _mm256_and_si256(_mm256_srli_epi32((__m256i)v, 4), nibble);
	__m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(bits, low),
					_mm256_shuffle_epi8(bits, high));

	return (vec)_mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)),
				      _mm256_set1_epi16(1));
#else
	v -= v >> 1 & 0x55555555u;
	v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0fu;
	return v * 0x01010101u >> 24;
#endif
}

/* table[at[lane]] in each lane; indices below 2^31. */
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

/* Of whole numbers below 2^31. */
static inline vec_float vec_to_float(vec v)
{
	return __builtin_convertvector((vec_signed)v, vec_float);
}

/* 1 / x, wrong by less than one part in 10,000. */
static inline vec_float vec_reciprocal(vec_float x)
{
#if defined(VEC_512)
	return (vec_float)_mm512_rcp14_ps((__m512)x);
#else
	return 1.0f / x;
#endif
}

/* Is some lane above the limit? */
static inline bool vec_any_above(vec_float v, float limit)
{
#if defined(VEC_512)
	return _mm512_cmp_ps_mask((__m512)v, _mm512_set1_ps(limit), _CMP_GT_OQ) != 0;
#elif defined(VEC_256)
	return _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_set1_ps(limit),
						_CMP_GT_OQ)) != 0;
#else
	vec_signed above = v > limit;
	int32_t any = 0;

	for (int lane = 0; lane < VEC_LANES; lane++)
		any |= above[lane];
	return any != 0;
#endif
}

/* Where `mask` is all ones `a`, where it is 0 `b`. */
static inline vec vec_choose(vec mask, vec a, vec b)
{
	return (mask & a) | (~mask & b);
}

#endif
