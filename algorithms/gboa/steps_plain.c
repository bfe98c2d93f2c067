/* The steps as a user would write them: an individual after the other, one thread. */
#include <string.h>

#include "algorithms/gboa/random.h"
#include "algorithms/gboa/steps_parts.h"

void boa_gather_plain(const struct boa_data *from, const int32_t *positions, int32_t count,
		      uint32_t *to, size_t to_stride)
{
	for (int32_t v = 0; v < from->n; v++) {
		uint32_t *row = to + (size_t)v * to_stride;

		memset(row, 0, boa_words(count) * sizeof(*row));
		for (int32_t i = 0; i < count; i++)
			row[i / 32] |= (uint32_t)boa_bit(from, v, positions[i]) << i % 32;
	}
}

/* The random numbers of 32 individuals: digit words, turned into a number each. */
static void draw(const struct boa_sampling *s, uint32_t variable, uint32_t word, uint32_t u[32])
{
	memset(u, 0, 32 * sizeof(*u));
	for (uint32_t q = 0; q < BOA_DIGITS / 4; q++) {
		struct philox4 r = boa_digits(s->seed, s->generation, variable, word, q);

		for (uint32_t i = 0; i < 4; i++)
			for (uint32_t b = 0; b < 32; b++)
				u[b] = u[b] << 1 | (r.word[i] >> b & 1);
	}
}

static uint32_t configuration(const struct boa_sampling *s, int32_t variable, size_t word,
			      uint32_t b)
{
	const struct boa_network *net = s->network;
	const int32_t *parent = net->parents + (size_t)variable * (size_t)net->k;
	uint32_t a = 0;

	for (int32_t r = 0; r < net->parent_count[variable]; r++)
		a |= (s->words[(size_t)parent[r] * s->stride + word] >> b & 1) << r;
	return a;
}

static void sample_word(const struct boa_sampling *s, size_t word)
{
	const struct boa_network *net = s->network;
	uint32_t u[32];

	for (int32_t r = 0; r < net->n; r++) {
		int32_t v = s->order[r];
		const uint32_t *threshold = net->thresholds + ((size_t)v << net->k);
		uint32_t bits = 0;

		draw(s, (uint32_t)v, (uint32_t)word, u);
		for (uint32_t b = 0; b < 32; b++)
			bits |= (uint32_t)(u[b] < threshold[configuration(s, v, word, b)]) << b;
		s->words[(size_t)v * s->stride + word] = bits;
	}
}

void boa_sample_plain(const struct boa_sampling *s)
{
	for (size_t word = 0; word < s->row; word++)
		sample_word(s, word);
}

void boa_evaluate_plain(const struct boa_evaluation *v)
{
	for (int32_t i = 0; i < v->count; i++)
		v->fitness[i] =
			fitness_of(&v->view, v->words + i / 32, v->stride, (uint32_t)i % 32);
}
