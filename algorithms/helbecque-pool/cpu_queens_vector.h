/* Vectors of CELL (uint16_t or uint32_t) through the compiler's vector types. What it cannot express is
 * "keep these lanes, packed to the front": one instruction with AVX-512 (16-bit lanes: VBMI2), a
 * permutation looked up by the mask with AVX2, a loop elsewhere. Private to cpu_queens_body.h. */
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)
#define PACKS_IN_REGISTER 1
#elif defined(__AVX512F__)
#define PACKS_IN_REGISTER (sizeof(CELL) == 4)
#else
#define PACKS_IN_REGISTER 0
#endif

#if defined(__AVX512F__)
enum { VEC_BYTES = 64 };
#elif defined(__AVX2__)
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif
enum { LANES = VEC_BYTES / (int)sizeof(CELL) };

/* Aligned to a cell only: loads and stores are at any place. */
typedef CELL vec __attribute__((vector_size(VEC_BYTES), aligned(sizeof(CELL)), may_alias));

/* For each 8-bit mask the lanes that are set, in order; AVX2's permutation needs it. */
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

static inline vec vec_load(const CELL *p)
{
	return *(const vec *)p;
}

/* One bit a lane that is not zero. */
static inline uint32_t vec_nonzero(vec v)
{
#if defined(__AVX512BW__)
	return sizeof(CELL) == 2 ? (uint32_t)_mm512_test_epi16_mask((__m512i)v, (__m512i)v)
				 : (uint32_t)_mm512_test_epi32_mask((__m512i)v, (__m512i)v);
#elif defined(__AVX512F__)
	if (sizeof(CELL) == 4)
		return (uint32_t)_mm512_test_epi32_mask((__m512i)v, (__m512i)v);
#elif defined(__AVX2__)
	if (sizeof(CELL) == 4)
		return (uint32_t)_mm256_movemask_ps((__m256)(v == 0)) ^ 0xffu;
#endif
#if !defined(__AVX512BW__)
	{
		uint32_t bits = 0;

		for (int i = 0; i < LANES; i++)
			bits |= (uint32_t)(v[i] != 0) << i;
		return bits;
	}
#endif
}

/* Stores the lanes of `mask` one after the other; may write up to a whole vector. */
static inline void vec_pack(CELL *to, vec v, uint32_t mask, const struct vec_packing *p)
{
	(void)p;
#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)
	if (sizeof(CELL) == 2) {
		*(vec *)to = (vec)_mm512_maskz_compress_epi16(mask, (__m512i)v);
		return;
	}
#endif
#if defined(__AVX512F__)
	if (sizeof(CELL) == 4) {
		*(vec *)to = (vec)_mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)v);
		return;
	}
#elif defined(__AVX2__)
	if (sizeof(CELL) == 4) {
		__m256i lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p->lanes[mask]));

		*(vec *)to = (vec)_mm256_permutevar8x32_epi32((__m256i)v, lanes);
		return;
	}
#endif
#if !(defined(__AVX512VBMI2__) && defined(__AVX512BW__))
	for (int i = 0; i < LANES; i++) {
		*to = v[i];
		to += mask >> i & 1;
	}
#endif
}
