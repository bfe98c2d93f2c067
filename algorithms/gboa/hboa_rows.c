/* Individuals row by row, for distances, from and to the layout by variable: squares of 32 bits. */
#include <stdlib.h>

#include "algorithms/gboa/hboa.h"

int hboa_rows_create(struct hboa_rows *r, int32_t n, int32_t count, struct err *e)
{
	size_t stride = ((size_t)n + 63) / 64;

	*r = (struct hboa_rows){ n, count, stride,
				 calloc(stride * (size_t)count, sizeof(uint64_t)) };
	if (!r->words)
		return err_set(e, ERR_MEMORY, "no memory for %d individuals of %d variables", count,
			       n);
	return 0;
}

void hboa_rows_destroy(struct hboa_rows *r)
{
	free(r->words);
	*r = (struct hboa_rows){ 0 };
}

/* Bit j of word i becomes bit i of word j (Warren, "Hacker's Delight", 7-3, here from the low end).
 */
static void transpose(uint32_t square[32])
{
	uint32_t mask = 0x0000ffff;

	for (int half = 16; half; half >>= 1, mask ^= mask << half)
		for (int i = 0; i < 32; i = ((i | half) + 1) & ~half) {
			uint32_t swap = (square[i] >> half ^ square[i | half]) & mask;

			square[i] ^= swap << half;
			square[i | half] ^= swap;
		}
}

struct turning {
	const struct hboa_rows *rows;
	uint64_t *to;
	uint32_t *words;
	const uint32_t *from;
	const int32_t *slots;
	size_t stride;
};

static int32_t squares_height(int32_t n, int32_t v)
{
	return n - v < 32 ? n - v : 32;
}

static void from_words(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct turning *t = context;
	const struct hboa_rows *r = t->rows;

	(void)thread;
	for (uint64_t w = from; w < to; w++)
		for (int32_t v = 0; v < r->n; v += 32) {
			uint32_t square[32] = { 0 };

			for (int32_t i = 0; i < squares_height(r->n, v); i++)
				square[i] = t->from[(size_t)(v + i) * t->stride + w];
			transpose(square);
			for (size_t i = 0; i < 32; i++) {
				uint64_t *row = t->to + (32 * w + i) * r->stride + v / 64;

				*row = v % 64 ? *row | (uint64_t)square[i] << 32 : square[i];
			}
		}
}

void hboa_rows_from(struct hboa_rows *r, const uint32_t *words, size_t stride, struct team *w)
{
	struct turning t = { .rows = r, .to = r->words, .from = words, .stride = stride };

	team_for(w, (uint64_t)r->count / 32, 1, from_words, &t);
}

static void to_words(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct turning *t = context;
	const struct hboa_rows *r = t->rows;

	(void)thread;
	for (uint64_t w = from; w < to; w++)
		for (int32_t v = 0; v < r->n; v += 32) {
			uint32_t square[32];

			for (size_t i = 0; i < 32; i++) {
				size_t slot = t->slots ? (size_t)t->slots[32 * w + i] : 32 * w + i;

				square[i] =
					(uint32_t)(r->words[slot * r->stride + (size_t)v / 64] >>
						   v % 64);
			}
			transpose(square);
			for (int32_t i = 0; i < squares_height(r->n, v); i++)
				t->words[(size_t)(v + i) * t->stride + w] = square[i];
		}
}

void hboa_rows_to(const struct hboa_rows *r, const int32_t *slots, int32_t count, uint32_t *words,
		  size_t stride, struct team *w)
{
	struct turning t = { .rows = r, .slots = slots, .words = words, .stride = stride };

	team_for(w, (uint64_t)count / 32, 1, to_words, &t);
}
