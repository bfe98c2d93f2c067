/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recognition of what `copra solve` is given: known names, files, and what could be two things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "front/instance.h"
#include "harness/base/outfile.h"
#include "tests/unit/base/temporary_folder.h"
#include "tests/unit/datasets/instance_files.h"

/* Writes a file and returns its path, valid until the next call. */
static const char *file(const char *name, const char *text)
{
	static char path[128];
	struct err e = { 0 };

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(outfile_write(path, text, strlen(text), &e), 0);
	return path;
}

static void known_names_have_their_problem_and_size(void **state)
{
	static const struct {
		const char *given, *problem, *word, *name;
		int64_t size, second;
	} names[] = {
		{ "ta056", NULL, "flowshop", "ta056", 50, 20 },
		{ "taillard:7x3:5", NULL, "flowshop", "taillard:7x3:5", 7, 3 },
		{ "random:5x3:9", "flowshop", "flowshop", "random:5x3:9", 5, 3 },
		{ "random:5x3:9", "pfsp", "flowshop", "random:5x3:9", 5, 3 },
		{ "random:5x3:4:1", "samegame", "samegame", "random:5x3:4:1", 15, 0 },
		{ "boyer:30", NULL, "knapsack", "boyer:30", 30, 0 },
		{ "crane:9:1", NULL, "atsp", "crane:9:1", 9, 0 },
		{ "random:6:50", "atsp", "atsp", "random:6:50", 6, 0 },
		{ "random:40:100", "sat", "maxsat", "random:40:100", 40, 0 },
		{ "planted:40:100", NULL, "maxsat", "planted:40:100", 40, 0 },
		{ "12Q", NULL, "nqueens", "12", 12, 0 },
		{ "8q", NULL, "nqueens", "8", 8, 0 },
		{ "14", "nqueens", "nqueens", "14", 14, 0 },
		{ "14", "queens", "nqueens", "14", 14, 0 },
		{ "14Q", "nqueens", "nqueens", "14", 14, 0 },
		{ "trap5:60", NULL, "trap5", "60", 60, 0 },
		{ "60", "trap5", "trap5", "60", 60, 0 },
		{ "ising:8:3", NULL, "ising", "8:3", 64, 0 },
		{ "nk:ring:24:4", NULL, "nk", "ring:24:4", 24, 0 },
		{ "knapsack:boyer:20", NULL, "knapsack", "boyer:20", 20, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct instance x;
		struct err e = { 0 };

		if (instance_identify(&x, names[i].given, names[i].problem, NULL, &e))
			fail_msg("%s: %s", names[i].given, e.text);
		assert_string_equal(x.word, names[i].word);
		assert_string_equal(x.name, names[i].name);
		assert_int_equal(x.size, names[i].size);
		if (x.problem != INSTANCE_KNAPSACK) /* the capacity follows from the generator */
			assert_int_equal(x.second, names[i].second);
		assert_true(x.what[0] != '\0');
	}
}

static void files_have_their_problem_and_size(void **state)
{
	static const struct {
		const char *file, *word;
		int64_t size, second;
	} files[] = {
		{ "flowshop_taillard.txt", "flowshop", 3, 2 },
		{ "flowshop_vfr.txt", "flowshop", 3, 2 },
		{ "knapsack_plain.txt", "knapsack", 3, 10 },
		{ "knapsack_indexed.txt", "knapsack", 3, 10 },
		{ "atsp_plain.txt", "atsp", 3, 0 },
		{ "maxsat_plain.cnf", "maxsat", 4, 0 },
		{ "maxsat_2022.wcnf", "maxsat", 0, 0 },
		{ "samegame_plain.txt", "samegame", 12, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct instance x;
		struct err e = { 0 };

		if (instance_identify(&x, data(files[i].file), NULL, NULL, &e))
			fail_msg("%s", e.text);
		assert_string_equal(x.word, files[i].word);
		if (x.size != files[i].size || x.second != files[i].second)
			fail_msg("%s: %d, %d", files[i].file, (int)x.size, (int)x.second);
	}
}

/* Checks the error of an instance; `words` must all be in its text. */
static void refused(const char *given, const char *problem, const char *format, int status,
		    const char *const *words)
{
	struct instance x;
	struct err e = { 0 };
	int got = instance_identify(&x, given, problem, format, &e);

	if (got != status)
		fail_msg("%s: status %d, expected %d: %s", given, got, status, e.text);
	assert_null(strchr(e.text, '\n'));
	for (; *words; words++)
		if (!strstr(e.text, *words))
			fail_msg("'%s' does not say '%s'", e.text, *words);
}
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void names_of_two_problems_are_refused_with_both(void **state)
{
	(void)state;
	refused("random:5x3:9", NULL, NULL, ERR_USAGE,
		WORDS("--problem flowshop", "--problem samegame"));
	refused("random:12:100", NULL, NULL, ERR_USAGE,
		WORDS("--problem atsp", "--problem maxsat"));
	refused("12", NULL, NULL, ERR_USAGE,
		WORDS("--problem nqueens", "12Q is N-Queens", "landscape"));
}

static void files_of_two_formats_are_refused_with_both(void **state)
{
	const char *vfr = "3 1\n0 5\n0 6\n0 7\n";
	struct instance x;

	(void)state;
	refused(file("one.txt", vfr), NULL, NULL, ERR_USAGE,
		WORDS("one.txt could be", "VFR flowshop", "knapsack file", "--problem flowshop",
		      "--problem knapsack"));
	assert_int_equal(instance_identify(&x, file("one.txt", vfr), "flowshop", NULL, NULL), 0);
	assert_int_equal(x.second, 1);
	assert_int_equal(instance_identify(&x, file("one.txt", vfr), "knapsack", NULL, NULL), 0);
	assert_int_equal(x.size, 3);
	/* the capacity is also the number of columns */
	refused(file("two.txt", "3 2\n4 1\n5 1\n6 1\n"), NULL, NULL, ERR_USAGE,
		WORDS("knapsack file", "plain matrix", "--problem knapsack",
		      "--format jobs-by-machines"));
	refused(file("board.txt", "1 2 2\n2 1 1\n"), NULL, NULL, ERR_USAGE,
		WORDS("SameGame board", "plain matrix", "--problem samegame", "--format"));
	refused(file("small.txt", "1 2\n2 1\n"), NULL, NULL, ERR_USAGE,
		WORDS("SameGame board", "knapsack file", "--problem samegame",
		      "--problem knapsack"));
}

static void plain_matrices_need_their_format(void **state)
{
	const char *text = "4 50 6\n7 8 90\n";
	struct instance x;

	(void)state;
	refused(file("m.txt", text), NULL, NULL, ERR_USAGE,
		WORDS("plain matrix of 2 x 3", "--format jobs-by-machines", "machines-by-jobs"));
	refused(file("m.txt", "4 5 60\n7 8 9\n1 2 3\n"), NULL, NULL, ERR_USAGE,
		WORDS("TSPLIB header"));
	assert_int_equal(instance_identify(&x, file("m.txt", text), NULL, "machines-by-jobs", NULL),
			 0);
	assert_int_equal(x.size, 3);
	assert_int_equal(x.second, 2);
	refused("boyer:10", "knapsack", "jobs-by-machines", ERR_USAGE,
		WORDS("--format is only for"));
	refused(file("m.txt", text), NULL, "by-jobs", ERR_USAGE,
		WORDS("--format", "jobs-by-machines"));
}

static void unknown_names_get_the_nearest_ones(void **state)
{
	char path[160];

	(void)state;
	refused("ta0021", NULL, NULL, ERR_INPUT, WORDS("did you mean", "ta021"));
	refused("boyr:100", NULL, NULL, ERR_INPUT, WORDS("did you mean boyer:100?"));
	refused("TA014", NULL, NULL, ERR_INPUT, WORDS("did you mean ta014?"));
	refused("crain:15:1", NULL, NULL, ERR_INPUT, WORDS("did you mean crane:15:1?"));
	refused("Q12", NULL, NULL, ERR_INPUT, WORDS("did you mean 12Q?"));
	refused("12queens", NULL, NULL, ERR_INPUT, WORDS("did you mean 12Q?"));
	refused("20 Queens", NULL, NULL, ERR_INPUT, WORDS("did you mean 20Q?"));
	refused("trap5", NULL, NULL, ERR_INPUT, WORDS("needs a size", "trap5:60"));
	refused("trap6", NULL, NULL, ERR_INPUT, WORDS("needs a size", "trap6:N"));
	refused("nk", NULL, NULL, ERR_INPUT, WORDS("needs a size", "nk:60:3"));
	refused("boyer", NULL, NULL, ERR_INPUT, WORDS("needs a size", "boyer:1000"));
	refused("trap5:61", NULL, NULL, ERR_INPUT, WORDS("61", "multiple of 5"));
	refused("0Q", NULL, NULL, ERR_INPUT, WORDS("at least one queen"));
	refused("flowshp", NULL, NULL, ERR_INPUT, WORDS("no known instance"));
	file("orders.csv", "1 2 3\n4 5 6\n");
	snprintf(path, sizeof(path), "%s/ordres.csv", folder);
	refused(path, NULL, NULL, ERR_INPUT, WORDS("did you mean", "orders.csv"));
	refused("ta001", "flowshp", NULL, ERR_USAGE, WORDS("'flowshp'", "did you mean flowshop?"));
}

static void faults_of_files_are_named(void **state)
{
	(void)state;
	refused(data("bad_flowshops/bounds_missing.txt"), NULL, NULL, ERR_INPUT,
		WORDS("bounds_missing.txt:2:"));
	refused(data("flowshop_taillard.txt"), "knapsack", NULL, ERR_INPUT,
		WORDS(":1: number of items", "Taillard flowshop file; leave out --problem"));
	refused(file("prose.txt", "some words\n"), NULL, NULL, ERR_INPUT,
		WORDS("none of the formats"));
	refused(folder, NULL, NULL, ERR_INPUT, WORDS("not a regular file"));
	refused("/dev/null", "knapsack", NULL, ERR_INPUT, WORDS("not a regular file"));
	refused("many", "nqueens", NULL, ERR_INPUT, WORDS("not a number of queens"));
	refused("12x", "nqueens", NULL, ERR_INPUT, WORDS("not a number of queens"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_names_have_their_problem_and_size),
		cmocka_unit_test(files_have_their_problem_and_size),
		cmocka_unit_test(names_of_two_problems_are_refused_with_both),
		cmocka_unit_test(files_of_two_formats_are_refused_with_both),
		cmocka_unit_test(plain_matrices_need_their_format),
		cmocka_unit_test(unknown_names_get_the_nearest_ones),
		cmocka_unit_test(faults_of_files_are_named),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
