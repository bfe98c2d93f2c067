/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Binary matrix products on the simulated device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/device/binary_products.h"
#include "tests/unit/device/simulated_devices.h"

static void binary_products_match_plain_counts(void **state)
{
	static const char *const schedule[] = { "order", "reverse", "random" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct dev_set set;

		open_devices(&set, 1, schedule[i], 1);
		check_binary_products(&selftest_binary_sim, set.dev[0]);
		dev_set_close(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(binary_products_match_plain_counts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
