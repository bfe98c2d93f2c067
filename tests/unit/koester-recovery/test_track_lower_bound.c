/* Tests of the lower bounds on time: data that a cache may hold does not count as memory
 * traffic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "algorithms/koester-recovery/measures.h"

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

static void caches_save_reads_and_writes(void **state)
{
	(void)state;
	assert_float_equal(track_through_memory(1000, 0), 1000, 0);
	assert_float_equal(track_through_memory(1000, 100), 800, 0);
	assert_float_equal(track_through_memory(1000, 500), 0, 0);
	assert_float_equal(track_through_memory(1000, INFINITY), 0, 0);
}

static void small_work_is_bound_by_the_cache(void **state)
{
	enum peak limit;

	(void)state;
	/* smaller than any third-level cache */
	assert_float_equal(track_lower_bound(&known, NULL, false, 0, 4096, &limit), 4.096, 1e-9);
	assert_int_equal(limit, PEAK_CPU_L2_COPY);
	assert_float_equal(track_lower_bound(&known, NULL, true, 0, 4096, &limit), 40.96, 1e-9);
	assert_int_equal(limit, PEAK_CPU_L2_COPY_1);
	assert_float_equal(track_lower_bound(&known, NULL, false, 4096, 4096, &limit), 409.6, 1e-9);
	assert_int_equal(limit, PEAK_CPU_FMA);
}

static void large_work_is_bound_by_memory(void **state)
{
	struct dev_set set;
	struct dev_info info;
	enum peak limit;
	double bytes, floor;

	(void)state;
	assert_int_equal(dev_set_open(&set, "sim", 1, NULL), 0);
	assert_int_equal(dev_get_info(set.dev[0], &info, NULL), 0);
	bytes = 10 * (double)info.l2_bytes;
	assert_true(bytes > 0);
	floor = track_lower_bound(&known, set.dev[0], false, 0, bytes, &limit);
	assert_true(fabs(floor - 0.8 * bytes / 400) < 1e-9 * floor);
	assert_int_equal(limit, PEAK_GPU_COPY);
	dev_set_close(&set);
}

static void no_lower_bound_without_peak_rates(void **state)
{
	enum peak limit;

	(void)state;
	assert_float_equal(track_lower_bound(NULL, NULL, false, 1, 1, &limit), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_save_reads_and_writes),
		cmocka_unit_test(small_work_is_bound_by_the_cache),
		cmocka_unit_test(large_work_is_bound_by_memory),
		cmocka_unit_test(no_lower_bound_without_peak_rates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
