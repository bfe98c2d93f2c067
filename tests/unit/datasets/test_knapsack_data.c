/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Knapsack instances: readers, generators, writer, oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "datasets/knapsack/knapsack.h"
#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/dp-knapsack/small_knapsacks.h"

static void both_formats_give_the_same_instance(void **state)
{
	static const char *const files[] = { "knapsack_indexed.txt", "knapsack_plain.txt",
					     "knapsack_crlf.txt",
					     "knapsack_from_one_no_newline.txt" };
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct knapsack k;
		struct err e = { 0 };

		if (knapsack_load(&k, data(files[i]), &e))
			fail_msg("%s", e.text);
		assert_int_equal(k.n, 3);
		assert_int_equal(k.capacity, 10);
		assert_int_equal(k.profit[1], 20);
		assert_int_equal(k.weight[2], 4);
		assert_int_equal(k.sum_profit, 45);
		assert_int_equal(k.sum_weight, 15);
		assert_string_equal(k.name, files[i]);
		knapsack_free(&k);
	}
}

static int load_and_drop(const char *name, struct err *e)
{
	struct knapsack k;
	int status = knapsack_load(&k, name, e);

	if (status)
		assert_null(k.profit);
	knapsack_free(&k);
	return status;
}

static const struct bad_file bad_files[] = {
	{ "empty.txt", 0, "empty" },
	{ "zero_items.txt", 1, "not in 1.." },
	{ "negative_count.txt", 1, "number of items is negative" },
	{ "not_a_number.txt", 1, "number of items is not an integer" },
	{ "letters_in_weight.txt", 3, "weight is not an integer" },
	{ "negative_weight.txt", 3, "weight is negative" },
	{ "negative_capacity.txt", 1, "capacity is negative" },
	{ "truncated.txt", 4, "ends after 2 of 3 items" },
	{ "no_capacity.txt", 5, "before the capacity" },
	{ "trailing_items.txt", 5, "unexpected text after the instance" },
	{ "trailing_text.txt", 6, "unexpected text after the instance" },
	{ "gigantic_count.txt", 3, "ends after 1 of 1000000000 items" },
	{ "count_overflows.txt", 1, "does not fit" },
	{ "count_too_large.txt", 1, "not in 1.." },
	{ "profit_overflows.txt", 3, "profit does not fit" },
	{ "profits_sum_overflows.txt", 3, "sum of the profits overflows" },
	{ "weights_sum_overflow.txt", 3, "sum of the weights overflows" },
	{ "missing_field.txt", 3, "weight is missing" },
	{ "extra_field.txt", 2, "unexpected text after the item" },
	{ "index_out_of_order.txt", 3, "index is out of order" },
	{ "fraction.txt", 2, "weight is not an integer" },
	{ "three_in_header.txt", 1, "unexpected text after the number of items and the capacity" },
	{ "long_line.txt", 3, "too long" },
	{ "nul_byte.txt", 2, "not text" },
	{ "hexadecimal.txt", 2, "profit is not an integer" },
	{ "does_not_exist.txt", 0, "No such file" },
};

static void bad_files_are_refused_with_their_line(void **state)
{
	(void)state;
	check_bad_files("bad_knapsacks", bad_files, sizeof(bad_files) / sizeof(bad_files[0]),
			load_and_drop);
}

static void bad_names_are_refused(void **state)
{
	static const char *const names[] = { "boyer:",
					     "boyer:0",
					     "boyer:-5",
					     "boyer:10:x",
					     "boyer:10:1:2",
					     "boyer:99999999999",
					     "hard:10",
					     "hard:10:100:1:0.5:0.1:10",
					     "hard:10:100:3:1.5:0.1:10",
					     "hard:10:100:3:nan:0.1:10",
					     "hard:10:-1:3:0.5:0.1:10",
					     "hard:10:100:3:0.5:0.1:0",
					     "correlation:odd:10",
					     "correlation:weak",
					     "correlation:weak:0",
					     "no-such-file" };

	(void)state;
	check_bad_names(names, sizeof(names) / sizeof(names[0]), load_and_drop);
}

static void boyer_follows_the_paper(void **state)
{
	struct knapsack k;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(knapsack_load(&k, "boyer:10000", &e), 0);
	assert_int_equal(k.capacity, 2531587);
	assert_string_equal(k.name, "boyer-n10000-s1");
	for (int64_t i = 0; i < k.n; i++) {
		assert_in_range(k.weight[i], 1, 1000);
		assert_int_equal(k.profit[i], k.weight[i] + 50);
	}
	knapsack_free(&k);
}

static void hard_instances_have_their_groups(void **state)
{
	struct knapsack k;
	struct err e = { 0 };

	(void)state;
	/* 20 % of 100 in the last group, 80 in four groups of C / 2, C / 4, C / 8, C / 16 */
	assert_int_equal(knapsack_load(&k, "hard:100:1000000:5:0.2:0.01:300", &e), 0);
	assert_int_equal(k.capacity, 1000000);
	for (int64_t i = 0; i < 100; i++) {
		int64_t base = i < 80 ? 1000000 / (2 << (i / 20)) + 10000 : 0;

		assert_in_range(k.weight[i] - base, 1, 300);
		assert_in_range(k.profit[i] - base, 1, 300);
	}
	knapsack_free(&k);
}

static void correlated_instances_share_weights(void **state)
{
	struct knapsack boyer, k;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(knapsack_load(&boyer, "boyer:500:3", &e), 0);
	assert_int_equal(knapsack_load(&k, "correlation:subset-sum:500:3", &e), 0);
	assert_int_equal(k.capacity, boyer.capacity);
	assert_memory_equal(k.weight, boyer.weight, 500 * sizeof(*k.weight));
	assert_memory_equal(k.profit, k.weight, 500 * sizeof(*k.weight));
	knapsack_free(&k);
	assert_int_equal(knapsack_load(&k, "correlation:weak:500:3", &e), 0);
	for (int64_t i = 0; i < 500; i++)
		assert_true(k.profit[i] >= 1 && llabs(k.profit[i] - k.weight[i]) <= 50);
	knapsack_free(&k);
	knapsack_free(&boyer);
}

static void written_files_can_be_read_back(void **state)
{
	char path[] = "/tmp/copra-knapsack-XXXXXX";
	struct knapsack k, back;
	struct err e = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(knapsack_load(&k, "hard:50:100000000000:3:0.2:0.01:300", &e), 0);
	assert_int_equal(knapsack_write(&k, path, &e), 0);
	assert_int_equal(knapsack_load(&back, path, &e), 0);
	assert_int_equal(back.capacity, k.capacity);
	assert_memory_equal(back.profit, k.profit, 50 * sizeof(*k.profit));
	assert_memory_equal(back.weight, k.weight, 50 * sizeof(*k.weight));
	knapsack_free(&back);
	assert_int_equal(knapsack_write(&k, "/nowhere/at/all", &e), ERR_IO);
	assert_int_equal(knapsack_write(&k, "/dev/full", &e), ERR_IO);
	knapsack_free(&k);
	unlink(path);
}

/* The optimum over all subsets of at most 16 items. */
static int64_t enumerate(const struct knapsack *k)
{
	int64_t best = 0;

	for (uint32_t set = 0; set < (uint32_t)1 << k->n; set++) {
		int64_t value = 0, weight = 0;

		for (int64_t i = 0; i < k->n; i++) {
			value += set >> i & 1 ? k->profit[i] : 0;
			weight += set >> i & 1 ? k->weight[i] : 0;
		}
		if (weight <= k->capacity && value > best)
			best = value;
	}
	return best;
}

static void the_oracle_is_exact(void **state)
{
	struct rng r = rng_seeded(5);

	(void)state;
	for (int t = 0; t < 900; t++) {
		struct small_knapsack s;
		struct err e = { 0 };
		int64_t optimum;

		small_knapsack(&s, &r, t, 2000);
		if (t % 3 == 0 && s.k.n > 12) {
			s.k.n = 12;
			small_sums(&s);
			assert_int_equal(enumerate(&s.k), small_optimum(&s.k));
		}
		if (knapsack_oracle(&s.k, 0, 0, &optimum, &e))
			fail_msg("%s", e.text);
		assert_int_equal(optimum, small_optimum(&s.k));
	}
}

static void the_oracle_stops_at_its_limits(void **state)
{
	struct knapsack k;
	struct err e = { 0 };
	int64_t optimum;

	(void)state;
	assert_int_equal(knapsack_load(&k, "hard:300:100000000:10:0.3:0:300", &e), 0);
	assert_int_equal(knapsack_oracle(&k, 2000, 0, &optimum, &e), ERR_LIMIT);
	knapsack_free(&k);
}

static void known_optima_agree_with_the_oracle(void **state)
{
	static const char *const names[] = { "boyer:10000:2", "boyer:20000:7", "boyer:100000:4" };
	struct knapsack k;
	struct err e = { 0 };
	const char *source = NULL;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		int64_t known = 0, optimum = 1;

		assert_int_equal(knapsack_load(&k, names[i], &e), 0);
		assert_true(knapsack_known_optimum(&k, &known, &source));
		assert_non_null(source);
		assert_int_equal(knapsack_oracle(&k, 0, 0, &optimum, &e), 0);
		assert_int_equal(known, optimum);
		k.capacity++;
		assert_false(knapsack_known_optimum(&k, &known, &source));
		knapsack_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_formats_give_the_same_instance),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(boyer_follows_the_paper),
		cmocka_unit_test(hard_instances_have_their_groups),
		cmocka_unit_test(correlated_instances_share_weights),
		cmocka_unit_test(written_files_can_be_read_back),
		cmocka_unit_test(the_oracle_is_exact),
		cmocka_unit_test(the_oracle_stops_at_its_limits),
		cmocka_unit_test(known_optima_agree_with_the_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
