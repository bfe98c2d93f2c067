/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A case on a real device: its row has the device's time, the energy and the clock of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/bench/runner.h"
#include "harness/base/clock.h"

enum { BYTES = 64 << 20 };

struct filling {
	struct dev *device;
	struct dev_event *before, *after;
	void *memory;
	unsigned char host[64];
};

static void fill_teardown(struct bench_case *c)
{
	struct filling *f = bench_data(c);

	dev_event_destroy(f->before);
	dev_event_destroy(f->after);
	dev_free(f->device, f->memory);
	free(f);
}

static int fill_setup(struct bench_case *c, struct err *e)
{
	struct filling *f;
	int status = bench_need_machine(c, 1, false, e);

	if (status)
		return status;
	f = bench_new_data(c, sizeof(*f), e);
	if (!f)
		return e->code;
	f->device = bench_setting(c)->devices.dev[0];
	status = dev_alloc(f->device, &f->memory, BYTES, e);
	if (status == 0)
		status = dev_event_create(f->device, &f->before, e);
	if (status == 0)
		status = dev_event_create(f->device, &f->after, e);
	if (status)
		fill_teardown(c);
	return status;
}

static int fill_run(struct bench_case *c, struct err *e)
{
	struct filling *f = bench_data(c);
	struct dev_stream *s = dev_default_stream(f->device);
	double start = clock_wall(), seconds;
	int status = dev_event_record(f->before, s, e);

	/* longer than the shortest region whose energy is known */
	while (status == 0 && clock_wall() - start < 2 * ENERGY_SHORTEST) {
		status = dev_fill(s, f->memory, 0x5a, BYTES, e);
		if (status == 0)
			status = dev_stream_sync(s, e);
	}
	if (status == 0)
		status = dev_event_record(f->after, s, e);
	if (status == 0)
		status = dev_event_elapsed(f->before, f->after, &seconds, e);
	if (status == 0)
		bench_set_seconds(c, seconds);
	return status;
}

static int fill_check(struct bench_case *c, struct err *e)
{
	struct filling *f = bench_data(c);
	struct dev_stream *s = dev_default_stream(f->device);
	int status = dev_copy_from(s, f->host, f->memory, sizeof(f->host), e);

	if (status == 0)
		status = dev_stream_sync(s, e);
	for (size_t i = 0; i < sizeof(f->host) && status == 0; i++)
		if (f->host[i] != 0x5a)
			status = err_set(e, ERR_FAILED, "byte %zu is %u", i, f->host[i]);
	return status;
}

static bool yes(const struct bench_case *c)
{
	(void)c;
	return true;
}

static const struct bench filling = {
	.name = "gpu/fill",
	.manual_time = true,
	.setup = fill_setup,
	.run = fill_run,
	.check = fill_check,
	.teardown = fill_teardown,
	.uses_device = yes,
};

static void test_row_of_a_device(void **state)
{
	const struct bench *one[] = { &filling };
	struct bench_selection selection = { 0 };
	struct bench_setting setting = { .threads = 1 };
	struct bench_plan plan;
	struct bench_runner runner = { .plan = &plan,
				       .repetitions = 2,
				       .timing.min_time = { .is_iterations = true,
							    .iterations = 1 } };
	const struct bench_counter_value *joules, *clock;
	struct err e;

	(void)state;
	if (dev_cuda_unavailable())
		skip();
	assert_int_equal(dev_set_open(&setting.devices, "cuda", 1, &e), 0);
	assert_int_equal(energy_create(&setting.device_meter, &setting.devices, &e), 0);
	assert_int_equal(bench_plan_create(&plan, one, 1, &selection, &setting, &e), 0);
	assert_int_equal(bench_run_plan(&runner, &e), 0);
	assert_string_equal(plan.cases[0].message, "");
	assert_int_equal(plan.cases[0].row_count, 2);
	joules = bench_counters_get(&plan.cases[0].rows[0].counters, "joules");
	clock = bench_counters_get(&plan.cases[0].rows[0].counters, "sm_clock_mhz");
	assert_true(joules && joules->value > 0);
	assert_true(clock && clock->value > 0);
	assert_true(plan.cases[0].rows[0].cpu_seconds > 0);
	bench_plan_destroy(&plan);
	energy_destroy(setting.device_meter);
	dev_set_close(&setting.devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_row_of_a_device) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
