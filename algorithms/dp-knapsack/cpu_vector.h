/* Vectors of CELL through the compiler's vector types; only the maximum needs an intrinsic where
 * the compiler does not find the instruction itself. Private to cpu_cells_body.h, which defines
 * CELL.
 *
 * 32 bytes also where 64 are to be had: half the loads here cross a cache line at 64 bytes and only
 * a part of them at 32, and a core that splits wide stores loses its second load port (measured:
 * docs/lab-notes/dp-knapsack.md). What AVX-512 still gives is twice the registers, and a 64-bit
 * maximum. */
#if defined(__AVX2__)
#include <immintrin.h>
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif
enum { LANES = VEC_BYTES / (int)sizeof(CELL) };

/* Aligned to a cell only: loads and stores are at any d. */
typedef CELL vec __attribute__((vector_size(VEC_BYTES), aligned(sizeof(CELL)), may_alias));

static inline vec vec_max(vec a, vec b)
{
#if defined(__AVX2__)
	if (sizeof(CELL) == 4)
		return (vec)_mm256_max_epi32((__m256i)a, (__m256i)b);
#endif
#if defined(__AVX512VL__)
	return (vec)_mm256_max_epi64((__m256i)a, (__m256i)b);
#else
	vec larger = a > b;

	return (a & larger) | (b & ~larger);
#endif
}

static inline vec vec_all(CELL x)
{
	return (vec){ 0 } + x;
}

static inline vec vec_load(const CELL *p)
{
	return *(const vec *)p;
}

static inline void vec_store(CELL *p, vec v)
{
	*(vec *)p = v;
}

/* Lanes 0..n-1 set. */
static inline vec vec_first(int64_t n)
{
	vec v = { 0 };

	for (int i = 0; i < LANES; i++)
		v[i] = i < n ? (CELL)-1 : 0;
	return v;
}

/* Stores only the lanes set in `mask`; the others keep what memory holds. */
static inline void vec_store_some(CELL *p, vec v, vec mask)
{
	vec_store(p, (v & mask) | (vec_load(p) & ~mask));
}

/* One bit a lane of a comparison's result. */
static inline unsigned vec_bits(vec m)
{
#if defined(__AVX2__)
	if (sizeof(CELL) == 4)
		return (unsigned)_mm256_movemask_ps((__m256)m);
	return (unsigned)_mm256_movemask_pd((__m256d)m);
#else
	unsigned bits = 0;

	for (int i = 0; i < LANES; i++)
		bits |= (unsigned)(m[i] & 1) << i;
	return bits;
#endif
}
