/* An upper bound of gains that looks nothing up: most candidates gain nothing, and looking up
 * factorials takes longer than all the rest.
 *
 * Of a configuration of v's parents with N individuals, K of them with v = 1, a candidate u is 1 in
 * N1, and both are in K1; N0 = N - N1, K0 = K - K1, P = N1 N0. Its part of the gain is
 *
 *   ln (N + 1) - ln ((N1 + 1) (N0 + 1)) + ln (C(N, K) / (C(N1, K1) C(N0, K0)))
 *
 * where (N1 + 1) (N0 + 1) = P + N + 1. For 0 < k < n, e^(n H(k/n)) times sqrt(n / (8 k (n - k))) is
 * at most C(n, k), and times sqrt(n / (2 pi k (n - k))) at least. With k (n - k) <= n^2 / 4 in
 * C(N1, K1) and C(N0, K0), the last logarithm is at most
 *
 *   I + ln (N / (2 pi K (N - K))) / 2 + ln 2 + ln (P + N + 1) / 2
 *
 * (also where K1 or K0 is 0 or all), and it is 0 where K is 0 or N. I is N times the mutual
 * information: the sum over the four cells of E (1 + d) ln (1 + d), E the expected number, E d =
 * +-D, D = K1 - N1 K / N. As (1 + d) ln (1 + d) <= d + d^2 / 2, and <= d + d^2 / 2 + |d|^3 / 2 for
 * d < 0, and E >= P min(K, N - K) / N^2,
 *
 *   I <= X (1 + |D| N^2 / (P min(K, N - K))),   X = D^2 N^3 / (2 P K (N - K))
 *
 * The logarithm to base 2 is at least what a float's bits say when they are read as a whole number.
 */
#ifndef COPRA_GBOA_LEARN_PACK_BOUND_H
#define COPRA_GBOA_LEARN_PACK_BOUND_H

#include <math.h>

#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/k2.h"
#include "algorithms/gboa/learn_vector.h"

/* For what floats round off: in proportion, and in nats. */
#define BOUND_FACTOR 1.002f
#define BOUND_NATS 0.02f
/* For what the table rounds off, of a configuration. */
#define BOUND_UNITS 8
/* Keeps 1 / P finite; P is whole. */
#define BOUND_LEAST 0.0005f

/* What the bound needs of a configuration. */
struct stratum {
	float all, mean; /* N, K / N */
	float factor;    /* of D^2 / P */
	float skew;      /* of |D| / P */
	float bits;      /* of the bits of P + N + 1 */
};

struct strata {
	struct stratum of[1 << BOA_PARENTS_MAX];
	float sum; /* of all that does not depend on the candidate */
};

/* ln m, m >= 1, to one unit of the table. */
static inline float ln_of(const struct k2_table *t, uint32_t m)
{
	return (float)(t->at[m] - t->at[m - 1]);
}

/* total[]: of configurations, v's value lowest. */
static inline void strata_make(struct strata *s, const struct k2_table *ln, const uint32_t *total,
			       int parents)
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

/* In nats; with[]: of configurations, with the candidate. */
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

#endif
