/* Gathering in words: of each word the bits that are kept, pushed together. */
#include <string.h>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include "algorithms/gboa/steps_parts.h"

struct gathering {
	const struct boa_data *from;
	const uint64_t *kept; /* a bit an individual, 64 of them a word */
	int32_t words;        /* of 64 */
	uint32_t *to;
	size_t to_stride;
};

/* Bits of x at the ones of the mask, pushed together. */
static inline uint64_t compress(uint64_t x, uint64_t mask)
{
#if defined(__BMI2__)
	return _pext_u64(x, mask);
#else
	uint64_t bits = 0;

	for (int n = 0; mask; n++, mask &= mask - 1)
		bits |= (x >> __builtin_ctzll(mask) & 1) << n;
	return bits;
#endif
}

/* A row of 32-bit words may end in half a word. */
static inline uint64_t load_word(const uint32_t *row, size_t w, size_t row_words)
{
	uint64_t high = 2 * w + 1 < row_words ? row[2 * w + 1] : 0;

	return high << 32 | row[2 * w];
}

static void gather_row(const struct gathering *g, const uint32_t *from, uint32_t *to)
{
	size_t from_words = boa_words(g->from->count);
	uint64_t buffer = 0;
	int filled = 0;

	for (int32_t w = 0; w < g->words; w++) {
		uint64_t bits = compress(load_word(from, (size_t)w, from_words), g->kept[w]);
		int count = __builtin_popcountll(g->kept[w]);

		buffer |= bits << filled;
		if (filled + count < 64) {
			filled += count;
			continue;
		}
		memcpy(to, &buffer, sizeof(buffer));
		to += 2;
		buffer = filled ? bits >> (64 - filled) : 0;
		filled += count - 64;
	}
	memcpy(to, &buffer, (size_t)(filled + 31) / 32 * sizeof(*to));
}

static void gather_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct gathering *g = context;

	(void)thread;
	for (uint64_t v = from; v < to; v++)
		gather_row(g, g->from->words + v * g->from->stride, g->to + v * g->to_stride);
}

void boa_gather_wide(const struct boa_data *from, const int32_t *positions, int32_t count,
		     uint32_t *to, size_t to_stride, struct team *w)
{
	uint64_t kept[BOA_POPULATION_MAX / 64];
	struct gathering g = { from, kept, (from->count + 63) / 64, to, to_stride };

	memset(kept, 0, (size_t)g.words * sizeof(*kept));
	for (int32_t i = 0; i < count; i++)
		kept[positions[i] / 64] |= 1ull << positions[i] % 64;
	team_for(w, (uint64_t)from->n, 16, gather_part, &g);
}
