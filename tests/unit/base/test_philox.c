/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers by counter (harness/base/philox.h), and the simple reference that other tests use,
 * against the known answers of Random123's tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/philox.h"
#include "tests/unit/base/plain_philox.h"

enum { CASES = 3 };

static const uint32_t counter[CASES][4] = {
	{ 0, 0, 0, 0 },
	{ ~0u, ~0u, ~0u, ~0u },
	{ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
};
static const uint64_t key[CASES] = { 0, ~0ull, 0x299f31d0a4093822ull };

static void check(struct philox4 (*drawn)(const uint32_t c[4], uint64_t key), int rounds,
		  const uint32_t (*want)[4])
{
	for (int i = 0; i < CASES; i++) {
		struct philox4 r = drawn(counter[i], key[i]);
		uint32_t plain[4];

		plain_philox(rounds, counter[i], key[i], plain);
		assert_memory_equal(r.word, want[i], sizeof(want[i]));
		assert_memory_equal(plain, want[i], sizeof(want[i]));
	}
}

static struct philox4 seven(const uint32_t c[4], uint64_t k)
{
	return philox_7(c[0], c[1], c[2], c[3], k);
}

static struct philox4 ten(const uint32_t c[4], uint64_t k)
{
	return philox_10(c[0], c[1], c[2], c[3], k);
}

static void philox_of_7_rounds_matches_plain_code(void **state)
{
	static const uint32_t want[CASES][4] = {
		{ 0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48 },
		{ 0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662 },
		{ 0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a },
	};

	(void)state;
	check(seven, 7, want);
}

static void philox_of_10_rounds_matches_published_vectors(void **state)
{
	static const uint32_t want[CASES][4] = {
		{ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
		{ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
		{ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
	};

	(void)state;
	check(ten, 10, want);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(philox_of_7_rounds_matches_plain_code),
		cmocka_unit_test(philox_of_10_rounds_matches_published_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
