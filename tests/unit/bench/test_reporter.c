/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The console, CSV and Markdown reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/bench/reporter.h"

struct report {
	struct bench_case cases[4];
	struct bench_plan plan;
	struct reporter_view view;
};

static void add_row(struct bench_case *c, double seconds, const char *counter, double value)
{
	struct bench_row row = { .run_name = c->name,
				 .repetition_index = c->row_count,
				 .repetitions = 1,
				 .threads = 1,
				 .iterations = 10,
				 .real_seconds = seconds,
				 .cpu_seconds = seconds / 2,
				 .unit = BENCH_MS };

	bench_counters_set(&row.counters, counter, value, BENCH_RATE, NULL);
	snprintf(row.label, sizeof(row.label), "a|b, \"c\"");
	assert_int_equal(bench_case_add_row(c, &row, NULL), 0);
	c->outcome = BENCH_DONE;
}

static int make(void **state)
{
	static const char *const names[] = { "t/one", "t/a_longer_name", "t/wrong", "t/absent" };
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return -1;
	for (int i = 0; i < 4; i++)
		snprintf(r->cases[i].name, sizeof(r->cases[i].name), "%s", names[i]);
	r->plan = (struct bench_plan){ .cases = r->cases, .count = 4 };
	r->view = (struct reporter_view){ .plan = &r->plan, .rows = true, .aggregates = true };
	add_row(&r->cases[0], 0.5, "cells_per_second", 2.5e9);
	add_row(&r->cases[0], 0.7, "cells_per_second", 2.0e9);
	add_row(&r->cases[1], 1e-6, "bytes_per_second", 123);
	r->cases[2].outcome = BENCH_FAILED;
	strcpy(r->cases[2].message, "41, should be 42");
	r->cases[3].outcome = BENCH_SKIPPED;
	strcpy(r->cases[3].message, "no GPU");
	*state = r;
	return 0;
}

static int destroy(void **state)
{
	struct report *r = *state;

	for (int i = 0; i < 4; i++)
		free(r->cases[i].rows);
	free(r);
	return 0;
}

static char *written(const struct report *r, enum reporter_format format, bool tabular)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	struct reporter_console console;
	struct err e;

	assert_non_null(out);
	if (format == REPORTER_CONSOLE && tabular) {
		reporter_console_start(&console, out, &r->plan, true, true, true);
		for (int i = 0; i < r->plan.count; i++)
			reporter_console_case(&console, &r->plan.cases[i]);
	} else {
		assert_int_equal(reporter_write(out, format, &r->view, &e), 0);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static int lines_with(const char *text, const char *word)
{
	int count = 0;

	for (const char *line = text; *line;) {
		const char *end = strchr(line, '\n'), *found = strstr(line, word);

		count += found && found < end;
		line = end + 1;
	}
	return count;
}

static void console_shows_rows_skips_and_failures(void **state)
{
	char *text = written(*state, REPORTER_CONSOLE, false);

	assert_non_null(strstr(text, "Benchmark"));
	assert_non_null(strstr(text, "UserCounters..."));
	assert_int_equal(lines_with(text, "t/one"), 2 + REPORTER_AGGREGATES);
	assert_int_equal(lines_with(text, "cells_per_second=2.5G/s"), 1);
	assert_int_equal(lines_with(text, "t/one_median"), 1);
	assert_non_null(strstr(text, "500 ms"));
	assert_non_null(strstr(text, "0.001 ms"));
	assert_non_null(strstr(text, "ERROR OCCURRED: '41, should be 42'"));
	assert_non_null(strstr(text, "SKIPPED: 'no GPU'"));
	free(text);
}

static void console_columns_line_up(void **state)
{
	char *text = written(*state, REPORTER_CONSOLE, false);
	const char *header = strstr(text, "Benchmark"), *one = strstr(text, "t/one "), *two;
	size_t at;

	/* "Iterations" is aligned with the iterations of each row */
	at = (size_t)(strstr(header, "Iterations") + strlen("Iterations") - header);
	assert_memory_equal(one + at - 2, "10", 2);
	two = strstr(text, "t/a_longer_name ");
	assert_memory_equal(two + at - 2, "10", 2);
	free(text);
}

static void tabular_counters_are_columns(void **state)
{
	char *text = written(*state, REPORTER_CONSOLE, true);

	/* a new header when the set of counters changes, and no name=value */
	assert_int_equal(lines_with(text, "Benchmark "), 2);
	assert_int_equal(lines_with(text, "Iterations cells_per_second"), 1);
	assert_int_equal(lines_with(text, "Iterations bytes_per_second"), 1);
	assert_null(strstr(text, "cells_per_second="));
	free(text);
}

static int fields(const char *line)
{
	bool quoted = false;
	int count = 1;

	for (; *line && *line != '\n'; line++) {
		if (*line == '"')
			quoted = !quoted;
		else if (*line == ',' && !quoted)
			count++;
	}
	return count;
}

static void csv_has_google_benchmarks_columns(void **state)
{
	char *text = written(*state, REPORTER_CSV, false);
	const char *header = "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,"
			     "items_per_second,label,error_occurred,error_message,"
			     "\"cells_per_second\"\n";

	assert_memory_equal(text, header, strlen(header));
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_int_equal(fields(line), 11);
	assert_int_equal(lines_with(text, "\"t/"), 2 + REPORTER_AGGREGATES + 1);
	assert_non_null(strstr(text, "\"t/one\",10,500.0,250.0,ms,,,\"a|b, \"\"c\"\"\",,,"
				     "2500000000.0\n"));
	assert_non_null(strstr(text, "\"t/a_longer_name\",10,0.001,0.0005,ms,123.0,,"));
	assert_null(strstr(text, "t/wrong"));
	free(text);
}

static int bars(const char *line)
{
	int count = 0;

	for (char before = 0; *line && *line != '\n'; before = *line++)
		count += *line == '|' && before != '\\';
	return count;
}

static void markdown_is_one_table(void **state)
{
	char *text = written(*state, REPORTER_MARKDOWN, false);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_int_equal(bars(line), 9);
	assert_non_null(strstr(text, "a\\|b"));
	assert_null(strstr(text, "t/absent"));
	free(text);
}

static void formats_are_parsed_by_name(void **state)
{
	static const char *const names[] = { "console", "json", "csv", "markdown", "bmf" };
	enum reporter_format f;
	struct err e;

	(void)state;
	for (int i = 0; i < REPORTER_FORMATS; i++) {
		assert_int_equal(reporter_format_parse(&f, names[i], &e), 0);
		assert_int_equal(f, i);
	}
	assert_int_equal(reporter_format_parse(&f, "xml", &e), ERR_USAGE);
}

#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(console_shows_rows_skips_and_failures),
		FRESH(console_columns_line_up),
		FRESH(tabular_counters_are_columns),
		FRESH(csv_has_google_benchmarks_columns),
		FRESH(markdown_is_one_table),
		cmocka_unit_test(formats_are_parsed_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
