/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Peak rates, environment and energy on a real GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/machine/peaks.h"
#include "harness/device/probes.h"
#include "harness/base/clock.h"
#include "harness/machine/energy.h"

static struct dev_set set;

static int open_devices(void **state)
{
	struct err e;

	(void)state;
	if (dev_cuda_unavailable())
		return 0;
	if (dev_set_open(&set, "auto", 0, &e) == 0)
		return 0;
	fprintf(stderr, "%s\n", e.text);
	return -1;
}

static int close_devices(void **state)
{
	(void)state;
	dev_set_close(&set);
	return 0;
}

static void need_gpu(void)
{
	if (set.count == 0)
		skip();
}

/* A multiprocessor reads or writes at most 128 bytes of shared memory a cycle: a higher rate means
 * that the compiler removed accesses. */
static void check_shared_rates(const struct peaks *c)
{
	struct dev_info info;
	struct err e;
	double most;

	assert_int_equal(dev_get_info(set.dev[0], &info, &e), 0);
	most = 128e3 * info.clock_khz * info.sm_count;
	assert_true(c->value[PEAK_GPU_SHARED_READ] < 1.05 * most);
	assert_true(c->value[PEAK_GPU_SHARED_WRITE] < 1.05 * most);
}

static void every_peak_rate_is_measured(void **state)
{
	struct environment env;
	struct peaks c;
	struct err e;
	double started;

	(void)state;
	need_gpu();
	if (getenv("COPRA_CUDA_PARTS"))
		skip(); /* its devices report too few multiprocessors for their rates */
	env_capture(&env);
	started = clock_wall();
	if (peaks_measure(&c, &env, &set, env.cpus_usable, stdout, &e) != 0)
		fail_msg("%s", e.text);
	printf("measured in %.1f s\n", clock_wall() - started);
	for (enum peak id = 0; id < PEAKS; id++)
		if (set.count > 1 || (id != PEAK_PEER && id != PEAK_PEER_LATENCY))
			assert_true(peaks_known(&c, id));
	/* relations that hold on every GPU; a rate that violates one measures something else */
	assert_true(c.value[PEAK_GPU_L2_COPY] > c.value[PEAK_GPU_COPY]);
	assert_true(c.value[PEAK_GPU_SHARED_READ] > c.value[PEAK_GPU_L2_COPY]);
	assert_true(c.value[PEAK_GPU_COPY] > c.value[PEAK_PINNED_TO]);
	assert_true(c.value[PEAK_GPU_FMA] > c.value[PEAK_GPU_POPCOUNT]);
	/* on tensor cores; without them a product takes population counts and shuffles */
	assert_true(c.value[PEAK_GPU_BINARY] > c.value[PEAK_GPU_POPCOUNT]);
	assert_true(c.value[PEAK_GPU_ADD_MAX_16] > c.value[PEAK_GPU_ADD_MAX]);
	check_shared_rates(&c);
}

static void environment_names_the_gpus(void **state)
{
	struct environment env;
	struct dev_info info;
	struct err e;

	(void)state;
	need_gpu();
	env_capture(&env);
	if (env.gpu_count == 0)
		skip(); /* no NVML here */
	assert_int_equal(dev_get_info(set.dev[0], &info, &e), 0);
	assert_string_equal(env.gpus[0].name, info.name);
	assert_true(env.gpu_driver[0] != '\0');
	assert_true(env.cuda_driver_version >= 11000);
	assert_true(env.gpus[0].memory_bytes > 0 && env.gpus[0].power_limit_mw > 0);
	assert_string_equal(env.gpus[0].link[0], "self");
	printf("%s: %s, driver %s, CUDA %d, SM %d of %d MHz, link to the second \"%s\"\n",
	       env.machine, env.gpus[0].name, env.gpu_driver, env.cuda_driver_version,
	       env.gpus[0].sm_clock_mhz, env.gpus[0].sm_clock_max_mhz,
	       env.gpu_count > 1 ? env.gpus[0].link[1] : "none");
}

/* Keeps every device busy for `seconds`. */
static void work_for(double seconds)
{
	const struct probe_kernels *kernels = probe_kernels_for(set.dev[0]);
	double from = clock_wall();
	uint32_t *out[DEV_MAX];
	struct err e;

	for (int i = 0; i < set.count; i++)
		assert_int_equal(dev_alloc(set.dev[i], (void **)&out[i],
					   4096 * PROBE_BLOCK * sizeof(**out), &e),
				 0);
	while (clock_wall() - from < seconds) {
		for (int i = 0; i < set.count; i++)
			assert_int_equal(kernels->rate[PROBE_FMA](dev_default_stream(set.dev[i]),
								  out[i], 4096, 4096, &e),
					 0);
		for (int i = 0; i < set.count; i++)
			assert_int_equal(dev_sync(set.dev[i], &e), 0);
	}
	for (int i = 0; i < set.count; i++)
		dev_free(set.dev[i], out[i]);
}

static void work_costs_energy(void **state)
{
	struct energy_meter *m;
	struct energy_reading idle, busy;
	struct err e;

	(void)state;
	need_gpu();
	assert_int_equal(energy_create(&m, &set, &e), 0);
	energy_begin(m, ENERGY_ALL);
	clock_sleep(1);
	energy_end(m, &idle);
	energy_begin(m, ENERGY_ALL);
	work_for(1);
	energy_end(m, &busy);
	energy_destroy(m);
	if (!busy.gpu_known)
		skip(); /* no NVML here */
	printf("idle %.0f W, busy %.0f W, %s, SM clock %.0f of %.0f MHz\n",
	       idle.gpu_joules / idle.seconds, busy.gpu_joules / busy.seconds,
	       busy.gpu_sampled ? "sampled" : "by the counter", busy.sm_clock_mhz,
	       busy.sm_clock_max_mhz);
	assert_true(idle.gpu_joules > 0);
	assert_true(busy.gpu_joules / busy.seconds > idle.gpu_joules / idle.seconds);
	assert_true(busy.clock_known && busy.sm_clock_mhz > 0);
	assert_true(busy.sm_clock_mhz <= 1.01 * busy.sm_clock_max_mhz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_peak_rate_is_measured),
		cmocka_unit_test(environment_names_the_gpus),
		cmocka_unit_test(work_costs_energy),
	};

	return cmocka_run_group_tests_name("measuring", tests, open_devices, close_devices);
}
