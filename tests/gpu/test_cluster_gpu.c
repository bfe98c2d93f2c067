/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Clusters of blocks on CUDA devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/device/cluster_rings.h"
#include "tests/gpu/cuda_devices.h"

#if COPRA_HAVE_CUDA
static void blocks_of_a_cluster_exchange_shared_memory(void **state)
{
	(void)state;
	check_rings(&selftest_cluster_cuda, devices.dev[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(
		blocks_of_a_cluster_exchange_shared_memory) };

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
#else
int main(void)
{
	return 0;
}
#endif
