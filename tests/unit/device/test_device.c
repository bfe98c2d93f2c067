/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The device layer on simulated devices: sets, memory, streams, events, peers, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/rng.h"
#include "harness/device/device_backend.h"
#include "tests/unit/device/test_device.h"

static const struct selftest_kernels *const kernels = &selftest_kernels_sim;

/* ---- sets ---- */

static void sets_are_parsed(void **state)
{
	static const struct {
		const char *text;
		int min_gpus, count, ordinal[4];
	} good[] = {
		{ "cpu", 0, 0, { 0 } },          { "sim", 0, 1, { 0 } },
		{ "sim", 4, 4, { 0, 1, 2, 3 } }, { "sim:2", 0, 1, { 2 } },
		{ "sim:3,0", 0, 2, { 3, 0 } },   { "sim:0,1,2", 2, 3, { 0, 1, 2 } },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct dev_set set;
		struct err e;
		assert_int_equal(dev_set_open(&set, good[i].text, good[i].min_gpus, &e), 0);
		assert_int_equal(set.count, good[i].count);
		assert_int_equal(set.backend, set.count ? DEV_SIM : DEV_CPU);
		for (int k = 0; k < set.count; k++) {
			struct dev_info info;
			assert_int_equal(dev_get_info(set.dev[k], &info, &e), 0);
			assert_int_equal(info.ordinal, good[i].ordinal[k]);
			assert_int_equal(dev_backend_of(set.dev[k]), DEV_SIM);
		}
		dev_set_close(&set);
		assert_int_equal(set.count, 0);
	}
}

static void bad_sets_are_refused(void **state)
{
	static const struct {
		const char *text;
		int min_gpus;
	} bad[] = { { "gpu", 0 },    { "sim:", 0 },
		    { "sim:0,", 0 }, { "sim:0,0", 0 },
		    { "sim:-1", 0 }, { "sim: 1", 0 },
		    { "sim:16", 0 }, { "sim:1x", 0 },
		    { "simx", 0 },   { "cpu", 1 },
		    { "cpu:0", 0 },  { "sim:0,1", 3 },
		    { "sim", 17 },   { "sim:99999999999999999999", 0 },
		    { "cuda:,", 0 }, { "auto:0", 0 },
		    { "SIM", 0 },    { "sim,cuda", 0 } };
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct dev_set set;
		struct err e = { 0 };
		if (dev_set_open(&set, bad[i].text, bad[i].min_gpus, &e) != ERR_USAGE)
			fail_msg("'%s' was not refused", bad[i].text);
		assert_int_equal(e.code, ERR_USAGE);
		assert_int_equal(set.count, 0);
		dev_set_close(&set);
	}
}

static void cuda_is_usable_or_gives_a_reason(void **state)
{
	struct dev_set set;
	struct err e = { 0 };
	const char *why = dev_cuda_unavailable();
	(void)state;
	assert_int_equal(why == NULL, dev_cuda_count() > 0);
	int status = dev_set_open(&set, "auto", 0, &e);
	if (why) {
		assert_int_equal(status, ERR_DEVICE);
		assert_non_null(strstr(e.text, why));
		assert_int_equal(dev_set_open(&set, "cuda:0", 0, &e), ERR_DEVICE);
	} else {
		assert_int_equal(status, 0);
		assert_int_equal(set.count, dev_cuda_count());
		dev_set_close(&set);
		assert_int_equal(dev_set_open(&set, "cuda:15", 0, &e), ERR_DEVICE);
	}
}

/* Builds without HIP, and machines without an AMD GPU, refuse them. */
static void hip_is_usable_or_gives_a_reason(void **state)
{
	struct dev_set set;
	struct err e = { 0 };
	(void)state;
	int status = dev_set_open(&set, "hip", 0, &e);
	if (status) {
		assert_int_equal(status, ERR_DEVICE);
		assert_non_null(strstr(e.text, "no HIP device: "));
		assert_int_equal(dev_set_open(&set, "hip:0,1", 2, &e), ERR_DEVICE);
		assert_int_equal(dev_gpu_count(), dev_cuda_count());
	} else {
		assert_int_equal(set.backend, DEV_HIP);
		assert_int_equal(set.count, 1);
		dev_set_close(&set);
		assert_null(dev_gpu_unavailable());
		assert_int_equal(dev_set_open(&set, "hip:15", 0, &e), ERR_DEVICE);
	}
	assert_int_equal(dev_gpu_count() > 0, dev_gpu_unavailable() == NULL);
	assert_int_equal(dev_backend_count(DEV_CUDA), dev_cuda_count());
	assert_int_equal(dev_backend_count(DEV_HIP) > 0, status == 0);
	assert_int_equal(dev_backend_count(DEV_SIM), 0);
	assert_int_equal(dev_set_open(&set, "hip:0,0", 0, &e), ERR_USAGE);
	assert_string_equal(dev_backend_name(DEV_HIP), "hip");
}

static void visible_devices_are_counted_as_cuda_does(void **state)
{
	static const struct {
		const char *list;
		int of_four;
	} lists[] = {
		{ "", 0 },           { "0", 1 },         { "3,1", 2 },    { "0,1,2,3", 4 },
		{ "-1", 0 },         { "0,-1,2", 1 },    { "0,4,1", 1 },  { "4", 0 },
		{ "NoDevFiles", 0 }, { "0,1,2,3,0", 4 }, { "GPU-8f", 1 }, { "MIG-8f", 1 },
		{ "0,none,1", 1 },   { "GPU-8f,0", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_int_equal(device_count_visible(lists[i].list, 4), lists[i].of_four);
	assert_int_equal(device_count_visible(NULL, 4), 0);
	assert_int_equal(device_count_visible("0", 0), 0);
}

static void bad_settings_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "COPRA_SIM_SCHEDULE", "sorted" }, { "COPRA_SIM_SEED", "-1" },
		{ "COPRA_SIM_WORKERS", "0" },       { "COPRA_SIM_MEMORY", "12X" },
		{ "COPRA_SIM_MEMORY", "1KK" },      { "COPRA_SIM_MEMORY", "99999999999G" },
		{ "COPRA_SIM_TIMEOUT", "soon" },    { "COPRA_SIM_TIMEOUT", "0" },
		{ "COPRA_SIM_WAVE", "16" },         { "COPRA_SIM_WAVE", "64K" },
		{ "COPRA_SIM_CLUSTER", "17" },      { "COPRA_SIM_SM_THREADS", "512" },
		{ "COPRA_SIM_SM_BLOCKS", "0" },     { "COPRA_SIM_STARTS", "x" },
		{ "COPRA_SIM_PEERS", "-1" }
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct dev_set set;
		struct err e = { 0 };
		setenv(bad[i][0], bad[i][1], 1);
		int status = dev_set_open(&set, "sim", 0, &e);
		unsetenv(bad[i][0]);
		assert_int_equal(status, ERR_USAGE);
		assert_non_null(strstr(e.text, bad[i][0]));
	}
}

/* ---- memory ---- */

static size_t memory_free(struct fixture *f)
{
	struct dev_info info;
	OK(f, dev_get_info(f->set.dev[0], &info, &f->e));
	return info.memory_free;
}

/* Checks a device of 1 MiB, which the variable asks for. */
static void check_limit(const char *variable)
{
	struct fixture f;
	void *p[3], *q;
	setenv(variable, "1M", 1);
	open_devices(&f, "sim", 1);
	unsetenv(variable);
	struct dev *d = f.set.dev[0];
	assert_int_equal(memory_free(&f), 1 << 20);
	FAILS(&f, dev_alloc(d, &q, 2 << 20, &f.e), ERR_MEMORY,
	      "2097152 bytes requested, 1048576 free");
	assert_null(q);
	FAILS(&f, dev_alloc(d, &q, SIZE_MAX, &f.e), ERR_MEMORY, "test_device.c:");
	for (int i = 0; i < 3; i++)
		OK(&f, dev_alloc(d, &p[i], 300000, &f.e));
	FAILS(&f, dev_alloc(d, &q, 300000, &f.e), ERR_MEMORY, "148576 free");
	dev_free(d, p[1]);
	OK(&f, dev_alloc(d, &q, 300000, &f.e));
	dev_free(d, q);
	dev_free(d, p[0]);
	dev_free(d, p[2]);
	dev_free(d, NULL);
	assert_int_equal(memory_free(&f), 1 << 20);
	OK(&f, dev_alloc(d, &q, 1 << 20, &f.e));
	OK(&f, dev_sync(d, &f.e));
	dev_set_close(&f.set);
}

static void memory_is_limited_and_reusable(void **state)
{
	(void)state;
	check_limit("COPRA_SIM_MEMORY");
	check_limit("COPRA_DEVICE_MEMORY");
}

static void a_bad_limit_of_memory_is_refused(void **state)
{
	struct dev_set set;
	struct err e = { 0 };
	(void)state;
	setenv("COPRA_DEVICE_MEMORY", "8 GB", 1);
	assert_int_equal(dev_set_open(&set, "sim", 1, &e), ERR_USAGE);
	unsetenv("COPRA_DEVICE_MEMORY");
	assert_non_null(strstr(e.text, "COPRA_DEVICE_MEMORY='8 GB'"));
}

static void fresh_memory_is_poison(void **state)
{
	struct fixture f;
	unsigned char bytes[64], zero[64] = { 0 };
	void *p;
	(void)state;
	open_devices(&f, "sim", 1);
	OK(&f, dev_alloc(f.set.dev[0], &p, sizeof(bytes), &f.e));
	fetch(&f, bytes, p, sizeof(bytes));
	assert_memory_not_equal(bytes, zero, sizeof(zero));
	dev_set_close(&f.set);
}

static void copies_stay_within_allocations(void **state)
{
	struct fixture f;
	char host[128] = { 0 };
	(void)state;
	open_devices(&f, "sim", 2);
	char *p = device_array(&f, 0, 100, NULL), *q = device_array(&f, 1, 100, NULL);
	FAILS(&f, dev_copy_to(f.s, p, host, 101, &f.e), ERR_USAGE, "101 bytes");
	FAILS(&f, dev_copy_to(f.s, p + 1, host, 100, &f.e), ERR_USAGE, "dev_copy_to on sim:0");
	FAILS(&f, dev_copy_from(f.s, host, p - 1, 10, &f.e), ERR_USAGE, "source");
	FAILS(&f, dev_copy_to(f.s, host, p, 10, &f.e), ERR_USAGE, "destination");
	FAILS(&f, dev_copy_to(f.s, p, q, 10, &f.e), ERR_USAGE, "device memory of sim:1");
	FAILS(&f, dev_copy_to(f.s, q, host, 10, &f.e), ERR_USAGE, "sim:0");
	FAILS(&f, dev_fill(f.s, p + 50, 0, 51, &f.e), ERR_USAGE, "51 bytes");
	FAILS(&f, dev_copy_on(f.s, p, q, 10, &f.e), ERR_USAGE, "source");
	OK(&f, dev_copy_to(f.s, p + 1, host, 99, &f.e));
	OK(&f, dev_copy_to(f.s, NULL, host, 0, &f.e));
	OK(&f, dev_copy_on(f.s, p, p + 50, 50, &f.e));
	OK(&f, dev_sync(f.set.dev[0], &f.e));
	dev_set_close(&f.set);
}

static void wrong_free_is_reported(void **state)
{
	struct fixture f;
	int on_host;
	(void)state;
	open_devices(&f, "sim", 1);
	dev_free(f.set.dev[0], &on_host);
	FAILS(&f, dev_sync(f.set.dev[0], &f.e), ERR_USAGE, "dev_free");
	dev_set_close(&f.set);
}

static void touch_device_memory(void)
{
	struct fixture f;
	open_devices(&f, "sim", 1);
	volatile int *x = device_array(&f, 0, sizeof(*x), NULL);
	*x = 1;
}

static void the_host_cannot_touch_device_memory(void **state)
{
	(void)state;
	assert_true(dies(touch_device_memory));
}

/* ---- kernels ---- */

static void kernel_arguments_are_checked(void **state)
{
	struct fixture f;
	int host[4] = { 0 };
	(void)state;
	open_devices(&f, "sim", 2);
	int *x = device_array(&f, 0, sizeof(host), NULL),
	    *y = device_array(&f, 1, sizeof(host), NULL);
	FAILS(&f, kernels->axpy(f.s, 1, host, x, 4, &f.e), ERR_USAGE, "kernel axpy: argument 2");
	FAILS(&f, kernels->axpy(f.s, 1, x, y, 4, &f.e), ERR_USAGE, "no peer access");
	FAILS(&f, kernels->axpy(f.s, 1, x, x + 1000, 4, &f.e), ERR_USAGE,
	      "is not in an allocation");
	OK(&f, dev_enable_peer(f.set.dev[0], f.set.dev[1], &f.e));
	OK(&f, kernels->axpy(f.s, 1, x, y, 4, &f.e));
	OK(&f, dev_sync(f.set.dev[0], &f.e));
	dev_set_close(&f.set);
}

static void kernel_errors_surface_at_sync_and_stay(void **state)
{
	struct fixture f;
	(void)state;
	open_devices(&f, "sim", 2);
	int *x = device_array(&f, 0, SELFTEST_BLOCK * sizeof(*x), NULL);
	struct dev_event *a, *b;
	double seconds;
	OK(&f, dev_event_create(f.set.dev[0], &a, &f.e));
	OK(&f, dev_event_create(f.set.dev[0], &b, &f.e));
	OK(&f, dev_event_record(a, f.s, &f.e));
	OK(&f, selftest_run_invalid_sim(f.s, SELFTEST_TRAP, x, &f.e));
	OK(&f, kernels->axpy(f.s, 1, x, x, 4, &f.e));
	OK(&f, dev_event_record(b, f.s, &f.e));
	FAILS(&f, dev_event_elapsed(a, b, &seconds, &f.e), ERR_FAILED, "kernel kernels[which]");
	FAILS(&f, dev_event_sync(b, &f.e), ERR_FAILED, "dev_event_sync on sim:0");
	FAILS(&f, dev_stream_sync(f.s, &f.e), ERR_FAILED, "trap_if");
	FAILS(&f, dev_sync(f.set.dev[0], &f.e), ERR_FAILED, "dev_sync on sim:0");
	OK(&f, dev_sync(f.set.dev[1], &f.e));
	dev_event_destroy(a);
	dev_event_destroy(b);
	dev_set_close(&f.set);
}

static void streams_are_independent_and_wait_for_events(void **state)
{
	struct fixture f;
	(void)state;
	open_devices(&f, "sim", 1);
	check_streams(&f, kernels);
	dev_set_close(&f.set);
}

static void misused_streams_and_events_are_refused(void **state)
{
	struct fixture f;
	struct dev_event *a, *b;
	double seconds;
	int x = 0;
	(void)state;
	open_devices(&f, "sim", 2);
	OK(&f, dev_event_create(f.set.dev[0], &a, &f.e));
	OK(&f, dev_event_create(f.set.dev[1], &b, &f.e));
	FAILS(&f, dev_event_elapsed(a, a, &seconds, &f.e), ERR_USAGE, "never recorded");
	FAILS(&f, dev_event_sync(a, &f.e), ERR_USAGE, "never recorded");
	FAILS(&f, dev_event_record(b, f.s, &f.e), ERR_USAGE, "belongs to device 1");
	FAILS(&f, dev_copy_to(NULL, NULL, &x, sizeof(x), &f.e), ERR_USAGE, "dev_default_stream");
	OK(&f, dev_event_record(a, NULL, &f.e));
	OK(&f, dev_stream_wait(f.s, b, &f.e)); /* never recorded: nothing to wait for */
	OK(&f, dev_sync(f.set.dev[0], &f.e));
	dev_event_destroy(a);
	dev_event_destroy(b);
	dev_set_close(&f.set);
}

static void primitives_compute_what_the_host_does(void **state)
{
	struct fixture f;
	(void)state;
	open_devices(&f, "sim", 1);
	check_primitives(&f);
	dev_set_close(&f.set);
}

static void kernels_use_memory_of_a_peer(void **state)
{
	struct fixture f;
	(void)state;
	open_devices(&f, "sim", 4);
	for (int i = 0; i < 4; i++)
		check_axpy(&f, kernels, i);
	check_peer_copy(&f);
	check_peers(&f, kernels);
	dev_set_close(&f.set);
}

static void the_peak_of_memory_is_what_was_held_at_once(void **state)
{
	enum { MANY = 1000, STEPS = 20000 };
	static void *held[MANY];
	static size_t bytes[MANY];
	struct rng rng = rng_seeded(7);
	uint64_t sum = 0, most = 0;
	struct dev_set set;

	(void)state;
	assert_int_equal(dev_set_open(&set, "sim", 1, NULL), 0);
	for (int i = 0; i < STEPS; i++) {
		size_t at = rng_below(&rng, MANY);

		if (held[at]) {
			dev_free(set.dev[0], held[at]);
			held[at] = NULL;
			sum -= bytes[at];
		} else {
			bytes[at] = 1 + rng_below(&rng, 5000);
			assert_int_equal(dev_alloc(set.dev[0], &held[at], bytes[at], NULL), 0);
			sum += bytes[at];
			most = sum > most ? sum : most;
		}
		if (i == STEPS / 2) {
			assert_int_equal(dev_memory_peak(set.dev[0]), most);
			dev_memory_restart(set.dev[0]);
			most = sum;
		}
	}
	assert_int_equal(dev_memory_peak(set.dev[0]), most);
	for (int i = 0; i < MANY; i++)
		dev_free(set.dev[0], held[i]);
	dev_memory_restart(set.dev[0]);
	assert_int_equal(dev_memory_peak(set.dev[0]), 0);
	dev_set_close(&set);
}

static void devices_of_a_set_start_together(void **state)
{
	struct dev_set set;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(dev_set_open_first(&set, "sim:0,1,2", 0, &e), 0);
	assert_int_equal(dev_set_await(&set, &e), 0);
	assert_int_equal(dev_set_start(&set, 2), 2);
	assert_int_equal(dev_start(set.dev[1]), 1);
	assert_int_equal(dev_set_start(&set, 9), 3);
	assert_int_equal(dev_start(set.dev[2]), 1);
	dev_set_close(&set);
}

static void devices_that_cannot_start_are_left_out(void **state)
{
	struct dev_stream *s;
	struct dev_set set;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(setenv("COPRA_SIM_STARTS", "2", 1), 0);
	assert_int_equal(dev_set_open(&set, "sim:0,1,2", 0, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "COPRA_SIM_STARTS"));
	assert_int_equal(dev_set_open_first(&set, "sim:0,1,2", 0, &e), 0);
	assert_int_equal(unsetenv("COPRA_SIM_STARTS"), 0);
	assert_int_equal(dev_set_await(&set, &e), 0);
	assert_int_equal(dev_set_start(&set, 3), 2);
	assert_int_equal(dev_start(set.dev[2]), ERR_FAILED);
	assert_int_equal(dev_stream_create(set.dev[2], &s, &e), ERR_FAILED);
	assert_null(dev_default_stream(set.dev[2]));
	dev_set_close(&set);
}

static void devices_without_peers_are_told(void **state)
{
	struct dev_set set;
	struct err e = { 0 };
	(void)state;
	assert_int_equal(setenv("COPRA_SIM_PEERS", "2", 1), 0);
	assert_int_equal(dev_set_open(&set, "sim:0,1,2", 0, &e), 0);
	assert_int_equal(unsetenv("COPRA_SIM_PEERS"), 0);
	assert_int_equal(dev_enable_peer(set.dev[0], set.dev[1], &e), 0);
	assert_int_equal(dev_enable_peer(set.dev[0], set.dev[2], &e), ERR_UNSUPPORTED);
	assert_int_equal(dev_enable_peer(set.dev[2], set.dev[0], &e), ERR_UNSUPPORTED);
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_host_cannot_touch_device_memory),
		cmocka_unit_test(sets_are_parsed),
		cmocka_unit_test(bad_sets_are_refused),
		cmocka_unit_test(cuda_is_usable_or_gives_a_reason),
		cmocka_unit_test(hip_is_usable_or_gives_a_reason),
		cmocka_unit_test(visible_devices_are_counted_as_cuda_does),
		cmocka_unit_test(bad_settings_are_refused),
		cmocka_unit_test(memory_is_limited_and_reusable),
		cmocka_unit_test(a_bad_limit_of_memory_is_refused),
		cmocka_unit_test(the_peak_of_memory_is_what_was_held_at_once),
		cmocka_unit_test(fresh_memory_is_poison),
		cmocka_unit_test(copies_stay_within_allocations),
		cmocka_unit_test(wrong_free_is_reported),
		cmocka_unit_test(kernel_arguments_are_checked),
		cmocka_unit_test(kernel_errors_surface_at_sync_and_stay),
		cmocka_unit_test(streams_are_independent_and_wait_for_events),
		cmocka_unit_test(misused_streams_and_events_are_refused),
		cmocka_unit_test(primitives_compute_what_the_host_does),
		cmocka_unit_test(kernels_use_memory_of_a_peer),
		cmocka_unit_test(devices_of_a_set_start_together),
		cmocka_unit_test(devices_that_cannot_start_are_left_out),
		cmocka_unit_test(devices_without_peers_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
