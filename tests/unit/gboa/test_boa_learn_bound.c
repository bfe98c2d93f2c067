/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The upper bound of gains is never below a gain, and tight enough to be useful. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_naive.h"

#define boa_pack_count count_here
#define boa_pack_choose choose_here
#include "algorithms/gboa/boa/learn_counts.c"
#undef boa_pack_count
#undef boa_pack_choose

/* Counts of one configuration of the parents: individuals with v = 0 and v = 1, and those among
 * them with the candidate. */
struct split {
	uint32_t zeros, ones, zeros_with, ones_with;
};

static double cells(uint32_t zeros, uint32_t ones)
{
	return lgamma(zeros + 1.0) + lgamma(ones + 1.0) - lgamma(zeros + ones + 2.0);
}

static double gain_of(const struct split *s, int splits)
{
	double gain = 0;

	for (int a = 0; a < splits; a++)
		gain += cells(s[a].zeros_with, s[a].ones_with) +
			cells(s[a].zeros - s[a].zeros_with, s[a].ones - s[a].ones_with) -
			cells(s[a].zeros, s[a].ones);
	return gain;
}

static double bound_of(const struct split *s, int parents, const struct boa_k2_table *t)
{
	vec with[2 << BOA_PARENTS_MAX];
	uint32_t total[2 << BOA_PARENTS_MAX];
	struct strata strata;

	for (int a = 0; a < 1 << parents; a++) {
		total[2 * a] = s[a].zeros;
		total[2 * a + 1] = s[a].ones;
		with[2 * a] = vec_all(s[a].zeros_with);
		with[2 * a + 1] = vec_all(s[a].ones_with);
	}
	strata_make(&strata, t, total, parents);
	return (double)strata_bound(&strata, with, parents)[VEC_LANES - 1];
}

/* About `share` of `of` individuals, or an extreme: none or all. */
static uint32_t part(struct rng *r, uint32_t of, double share)
{
	double deviation = sqrt(of * share * (1 - share)), x = of * share;

	if (rng_below(r, 12) == 0)
		return rng_below(r, 2) ? of : 0;
	x += deviation * 4 * (rng_unit(r) + rng_unit(r) - 1);
	return x < 0 ? 0 : x > of ? of : (uint32_t)x;
}

static void check_bounds(const struct boa_k2_table *t, int parents)
{
	struct rng r = rng_seeded((uint64_t)t->count);

	for (int i = 0; i < 2000; i++) {
		struct split s[1 << BOA_PARENTS_MAX];
		uint32_t left = (uint32_t)t->count;
		double share = rng_unit(&r), same = rng_below(&r, 2) ? share : rng_unit(&r);
		double gain, bound;

		for (int a = 0; a < 1 << parents; a++) {
			uint32_t all = part(&r, left, a + 1 < 1 << parents ? 0.4 : 1);

			left -= all;
			s[a].ones = part(&r, all, rng_unit(&r));
			s[a].zeros = all - s[a].ones;
			s[a].ones_with = part(&r, s[a].ones, share);
			s[a].zeros_with = part(&r, s[a].zeros, same);
		}
		gain = gain_of(s, 1 << parents);
		bound = bound_of(s, parents, t);
		if (!(bound >= gain))
			fail_msg("count %d, %d parents, case %d: gain %g, bound %g", t->count,
				 parents, i, gain, bound);
	}
}

static void the_bound_is_never_below_a_gain(void **state)
{
	static const int counts[] = { 1, 2, 5, 32, 500, 2400, 100000, 1 << 20 };

	(void)state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
		struct boa_k2_table t;

		assert_int_equal(boa_k2_table_create(&t, counts[c], NULL), 0);
		for (int parents = 0; parents < BOA_PARENTS_MAX; parents++)
			check_bounds(&t, parents);
		boa_k2_table_destroy(&t);
	}
}

/* Every possible split of few individuals. */
static void the_bound_holds_for_all_small_splits(void **state)
{
	struct boa_k2_table t;

	(void)state;
	assert_int_equal(boa_k2_table_create(&t, 24, NULL), 0);
	for (uint32_t zeros = 0; zeros <= 12; zeros++)
		for (uint32_t ones = 0; ones <= 12; ones++)
			for (uint32_t zeros_with = 0; zeros_with <= zeros; zeros_with++)
				for (uint32_t ones_with = 0; ones_with <= ones; ones_with++) {
					struct split s = { zeros, ones, zeros_with, ones_with };

					assert_true(bound_of(&s, 0, &t) >= gain_of(&s, 1));
				}
	boa_k2_table_destroy(&t);
}

/* With little information and many individuals, the bound is less than one nat too high. */
static void the_bound_is_less_than_a_nat_too_high(void **state)
{
	struct rng r = rng_seeded(9);
	struct boa_k2_table t;

	(void)state;
	assert_int_equal(boa_k2_table_create(&t, 2400, NULL), 0);
	for (int i = 0; i < 2000; i++) {
		uint32_t with = (uint32_t)rng_between(&r, 900, 1500);
		struct split s = { 1200, 1200, with / 2, 0 };

		s.ones_with = (uint32_t)((int)(with / 2) + (int)rng_between(&r, -40, 40));
		assert_true(bound_of(&s, 0, &t) < gain_of(&s, 1) + 1);
	}
	boa_k2_table_destroy(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bound_is_never_below_a_gain),
		cmocka_unit_test(the_bound_holds_for_all_small_splits),
		cmocka_unit_test(the_bound_is_less_than_a_nat_too_high),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
