/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the lower bounds on time: data that a cache may hold does not count as memory
 * traffic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "algorithms/koester-recovery/case.h"

static const struct peaks known = { .value = {
					    [PEAK_CPU_L2_COPY] = 1000,
					    [PEAK_CPU_COPY] = 100,
					    [PEAK_CPU_FMA] = 10,
					    [PEAK_CPU_L2_COPY_1] = 100,
					    [PEAK_CPU_COPY_1] = 10,
					    [PEAK_CPU_FMA_1] = 1,
					    [PEAK_GPU_L2_COPY] = 4000,
					    [PEAK_GPU_COPY] = 400,
					    [PEAK_GPU_FMA] = 40,
				    } };

static double bound_for(const struct peaks *p, struct dev *device, bool one_core, double products,
			double bytes, enum peak *limit)
{
	struct peak_demand demand[TRACK_DEMANDS];

	track_demands(device, one_core, products, bytes, demand);
	return peaks_lower_bound(p, demand, TRACK_DEMANDS, limit);
}

static void small_work_is_bound_by_the_cache(void **state)
{
	enum peak limit;

	(void)state;
	/* smaller than any third-level cache */
	assert_float_equal(bound_for(&known, NULL, false, 0, 4096, &limit), 4.096, 1e-9);
	assert_int_equal(limit, PEAK_CPU_L2_COPY);
	assert_float_equal(bound_for(&known, NULL, true, 0, 4096, &limit), 40.96, 1e-9);
	assert_int_equal(limit, PEAK_CPU_L2_COPY_1);
	assert_float_equal(bound_for(&known, NULL, false, 4096, 4096, &limit), 409.6, 1e-9);
	assert_int_equal(limit, PEAK_CPU_FMA);
}

/* The bound on a simulated device for `caches` times the size of its cache; *bytes is that size. */
static double bound_of(double caches, double *bytes, enum peak *limit)
{
	struct dev_set set;
	struct dev_info info;
	double floor;

	assert_int_equal(dev_set_open(&set, "sim", 1, NULL), 0);
	assert_int_equal(dev_get_info(set.dev[0], &info, NULL), 0);
	assert_true(info.l2_bytes > 0);
	*bytes = caches * (double)info.l2_bytes;
	floor = bound_for(&known, set.dev[0], false, 0, *bytes, limit);
	dev_set_close(&set);
	return floor;
}

/* The cache may hold its size before the run and its size afterwards. */
static void caches_save_reads_and_writes(void **state)
{
	static const struct {
		double caches, share; /* of the bytes that goes through memory */
	} cases[] = {
		{ 1, 0 }, { 2, 0 }, { 2.5, 0.2 }, { 4, 0.5 }, { 10, 0.8 }, { 1e6, 1 - 2e-6 }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum peak limit;
		double bytes, floor = bound_of(cases[i].caches, &bytes, &limit);
		double expected = cases[i].share > 0 ? cases[i].share * bytes / 400 : bytes / 4000;

		assert_true(fabs(floor - expected) < 1e-9 * expected);
		assert_int_equal(limit, cases[i].share > 0 ? PEAK_GPU_COPY : PEAK_GPU_L2_COPY);
	}
}

static void no_lower_bound_without_peak_rates(void **state)
{
	enum peak limit;

	(void)state;
	assert_float_equal(bound_for(NULL, NULL, false, 1, 1, &limit), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_save_reads_and_writes),
		cmocka_unit_test(small_work_is_bound_by_the_cache),
		cmocka_unit_test(no_lower_bound_without_peak_rates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
