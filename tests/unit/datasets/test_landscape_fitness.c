/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The evaluation of packed individuals, which every engine uses, compared with the oracles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gboa/boa/steps.h"
#include "harness/base/rng.h"

/* Strings with few ones, with half of them, and with almost only ones, so that solved blocks occur
 * too. */
static void draw(struct rng *r, uint32_t *words, size_t stride, int32_t n)
{
	for (int32_t v = 0; v < n; v++)
		for (size_t w = 0; w < stride; w++) {
			uint32_t word = (uint32_t)rng_next(r), other = (uint32_t)rng_next(r);
			uint32_t third = (uint32_t)rng_next(r);

			words[(size_t)v * stride + w] = w == 0 ? word :
							w == 1 ? word | other | third :
								 word & other & third;
		}
}

static void check_against_oracle(const struct landscape *l, const uint32_t *words, size_t stride)
{
	struct boa_fitness view = boa_landscape_fitness(l, l->data);
	uint8_t *bits = malloc((size_t)l->n);

	assert_non_null(bits);
	for (size_t w = 0; w < stride; w++)
		for (uint32_t bit = 0; bit < 32; bit++) {
			int32_t f = boa_fitness_of(&view, words + w, stride, bit);

			for (int32_t v = 0; v < l->n; v++)
				bits[v] = words[(size_t)v * stride + w] >> bit & 1;
			if (f != landscape_evaluate(l, bits))
				fail_msg("%s: %d, not %d", l->name, f,
					 (int)landscape_evaluate(l, bits));
			assert_true(f >= l->least && f <= l->greatest);
			assert_in_range(landscape_solved_terms(l, bits), 0, l->terms);
		}
	free(bits);
}

static const char *const instances[][2] = {
	{ "trap2", "14" },
	{ "trap3", "99" },
	{ "trap4", "64" },
	{ "trap5", "1000" },
	{ "trap6", "36" },
	{ "trap7", "77" },
	{ "trap8", "800" },
	{ "onemax", "101" },
	{ "overlap2", "40" },
	{ "overlap3", "61" },
	{ "overlap5", "1001" },
	{ "overlap8", "71" },
	{ "htrap", "3" },
	{ "htrap", "9" },
	{ "htrap", "243" },
	{ "htrap2", "27" },
	{ "htrap2", "2187" },
	{ "nk", "30:0" },
	{ "nk", "50:4:9" },
	{ "nk", "1000:3" },
	{ "nk", "25:12" },
	{ "ising", "2" },
	{ "ising", "7:3" },
	{ "ising", "20" },
	{ "maxsat", "random:50:218" },
	{ "maxsat", "random:600:2500" },
	{ "maxsat", "planted:40:160" },
	{ "knapsack", "boyer:100" },
	{ "knapsack", "hard:100:100000:10:0.3:0.00001:100" },
	{ "knapsack", "boyer:1000:3" },
};

static void packed_evaluation_equals_the_oracle(void **state)
{
	enum { STRIDE = 3 };
	struct rng r = rng_seeded(17);

	(void)state;
	for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
		struct landscape l;
		struct err e = { 0 };
		uint32_t *words;

		if (landscape_load(&l, instances[i][0], instances[i][1], &e))
			fail_msg("%s", e.text);
		words = malloc((size_t)l.n * STRIDE * sizeof(*words));
		assert_non_null(words);
		draw(&r, words, STRIDE, l.n);
		check_against_oracle(&l, words, STRIDE);
		free(words);
		landscape_free(&l);
	}
}

/* Weighted and hard clauses, an empty one, and weights near the limit. */
static void packed_evaluation_of_files_equals_the_oracle(void **state)
{
	static const char *const files[] = { "maxsat_plain.cnf", "maxsat_top.wcnf",
					     "maxsat_2022.wcnf", "maxsat_weights.wcnf" };
	const char *root = getenv("COPRA_TEST_DATA");
	struct rng r = rng_seeded(18);

	(void)state;
	for (int i = 0; i < 4; i++) {
		char path[256];
		struct landscape l;
		struct err e = { 0 };
		uint32_t words[2 * 4];

		snprintf(path, sizeof(path), "%s/%s", root ? root : "tests/data", files[i]);
		if (landscape_load(&l, "maxsat", path, &e))
			fail_msg("%s", e.text);
		assert_in_range(l.n, 3, 4);
		draw(&r, words, 2, l.n);
		check_against_oracle(&l, words, 2);
		landscape_free(&l);
	}
}

/* All 512 strings of hierarchical traps, so that every kind of block and child occurs. */
static void hierarchical_traps_equal_the_oracle_on_all_strings(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct landscape l;
		static uint32_t words[9 * 16]; /* static: else gcc warns with ASan */

		memset(words, 0, sizeof(words));
		assert_int_equal(landscape_load(&l, kind ? "htrap2" : "htrap", "9", NULL), 0);
		for (uint32_t s = 0; s < 512; s++)
			for (uint32_t v = 0; v < 9; v++)
				words[v * 16 + s / 32] |= (s >> v & 1) << s % 32;
		check_against_oracle(&l, words, 16);
		landscape_free(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_evaluation_equals_the_oracle),
		cmocka_unit_test(packed_evaluation_of_files_equals_the_oracle),
		cmocka_unit_test(hierarchical_traps_equal_the_oracle_on_all_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
