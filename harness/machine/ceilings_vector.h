/* The widest vectors that this build may use, with the two operations whose rate is measured.
 * Intrinsics, since GCC does not reliably keep arrays of scalars in vector registers. */
#ifndef COPRA_MACHINE_CEILINGS_VECTOR_H
#define COPRA_MACHINE_CEILINGS_VECTOR_H

#include <math.h>
#include <stdint.h>

#if defined(__AVX512F__)
#include <immintrin.h>
enum { VECTOR_LANES = 16 };
typedef __m512i vector_int;
typedef __m512 vector_float;

static inline vector_int vector_add_max(vector_int a, vector_int b, vector_int c)
{
	return _mm512_max_epi32(_mm512_add_epi32(a, b), c);
}

static inline vector_float vector_fma(vector_float a, vector_float b, vector_float c)
{
	return _mm512_fmadd_ps(a, b, c);
}

#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
enum { VECTOR_LANES = 8 };
typedef __m256i vector_int;
typedef __m256 vector_float;

static inline vector_int vector_add_max(vector_int a, vector_int b, vector_int c)
{
	return _mm256_max_epi32(_mm256_add_epi32(a, b), c);
}

static inline vector_float vector_fma(vector_float a, vector_float b, vector_float c)
{
	return _mm256_fmadd_ps(a, b, c);
}

#else /* 16 bytes is what SSE2 and NEON have; the compiler finds their instructions */
enum { VECTOR_LANES = 4 };
typedef int32_t vector_int __attribute__((vector_size(16)));
typedef float vector_float __attribute__((vector_size(16)));

static inline vector_int vector_add_max(vector_int a, vector_int b, vector_int c)
{
	vector_int sum = a + b, larger = sum > c;

	return (sum & larger) | (c & ~larger);
}

static inline vector_float vector_fma(vector_float a, vector_float b, vector_float c)
{
	vector_float r = a;

	for (int i = 0; i < VECTOR_LANES; i++)
		r[i] = fmaf(a[i], b[i], c[i]);
	return r;
}
#endif

#endif
