/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Binary matrix products by tensor cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/device/binary_products.h"
#include "tests/gpu/cuda_devices.h"

static void binary_products_match_plain_counts(void **state)
{
	(void)state;
#if COPRA_HAVE_CUDA
	check_binary_products(&selftest_binary_cuda, devices.dev[0]);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(binary_products_match_plain_counts) };

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
