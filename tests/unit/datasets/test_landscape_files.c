/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Readers of DIMACS files: good files, bad files, and arbitrary bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datasets/landscape/landscape.h"
#include "datasets/landscape/landscape_clauses.h"
#include "tests/unit/datasets/all_strings.h"
#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/base/temporary_folder.h"

static struct landscape loaded(const char *name)
{
	struct landscape l;
	struct err e = { 0 };

	if (landscape_load(&l, "maxsat", name, &e))
		fail_msg("%s", e.text);
	return l;
}

/* The satisfied clauses of maxsat_plain.cnf, written out by hand. */
static int plain_value(const uint8_t *x)
{
	return (x[0] || x[1]) + (x[0] || !x[1]) + (!x[0] || x[1]) + (!x[0] || !x[1]) +
	       (x[2] || x[3]) + (!x[2] || !x[3]) + (x[0] || x[2] || !x[3]) + !x[3];
}

static void all_formats_give_the_same_clauses(void **state)
{
	static const char *const files[] = { "maxsat_plain.cnf",
					     "maxsat_blanks_crlf_no_newline.cnf" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct landscape l = loaded(data(files[i]));
		char name[128];

		snprintf(name, sizeof(name), "maxsat:%s", files[i]);
		assert_string_equal(l.name, name);
		assert_int_equal(l.n, 4);
		assert_int_equal(l.terms, 8);
		assert_int_equal(l.greatest, 8);
		assert_true(l.optimum_known);
		assert_int_equal(l.optimum, 7);
		for (int s = 0; s < 16; s++) {
			uint8_t x[4] = { s & 1, s >> 1 & 1, s >> 2 & 1, s >> 3 & 1 };

			assert_int_equal(landscape_evaluate(&l, x), plain_value(x));
			assert_int_equal(landscape_solved_terms(&l, x), plain_value(x));
		}
		landscape_free(&l);
	}
}

/* Hard clauses weigh 1 + 14. */
static int hard_value(const uint8_t *x)
{
	return 15 * (x[0] || x[1]) + 15 * (!x[0] || !x[1]) + 5 * (!x[0] || x[2]) + 3 * !x[1] +
	       2 * (!x[2] || x[3]) + 4 * (!x[2] || !x[3]);
}

static void hard_clauses_weigh_more_than_all_soft_ones(void **state)
{
	static const char *const files[] = { "maxsat_top.wcnf", "maxsat_2022.wcnf" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct landscape l = loaded(data(files[i]));

		assert_int_equal(l.n, 4);
		assert_int_equal(l.terms, 6);
		assert_int_equal(l.greatest, 44);
		assert_int_equal(l.optimum, 42); /* x1, x3, not x2, not x4: all but the 2 */
		for (int s = 0; s < 16; s++) {
			uint8_t x[4] = { s & 1, s >> 1 & 1, s >> 2 & 1, s >> 3 & 1 };

			assert_int_equal(landscape_evaluate(&l, x), hard_value(x));
		}
		landscape_free(&l);
	}
}

/* Without a top weight no clause is hard. An empty clause is never satisfied. */
static void weights_are_summed(void **state)
{
	struct landscape l = loaded(data("maxsat_weights.wcnf"));
	const uint8_t none[3] = { 0 }, two[3] = { 1, 1, 0 };

	(void)state;
	assert_int_equal(l.greatest, 1000010);
	assert_int_equal(landscape_evaluate(&l, none), 1000001);
	assert_int_equal(landscape_evaluate(&l, two), 8);
	assert_int_equal(l.optimum, 1000008);
	landscape_free(&l);
}

static int load_and_drop(const char *name, struct err *e)
{
	struct landscape l;
	int status = landscape_load(&l, "maxsat", name, e);

	if (status) {
		assert_int_equal(l.n, 0);
		assert_null(l.data);
		assert_null(l.source);
	}
	landscape_free(&l);
	return status;
}

static const struct bad_file bad_files[] = {
	{ "empty.cnf", 0, "no clauses" },
	{ "only_comments.cnf", 0, "no clauses" },
	{ "other_problem.cnf", 2, "expected p cnf or p wcnf" },
	{ "header_short.cnf", 1, "number of clauses is missing" },
	{ "header_long.cnf", 1, "unexpected text after the header" },
	{ "header_letters.cnf", 1, "number of variables is not an integer" },
	{ "header_twice.cnf", 3, "second header" },
	{ "header_late.cnf", 2, "second header, or a header after clauses" },
	{ "negative_count.cnf", 1, "number of clauses is negative" },
	{ "no_variables.cnf", 1, "0 variables are not in 1..65536" },
	{ "no_clauses.cnf", 0, "no clauses" },
	{ "too_many_variables.cnf", 1, "65537 variables are not in 1..65536" },
	{ "gigantic_count.cnf", 0, "ends after 2 of 1000000000000 clauses" },
	{ "count_overflows.cnf", 1, "number of clauses does not fit in 64 bits" },
	{ "more_clauses.cnf", 3, "more clauses than the 1 of the header" },
	{ "fewer_clauses.cnf", 0, "ends after 2 of 3 clauses" },
	{ "open_clause.cnf", 0, "ends within a clause" },
	{ "variable_above.cnf", 3, "variable 4 is above 3" },
	{ "variable_overflows.cnf", 2, "literal does not fit in 64 bits" },
	{ "letters.cnf", 2, "literal is not an integer" },
	{ "fraction.cnf", 2, "literal is not an integer" },
	{ "lone_minus.cnf", 2, "a minus without a variable" },
	{ "minus_zero.cnf", 2, "a minus without a variable" },
	{ "percent.wcnf", 3, "weight is not an integer" },
	{ "nul_byte.cnf", 2, "not text" },
	{ "weight_zero.wcnf", 3, "weight 0 is not in" },
	{ "weight_negative.wcnf", 2, "weight is negative" },
	{ "weight_large.wcnf", 2, "weight 2147483648 is not in" },
	{ "weight_letter.wcnf", 2, "weight is not an integer" },
	{ "weight_missing.wcnf", 0, "within a clause" },
	{ "weights_sum.wcnf", 2, "the clauses up to here weigh" },
	{ "hard_sum.wcnf", 3, "a hard one: 1 + the sum of the soft weights" },
	{ "hard_sum_old.wcnf", 4, "a hard one: 1 + the sum of the soft weights" },
	{ "top_zero.wcnf", 1, "top weight 0" },
	{ "variable_above.wcnf", 2, "variable 65537 is above 65536" },
	{ "no_variables.wcnf", 0, "no clauses" },
	{ "does_not_exist.cnf", 0, "No such file" },
};

static void bad_files_are_refused_with_their_line(void **state)
{
	(void)state;
	check_bad_files("bad_maxsats", bad_files, sizeof(bad_files) / sizeof(bad_files[0]),
			load_and_drop);
}

static void bad_names_are_refused(void **state)
{
	static const char *const names[] = { "random:",
					     "random:10",
					     "random:2:5",
					     "random:10:0",
					     "random:10:5:",
					     "random:10:5:1:1",
					     "random:10:-5",
					     "random:10: 5",
					     "planted:70000:5",
					     "planted:10:5:1x",
					     "random:10:99999999999",
					     "." };

	(void)state;
	check_bad_names(names, sizeof(names) / sizeof(names[0]), load_and_drop);
}

/* Lines longer than the reader's buffer. */
static void long_lines_are_refused(void **state)
{
	char path[128];
	FILE *out;
	struct err e = { 0 };

	(void)state;
	snprintf(path, sizeof(path), "%s/long.cnf", folder);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs("p cnf 3 1\n", out);
	for (int i = 0; i < 700000; i++)
		fputs("1 ", out);
	fputs("0\n", out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(load_and_drop(path, &e), ERR_INPUT);
	check_refusal(&e, "long.cnf", 2, "line too long");
}

static void damaged_files_are_read_or_refused(void **state)
{
	static const char *const good[] = {
		"c a comment\np cnf 5 4\n1 -2 3 0\n-1 0\n2 4 -5 0\n5 0\n%\n0\n",
		"c a comment\np wcnf 5 4 90\n7 1 -2 3 0\n90 -1 0\n12 2 4 -5 0\n90 5 0\n",
		"c a comment\nh 1 -2 3 0\n7 -1 0\n12 2 4 -5 0\nh 5 0\n",
	};
	static const char bytes[] = "0123456789-- \n\n\r\tcphw%x.\0\xff";
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/damaged.cnf", folder);
	for (uint64_t i = 0; i < 3; i++)
		assert_in_range(check_damaged_files(path, good[i], bytes, sizeof(bytes) - 1, i,
						    load_and_drop),
				10, 1990);
}

/* These clauses must never change: recorded results depend on them. */
static void generated_clauses_never_change(void **state)
{
	struct landscape l = loaded("random:9:3:1");
	static const int32_t literals[] = { 2, 12, 14, 10, 0, 4, 7, 13, 11 };

	(void)state;
	assert_int_equal(l.data_count, 4 + 3 * 4);
	for (int t = 0; t < 3; t++)
		assert_memory_equal(l.data + l.data[t] + 1, literals + 3 * t, 12);
	landscape_free(&l);
}

static void planted_clauses_can_all_be_satisfied(void **state)
{
	(void)state;
	for (int seed = 1; seed <= 20; seed++) {
		char name[64];
		struct landscape l;

		snprintf(name, sizeof(name), "planted:10:80:%d", seed);
		l = loaded(name);
		assert_string_equal(l.optimum_by, "planted solution");
		assert_int_equal(best_of_all_strings(&l, NULL), 80);
		assert_int_equal(l.optimum, 80);
		landscape_free(&l);
	}
}

/* The walk finds only true solutions and, at this size, misses none. */
static void the_walk_finds_every_small_solution(void **state)
{
	int satisfiable = 0;

	(void)state;
	for (int seed = 1; seed <= 60; seed++) {
		char name[64];
		struct landscape l;

		snprintf(name, sizeof(name), "random:10:45:%d", seed);
		l = loaded(name);
		assert_int_equal(best_of_all_strings(&l, NULL), l.optimum);
		assert_int_equal(l.optimum == 45,
				 strcmp(l.optimum_by, "satisfying assignment") == 0);
		satisfiable += l.optimum == 45;
		landscape_free(&l);
	}
	assert_in_range(satisfiable, 10, 50);
}

static void the_walk_finds_planted_assignments(void **state)
{
	struct landscape l = loaded("planted:150:620:3");
	struct clauses c = { .n = l.n };
	bool found;

	(void)state;
	for (int32_t t = 0; t < l.terms; t++) {
		int32_t literal[3], size = 0;

		for (int32_t i = l.data[t] + 1; i < l.data[t + 1]; i++)
			literal[size++] = (l.data[i] / 2 + 1) * (l.data[i] % 2 ? -1 : 1);
		assert_int_equal(size, 3);
		assert_int_equal(clauses_add(&c, literal, size, 1, NULL), 0);
	}
	assert_int_equal(clauses_walk(&c, &found, NULL), 0);
	assert_true(found);
	assert_int_equal(clauses_add(&c, NULL, 0, 1, NULL), 0); /* an empty clause */
	assert_int_equal(clauses_walk(&c, &found, NULL), 0);
	assert_false(found);
	clauses_free(&c);
	landscape_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_formats_give_the_same_clauses),
		cmocka_unit_test(hard_clauses_weigh_more_than_all_soft_ones),
		cmocka_unit_test(weights_are_summed),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(long_lines_are_refused),
		cmocka_unit_test(damaged_files_are_read_or_refused),
		cmocka_unit_test(generated_clauses_never_change),
		cmocka_unit_test(planted_clauses_can_all_be_satisfied),
		cmocka_unit_test(the_walk_finds_every_small_solution),
		cmocka_unit_test(the_walk_finds_planted_assignments),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
