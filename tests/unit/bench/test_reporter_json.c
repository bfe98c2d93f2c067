/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The JSON reports satisfy the rules of the programs that read them. Each rule follows the source
 * of its program, which is named beside it. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/bench/reporter.h"

static int succeed(struct bench_case *c, struct err *e)
{
	(void)c;
	(void)e;
	return 0;
}

static const struct bench_axis axes[] = {
	BENCH_AXIS_TEXT("variant", BENCH_TEXTS("cpu", "tuned", "wrong", "absent"), BENCH_SAME,
			BENCH_SAME),
	BENCH_AXIS_END,
};
static bool on_gpu(const struct bench_case *c)
{
	return strcmp(bench_text(c, "variant"), "tuned") == 0;
}
static const struct bench table = {
	.name = "t/table1", .axes = axes, .run = succeed, .check = succeed, .is_manual = on_gpu
};

static int write_json(FILE *out, const struct reporter_view *v, struct err *e)
{
	return reporter_write(out, REPORTER_JSON, v, e);
}

static int write_bmf(FILE *out, const struct reporter_view *v, struct err *e)
{
	return reporter_write(out, REPORTER_BMF, v, e);
}

static int write_skipped(FILE *out, const struct reporter_view *v, struct err *e)
{
	return reporter_write(out, REPORTER_SKIPPED, v, e);
}

struct report {
	struct bench_setting setting;
	struct bench_plan plan;
	struct environment environment;
	struct flag_list context;
	struct reporter_view view;
};

static void add_rows(struct bench_case *c, int count)
{
	for (int i = 0; i < count; i++) {
		struct bench_row row = {
			.run_name = c->name,
			.family_index = c->family_index,
			.instance_index = c->instance_index,
			.repetitions = count,
			.repetition_index = i,
			.threads = 1,
			.iterations = 3 + i,
			.real_seconds = 1e-3 * (1 + 0.01 * i),
			.cpu_seconds = 2e-3,
			.unit = BENCH_US,
		};

		bench_counters_set(&row.counters, "cells_per_second", 1.5e9 + i, BENCH_RATE, NULL);
		bench_counters_set(&row.counters, "output_hash", 4503599627370495.0, 0, NULL);
		snprintf(row.label, sizeof(row.label), "floor: \"copy\" \xff\t%d", i);
		assert_int_equal(bench_case_add_row(c, &row, NULL), 0);
	}
	c->outcome = BENCH_DONE;
}

static int make(void **state)
{
	static const struct bench *const one[] = { &table };
	struct bench_selection s = { .scale = BENCH_SMOKE };
	struct report *r = calloc(1, sizeof(*r));

	if (!r || bench_plan_create(&r->plan, one, 1, &s, &r->setting, NULL))
		return -1;
	env_capture(&r->environment);
	r->view = (struct reporter_view){ .plan = &r->plan,
					  .environment = &r->environment,
					  .target = "t",
					  .executable = "build/bin/t",
					  .scale = "smoke",
					  .device = "auto",
					  .context = &r->context,
					  .rows = true,
					  .aggregates = true };
	add_rows(&r->plan.cases[0], 9);
	add_rows(&r->plan.cases[1], 1);
	r->plan.cases[2].outcome = BENCH_FAILED;
	strcpy(r->plan.cases[2].message, "41, should be 42");
	r->plan.cases[3].outcome = BENCH_SKIPPED;
	r->plan.cases[3].skip = (struct skip){ SKIP_NEEDS_GPUS, 2, 0 };
	strcpy(r->plan.cases[3].message, "no GPU");
	*state = r;
	return 0;
}

static int destroy(void **state)
{
	struct report *r = *state;

	bench_plan_destroy(&r->plan);
	free(r);
	return 0;
}

typedef int write_report(FILE *out, const struct reporter_view *v, struct err *e);

/* jansson refuses NaN, Infinity, overflow, trailing text and, with this flag, duplicate keys. */
static json_t *document(write_report *write, const struct reporter_view *v)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	json_error_t error;
	json_t *root;
	struct err e = { 0 };

	assert_non_null(out);
	assert_int_equal(write(out, v, &e), 0);
	assert_int_equal(fclose(out), 0);
	root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("line %d: %s in\n%s", error.line, error.text, text);
	free(text);
	return root;
}

static const json_t *member(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		fail_msg("no member '%s'", key);
	return value;
}

static const char *text_of(const json_t *object, const char *key)
{
	const json_t *value = member(object, key);

	assert_true(json_is_string(value));
	return json_string_value(value);
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = member(object, key);

	assert_true(json_is_number(value));
	assert_true(isfinite(json_number_value(value)));
	return json_number_value(value);
}

static bool is_unit(const char *unit)
{
	return strcmp(unit, "ns") == 0 || strcmp(unit, "us") == 0 || strcmp(unit, "ms") == 0 ||
	       strcmp(unit, "s") == 0;
}

/* google/benchmark v1.7.1 tools/gbench/report.py, util.py (Debian's libbenchmark-tools):
 * time_unit must be a key of _TIME_UNIT_TO_SECONDS_MULTIPLIER; partition_benchmarks() drops rows of
 * a name whose unit differs from the first one's; calculate_geomean() takes the logarithm of both
 * times of every row that is no aggregate, so that one zero loses the overall figure. */
static void check_compare_py(const json_t *root)
{
	const json_t *rows = member(root, "benchmarks"), *row, *first;
	size_t i, k;

	json_array_foreach(rows, i, row)
	{
		assert_true(is_unit(text_of(row, "time_unit")));
		number_of(row, "real_time");
		number_of(row, "cpu_time");
		if (strcmp(text_of(row, "run_type"), "aggregate") != 0) {
			assert_true(number_of(row, "real_time") > 0);
			assert_true(number_of(row, "cpu_time") > 0);
		}
		json_array_foreach(rows, k, first) if (strcmp(text_of(first, "name"),
							      text_of(row, "name")) == 0)
			assert_string_equal(text_of(first, "time_unit"), text_of(row, "time_unit"));
	}
}

/* benchmark-action/github-action-benchmark src/extract.ts, extractGoogleCppResult(): JSON.parse,
 * then name, real_time, time_unit, iterations, cpu_time and threads of every element, without
 * checking run_type; a missing member is stored as "undefined". */
static void check_github_action(const json_t *root)
{
	const json_t *row;
	size_t i;

	assert_true(json_is_array(member(root, "benchmarks")));
	json_array_foreach(member(root, "benchmarks"), i, row)
	{
		assert_true(*text_of(row, "name"));
		number_of(row, "real_time");
		number_of(row, "cpu_time");
		text_of(row, "time_unit");
		assert_true(json_is_integer(member(row, "iterations")));
		assert_true(json_is_integer(member(row, "threads")));
	}
}

/* bencherdev/bencher lib/bencher_adapter/src/adapters/cpp/google.rs: struct Context { caches: Vec
 * of objects }, struct Benchmark { name: BenchmarkName (1 to 1024 characters), real_time: a decimal
 * of 96 bits, time_unit: Units }; serde refuses a field given twice and a null. */
static void check_bencher(const json_t *root)
{
	const json_t *caches = member(member(root, "context"), "caches"), *row;
	size_t i;

	assert_true(json_is_array(caches));
	json_array_foreach(caches, i, row) assert_true(json_is_object(row));
	json_array_foreach(member(root, "benchmarks"), i, row)
	{
		size_t length = strlen(text_of(row, "name"));

		assert_true(length >= 1 && length <= 1024);
		assert_true(fabs(number_of(row, "real_time")) < 7.9e28);
		assert_true(is_unit(text_of(row, "time_unit")));
	}
}

/* conbench/conbench benchadapt/python/benchadapt/adapters/gbench.py: every row's members become
 * keyword arguments of GoogleBenchmarkObservation(name, real_time, cpu_time, time_unit, run_type,
 * ...): the first five must exist and none may be named "self"; _parse_benchmark_name() cuts at the
 * first '/'; a row of the same name must have the unit of the first. */
static void check_conbench(const json_t *root)
{
	static const char *const needed[] = { "name", "time_unit", "run_type" };
	const json_t *row;
	size_t i;

	json_array_foreach(member(root, "benchmarks"), i, row)
	{
		const char *name = text_of(row, "name");

		for (size_t k = 0; k < sizeof(needed) / sizeof(*needed); k++)
			text_of(row, needed[k]);
		number_of(row, "real_time");
		number_of(row, "cpu_time");
		assert_null(json_object_get(row, "self"));
		assert_true(name[0] != '/' && name[0] != '<' && name[0] != '\0');
	}
}

/* google/benchmark src/json_reporter.cc, PrintRunData(): the members of iterations and aggregates.
 */
static void check_google(const json_t *root)
{
	static const char *const texts[] = { "name", "run_name", "run_type", "time_unit" };
	static const char *const counts[] = { "family_index", "per_family_instance_index",
					      "repetitions", "threads", "iterations" };
	const json_t *row;
	size_t i;

	json_array_foreach(member(root, "benchmarks"), i, row)
	{
		bool aggregate = strcmp(text_of(row, "run_type"), "aggregate") == 0;

		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
			text_of(row, texts[k]);
		for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++)
			assert_true(json_is_integer(member(row, counts[k])));
		if (aggregate) {
			text_of(row, "aggregate_name");
			assert_null(json_object_get(row, "repetition_index"));
		} else {
			assert_true(json_is_integer(member(row, "repetition_index")));
			assert_string_equal(text_of(row, "name"), text_of(row, "run_name"));
		}
		assert_null(json_object_get(row, "big_o"));
		assert_null(json_object_get(row, "rms"));
		assert_null(json_object_get(row, "error_occurred"));
		assert_null(json_object_get(row, "skipped"));
	}
}

static void check_context(const json_t *context)
{
	static const char *const texts[] = { "date",         "host_name",
					     "executable",   "library_build_type",
					     "copra_target", "copra_scale",
					     "copra_machine" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_true(*text_of(context, texts[i]));
	assert_true(number_of(context, "num_cpus") >= 1);
	number_of(context, "mhz_per_cpu");
	assert_true(json_is_boolean(member(context, "cpu_scaling_enabled")));
	assert_true(json_is_array(member(context, "load_avg")));
	assert_true(number_of(context, "json_schema_version") == 1);
}

static void all_consumers_can_read_the_json(void **state)
{
	struct report *r = *state;
	json_t *root = document(write_json, &r->view);

	check_context(member(root, "context"));
	check_google(root);
	check_compare_py(root);
	check_github_action(root);
	check_bencher(root);
	check_conbench(root);
	/* 9 rows with their aggregates and a single row; none of "wrong" and "absent" */
	assert_int_equal(json_array_size(member(root, "benchmarks")), 9 + REPORTER_AGGREGATES + 1);
	json_decref(root);
}

static void json_values_equal_the_rows(void **state)
{
	struct report *r = *state;
	json_t *root = document(write_json, &r->view);
	const json_t *rows = member(root, "benchmarks"), *row = json_array_get(rows, 2);

	assert_string_equal(text_of(row, "name"), "t/table1/cpu");
	assert_true(fabs(number_of(row, "real_time") - 1020) < 1e-9);
	assert_true(fabs(number_of(row, "cpu_time") - 2000) < 1e-9);
	assert_true(number_of(row, "iterations") == 5);
	assert_true(number_of(row, "repetition_index") == 2);
	assert_true(number_of(row, "output_hash") == 4503599627370495.0);
	assert_true(number_of(row, "cells_per_second") == 1.5e9 + 2);
	assert_non_null(strstr(text_of(row, "label"), "\"copy\" \xef\xbf\xbd\t2"));
	row = json_array_get(rows, 9);
	assert_string_equal(text_of(row, "name"), "t/table1/cpu_mean");
	assert_true(fabs(number_of(row, "real_time") - 1040) < 1e-9);
	row = json_array_get(rows, 10);
	assert_string_equal(text_of(row, "aggregate_name"), "median");
	row = json_array_get(rows, 12);
	assert_string_equal(text_of(row, "aggregate_unit"), "percentage");
	assert_true(number_of(row, "cpu_time") == 0);
	assert_true(number_of(row, "real_time") > 0.02 && number_of(row, "real_time") < 0.03);
	row = json_array_get(rows, 9 + REPORTER_AGGREGATES);
	assert_string_equal(text_of(row, "name"), "t/table1/tuned/manual_time");
	json_decref(root);
}

static void rows_or_aggregates_can_be_left_out(void **state)
{
	struct report *r = *state;
	json_t *root;

	r->view.aggregates = false;
	root = document(write_json, &r->view);
	assert_int_equal(json_array_size(member(root, "benchmarks")), 10);
	json_decref(root);
	r->view.aggregates = true;
	r->view.rows = false;
	root = document(write_json, &r->view);
	/* a case with one repetition keeps its row, as in Google Benchmark */
	assert_int_equal(json_array_size(member(root, "benchmarks")), REPORTER_AGGREGATES + 1);
	json_decref(root);
}

static void a_run_without_results_is_valid_json(void **state)
{
	struct report *r = *state;
	json_t *root;

	for (int i = 0; i < r->plan.count; i++)
		r->plan.cases[i].outcome = BENCH_PENDING;
	root = document(write_json, &r->view);
	assert_int_equal(json_array_size(member(root, "benchmarks")), 0);
	json_decref(root);
	root = document(write_skipped, &r->view);
	assert_int_equal(json_array_size(member(root, "benchmarks")), 0);
	json_decref(root);
}

static void skipped_and_failed_cases_are_listed_with_reasons(void **state)
{
	struct report *r = *state;
	json_t *root = document(write_skipped, &r->view);
	const json_t *rows = member(root, "benchmarks"), *row;

	assert_int_equal(json_array_size(rows), 2);
	row = json_array_get(rows, 0);
	assert_string_equal(text_of(row, "name"), "t/table1/wrong");
	assert_true(json_is_true(member(row, "error_occurred")));
	assert_string_equal(text_of(row, "error_message"), "41, should be 42");
	assert_null(json_object_get(row, "skipped"));
	row = json_array_get(rows, 1);
	assert_string_equal(text_of(row, "name"), "t/table1/absent");
	assert_true(json_is_true(member(row, "error_occurred")));
	assert_true(json_is_true(member(row, "skipped")));
	assert_string_equal(text_of(row, "skip_message"), "no GPU");
	assert_string_equal(text_of(row, "skip_reason"), "needs_gpus");
	assert_int_equal(json_number_value(member(row, "skip_needed")), 2);
	assert_int_equal(json_number_value(member(row, "skip_available")), 0);
	assert_string_equal(text_of(row, "skip_unit"), "GPUs");
	assert_null(json_object_get(row, "real_time"));
	json_decref(root);
}

static void context_pairs_are_written(void **state)
{
	struct report *r = *state;
	json_t *root;
	struct err e;

	r->context = (struct flag_list){ 2, { "run=7,note=a \"b\"", "empty=" } };
	assert_int_equal(reporter_check_context(&r->view, &e), 0);
	root = document(write_json, &r->view);
	assert_string_equal(text_of(member(root, "context"), "run"), "7");
	assert_string_equal(text_of(member(root, "context"), "note"), "a \"b\"");
	assert_string_equal(text_of(member(root, "context"), "empty"), "");
	json_decref(root);
}

static void bad_context_pairs_are_refused(void **state)
{
	static const char *const bad[] = { "novalue",         "=1",      "a=1,b",
					   "caches=1",        "date=x",  "copra_target=y",
					   "twice=1,twice=2", "a=1,,b=2" };
	struct report *r = *state;
	struct err e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		r->context = (struct flag_list){ 1, { bad[i] } };
		assert_int_equal(reporter_check_context(&r->view, &e), ERR_USAGE);
		assert_non_null(strstr(e.text, "--benchmark_context"));
	}
	r->context = (struct flag_list){ 2, { "a=1", "a=2" } };
	assert_int_equal(reporter_check_context(&r->view, &e), ERR_USAGE);
}

/* https://bencher.dev/docs/reference/bencher-metric-format: an object of objects of metrics, each
 * with "value" and at most "lower_value" and "upper_value", all numbers. */
static void bmf_has_median_minimum_and_maximum(void **state)
{
	struct report *r = *state;
	json_t *root = document(write_bmf, &r->view);
	const json_t *latency;

	assert_int_equal(json_object_size(root), 2);
	latency = member(member(root, "t/table1/cpu"), "latency");
	assert_int_equal(json_object_size(latency), 3);
	assert_true(fabs(number_of(latency, "value") - 1.04e6) < 1e-3);
	assert_true(fabs(number_of(latency, "lower_value") - 1e6) < 1e-3);
	assert_true(fabs(number_of(latency, "upper_value") - 1.08e6) < 1e-3);
	json_decref(root);
}

static void a_full_disk_is_an_error(void **state)
{
	struct report *r = *state;
	FILE *full = fopen("/dev/full", "w");
	struct err e = { 0 };

	if (!full)
		skip();
	assert_int_equal(write_json(full, &r->view, &e), ERR_IO);
	assert_true(e.text[0] != '\0');
	fclose(full);
}

#define FRESH(test) cmocka_unit_test_setup_teardown(test, make, destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(all_consumers_can_read_the_json),
		FRESH(json_values_equal_the_rows),
		FRESH(rows_or_aggregates_can_be_left_out),
		FRESH(a_run_without_results_is_valid_json),
		FRESH(skipped_and_failed_cases_are_listed_with_reasons),
		FRESH(context_pairs_are_written),
		FRESH(bad_context_pairs_are_refused),
		FRESH(bmf_has_median_minimum_and_maximum),
		FRESH(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
