/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/hboa/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/network.h"
#include "algorithms/gboa/boa/vectors.h"

/* ---- models ---- */

int hboa_model_create(struct hboa_model *m, int32_t n, struct err *e)
{
	*m = (struct hboa_model){
		.n = n,
		.rank = calloc((size_t)n, sizeof(*m->rank)),
		.order = calloc((size_t)n, sizeof(*m->order)),
		.graph = calloc((size_t)n, sizeof(*m->graph)),
	};
	if (m->rank && m->order && m->graph)
		return 0;
	hboa_model_destroy(m);
	return err_set(e, ERR_MEMORY, "no memory for %d decision graphs", n);
}

void hboa_model_destroy(struct hboa_model *m)
{
	free(m->rank);
	free(m->order);
	free(m->graph);
	*m = (struct hboa_model){ 0 };
}

int hboa_set_order(struct hboa_model *m, uint64_t seed, uint32_t generation, struct err *e)
{
	int status = boa_permutation(seed, generation, m->n, m->rank, e);

	for (int32_t v = 0; !status && v < m->n; v++)
		m->order[m->rank[v]] = v;
	return status;
}

static bool asked_before(const struct hboa_graph *g, int32_t split)
{
	for (int32_t s = 0; s < split; s++)
		if (g->split[s].variable == g->split[split].variable)
			return true;
	return false;
}

int64_t hboa_edges(const struct hboa_model *m)
{
	int64_t edges = 0;

	for (int32_t v = 0; v < m->n; v++)
		for (int32_t s = 0; s < m->graph[v].splits; s++)
			edges += !asked_before(&m->graph[v], s);
	return edges;
}

static void redirect(struct hboa_graph *g, int32_t from, int32_t to)
{
	for (int32_t s = 0; s < g->splits; s++)
		for (int x = 0; x < 2; x++)
			if (g->split[s].child[x] == from)
				g->split[s].child[x] = (int16_t)to;
}

void hboa_graph_split(struct hboa_graph *g, int32_t leaf, int32_t variable)
{
	redirect(g, -1 - leaf, g->splits);
	g->split[g->splits].variable = variable;
	g->split[g->splits].child[0] = (int16_t)(-1 - leaf);
	g->split[g->splits].child[1] = (int16_t)(-1 - g->leaves);
	g->splits++;
	g->leaves++;
}

void hboa_graph_merge(struct hboa_graph *g, int32_t leaf, int32_t other)
{
	redirect(g, -1 - other, -1 - leaf);
	g->leaves--;
	redirect(g, -1 - g->leaves, -1 - other);
}

/* ---- sampling ---- */

struct sampling {
	const struct hboa_model *model;
	uint64_t seed;
	uint32_t generation;
	uint32_t *words;
	size_t stride;
};

/* ---- one individual at a time ---- */

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

/* ---- 32 individuals in a word, one word in each lane ---- */

/* Finds the individuals that reach each leaf. */
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
		vec u = vec_load_some(s->words + (size_t)g->split[i].variable * s->stride + word,
				      lanes);

		for (int x = 0; x < 2; x++) {
			int32_t child = g->split[i].child[x];

			*(child < 0 ? &leaf[-1 - child] : &split[child]) |= split[i] & (x ? u : ~u);
		}
	}
}

/* Sets digit[d] to digit d of the threshold of each individual. Returns the individuals whose
 * threshold is BOA_ONE. */
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
	vec_store_some(s->words + (size_t)v * s->stride + word, ones, lanes);
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
