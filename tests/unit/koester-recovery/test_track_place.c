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
#include "harness/base/rng.h"
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

/* Spans of random sizes keep their contents, are reused, and give way to the device's own memory
 * when the reserve is used up. */
static void reserved_memory_is_shared_out(void **state)
{
	enum { SPANS = 12, MOST = 4096 };
	unsigned char *span[SPANS] = { NULL }, *host[5], got[MOST], fill = 0;
	size_t bytes[SPANS];
	struct rng random = rng_seeded(1);
	struct dev_set set;
	struct track_place p;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "random", 3);
	assert_int_equal(track_place_open(&p, set.dev[0], NULL, 0, &e), 0);
	assert_int_equal(track_place_reserve(&p, SPANS * MOST / 3, 3 * MOST, &e), 0);
	for (int i = 0; i < 600; i++) {
		int k = (int)rng_below(&random, SPANS);

		if (span[k]) {
			assert_int_equal(track_from(&p, got, span[k], bytes[k], &e), 0);
			assert_int_equal(track_sync(&p, &e), 0);
			for (size_t b = 1; b < bytes[k]; b++)
				assert_int_equal(got[b], got[0]);
			track_free(&p, span[k], bytes[k]);
			span[k] = NULL;
			continue;
		}
		bytes[k] = 1 + rng_below(&random, MOST);
		assert_int_equal(track_alloc(&p, (void **)&span[k], bytes[k], &e), 0);
		assert_int_equal((uintptr_t)span[k] % 256, 0);
		assert_int_equal(track_fill(&p, span[k], fill++, bytes[k], &e), 0);
	}
	for (int k = 0; k < 5; k++) {
		assert_int_equal(track_host_alloc(&p, (void **)&host[k], MOST, &e), 0);
		memset(host[k], k, MOST);
	}
	for (int k = 0; k < 5; k++) {
		assert_int_equal(host[k][0], k);
		assert_int_equal(host[k][MOST - 1], k);
		track_host_free(&p, host[k]);
	}
	for (int k = 0; k < SPANS; k++)
		if (span[k])
			track_free(&p, span[k], bytes[k]);
	assert_int_equal(p.used, 0);
	track_place_close(&p);
	dev_set_close(&set);
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
		cmocka_unit_test(reserved_memory_is_shared_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
