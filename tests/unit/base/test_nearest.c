/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Distances between names, and the candidates that are offered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/nearest.h"

static void distances_count_single_edits(void **state)
{
	static const struct {
		const char *a, *b;
		int distance;
	} pairs[] = {
		{ "", "", 0 },
		{ "abc", "abc", 0 },
		{ "", "abc", 3 },
		{ "solve", "sovle", 1 },
		{ "ta021", "ta0021", 1 },
		{ "ta021", "ta012", 1 },
		{ "kitten", "sitting", 3 },
		{ "TA021", "ta021", 0 },
		{ "knapsack", "flowshop", 7 },
		{ "ca", "abc", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_int_equal(nearest_distance(pairs[i].a, pairs[i].b), pairs[i].distance);
		assert_int_equal(nearest_distance(pairs[i].b, pairs[i].a), pairs[i].distance);
	}
}

static void say(const char *wanted, const char *const *names, char *text, size_t size)
{
	struct nearest n = { .wanted = wanted };

	for (; *names; names++)
		nearest_offer(&n, *names);
	snprintf(text, size, "no");
	nearest_say(&n, text, size);
}

static void the_nearest_names_are_offered_first(void **state)
{
	static const char *const names[] = { "lost", "mist",      "lisp", "lists",
					     "mast", "unrelated", NULL };
	char text[128];

	(void)state;
	say("list", names, text, sizeof(text));
	/* a name that begins with the wanted one is at distance 1, like one with a single edit */
	assert_string_equal(text, "no; did you mean lost, mist or lisp?");
	say("unrelate", names, text, sizeof(text));
	assert_string_equal(text, "no; did you mean unrelated?");
	say("TA014", (const char *const[]){ "ta01", "ta0140", "ta014", NULL }, text, sizeof(text));
	assert_string_equal(text, "no; did you mean ta014?");
	say("crain", (const char *const[]){ "boyer", "crane", NULL }, text, sizeof(text));
	assert_string_equal(text, "no; did you mean crane?");
	say("gmys", (const char *const[]){ "gboa", "gmys-ivm", NULL }, text, sizeof(text));
	assert_string_equal(text, "no; did you mean gmys-ivm?");
}

static void distant_names_are_not_offered(void **state)
{
	static const char *const names[] = { "helbecque-pool", "gboa", NULL };
	char text[128], little[8];

	(void)state;
	say("knapsack", names, text, sizeof(text));
	assert_string_equal(text, "no");
	say("gbao", names, little, sizeof(little)); /* no room for the question */
	assert_string_equal(little, "no");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_count_single_edits),
		cmocka_unit_test(the_nearest_names_are_offered_first),
		cmocka_unit_test(distant_names_are_not_offered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
