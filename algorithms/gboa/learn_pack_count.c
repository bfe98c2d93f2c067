/* Counting: for each word of a set that is broadcast and a vector of candidates' words, one AND,
 * one population count, one addition. */
#include "algorithms/gboa/learn_packed.h"
#include "algorithms/gboa/learn_vector.h"

/* As many sets and vectors of candidates together as accumulators and operands have registers. */
enum { SETS = 4, VECTORS = VEC_REGISTERS == 32 ? 4 : 2, TILE_VECTORS = PACK_TILE / VEC_LANES };

__attribute__((always_inline)) static inline void
count_block(const uint32_t *tile, size_t words, const struct pack_job *job, size_t first_word,
	    size_t first_candidate, int sets, int vectors)
{
	vec sum[SETS][VECTORS];

	for (int s = 0; s < sets; s++)
		for (int v = 0; v < vectors; v++)
			sum[s][v] = (vec){ 0 };
	for (size_t w = 0; w < words; w++) {
		vec candidate[VECTORS];

		for (int v = 0; v < vectors; v++)
			candidate[v] = vec_load(tile + w * PACK_TILE + v * VEC_LANES);
		for (int s = 0; s < sets; s++) {
			vec set = vec_all(job[s].set[first_word + w]);

			for (int v = 0; v < vectors; v++)
				sum[s][v] += vec_count(set & candidate[v]);
		}
	}
	for (int s = 0; s < sets; s++)
		for (int v = 0; v < vectors; v++) {
			uint32_t *to = job[s].counts + first_candidate + v * VEC_LANES;

			vec_store(to, vec_load(to) + sum[s][v]);
		}
}

__attribute__((always_inline)) static inline void
count_sets(const uint32_t *tile, size_t words, const struct pack_job *job, size_t first_word,
	   size_t first_candidate, int sets, int vectors)
{
	int v = 0;

	for (; v + VECTORS <= vectors; v += VECTORS)
		count_block(tile + v * VEC_LANES, words, job, first_word,
			    first_candidate + (size_t)(v * VEC_LANES), sets, VECTORS);
	switch (vectors - v) {
#define REST(r)                                                                                    \
	case r:                                                                                    \
		count_block(tile + v * VEC_LANES, words, job, first_word,                          \
			    first_candidate + (size_t)(v * VEC_LANES), sets, r);                   \
		break;
		REST(1)
#if defined(VEC_512)
		REST(2)
		REST(3)
#endif
#undef REST
	default:
		break;
	}
}

void pack_count(const struct pack *p, int32_t candidates, const struct pack_job *job, int jobs)
{
	for (int32_t first = 0; first < candidates; first += PACK_TILE) {
		const uint32_t *tile = p->tiles + (size_t)first * p->words;
		int32_t left = candidates - first;
		int vectors = left >= PACK_TILE ? TILE_VECTORS : (left + VEC_LANES - 1) / VEC_LANES;

		for (size_t w = 0; w < p->words; w += PACK_WORDS) {
			size_t words = p->words - w < PACK_WORDS ? p->words - w : PACK_WORDS;
			const uint32_t *from = tile + w * PACK_TILE;
			int j = 0;

			for (; j + SETS <= jobs; j += SETS)
				count_sets(from, words, job + j, w, (size_t)first, SETS, vectors);
			for (; j < jobs; j++)
				count_sets(from, words, job + j, w, (size_t)first, 1, vectors);
		}
	}
}
