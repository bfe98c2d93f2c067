/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Functions of bit strings by their oracle: values worked out by hand or from the definition,
 * optima by two methods, names. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datasets/knapsack/knapsack.h"
#include "datasets/landscape/landscape.h"
#include "datasets/landscape/landscape_exact.h"
#include "harness/base/rng.h"
#include "tests/unit/datasets/all_strings.h"

static struct landscape loaded(const char *problem, const char *instance)
{
	struct landscape l;
	struct err e = { 0 };

	if (landscape_load(&l, problem, instance, &e))
		fail_msg("%s", e.text);
	return l;
}

/* The optimum that variable elimination alone finds. */
static int32_t optimum_by_elimination(struct landscape l)
{
	l.optimum_known = false;
	assert_int_equal(landscape_try_elimination(&l, NULL), 0);
	assert_true(l.optimum_known);
	assert_string_equal(l.optimum_by, "variable elimination");
	return l.optimum;
}

/* f of a string "1101..."; '.' and blanks are ignored. */
static int64_t value_of(const char *problem, const char *instance, const char *text)
{
	struct landscape l = loaded(problem, instance);
	uint8_t bits[256];
	int32_t n = 0;
	int64_t f;

	for (; *text; text++)
		if (*text == '0' || *text == '1')
			bits[n++] = (uint8_t)(*text - '0');
	assert_int_equal(n, l.n);
	f = landscape_evaluate(&l, bits);
	landscape_free(&l);
	return f;
}

static void traps_are_deceptive(void **state)
{
	(void)state;
	assert_int_equal(value_of("trap5", "5", "00000"), 4);
	assert_int_equal(value_of("trap5", "5", "00100"), 3);
	assert_int_equal(value_of("trap5", "5", "10111"), 0);
	assert_int_equal(value_of("trap5", "5", "11111"), 5);
	assert_int_equal(value_of("trap5", "15", "11111 01010 00000"), 5 + 2 + 4);
	assert_int_equal(value_of("trap2", "6", "11 10 00"), 2 + 0 + 1);
	assert_int_equal(value_of("onemax", "7", "1101001"), 4);
	assert_int_equal(value_of("overlap3", "5", "11111"), 6);
	assert_int_equal(value_of("overlap3", "5", "11100"), 3 + 1);
	assert_int_equal(value_of("overlap3", "5", "00111"), 1 + 3);
	assert_int_equal(value_of("overlap3", "5", "00000"), 4);
}

/* Pelikan's: l 3^l for all ones; zeros lose 0.1 3^l at the top (htrap), of which 0.1 3^l / l come
 * back on each level below (htrap2). */
static void hierarchical_traps_are_as_defined(void **state)
{
	static const char *const sizes[] = { "3", "9", "27", "81", "243", "729", "59049" };
	static const int levels[] = { 1, 2, 3, 4, 5, 6, 10 };
	uint8_t *bits = malloc(59049);

	(void)state;
	assert_non_null(bits);
	for (int i = 0; i < 7; i++)
		for (int kind = 1; kind <= 2; kind++) {
			struct landscape l = loaded(kind == 1 ? "htrap" : "htrap2", sizes[i]);
			int64_t scale = kind == 1 ? 20 : 20 * levels[i];
			int64_t zeros = kind == 1 ? 20 * levels[i] * l.n - 2 * l.n :
						    20 * levels[i] * levels[i] * l.n - 2 * l.n;

			memset(bits, 1, (size_t)l.n);
			assert_int_equal(landscape_evaluate(&l, bits), scale * levels[i] * l.n);
			assert_int_equal(l.optimum, scale * levels[i] * l.n);
			assert_int_equal(landscape_solved_terms(&l, bits), l.terms);
			memset(bits, 0, (size_t)l.n);
			assert_int_equal(landscape_evaluate(&l, bits), zeros);
			assert_int_equal(landscape_solved_terms(&l, bits), 0);
			landscape_free(&l);
		}
	free(bits);
}

static void blocks_without_a_symbol_add_nothing_on_higher_levels(void **state)
{
	(void)state;
	/* times 20: level 1 counts 3, the top 9 */
	assert_int_equal(value_of("htrap", "9", "111 000 111"), 3 * 60 + 9 * 0);
	assert_int_equal(value_of("htrap", "9", "111 000 000"), 3 * 60 + 9 * 9);
	assert_int_equal(value_of("htrap", "9", "110 111 111"), 3 * 40);
	assert_int_equal(value_of("htrap", "9", "100 000 000"), 3 * 50);
	assert_int_equal(value_of("htrap1", "9", "101 010 011"), 3 * 10);
	/* times 40: a block of zeros below the top is worth 42 */
	assert_int_equal(value_of("htrap2", "9", "111 000 111"), 3 * 122);
	assert_int_equal(value_of("htrap2", "9", "010 000 000"), 3 * (21 + 84));
}

/* Compares the best of all strings with the known optimum. */
static const char *const small[][2] = {
	{ "trap3", "12" },
	{ "trap4", "16" },
	{ "trap5", "15" },
	{ "trap8", "16" },
	{ "onemax", "13" },
	{ "overlap2", "13" },
	{ "overlap4", "16" },
	{ "overlap5", "13" },
	{ "htrap", "9" },
	{ "htrap2", "9" },
	{ "nk", "14:0:3" },
	{ "nk", "14:2" },
	{ "nk", "15:5:7" },
	{ "nk", "10:9:2" },
	{ "nk", "1:0" },
	{ "nk", "ring:14:3" },
	{ "ising", "2" },
	{ "ising", "3:4" },
	{ "ising", "4" },
	{ "ising", "4:2" },
	{ "ising", "4:3" },
	{ "maxsat", "random:12:70:5" },
	{ "maxsat", "random:15:120" },
	{ "maxsat", "random:3:9" },
	{ "maxsat", "planted:14:200" },
	{ "knapsack", "boyer:14" },
	{ "knapsack", "correlation:weak:13:5" },
	{ "knapsack", "hard:12:1000:3:0.3:0.001:20" },
};

static void known_optima_are_the_best_of_all_strings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++) {
		struct landscape l = loaded(small[i][0], small[i][1]);
		uint8_t best[24];
		int64_t f = best_of_all_strings(&l, best);

		if (!l.optimum_known || f != l.optimum)
			fail_msg("%s: %" PRId64 ", known %d", l.name, f, l.optimum);
		assert_non_null(l.optimum_by);
		assert_int_equal(landscape_evaluate(&l, best), f);
		assert_in_range(f, l.least < 0 ? 0 : l.least, l.greatest);
		landscape_free(&l);
	}
}

static void both_exact_methods_agree_on_tori(void **state)
{
	(void)state;
	for (int side = 2; side <= 6; side++)
		for (int seed = 1; seed <= 3; seed++) {
			char name[32];
			struct landscape l;

			snprintf(name, sizeof(name), "%d:%d", side, seed);
			l = loaded("ising", name);
			assert_string_equal(l.optimum_by, "transfer matrix");
			assert_int_equal(optimum_by_elimination(l), l.optimum);
			landscape_free(&l);
		}
}

static double mean_energy(int side, uint64_t seeds)
{
	double sum = 0;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		int64_t optimum;

		assert_int_equal(landscape_ising_transfer(side, seed, &optimum, NULL), 0);
		sum += (double)(2 * side * side - 2 * optimum) / (side * side);
	}
	return sum / (double)seeds;
}

/* -1.4019 per spin on the infinite torus (Campbell, Hartmann, Katzgraber, Physical Review B 70,
 * 2004); small ones approach it as 1 / side^2. The mean of 120 of side 8 is good to 0.006 or so. */
static void ground_states_have_the_published_energy(void **state)
{
	double four = mean_energy(4, 400), eight = mean_energy(8, 120);

	(void)state;
	assert_true(fabs((64 * eight - 16 * four) / 48 + 1.4019) < 0.02);
}

static void elimination_solves_long_chains(void **state)
{
	struct landscape l = loaded("overlap5", "1001"), trap = loaded("overlap8", "1002");

	(void)state;
	assert_int_equal(optimum_by_elimination(l), l.optimum);
	assert_int_equal(optimum_by_elimination(trap), trap.optimum);
	landscape_free(&l);
	landscape_free(&trap);
	l = loaded("nk", "ring:500:5:3");
	assert_string_equal(l.optimum_by, "variable elimination");
	landscape_free(&l);
}

/* Too many variables depend on each other: no optimum is claimed. */
static void elimination_leaves_dense_functions_alone(void **state)
{
	static const char *const hard[][2] = { { "nk", "300:6" },
					       { "ising", "20" },
					       { "maxsat", "random:200:860" } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct landscape l = loaded(hard[i][0], hard[i][1]);

		assert_false(l.optimum_known);
		assert_null(l.optimum_by);
		landscape_free(&l);
	}
}

/* The list of known optima has both, but no status may depend on it. */
static void no_optimum_comes_from_a_list_of_known_values(void **state)
{
	struct landscape worked_out = loaded("knapsack", "boyer:10000:1");
	struct landscape unknown = loaded("knapsack", "boyer:30000:1");

	(void)state;
	assert_true(worked_out.optimum_known);
	assert_int_equal(worked_out.optimum, 2883787);
	assert_string_equal(worked_out.optimum_by, "sparse dynamic programming");
	assert_false(unknown.optimum_known);
	landscape_free(&worked_out);
	landscape_free(&unknown);
}

static void knapsacks_that_do_not_fit_are_negative(void **state)
{
	struct landscape l = loaded("knapsack", "boyer:100:2");
	struct knapsack k;
	struct rng r = rng_seeded(5);

	(void)state;
	assert_int_equal(knapsack_load(&k, "boyer:100:2", NULL), 0);
	for (int t = 0; t < 200; t++) {
		uint8_t bits[100];
		int64_t profit = 0, weight = 0, f;

		for (int i = 0; i < 100; i++) {
			bits[i] = rng_below(&r, 200) < (uint64_t)t;
			profit += bits[i] ? k.profit[i] : 0;
			weight += bits[i] ? k.weight[i] : 0;
		}
		f = landscape_evaluate(&l, bits);
		assert_int_equal(f, weight > k.capacity ? k.capacity - weight : profit);
		assert_true(weight > k.capacity ? f < 0 : f >= 0);
		assert_true(f >= l.least && f <= l.greatest);
	}
	knapsack_free(&k);
	landscape_free(&l);
	l = loaded("knapsack", "boyer:10000:1");
	assert_int_equal(l.optimum, 2883787);
	landscape_free(&l);
}

static void bad_names_are_refused(void **state)
{
	static const struct {
		const char *problem, *instance;
		int code;
		const char *words;
	} bad[] = {
		{ "trap", "10", ERR_USAGE, "not a known problem" },
		{ "trap1", "10", ERR_USAGE, "2 to 8 bits" },
		{ "trap9", "9", ERR_USAGE, "2 to 8 bits" },
		{ "trap10", "10", ERR_USAGE, "not a known problem" },
		{ "trap0", "10", ERR_USAGE, "not a known problem" },
		{ "onemax3", "9", ERR_USAGE, "not a known problem" },
		{ "", "9", ERR_USAGE, "not a known problem" },
		{ "htrap3", "9", ERR_USAGE, "htrap1 and htrap2" },
		{ "trap5", "", ERR_INPUT, "expected a number" },
		{ "trap5", "12", ERR_INPUT, "not a multiple of 5" },
		{ "trap5", "-5", ERR_INPUT, "expected a number" },
		{ "trap5", "5:5", ERR_INPUT, "expected a number" },
		{ "trap5", "0", ERR_INPUT, "0 variables" },
		{ "trap5", "65540", ERR_INPUT, "not in 1..65536" },
		{ "trap5", "9999999999999999999999", ERR_INPUT, "expected a number" },
		{ "overlap3", "12", ERR_INPUT, "2 times a number" },
		{ "overlap5", "1", ERR_INPUT, "4 times a number" },
		{ "overlap1", "5", ERR_USAGE, "2 to 8 bits" },
		{ "htrap", "1", ERR_INPUT, "not 3, 9, 27" },
		{ "htrap", "82", ERR_INPUT, "not 3, 9, 27" },
		{ "htrap", "177147", ERR_INPUT, "not 3, 9, 27" },
		{ "nk", "20", ERR_INPUT, "expected N:K" },
		{ "nk", "20:20", ERR_INPUT, "K = 20 is not below N" },
		{ "nk", "200:21", ERR_INPUT, "at most 20" },
		{ "nk", "4000:2", ERR_INPUT, "do not fit in 32 bits" },
		{ "nk", "2000:20", ERR_INPUT, "table values are more than" },
		{ "nk", "20:2:3:4", ERR_INPUT, "expected N:K" },
		{ "nk", "ring:20", ERR_INPUT, "expected N:K" },
		{ "nk", "20:2:", ERR_INPUT, "expected N:K" },
		{ "ising", "1", ERR_INPUT, "a side of 1" },
		{ "ising", "257", ERR_INPUT, "a side of 257" },
		{ "ising", "x", ERR_INPUT, "expected SIDE" },
		{ "knapsack", "boyer:0", ERR_INPUT, "expected boyer" },
		{ "knapsack", "boyer:70000", ERR_INPUT, "not in 1..65536" },
		{ "knapsack", "hard:1200:10000000000:10:0.3:0.00001:100", ERR_INPUT,
		  "do not fit in 32 bits" },
		{ "knapsack", "no such file", ERR_INPUT, "No such file" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct landscape l;
		struct err e = { 0 };

		assert_int_equal(landscape_load(&l, bad[i].problem, bad[i].instance, &e),
				 bad[i].code);
		if (!strstr(e.text, bad[i].words) ||
		    !strstr(e.text, strstr(bad[i].words, "not a known problem") ? bad[i].problem :
										  bad[i].instance))
			fail_msg("%s %s: '%s'", bad[i].problem, bad[i].instance, e.text);
		assert_int_equal(l.n, 0);
		assert_null(l.data);
		assert_null(l.source);
	}
}

/* These instances must never change: recorded results depend on them. */
static void generated_instances_never_change(void **state)
{
	static const int32_t nk[] = { 12,     0,      2,      16,     1,      2,      20,
				      2,      0,      24,     3,      1,      466966, 34331,
				      45969,  563635, 398562, 799256, 416868, 152705, 724033,
				      246054, 433911, 85121,  770150, 371200, 936289, 286750 };
	struct landscape l = loaded("nk", "4:1:1");
	uint64_t couplings = 0;

	(void)state;
	assert_int_equal(l.data_count, sizeof(nk) / sizeof(nk[0]));
	assert_memory_equal(l.data, nk, sizeof(nk));
	assert_string_equal(l.name, "nk:4:1:1");
	landscape_free(&l);
	for (int c = 0; c < 18; c++)
		couplings |= (uint64_t)landscape_ising_unequal(1, c) << c;
	assert_int_equal(couplings, 0x32ae7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traps_are_deceptive),
		cmocka_unit_test(hierarchical_traps_are_as_defined),
		cmocka_unit_test(blocks_without_a_symbol_add_nothing_on_higher_levels),
		cmocka_unit_test(known_optima_are_the_best_of_all_strings),
		cmocka_unit_test(no_optimum_comes_from_a_list_of_known_values),
		cmocka_unit_test(both_exact_methods_agree_on_tori),
		cmocka_unit_test(ground_states_have_the_published_energy),
		cmocka_unit_test(elimination_solves_long_chains),
		cmocka_unit_test(elimination_leaves_dense_functions_alone),
		cmocka_unit_test(knapsacks_that_do_not_fit_are_negative),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(generated_instances_never_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
