/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The strict CSV reader: valid files, and errors with file and line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/report/data/csv.h"

static char path[] = "/tmp/test_report_csv_XXXXXX";

static int read_text(struct csv *c, const char *text, struct err *e)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fputs(text, f) >= 0, 1);
	assert_int_equal(fclose(f), 0);
	return csv_read(c, path, e);
}

static void quotes_comments_and_line_ends_are_read(void **state)
{
	struct csv c;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(read_text(&c, "# source\nn,text\r\n1,\"a, \"\"b\"\"\nc\"\n\n2,\n", &e), 0);
	assert_int_equal(c.rows, 2);
	assert_int_equal(c.columns, 2);
	assert_string_equal(csv_cell(&c, 0, 1), "a, \"b\"\nc");
	assert_string_equal(csv_cell(&c, 1, 0), "2");
	assert_string_equal(csv_cell(&c, 1, 1), "");
	assert_int_equal(c.lines[1], 3);
	assert_int_equal(c.lines[2], 6); /* the quoted line end and the empty line count */
	assert_int_equal(csv_column(&c, "text"), 1);
	assert_int_equal(csv_column(&c, "tex"), -1);
	csv_free(&c);
}

static void errors_name_file_and_line(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", ":1: no heading" },
		{ "a,,b\n", ":1: column 2 has no name" },
		{ "a,b,a\n", ":1: two columns named 'a'" },
		{ "a,b\n1,2\n3\n", ":3: 1 fields, but the heading has 2" },
		{ "a,b\n1,2,3\n", ":2: 3 fields, but the heading has 2" },
		{ "a,b\n1,\"2\n", ":2: a quoted field has no closing quote" },
		{ "a,b\n1,\"2\"3\n", ":2: text after the closing quote" },
		{ "a,b\n1,2\"3\n", ":2: a quote inside an unquoted field" },
		{ "a,b\n1,2\rx,y\n", ":2: a carriage return" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct csv c;
		struct err e = { 0 };
		char expected[256];
		assert_int_equal(read_text(&c, cases[i].text, &e), ERR_INPUT);
		snprintf(expected, sizeof(expected), "%s%s", path, cases[i].message);
		assert_memory_equal(e.text, expected, strlen(expected));
	}
}

static void binary_files_are_refused(void **state)
{
	struct csv c;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(csv_read(&c, "/nonexistent/x.csv", &e), ERR_INPUT);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite("a,b\n1,\0\n", 1, 8, f), 8);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(csv_read(&c, path, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "NUL"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes_comments_and_line_ends_are_read),
		cmocka_unit_test(errors_name_file_and_line),
		cmocka_unit_test(binary_files_are_refused),
	};
	int made = mkstemp(path);
	if (made < 0)
		return 1;
	close(made);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
