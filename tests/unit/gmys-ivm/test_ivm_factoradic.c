/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Factoradic arithmetic against big integers: 128 bits up to n = 33, limbs of 32 bits up to 500. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/gmys-ivm/factoradic.h"
#include "harness/base/rng.h"

enum { ITEMS_MAX = 500, LIMBS = 140, SMALL_MAX = 33 };

/* ---- 128 bits ---- */

typedef __int128 wide; /* 33! needs 123 bits */

static wide wide_of(const uint16_t *x, int n)
{
	wide value = 0;

	for (int i = 0; i < n; i++)
		value = value * (n - i) + x[i];
	return value;
}

static void digits_of(wide value, int n, uint16_t *x)
{
	for (int i = n - 1; i >= 0; i--) {
		x[i] = (uint16_t)(value % (n - i));
		value /= n - i;
	}
	assert_true(value == 0);
}

/* ---- schoolbook: little-endian limbs ---- */

struct big {
	uint32_t limb[LIMBS];
};

static void big_times_plus(struct big *a, uint32_t factor, uint32_t more)
{
	uint64_t carry = more;

	for (int i = 0; i < LIMBS; i++) {
		carry += (uint64_t)a->limb[i] * factor;
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	assert_true(carry == 0);
}

static void big_divide(struct big *a, uint32_t by)
{
	uint64_t rest = 0;

	for (int i = LIMBS - 1; i >= 0; i--) {
		rest = (rest << 32) | a->limb[i];
		a->limb[i] = (uint32_t)(rest / by);
		rest %= by;
	}
}

/* a += sign * b */
static void big_add(struct big *a, const struct big *b, int sign)
{
	int64_t carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		carry += (int64_t)a->limb[i] + sign * (int64_t)b->limb[i];
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	assert_true(carry == 0);
}

static void big_add_small(struct big *a, uint32_t more)
{
	big_times_plus(a, 1, more);
}

static int big_compare(const struct big *a, const struct big *b)
{
	for (int i = LIMBS - 1; i >= 0; i--) {
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

static struct big big_of(const uint16_t *x, int n)
{
	struct big a = { { 0 } };

	for (int i = 0; i < n; i++)
		big_times_plus(&a, (uint32_t)(n - i), x[i]);
	return a;
}

/* ---- random numbers ---- */

static void random_digits(struct rng *r, uint16_t *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = (uint16_t)rng_below(r, (uint64_t)(n - i));
}

/* Makes a random interval, first <= last. The two often share many digits, and digits are often 0
 * or the largest possible. */
static void random_interval(struct rng *r, uint16_t *first, uint16_t *last, int n)
{
	int common = (int)rng_below(r, (uint64_t)n + 1);

	random_digits(r, first, n);
	random_digits(r, last, n);
	memcpy(last, first, (size_t)common * sizeof(*last));
	if (rng_below(r, 4) == 0)
		memset(first + common, 0, (size_t)(n - common) * sizeof(*first));
	if (rng_below(r, 4) == 0)
		ivm_factoradic_last(last + common, n - common);
	if (ivm_factoradic_compare(first, last, n) > 0) {
		uint16_t other[ITEMS_MAX];

		memcpy(other, first, (size_t)n * sizeof(*other));
		memcpy(first, last, (size_t)n * sizeof(*other));
		memcpy(last, other, (size_t)n * sizeof(*other));
	}
}

static void check_digits(const uint16_t *x, int n)
{
	for (int i = 0; i < n; i++)
		assert_in_range(x[i], 0, n - 1 - i);
}

static int random_parts(struct rng *r, int *kept)
{
	static const int most[] = { 2, 3, 20, 65535 };
	int parts = (int)rng_between(r, 2, most[rng_below(r, 4)]);

	*kept = (int)rng_between(r, 1, parts - 1);
	return parts;
}

/* ---- tests ---- */

static void next_and_previous_enumerate_all_numbers(void **state)
{
	(void)state;
	for (int n = 1; n <= 8; n++) {
		uint16_t x[8] = { 0 }, y[8], last[8];
		uint64_t count = 1;

		ivm_factoradic_last(last, n);
		assert_false(ivm_factoradic_previous(x, n));
		for (;; count++) {
			assert_true(wide_of(x, n) == count - 1);
			memcpy(y, x, sizeof(y));
			if (!ivm_factoradic_next(x, n))
				break;
			assert_int_equal(ivm_factoradic_compare(y, x, n), -1);
			assert_int_equal(ivm_factoradic_compare(x, y, n), 1);
			uint16_t z[8];

			memcpy(z, x, sizeof(z));
			assert_true(ivm_factoradic_previous(z, n));
			assert_memory_equal(z, y, (size_t)n * sizeof(*z));
		}
		assert_memory_equal(x, last, (size_t)n * sizeof(*x));
		uint64_t all = 1;

		for (int i = 2; i <= n; i++)
			all *= (uint64_t)i;
		assert_int_equal(count, all);
	}
}

static void arithmetic_matches_128_bit_integers(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	for (int trial = 0; trial < 20000; trial++) {
		int n = (int)rng_between(&r, 1, SMALL_MAX), kept, parts = random_parts(&r, &kept);
		uint16_t first[SMALL_MAX], last[SMALL_MAX], owner[SMALL_MAX], thief[SMALL_MAX];

		random_interval(&r, first, last, n);
		wide a = wide_of(first, n), b = wide_of(last, n), length = b - a;

		assert_int_equal(ivm_factoradic_compare(first, last, n), a < b ? -1 : 0);
		assert_int_equal(ivm_factoradic_split(first, last, n, kept, parts, owner, thief),
				 a < b);
		if (a == b)
			continue;
		/* this limit keeps kept * length from overflowing */
		wide q = length / parts, rest = length % parts;
		wide cut = a + q * kept + rest * kept / parts;

		check_digits(owner, n);
		check_digits(thief, n);
		assert_true(wide_of(owner, n) == cut);
		assert_true(wide_of(thief, n) == cut + 1);
		assert_true(cut >= a && cut + 1 <= b);
		uint16_t again[SMALL_MAX];

		digits_of(cut, n, again);
		assert_memory_equal(again, owner, (size_t)n * sizeof(*again));
	}
}

static void arithmetic_of_hundreds_of_digits_matches_big_integers(void **state)
{
	struct rng r = rng_seeded(2);

	(void)state;
	for (int trial = 0; trial < 300; trial++) {
		int n = (int)rng_between(&r, 34, trial % 3 ? ITEMS_MAX : 60), kept;
		int parts = random_parts(&r, &kept);
		uint16_t first[ITEMS_MAX], last[ITEMS_MAX], owner[ITEMS_MAX], thief[ITEMS_MAX];

		random_interval(&r, first, last, n);
		struct big a = big_of(first, n), b = big_of(last, n), cut = b;

		assert_int_equal(ivm_factoradic_compare(first, last, n), big_compare(&a, &b));
		if (!ivm_factoradic_split(first, last, n, kept, parts, owner, thief)) {
			assert_int_equal(big_compare(&a, &b), 0);
			continue;
		}
		big_add(&cut, &a, -1);
		big_times_plus(&cut, (uint32_t)kept, 0);
		big_divide(&cut, (uint32_t)parts);
		big_add(&cut, &a, 1);
		check_digits(owner, n);
		struct big got = big_of(owner, n);

		assert_int_equal(big_compare(&got, &cut), 0);
		big_add_small(&cut, 1);
		got = big_of(thief, n);
		assert_int_equal(big_compare(&got, &cut), 0);
		assert_true(big_compare(&cut, &b) <= 0);
		assert_true(ivm_factoradic_previous(thief, n));
		assert_memory_equal(thief, owner, (size_t)n * sizeof(*thief));
	}
}

static void split_works_in_place(void **state)
{
	struct rng r = rng_seeded(3);

	(void)state;
	for (int trial = 0; trial < 1000; trial++) {
		int n = (int)rng_between(&r, 2, SMALL_MAX), kept, parts = random_parts(&r, &kept);
		uint16_t first[SMALL_MAX], last[SMALL_MAX], owner[SMALL_MAX], thief[SMALL_MAX];
		size_t bytes = (size_t)n * sizeof(*first);

		random_interval(&r, first, last, n);
		if (!ivm_factoradic_split(first, last, n, kept, parts, owner, thief))
			continue;
		assert_true(ivm_factoradic_split(first, last, n, kept, parts, last, first));
		assert_memory_equal(last, owner, bytes);
		assert_memory_equal(first, thief, bytes);
	}
}

static void fractions_match_exact_quotients(void **state)
{
	struct rng r = rng_seeded(4);

	(void)state;
	for (int trial = 0; trial < 5000; trial++) {
		int n = (int)rng_between(&r, 1, SMALL_MAX);
		uint16_t first[SMALL_MAX], last[SMALL_MAX], whole[SMALL_MAX];

		ivm_factoradic_last(whole, n);
		random_interval(&r, first, last, n);
		long double exact = (long double)(wide_of(last, n) - wide_of(first, n) + 1) /
				    (long double)(wide_of(whole, n) + 1);
		double error = (double)(ivm_factoradic_fraction(first, last, n) / exact) - 1;

		assert_true(error < 1e-12 && error > -1e-12);
		memset(first, 0, sizeof(first));
		assert_true(ivm_factoradic_fraction(first, whole, n) == 1);
	}
}

/* Residues and lengths modulo the prime. Lengths also add up for numbers of more than 128 bits. */
static void residues_and_lengths_match_big_integers(void **state)
{
	struct rng r = rng_seeded(12);
	uint16_t first[ITEMS_MAX], last[ITEMS_MAX], owner[ITEMS_MAX], thief[ITEMS_MAX];

	(void)state;
	for (int trial = 0; trial < 2000; trial++) {
		int n = (int)rng_between(&r, 1, SMALL_MAX);
		wide length;

		random_interval(&r, first, last, n);
		length = wide_of(last, n) - wide_of(first, n) + 1;
		assert_true(ivm_factoradic_residue(first, n) ==
			    (uint64_t)(wide_of(first, n) % (wide)IVM_FACTORADIC_MODULUS));
		assert_true(ivm_factoradic_length(first, last, n) ==
			    (uint64_t)(length % (wide)IVM_FACTORADIC_MODULUS));
		assert_true(ivm_factoradic_reached(last, last, n) ==
			    ivm_factoradic_residue(last, n));
		assert_true(ivm_factoradic_reached(last, first, n) ==
			    ivm_factoradic_residue(first, n) +
				    (ivm_factoradic_compare(last, first, n) > 0));
	}
	for (int trial = 0; trial < 200; trial++) {
		int n = (int)rng_between(&r, 2, ITEMS_MAX);
		uint64_t sum;

		random_interval(&r, first, last, n);
		if (!ivm_factoradic_split(first, last, n, 1, 2, owner, thief))
			continue;
		sum = ivm_factoradic_length(first, owner, n) +
		      ivm_factoradic_length(thief, last, n);
		assert_true(sum % IVM_FACTORADIC_MODULUS == ivm_factoradic_length(first, last, n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_and_previous_enumerate_all_numbers),
		cmocka_unit_test(arithmetic_matches_128_bit_integers),
		cmocka_unit_test(arithmetic_of_hundreds_of_digits_matches_big_integers),
		cmocka_unit_test(split_works_in_place),
		cmocka_unit_test(fractions_match_exact_quotients),
		cmocka_unit_test(residues_and_lengths_match_big_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
