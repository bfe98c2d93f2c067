/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/steps.h"

#include <stdlib.h>
#include <string.h>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include "algorithms/gboa/boa/vectors.h"
#include "datasets/landscape/landscape.h"
#include "kernels/gboa/fitness.h"

/* ---- population 0 and selection ---- */

void boa_first_population(uint64_t seed, int32_t n, int32_t count, size_t stride, uint32_t *words)
{
	size_t row = boa_words(count);

	for (int32_t v = 0; v < n; v++)
		for (size_t w = 0; w < row; w++)
			words[(size_t)v * stride + w] =
				boa_initial_word(seed, (uint32_t)v, (uint32_t)w);
}

static int32_t at_least(const int32_t *fitness, int32_t count, int32_t value)
{
	int32_t n = 0;

	for (int32_t i = 0; i < count; i++)
		n += fitness[i] >= value;
	return n;
}

/* The greatest value that at least `selected` individuals reach, by bisection; each pass reads the
 * values in order. */
static int32_t cut_of(const int32_t *fitness, int32_t count, int32_t selected)
{
	int32_t least = fitness[0], greatest = fitness[0];

	for (int32_t i = 1; i < count; i++) {
		least = fitness[i] < least ? fitness[i] : least;
		greatest = fitness[i] > greatest ? fitness[i] : greatest;
	}
	while (least < greatest) {
		int64_t above = (int64_t)greatest - least;
		int32_t middle = (int32_t)(least + (above + 1) / 2);

		if (at_least(fitness, count, middle) >= selected)
			least = middle;
		else
			greatest = middle - 1;
	}
	return least;
}

void boa_select(const int32_t *fitness, int32_t count, int32_t selected, int32_t *positions)
{
	int32_t cut = cut_of(fitness, count, selected), taken = 0, equal = selected;

	for (int32_t i = 0; i < count; i++)
		equal -= fitness[i] > cut;
	for (int32_t i = 0; taken < selected; i++) {
		bool tied = fitness[i] == cut && equal > 0;

		equal -= tied;
		positions[taken] = i; /* overwritten if not kept: avoids an unpredictable branch */
		taken += tied || fitness[i] > cut;
	}
}

/* True if all bits of the row are equal. Ignores bits beyond the last individual: they are 0, even
 * if all others are 1. */
static bool alike(const uint32_t *row, int32_t count)
{
	uint32_t all = row[0] & 1 ? ~0u : 0, differ = 0;
	int32_t whole = count / 32;

	for (int32_t w = 0; w < whole; w++)
		differ |= row[w] ^ all;
	if (count % 32)
		differ |= (row[whole] ^ all) & ((1u << count % 32) - 1);
	return differ == 0;
}

bool boa_all_alike(const struct boa_data *d)
{
	for (int32_t v = 0; v < d->n; v++)
		if (!alike(d->words + (size_t)v * d->stride, d->count))
			return false;
	return true;
}

/* ---- gathering ---- */

static void gather_plain(const struct boa_data *from, const int32_t *positions, int32_t count,
			 uint32_t *to, size_t to_stride)
{
	for (int32_t v = 0; v < from->n; v++) {
		uint32_t *row = to + (size_t)v * to_stride;

		memset(row, 0, boa_words(count) * sizeof(*row));
		for (int32_t i = 0; i < count; i++)
			row[i / 32] |= (uint32_t)boa_bit(from, v, positions[i]) << i % 32;
	}
}

/* Gathering in words: the kept bits of each word are compressed. */

struct gathering {
	const struct boa_data *from;
	const uint64_t *kept; /* one bit for each individual, 64 in a word */
	int32_t words;        /* of 64 individuals */
	uint32_t *to;
	size_t to_stride;
};

/* The bits of x at the ones of the mask, compressed to the low end. */
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

/* A row of 32-bit words may end with half a 64-bit word. */
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

static void gather_wide(const struct boa_data *from, const int32_t *positions, int32_t count,
			uint32_t *to, size_t to_stride, struct team *w)
{
	uint64_t kept[BOA_POPULATION_MAX / 64];
	struct gathering g = { from, kept, (from->count + 63) / 64, to, to_stride };

	memset(kept, 0, (size_t)g.words * sizeof(*kept));
	for (int32_t i = 0; i < count; i++)
		kept[positions[i] / 64] |= 1ull << positions[i] % 64;
	team_for(w, (uint64_t)from->n, 16, gather_part, &g);
}

void boa_gather(const struct boa_data *from, const int32_t *positions, int32_t count, uint32_t *to,
		size_t to_stride, bool plain, struct team *w)
{
	if (plain)
		gather_plain(from, positions, count, to, to_stride);
	else
		gather_wide(from, positions, count, to, to_stride, w);
}

/* ---- sampling ---- */

struct sampling {
	const struct boa_network *network;
	const int32_t *order; /* variables by rank */
	uint64_t seed;
	uint32_t generation;
	size_t row; /* words of a variable */
	uint32_t *words;
	size_t stride;
};

/* The random numbers of 32 individuals, from their digit words. */
static void draw(const struct sampling *s, uint32_t variable, uint32_t word, uint32_t u[32])
{
	memset(u, 0, 32 * sizeof(*u));
	for (uint32_t q = 0; q < BOA_DIGITS / 4; q++) {
		struct philox4 r = boa_digits(s->seed, s->generation, variable, word, q);

		for (uint32_t i = 0; i < 4; i++)
			for (uint32_t b = 0; b < 32; b++)
				u[b] = u[b] << 1 | (r.word[i] >> b & 1);
	}
}

static uint32_t configuration(const struct sampling *s, int32_t variable, size_t word, uint32_t b)
{
	const struct boa_network *net = s->network;
	const int32_t *parent = net->parents + (size_t)variable * (size_t)net->k;
	uint32_t a = 0;

	for (int32_t r = 0; r < net->parent_count[variable]; r++)
		a |= (s->words[(size_t)parent[r] * s->stride + word] >> b & 1) << r;
	return a;
}

static void sample_word(const struct sampling *s, size_t word)
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

static void sample_plain(const struct sampling *s)
{
	for (size_t word = 0; word < s->row; word++)
		sample_word(s, word);
}

/* Random numbers for sampling in vectors: boa_digits of consecutive words, one in each lane.
 *
 * Only the counter `word` differs between lanes, and it takes three rounds of Philox until all four
 * words depend on it. In these rounds most products are products of scalars, and the products of
 * vectors are the same for all q. */

/* Constants of Philox: the multipliers, and the increments of the key. */
#define DIGITS_A 0xD2511F53u
#define DIGITS_C 0xCD9E8D57u
#define DIGITS_KEY_0 0x9E3779B9u
#define DIGITS_KEY_1 0xBB67AE85u

/* The even or the odd words, in the low halves of 64-bit lanes, so that products have room. The
 * high halves are ignored. */
struct vec_half {
	vec_wide second, third_high, third_low; /* products of rounds 2 and 3 */
};

struct vec_draws {
	uint32_t key_0, key_1, low_a, high_a, low_c; /* the seed; products of round 1 */
	struct vec_half even, odd;
};

static inline vec_wide vec_half_mul(vec_wide x, uint32_t by)
{
	return vec_mul_even((vec)x, vec_all(by));
}

static inline void vec_half_begin(const struct vec_draws *d, vec_wide word, uint32_t high_c,
				  struct vec_half *h)
{
	h->second = vec_half_mul(word ^ (high_c ^ d->key_0), DIGITS_A);
	h->third_low =
		vec_half_mul(h->second >> 32 ^ (d->low_a ^ (d->key_1 + DIGITS_KEY_1)), DIGITS_C);
	h->third_high = h->third_low >> 32;
}

/* Starts the draws for words `word`, `word` + 1, ... */
static inline void vec_draw_begin(struct vec_draws *d, uint64_t seed, uint32_t generation,
				  uint32_t variable, uint32_t word)
{
	uint64_t a = (uint64_t)DIGITS_A * variable, c = (uint64_t)DIGITS_C * generation;
	vec_wide even = { 0 };

	for (uint32_t i = 0; i < VEC_LANES / 2; i++)
		even[i] = word + 2 * i;
	d->key_0 = (uint32_t)seed;
	d->key_1 = (uint32_t)(seed >> 32);
	d->low_a = (uint32_t)a;
	d->high_a = (uint32_t)(a >> 32);
	d->low_c = (uint32_t)c;
	vec_half_begin(d, even, (uint32_t)(c >> 32), &d->even);
	vec_half_begin(d, even + 1, (uint32_t)(c >> 32), &d->odd);
}

/* Scalars of rounds 2 and 3 for one q. */
struct vec_single {
	uint32_t x0, x2, x3;
};

static inline void vec_half_end(const struct vec_draws *d, const struct vec_half *h,
				const struct vec_single *s, vec_wide x[4])
{
	uint32_t key_0 = d->key_0 + 3 * DIGITS_KEY_0, key_1 = d->key_1 + 3 * DIGITS_KEY_1;

	x[0] = h->third_high ^ s->x0;
	x[1] = h->third_low;
	x[2] = h->second ^ s->x2;
	x[3] = (vec_wide){ 0 } + s->x3;
#pragma GCC unroll 4
	for (int round = 3; round < 7; round++) {
		vec_wide a = vec_half_mul(x[0], DIGITS_A), c = vec_half_mul(x[2], DIGITS_C);

		x[0] = c >> 32 ^ x[1] ^ key_0;
		x[1] = c;
		x[2] = a >> 32 ^ x[3] ^ key_1;
		x[3] = a;
		key_0 += DIGITS_KEY_0;
		key_1 += DIGITS_KEY_1;
	}
}

/* Digit words 4 q .. 4 q + 3. */
static inline void vec_draw(const struct vec_draws *d, uint32_t q, vec digit[4])
{
	uint32_t key_0 = d->key_0 + DIGITS_KEY_0, key_1 = d->key_1 + 2 * DIGITS_KEY_1;
	uint64_t c = (uint64_t)DIGITS_C * (d->high_a ^ (BOA_SAMPLE + q) ^ d->key_1);
	uint64_t a = (uint64_t)DIGITS_A * ((uint32_t)(c >> 32) ^ d->low_c ^ key_0);
	struct vec_single s = { (uint32_t)c ^ (key_0 + DIGITS_KEY_0), (uint32_t)(a >> 32) ^ key_1,
				(uint32_t)a };
	vec_wide even[4], odd[4];

	vec_half_end(d, &d->even, &s, even);
	vec_half_end(d, &d->odd, &s, odd);
	for (int i = 0; i < 4; i++)
		digit[i] = (vec)((even[i] & 0xffffffffu) | odd[i] << 32);
}

/* Sampling in words. A lane of a vector holds 32 individuals. Their random numbers u are compared
 * with their thresholds t digit by digit; the threshold of an individual is that of its
 * configuration of parents. Digits are drawn four at a time, until the digits of no individual
 * equal those of its threshold any more. For 512 individuals, the last four digits are not needed
 * in seven of eight cases. */

enum { CONFIGURATIONS_MAX = 1 << BOA_PARENTS_MAX };
enum { ROW_CERTAIN = BOA_DIGITS, ROW_OPEN, ROWS };

/* The data for sampling a variable, the same for all individuals. */
struct family {
	uint32_t variable;
	int32_t parents;
	const int32_t *parent;
	/* row[d][a]: all ones if digit d (0 is the first) of the threshold of configuration a is
	 * set. ROW_CERTAIN: all ones if the threshold is BOA_ONE. ROW_OPEN: all ones if it is
	 * neither BOA_ONE nor 0. */
	uint32_t row[ROWS][CONFIGURATIONS_MAX];
};

static void make_family(const struct sampling *s, int32_t variable, struct family *f)
{
	const struct boa_network *b = s->network;
	const uint32_t *threshold = b->thresholds + ((size_t)variable << b->k);
	int32_t configurations = 1 << b->parent_count[variable];

	f->variable = (uint32_t)variable;
	f->parents = b->parent_count[variable];
	f->parent = b->parents + (size_t)variable * (size_t)b->k;
	for (int d = 0; d < BOA_DIGITS; d++)
		for (int32_t a = 0; a < configurations; a++)
			f->row[d][a] = -(threshold[a] >> (BOA_DIGITS - 1 - d) & 1);
	for (int32_t a = 0; a < configurations; a++) {
		f->row[ROW_CERTAIN][a] = -(threshold[a] >> BOA_DIGITS);
		f->row[ROW_OPEN][a] = -(uint32_t)(threshold[a] % BOA_ONE != 0);
	}
}

/* Selects from a row the entry of each individual's configuration. */
static inline __attribute__((always_inline)) vec choose(const uint32_t *row, const vec *value,
							const int32_t parents)
{
	vec of[CONFIGURATIONS_MAX];

	for (int32_t a = 0; a < 1 << parents; a++)
		of[a] = vec_all(row[a]);
	for (int32_t r = 0; r < parents; r++)
		for (int32_t a = 0; a < 1 << (parents - r - 1); a++)
			of[a] = vec_select(value[r], of[2 * a + 1], of[2 * a]);
	return of[0];
}

/* The open individuals (at least one) whose random number is below their threshold. */
static inline __attribute__((always_inline)) vec
below_threshold(const struct sampling *s, const struct family *f, size_t from, vec open,
		const vec *value, const int32_t parents)
{
	vec all = { 0 };
	struct vec_draws draws;
	uint32_t q = 0;

	vec_draw_begin(&draws, s->seed, s->generation, f->variable, (uint32_t)from);
	do {
		vec digit[4], below = { 0 }, differ = { 0 };

		vec_draw(&draws, q, digit);
		for (int i = 3; i >= 0;
		     i--) { /* the last digit first: earlier digits outweigh it */
			vec t = choose(f->row[4 * q + (uint32_t)i], value, parents);

			below = vec_majority(~digit[i], t, below);
			differ |= t ^ digit[i];
		}
		all |= open & below;
		open &= ~differ;
	} while (++q < BOA_DIGITS / 4 && vec_any(open));
	return all;
}

/* Samples the variable's words `from` to `from + lanes - 1`. */
static inline __attribute__((always_inline)) void sample_lanes(const struct sampling *s,
							       const struct family *f, size_t from,
							       size_t lanes, const int32_t parents)
{
	vec value[BOA_PARENTS_MAX], ones, open;

	for (int32_t r = 0; r < parents; r++)
		value[r] = vec_load_some(s->words + (size_t)f->parent[r] * s->stride + from, lanes);
	ones = choose(f->row[ROW_CERTAIN], value, parents);
	open = vec_first(choose(f->row[ROW_OPEN], value, parents), lanes);
	if (vec_any(open))
		ones |= below_threshold(s, f, from, open, value, parents);
	vec_store_some(s->words + f->variable * s->stride + from, ones, lanes);
}

static void sample_family(const struct sampling *s, const struct family *f, size_t from, size_t to)
{
	for (size_t w = from; w < to; w += VEC_LANES) {
		size_t lanes = to - w < VEC_LANES ? to - w : VEC_LANES;

		switch (f->parents) {
		case 0:
			sample_lanes(s, f, w, lanes, 0);
			break;
		case 1:
			sample_lanes(s, f, w, lanes, 1);
			break;
		case 2:
			sample_lanes(s, f, w, lanes, 2);
			break;
		case 3:
			sample_lanes(s, f, w, lanes, 3);
			break;
		case 4:
			sample_lanes(s, f, w, lanes, 4);
			break;
		default:
			sample_lanes(s, f, w, lanes, f->parents);
		}
	}
}

static void sample_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct sampling *s = context;
	struct family f;

	(void)thread;
	for (int32_t r = 0; r < s->network->n; r++) {
		make_family(s, s->order[r], &f);
		sample_family(s, &f, (size_t)from, (size_t)to);
	}
}

static void sample_wide(struct sampling *s, struct team *w)
{
	team_for(w, s->row, VEC_LANES, sample_part, s);
}

int boa_sample(const struct boa_network *b, uint64_t seed, uint32_t generation, int32_t count,
	       uint32_t *words, size_t stride, bool plain, struct team *w, struct err *e)
{
	int32_t *order = malloc((size_t)b->n * sizeof(*order));

	if (!order)
		return err_set(e, ERR_MEMORY, "no memory for the order of %d variables", b->n);
	for (int32_t v = 0; v < b->n; v++)
		order[b->rank[v]] = v;
	struct sampling s = { b, order, seed, generation, boa_words(count), words, stride };

	if (plain)
		sample_plain(&s);
	else
		sample_wide(&s, w);
	free(order);
	return 0;
}

/* ---- evaluation ---- */

struct evaluation {
	struct boa_fitness view; /* of host memory */
	const uint32_t *words;
	size_t stride;
	int32_t count;
	int32_t *fitness;
};

static void evaluate_plain(const struct evaluation *v)
{
	for (int32_t i = 0; i < v->count; i++)
		v->fitness[i] =
			boa_fitness_of(&v->view, v->words + i / 32, v->stride, (uint32_t)i % 32);
}

/* Traps are evaluated in words with bit-sliced sums: plane j holds bit j of the sums,
 * with 32 individuals in each lane. Other functions are evaluated for 32 individuals at a time, in
 * loops that the compiler vectorises. */

enum { PLANES = 17 }; /* enough for sums up to BOA_VARIABLES_MAX */

struct sliced_sums {
	vec plane[PLANES];
	int planes;   /* planes that may be non-zero */
	int32_t most; /* an upper bound of the sums */
};

static inline void add_bits(struct sliced_sums *u, vec bits)
{
	u->most++;
	u->planes += u->most >> u->planes != 0;
	for (int j = 0; j < u->planes; j++) {
		vec carry = u->plane[j] & bits;

		u->plane[j] ^= bits;
		bits = carry;
	}
}

/* Extracts the sums of the 32 individuals of a lane. */
static void unslice(const struct sliced_sums *u, size_t lane, int32_t sum[32])
{
	for (int b = 0; b < 32; b++)
		sum[b] = 0;
	for (int j = 0; j < u->planes; j++) {
		uint32_t plane = u->plane[j][lane];

		for (int b = 0; b < 32; b++)
			sum[b] += (int32_t)(plane >> b & 1) << j;
	}
}

/* A block of k bits with u ones adds k - 1 - u, and k + 1 more if all are ones. */
static void trap_lanes(const struct evaluation *v, size_t from, size_t lanes)
{
	int32_t n = v->view.n, k = v->view.parameter, flat = n / k * (k - 1);
	struct sliced_sums ones = { .planes = 0 }, full = { .planes = 0 };

	for (int32_t block = 0; block < n; block += k) {
		vec all = vec_all(~0u);

		for (int32_t i = block; i < block + k; i++) {
			vec bits = vec_load_some(v->words + (size_t)i * v->stride + from, lanes);

			add_bits(&ones, bits);
			all &= bits;
		}
		add_bits(&full, all);
	}
	for (size_t lane = 0; lane < lanes; lane++) {
		int32_t ones_of[32], full_of[32], first = (int32_t)(from + lane) * 32;

		unslice(&ones, lane, ones_of);
		unslice(&full, lane, full_of);
		for (int32_t b = 0; b < 32 && first + b < v->count; b++)
			v->fitness[first + b] = flat - ones_of[b] + (k + 1) * full_of[b];
	}
}

static void trap_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct evaluation *v = context;

	(void)thread;
	for (uint64_t w = from; w < to; w += VEC_LANES)
		trap_lanes(v, w, to - w < VEC_LANES ? to - w : VEC_LANES);
}

/* Fitness of the 32 individuals of a word. */
typedef void word_function(const struct evaluation *v, const uint32_t *column, int32_t sum[32]);

static void additive_word(const struct evaluation *v, const uint32_t *column, int32_t sum[32])
{
	const struct boa_fitness *f = &v->view;
	int32_t k = f->parameter;

	memset(sum, 0, 32 * sizeof(*sum));
	for (int32_t t = 0; t < f->terms; t++) {
		const int32_t *term = f->data + boa_additive_term(k, t);
		const int32_t *table = f->data + *term;
		uint32_t row[32] = { 0 };

		for (int32_t i = 0; i < k; i++) {
			uint32_t bits = column[(size_t)term[1 + i] * v->stride];

			for (int b = 0; b < 32; b++)
				row[b] |= (bits >> b & 1) << i;
		}
		for (int b = 0; b < 32; b++)
			sum[b] += table[row[b]];
	}
}

static void maxsat_word(const struct evaluation *v, const uint32_t *column, int32_t sum[32])
{
	const struct boa_fitness *f = &v->view;

	memset(sum, 0, 32 * sizeof(*sum));
	for (int32_t t = 0; t < f->terms; t++) {
		const int32_t *clause = f->data + f->data[t], *end = f->data + f->data[t + 1];
		int32_t weight = *clause;
		uint32_t satisfied = 0;

		for (const int32_t *literal = clause + 1; literal < end; literal++)
			satisfied |= column[(size_t)(*literal >> 1) * v->stride] ^
				     -(uint32_t)(*literal & 1);
		for (int b = 0; b < 32; b++)
			sum[b] += weight & -(int32_t)(satisfied >> b & 1);
	}
}

static void knapsack_word(const struct evaluation *v, const uint32_t *column, int32_t sum[32])
{
	const struct boa_fitness *f = &v->view;
	int32_t weight[32] = { 0 }, capacity = f->data[0];

	memset(sum, 0, 32 * sizeof(*sum));
	for (int32_t i = 0; i < f->n; i++) {
		const int32_t *item = f->data + boa_knapsack_item(i);
		uint32_t bits = column[(size_t)i * v->stride];

		for (int b = 0; b < 32; b++) {
			int32_t taken = -(int32_t)(bits >> b & 1);

			sum[b] += item[0] & taken;
			weight[b] += item[1] & taken;
		}
	}
	for (int b = 0; b < 32; b++)
		sum[b] = weight[b] <= capacity ? sum[b] : capacity - weight[b];
}

/* The symbol that a block passes to the next level; if it has none, neither bit is set. */
struct symbol {
	uint32_t zero, one;
};

/* Adds the values of the block of 3^level variables that begins at `first`, and of all blocks
 * inside it. */
static struct symbol htrap_block(const struct evaluation *v, const uint32_t *column, int32_t level,
				 int32_t first, int32_t size, int32_t sum[32])
{
	if (level == 0) {
		uint32_t bits = column[(size_t)first * v->stride];

		return (struct symbol){ ~bits, bits };
	}
	int32_t top = level == v->view.parameter ? BOA_HTRAP_VALUES : 0, third = size / 3;
	const int32_t *value = v->view.data + top;
	uint32_t whole = ~0u, odd = 0, two = 0;

	for (int32_t i = 0; i < 3; i++) {
		struct symbol s = htrap_block(v, column, level - 1, first + i * third, third, sum);

		whole &= s.zero | s.one;
		two |= odd & s.one; /* two or three */
		odd ^= s.one;
	}
	for (int b = 0; b < 32; b++) {
		uint32_t ones = (odd >> b & 1) + 2 * (two >> b & 1);

		sum[b] += size * value[ones] & -(int32_t)(whole >> b & 1);
	}
	return (struct symbol){ whole & ~odd & ~two, whole & odd & two };
}

static void htrap_word(const struct evaluation *v, const uint32_t *column, int32_t sum[32])
{
	memset(sum, 0, 32 * sizeof(*sum));
	htrap_block(v, column, v->view.parameter, 0, v->view.n, sum);
}

static word_function *word_of(int32_t kind)
{
	switch (kind) {
	case BOA_ADDITIVE:
		return additive_word;
	case BOA_MAXSAT:
		return maxsat_word;
	case BOA_KNAPSACK:
		return knapsack_word;
	default:
		return htrap_word;
	}
}

static void word_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct evaluation *v = context;
	word_function *f = word_of(v->view.kind);

	(void)thread;
	for (uint64_t w = from; w < to; w++) {
		size_t left = (size_t)v->count - 32 * w;
		int32_t sum[32];

		f(v, v->words + w, sum);
		memcpy(v->fitness + 32 * w, sum, (left < 32 ? left : 32) * sizeof(*sum));
	}
}

static void evaluate_wide(struct evaluation *v, struct team *w)
{
	if (v->view.kind == BOA_TRAP)
		team_for(w, boa_words(v->count), VEC_LANES, trap_part, v);
	else
		team_for(w, boa_words(v->count), 1, word_part, v);
}

void boa_evaluate(const struct landscape *l, const uint32_t *words, size_t stride, int32_t count,
		  int32_t *fitness, bool plain, struct team *w)
{
	struct evaluation v = { boa_landscape_fitness(l, l->data), words, stride, count, fitness };

	if (plain)
		evaluate_plain(&v);
	else
		evaluate_wide(&v, w);
}
