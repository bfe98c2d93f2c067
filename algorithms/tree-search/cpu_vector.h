/* Vectors of CELL (uint16_t or uint32_t, defined before) through the compiler's vector types.
 * What it cannot express well is here with intrinsics: the unsigned maximum, comparisons as bits,
 * and "keep these lanes, packed to the front": one instruction with AVX-512 (16-bit lanes:
 * VBMI2), a permutation looked up by the mask with AVX2, a loop elsewhere. */
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

/* 16-bit lanes of 64 bytes need BW and VBMI2; without them 32 bytes serve both widths well. */
#if defined(__AVX512BW__) && defined(__AVX512VBMI2__)
enum { VEC_BYTES = 64 };
#define VEC_512 1
#elif defined(__AVX2__)
enum { VEC_BYTES = 32 };
#define VEC_256 1
#else
enum { VEC_BYTES = 16 };
#endif
enum { LANES = VEC_BYTES / (int)sizeof(CELL) };

/* Aligned to a cell only: loads and stores are at any place. */
typedef CELL vec __attribute__((vector_size(VEC_BYTES), aligned(sizeof(CELL)), may_alias));

/* For each 8-bit mask the lanes that are set, in order; AVX2's permutations need it. */
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

static inline void vec_store(CELL *p, vec v)
{
	*(vec *)p = v;
}

static inline vec vec_all(CELL x)
{
	return (vec){ 0 } + x;
}

#if defined(VEC_512)

static inline vec vec_max(vec a, vec b)
{
	return sizeof(CELL) == 2 ? (vec)_mm512_max_epu16((__m512i)a, (__m512i)b) :
				   (vec)_mm512_max_epu32((__m512i)a, (__m512i)b);
}

/* One bit a lane that is not zero. */
static inline uint32_t vec_nonzero(vec v)
{
	return sizeof(CELL) == 2 ? (uint32_t)_mm512_test_epi16_mask((__m512i)v, (__m512i)v) :
				   (uint32_t)_mm512_test_epi32_mask((__m512i)v, (__m512i)v);
}

/* One bit a lane with a < b. */
static inline uint32_t vec_below(vec a, vec b)
{
	return sizeof(CELL) == 2 ? (uint32_t)_mm512_cmplt_epu16_mask((__m512i)a, (__m512i)b) :
				   (uint32_t)_mm512_cmplt_epu32_mask((__m512i)a, (__m512i)b);
}

/* Stores the lanes of `mask` one after the other; may write up to a whole vector. */
static inline void vec_pack(CELL *to, vec v, uint32_t mask, const struct vec_packing *p)
{
	(void)p;
	vec_store(to, sizeof(CELL) == 2 ?
			      (vec)_mm512_maskz_compress_epi16(mask, (__m512i)v) :
			      (vec)_mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)v));
}

#elif defined(VEC_256)

static inline vec vec_max(vec a, vec b)
{
	return sizeof(CELL) == 2 ? (vec)_mm256_max_epu16((__m256i)a, (__m256i)b) :
				   (vec)_mm256_max_epu32((__m256i)a, (__m256i)b);
}

/* One bit a lane that is all ones; the others are zero. */
static inline uint32_t vec_bits(vec v)
{
	__m256i x = (__m256i)v;

	if (sizeof(CELL) == 4)
		return (uint32_t)_mm256_movemask_ps((__m256)x);
	return (uint32_t)_mm_movemask_epi8(
		_mm_packs_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}

static inline uint32_t vec_nonzero(vec v)
{
	return vec_bits((vec)(v != 0));
}

static inline uint32_t vec_below(vec a, vec b)
{
	return vec_bits((vec)(vec_max(a, b) != a));
}

static inline __m128i vec_packing_lanes(const struct vec_packing *p, uint32_t mask)
{
	return _mm_loadl_epi64((const __m128i *)(const void *)p->lanes[mask]);
}

/* Eight 16-bit lanes; returns how many were kept. */
static inline int vec_pack_half(CELL *to, __m128i half, uint32_t mask, const struct vec_packing *p)
{
	__m128i lane = _mm_cvtepu8_epi16(vec_packing_lanes(p, mask));
	__m128i bytes = _mm_add_epi16(_mm_mullo_epi16(lane, _mm_set1_epi16(0x0202)),
				      _mm_set1_epi16(0x0100));

	_mm_storeu_si128((__m128i *)(void *)to, _mm_shuffle_epi8(half, bytes));
	return __builtin_popcount(mask);
}

static inline void vec_pack(CELL *to, vec v, uint32_t mask, const struct vec_packing *p)
{
	__m256i x = (__m256i)v;

	if (sizeof(CELL) == 4) {
		__m256i lanes = _mm256_cvtepu8_epi32(vec_packing_lanes(p, mask));

		vec_store(to, (vec)_mm256_permutevar8x32_epi32(x, lanes));
		return;
	}
	to += vec_pack_half(to, _mm256_castsi256_si128(x), mask & 0xff, p);
	vec_pack_half(to, _mm256_extracti128_si256(x, 1), mask >> 8, p);
}

#else

static inline vec vec_max(vec a, vec b)
{
	vec larger = (vec)(a > b);

	return (a & larger) | (b & ~larger);
}

static inline uint32_t vec_nonzero(vec v)
{
	uint32_t bits = 0;

	for (int i = 0; i < LANES; i++)
		bits |= (uint32_t)(v[i] != 0) << i;
	return bits;
}

static inline uint32_t vec_below(vec a, vec b)
{
	return vec_nonzero((vec)(a < b));
}

static inline void vec_pack(CELL *to, vec v, uint32_t mask, const struct vec_packing *p)
{
	(void)p;
	for (int i = 0; i < LANES; i++) {
		*to = v[i];
		to += mask >> i & 1;
	}
}

#endif
