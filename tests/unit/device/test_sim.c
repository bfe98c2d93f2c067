/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The schedules of sim: correct kernels pass under all of them; faulty kernels are detected. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/device/sim.h"
#include "harness/device/sim_fiber.h"
#include "kernels/selftest/cluster.h"
#include "tests/unit/device/test_device.h"

static const struct selftest_kernels *const kernels = &selftest_kernels_sim;

/* Schedules 0 and 1 are order and reverse, the others random seeds. */
enum { SCHEDULES = SIM_TSAN ? 8 : 54, SEEDS_TO_FIND = 5 };

static void choose_schedule(int k)
{
	char seed[16];
	snprintf(seed, sizeof(seed), "%d", k);
	setenv("COPRA_SIM_SEED", seed, 1);
	setenv("COPRA_SIM_SCHEDULE", k == 0 ? "order" : k == 1 ? "reverse" : "random", 1);
}

static int forget_settings(void **state)
{
	(void)state;
	unsetenv("COPRA_SIM_SEED");
	unsetenv("COPRA_SIM_SCHEDULE");
	unsetenv("COPRA_SIM_WORKERS");
	unsetenv("COPRA_SIM_TIMEOUT");
	unsetenv("COPRA_SIM_SHARED");
	unsetenv("COPRA_SIM_SM_THREADS");
	unsetenv("COPRA_SIM_SM_BLOCKS");
	unsetenv("COPRA_SIM_CLUSTER");
	return 0;
}

static void correct_kernels_pass_every_schedule(void **state)
{
	(void)state;
	for (int k = 0; k < SCHEDULES; k++) {
		struct fixture f;
		choose_schedule(k);
		open_devices(&f, "sim", 1);
		check_all(&f, kernels);
		dev_set_close(&f.set);
	}
}

static void two_devices_pass_every_schedule(void **state)
{
	(void)state;
	for (int k = 0; k < SCHEDULES; k++) {
		struct fixture f;
		choose_schedule(k);
		open_devices(&f, "sim", 2);
		check_peers(&f, kernels);
		dev_set_close(&f.set);
	}
}

static void hip_warps_agree_with_cuda(void **state)
{
	struct fixture f;
	int wrong;
	(void)state;
	open_devices(&f, "sim", 1);
	int *out = device_array(&f, 0, sizeof(*out), NULL);
	OK(&f, selftest_hip_warp_sim(f.s, out, 120, &f.e));
	fetch(&f, &wrong, out, sizeof(wrong));
	assert_int_equal(wrong, 0);
	dev_free(f.set.dev[0], out);
	dev_set_close(&f.set);
}

/* The first schedule, from number `first` on, under which the answer is wrong; -1 if there is none.
 */
static int first_wrong(enum selftest_fault fault, int first, int count)
{
	int y[REVERSED];
	for (int k = first; k < first + count; k++) {
		struct fixture f;
		choose_schedule(k);
		open_devices(&f, "sim", 1);
		int right = reverses(&f, kernels, fault, y);
		dev_set_close(&f.set);
		if (!right)
			return k;
	}
	return -1;
}

static void missing_barriers_are_found_within_few_seeds(void **state)
{
	(void)state;
	for (int start = 2; start < 22; start += SEEDS_TO_FIND) {
		assert_true(first_wrong(SELFTEST_MISSING_BARRIER, start, SEEDS_TO_FIND) >= 0);
		assert_true(first_wrong(SELFTEST_MISSING_SECOND_BARRIER, start, SEEDS_TO_FIND) >=
			    0);
		assert_true(first_wrong(SELFTEST_MISSING_SYNCWARP, start, SEEDS_TO_FIND) >= 0);
	}
}

static void missing_barriers_show_in_order_and_reverse(void **state)
{
	(void)state;
	assert_int_equal(first_wrong(SELFTEST_MISSING_BARRIER, 0, 1), 0);
	assert_int_equal(first_wrong(SELFTEST_MISSING_BARRIER, 1, 1), 1);
	assert_int_equal(first_wrong(SELFTEST_MISSING_SYNCWARP, 0, 1), 0);
	assert_int_equal(first_wrong(SELFTEST_MISSING_SYNCWARP, 1, 1), 1);
}

static void one_seed_gives_one_wrong_answer(void **state)
{
	int y[3][REVERSED];
	(void)state;
	setenv("COPRA_SIM_WORKERS", "1", 1);
	for (int k = 0; k < 3; k++) {
		struct fixture f;
		choose_schedule(k < 2 ? 11 : 12);
		open_devices(&f, "sim", 1);
		reverses(&f, kernels, SELFTEST_MISSING_SECOND_BARRIER, y[k]);
		dev_set_close(&f.set);
	}
	assert_memory_equal(y[0], y[1], sizeof(y[0]));
	assert_memory_not_equal(y[0], y[2], sizeof(y[0]));
}

/* ---- kernels that must be stopped ---- */

struct invalid {
	enum selftest_invalid which;
	const char *says[4];
};

/* Runs the invalid kernel on a new device; returns the error of the launch or of the next
 * synchronisation. */
static int run_invalid(struct fixture *f, enum selftest_invalid which, int *at_launch)
{
	open_devices(f, "sim", 1);
	int *x = device_array(f, 0, SELFTEST_BLOCK * sizeof(*x), NULL);
	int status = selftest_run_invalid_sim(f->s, which, x, &f->e);
	*at_launch = status != 0;
	return status ? status : dev_stream_sync(f->s, &f->e);
}

static void expect_errors(const struct invalid *list, size_t count, int expect_at_launch)
{
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < 6; k++) {
			struct fixture f;
			int at_launch;
			choose_schedule(k);
			int status = run_invalid(&f, list[i].which, &at_launch);
			if (!status)
				fail_msg("invalid kernel %d passed", (int)list[i].which);
			assert_int_equal(at_launch, expect_at_launch);
			for (int j = 0; j < 4 && list[i].says[j]; j++)
				if (!strstr(f.e.text, list[i].says[j]))
					fail_msg("schedule %d: expected '%s' in '%s'", k,
						 list[i].says[j], f.e.text);
			dev_set_close(&f.set);
		}
}

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void invalid_kernels_are_reported_at_sync(void **state)
{
	static const struct invalid list[] = {
		{ SELFTEST_EARLY_RETURN,
		  { "divergent barrier", "block (0,0,0)", "thread (", "invalid.cu:" } },
		{ SELFTEST_TWO_BARRIERS, { "divergent barrier", "another __syncthreads" } },
		{ SELFTEST_MASK_WITHOUT_SELF,
		  { "wrong mask", "__ballot_sync(0x7fffffff)", "lane 31" } },
		{ SELFTEST_MASKS_DIFFER, { "0x0000ffff", "0xffffffff", "invalid.cu:" } },
		{ SELFTEST_LANE_MISSING,
		  { "deadlock", "__shfl_sync", "thread (5,0,0)", "__syncthreads" } },
		{ SELFTEST_GRID_DESERTER, { "grid_sync", "left the kernel" } },
		{ SELFTEST_GRID_PLAIN, { "LAUNCH_COOPERATIVE" } },
		{ SELFTEST_NO_COPY_WAIT, { "trap_if(shared[threadIdx.x] != 0)" } },
		{ SELFTEST_TRAP, { "trap_if", "thread (9,0,0)", "x[0] == 0" } },
	};
	(void)state;
	expect_errors(list, COUNT(list), 0);
}

static void impossible_launches_are_refused(void **state)
{
	static const struct invalid list[] = {
		{ SELFTEST_TOO_MANY_THREADS, { "(1025,1,1) threads", "invalid.cu:" } },
		{ SELFTEST_TOO_MUCH_SHARED, { "233472", "232448" } },
		{ SELFTEST_EMPTY_GRID, { "(0,1,1)" } },
		{ SELFTEST_TOO_MANY_RESIDENT, { "9 blocks" } },
	};
	(void)state;
	expect_errors(list, COUNT(list), 1);
}

static void limits_of_a_small_gpu_are_kept(void **state)
{
	static const struct invalid list[] = {
		{ SELFTEST_TOO_MUCH_SHARED, { "233472", "65536 available" } },
		{ SELFTEST_TOO_MANY_RESIDENT, { "9 blocks; 1 fit" } },
	};
	struct fixture f;
	int blocks, clusters;

	(void)state;
	setenv("COPRA_SIM_SHARED", "64K", 1);
	setenv("COPRA_SIM_SM_THREADS", "1024", 1);
	setenv("COPRA_SIM_SM_BLOCKS", "16", 1);
	setenv("COPRA_SIM_CLUSTER", "0", 1);
	expect_errors(list, COUNT(list), 1);
	open_devices(&f, "sim", 1);
	OK(&f, sim_occupancy(f.s, &blocks, 32, 0, &f.e));
	assert_int_equal(blocks, 16);
	OK(&f, sim_occupancy(f.s, &blocks, 96, 0, &f.e));
	assert_int_equal(blocks, 10);
	OK(&f, selftest_cluster_sim.resident(f.s, 2, 64, &clusters, &f.e));
	assert_int_equal(clusters, 0);
	dev_set_close(&f.set);
}

static void waiting_for_ever_ends_at_the_time_limit(void **state)
{
	struct fixture f;
	int at_launch;
	(void)state;
	setenv("COPRA_SIM_TIMEOUT", "1", 1);
	assert_int_equal(run_invalid(&f, SELFTEST_NEVER_RAISED, &at_launch), ERR_FAILED);
	assert_non_null(strstr(f.e.text, "SPIN_UNTIL"));
	dev_set_close(&f.set);
}

/* It ends long before the time limit of SPIN_UNTIL, and the device executes no later work. */
static void stop_flag_cancels_running_kernels(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	int zero = 0, other = 2;
	struct fixture f;

	(void)state;
	open_devices(&f, "sim", 1);
	dev_set_cancel_on(&f.set, &stop);
	int *x = device_array(&f, 0, SELFTEST_BLOCK * sizeof(*x), NULL);
	assert_int_equal(dev_copy_to(f.s, x, &zero, sizeof(zero), &f.e), 0);
	/* Work that ends soon after the flag is set completes normally. */
	assert_int_equal(dev_stream_sync(f.s, &f.e), 0);
	assert_int_equal(selftest_run_invalid_sim(f.s, SELFTEST_NEVER_RAISED, x, &f.e), 0);
	assert_int_equal(dev_stream_sync(f.s, &f.e), ERR_LIMIT);
	assert_non_null(strstr(f.e.text, "was cancelled"));
	(void)dev_copy_from(f.s, &other, x, sizeof(other), &f.e);
	assert_int_equal(dev_stream_sync(f.s, &f.e), ERR_LIMIT);
	assert_int_equal(other, 2);
	dev_set_close(&f.set);
}

static void run_deep_stack(void)
{
	struct fixture f;
	int at_launch;
	(void)run_invalid(&f, SELFTEST_DEEP_STACK, &at_launch);
}

static void stack_overflow_faults(void **state)
{
	(void)state;
	assert_true(dies(run_deep_stack));
}

static void run_race(void)
{
	struct fixture f;
	int at_launch;
	(void)run_invalid(&f, SELFTEST_RACE, &at_launch);
	exit(0); /* TSan reports races in the exit status */
}

static void tsan_sees_races_between_blocks(void **state)
{
	(void)state;
	assert_int_equal(dies(run_race), SIM_TSAN);
}

static void touch_wild_pointer(void)
{
	struct fixture f;
	int at_launch;
	(void)run_invalid(&f, SELFTEST_WILD_POINTER, &at_launch);
}

static void illegal_access_fails_the_launch(void **state)
{
	static const struct invalid list[] = {
		{ SELFTEST_WILD_POINTER, { "illegal access", "0x40", "thread (77,0,0)" } },
	};
	(void)state;
	if (SIM_ASAN || SIM_TSAN)
		assert_true(dies(touch_wild_pointer));
	else
		expect_errors(list, COUNT(list), 0);
}

#if SIM_ASAN

static void overrun_shared(void)
{
	struct fixture f;
	int at_launch;
	(void)run_invalid(&f, SELFTEST_SHARED_OVERRUN, &at_launch);
}

static void overrun_global(void)
{
	struct fixture f;
	int at_launch;
	(void)run_invalid(&f, SELFTEST_GLOBAL_OVERRUN, &at_launch);
}

static void overruns_are_found(void **state)
{
	(void)state;
	assert_true(dies(overrun_shared));
	assert_true(dies(overrun_global));
}

#else

static void overruns_are_found(void **state)
{
	static const struct invalid list[] = {
		{ SELFTEST_SHARED_OVERRUN, { "beyond its 512 bytes of shared memory" } },
		{ SELFTEST_GLOBAL_OVERRUN, { "outside the 512 bytes", "test_device.h:" } },
	};
	(void)state;
	expect_errors(list, COUNT(list), 0);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(stack_overflow_faults, forget_settings),
		cmocka_unit_test_teardown(tsan_sees_races_between_blocks, forget_settings),
		cmocka_unit_test_teardown(illegal_access_fails_the_launch, forget_settings),
		cmocka_unit_test_teardown(overruns_are_found, forget_settings),
		cmocka_unit_test_teardown(correct_kernels_pass_every_schedule, forget_settings),
		cmocka_unit_test_teardown(two_devices_pass_every_schedule, forget_settings),
		cmocka_unit_test_teardown(hip_warps_agree_with_cuda, forget_settings),
		cmocka_unit_test_teardown(missing_barriers_are_found_within_few_seeds,
					  forget_settings),
		cmocka_unit_test_teardown(missing_barriers_show_in_order_and_reverse,
					  forget_settings),
		cmocka_unit_test_teardown(one_seed_gives_one_wrong_answer, forget_settings),
		cmocka_unit_test_teardown(invalid_kernels_are_reported_at_sync, forget_settings),
		cmocka_unit_test_teardown(impossible_launches_are_refused, forget_settings),
		cmocka_unit_test_teardown(limits_of_a_small_gpu_are_kept, forget_settings),
		cmocka_unit_test_teardown(waiting_for_ever_ends_at_the_time_limit, forget_settings),
		cmocka_unit_test_teardown(stop_flag_cancels_running_kernels, forget_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
