/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Waves: lanes of simulated devices that share a program counter (COPRA_SIM_WAVE). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/selftest/waves.h"
#include "tests/unit/device/test_device.h"

enum { BLOCKS = SELFTEST_WAVES_BLOCKS };

static int forget_settings(void **state)
{
	(void)state;
	unsetenv("COPRA_SIM_SEED");
	unsetenv("COPRA_SIM_SCHEDULE");
	unsetenv("COPRA_SIM_TIMEOUT");
	unsetenv("COPRA_SIM_WAVE");
	return 0;
}

/* A kernel that runs on a device of its own. */
struct running {
	struct fixture f;
	int *x;
};

/* schedule: 0: order, 1: reverse, otherwise the seed of a random one */
static void start(struct running *r, enum selftest_waves which, const char *wave, int schedule)
{
	char seed[16];

	snprintf(seed, sizeof(seed), "%d", schedule);
	setenv("COPRA_SIM_SEED", seed, 1);
	setenv("COPRA_SIM_SCHEDULE",
	       schedule == 0 ? "order" :
	       schedule == 1 ? "reverse" :
			       "random",
	       1);
	setenv("COPRA_SIM_WAVE", wave, 1);
	open_devices(&r->f, "sim", 1);
	r->x = device_array(&r->f, 0, 2 * BLOCKS * sizeof(int), NULL);
	OK(&r->f, selftest_run_waves_sim(r->f.s, which, r->x, &r->f.e));
}

static void expect_end(struct running *r)
{
	int y[2 * BLOCKS];

	fetch(&r->f, y, r->x, sizeof(y));
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(y[BLOCKS + i], 1);
	dev_set_close(&r->f.set);
}

static void expect_failure(struct running *r, const char *const says[])
{
	assert_int_equal(dev_stream_sync(r->f.s, &r->f.e), ERR_FAILED);
	for (int i = 0; i < 6 && says[i]; i++)
		if (!strstr(r->f.e.text, says[i]))
			fail_msg("expected '%s' in '%s'", says[i], r->f.e.text);
	dev_set_close(&r->f.set);
}

static void all_end_on_independent_lanes(void **state)
{
	(void)state;
	for (int k = 0; k < 10; k++)
		for (int which = 0; which < SELFTEST_WARP_IN_CONDITION; which++) {
			struct running r;

			start(&r, (enum selftest_waves)which, "1", k);
			expect_end(&r);
		}
}

static void waits_for_other_waves_end(void **state)
{
	static const struct {
		enum selftest_waves which;
		const char *wave;
	} cases[] = {
		{ SELFTEST_WAIT_FOR_WAVE, "64" },       { SELFTEST_WAIT_FOR_WAVE, "32" },
		{ SELFTEST_WAIT_AFTER_BARRIER, "64" },  { SELFTEST_WAIT_AFTER_BARRIER, "32" },
		{ SELFTEST_WAIT_AFTER_CONVERGE, "64" }, { SELFTEST_WAIT_AFTER_CONVERGE, "32" },
		{ SELFTEST_WAIT_FOR_HALF, "32" },       { SELFTEST_HALVES_TAKE_TURNS, "32" },
		{ SELFTEST_WAIT_IN_CIRCLE, "32" },
	};

	(void)state;
	for (int k = 0; k < 10; k++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			struct running r;

			start(&r, cases[i].which, cases[i].wave, k);
			expect_end(&r);
		}
}

/* They run at the same time, because each of them waits for the time limit. */
static void waits_for_the_own_wave_are_reported(void **state)
{
	static const struct {
		enum selftest_waves which;
		const char *wave;
		int schedule;
		const char *says[6];
	} cases[] = {
		/* in ascending order thread 0 waits before thread 32 runs */
		{ SELFTEST_WAIT_FOR_HALF,
		  "64",
		  0,
		  { "kernel wait_for_half, block (", "thread (0,0,0), ",
		    "waves.cu:", "hang of a wave of 64 lanes", "such as thread (32,0,0)" } },
		{ SELFTEST_HALVES_TAKE_TURNS,
		  "64",
		  0,
		  { "kernel halves_take_turns, block (", "thread (0,0,0), ", "thread (32,0,0)" } },
		{ SELFTEST_HALVES_TAKE_TURNS,
		  "64",
		  1,
		  { "kernel halves_take_turns, block (", "thread (32,0,0), ", "thread (0,0,0)" } },
		{ SELFTEST_HALVES_TAKE_TURNS, "64", 7, { "hang of a wave of 64 lanes" } },
		/* thread 64 waits too, but not for its own wave */
		{ SELFTEST_WAIT_IN_CIRCLE,
		  "64",
		  0,
		  { "kernel wait_in_circle, block (", "thread (0,0,0), ", "thread (32,0,0)" } },
		{ SELFTEST_LANES_TAKE_LOCK,
		  "32",
		  7,
		  { "kernel lanes_take_lock, block (", "hang of a wave of 32 lanes" } },
	};
	enum { CASES = sizeof(cases) / sizeof(*cases) };
	static struct running r[CASES];

	(void)state;
	setenv("COPRA_SIM_TIMEOUT", "0.2", 1);
	for (int i = 0; i < CASES; i++)
		start(&r[i], cases[i].which, cases[i].wave, cases[i].schedule);
	for (int i = 0; i < CASES; i++)
		expect_failure(&r[i], cases[i].says);
}

/* Here the other warps move all the time. */
static void waves_held_for_long_are_reported(void **state)
{
	static const char *const says[6] = { "kernel wait_among_others, block (",
					     "thread (0,0,0), ", "more than 2 s",
					     "held the other lanes of its wave" };
	struct running r;

	(void)state;
	setenv("COPRA_SIM_TIMEOUT", "0.2", 1);
	start(&r, SELFTEST_WAIT_AMONG_OTHERS, "64", 0);
	expect_failure(&r, says);
}

/* Held lanes are not the reason for every wait that does not end. */
static void a_flag_that_nobody_sets_is_no_hang_of_the_wave(void **state)
{
	static const char *const says[6] = { "waited more than 0.2 s in SPIN_UNTIL" };
	struct running r;

	(void)state;
	setenv("COPRA_SIM_TIMEOUT", "0.2", 1);
	setenv("COPRA_SIM_WAVE", "64", 1);
	open_devices(&r.f, "sim", 1);
	r.x = device_array(&r.f, 0, SELFTEST_BLOCK * sizeof(int), NULL);
	OK(&r.f, selftest_run_invalid_sim(r.f.s, SELFTEST_NEVER_RAISED, r.x, &r.f.e));
	expect_failure(&r, says);
}

static void warp_operations_of_two_branches_are_reported(void **state)
{
	static const char *const says[6] = { "kernel two_branches, block (", "thread (",
					     "__shfl_sync in two branches", "waves.cu:" };

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct running r;

		start(&r, SELFTEST_TWO_BRANCHES, k % 2 ? "32" : "64", k);
		expect_failure(&r, says);
	}
}

static void waves_that_do_not_converge_are_reported(void **state)
{
	static const char *const says[6] = { "kernel half_converges, block (", "thread (",
					     "waits in WAVE_SYNC", "waits in __syncthreads" };

	(void)state;
	for (int k = 0; k < 4; k++) {
		struct running r;

		start(&r, SELFTEST_HALF_CONVERGES, "64", k);
		expect_failure(&r, says);
	}
}

static void conditions_with_warp_operations_are_reported(void **state)
{
	static const char *const says[6] = { "kernel warp_in_condition, block (", "thread (",
					     "__any_sync in the condition of SPIN_UNTIL" };
	struct running r;

	(void)state;
	start(&r, SELFTEST_WARP_IN_CONDITION, "1", 0);
	expect_failure(&r, says);
}

/* The results of correct kernels do not depend on the mode. */
static void correct_kernels_pass_on_waves(void **state)
{
	(void)state;
	for (int k = 0; k < 20; k++) {
		struct fixture f;
		char seed[16];

		snprintf(seed, sizeof(seed), "%d", k);
		setenv("COPRA_SIM_SEED", seed, 1);
		setenv("COPRA_SIM_WAVE", k % 2 ? "32" : "64", 1);
		open_devices(&f, "sim", 2);
		check_all(&f, &selftest_kernels_sim);
		check_peers(&f, &selftest_kernels_sim);
		dev_set_close(&f.set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(all_end_on_independent_lanes, forget_settings),
		cmocka_unit_test_teardown(waits_for_other_waves_end, forget_settings),
		cmocka_unit_test_teardown(waits_for_the_own_wave_are_reported, forget_settings),
		cmocka_unit_test_teardown(waves_held_for_long_are_reported, forget_settings),
		cmocka_unit_test_teardown(a_flag_that_nobody_sets_is_no_hang_of_the_wave,
					  forget_settings),
		cmocka_unit_test_teardown(warp_operations_of_two_branches_are_reported,
					  forget_settings),
		cmocka_unit_test_teardown(waves_that_do_not_converge_are_reported, forget_settings),
		cmocka_unit_test_teardown(conditions_with_warp_operations_are_reported,
					  forget_settings),
		cmocka_unit_test_teardown(correct_kernels_pass_on_waves, forget_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
