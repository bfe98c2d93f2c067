/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of places: memory is counted, aligned and limited, and copies arrive. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/koester-recovery/states/place.h"
#include "tests/unit/device/simulated_devices.h"

static void check_memory(struct dev *d)
{
	struct track_place p;
	void *a, *b, *c;
	struct err e = { 0 };

	assert_int_equal(track_place_open(&p, d, NULL, 1000, &e), 0);
	assert_int_equal(track_alloc(&p, &a, 300, &e), 0);
	assert_int_equal((uintptr_t)a % 256, 0);
	assert_int_equal(track_alloc(&p, &b, 700, &e), 0);
	assert_int_equal((uintptr_t)b % 256, 0);
	assert_int_equal(p.used, 1000);
	assert_int_equal(track_alloc(&p, &c, 1, &e), ERR_MEMORY);
	assert_null(c);
	assert_non_null(strstr(e.text, "1000"));
	track_free(&p, a, 300);
	assert_int_equal(p.used, 700);
	assert_int_equal(track_alloc(&p, &c, SIZE_MAX, &e), ERR_MEMORY);
	assert_int_equal(track_alloc(&p, &c, 0, &e), 0);
	assert_non_null(c);
	track_free(&p, c, 0);
	track_free(&p, b, 700);
	track_free(&p, NULL, 5);
	assert_int_equal(p.used, 0);
	assert_int_equal(p.peak, 1000);
	p.limit = 0;
	assert_int_equal(track_alloc(&p, &c, (size_t)1 << 46, &e), ERR_MEMORY);
	assert_null(c);
	assert_int_equal(track_alloc(&p, &c, SIZE_MAX, &e), ERR_MEMORY);
	assert_int_equal(p.used, 0);
	track_place_close(&p);
}

static void check_copies(struct dev *d)
{
	unsigned char from[500], to[500];
	struct track_place p;
	void *there;
	struct err e = { 0 };

	for (int i = 0; i < 500; i++)
		from[i] = (unsigned char)(i * 7);
	memset(to, 0, sizeof(to));
	assert_int_equal(track_place_open(&p, d, NULL, 0, &e), 0);
	assert_int_equal(track_alloc(&p, &there, 500, &e), 0);
	assert_int_equal(track_fill(&p, there, 0xEE, 500, &e), 0);
	assert_int_equal(track_to(&p, there, from, 400, &e), 0);
	assert_int_equal(track_to(&p, there, NULL, 0, &e), 0);
	assert_int_equal(track_from(&p, to, there, 500, &e), 0);
	assert_int_equal(track_from(&p, NULL, there, 0, &e), 0);
	assert_int_equal(track_fill(&p, there, 0, 0, &e), 0);
	assert_int_equal(track_sync(&p, &e), 0);
	assert_memory_equal(to, from, 400);
	for (int i = 400; i < 500; i++)
		assert_int_equal(to[i], 0xEE);
	track_free(&p, there, 500);
	track_place_close(&p);
}

static void host_place_counts_and_limits_memory(void **state)
{
	(void)state;
	check_memory(NULL);
	check_copies(NULL);
}

static void device_place_counts_and_limits_memory(void **state)
{
	struct dev_set set;

	(void)state;
	open_devices(&set, 1, "random", 3);
	check_memory(set.dev[0]);
	check_copies(set.dev[0]);
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_place_counts_and_limits_memory),
		cmocka_unit_test(device_place_counts_and_limits_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
