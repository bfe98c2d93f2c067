/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/learn_counts.h"

#include <math.h>

#define BOA_VECTORS_COUNTING 1
#include "algorithms/gboa/boa/vectors.h"

/* ---- counting ---- */

/* The numbers of sets and of vectors of candidates that are counted together. They are limited by
 * the registers for accumulators and operands. */
enum { SETS = 4, VECTORS = VEC_REGISTERS == 32 ? 4 : 2, TILE_VECTORS = BOA_PACK_TILE / VEC_LANES };

__attribute__((always_inline)) static inline void
count_block(const uint32_t *tile, size_t words, const struct boa_pack_job *job, size_t first_word,
	    size_t first_candidate, int sets, int vectors)
{
	vec sum[SETS][VECTORS];

	for (int s = 0; s < sets; s++)
		for (int v = 0; v < vectors; v++)
			sum[s][v] = (vec){ 0 };
	for (size_t w = 0; w < words; w++) {
		vec candidate[VECTORS];

		for (int v = 0; v < vectors; v++)
			candidate[v] = vec_load(tile + w * BOA_PACK_TILE + v * VEC_LANES);
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
count_sets(const uint32_t *tile, size_t words, const struct boa_pack_job *job, size_t first_word,
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

void boa_pack_count(const struct boa_pack *p, int32_t candidates, const struct boa_pack_job *job,
		    int jobs)
{
	for (int32_t first = 0; first < candidates; first += BOA_PACK_TILE) {
		const uint32_t *tile = p->tiles + (size_t)first * p->words;
		int32_t left = candidates - first;
		int vectors =
			left >= BOA_PACK_TILE ? TILE_VECTORS : (left + VEC_LANES - 1) / VEC_LANES;

		for (size_t w = 0; w < p->words; w += BOA_PACK_WORDS) {
			size_t words =
				p->words - w < BOA_PACK_WORDS ? p->words - w : BOA_PACK_WORDS;
			const uint32_t *from = tile + w * BOA_PACK_TILE;
			int j = 0;

			for (; j + SETS <= jobs; j += SETS)
				count_sets(from, words, job + j, w, (size_t)first, SETS, vectors);
			for (; j < jobs; j++)
				count_sets(from, words, job + j, w, (size_t)first, 1, vectors);
		}
	}
}

/* ---- an upper bound of gains ---- */

/* An upper bound of the gain that needs no table. Looking up factorials takes most of the time of
 * learning, and most candidates gain nothing, so the bound saves most look-ups.
 *
 * Consider a configuration of v's parents with N individuals, K of them with v = 1. A candidate u
 * is 1 in N1 of them, and both are 1 in K1. N0 = N - N1, K0 = K - K1, P = N1 N0. The
 * configuration's part of the gain is
 *
 *   ln (N + 1) - ln ((N1 + 1) (N0 + 1)) + ln (C(N, K) / (C(N1, K1) C(N0, K0)))
 *
 * where (N1 + 1) (N0 + 1) = P + N + 1. For 0 < k < n, C(n, k) is at least e^(n H(k/n)) sqrt(n / (8
 * k (n - k))) and at most e^(n H(k/n)) sqrt(n / (2 pi k (n - k))). With k (n - k) <= n^2 / 4 in
 * C(N1, K1) and C(N0, K0), the last logarithm is at most
 *
 *   I + ln (N / (2 pi K (N - K))) / 2 + ln 2 + ln (P + N + 1) / 2
 *
 * (also where K1 or K0 is 0 or all), and it is 0 where K is 0 or N. I is N times the mutual
 * information: the sum over the four cells of E (1 + d) ln (1 + d), where E is the expected number
 * and E d = +-D, D = K1 - N1 K / N. Since (1 + d) ln (1 + d) <= d + d^2 / 2, and <= d + d^2 / 2 +
 * |d|^3 / 2 for d < 0, and E >= P min(K, N - K) / N^2,
 *
 *   I <= X (1 + |D| N^2 / (P min(K, N - K))),   X = D^2 N^3 / (2 P K (N - K))
 *
 * The logarithm to base 2 of a float is at least its bits read as a fixed-point number, bits / 2^23
 * - 127. */

/* Margins for the rounding of floats: a factor, and nats. */
#define BOUND_FACTOR 1.002f
#define BOUND_NATS 0.02f
/* Margin for the rounding of the table, for each configuration. */
#define BOUND_UNITS 8
/* Keeps 1 / P finite; P is an integer. */
#define BOUND_LEAST 0.0005f

/* The coefficients of the bound for a configuration. */
struct stratum {
	float all, mean; /* N, K / N */
	float factor;    /* of D^2 / P */
	float skew;      /* of |D| / P */
	float bits;      /* of the bits of P + N + 1 */
};

struct strata {
	struct stratum of[1 << BOA_PARENTS_MAX];
	float sum; /* sum of all terms that do not depend on the candidate */
};

/* ln m, m >= 1, to one unit of the table. */
static inline float ln_of(const struct boa_k2_table *t, uint32_t m)
{
	return (float)(t->at[m] - t->at[m - 1]);
}

/* total[]: of configurations, v's value lowest. */
static inline void strata_make(struct strata *s, const struct boa_k2_table *ln,
			       const uint32_t *total, int parents)
{
	const float unit = ldexpf(1, -ln->scale), ln_2 = 0.693147181f, ln_2_pi = 1.83787707f;
	float units = 0, nats = 0;

	for (int a = 0; a < 1 << parents; a++) {
		uint32_t ones = total[2 * a + 1], zeros = total[2 * a];
		float k = (float)ones, rest = (float)zeros, all = k + rest;
		struct stratum *t = &s->of[a];

		units += ln_of(ln, ones + zeros + 1) + BOUND_UNITS;
		if (ones == 0 || zeros == 0) {
			*t = (struct stratum){ .all = all, .bits = ln_2 / 0x1p23f };
			nats += 127 * ln_2;
			continue;
		}
		*t = (struct stratum){ all, k / all, all * all * all / (2 * k * rest),
				       all * all / fminf(k, rest), ln_2 / 0x1p24f };
		units += (ln_of(ln, ones + zeros) - ln_of(ln, ones) - ln_of(ln, zeros)) / 2;
		nats += ln_2 - ln_2_pi / 2 + 127 * ln_2 / 2;
	}
	s->sum = units * unit + nats;
}

/* The bound in nats. with[]: configurations with the candidate. */
__attribute__((always_inline)) static inline vec_float strata_bound(const struct strata *s,
								    const vec *with, int parents)
{
	vec_float bound = s->sum - (vec_float){ 0 }, information = { 0 };

	for (int a = 0; a < 1 << parents; a++) {
		const struct stratum *t = &s->of[a];
		vec_float both = vec_to_float(with[2 * a + 1]);
		vec_float some = vec_to_float(with[2 * a] + with[2 * a + 1]);
		vec_float d = both - some * t->mean, product = some * (t->all - some);
		vec_float inverse = vec_reciprocal(product + BOUND_LEAST);
		vec_float x = d * d * inverse * t->factor;
		vec_float distance = (vec_float)((vec)d & 0x7fffffffu);
		vec_float widened = product + (t->all + 1);

		information += x + x * (distance * inverse * t->skew);
		bound -= vec_to_float((vec)widened) * t->bits;
	}
	return bound + information * BOUND_FACTOR + BOUND_NATS;
}

/* ---- choosing ---- */

/* The terms of two cells (boa_k2_cell), lane by lane. */
static inline vec cell_terms(const uint32_t *ln_factorial, vec zeros, vec ones)
{
	return vec_look_up(ln_factorial, zeros) + vec_look_up(ln_factorial, ones) -
	       vec_look_up(ln_factorial, zeros + ones + 1u);
}

/* Counts of configurations with the candidates from `at` on. */
__attribute__((always_inline)) static inline void
configurations_with(vec *with, uint32_t *const *counts, size_t at, int parents)
{
	const int size = 2 << parents;

	for (int s = 0; s < size; s++)
		with[s] = vec_load(counts[s] + at);
	for (int bit = 1; bit < size; bit *= 2)
		for (int c = 0; c < size; c++)
			if (!(c & bit))
				with[c] -= with[c | bit];
}

/* Scores with one more parent. total: of configurations. */
__attribute__((always_inline)) static inline vec
score_with(const uint32_t *ln_factorial, const vec *with, const uint32_t *total, int parents)
{
	vec score = { 0 };

	for (int c = 0; c < 2 << parents; c += 2)
		score += cell_terms(ln_factorial, with[c], with[c + 1]) +
			 cell_terms(ln_factorial, total[c] - with[c], total[c + 1] - with[c + 1]);
	return score;
}

/* The best so far in each lane; gains are at least 0. */
struct best_lanes {
	vec gain, variable, candidate;
};

static void put_best(struct best_lanes *best, vec gain, vec variable, vec candidate)
{
	vec better = (vec)((vec_signed)gain > (vec_signed)best->gain);

	better |= (vec)(gain == best->gain) & (vec)(variable < best->variable);
	best->gain = vec_choose(better, gain, best->gain);
	best->variable = vec_choose(better, variable, best->variable);
	best->candidate = vec_choose(better, candidate, best->candidate);
}

static struct boa_pack_choice best_of(const struct best_lanes *best)
{
	struct boa_pack_choice choice = { 0, 0 };
	uint32_t variable = 0;

	for (int lane = 0; lane < VEC_LANES; lane++) {
		int32_t gain = (int32_t)best->gain[lane];

		if (gain > choice.gain ||
		    (gain == choice.gain && gain > 0 && best->variable[lane] < variable)) {
			choice.gain = gain;
			choice.candidate = (int32_t)best->candidate[lane];
			variable = best->variable[lane];
		}
	}
	return choice;
}

__attribute__((always_inline)) static inline struct boa_pack_choice
choose(const struct boa_k2_table *ln, const uint32_t *variable, int32_t candidates,
       uint32_t *const *counts, const uint32_t *total, uint32_t score, int parents)
{
	struct best_lanes best = { { 0 }, { 0 }, { 0 } };
	const float unit = ldexpf(1, -ln->scale);
	struct strata strata;
	float least = 0; /* in nats; smaller gains are of no use */

	strata_make(&strata, ln, total, parents);
	for (uint32_t at = 0; at < (uint32_t)candidates; at += VEC_LANES) {
		vec with[2 << (BOA_PARENTS_MAX - 1)], candidate = vec_lanes() + at, there, gain;
		vec_float bound;

		configurations_with(with, counts, at, parents);
		there = (vec)(candidate < (uint32_t)candidates);
		bound = strata_bound(&strata, with, parents);
		if (!vec_any_above((vec_float)((vec)bound & there), least))
			continue;
		gain = score_with(ln->at, with, total, parents) - score;
		put_best(&best, gain & there, vec_load(variable + at), candidate);
		least = (float)best_of(&best).gain * unit;
	}
	return best_of(&best);
}

struct boa_pack_choice boa_pack_choose(const struct boa_k2_table *ln, const uint32_t *variable,
				       int parents, int32_t candidates, uint32_t *const *counts,
				       const uint32_t *total, uint32_t score)
{
	switch (parents) {
#define OF(p)                                                                                      \
	case p:                                                                                    \
		return choose(ln, variable, candidates, counts, total, score, p);
		OF(0)
		OF(1)
		OF(2)
		OF(3)
		OF(4)
		OF(5)
#undef OF
	default:
		return (struct boa_pack_choice){ 0, 0 };
	}
}
