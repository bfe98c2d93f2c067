/* Vectors of 32-bit words: what learning and the other steps do with them alike. Private to
 * learn_vector.h and steps_vector.h, which say how wide they are: VEC_512, VEC_256 or neither. */
#ifndef COPRA_GBOA_WORD_VECTOR_H
#define COPRA_GBOA_WORD_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(VEC_512)
#include <immintrin.h>
enum { VEC_LANES = 16 };
#elif defined(VEC_256)
#include <immintrin.h>
enum { VEC_LANES = 8 };
#else
enum { VEC_LANES = 4 };
#endif

typedef uint32_t vec __attribute__((vector_size(4 * VEC_LANES), aligned(VEC_ALIGNED), may_alias));

static inline vec vec_all(uint32_t x)
{
	return (vec){ 0 } + x;
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

/* Bits set in each lane. */
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

#endif
