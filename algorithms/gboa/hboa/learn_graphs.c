/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/hboa/learn_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/network.h"
#include "algorithms/gboa/boa/vectors.h"

/* ---- the greedy construction of one graph ---- */

/* Individuals of a leaf with v = 0 and with v = 1. */
struct counts {
	uint32_t zeros, ones;
};

struct leaves {
	void *keeper;
	/* The best split of the leaf as an hboa_operator(), or 0. */
	uint64_t (*best_split)(void *keeper, int32_t leaf, struct counts here);
	/* Moves the individuals of the leaf with u = 1 to the new leaf `there` and returns their
	 * counts. */
	struct counts (*split)(void *keeper, int32_t leaf, int32_t u, int32_t there);
	/* Moves the individuals of `other` to `leaf`, and then those of `last` to `other` unless
	 * last is other. */
	void (*merge)(void *keeper, int32_t leaf, int32_t other, int32_t last);
};

struct rules {
	const uint32_t *ln_factorial;
	uint32_t penalty;
	bool merges;
	enum boa_smoothing smoothing;
};

struct growth {
	const struct rules *rules;
	const struct leaves *leaves;
	struct hboa_graph *graph;
	uint32_t zeros[HBOA_LEAVES_MAX], ones[HBOA_LEAVES_MAX];
	uint64_t split[HBOA_LEAVES_MAX]; /* the best split of each leaf */
};

static void set_leaf(struct growth *w, int32_t leaf, uint32_t zeros, uint32_t ones)
{
	const struct rules *r = w->rules;

	w->zeros[leaf] = zeros;
	w->ones[leaf] = ones;
	w->split[leaf] = 0;
	if (hboa_worth_a_split(r->ln_factorial, zeros, ones, r->penalty))
		w->split[leaf] = w->leaves->best_split(w->leaves->keeper, leaf,
						       (struct counts){ zeros, ones });
}

static uint64_t best_merge(const struct growth *w)
{
	const struct rules *r = w->rules;
	uint64_t best = 0;

	for (int32_t l = 0; l < w->graph->leaves; l++)
		for (int32_t m = l + 1; m < w->graph->leaves; m++) {
			uint64_t op = hboa_merge_operator(r->ln_factorial, w->zeros, w->ones,
							  (uint32_t)l, (uint32_t)m, r->penalty);

			best = op > best ? op : best;
		}
	return best;
}

static uint64_t best_operator(const struct growth *w)
{
	uint64_t best = w->rules->merges ? best_merge(w) : 0;

	for (int32_t l = 0; l < w->graph->leaves; l++)
		best = w->split[l] > best ? w->split[l] : best;
	return best;
}

static void apply_split(struct growth *w, int32_t leaf, int32_t u)
{
	int32_t there = w->graph->leaves;
	struct counts gone = w->leaves->split(w->leaves->keeper, leaf, u, there);

	hboa_graph_split(w->graph, leaf, u);
	set_leaf(w, leaf, w->zeros[leaf] - gone.zeros, w->ones[leaf] - gone.ones);
	set_leaf(w, there, gone.zeros, gone.ones);
}

static void apply_merge(struct growth *w, int32_t leaf, int32_t other)
{
	int32_t last = w->graph->leaves - 1;
	uint32_t zeros = w->zeros[leaf] + w->zeros[other], ones = w->ones[leaf] + w->ones[other];
	uint64_t moved = w->split[last];

	w->leaves->merge(w->leaves->keeper, leaf, other, last);
	hboa_graph_merge(w->graph, leaf, other);
	w->zeros[other] = w->zeros[last];
	w->ones[other] = w->ones[last];
	w->split[other] = hboa_operator(hboa_operator_gain(moved), 0, (uint32_t)other,
					hboa_operator_other(moved));
	set_leaf(w, leaf, zeros, ones);
}

static void grow_graph(struct hboa_graph *g, const struct rules *r, const struct leaves *l,
		       struct counts all)
{
	struct growth w = { .rules = r, .leaves = l, .graph = g };
	uint64_t op;

	g->splits = 0;
	g->leaves = 1;
	set_leaf(&w, 0, all.zeros, all.ones);
	while (g->splits < HBOA_SPLITS_MAX && (op = best_operator(&w))) {
		int32_t leaf = (int32_t)hboa_operator_leaf(op);
		int32_t other = (int32_t)hboa_operator_other(op);

		if (hboa_operator_merges(op))
			apply_merge(&w, leaf, other);
		else
			apply_split(&w, leaf, other);
	}
	for (int32_t leaf = 0; leaf < g->leaves; leaf++)
		g->threshold[leaf] =
			boa_threshold(w.ones[leaf], w.zeros[leaf] + w.ones[leaf], r->smoothing);
}

/* ---- serial: counting individual by individual ---- */

struct plain_learner {
	int32_t n, count;
	struct rules rules;
	uint8_t *value;   /* count x n */
	int16_t *leaf;    /* count: the leaf of each individual in the graph being built */
	int32_t *members; /* count: the individuals of one leaf */
	int32_t variable;
	const int32_t *rank;
	const struct boa_limit *limit; /* NULL: none */
};

static void plain_destroy(struct plain_learner *p)
{
	if (!p)
		return;
	free(p->value);
	free(p->leaf);
	free(p->members);
	free(p);
}

static int plain_create(struct plain_learner **out, int32_t n, int32_t count,
			const struct rules *rules, struct err *e)
{
	struct plain_learner *p = calloc(1, sizeof(*p));
	size_t individuals = (size_t)count;

	*out = p;
	if (p)
		*p = (struct plain_learner){ .n = n,
					     .count = count,
					     .rules = *rules,
					     .value = malloc(individuals * (size_t)n),
					     .leaf = malloc(individuals * sizeof(int16_t)),
					     .members = malloc(individuals * sizeof(int32_t)) };
	if (p && p->value && p->leaf && p->members)
		return 0;
	plain_destroy(p);
	*out = NULL;
	return err_set(e, ERR_MEMORY, "no memory to learn from %d individuals", count);
}

static bool is_over(const struct plain_learner *p)
{
	return p->limit && boa_limit_reached(p->limit);
}

/* Checks the stop flag but not the clock: cheap enough for an inner loop. */
static bool is_stopped(const struct plain_learner *p)
{
	return p->limit && p->limit->stop && *p->limit->stop;
}

static uint8_t value_of(const struct plain_learner *p, int32_t individual, int32_t variable)
{
	return p->value[(size_t)individual * (size_t)p->n + (size_t)variable];
}

static int32_t find_members(struct plain_learner *p, int32_t leaf)
{
	int32_t found = 0;

	for (int32_t i = 0; i < p->count; i++)
		if (p->leaf[i] == leaf)
			p->members[found++] = i;
	return found;
}

static uint64_t plain_best_split(void *keeper, int32_t leaf, struct counts here)
{
	struct plain_learner *p = keeper;
	int32_t members = find_members(p, leaf);
	uint64_t best = 0;

	for (int32_t u = 0; u < p->n && !is_stopped(p); u++) {
		uint32_t count[2][2] = { 0 };

		if (p->rank[u] >= p->rank[p->variable])
			continue;
		for (int32_t i = 0; i < members; i++)
			count[value_of(p, p->members[i], u)]
			     [value_of(p, p->members[i], p->variable)]++;
		uint64_t op =
			hboa_operator(hboa_split_gain(p->rules.ln_factorial, here.zeros, here.ones,
						      count[1][0], count[1][1], p->rules.penalty),
				      0, (uint32_t)leaf, (uint32_t)u);
		best = op > best ? op : best;
	}
	return best;
}

static struct counts plain_split(void *keeper, int32_t leaf, int32_t u, int32_t there)
{
	struct plain_learner *p = keeper;
	uint32_t count[2] = { 0 };

	for (int32_t i = 0; i < p->count; i++)
		if (p->leaf[i] == leaf && value_of(p, i, u)) {
			p->leaf[i] = (int16_t)there;
			count[value_of(p, i, p->variable)]++;
		}
	return (struct counts){ count[0], count[1] };
}

static void plain_merge(void *keeper, int32_t leaf, int32_t other, int32_t last)
{
	struct plain_learner *p = keeper;

	for (int32_t i = 0; i < p->count; i++)
		if (p->leaf[i] == other)
			p->leaf[i] = (int16_t)leaf;
		else if (p->leaf[i] == last)
			p->leaf[i] = (int16_t)other;
}

static void plain_grow(struct plain_learner *p, struct hboa_graph *g)
{
	struct leaves leaves = { p, plain_best_split, plain_split, plain_merge };
	struct counts all = { 0, 0 };

	memset(p->leaf, 0, (size_t)p->count * sizeof(*p->leaf));
	for (int32_t i = 0; i < p->count; i++)
		all.ones += value_of(p, i, p->variable);
	all.zeros = (uint32_t)p->count - all.ones;
	grow_graph(g, &p->rules, &leaves, all);
}

static void plain_learn(struct plain_learner *p, const struct boa_data *d, struct hboa_model *m)
{
	for (int32_t i = 0; i < p->count && !is_over(p); i++)
		for (int32_t v = 0; v < p->n; v++)
			p->value[(size_t)i * (size_t)p->n + (size_t)v] = (uint8_t)boa_bit(d, v, i);
	p->rank = m->rank;
	for (p->variable = 0; p->variable < p->n && !is_over(p); p->variable++)
		plain_grow(p, &m->graph[p->variable]);
}

/* ---- cpu: counting in words ---- */

/* A leaf is a mask of individuals, and the counts of a split by u are two popcounts with that mask.
 * Columns are in the order of the ranks, so the candidates of a variable are the columns before its
 * own. The variables are divided among the threads. */

enum { LINE = 8 }; /* 64-bit words of a cache line and of the widest vector */

/* The working memory of a thread for one graph. */
struct growing {
	const struct packed_learner *all;
	uint64_t *mask; /* leaves x words */
	uint64_t *ones; /* words: individuals of the leaf being counted with v = 1 */
	/* leaves x n: individuals of the leaf with candidate u = 1, and those of them with v = 1.
	 * Computed only for leaves that are worth a split. */
	uint32_t *there, *ones_there;
	bool known[HBOA_LEAVES_MAX];
	/* The two leaves of the last split, while only the counts of the leaf before the split are
	 * known (stored at `old`). One of the two will be counted; the other is the difference. -1:
	 * none. */
	int32_t old, new;
	int32_t *gain; /* n */
	int32_t rank;  /* of v */
};

struct packed_learner {
	int32_t n, count;
	size_t words;  /* of a column, a multiple of LINE */
	size_t stride; /* n, rounded up to whole vectors */
	struct rules rules;
	struct team *team;
	int threads;
	uint64_t *column;               /* n x words, by rank; bits beyond count are 0 */
	const int32_t *rank, *variable; /* n: rank and order of the model being learned (`variable`
					   is indexed by rank) */
	struct growing *growing;        /* threads */
	struct hboa_graph *graph;       /* n: the graphs of that model */
	const struct boa_limit *limit;  /* NULL: none */
};

static void *lines(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 63)
		return NULL;
	return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static bool prepare(struct growing *w, const struct packed_learner *p)
{
	*w = (struct growing){ .all = p,
			       .mask = lines(HBOA_LEAVES_MAX * p->words, sizeof(uint64_t)),
			       .ones = lines(p->words, sizeof(uint64_t)),
			       .there = lines(HBOA_LEAVES_MAX * p->stride, sizeof(uint32_t)),
			       .ones_there = lines(HBOA_LEAVES_MAX * p->stride, sizeof(uint32_t)),
			       .gain = lines(p->stride, sizeof(int32_t)) };
	return w->mask && w->ones && w->there && w->ones_there && w->gain;
}

static void packed_destroy(struct packed_learner *p)
{
	if (!p)
		return;
	for (int t = 0; t < p->threads; t++) {
		free(p->growing[t].mask);
		free(p->growing[t].ones);
		free(p->growing[t].there);
		free(p->growing[t].ones_there);
		free(p->growing[t].gain);
	}
	free(p->column);
	free(p->growing);
	free(p);
}

static int packed_create(struct packed_learner **out, int32_t n, int32_t count,
			 const struct rules *rules, struct team *w, struct err *e)
{
	struct packed_learner *p = calloc(1, sizeof(*p));
	int threads = w ? team_threads(w) : 1;
	bool there = p;

	*out = NULL;
	if (p) {
		*p = (struct packed_learner){ .n = n, .count = count, .rules = *rules, .team = w };
		p->words = (boa_words(count) + 2 * LINE - 1) / (2 * LINE) * LINE;
		p->stride = ((size_t)n + VEC_LANES - 1) / VEC_LANES * VEC_LANES;
		p->column = lines((size_t)n * p->words, sizeof(uint64_t));
		p->growing = calloc((size_t)threads, sizeof(*p->growing));
		there = p->column && p->growing;
		for (int t = 0; there && t < threads; t++, p->threads++)
			there = prepare(&p->growing[t], p);
		if (there) {
			*out = p;
			return 0;
		}
		p->threads += p->threads < threads && p->growing;
	}
	packed_destroy(p);
	return err_set(e, ERR_MEMORY, "no memory to learn %d variables from %d individuals", n,
		       count);
}

/* Counts the individuals of `leaf` (in the low half of the result) and of `ones` (in the high half)
 * whose bit in the column is set. */
#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512F__)
static uint64_t count_both(const uint64_t *column, const uint64_t *leaf, const uint64_t *ones,
			   size_t words)
{
	__m512i low = _mm512_setzero_si512(), high = low;

	for (size_t w = 0; w < words; w += LINE) {
		__m512i x = _mm512_load_si512(column + w);

		low = _mm512_add_epi64(
			low, _mm512_popcnt_epi64(_mm512_and_si512(x, _mm512_load_si512(leaf + w))));
		high = _mm512_add_epi64(high, _mm512_popcnt_epi64(_mm512_and_si512(
						      x, _mm512_load_si512(ones + w))));
	}
	return (uint64_t)_mm512_reduce_add_epi64(
		_mm512_add_epi64(low, _mm512_slli_epi64(high, 32)));
}
#else
static uint64_t count_both(const uint64_t *column, const uint64_t *leaf, const uint64_t *ones,
			   size_t words)
{
	uint64_t low = 0, high = 0;

	for (size_t w = 0; w < words; w++) {
		low += (uint64_t)__builtin_popcountll(column[w] & leaf[w]);
		high += (uint64_t)__builtin_popcountll(column[w] & ones[w]);
	}
	return low + (high << 32);
}
#endif

/* boa_k2_cell lane by lane. */
static inline vec vec_cell(const uint32_t *ln_factorial, vec zeros, vec ones)
{
	vec both = zeros + ones + 1;

	return vec_look_up(ln_factorial, zeros) + vec_look_up(ln_factorial, ones) -
	       vec_look_up(ln_factorial, both);
}

static void count_leaf(struct growing *w, int32_t leaf)
{
	const struct packed_learner *p = w->all;
	const uint64_t *mask = w->mask + (size_t)leaf * p->words;
	const uint64_t *mine = p->column + (size_t)w->rank * p->words;
	uint32_t *there = w->there + (size_t)leaf * p->stride;
	uint32_t *ones_there = w->ones_there + (size_t)leaf * p->stride;

	for (size_t i = 0; i < p->words; i++)
		w->ones[i] = mask[i] & mine[i];
	for (int32_t r = 0; r < w->rank; r++) {
		uint64_t both =
			count_both(p->column + (size_t)r * p->words, mask, w->ones, p->words);

		there[r] = (uint32_t)both;
		ones_there[r] = (uint32_t)(both >> 32);
	}
	w->known[leaf] = true;
}

/* Adds sign x the counts of leaf `from` to those of leaf `to`, for all candidates. */
static void add_counts(struct growing *w, int32_t to, int32_t from, uint32_t sign)
{
	size_t stride = w->all->stride, a = (size_t)to * stride, b = (size_t)from * stride;

	for (size_t r = 0; r < (size_t)w->rank; r++) {
		w->there[a + r] += sign * w->there[b + r];
		w->ones_there[a + r] += sign * w->ones_there[b + r];
	}
}

static void copy_counts(struct growing *w, int32_t to, int32_t from)
{
	size_t stride = w->all->stride, bytes = (size_t)w->rank * sizeof(uint32_t);

	memcpy(w->there + (size_t)to * stride, w->there + (size_t)from * stride, bytes);
	memcpy(w->ones_there + (size_t)to * stride, w->ones_there + (size_t)from * stride, bytes);
}

static void know(struct growing *w, int32_t leaf)
{
	if (leaf == w->old) {
		count_leaf(w, w->new);
		add_counts(w, w->old, w->new, ~0u);
		w->known[w->old] = true;
		w->old = -1;
	} else if (!w->known[leaf]) {
		count_leaf(w, leaf);
	}
}

/* Gains of all candidates, lane by lane; returns the greatest. */
static int32_t find_gains(struct growing *w, int32_t leaf, struct counts here)
{
	const struct packed_learner *p = w->all;
	const uint32_t *ln = p->rules.ln_factorial;
	const uint32_t *there = w->there + (size_t)leaf * p->stride;
	const uint32_t *ones_there = w->ones_there + (size_t)leaf * p->stride;
	const vec less = vec_all(boa_k2_cell(ln, here.zeros, here.ones) + p->rules.penalty);
	int32_t greatest = INT32_MIN;

	for (int32_t r = 0; r < w->rank; r += VEC_LANES) {
		size_t lanes = w->rank - r < VEC_LANES ? (size_t)(w->rank - r) : VEC_LANES;
		vec ones = vec_load_some(ones_there + r, lanes),
		    zeros = vec_load_some(there + r, lanes) - ones;
		vec zeros_here = vec_all(here.zeros) - zeros, ones_here = vec_all(here.ones) - ones;
		vec gain = vec_cell(ln, zeros, ones) + vec_cell(ln, zeros_here, ones_here) - less;

		vec_store_some((uint32_t *)w->gain + r, gain, VEC_LANES);
	}
	for (int32_t r = 0; r < w->rank; r++)
		greatest = w->gain[r] > greatest ? w->gain[r] : greatest;
	return greatest;
}

static uint64_t packed_best_split(void *keeper, int32_t leaf, struct counts here)
{
	struct growing *w = keeper;
	const struct packed_learner *p = w->all;
	int32_t greatest, first = p->n;

	know(w, leaf);
	greatest = find_gains(w, leaf, here);
	if (greatest <= 0)
		return 0;
	for (int32_t r = 0; r < w->rank; r++)
		if (w->gain[r] == greatest && p->variable[r] < first)
			first = p->variable[r];
	return hboa_operator(greatest, 0, (uint32_t)leaf, (uint32_t)first);
}

static struct counts packed_split(void *keeper, int32_t leaf, int32_t variable, int32_t there)
{
	struct growing *w = keeper;
	const struct packed_learner *p = w->all;
	uint64_t *mask = w->mask + (size_t)leaf * p->words;
	uint64_t *new = w->mask + (size_t)there * p->words;
	const uint64_t *u = p->column + (size_t)p->rank[variable] * p->words;
	const uint64_t *mine = p->column + (size_t)w->rank * p->words;
	uint32_t all = 0, ones = 0;

	for (size_t i = 0; i < p->words; i++) {
		new[i] = mask[i] & u[i];
		mask[i] &= ~u[i];
		all += (uint32_t)__builtin_popcountll(new[i]);
		ones += (uint32_t)__builtin_popcountll(new[i] & mine[i]);
	}
	w->old = leaf; /* its counts are known: it was worth a split */
	w->new = there;
	w->known[leaf] = false;
	w->known[there] = false;
	return (struct counts){ all - ones, ones };
}

static void packed_merge(void *keeper, int32_t leaf, int32_t other, int32_t last)
{
	struct growing *w = keeper;
	size_t words = w->all->words;
	uint64_t *mask = w->mask + (size_t)leaf * words, *from = w->mask + (size_t)other * words;

	for (size_t i = 0; i < words; i++)
		mask[i] |= from[i];
	w->old = -1;
	w->known[leaf] &= w->known[other];
	if (w->known[leaf])
		add_counts(w, leaf, other, 1);
	if (other == last)
		return;
	memcpy(from, w->mask + (size_t)last * words, words * sizeof(*from));
	w->known[other] = w->known[last];
	if (w->known[last])
		copy_counts(w, other, last);
}

static void fill_first_leaf(struct growing *w)
{
	size_t full = (size_t)w->all->count / 64, words = w->all->words;

	memset(w->mask, 0xff, full * sizeof(uint64_t));
	memset(w->mask + full, 0, (words - full) * sizeof(uint64_t));
	if (w->all->count % 64)
		w->mask[full] = ((uint64_t)1 << w->all->count % 64) - 1;
}

static void packed_grow(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct packed_learner *p = context;
	struct growing *w = &p->growing[thread];
	struct leaves leaves = { w, packed_best_split, packed_split, packed_merge };

	for (uint64_t i = from; i < to && !(p->limit && boa_limit_reached(p->limit)); i++) {
		struct counts all = { 0, 0 };

		/* the variables with the most candidates first, for a balanced load */
		w->rank = p->n - 1 - (int32_t)i;
		w->old = -1;
		w->known[0] = false;
		fill_first_leaf(w);
		for (size_t k = 0; k < p->words; k++)
			all.ones += (uint32_t)__builtin_popcountll(
				p->column[(size_t)w->rank * p->words + k]);
		all.zeros = (uint32_t)p->count - all.ones;
		grow_graph(&p->graph[p->variable[w->rank]], &p->rules, &leaves, all);
	}
}

static void copy_columns(struct packed_learner *p, const struct boa_data *d)
{
	size_t words = boa_words(p->count);

	for (int32_t r = 0; r < p->n; r++) {
		const uint32_t *from = d->words + (size_t)p->variable[r] * d->stride;
		uint64_t *to = p->column + (size_t)r * p->words;

		memset(to, 0, p->words * sizeof(*to));
		for (size_t i = 0; i < words; i++)
			to[i / 2] |= (uint64_t)from[i] << 32 * (i % 2);
	}
}

static void packed_learn(struct packed_learner *p, const struct boa_data *d, struct hboa_model *m)
{
	p->rank = m->rank;
	p->variable = m->order;
	p->graph = m->graph;
	copy_columns(p, d);
	team_for(p->team, (uint64_t)p->n, 1, packed_grow, p);
}

/* ---- learners ---- */

struct hboa_learner {
	struct boa_k2_table table;
	struct plain_learner *plain; /* one of the two is used */
	struct packed_learner *packed;
};

int hboa_learner_create(struct hboa_learner **out, int32_t n, int32_t count,
			const struct boa_options *o, bool plain, struct team *team, struct err *e)
{
	struct hboa_learner *l = calloc(1, sizeof(*l));
	int status;

	*out = NULL;
	if (!l)
		return err_set(e, ERR_MEMORY, "no memory to learn from %d individuals", count);
	status = boa_k2_table_create(&l->table, count, e);
	if (!status) {
		struct rules rules = { l->table.at, hboa_penalty(l->table.at, count), o->merges,
				       o->smoothing };

		status = plain ? plain_create(&l->plain, n, count, &rules, e) :
				 packed_create(&l->packed, n, count, &rules, team, e);
	}
	if (status) {
		hboa_learner_destroy(l);
		return status;
	}
	*out = l;
	return 0;
}

void hboa_learner_destroy(struct hboa_learner *l)
{
	if (!l)
		return;
	plain_destroy(l->plain);
	packed_destroy(l->packed);
	boa_k2_table_destroy(&l->table);
	free(l);
}

void hboa_learn(struct hboa_learner *l, const struct boa_data *d, struct hboa_model *m,
		const struct boa_limit *limit)
{
	if (l->plain) {
		l->plain->limit = limit;
		plain_learn(l->plain, d, m);
	} else {
		l->packed->limit = limit;
		packed_learn(l->packed, d, m);
	}
}
