/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/base/flags.h"

struct options {
	bool quick;
	int64_t shift, count;
	uint64_t seed;
	int64_t room;
	double limit;
	const char *name;
	struct flag_list list;
	int tens; /* parsed */
	int maybe;
};

static int parse_tens(void *value, const char *text, struct err *e)
{
	int64_t n;

	if (flag_parse_int(&n, text, e))
		return ERR_USAGE;
	*(int *)value = (int)n * 10;
	return 0;
}

/* 7 without a value. */
static int parse_maybe(void *value, const char *text, struct err *e)
{
	*(int *)value = 7;
	return *text ? parse_tens(value, text, e) : 0;
}

static const struct flag first[] = {
	FLAG("quick", FLAG_BOOL, struct options, quick, NULL, "a switch"),
	FLAG("shift", FLAG_INT, struct options, shift, "N", "any integer"),
	FLAG_ENV("count", FLAG_COUNT, struct options, count, "N", "not negative", "TEST_COUNT"),
	FLAG("seed", FLAG_U64, struct options, seed, "N", "unsigned"),
	FLAG_END,
};
static const struct flag second[] = {
	FLAG("limit", FLAG_REAL, struct options, limit, "S", "seconds"),
	FLAG_ENV("name", FLAG_TEXT, struct options, name, "TEXT", "text", "TEST_NAME"),
	FLAG("room", FLAG_BYTES, struct options, room, "BYTES", "bytes"),
	FLAG("list", FLAG_LIST, struct options, list, "TEXT", "several"),
	{ .name = "tens",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct options, tens),
	  .argument = "N",
	  .help = "times ten",
	  .parse = parse_tens },
	{ .name = "maybe",
	  .type = FLAG_OPTIONAL,
	  .offset = offsetof(struct options, maybe),
	  .argument = "N",
	  .help = "with or without a value",
	  .parse = parse_maybe },
	FLAG_END,
};
static const struct flag *const tables[] = { first, second, NULL };

/* Parses the words after the options; returns the status. */
static int parse(struct options *o, struct err *e, int argc, const char *const *argv)
{
	bool help;

	memset(o, 0, sizeof(*o));
	memset(e, 0, sizeof(*e));
	return flags_parse(tables, o, argc, (char **)argv, &help, e);
}
#define PARSE(o, e, ...)                                                                           \
	parse(o, e, (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)),               \
	      (const char *[]){ __VA_ARGS__ })

static void values_of_every_type_are_parsed(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(PARSE(&o, &e, "--quick", "--shift=-7", "--count", "12",
			       "--seed=18446744073709551615", "--limit=0.25", "--name=a=b",
			       "--list=x", "--list", "y", "--tens=4"),
			 0);
	assert_true(o.quick);
	assert_int_equal(o.shift, -7);
	assert_int_equal(o.count, 12);
	assert_true(o.seed == UINT64_MAX);
	assert_true(o.limit == 0.25);
	assert_string_equal(o.name, "a=b");
	assert_int_equal(o.list.count, 2);
	assert_string_equal(o.list.values[1], "y");
	assert_int_equal(o.tens, 40);
}

static void sizes_are_parsed(void **state)
{
	static const char *const none[] = { "0",
					    "-5M",
					    "G",
					    "",
					    "5X",
					    "1.5G",
					    "1234567890123456789012345678901234567890",
					    "9223372036854775808",
					    "8388608T",
					    "99999999999T" };
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(PARSE(&o, &e, "--room=4096"), 0);
	assert_true(o.room == 4096);
	assert_int_equal(PARSE(&o, &e, "--room", "16K"), 0);
	assert_true(o.room == 16384);
	assert_int_equal(PARSE(&o, &e, "--room=3G"), 0);
	assert_true(o.room == INT64_C(3) << 30);
	assert_int_equal(PARSE(&o, &e, "--room=8388607T"), 0);
	assert_true(o.room == INT64_C(8388607) << 40);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		assert_int_equal(PARSE(&o, &e, "--room", none[i]), ERR_USAGE);
		assert_non_null(strstr(e.text, "--room"));
		assert_true(o.room == 0);
	}
}

static void switches_take_yes_and_no(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(PARSE(&o, &e, "--quick=no"), 0);
	assert_false(o.quick);
	assert_int_equal(PARSE(&o, &e, "--quick=TRUE"), 0);
	assert_true(o.quick);
	assert_int_equal(PARSE(&o, &e, "--quick=maybe"), ERR_USAGE);
	assert_non_null(strstr(e.text, "--quick"));
}

static void an_optional_value_is_never_the_next_argument(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(PARSE(&o, &e, "--maybe", "--shift", "3"), 0);
	assert_true(o.maybe == 7 && o.shift == 3);
	assert_int_equal(PARSE(&o, &e, "--maybe=4"), 0);
	assert_int_equal(o.maybe, 40);
	assert_int_equal(PARSE(&o, &e, "--maybe"), 0);
	assert_int_equal(o.maybe, 7);
	assert_int_equal(PARSE(&o, &e, "--maybe", "4"), ERR_USAGE);
	assert_int_equal(PARSE(&o, &e, "--maybe=x"), ERR_USAGE);
}

static void errors_name_the_flag(void **state)
{
	static const char *const bad[] = {
		"--seed=-1",   "--seed=",
		"--seed=1.5",  "--seed=18446744073709551616",
		"--count=-1",  "--count=9223372036854775808",
		"--shift=1x",  "--shift= 1",
		"--shift=",    "--limit=nan",
		"--limit=inf", "--limit=-1",
		"--limit=1s",  "--tens=x",
		"--name",      "--unknown",
		"--unknown=3", "--seedling=1",
		"--see=1",
	};
	struct options o;
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		size_t length = strcspn(bad[i], "=");

		assert_int_equal(PARSE(&o, &e, bad[i]), ERR_USAGE);
		assert_non_null(strstr(e.text, "--"));
		assert_true(strncmp(strstr(e.text, "--"), bad[i], length) == 0);
		assert_null(strchr(e.text, '\n'));
	}
	assert_int_equal(PARSE(&o, &e, "--cuont=3"), ERR_USAGE);
	assert_string_equal(e.text, "unknown flag --cuont (see --help); did you mean --count?");
	assert_int_equal(PARSE(&o, &e, "stray"), ERR_USAGE);
	assert_non_null(strstr(e.text, "stray"));
	assert_int_equal(PARSE(&o, &e, "-q"), ERR_USAGE);
}

static void environment_variables_are_defaults(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	setenv("TEST_COUNT", "5", 1);
	setenv("TEST_NAME", "from the environment", 1);
	assert_int_equal(PARSE(&o, &e, "--count=6"), 0);
	assert_int_equal(o.count, 6);
	assert_string_equal(o.name, "from the environment");
	setenv("TEST_COUNT", "five", 1);
	assert_int_equal(PARSE(&o, &e, "--quick"), ERR_USAGE);
	assert_non_null(strstr(e.text, "TEST_COUNT"));
	unsetenv("TEST_COUNT");
	unsetenv("TEST_NAME");
}

static void help_is_found_before_errors(void **state)
{
	const char *argv[] = { "--unknown", "--help" };
	struct options o = { 0 };
	struct err e;
	bool help = false;

	(void)state;
	assert_int_equal(flags_parse(tables, &o, 2, (char **)argv, &help, &e), 0);
	assert_true(help);
}

static void lists_are_bounded(void **state)
{
	const char *argv[FLAG_LIST_MAX + 1];
	struct options o;
	struct err e;

	(void)state;
	for (int i = 0; i <= FLAG_LIST_MAX; i++)
		argv[i] = "--list=x";
	assert_int_equal(parse(&o, &e, FLAG_LIST_MAX, argv), 0);
	assert_int_equal(parse(&o, &e, FLAG_LIST_MAX + 1, argv), ERR_USAGE);
}

static void help_lists_every_flag(void **state)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	assert_non_null(out);
	flags_print(out, first);
	fclose(out);
	assert_non_null(strstr(text, "--quick "));
	assert_non_null(strstr(text, "--shift=N"));
	assert_non_null(strstr(text, "[TEST_COUNT]"));
	free(text);
}

static void choices_are_one_of_the_words(void **state)
{
	static const char *const words[] = { "one", "two", "three", NULL };
	struct err e = { 0 };
	int choice = 7;

	(void)state;
	assert_int_equal(flag_choose(&choice, "count", NULL, words, &e), 0);
	assert_int_equal(choice, 0);
	assert_int_equal(flag_choose(&choice, "count", "three", words, &e), 0);
	assert_int_equal(choice, 2);
	assert_int_equal(flag_choose(&choice, "count", "four", words, &e), ERR_USAGE);
	assert_string_equal(e.text, "--count: 'four' is not one of one, two, three");
	assert_int_equal(flag_choose(&choice, "count", "", words, &e), ERR_USAGE);
	assert_int_equal(flag_choose(&choice, "count", "thre", words, &e), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_every_type_are_parsed),
		cmocka_unit_test(sizes_are_parsed),
		cmocka_unit_test(switches_take_yes_and_no),
		cmocka_unit_test(an_optional_value_is_never_the_next_argument),
		cmocka_unit_test(errors_name_the_flag),
		cmocka_unit_test(environment_variables_are_defaults),
		cmocka_unit_test(help_is_found_before_errors),
		cmocka_unit_test(lists_are_bounded),
		cmocka_unit_test(help_lists_every_flag),
		cmocka_unit_test(choices_are_one_of_the_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
