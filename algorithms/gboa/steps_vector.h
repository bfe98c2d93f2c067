/* Vectors of words of 32 individuals, and Philox in each of their lanes. */
#ifndef COPRA_GBOA_STEPS_VECTOR_H
#define COPRA_GBOA_STEPS_VECTOR_H

#include <stddef.h>

#include "algorithms/gboa/random.h"

#if defined(__AVX512F__)
#define VEC_512 1
#elif defined(__AVX2__)
#define VEC_256 1
#endif
#define VEC_ALIGNED 4 * VEC_LANES

#include "algorithms/gboa/word_vector.h"

typedef uint64_t vec_wide __attribute__((vector_size(4 * VEC_LANES)));

/* The first `lanes` lanes; the others are zero. */
static inline vec vec_load(const uint32_t *p, size_t lanes)
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

static inline void vec_store(uint32_t *p, vec v, size_t lanes)
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

/* Bit by bit: a where m is 1, else b; and what at least two have. */
static inline vec vec_select(vec m, vec a, vec b)
{
#if defined(VEC_512)
	return (vec)_mm512_ternarylogic_epi32((__m512i)m, (__m512i)a, (__m512i)b, 0xca);
#else
	return (m & a) | (~m & b);
#endif
}

static inline vec vec_majority(vec a, vec b, vec c)
{
#if defined(VEC_512)
	return (vec)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, (__m512i)c, 0xe8);
#else
	return (a & b) | (c & (a | b));
#endif
}

/* Bit k: the lowest bit of lane k. */
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

/* a0 b0 a1 b1 ...: of the lower (half 0) or upper lanes of both. */
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

/* High and low words of x times a number, lane by lane. */
static inline void vec_mul(vec x, uint32_t by, vec *high, vec *low)
{
	const vec_wide odd_lanes = (vec_wide){ 0 } + 0xffffffff00000000u;
	vec_wide even = vec_mul_even(x, vec_all(by));
	vec_wide odd = vec_mul_even((vec)((vec_wide)x >> 32), vec_all(by));

	*high = (vec)(even >> 32 | (odd & odd_lanes));
	*low = (vec)((even & ~odd_lanes) | odd << 32);
}

/* philox_7 of counters in each lane. */
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

/* boa_digits of a word in each lane. */
static inline void vec_digits(uint64_t seed, uint32_t generation, uint32_t variable, vec word,
			      uint32_t q, vec digit[4])
{
	vec_philox(vec_all(variable), word, vec_all(generation), vec_all(BOA_SAMPLE + q), seed,
		   digit);
}

#endif
