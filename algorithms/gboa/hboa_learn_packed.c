/* Decision graphs from words: a leaf is a mask of individuals, and what a split by u would part are
 * two popcounts of that mask. Columns are in the order of the ranks, so that the candidates of a
 * variable are those before it. Threads divide the variables. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/hboa_learn.h"
#include "algorithms/gboa/steps_vector.h"

enum { LINE = 8 }; /* 64-bit words of a cache line and of the widest vector */

/* What a thread needs for one graph. */
struct growing {
	const struct hboa_packed *all;
	uint64_t *mask; /* leaves x words */
	uint64_t *ones; /* words: of the leaf that is counted, those with v = 1 */
	/* leaves x n: individuals of the leaf with candidate u = 1, and those of them with v = 1;
	 * known only for leaves that were worth it */
	uint32_t *there, *ones_there;
	bool known[HBOA_LEAVES_MAX];
	/* The leaves of the last split while only the counts of the whole are known, in the place
	 * of the old one: one is counted, the other is the rest. -1: none. */
	int32_t old, new;
	int32_t *gain; /* n */
	int32_t rank;  /* of v */
};

struct hboa_packed {
	int32_t n, count;
	size_t words;  /* of a column, a multiple of LINE */
	size_t stride; /* n, and more for whole vectors */
	struct hboa_rules rules;
	struct team *workers;
	int threads;
	uint64_t *column;               /* n x words, by rank; bits beyond count are 0 */
	const int32_t *rank, *variable; /* n: of the model that is learned, the second by rank */
	struct growing *growing;        /* threads */
	struct hboa_graph *graph;       /* n, of that model */
	const struct boa_limit *limit;  /* NULL: none */
};

static void *lines(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 63)
		return NULL;
	return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static bool prepare(struct growing *w, const struct hboa_packed *p)
{
	*w = (struct growing){ .all = p,
			       .mask = lines(HBOA_LEAVES_MAX * p->words, sizeof(uint64_t)),
			       .ones = lines(p->words, sizeof(uint64_t)),
			       .there = lines(HBOA_LEAVES_MAX * p->stride, sizeof(uint32_t)),
			       .ones_there = lines(HBOA_LEAVES_MAX * p->stride, sizeof(uint32_t)),
			       .gain = lines(p->stride, sizeof(int32_t)) };
	return w->mask && w->ones && w->there && w->ones_there && w->gain;
}

int hboa_packed_create(struct hboa_packed **out, int32_t n, int32_t count,
		       const struct hboa_rules *rules, struct team *w, struct err *e)
{
	struct hboa_packed *p = calloc(1, sizeof(*p));
	int threads = w ? team_threads(w) : 1;
	bool there = p;

	*out = NULL;
	if (p) {
		*p = (struct hboa_packed){ .n = n, .count = count, .rules = *rules, .workers = w };
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
	hboa_packed_destroy(p);
	return err_set(e, ERR_MEMORY, "no memory to learn %d variables from %d individuals", n,
		       count);
}

void hboa_packed_limit(struct hboa_packed *p, const struct boa_limit *limit)
{
	p->limit = limit;
}

void hboa_packed_destroy(struct hboa_packed *p)
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

/* Individuals of `leaf` and of `ones` whose bit of the column is set: low and high half. */
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

/* k2_cell lane by lane. */
static inline vec vec_cell(const uint32_t *ln_factorial, vec zeros, vec ones)
{
	vec both = zeros + ones + 1;

	return vec_look_up(ln_factorial, zeros) + vec_look_up(ln_factorial, ones) -
	       vec_look_up(ln_factorial, both);
}

static void count_leaf(struct growing *w, int32_t leaf)
{
	const struct hboa_packed *p = w->all;
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

/* to += sign x from, for all candidates. */
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
static int32_t find_gains(struct growing *w, int32_t leaf, struct hboa_counts here)
{
	const struct hboa_packed *p = w->all;
	const uint32_t *ln = p->rules.ln_factorial;
	const uint32_t *there = w->there + (size_t)leaf * p->stride;
	const uint32_t *ones_there = w->ones_there + (size_t)leaf * p->stride;
	const vec less = vec_all(k2_cell(ln, here.zeros, here.ones) + p->rules.penalty);
	int32_t greatest = INT32_MIN;

	for (int32_t r = 0; r < w->rank; r += VEC_LANES) {
		size_t lanes = w->rank - r < VEC_LANES ? (size_t)(w->rank - r) : VEC_LANES;
		vec ones = vec_load(ones_there + r, lanes),
		    zeros = vec_load(there + r, lanes) - ones;
		vec zeros_here = vec_all(here.zeros) - zeros, ones_here = vec_all(here.ones) - ones;
		vec gain = vec_cell(ln, zeros, ones) + vec_cell(ln, zeros_here, ones_here) - less;

		vec_store((uint32_t *)w->gain + r, gain, VEC_LANES);
	}
	for (int32_t r = 0; r < w->rank; r++)
		greatest = w->gain[r] > greatest ? w->gain[r] : greatest;
	return greatest;
}

static uint64_t best_split(void *keeper, int32_t leaf, struct hboa_counts here)
{
	struct growing *w = keeper;
	const struct hboa_packed *p = w->all;
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

static struct hboa_counts split(void *keeper, int32_t leaf, int32_t variable, int32_t there)
{
	struct growing *w = keeper;
	const struct hboa_packed *p = w->all;
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
	w->old = leaf; /* it was known, else there were no split of it */
	w->new = there;
	w->known[leaf] = false;
	w->known[there] = false;
	return (struct hboa_counts){ all - ones, ones };
}

static void merge(void *keeper, int32_t leaf, int32_t other, int32_t last)
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

static void grow(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct hboa_packed *p = context;
	struct growing *w = &p->growing[thread];
	struct hboa_leaves leaves = { w, best_split, split, merge };

	for (uint64_t i = from; i < to && !(p->limit && boa_limit_reached(p->limit)); i++) {
		struct hboa_counts all = { 0, 0 };

		/* those with the most candidates first, so that no thread is left with one alone */
		w->rank = p->n - 1 - (int32_t)i;
		w->old = -1;
		w->known[0] = false;
		fill_first_leaf(w);
		for (size_t k = 0; k < p->words; k++)
			all.ones += (uint32_t)__builtin_popcountll(
				p->column[(size_t)w->rank * p->words + k]);
		all.zeros = (uint32_t)p->count - all.ones;
		hboa_grow(&p->graph[p->variable[w->rank]], &p->rules, &leaves, all);
	}
}

static void copy_columns(struct hboa_packed *p, const struct boa_data *d)
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

void hboa_packed_learn(struct hboa_packed *p, const struct boa_data *d, struct hboa_model *m)
{
	p->rank = m->rank;
	p->variable = m->order;
	p->graph = m->graph;
	copy_columns(p, d);
	team_for(p->workers, (uint64_t)p->n, 1, grow, p);
}
