/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The plan: axes, names, filters and refused input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/bench/options.h"

static int succeed(struct bench_case *c, struct err *e)
{
	(void)c;
	(void)e;
	return 0;
}

static const struct bench_axis axes[] = {
	BENCH_AXIS_TEXT("variant", BENCH_TEXTS("serial", "cuda"), BENCH_SAME,
			BENCH_TEXTS("serial", "cpu", "cuda")),
	BENCH_AXIS_NAMED("form", BENCH_TEXTS("item"), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_INT("n", BENCH_INTS(10), BENCH_INTS(100, 200), BENCH_SAME),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_SAME, BENCH_SAME),
	BENCH_AXIS_END,
};

/* serial needs no GPU, cuda at least one */
static bool sensible(const struct bench_case *c)
{
	return (strcmp(bench_text(c, "variant"), "cuda") == 0) == (bench_int(c, "gpus") > 0);
}

static bool on_gpu(const struct bench_case *c)
{
	return bench_int(c, "gpus") > 0;
}

static const struct bench table = { .name = "t/table1",
				    .axes = axes,
				    .run = succeed,
				    .check = succeed,
				    .exists = sensible,
				    .is_manual = on_gpu };
static const struct bench plain = { .name = "t/plain", .run = succeed, .check = succeed };
static const struct bench *const both[] = { &table, &plain };
static const struct bench_setting setting = { .threads = 1 };

static int plan(struct bench_plan *p, const struct bench_selection *s, struct err *e)
{
	return bench_plan_create(p, both, 2, s, &setting, e);
}

static void cases_are_all_existing_combinations_of_axis_values(void **state)
{
	static const char *const names[] = {
		"t/table1/serial/form:item/n:100/gpus:0",
		"t/table1/serial/form:item/n:200/gpus:0",
		"t/table1/cuda/form:item/n:100/gpus:1/manual_time",
		"t/table1/cuda/form:item/n:200/gpus:1/manual_time",
		"t/plain",
	};
	struct bench_selection s = { .scale = BENCH_QUICK };
	struct bench_plan p;
	struct err e;

	(void)state;
	assert_int_equal(plan(&p, &s, &e), 0);
	assert_int_equal(p.count, 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(p.cases[i].name, names[i]);
	assert_int_equal(bench_int(&p.cases[1], "n"), 200);
	assert_string_equal(bench_text(&p.cases[2], "variant"), "cuda");
	assert_int_equal(p.cases[2].family_index, 0);
	assert_int_equal(p.cases[2].instance_index, 2);
	assert_int_equal(p.cases[4].family_index, 1);
	bench_plan_destroy(&p);
}

static int count_at(enum bench_scale scale, const char *filter)
{
	struct bench_selection s = { .scale = scale, .filter = filter };
	struct bench_plan p;
	struct err e;
	int count;

	assert_int_equal(plan(&p, &s, &e), 0);
	count = p.count;
	bench_plan_destroy(&p);
	return count;
}

static void a_scale_without_values_uses_the_next_smaller(void **state)
{
	(void)state;
	assert_int_equal(count_at(BENCH_SMOKE, NULL), 3); /* n:10 */
	assert_int_equal(count_at(BENCH_QUICK, NULL), 5); /* n:100,200 */
	assert_int_equal(count_at(BENCH_PAPER, NULL), 7); /* + cpu, n as at quick */
}

static void filters_select_names_as_in_google_benchmark(void **state)
{
	(void)state;
	assert_int_equal(count_at(BENCH_QUICK, ""), 5);
	assert_int_equal(count_at(BENCH_QUICK, "all"), 5);
	assert_int_equal(count_at(BENCH_QUICK, "table1"), 4);
	assert_int_equal(count_at(BENCH_QUICK, "-table1"), 1);
	assert_int_equal(count_at(BENCH_QUICK, "^table1"), 0);
	assert_int_equal(count_at(BENCH_QUICK, "n:(100|300)/.*manual"), 1);
	assert_int_equal(count_at(BENCH_QUICK, "plain$"), 1);
	assert_int_equal(count_at(BENCH_QUICK, "-n:[0-9]+"), 1);
}

static void with_axis(const char *text, int expected_cases, int expected_status)
{
	struct bench_selection s = { .scale = BENCH_SMOKE,
				     .filter = "serial",
				     .axes = { 1, { text } } };
	struct bench_plan p;
	struct err e = { 0 };
	int status = plan(&p, &s, &e);

	assert_int_equal(status, expected_status);
	assert_int_equal(p.count, expected_cases);
	if (status) {
		assert_non_null(strstr(e.text, text));
		assert_null(strchr(e.text, '\n'));
	}
	bench_plan_destroy(&p);
}

static void axis_values_are_replaced_or_refused(void **state)
{
	(void)state;
	with_axis("n=7", 1, 0);
	with_axis("n=7,8,-9", 3, 0);
	with_axis("n=1:10:3", 4, 0); /* 1 4 7 10 */
	with_axis("n=1:9:3", 3, 0);
	with_axis("n=5:7", 3, 0);
	with_axis("n=1,10:30:10", 4, 0);
	with_axis("n=9223372036854775806:9223372036854775807", 2, 0);
	with_axis("form=a,b,c", 3, 0);
	with_axis("n=", 0, ERR_USAGE);
	with_axis("n=1,,2", 0, ERR_USAGE);
	with_axis("n=x", 0, ERR_USAGE);
	with_axis("n=1:2:3:4", 0, ERR_USAGE);
	with_axis("n=5:1", 0, ERR_USAGE);
	with_axis("n=1:5:0", 0, ERR_USAGE);
	with_axis("n=1:5:-1", 0, ERR_USAGE);
	with_axis("n=1:1000000000", 0, ERR_USAGE);
	with_axis("n=9223372036854775808", 0, ERR_USAGE);
	with_axis("unknown=1", 0, ERR_USAGE);
	with_axis("n", 0, ERR_USAGE);
	with_axis("=1", 0, ERR_USAGE);
}

static void the_last_replacement_of_an_axis_counts(void **state)
{
	struct bench_selection s = { .scale = BENCH_SMOKE,
				     .filter = "serial",
				     .axes = { 2, { "n=1,2", "n=3" } } };
	struct bench_plan p;
	struct err e;

	(void)state;
	assert_int_equal(plan(&p, &s, &e), 0);
	assert_int_equal(p.count, 1);
	assert_int_equal(bench_int(&p.cases[0], "n"), 3);
	bench_plan_destroy(&p);
}

static void refused(const struct bench *const *benches, int count, const struct bench_selection *s,
		    int status, const char *word)
{
	struct bench_plan p;
	struct err e = { 0 };

	assert_int_equal(bench_plan_create(&p, benches, count, s, &setting, &e), status);
	assert_non_null(strstr(e.text, word));
	assert_null(p.cases);
}

static void invalid_plans_are_refused_with_a_reason(void **state)
{
	static const struct bench no_oracle = { .name = "t/x", .run = succeed };
	static const struct bench no_run = { .name = "t/x", .check = succeed };
	static const struct bench same = { .name = "t/plain", .run = succeed, .check = succeed };
	static const struct bench nameless = { .run = succeed, .check = succeed };
	static const struct bench_axis empty_axis[] = { { .name = "n", .type = BENCH_INT },
							BENCH_AXIS_END };
	static const struct bench empty = {
		.name = "t/x", .run = succeed, .check = succeed, .axes = empty_axis
	};
	struct bench_selection s = { 0 };

	(void)state;
	refused((const struct bench *[]){ &plain, &same }, 2, &s, ERR_FAILED, "t/plain");
	refused((const struct bench *[]){ &no_oracle }, 1, &s, ERR_FAILED, "oracle");
	refused((const struct bench *[]){ &no_run }, 1, &s, ERR_FAILED, "run()");
	refused((const struct bench *[]){ &nameless }, 1, &s, ERR_FAILED, "name");
	refused((const struct bench *[]){ &empty }, 1, &s, ERR_FAILED, "values");
	refused((const struct bench *[]){ NULL }, 1, &s, ERR_FAILED, "many");
	s.filter = "n:(";
	refused(both, 2, &s, ERR_USAGE, "n:(");
	s = (struct bench_selection){ .axes = { 1, { "n=4,5,4" } } };
	refused(both, 2, &s, ERR_USAGE, "n:4");
}

static void long_names_are_refused(void **state)
{
	char text[BENCH_NAME + 16];
	struct bench_selection s = { .axes = { 1, { text } } };

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "form=", 5);
	refused(both, 2, &s, ERR_USAGE, "longer");
}

static void units_are_parsed_and_override_the_benchmark(void **state)
{
	static const struct bench milli = {
		.name = "t/ms", .run = succeed, .check = succeed, .unit = "ms"
	};
	static const struct bench bad = {
		.name = "t/h", .run = succeed, .check = succeed, .unit = "h"
	};
	const struct bench *one[] = { &milli };
	struct bench_selection s = { 0 };
	struct bench_plan p;
	struct err e;

	(void)state;
	assert_int_equal(bench_plan_create(&p, one, 1, &s, &setting, &e), 0);
	assert_int_equal(p.cases[0].unit, BENCH_MS);
	bench_plan_destroy(&p);
	s.unit_given = true;
	s.unit = BENCH_US;
	assert_int_equal(bench_plan_create(&p, one, 1, &s, &setting, &e), 0);
	assert_int_equal(p.cases[0].unit, BENCH_US);
	bench_plan_destroy(&p);
	s.unit_given = false;
	refused((const struct bench *[]){ &bad }, 1, &s, ERR_FAILED, "'h'");
}

/* Parses --benchmark_min_time=`text`. */
static int parse_min_time(struct bench_min_time *m, const char *text)
{
	char flag[64], *argv[] = { flag };
	struct bench_options o;
	struct err e;
	bool help;

	snprintf(flag, sizeof(flag), "--benchmark_min_time=%s", text);
	int status = bench_options_parse(&o, 1, argv, &help, &e);

	*m = o.min_time;
	return status;
}

static void write_rows(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Keeps the rows that the text names, and expects the status. */
static void keep(struct bench_plan *p, const char *text, int expected)
{
	char path[] = "/tmp/rows.XXXXXX";
	int fd = mkstemp(path);
	struct err e = { 0 };

	assert_true(fd >= 0);
	close(fd);
	write_rows(path, text);
	assert_int_equal(plan(p, &(struct bench_selection){ .scale = BENCH_QUICK }, &e), 0);
	assert_int_equal(bench_plan_keep(p, path, &e), expected);
	if (expected)
		assert_non_null(strstr(e.text, path));
	unlink(path);
}

static void a_file_names_the_rows_and_their_order(void **state)
{
	struct bench_plan p;

	(void)state;
	keep(&p,
	     "# a remark\n1 5 t/plain\n\n2 0 t/none\n4 0 t/table1/serial/form:item/n:100/gpus:0\n",
	     0);
	assert_int_equal(p.count, 2);
	assert_string_equal(p.cases[0].name, "t/plain");
	assert_int_equal(p.cases[0].rank, 1);
	assert_int_equal(p.cases[0].repetitions, 5);
	assert_string_equal(p.cases[1].name, "t/table1/serial/form:item/n:100/gpus:0");
	assert_int_equal(p.cases[1].rank, 4);
	assert_int_equal(p.cases[1].repetitions, 0);
	bench_plan_destroy(&p);
}

static void malformed_rows_are_refused(void **state)
{
	static const char *const texts[] = { "t/plain\n",
					     "1 t/plain\n",
					     "0 1 t/plain\n",
					     "10 1 t/plain\n",
					     "1 1001 t/plain\n",
					     "1 1\n",
					     "1 1 t/plain\n2 1 t/plain\n" };
	struct bench_plan p;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		keep(&p, texts[i], ERR_INPUT);
		bench_plan_destroy(&p);
	}
}

static void min_time_is_seconds_or_iterations(void **state)
{
	static const char *const bad[] = { "",    "s",   "x",     "-1", "1.5x",        "0x",
					   "-2x", "nan", "1e400", "5m", "2000000000x", "1s2" };
	struct bench_min_time m;

	(void)state;
	assert_int_equal(parse_min_time(&m, "0.5"), 0);
	assert_true(!m.is_iterations && m.seconds == 0.5);
	assert_int_equal(parse_min_time(&m, "2s"), 0);
	assert_true(!m.is_iterations && m.seconds == 2);
	assert_int_equal(parse_min_time(&m, "10x"), 0);
	assert_true(m.is_iterations && m.iterations == 10);
	assert_int_equal(parse_min_time(&m, "0"), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_min_time(&m, bad[i]), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_are_all_existing_combinations_of_axis_values),
		cmocka_unit_test(a_scale_without_values_uses_the_next_smaller),
		cmocka_unit_test(filters_select_names_as_in_google_benchmark),
		cmocka_unit_test(axis_values_are_replaced_or_refused),
		cmocka_unit_test(the_last_replacement_of_an_axis_counts),
		cmocka_unit_test(invalid_plans_are_refused_with_a_reason),
		cmocka_unit_test(long_names_are_refused),
		cmocka_unit_test(units_are_parsed_and_override_the_benchmark),
		cmocka_unit_test(a_file_names_the_rows_and_their_order),
		cmocka_unit_test(malformed_rows_are_refused),
		cmocka_unit_test(min_time_is_seconds_or_iterations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
