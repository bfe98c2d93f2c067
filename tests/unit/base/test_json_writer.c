/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* JSON output: it is valid for all bytes and numbers, has the documented layout, and every error is
 * reported. jansson serves as an independent reader. */
#include "harness/base/json_writer.h"

#include <float.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/rng.h"

static void layout_is_that_of_google_benchmark(void **state)
{
	struct json_writer w;
	struct err e;

	(void)state;
	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	jw_begin_object(&w, "context");
	jw_int(&w, "num_cpus", 2);
	jw_begin_array(&w, "caches");
	jw_end_array(&w);
	jw_end_object(&w);
	jw_begin_array(&w, "benchmarks");
	jw_begin_object(&w, NULL);
	jw_string(&w, "name", "a");
	jw_double(&w, "real_time", 3);
	jw_end_object(&w);
	jw_end_array(&w);
	jw_end_object(&w);
	assert_int_equal(jw_finish(&w, &e), 0);
	assert_string_equal(w.data, "{\n"
				    "  \"context\": {\n"
				    "    \"num_cpus\": 2,\n"
				    "    \"caches\": []\n"
				    "  },\n"
				    "  \"benchmarks\": [\n"
				    "    {\n"
				    "      \"name\": \"a\",\n"
				    "      \"real_time\": 3.0\n"
				    "    }\n"
				    "  ]\n"
				    "}\n");
	jw_destroy(&w);
}

static void one_line_style_has_no_line_ends(void **state)
{
	struct json_writer w;
	struct err e;

	(void)state;
	jw_to_buffer(&w, JSON_ONE_LINE);
	jw_begin_object(&w, NULL);
	jw_string(&w, "a", "x\ny");
	jw_bool(&w, "b", true);
	jw_null(&w, "c");
	jw_end_object(&w);
	assert_int_equal(jw_finish(&w, &e), 0);
	assert_string_equal(w.data, "{\"a\": \"x\\ny\", \"b\": true, \"c\": null}");
	jw_destroy(&w);
}

/* Writes one string, reads it with jansson and returns the result (the caller decrefs it). */
static json_t *read_back(const char *bytes, size_t length)
{
	struct json_writer w;
	struct err e;
	json_error_t je;
	json_t *root;

	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_array(&w, NULL);
	jw_bytes(&w, NULL, bytes, length);
	jw_end_array(&w);
	assert_int_equal(jw_finish(&w, &e), 0);
	root = json_loadb(w.data, w.length, JSON_ALLOW_NUL, &je);
	if (!root)
		fail_msg("jansson refuses %s: %s", w.data, je.text);
	jw_destroy(&w);
	return root;
}

static void check_string(const char *bytes, size_t length, const char *expected,
			 size_t expected_length)
{
	json_t *root = read_back(bytes, length);
	json_t *text = json_array_get(root, 0);

	assert_int_equal(json_string_length(text), expected_length);
	assert_memory_equal(json_string_value(text), expected, expected_length);
	json_decref(root);
}

#define BAD "\xef\xbf\xbd" /* U+FFFD */
#define CHECK_STRING(in, out) check_string(in, sizeof(in) - 1, out, sizeof(out) - 1)

static void strings_are_escaped(void **state)
{
	(void)state;
	CHECK_STRING("", "");
	CHECK_STRING("a\"b\\c/\b\f\n\r\t\x01\x1f\x7f", "a\"b\\c/\b\f\n\r\t\x01\x1f\x7f");
	CHECK_STRING("nul\0in", "nul\0in");
	CHECK_STRING("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		     "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	CHECK_STRING("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
	CHECK_STRING("\x80", BAD);
	CHECK_STRING("a\xffz", "a" BAD "z");
	CHECK_STRING("\xc0\xaf", BAD BAD);                 /* overlong '/' */
	CHECK_STRING("\xe0\x80\xaf", BAD BAD BAD);         /* overlong '/' */
	CHECK_STRING("\xed\xa0\x80", BAD BAD BAD);         /* a surrogate */
	CHECK_STRING("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* above U+10FFFF */
	CHECK_STRING("\xf0\x9f\x98", BAD BAD BAD);         /* cut off */
	CHECK_STRING("\xe2\x82", BAD BAD);
}

static void random_bytes_give_readable_json(void **state)
{
	struct rng r = rng_seeded(5);

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char bytes[24];
		size_t length = (size_t)rng_below(&r, sizeof(bytes) + 1);

		for (size_t i = 0; i < length; i++)
			bytes[i] = (char)rng_next(&r);
		json_decref(read_back(bytes, length));
	}
}

static void check_double(double value)
{
	char text[32];
	json_t *root;
	char array[40];

	jw_format_double(text, sizeof(text), value);
	snprintf(array, sizeof(array), "[%s]", text);
	root = json_loads(array, 0, NULL);
	if (!root)
		fail_msg("%s is no JSON", text);
	assert_true(json_is_real(json_array_get(root, 0)));
	if (json_real_value(json_array_get(root, 0)) != value)
		fail_msg("%a came back from %s", value, text);
	json_decref(root);
}

static void doubles_are_read_back_exactly(void **state)
{
	struct rng r = rng_seeded(6);
	char text[32];

	(void)state;
	jw_format_double(text, sizeof(text), 0.1);
	assert_string_equal(text, "0.1");
	jw_format_double(text, sizeof(text), 1e22);
	assert_string_equal(text, "1e+22");
	jw_format_double(text, sizeof(text), -5);
	assert_string_equal(text, "-5.0");
	check_double(0);
	check_double(DBL_MAX);
	check_double(-DBL_MIN);
	check_double(0x1p-1074);
	check_double(1.0 / 3);
	check_double(9007199254740993.0);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = rng_next(&r);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			check_double(value);
	}
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR" };
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!setlocale(LC_NUMERIC, names[i]))
			continue;
		jw_format_double(text, sizeof(text), 1234.5);
		setlocale(LC_NUMERIC, "C");
		assert_string_equal(text, "1234.5");
		return;
	}
	skip();
}

static void largest_and_smallest_integers_are_written(void **state)
{
	struct json_writer w;
	struct err e;

	(void)state;
	jw_to_buffer(&w, JSON_ONE_LINE);
	jw_begin_array(&w, NULL);
	jw_int(&w, NULL, INT64_MIN);
	jw_uint(&w, NULL, UINT64_MAX);
	jw_end_array(&w);
	assert_int_equal(jw_finish(&w, &e), 0);
	assert_string_equal(w.data, "[-9223372036854775808, 18446744073709551615]");
	jw_destroy(&w);
}

static void check_refused(double value, const char *word)
{
	struct json_writer w;
	struct err e;

	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	jw_double(&w, "cells_per_second", value);
	jw_end_object(&w);
	assert_int_equal(jw_finish(&w, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "cells_per_second"));
	assert_non_null(strstr(e.text, word));
	jw_destroy(&w);
}

static void nan_and_infinity_are_refused(void **state)
{
	(void)state;
	check_refused(NAN, "not a number");
	check_refused(INFINITY, "infinite");
	check_refused(-INFINITY, "infinite");
}

static void expect_failure(struct json_writer *w)
{
	struct err e;

	assert_int_equal(jw_finish(w, &e), ERR_FAILED);
	jw_destroy(w);
}

static void wrong_nesting_is_refused(void **state)
{
	struct json_writer w;

	(void)state;
	jw_to_buffer(&w, JSON_INDENTED);
	expect_failure(&w); /* nothing written */
	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	expect_failure(&w); /* not ended */
	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	jw_end_array(&w);
	expect_failure(&w);
	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	jw_int(&w, NULL, 1); /* a member without a name */
	jw_end_object(&w);
	expect_failure(&w);
	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_array(&w, NULL);
	jw_int(&w, "named", 1);
	jw_end_array(&w);
	expect_failure(&w);
	jw_to_buffer(&w, JSON_INDENTED);
	jw_int(&w, NULL, 1);
	jw_int(&w, NULL, 2); /* two values at the top */
	expect_failure(&w);
	jw_to_buffer(&w, JSON_INDENTED);
	for (int i = 0; i <= JSON_DEPTH; i++)
		jw_begin_array(&w, NULL);
	expect_failure(&w); /* too deep */
}

static void full_disk_is_reported(void **state)
{
	FILE *f = fopen("/dev/full", "w");
	struct json_writer w;
	struct err e;

	(void)state;
	if (!f)
		skip();
	jw_to_file(&w, f, JSON_INDENTED);
	jw_begin_array(&w, NULL);
	for (int i = 0; i < 10; i++)
		jw_int(&w, NULL, i);
	jw_end_array(&w);
	assert_int_equal(jw_finish(&w, &e), ERR_IO);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_is_that_of_google_benchmark),
		cmocka_unit_test(one_line_style_has_no_line_ends),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(random_bytes_give_readable_json),
		cmocka_unit_test(doubles_are_read_back_exactly),
		cmocka_unit_test(numbers_do_not_depend_on_the_locale),
		cmocka_unit_test(largest_and_smallest_integers_are_written),
		cmocka_unit_test(nan_and_infinity_are_refused),
		cmocka_unit_test(wrong_nesting_is_refused),
		cmocka_unit_test(full_disk_is_reported),
	};

	return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
