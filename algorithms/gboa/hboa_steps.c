/* Selection and sampling of hierarchical BOA on the host. */
#include "algorithms/gboa/hboa.h"
#include "algorithms/gboa/steps_vector.h"

struct selection {
	const struct boa_options *options;
	uint64_t seed;
	uint32_t generation;
	const int32_t *fitness;
	int32_t *slots;
};

static void hold_tournaments(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct selection *s = context;
	uint32_t population = (uint32_t)s->options->population;

	(void)thread;
	for (uint32_t j = (uint32_t)from; j < to; j++) {
		struct philox4 draws = { { 0 } };
		int32_t winner = -1;

		for (uint32_t d = 0; d < (uint32_t)s->options->tournament; d++) {
			if (d % 4 == 0)
				draws = hboa_contestants(s->seed, s->generation, j, d / 4);
			int32_t slot = (int32_t)hboa_below(draws.word[d % 4], population);

			if (winner < 0 || s->fitness[slot] > s->fitness[winner])
				winner = slot;
		}
		s->slots[j] = winner;
	}
}

void hboa_select(const struct boa_options *o, uint64_t seed, uint32_t generation,
		 const int32_t *fitness, int32_t *slots, struct team *w)
{
	struct selection s = { o, seed, generation, fitness, slots };

	team_for(w, (uint64_t)o->selected, 64, hold_tournaments, &s);
}

struct sampling {
	const struct hboa_model *model;
	uint64_t seed;
	uint32_t generation;
	uint32_t *words;
	size_t stride;
};

/* ---- an individual after the other ---- */

static uint32_t threshold_of(const struct sampling *s, int32_t v, size_t individual)
{
	const struct hboa_graph *g = &s->model->graph[v];
	int32_t at = g->splits ? 0 : -1;

	while (at >= 0) {
		const uint32_t *u = s->words + (size_t)g->split[at].variable * s->stride;

		at = g->split[at].child[u[individual / 32] >> individual % 32 & 1];
	}
	return g->threshold[-1 - at];
}

static void sample_plain(const struct sampling *s, int32_t v, size_t word)
{
	uint32_t digit[BOA_DIGITS], bits = 0;

	for (uint32_t q = 0; q < BOA_DIGITS / 4; q++) {
		struct philox4 r =
			boa_digits(s->seed, s->generation, (uint32_t)v, (uint32_t)word, q);

		for (uint32_t i = 0; i < 4; i++)
			digit[4 * q + i] = r.word[i];
	}
	for (uint32_t b = 0; b < 32; b++) {
		uint32_t u = 0;

		for (uint32_t d = 0; d < BOA_DIGITS; d++)
			u = u << 1 | (digit[d] >> b & 1);
		bits |= (uint32_t)(u < threshold_of(s, v, 32 * word + b)) << b;
	}
	s->words[(size_t)v * s->stride + word] = bits;
}

/* ---- 32 individuals a word, a word a lane ---- */

/* Which individuals come to each leaf. */
static void find_leaves(const struct sampling *s, const struct hboa_graph *g, size_t word,
			size_t lanes, vec *leaf)
{
	vec split[HBOA_SPLITS_MAX], none = { 0 };

	for (int32_t l = 0; l < g->leaves; l++)
		leaf[l] = none;
	for (int32_t i = 0; i < g->splits; i++)
		split[i] = none;
	*(g->splits ? &split[0] : &leaf[0]) = ~none;
	for (int32_t i = 0; i < g->splits; i++) {
		vec u = vec_load(s->words + (size_t)g->split[i].variable * s->stride + word, lanes);

		for (int x = 0; x < 2; x++) {
			int32_t child = g->split[i].child[x];

			*(child < 0 ? &leaf[-1 - child] : &split[child]) |= split[i] & (x ? u : ~u);
		}
	}
}

/* digit[d] of each individual's threshold; returns those whose threshold is BOA_ONE. */
static vec find_thresholds(const struct hboa_graph *g, const vec *leaf, vec digit[BOA_DIGITS])
{
	vec certain = { 0 };

	for (int d = 0; d < BOA_DIGITS; d++)
		digit[d] = vec_all(0);
	for (int32_t l = 0; l < g->leaves; l++) {
		certain |= leaf[l] & vec_all(-(g->threshold[l] >> BOA_DIGITS));
		for (int d = 0; d < BOA_DIGITS; d++)
			digit[d] |=
				leaf[l] & vec_all(-(g->threshold[l] >> (BOA_DIGITS - 1 - d) & 1));
	}
	return certain;
}

static void sample_lanes(const struct sampling *s, int32_t v, size_t word, size_t lanes)
{
	const struct hboa_graph *g = &s->model->graph[v];
	vec leaf[HBOA_LEAVES_MAX], threshold[BOA_DIGITS], digit[4], number, ones,
		open = vec_all(~0u);

	for (uint32_t k = 0; k < VEC_LANES; k++)
		number[k] = (uint32_t)word + k;
	find_leaves(s, g, word, lanes, leaf);
	ones = find_thresholds(g, leaf, threshold);
	for (uint32_t d = 0; d < BOA_DIGITS; d++) {
		if (d % 4 == 0)
			vec_digits(s->seed, s->generation, (uint32_t)v, number, d / 4, digit);
		ones |= open & threshold[d] & ~digit[d % 4];
		open &= ~(threshold[d] ^ digit[d % 4]);
	}
	vec_store(s->words + (size_t)v * s->stride + word, ones, lanes);
}

static void sample_words(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct sampling *s = context;

	(void)thread;
	for (size_t word = from; word < to; word += VEC_LANES)
		for (int32_t r = 0; r < s->model->n; r++)
			sample_lanes(s, s->model->order[r], word,
				     to - word < VEC_LANES ? to - word : VEC_LANES);
}

void hboa_sample(const struct hboa_model *m, uint64_t seed, uint32_t generation, int32_t count,
		 uint32_t *words, size_t stride, bool plain, struct team *w)
{
	struct sampling s = { m, seed, generation, words, stride };
	size_t row = boa_words(count);

	if (!plain) {
		team_for(w, row, VEC_LANES, sample_words, &s);
		return;
	}
	for (size_t word = 0; word < row; word++)
		for (int32_t r = 0; r < m->n; r++)
			sample_plain(&s, m->order[r], word);
}
