/* Vectors of 32-bit words for counting: the widest that have a population count, and the few
 * operations that the compiler's vector types lack. BOA_PORTABLE_VECTORS asks for those of any
 * machine. */
#ifndef COPRA_GBOA_LEARN_VECTOR_H
#define COPRA_GBOA_LEARN_VECTOR_H

#if defined(__AVX512F__) && defined(__AVX512VPOPCNTDQ__) && !defined(BOA_PORTABLE_VECTORS)
#define VEC_512 1
enum { VEC_REGISTERS = 32 };
#elif defined(__AVX2__) && !defined(BOA_PORTABLE_VECTORS)
#define VEC_256 1
enum { VEC_REGISTERS = 16 };
#else
enum { VEC_REGISTERS = 16 };
#endif
#define VEC_ALIGNED 4 /* as what they are read from */

#include "algorithms/gboa/word_vector.h"

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

/* 0, 1, 2, ... */
static inline vec vec_lanes(void)
{
	vec v;

	for (int lane = 0; lane < VEC_LANES; lane++)
		v[lane] = (uint32_t)lane;
	return v;
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
	return _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_set1_ps(limit), _CMP_GT_OQ)) != 0;
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
