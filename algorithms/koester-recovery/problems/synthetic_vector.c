#include "algorithms/koester-recovery/problems/synthetic_vector.h"

#if defined(__FMA__)
#include <immintrin.h>

/* Rows together: their sums, one vector or several each, are independent of each other and hide the
 * latency of a multiply-add; as many as there are registers for two vectors a row. */
#if defined(__AVX512VL__)
enum { ROWS = 8 };
#else
enum { ROWS = 4 };
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define LANES 4
typedef __m128 vec4;
#define vec4_load _mm_loadu_ps
#define vec4_store _mm_storeu_ps
#define vec4_all _mm_set1_ps
#define vec4_mul _mm_mul_ps
#define vec4_fma _mm_fmadd_ps
#include "algorithms/koester-recovery/problems/synthetic_vector_body.h"
#undef LANES

#define LANES 8
typedef __m256 vec8;
#define vec8_load _mm256_loadu_ps
#define vec8_store _mm256_storeu_ps
#define vec8_all _mm256_set1_ps
#define vec8_mul _mm256_mul_ps
#define vec8_fma _mm256_fmadd_ps
#include "algorithms/koester-recovery/problems/synthetic_vector_body.h"
#undef LANES

#if defined(__AVX512F__)
#define LANES 16
typedef __m512 vec16;
#define vec16_load _mm512_loadu_ps
#define vec16_store _mm512_storeu_ps
#define vec16_all _mm512_set1_ps
#define vec16_mul _mm512_mul_ps
#define vec16_fma _mm512_fmadd_ps
#include "algorithms/koester-recovery/problems/synthetic_vector_body.h"
#undef LANES
#else
#define products_16 products_8
#endif

bool track_synthetic_vector_products(float *x, uint32_t rows, uint32_t columns, const float *w,
				     uint32_t times)
{
	switch (columns) {
	case 8:
		products_8(x, rows, 8, w, times);
		return true;
	case 12:
		products_4(x, rows, 12, w, times);
		return true;
	case 16:
		products_16(x, rows, 16, w, times);
		return true;
	case 24:
		products_8(x, rows, 24, w, times);
		return true;
	case 32:
		products_16(x, rows, 32, w, times);
		return true;
	default:
		return false;
	}
}

#else

bool track_synthetic_vector_products(float *x, uint32_t rows, uint32_t columns, const float *w,
				     uint32_t times)
{
	(void)x;
	(void)rows;
	(void)columns;
	(void)w;
	(void)times;
	return false;
}

#endif
