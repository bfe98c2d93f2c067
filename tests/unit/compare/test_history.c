/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/bench/samples.h"
#include "harness/base/outfile.h"
#include "tests/unit/base/temporary_folder.h"

static const double two[] = { 0.25, 0.5 }, three[] = { 1, 2, 3 };
static const struct samples_run run = {
	.source = "compare",
	.date = "2026-11-22T10:00:00Z",
	.commit = "c0ffee",
	.dirty = true,
	.machine = "m",
	.host = "h",
	.build = "b",
	.compiler = "gcc \"12\"",
	.scale = "smoke",
	.device = "cpu",
	.threads = 2,
	.sampling = "launch",
	.parameters = "--x=1",
};

static const char *place(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s/history.jsonl", folder, name);
	return path;
}

static char *text_of(const char *path)
{
	struct err e;
	char *text;
	size_t length;

	assert_int_equal(outfile_read(path, 1 << 20, &text, &length, &e), 0);
	return text;
}

static size_t lines_of(const char *path)
{
	char *text = text_of(path);
	size_t lines = 0;

	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	free(text);
	return lines;
}

static size_t append(const char *path, const struct samples_run *r, const struct samples_bench *b,
		     size_t count)
{
	struct err e = { 0 };
	size_t added = 99;

	assert_int_equal(samples_append(path, r, b, count, &added, &e), 0);
	return added;
}

static void a_line_has_all_fields(void **state)
{
	const struct samples_bench b = { "t/table1/cpu", two, 2 };
	const char *path = place("line"), *id;
	char *text;

	(void)state;
	assert_int_equal(append(path, &run, &b, 1), 1);
	text = text_of(path);
	id = "{\"id\": \"";
	assert_memory_equal(text, id, strlen(id));
	assert_string_equal(
		text + strlen(id) + 16,
		"\", \"schema\": 1, \"source\": \"compare\", "
		"\"date\": \"2026-11-22T10:00:00Z\", \"commit\": \"c0ffee\", "
		"\"dirty\": true, \"machine\": \"m\", \"host\": \"h\", \"build\": \"b\", "
		"\"compiler\": \"gcc \\\"12\\\"\", \"driver\": \"\", \"scale\": \"smoke\", "
		"\"device\": \"cpu\", \"threads\": 2, \"sampling\": \"launch\", "
		"\"parameters\": \"--x=1\", \"name\": \"t/table1/cpu\", "
		"\"seconds\": [0.25, 0.5]}\n");
	free(text);
}

static void existing_lines_are_not_added_again(void **state)
{
	struct samples_bench b[] = { { "t/a", two, 2 }, { "t/b", three, 3 } };
	struct samples_run other = run;
	const char *path = place("twice");

	(void)state;
	assert_int_equal(append(path, &run, b, 1), 1);
	assert_int_equal(append(path, &run, b, 2), 1);
	assert_int_equal(append(path, &run, b, 2), 0);
	other.date = "2027-01-01T00:00:00Z"; /* the date does not matter */
	assert_int_equal(append(path, &other, b, 2), 0);
	other.commit = "beef";
	assert_int_equal(append(path, &other, b, 2), 2);
	b[0].samples = 1;
	assert_int_equal(append(path, &run, b, 2), 1);
	assert_int_equal(lines_of(path), 5);
}

static void a_torn_last_line_is_removed(void **state)
{
	const struct samples_bench b[] = { { "t/a", two, 2 }, { "t/b", three, 3 } };
	const char *path = place("torn");
	struct err e;
	char *text;

	(void)state;
	append(path, &run, b, 1);
	assert_int_equal(outfile_append(path, "{\"id\": \"01234", 13, &e), 0);
	assert_int_equal(append(path, &run, b, 2), 1);
	assert_int_equal(lines_of(path), 2);
	text = text_of(path);
	assert_null(strstr(text, "01234\n"));
	assert_null(strstr(text, "01234{"));
	free(text);
}

static void refused(struct samples_bench b, const char *words)
{
	const struct samples_bench both[] = { { "good", two, 2 }, b };
	struct err e = { 0 };

	assert_int_equal(samples_append(place("refused"), &run, both, 2, NULL, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, words));
	assert_int_not_equal(access(place("refused"), F_OK), 0);
}

static void samples_without_a_time_are_refused(void **state)
{
	static const double bad[][2] = {
		{ 1, NAN },
		{ 1, INFINITY },
		{ 1, 0 },
		{ 1, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused((struct samples_bench){ "t/x", bad[i], 2 }, "t/x: sample 2");
	refused((struct samples_bench){ "t/x", two, 0 }, "no samples");
	refused((struct samples_bench){ "", two, 2 }, "has no name");
	refused((struct samples_bench){ NULL, two, 2 }, "has no name");
}

/* Concurrent writers: every line is complete, and no line is lost or duplicated. */
static void concurrent_writers_lose_no_line(void **state)
{
	enum { WRITERS = 6, LINES = 20 };
	const char *path = place("many");
	int child;

	(void)state;
	for (int w = 0; w < WRITERS; w++) {
		child = fork();
		assert_true(child >= 0);
		for (int i = 0; child == 0 && i < LINES; i++) {
			double seconds = 1 + i; /* all writers add the same lines */
			struct samples_bench b = { "t/a", &seconds, 1 };

			if (samples_append(path, &run, &b, 1, NULL, NULL))
				_exit(1);
		}
		if (child == 0)
			_exit(0);
	}
	for (int w = 0, code; w < WRITERS; w++) {
		assert_true(wait(&code) > 0);
		assert_int_equal(code, 0);
	}
	assert_int_equal(lines_of(path), LINES);
}

static void the_path_follows_the_environment(void **state)
{
	struct err e = { 0 };
	char path[64];

	(void)state;
	unsetenv("COPRA_RESULTS");
	assert_int_equal(samples_path(path, sizeof(path), &e), 0);
	assert_string_equal(path, "results/local/history/history.jsonl");
	setenv("COPRA_RESULTS", "/elsewhere", 1);
	assert_int_equal(samples_path(path, sizeof(path), &e), 0);
	assert_string_equal(path, "/elsewhere/history/history.jsonl");
	assert_int_equal(samples_path(path, 10, &e), ERR_USAGE);
}

static void an_unwritable_folder_is_an_error(void **state)
{
	const struct samples_bench b = { "t/a", two, 2 };
	struct err e = { 0 };

	(void)state;
	assert_true(samples_append("/dev/null/x/history.jsonl", &run, &b, 1, NULL, &e) < 0);
	assert_non_null(strstr(e.text, "/dev/null"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_all_fields),
		cmocka_unit_test(existing_lines_are_not_added_again),
		cmocka_unit_test(a_torn_last_line_is_removed),
		cmocka_unit_test(samples_without_a_time_are_refused),
		cmocka_unit_test(concurrent_writers_lose_no_line),
		cmocka_unit_test(the_path_follows_the_environment),
		cmocka_unit_test(an_unwritable_folder_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
