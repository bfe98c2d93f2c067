/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Overflow-checked sums, hashes and random numbers against published values. */
#include "harness/base/checked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/rng.h"

static void overflow_is_reported(void **state)
{
	size_t s = 7;
	int64_t i = 7;
	uint64_t u = 7;

	(void)state;
	assert_true(checked_add_size(SIZE_MAX - 1, 1, &s) && s == SIZE_MAX);
	assert_false(checked_add_size(SIZE_MAX, 1, &s));
	assert_false(checked_sub_size(1, 2, &s));
	assert_false(checked_mul_size(SIZE_MAX / 2 + 1, 2, &s));
	assert_true(s == SIZE_MAX); /* unchanged */
	assert_true(checked_mul_i64(INT64_MIN, 1, &i) && i == INT64_MIN);
	assert_false(checked_mul_i64(INT64_MIN, -1, &i));
	assert_false(checked_add_i64(INT64_MAX, 1, &i));
	assert_false(checked_sub_i64(INT64_MIN, 1, &i));
	assert_false(checked_mul_u64(UINT64_MAX, 2, &u));
	assert_false(checked_add_u64(UINT64_MAX, 1, &u));
	assert_true(checked_size_from_i64(5, &s) && s == 5);
	assert_false(checked_size_from_i64(-1, &s));
}

/* Test vectors of the FNV reference (isthe.com/chongo/tech/comp/fnv, test_fnv.c). */
static void fnv1a_matches_its_test_vectors(void **state)
{
	(void)state;
	assert_true(hash_text(HASH_INIT, "") == UINT64_C(0xcbf29ce484222325));
	assert_true(hash_text(HASH_INIT, "a") == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(hash_text(HASH_INIT, "foobar") == UINT64_C(0x85944171f73967e8));
}

static void hash_depends_on_every_bit_and_the_length(void **state)
{
	unsigned char data[37] = { 0 };
	uint64_t plain;

	(void)state;
	for (size_t length = 0; length <= sizeof(data); length++) {
		plain = hash_bytes(HASH_INIT, data, length);
		if (length > 0)
			assert_true(plain != hash_bytes(HASH_INIT, data, length - 1));
		for (size_t bit = 0; bit < 8 * length; bit++) {
			data[bit / 8] ^= (unsigned char)(1u << bit % 8);
			assert_true(hash_bytes(HASH_INIT, data, length) != plain);
			data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		}
	}
}

/* First numbers of splitmix64 for seed 1234567, as the reference C code prints them
 * (rosettacode.org, "Pseudo-random numbers/Splitmix64"). */
static void splitmix64_matches_its_test_vectors(void **state)
{
	static const uint64_t expected[] = { UINT64_C(6457827717110365317),
					     UINT64_C(3203168211198807973),
					     UINT64_C(9817491932198370423),
					     UINT64_C(4593380528125082431),
					     UINT64_C(16408922859458223821) };
	struct rng r = rng_seeded(1234567);

	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		assert_true(rng_at(1234567, i) == expected[i]);
		assert_true(rng_next(&r) == expected[i]);
	}
}

static void random_numbers_fill_their_range_evenly(void **state)
{
	struct rng r = rng_seeded(3);
	int seen[6] = { 0 };

	(void)state;
	for (int i = 0; i < 6000; i++) {
		double unit = rng_unit(&r);

		seen[rng_below(&r, 6)]++;
		assert_true(unit >= 0 && unit < 1);
		assert_in_range(rng_between(&r, 1, 1000), 1, 1000);
	}
	for (int i = 0; i < 6; i++)
		assert_in_range(seen[i], 850, 1150); /* 5 standard deviations */
	assert_int_equal(rng_between(&r, -4, -4), -4);
	(void)rng_between(&r, INT64_MIN, INT64_MAX); /* the whole range does not overflow */
}

static void clocks_advance(void **state)
{
	double wall = clock_wall(), cpu = clock_process_cpu();
	volatile double sink = 0;

	(void)state;
	clock_sleep(0.002);
	assert_true(clock_wall() - wall >= 0.002);
	for (int i = 0; i < 1000000; i++)
		sink += i;
	assert_true(sink > 0);
	assert_true(clock_process_cpu() > cpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overflow_is_reported),
		cmocka_unit_test(fnv1a_matches_its_test_vectors),
		cmocka_unit_test(hash_depends_on_every_bit_and_the_length),
		cmocka_unit_test(splitmix64_matches_its_test_vectors),
		cmocka_unit_test(random_numbers_fill_their_range_evenly),
		cmocka_unit_test(clocks_advance),
	};

	return cmocka_run_group_tests_name("checked", tests, NULL, NULL);
}
