/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* sample-target: the reader, the oracle against values found by hand, and every variant against the
 * oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "algorithms/sample-target/search.h"
#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/base/temporary_folder.h"

static int load(const char *name, struct err *e)
{
	struct sample_target_instance s;

	return sample_target_load(&s, name, e);
}

/* 4 + 5 + 6 = 7 + 8; an odd total leaves at least 1. */
static void oracle_agrees_with_values_found_by_hand(void **state)
{
	static const struct {
		struct sample_target_instance s;
		int64_t difference;
	} known[] = {
		{ { .n = 5, .number = { 4, 5, 6, 7, 8 } }, 0 },
		{ { .n = 2, .number = { 1, 3 } }, 2 },
		{ { .n = 3, .number = { 2, 2, 3 } }, 1 },
		{ { .n = 4, .number = { 10, 1, 1, 1 } }, 7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		int64_t difference;

		assert_int_equal(sample_target_oracle(&known[i].s, &difference, NULL), 0);
		assert_int_equal(difference, known[i].difference);
	}
}

static void check_variant(struct sample_target_request r, int64_t optimum)
{
	struct sample_target_answer a;
	struct err e = { 0 };

	if (sample_target_search(&r, &a, &e))
		fail_msg("%s", e.text);
	assert_true(a.complete);
	assert_true(a.tried == (double)(UINT64_C(1) << (r.instance->n - 1)));
	assert_int_equal(a.difference, optimum);
	assert_int_equal(sample_target_evaluate(r.instance, a.heap), optimum);
}

static void every_variant_finds_the_optimum(void **state)
{
	struct dev_set set;

	(void)state;
	open_devices(&set, 2, "random", 1);
	for (int n = 2; n <= 10; n += n < 4 ? 1 : 2) { /* 10: two blocks of threads */
		struct sample_target_instance s;
		struct sample_target_request r = { .instance = &s, .threads = 3, .devices = &set };
		char name[32];
		int64_t optimum;

		snprintf(name, sizeof(name), "random:%d:%d", n, n);
		assert_int_equal(sample_target_load(&s, name, NULL), 0);
		assert_int_equal(sample_target_oracle(&s, &optimum, NULL), 0);
		for (r.variant = SOLVE_SERIAL; r.variant <= SOLVE_TUNED; r.variant++)
			check_variant(r, optimum);
	}
	dev_set_close(&set);
}

static void a_stopped_search_has_a_valid_answer(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	struct sample_target_instance s;
	struct sample_target_request r = {
		.instance = &s, .variant = SOLVE_CPU, .threads = 2, .stop = &stop
	};
	struct sample_target_answer a;

	(void)state;
	assert_int_equal(sample_target_load(&s, "random:28:1", NULL), 0);
	assert_int_equal(sample_target_search(&r, &a, NULL), ERR_LIMIT);
	assert_false(a.complete);
	assert_int_equal(sample_target_evaluate(&s, a.heap), a.difference);
}

static void bad_names_are_refused(void **state)
{
	static const char *const names[] = { "random:",    "random:1:1",  "random:29:1",
					     "random:5",   "random:-5:1", "random:5:1x",
					     "nothing.txt" };

	(void)state;
	check_bad_names(names, sizeof(names) / sizeof(names[0]), load);
}

static void damaged_files_are_read_or_refused(void **state)
{
	static const char good[] = "5\n4\n5\n6\n7\n8\n", bytes[] = "0123456789\n -.x";
	char path[96];
	int taken;

	(void)state;
	snprintf(path, sizeof(path), "%s/numbers.txt", folder);
	taken = check_damaged_files(path, good, bytes, sizeof(bytes) - 1, 1, load);
	assert_in_range(taken, 1, 1999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oracle_agrees_with_values_found_by_hand),
		cmocka_unit_test(every_variant_finds_the_optimum),
		cmocka_unit_test(a_stopped_search_has_a_valid_answer),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
