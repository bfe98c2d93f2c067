/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The runner, with benchmarks whose times come from a table instead of a clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/bench/bench_journal.h"
#include "harness/bench/runner.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "harness/base/journal.h"
#include "harness/machine/peaks.h"
#include "tests/unit/base/sanitized.h"

/* Settings of the fake benchmarks, and a record of their calls. */
static struct {
	int setups, runs, checks, teardowns;
	int fail_check_at; /* the number of the check that fails; 0: none */
	double seconds;    /* of each iteration */
	double noise;      /* seconds alternate by plus and minus this fraction */
	int setup_status;
	bool tell_time;
	const char *counter; /* NULL: none */
	double counter_value;
	char order[512];     /* axis value of each run, as a letter */
	int stop_after_runs; /* 0: never */
	bool mean_counter;
	size_t memory; /* bytes that case 0 uses on host and devices, later cases fewer */
	double nap;    /* seconds that a run takes but does not report */
	struct peak_demand demand[4];
	size_t demands;
	bool least; /* they are a part of the work */
} fake;
static volatile sig_atomic_t stop;

static int fake_setup(struct bench_case *c, struct err *e)
{
	(void)c;
	if (fake.setup_status)
		return err_set(e, fake.setup_status, "no such thing here");
	fake.setups++;
	return 0;
}

/* Holds `bytes` of resident memory and on device 0, and half as many on device 1, for a moment. */
static void use_memory(const struct bench_case *c, size_t bytes)
{
	const struct dev_set *devices = &c->setting->devices;
	char *host = malloc(bytes);
	void *device[2];

	assert_non_null(host);
	for (size_t i = 0; i < bytes; i += 1024)
		*(volatile char *)(host + i) = 1;
	free(host);
	for (int i = 0; i < 2; i++)
		assert_int_equal(dev_alloc(devices->dev[i], &device[i], bytes >> i, NULL), 0);
	for (int i = 0; i < 2; i++)
		dev_free(devices->dev[i], device[i]);
}

static int fake_run(struct bench_case *c, struct err *e)
{
	size_t used = strlen(fake.order);

	(void)e;
	fake.runs++;
	if (fake.memory)
		use_memory(c, fake.memory >> 2 * bench_int(c, "i"));
	if (fake.nap > 0)
		clock_sleep(fake.nap);
	if (used + 1 < sizeof(fake.order))
		fake.order[used] = (char)('a' + bench_int(c, "i"));
	if (fake.tell_time)
		bench_set_seconds(c,
				  fake.seconds * (1 + (fake.runs % 2 ? fake.noise : -fake.noise)));
	if (fake.mean_counter)
		bench_counter(c, "told_seconds", c->manual_seconds, BENCH_MEAN);
	if (fake.counter)
		bench_counter(c, fake.counter, fake.counter_value, BENCH_COUNT);
	bench_work(c, 100, "cells");
	if (fake.least)
		bench_least_demands(c, fake.demand, fake.demands);
	else
		bench_demands(c, fake.demand, fake.demands);
	if (fake.stop_after_runs && fake.runs >= fake.stop_after_runs)
		stop = 1;
	return 0;
}

static int fake_check(struct bench_case *c, struct err *e)
{
	(void)c;
	if (++fake.checks == fake.fail_check_at)
		return err_set(e, ERR_FAILED, "wrong");
	return 0;
}

static void fake_teardown(struct bench_case *c)
{
	(void)c;
	fake.teardowns++;
}

static bool always(const struct bench_case *c)
{
	(void)c;
	return true;
}

static double half_second(const struct bench_case *c)
{
	(void)c;
	return 0.5;
}

static const struct bench_axis axes[] = {
	BENCH_AXIS_INT("i", BENCH_INTS(0, 1, 2), BENCH_SAME, BENCH_SAME), BENCH_AXIS_END
};
static struct bench fake_bench;
static struct bench_setting setting;
static struct bench_plan plan;
static struct bench_runner runner;
static int finished_cases;

static int count_finished(void *ctx, struct bench_case *c, struct err *e)
{
	(void)ctx;
	(void)e;
	assert_int_not_equal(c->outcome, BENCH_PENDING);
	finished_cases++;
	return 0;
}

static int start(void **state)
{
	const struct bench *one[] = { &fake_bench };
	struct bench_selection s = { .scale = BENCH_QUICK };

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.seconds = 0.01;
	fake.tell_time = true;
	stop = 0;
	finished_cases = 0;
	fake_bench = (struct bench){ .name = "t/fake",
				     .axes = axes,
				     .manual_time = true,
				     .setup = fake_setup,
				     .run = fake_run,
				     .check = fake_check,
				     .teardown = fake_teardown,
				     .estimate = half_second };
	setting = (struct bench_setting){ .scale = BENCH_QUICK, .threads = 1, .stop = &stop };
	runner = (struct bench_runner){ .plan = &plan,
					.stop = &stop,
					.seed = 1,
					.timing.min_time = { .is_iterations = true,
							     .iterations = 1 },
					.budget = 1e9,
					.finished = count_finished };
	return bench_plan_create(&plan, one, 1, &s, &setting, NULL);
}

static int end(void **state)
{
	(void)state;
	bench_plan_destroy(&plan);
	return 0;
}

static void run_all(int expected)
{
	struct err e;

	assert_int_equal(bench_run_plan(&runner, &e), expected);
}

static double counter(const struct bench_row *row, const char *name)
{
	const struct bench_counter_value *v = bench_counters_get(&row->counters, name);

	assert_non_null(v);
	return v->value;
}

static void given_iterations_are_run_exactly(void **state)
{
	(void)state;
	runner.timing.min_time.iterations = 4;
	runner.repetitions = 3;
	run_all(0);
	assert_int_equal(fake.runs, 3 * 3 * 4);
	assert_int_equal(fake.checks, 3 * 3);
	assert_int_equal(fake.setups, 3);
	assert_int_equal(fake.teardowns, 3);
	assert_int_equal(finished_cases, 3);
	for (int i = 0; i < plan.count; i++) {
		const struct bench_case *c = &plan.cases[i];

		assert_int_equal(c->outcome, BENCH_DONE);
		assert_int_equal(c->row_count, 3);
		for (int k = 0; k < 3; k++) {
			assert_int_equal(c->rows[k].repetitions, 3);
			assert_int_equal(c->rows[k].repetition_index, k);
			assert_int_equal(c->rows[k].iterations, 4);
			assert_true(fabs(c->rows[k].real_seconds - 0.01) < 1e-12);
		}
	}
}

static void iterations_grow_to_the_minimum_time(void **state)
{
	const struct bench_row *row;

	(void)state;
	runner.timing.min_time = (struct bench_min_time){ .seconds = 0.5 };
	runner.repetitions = 2;
	run_all(0);
	row = &plan.cases[0].rows[0];
	/* 1, then tenfold steps, then 1.4 times the needed number: 70 */
	assert_true(row->iterations >= 50 && row->iterations <= 140);
	assert_int_equal(plan.cases[0].rows[1].iterations, row->iterations);
	assert_true(fabs(counter(row, "work") - 100) < 1e-9);
	assert_true(fabs(counter(row, "cells_per_second") - 1e4) < 1e-6);
	assert_non_null(strstr(row->label, "cells"));
}

/* ---- demands ---- */

static const struct peaks rates = { .value = { [PEAK_GPU_ADD_MAX] = 1e6,
					       [PEAK_GPU_POPCOUNT] = 1e3,
					       [PEAK_GPU_L2_COPY] = 1e6,
					       [PEAK_GPU_COPY] = 1e5 } };

static bool has_counter(const struct bench_row *row, const char *name)
{
	return bench_counters_get(&row->counters, name) != NULL;
}

/* 3000 operations take 3 ms, 500 bytes through memory 5 ms; a run takes 10 ms. */
static void demand_all(void)
{
	fake.demand[0] = (struct peak_demand){ PEAK_GPU_L2_COPY, 900 };
	fake.demand[1] = (struct peak_demand){ PEAK_GPU_ADD_MAX, 3000 };
	fake.demand[2] = (struct peak_demand){ PEAK_GPU_COPY, 500 };
	fake.demands = 3;
}

static void demands_give_counters_and_the_lower_bound(void **state)
{
	const struct bench_row *row;

	(void)state;
	demand_all();
	setting.peaks = &rates;
	run_all(0);
	row = &plan.cases[0].rows[0];
	assert_true(counter(row, "operations") == 3000);
	assert_true(counter(row, "bytes") == 500);
	assert_true(fabs(counter(row, "floor_seconds") - 0.005) < 1e-12);
	assert_true(fabs(counter(row, "floor_ratio") - 2) < 1e-9);
	assert_string_equal(row->label, "work: cells; floor: gpu_copy; operations: gpu_add_max; "
					"bytes: gpu_copy");
}

static void demands_are_reported_without_peak_rates(void **state)
{
	const struct bench_row *row;

	(void)state;
	demand_all();
	run_all(0);
	row = &plan.cases[0].rows[0];
	assert_true(counter(row, "operations") == 3000);
	assert_true(counter(row, "bytes") == 500);
	assert_false(has_counter(row, "floor_seconds") || has_counter(row, "floor_ratio"));
	assert_string_equal(row->label, "work: cells; operations: gpu_add_max; bytes: gpu_copy");
}

static void unknown_demands_have_no_counter(void **state)
{
	const struct bench_row *row;

	(void)state;
	fake.demand[0] = (struct peak_demand){ PEAK_GPU_ADD_MAX, 0 };
	fake.demand[1] = (struct peak_demand){ PEAK_GPU_L2_COPY, 900 };
	fake.demands = 2;
	setting.peaks = &rates;
	run_all(0);
	row = &plan.cases[0].rows[0];
	assert_false(has_counter(row, "operations") || has_counter(row, "bytes"));
	assert_true(fabs(counter(row, "floor_seconds") - 9e-4) < 1e-12);
	assert_string_equal(row->label, "work: cells; floor: gpu_l2_copy");
}

static void a_part_of_the_work_only_gives_the_bound(void **state)
{
	const struct bench_row *row;

	(void)state;
	demand_all();
	fake.least = true;
	setting.peaks = &rates;
	run_all(0);
	row = &plan.cases[0].rows[0];
	assert_false(has_counter(row, "operations") || has_counter(row, "bytes"));
	assert_true(fabs(counter(row, "floor_seconds") - 0.005) < 1e-12);
	assert_string_equal(row->label, "work: cells; floor: gpu_copy");
}

/* The first demand in operations names them; the slower second one sets the bound. */
static void two_kinds_of_operations_share_a_row(void **state)
{
	const struct bench_row *row;

	(void)state;
	fake.demand[0] = (struct peak_demand){ PEAK_GPU_ADD_MAX, 3000 };
	fake.demand[1] = (struct peak_demand){ PEAK_GPU_POPCOUNT, 8 };
	fake.demands = 2;
	setting.peaks = &rates;
	run_all(0);
	row = &plan.cases[0].rows[0];
	assert_true(counter(row, "operations") == 3000);
	assert_true(fabs(counter(row, "floor_seconds") - 0.008) < 1e-12);
	assert_string_equal(row->label,
			    "work: cells; floor: gpu_popcount; operations: gpu_add_max");
}

/* An iteration reports a thousandth of its wall time: collecting 0.02 s would take 20 s. */
static void untimed_cost_bounds_the_iterations(void **state)
{
	(void)state;
	fake.nap = 1e-3;
	fake.seconds = 1e-6;
	runner.timing.min_time = (struct bench_min_time){ .seconds = 0.02 };
	run_all(0);
	/* a batch naps at most 1.4 * 2 * 0.02 s, and the trials before it together 2 * 0.02 s
	 * except for the last one */
	assert_true(fake.runs <= 3 * (57 + 40 + 10));
	assert_int_equal(plan.cases[0].outcome, BENCH_DONE);
}

static void long_iterations_run_once(void **state)
{
	(void)state;
	fake.seconds = 3;
	runner.timing.min_time = (struct bench_min_time){ .seconds = 0.5 };
	run_all(0);
	assert_int_equal(fake.runs, 3);
	assert_int_equal(plan.cases[0].rows[0].iterations, 1);
}

static void a_dry_run_runs_each_case_once(void **state)
{
	(void)state;
	runner.timing.dry_run = true;
	runner.timing.min_warmup_time = 10;
	runner.timing.min_time.iterations = 50;
	runner.repetitions = 9;
	runner.precision = 1e-9;
	run_all(0);
	assert_int_equal(fake.runs, 3);
	assert_int_equal(plan.cases[2].row_count, 1);
}

static void warm_up_runs_before_the_first_repetition_only(void **state)
{
	(void)state;
	fake.nap = 1e-3;
	runner.timing.min_warmup_time = 2.5e-3;
	run_all(0);
	/* one timed run per case, after one to three runs of warm-up */
	assert_true(fake.runs >= 3 * 2 && fake.runs <= 3 * 4);
	assert_int_equal(fake.checks, 3);
}

static void repetitions_default_to_the_benchmark(void **state)
{
	(void)state;
	fake_bench.repetitions[BENCH_QUICK] = 4;
	run_all(0);
	assert_int_equal(plan.cases[0].row_count, 4);
}

static void a_wrong_answer_leaves_no_row(void **state)
{
	(void)state;
	fake.fail_check_at = 5; /* second case, second repetition */
	runner.repetitions = 3;
	run_all(0);
	assert_int_equal(plan.cases[0].outcome, BENCH_DONE);
	assert_int_equal(plan.cases[1].outcome, BENCH_FAILED);
	assert_int_equal(plan.cases[1].row_count, 0);
	assert_string_equal(plan.cases[1].message, "wrong");
	assert_int_equal(plan.cases[2].outcome, BENCH_DONE);
	assert_int_equal(plan.cases[2].row_count, 3);
	assert_int_equal(fake.teardowns, 3);
}

static void unsupported_cases_are_skipped_with_their_reason(void **state)
{
	(void)state;
	fake.setup_status = ERR_UNSUPPORTED;
	run_all(0);
	assert_int_equal(plan.cases[0].outcome, BENCH_SKIPPED);
	assert_string_equal(plan.cases[0].message, "no such thing here");
	assert_int_equal(fake.runs, 0);
	assert_int_equal(fake.teardowns, 0);
	assert_int_equal(finished_cases, 3);
}

static void a_failed_setup_fails_the_case(void **state)
{
	(void)state;
	fake.setup_status = ERR_MEMORY;
	run_all(0);
	assert_int_equal(plan.cases[0].outcome, BENCH_FAILED);
	assert_int_equal(fake.teardowns, 0);
}

static void fails_with(const char *word)
{
	run_all(0);
	assert_int_equal(plan.cases[0].outcome, BENCH_FAILED);
	assert_int_equal(plan.cases[0].row_count, 0);
	if (!strstr(plan.cases[0].message, word))
		fail_msg("'%s' does not say '%s'", plan.cases[0].message, word);
}

static void a_missing_manual_time_fails_the_case(void **state)
{
	(void)state;
	fake.tell_time = false;
	fails_with("bench_set_seconds");
}

static void a_time_of_zero_fails_the_case(void **state)
{
	(void)state;
	fake.seconds = 0;
	fails_with("is 0 s");
}

static void a_time_of_nan_fails_the_case(void **state)
{
	(void)state;
	fake.seconds = NAN;
	fails_with("not a valid time");
}

static void a_counter_of_nan_fails_the_case(void **state)
{
	(void)state;
	fake.counter = "ratio";
	fake.counter_value = NAN;
	fails_with("ratio");
}

static void a_counter_named_like_a_field_fails_the_case(void **state)
{
	(void)state;
	fake.counter = "real_time";
	fails_with("real_time");
}

static void a_counter_with_an_invalid_name_fails_the_case(void **state)
{
	(void)state;
	fake.counter = "Cells/s";
	fails_with("Cells/s");
}

static void simulated_cases_are_checked_and_skipped(void **state)
{
	(void)state;
	fake_bench.uses_device = always;
	assert_int_equal(dev_set_open(&setting.devices, "sim", 1, NULL), 0);
	runner.repetitions = 9;
	run_all(0);
	dev_set_close(&setting.devices);
	assert_int_equal(fake.runs, 3);
	assert_int_equal(fake.checks, 3);
	assert_int_equal(plan.cases[0].outcome, BENCH_SKIPPED);
	assert_string_equal(plan.cases[0].message, "simulated: answer correct, no time taken");
	assert_int_equal(plan.cases[0].row_count, 0);
}

static void rows_of_amd_gpus_say_what_they_leave_out(void **state)
{
	const char *reason = "no clocks and energy: not on HIP";

	(void)state;
	fake_bench.uses_device = always;
	setting.devices.backend = DEV_HIP;
	run_all(0);
	assert_non_null(strstr(plan.cases[0].rows[0].label, reason));
}

static void rows_of_cores_say_nothing_about_amd_gpus(void **state)
{
	(void)state;
	setting.devices.backend = DEV_HIP;
	run_all(0);
	assert_null(strstr(plan.cases[0].rows[0].label, "HIP"));
}

static void a_wrong_simulated_answer_fails_the_case(void **state)
{
	(void)state;
	fake_bench.uses_device = always;
	setting.devices.backend = DEV_SIM;
	fake.fail_check_at = 1;
	run_all(0);
	assert_int_equal(plan.cases[0].outcome, BENCH_FAILED);
	assert_int_equal(plan.cases[1].outcome, BENCH_SKIPPED);
}

static void interleaving_keeps_the_number_of_repetitions(void **state)
{
	char first[sizeof(fake.order)];

	runner.interleave = true;
	runner.repetitions = 20;
	run_all(0);
	assert_int_equal(fake.runs, 60);
	assert_int_equal(fake.setups, 60);
	assert_int_equal(fake.teardowns, 60);
	assert_int_equal(finished_cases, 3);
	for (int i = 0; i < plan.count; i++)
		assert_int_equal(plan.cases[i].row_count, 20);
	/* every round has each case once, and the rounds differ in their order */
	for (int round = 0; round < 20; round++)
		for (char c = 'a'; c <= 'c'; c++)
			assert_non_null(memchr(fake.order + 3 * round, c, 3));
	memcpy(first, fake.order, sizeof(first));
	assert_int_not_equal(memcmp(first, "abcabcabcabc", 12), 0);
	end(state);
	start(state);
	runner.interleave = true;
	runner.repetitions = 20;
	run_all(0);
	assert_string_equal(fake.order, first); /* same seed, same order */
	end(state);
	start(state);
	runner.interleave = true;
	runner.repetitions = 20;
	runner.seed = 2;
	run_all(0);
	assert_string_not_equal(fake.order, first);
}

static void a_stopped_run_keeps_finished_cases(void **state)
{
	(void)state;
	runner.repetitions = 3;
	fake.stop_after_runs = 5;
	run_all(ERR_LIMIT);
	assert_int_equal(fake.runs, 5);
	assert_int_equal(plan.cases[0].outcome, BENCH_DONE);
	assert_int_equal(plan.cases[1].outcome, BENCH_PENDING);
	assert_int_equal(finished_cases, 1);
	assert_int_equal(fake.setups, fake.teardowns);
}

static void precision_decides_the_number_of_repetitions(void **state)
{
	(void)state;
	runner.precision = 0.01;
	run_all(0);
	assert_int_equal(plan.cases[0].row_count, BENCH_STOP_LEAST); /* without noise */
	end(state);
	start(state);
	runner.precision = 0.05;
	fake.noise = 0.2;
	run_all(0);
	/* sd/mean is 0.2 or a little more, so 0.2/sqrt(n) <= 0.05 from n = 17 on; the noise counts
	 * as stable after BENCH_STOP_WINDOW + BENCH_STOP_LEAST samples at the earliest */
	assert_true(plan.cases[0].row_count >= BENCH_STOP_WINDOW + BENCH_STOP_LEAST);
	assert_true(plan.cases[0].row_count <= 20);
	end(state);
	start(state);
	runner.precision = 1e-6;
	runner.budget = 0.075; /* 0.01 each: 8 samples */
	fake.noise = 0.2;
	run_all(0);
	assert_int_equal(plan.cases[0].row_count, 8);
}

static void counter_flags_are_applied(void **state)
{
	struct bench_counters s = { 0 };
	struct err e;

	(void)state;
	bench_counters_set(&s, "plain", 6, BENCH_COUNT, &e);
	bench_counters_set(&s, "rate", 6, BENCH_RATE, &e);
	bench_counters_set(&s, "each", 6, BENCH_PER_ITERATION, &e);
	bench_counters_set(&s, "inverse", 4, BENCH_INVERT, &e);
	bench_counters_set(&s, "total_rate", 6, BENCH_TOTAL_RATE, &e);
	bench_counters_set(&s, "time_each", 6, BENCH_RATE | BENCH_INVERT, &e);
	bench_counters_set(&s, "plain", 7, BENCH_COUNT, &e); /* replaces */
	assert_int_equal(s.count, 6);
	assert_int_equal(bench_counters_finish(&s, 2, 3, &e), 0);
	assert_true(bench_counters_get(&s, "plain")->value == 7);
	assert_true(bench_counters_get(&s, "rate")->value == 3);
	assert_true(bench_counters_get(&s, "each")->value == 2);
	assert_true(bench_counters_get(&s, "inverse")->value == 0.25);
	assert_true(bench_counters_get(&s, "total_rate")->value == 9);
	assert_true(fabs(bench_counters_get(&s, "time_each")->value - 1.0 / 3) < 1e-15);
	assert_null(bench_counters_get(&s, "none"));
	bench_counters_set(&s, "zero", 0, BENCH_INVERT, &e);
	assert_int_equal(bench_counters_finish(&s, 2, 3, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "zero"));
}

static void mean_counters_average_over_a_repetition(void **state)
{
	struct bench_counters s = { 0 };
	struct err e;

	(void)state;
	bench_counters_set(&s, "warm", 100, BENCH_MEAN, &e);
	bench_counters_restart(&s);
	bench_counters_set(&s, "warm", 1, BENCH_MEAN, &e);
	bench_counters_set(&s, "warm", 2, BENCH_MEAN, &e);
	bench_counters_set(&s, "warm", 6, BENCH_MEAN, &e);
	bench_counters_set(&s, "last", 1, BENCH_COUNT, &e);
	bench_counters_set(&s, "last", 6, BENCH_COUNT, &e);
	assert_int_equal(bench_counters_finish(&s, 1, 3, &e), 0);
	assert_true(bench_counters_get(&s, "warm")->value == 3);
	assert_true(bench_counters_get(&s, "last")->value == 6);
}

static void mean_counters_average_over_the_iterations_of_a_run(void **state)
{
	(void)state;
	fake.noise = 0.5; /* runs take 0.015, 0.005, 0.015, ... s */
	fake.mean_counter = true;
	runner.timing.min_time.iterations = 2;
	run_all(0);
	for (int i = 0; i < plan.count; i++)
		assert_true(fabs(counter(&plan.cases[i].rows[0], "told_seconds") - 0.01) < 1e-12);
}

static void rows_have_the_energy_that_is_known(void **state)
{
	const struct energy_reading all = { .gpu_known = true,
					    .gpu_joules = 300,
					    .cpu_known = true,
					    .cpu_joules = 60,
					    .clock_known = true,
					    .sm_clock_mhz = 900,
					    .sm_clock_max_mhz = 1980,
					    .throttle = 4 };
	const struct energy_reading none = { .gpu_joules = 300, .cpu_joules = 60 };
	struct bench_row row = { .iterations = 3 };

	(void)state;
	bench_row_energy(&row, &all, true);
	assert_true(counter(&row, "joules") == 100);
	assert_true(counter(&row, "cpu_joules") == 20);
	assert_true(counter(&row, "sm_clock_mhz") == 900);
	assert_true(counter(&row, "sm_clock_low") == 1);
	assert_true(counter(&row, "throttle_reasons") == 4);
	row = (struct bench_row){ .iterations = 3 };
	bench_row_energy(&row, &all, false);
	assert_true(counter(&row, "joules") == 20);
	assert_int_equal(row.counters.count, 1);
	row = (struct bench_row){ .iterations = 3 };
	bench_row_energy(&row, &none, true);
	assert_int_equal(row.counters.count, 0);
}

static void rows_have_the_peak_memory_of_their_case(void **state)
{
	const size_t most = 64 << 20;
	bool restarts = host_memory_restart();

	(void)state;
	assert_int_equal(dev_set_open(&setting.devices, "sim", 2, NULL), 0);
	fake.memory = most;
	runner.repetitions = 2;
	run_all(0);
	for (int i = 0; i < plan.count; i++) {
		for (int k = 0; k < 2; k++) {
			const struct bench_row *row = &plan.cases[i].rows[k];

			assert_true(counter(row, "device_memory_peak") == (double)(most >> 2 * i));
			assert_true(counter(row, "host_memory_peak") > (double)(most >> 2 * i));
		}
	}
	if (restarts && !SANITIZED)
		assert_true(counter(&plan.cases[2].rows[1], "host_memory_peak") <
			    counter(&plan.cases[0].rows[0], "host_memory_peak") - (double)most / 2);
	dev_set_close(&setting.devices);
}

static void too_many_counters_are_refused(void **state)
{
	struct bench_counters s = { 0 };
	char name[16];
	struct err e;

	(void)state;
	for (int i = 0; i < BENCH_COUNTERS; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		assert_int_equal(bench_counters_set(&s, name, i, 0, &e), 0);
	}
	assert_int_equal(bench_counters_set(&s, "more", 0, 0, &e), ERR_FAILED);
	assert_int_equal(bench_counters_set(&s, "", 0, 0, &e), ERR_FAILED);
}

static void predictions_follow_the_timing_rules(void **state)
{
	(void)state;
	runner.repetitions = 4;
	runner.timing.min_time.iterations = 3;
	assert_true(fabs(bench_predict(&runner, &plan.cases[0]) - 6) < 1e-9);
	runner.timing.min_time = (struct bench_min_time){ .seconds = 0.1 };
	assert_true(fabs(bench_predict(&runner, &plan.cases[0]) - 2) < 1e-9);
	for (int i = 0; i < BENCH_SCALES; i++) /* the benchmark's own, unless one is given */
		fake_bench.min_time[i] = 1;
	assert_true(fabs(bench_predict(&runner, &plan.cases[0]) - 2) < 1e-9);
	runner.timing.min_time.is_default = true;
	assert_true(fabs(bench_predict(&runner, &plan.cases[0]) - 1.4 * (1.3 + 3)) < 1e-9);
	fake_bench.estimate = NULL;
	assert_true(bench_predict(&runner, &plan.cases[0]) < 0);
	fake_bench.uses_device = always; /* no device is open */
	assert_true(bench_predict(&runner, &plan.cases[0]) == 0);
}

/* ---- shards ---- */

enum { SHARD_CASES = 23 };
static double random_seconds[SHARD_CASES];
static const struct bench_axis many[] = { BENCH_AXIS_INT("i",
							 BENCH_INTS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
								    10, 11, 12, 13, 14, 15, 16, 17,
								    18, 19, 20, 21, 22),
							 BENCH_SAME, BENCH_SAME),
					  BENCH_AXIS_END };

static double random_estimate(const struct bench_case *c)
{
	return random_seconds[bench_int(c, "i")];
}

/* For random times, also equal and unknown ones: every case is in exactly one shard, in the order
 * of the plan, and no shard is longer than the shortest by more than its longest case. Cases of no
 * time are dealt evenly by number, those of unknown time as well. */
static void shards_have_every_case_once(void **state)
{
	const struct bench *one[] = { &fake_bench };
	struct bench_selection s = { .scale = BENCH_QUICK };

	(void)state;
	bench_plan_destroy(&plan);
	fake_bench.axes = many;
	fake_bench.estimate = random_estimate;
	srand(7);
	for (int round = 0; round < 200; round++) {
		int count = 1 + rand() % 30, seen[SHARD_CASES] = { 0 }, most = 0,
		    fewest = SHARD_CASES;
		int most_alike[2] = { 0 }, fewest_alike[2] = { SHARD_CASES, SHARD_CASES };
		double shortest = INFINITY, excess = 0;

		for (int i = 0; i < SHARD_CASES; i++)
			random_seconds[i] = round % 4 == 0 ? 1 : rand() % 20 - 2;
		for (int k = 1; k <= count; k++) {
			double seconds = 0, longest = 0;
			int last = -1, alike[2] = { 0 };

			assert_int_equal(bench_plan_create(&plan, one, 1, &s, &setting, NULL), 0);
			assert_int_equal(bench_keep_shard(&runner, &plan,
							  (struct bench_shard){ k, count }, NULL),
					 0);
			for (int i = 0; i < plan.count; i++) {
				int at = (int)bench_int(&plan.cases[i], "i");

				assert_true(at > last);
				last = at;
				seen[at]++;
				seconds += fmax(0, random_seconds[at]);
				longest = fmax(longest, random_seconds[at]);
				if (random_seconds[at] <= 0)
					alike[random_seconds[at] < 0]++;
			}
			for (int a = 0; a < 2; a++) {
				most_alike[a] = alike[a] > most_alike[a] ? alike[a] : most_alike[a];
				fewest_alike[a] =
					alike[a] < fewest_alike[a] ? alike[a] : fewest_alike[a];
			}
			most = plan.count > most ? plan.count : most;
			fewest = plan.count < fewest ? plan.count : fewest;
			shortest = fmin(shortest, seconds);
			excess = fmax(excess, seconds - longest);
			bench_plan_destroy(&plan);
		}
		for (int i = 0; i < SHARD_CASES; i++)
			assert_int_equal(seen[i], 1);
		assert_true(excess <= shortest);
		for (int a = 0; a < 2; a++)
			assert_true(most_alike[a] - fewest_alike[a] <= 1);
		if (round % 4 == 0)
			assert_true(most - fewest <= 1);
	}
}

/* ---- journal ---- */

static void reopen(struct journal **j, const char *path)
{
	struct err e;

	journal_close(*j);
	assert_int_equal(journal_open(j, path, true, &e), 0);
}

static void the_journal_returns_the_rows_it_was_given(void **state)
{
	char path[] = "/tmp/copra-bench-XXXXXX";
	int fd = mkstemp(path);
	struct journal *j = NULL;
	int foreign;
	struct bench_row kept;
	struct err e;

	assert_true(fd >= 0);
	close(fd);
	reopen(&j, path);
	runner.repetitions = 2;
	fake.counter = "cells_done";
	fake.counter_value = 1.0 / 3;
	fake.noise = 0.1;
	run_all(0);
	kept = plan.cases[0].rows[1];
	assert_int_equal(bench_journal_store(j, "me", &plan.cases[0], &e), 0);
	assert_int_equal(bench_journal_store(j, "other", &plan.cases[1], &e), 0);
	reopen(&j, path);
	end(state);
	start(state);
	assert_int_equal(bench_journal_load(j, "me", &plan, &foreign, &e), 0);
	assert_int_equal(plan.cases[0].outcome, BENCH_DONE);
	assert_true(plan.cases[0].from_journal);
	assert_int_equal(plan.cases[0].row_count, 2);
	assert_true(plan.cases[0].rows[1].real_seconds == kept.real_seconds);
	assert_true(plan.cases[0].rows[1].cpu_seconds == kept.cpu_seconds);
	assert_int_equal(plan.cases[0].rows[1].repetitions, 2);
	assert_string_equal(plan.cases[0].rows[1].label, kept.label);
	assert_int_equal(plan.cases[0].rows[1].counters.count, kept.counters.count);
	assert_true(counter(&plan.cases[0].rows[1], "cells_done") == 1.0 / 3);
	assert_true(counter(&plan.cases[0].rows[1], "cells_per_second") ==
		    counter(&kept, "cells_per_second"));
	assert_int_equal(plan.cases[1].outcome, BENCH_PENDING);
	run_all(0); /* only the two other cases */
	assert_int_equal(fake.runs, 2);
	assert_int_equal(finished_cases, 3);
	journal_close(j);
	unlink(path);
}

static void the_journal_continues_an_unfinished_case(void **state)
{
	static const char lines[] =
		"{\"identity\":\"me\",\"case\":\"t/fake/i:0/manual_time\",\"repetition\":0,"
		"\"threads\":1,\"iterations\":1,\"real_seconds\":1.0,\"cpu_seconds\":1.0}\n"
		"not json\n"
		"{\"identity\":\"me\",\"case\":\"t/fake/i:1/manual_time\",\"complete\":2}\n"
		"{\"identity\":\"me\",\"case\":\"t/fake/i:2/manual_time\",\"repetition\":0,"
		"\"threads\":1,\"iterations\":1,\"real_seconds\":1.0,\"cpu_seconds\":1.0}\n"
		"{\"identity\":\"me\",\"case\":\"t/fake/i:2/manual_time\",\"complete\":1}\n"
		"{\"identity\":\"me\",\"case\":\"no/such/case\",\"complete\":1}\n";
	char path[] = "/tmp/copra-bench-XXXXXX";
	int fd = mkstemp(path);
	struct journal *j = NULL;
	int foreign;
	struct err e;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	reopen(&j, path);
	assert_int_equal(journal_append(j, lines, sizeof(lines) - 1, &e), 0);
	reopen(&j, path);
	assert_int_equal(bench_journal_load(j, "me", &plan, &foreign, &e), 0);
	assert_int_equal(plan.cases[0].outcome, BENCH_PENDING);
	assert_int_equal(plan.cases[0].row_count, 1);
	assert_int_equal(plan.cases[1].outcome, BENCH_PENDING);
	assert_int_equal(plan.cases[1].row_count, 0);
	assert_int_equal(plan.cases[2].outcome, BENCH_DONE);
	assert_int_equal(plan.cases[2].row_count, 1);
	runner.repetitions =
		3; /* the first case continues from its row with 2 + 3 more; the third is done */
	run_all(0);
	assert_int_equal(fake.runs, 5);
	assert_int_equal(plan.cases[0].row_count, 3);
	assert_true(plan.cases[0].rows[0].real_seconds == 1);
	assert_int_equal(plan.cases[0].rows[0].repetitions, 3);
	journal_close(j);
	unlink(path);
}

/* Rows that are stored one by one are complete; a kill after the last one loses nothing. */
static int store_each(void *ctx, struct bench_case *c, struct err *e)
{
	return bench_journal_store(ctx, "me", c, e);
}

static void rows_are_stored_between_repetitions(void **state)
{
	char path[] = "/tmp/copra-bench-XXXXXX";
	int fd = mkstemp(path);
	struct journal *j = NULL;
	int foreign;
	struct err e;

	assert_true(fd >= 0);
	close(fd);
	reopen(&j, path);
	runner.repetitions = 3;
	runner.measured = store_each;
	runner.ctx = j;
	fake.noise = 0.1;
	run_all(0);
	assert_int_equal(plan.cases[0].stored, 2);
	plan.cases[0].outcome = BENCH_PENDING; /* as if killed before `finished` */
	assert_int_equal(bench_journal_store(j, "me", &plan.cases[0], &e), 0);
	assert_int_equal(bench_journal_store(j, "me", &plan.cases[1], &e), 0);
	/* the third case failed after two rows were stored */
	plan.cases[2].outcome = BENCH_FAILED;
	plan.cases[2].row_count = 0;
	assert_int_equal(bench_journal_store(j, "me", &plan.cases[2], &e), 0);
	assert_int_equal(plan.cases[2].stored, 0);
	reopen(&j, path);
	end(state);
	start(state);
	assert_int_equal(bench_journal_load(j, "me", &plan, &foreign, &e), 0);
	assert_int_equal(plan.cases[0].outcome, BENCH_PENDING);
	assert_int_equal(plan.cases[0].row_count, 3);
	assert_int_equal(plan.cases[1].outcome, BENCH_DONE);
	assert_int_equal(plan.cases[2].outcome, BENCH_PENDING);
	assert_int_equal(plan.cases[2].row_count, 0);
	runner.repetitions = 3;
	run_all(0);
	assert_int_equal(fake.runs, 3); /* only the third case was run, from its start */
	assert_int_equal(plan.cases[0].row_count, 3);
	assert_int_equal(finished_cases, 3);
	journal_close(j);
	unlink(path);
}

/* Half a second is predicted for each case. The clock is real, but the prediction decides. */
static void no_case_starts_that_would_miss_the_deadline(void **state)
{
	(void)state;
	runner.deadline = clock_wall() + 0.4;
	run_all(ERR_LIMIT);
	assert_int_equal(fake.runs, 0);
	assert_int_equal(finished_cases, 0);
	runner.interleave = true;
	run_all(ERR_LIMIT);
	assert_int_equal(fake.runs, 0);
	runner.deadline = clock_wall() + 1000;
	run_all(0);
	assert_int_equal(finished_cases, 3);
}

static void identities_depend_on_machine_and_parameters(void **state)
{
	char a[20], b[20], c[20], d[20];
	struct err e;

	(void)state;
	assert_int_equal(bench_identity(a, "machine", "parameters", &e), 0);
	assert_int_equal(bench_identity(b, "machine", "parameters", &e), 0);
	assert_int_equal(bench_identity(c, "machine", "others", &e), 0);
	assert_int_equal(bench_identity(d, "another", "parameters", &e), 0);
	assert_string_equal(a, b);
	assert_string_not_equal(a, c);
	assert_string_not_equal(a, d);
}

#define FRESH(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(given_iterations_are_run_exactly),
		FRESH(iterations_grow_to_the_minimum_time),
		FRESH(demands_give_counters_and_the_lower_bound),
		FRESH(demands_are_reported_without_peak_rates),
		FRESH(unknown_demands_have_no_counter),
		FRESH(two_kinds_of_operations_share_a_row),
		FRESH(a_part_of_the_work_only_gives_the_bound),
		FRESH(untimed_cost_bounds_the_iterations),
		FRESH(long_iterations_run_once),
		FRESH(a_dry_run_runs_each_case_once),
		FRESH(warm_up_runs_before_the_first_repetition_only),
		FRESH(repetitions_default_to_the_benchmark),
		FRESH(a_wrong_answer_leaves_no_row),
		FRESH(unsupported_cases_are_skipped_with_their_reason),
		FRESH(a_failed_setup_fails_the_case),
		FRESH(a_missing_manual_time_fails_the_case),
		FRESH(a_time_of_zero_fails_the_case),
		FRESH(a_time_of_nan_fails_the_case),
		FRESH(a_counter_of_nan_fails_the_case),
		FRESH(a_counter_named_like_a_field_fails_the_case),
		FRESH(a_counter_with_an_invalid_name_fails_the_case),
		FRESH(simulated_cases_are_checked_and_skipped),
		FRESH(rows_of_amd_gpus_say_what_they_leave_out),
		FRESH(rows_of_cores_say_nothing_about_amd_gpus),
		FRESH(a_wrong_simulated_answer_fails_the_case),
		FRESH(interleaving_keeps_the_number_of_repetitions),
		FRESH(a_stopped_run_keeps_finished_cases),
		FRESH(precision_decides_the_number_of_repetitions),
		FRESH(the_journal_returns_the_rows_it_was_given),
		FRESH(the_journal_continues_an_unfinished_case),
		FRESH(rows_are_stored_between_repetitions),
		FRESH(no_case_starts_that_would_miss_the_deadline),
		FRESH(predictions_follow_the_timing_rules),
		cmocka_unit_test(counter_flags_are_applied),
		FRESH(mean_counters_average_over_the_iterations_of_a_run),
		cmocka_unit_test(mean_counters_average_over_a_repetition),
		FRESH(rows_have_the_peak_memory_of_their_case),
		cmocka_unit_test(rows_have_the_energy_that_is_known),
		cmocka_unit_test(too_many_counters_are_refused),
		cmocka_unit_test_setup_teardown(shards_have_every_case_once, start, end),
		cmocka_unit_test(identities_depend_on_machine_and_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
