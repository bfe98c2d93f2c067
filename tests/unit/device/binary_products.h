/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Binary matrix products of a device against plain popcounts. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_DEVICE_BINARY_PRODUCTS_H
#define COPRA_TESTS_UNIT_DEVICE_BINARY_PRODUCTS_H

#include "harness/device/device.h"
#include "harness/base/rng.h"
#include "kernels/selftest/binary.h"

enum { BINARY_ROWS = 16, BINARY_COLUMNS = 8, BINARY_WORDS = 16 };

/* Rows of 8 words (one product) or of 16 (two). */
static inline void check_binary_product(const struct selftest_binary *k, struct dev *d, int quads,
					struct rng *r)
{
	uint32_t a[BINARY_ROWS * BINARY_WORDS], b[BINARY_COLUMNS * BINARY_WORDS];
	int32_t found[BINARY_ROWS * BINARY_COLUMNS];
	size_t words = quads ? 16 : 8;
	void *device;
	struct err e = { 0 };
	struct dev_stream *s = dev_default_stream(d);

	for (size_t i = 0; i < sizeof(a) / sizeof(*a); i++)
		a[i] = (uint32_t)rng_next(r);
	for (size_t i = 0; i < sizeof(b) / sizeof(*b); i++)
		b[i] = (uint32_t)rng_next(r);
	assert_int_equal(dev_alloc(d, &device, sizeof(a) + sizeof(b) + sizeof(found), &e), 0);
	uint32_t *da = device, *db = da + BINARY_ROWS * BINARY_WORDS;
	int32_t *dd = (int32_t *)(db + BINARY_COLUMNS * BINARY_WORDS);
	assert_int_equal(dev_copy_to(s, da, a, sizeof(a), &e), 0);
	assert_int_equal(dev_copy_to(s, db, b, sizeof(b), &e), 0);
	if (k->product(s, da, db, dd, quads, &e))
		fail_msg("%s", e.text);
	assert_int_equal(dev_copy_from(s, found, dd, sizeof(found), &e), 0);
	if (dev_stream_sync(s, &e))
		fail_msg("%s", e.text);
	for (size_t m = 0; m < BINARY_ROWS; m++)
		for (size_t n = 0; n < BINARY_COLUMNS; n++) {
			int32_t ones = 0;

			for (size_t i = 0; i < words; i++)
				ones += __builtin_popcount(a[m * words + i] & b[n * words + i]);
			assert_int_equal(found[m * BINARY_COLUMNS + n], ones);
		}
	dev_free(d, device);
}

static inline void check_binary_products(const struct selftest_binary *k, struct dev *d)
{
	struct rng r = rng_seeded(1);

	for (int i = 0; i < 10; i++)
		check_binary_product(k, d, i % 2, &r);
}

#endif
