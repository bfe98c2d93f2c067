/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of hierarchical BOA on a CUDA device equal those of the host bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/gboa/hboa_runs.h"
#include "tests/gpu/cuda_devices.h"

static void device_runs_match_the_host(void **state)
{
	/* In the last cases the masks do not fit into shared memory, and there are more runs than
	 * blocks that can wait for one another. */
	static const struct {
		const char *problem, *instance;
		int32_t population, generations, window;
		int runs;
		bool merges, all;
	} c[] = {
		{ "trap5", "30", 640, 30, 0, 3, true, false },
		{ "htrap", "81", 1600, 20, 0, 2, true, false },
		{ "overlap3", "71", 1600, 10, 0, 5, false, true },
		{ "trap5", "60", 4800, 10, 1000, 1, true, false },
		{ "trap5", "500", 1024, 3, 0, 1, true, false },
		{ "trap5", "60", 32768, 3, 0, 1, true, false },
		{ "onemax", "12", 64, 60, 0, 8, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct hboa_problem p = hboa_problem(c[i].problem, c[i].instance, c[i].population);
		struct boa_setup s = hboa_setup(&p, SOLVE_CPU, 4, &devices);
		struct hboa_outcome host, device;

		p.options.generations = c[i].generations;
		p.options.window = c[i].window;
		p.options.merges = c[i].merges;
		p.options.stop_converged = true;
		if (c[i].all)
			p.options.replacement = BOA_REPLACE_ALL;
		hboa_go(&host, &s, c[i].runs);
		s.variant = SOLVE_TUNED;
		hboa_go(&device, &s, c[i].runs);
		if (host.status || device.status)
			fail_msg("%s%s", host.error.text, device.error.text);
		hboa_check(&p, &device);
		hboa_expect_same(&p, &host, &device);
		hboa_outcome_free(&host);
		hboa_outcome_free(&device);
		landscape_free(&p.landscape);
	}
}

/* Many concurrent runs find the same strings as the host, in the same number of generations. */
static void many_runs_match_the_host(void **state)
{
	enum { RUNS = 300, FEW = HBOA_RUNS_MAX };
	struct hboa_problem p = hboa_problem("trap5", "30", 1600);
	struct boa_setup s = hboa_setup(&p, SOLVE_TUNED, 4, &devices);
	struct boa_run run[RUNS] = { { 0 } };
	struct hboa_outcome host;
	struct boa_times times;
	struct err e = { 0 };
	int optima = 0;

	(void)state;
	for (int r = 0; r < RUNS; r++)
		run[r].bits = malloc(30);
	if (boa_run(&s, run, RUNS, &times, &e))
		fail_msg("%s", e.text);
	s.variant = SOLVE_CPU;
	hboa_go(&host, &s, FEW);
	for (int r = 0; r < RUNS; r++) {
		optima += run[r].optimum;
		assert_int_equal(landscape_evaluate(&p.landscape, run[r].bits), run[r].best);
		if (r < FEW) {
			assert_int_equal(run[r].generations, host.run[r].generations);
			assert_int_equal(run[r].edges, host.run[r].edges);
			assert_memory_equal(run[r].bits, host.run[r].bits, 30);
		}
		free(run[r].bits);
	}
	printf("%d of %d runs solved, %.0f runs/s\n", optima, RUNS, RUNS / times.total);
	assert_true(optima > RUNS * 9 / 10);
	hboa_outcome_free(&host);
	landscape_free(&p.landscape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_runs_match_the_host),
		cmocka_unit_test(many_runs_match_the_host),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
