/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The device layer on CUDA devices: the checks that sim passes too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/device/test_device.h"

#if COPRA_HAVE_CUDA

static const struct selftest_kernels *const kernels = &selftest_kernels_cuda;

/* Opens `count` devices; skips the test where there are fewer. */
static void open_cuda(struct fixture *f, int count)
{
	if (dev_cuda_count() < count)
		skip();
	open_devices(f, "cuda", count);
}

static void kernels_compute_what_the_host_does(void **state)
{
	struct fixture f;
	(void)state;
	open_cuda(&f, 1);
	check_all(&f, kernels);
	check_primitives(&f);
	dev_set_close(&f.set);
}

static void device_info_is_complete(void **state)
{
	struct fixture f;
	struct dev_info info;
	(void)state;
	open_cuda(&f, 1);
	OK(&f, dev_get_info(f.set.dev[0], &info, &f.e));
	assert_int_equal(info.backend, DEV_CUDA);
	assert_int_equal(info.warp_size, 32);
	assert_true(info.name[0] && !strncmp(info.uuid, "GPU-", 4));
	assert_true(info.sm_count > 0 && info.shared_per_block >= 48 * 1024);
	assert_true(info.memory_free > 0 && info.memory_free <= info.memory_total);
	dev_set_close(&f.set);
}

static void too_much_memory_is_refused(void **state)
{
	struct fixture f;
	struct dev_info info;
	void *p;
	(void)state;
	open_cuda(&f, 1);
	OK(&f, dev_get_info(f.set.dev[0], &info, &f.e));
	FAILS(&f, dev_alloc(f.set.dev[0], &p, info.memory_total * 2, &f.e), ERR_MEMORY, "free");
	assert_null(p);
	check_axpy(&f, kernels, 0); /* the failed call leaked nothing */
	dev_set_close(&f.set);
}

static void streams_are_independent_and_wait_for_events(void **state)
{
	struct fixture f;
	(void)state;
	open_cuda(&f, 1);
	check_streams(&f, kernels);
	dev_set_close(&f.set);
}

static void kernels_use_memory_of_a_peer(void **state)
{
	struct fixture f;
	(void)state;
	open_cuda(&f, 2);
	check_axpy(&f, kernels, 1);
	check_peer_copy(&f);
	check_peers(&f, kernels);
	dev_set_close(&f.set);
}

static void a_gpu_can_count_as_two_devices(void **state)
{
	const char *parts = "COPRA_CUDA_PARTS";
	struct fixture f;
	struct dev_info whole, half;
	(void)state;
	if (getenv(parts))
		skip();
	open_cuda(&f, 1);
	OK(&f, dev_get_info(f.set.dev[0], &whole, &f.e));
	dev_set_close(&f.set);
	setenv(parts, "2", 1);
	assert_true(dev_cuda_count() >= 2);
	open_devices(&f, "cuda", 2);
	for (int d = 0; d < 2; d++) {
		OK(&f, dev_get_info(f.set.dev[d], &half, &f.e));
		assert_string_equal(half.uuid, whole.uuid);
		assert_int_equal(half.sm_count, whole.sm_count / 2);
		assert_true(half.memory_total <= whole.memory_total / 2);
	}
	check_peers(&f, kernels);
	dev_set_close(&f.set);
	setenv(parts, "two", 1);
	FAILS(&f, dev_set_open(&f.set, "cuda", 1, &f.e), ERR_USAGE, parts);
}

static int forget_parts(void **state)
{
	(void)state;
	return unsetenv("COPRA_CUDA_PARTS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_compute_what_the_host_does),
		cmocka_unit_test(device_info_is_complete),
		cmocka_unit_test(too_much_memory_is_refused),
		cmocka_unit_test(streams_are_independent_and_wait_for_events),
		cmocka_unit_test(kernels_use_memory_of_a_peer),
		cmocka_unit_test_teardown(a_gpu_can_count_as_two_devices, forget_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	printf("skipped: %s\n", dev_cuda_unavailable());
	return 0;
}

#endif
