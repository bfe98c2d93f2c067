/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of hierarchical BOA on simulated devices equal those of the host bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/gboa/hboa_runs.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"

static void check(const struct hboa_problem *p, int runs, int gpus, const char *schedule, int seed)
{
	struct dev_set set;
	struct hboa_outcome host, device;
	struct boa_setup s = hboa_setup(p, SOLVE_CPU, 1, NULL);

	hboa_go(&host, &s, runs);
	assert_int_equal(host.status, 0);
	open_devices(&set, gpus, schedule, seed);
	s = hboa_setup(p, SOLVE_TUNED, 1, &set);
	hboa_go(&device, &s, runs);
	if (device.status)
		fail_msg("%s", device.error.text);
	hboa_check(p, &device);
	hboa_expect_same(p, &host, &device);
	hboa_outcome_free(&device);
	hboa_outcome_free(&host);
	dev_set_close(&set);
}

static void device_runs_match_the_host(void **state)
{
	static const char *const schedules[] = { "order", "reverse", "random" };
	struct hboa_problem p = hboa_problem("trap5", "10", 128);

	(void)state;
	p.options.generations = 3;
	for (int i = 0; i < 3; i++) {
		p.options.merges = i != 1;
		check(&p, 1, 1, schedules[i], 3 + i);
	}
	landscape_free(&p.landscape);
}

/* Cases: more than two words of variables; other windows and tournaments; trees; all replaced;
 * other numbers of selected individuals. */
static void all_options_match_the_host(void **state)
{
	struct hboa_problem p = hboa_problem("overlap3", "71", 64);

	(void)state;
	p.options.generations = 2;
	p.options.merges = false;
	p.options.window = 64;
	p.options.tournament = 6;
	p.options.replacement = BOA_REPLACE_ALL;
	p.options.selected = 64;
	p.options.smoothing = BOA_SMOOTH_LAPLACE;
	check(&p, 1, 1, "random", 8);
	landscape_free(&p.landscape);
}

static void many_runs_on_several_devices_match(void **state)
{
	struct hboa_problem p = hboa_problem("trap3", "6", 64);

	(void)state;
	p.options.stop_converged = true;
	p.options.generations = UNDER_TSAN ? 4 : 12;
	check(&p, 5, 2, "random", 2);
	landscape_free(&p.landscape);
}

/* Each run has one block, which samples its offspring in several parts. */
static void many_runs_on_a_small_device_match(void **state)
{
	struct hboa_problem p = hboa_problem("trap3", "6", 384);

	(void)state;
	p.options.generations = 2;
	p.options.window = 40;
	assert_int_equal(setenv("COPRA_SIM_SMS", "1", 1), 0);
	check(&p, 8, 1, "random", 4);
	assert_int_equal(unsetenv("COPRA_SIM_SMS"), 0);
	landscape_free(&p.landscape);
}

/* Optima in population 0, no generations, and runs that converge. */
static void stopping_rules_end_runs(void **state)
{
	struct hboa_problem p = hboa_problem("onemax", "3", 64);

	(void)state;
	check(&p, 2, 1, "order", 1);
	p.options.stop_at_optimum = false;
	p.options.stop_converged = true;
	p.options.generations = 40;
	check(&p, 2, 1, "order", 1);
	p.options.generations = 0;
	check(&p, 3, 2, "order", 1);
	landscape_free(&p.landscape);
}

static void limits_leave_consistent_runs(void **state)
{
	struct hboa_problem p = hboa_problem("trap5", "10", 64);
	volatile sig_atomic_t stop = 1;
	struct dev_set set;
	struct hboa_outcome o;

	(void)state;
	open_devices(&set, 2, "order", 1);
	struct boa_setup s = hboa_setup(&p, SOLVE_TUNED, 1, &set);

	s.stop = &stop;
	hboa_go(&o, &s, 3);
	assert_int_equal(o.status, ERR_LIMIT);
	hboa_check(&p, &o);
	for (int r = 0; r < 3; r++)
		assert_int_equal(o.run[r].generations, 0);
	hboa_outcome_free(&o);
	s.devices = NULL;
	hboa_go(&o, &s, 1);
	assert_int_equal(o.status, ERR_UNSUPPORTED);
	hboa_outcome_free(&o);
	dev_set_close(&set);
	landscape_free(&p.landscape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_runs_match_the_host),
		cmocka_unit_test(all_options_match_the_host),
		cmocka_unit_test(many_runs_on_several_devices_match),
		cmocka_unit_test(many_runs_on_a_small_device_match),
		cmocka_unit_test(stopping_rules_end_runs),
		cmocka_unit_test(limits_leave_consistent_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
