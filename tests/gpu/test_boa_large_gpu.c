/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of the large engine on one CUDA device and on all of them, also with other divisions of the
 * work, equal those of the host bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_replay.h"
#include "tests/gpu/cuda_devices.h"

struct task {
	const char *problem, *instance;
	int32_t population, selected, k, generations;
	enum boa_replacement replacement;
};

static void compare(const struct task *c)
{
	struct boa_options o;
	struct landscape l;
	struct err e;

	if (landscape_load(&l, c->problem, c->instance, &e))
		fail_msg("%s", e.text);
	boa_defaults(&o);
	o.population = c->population;
	o.selected = c->selected;
	o.max_parents = c->k;
	o.generations = c->generations;
	o.replacement = c->replacement;
	struct boa_setup s = { .landscape = &l, .options = &o, .variant = SOLVE_CPU, .threads = 4 };
	struct kept_runs host = keep_good_runs(&s, 1);

	s.variant = SOLVE_TUNED;
	s.engine = BOA_LARGE;
	s.devices = &devices;
	for (s.gpus = 1; s.gpus <= devices.count; s.gpus *= 2) {
		struct kept_runs large = keep_good_runs(&s, 1);

		printf("%s, %d individuals, %d devices: %.3f ms a generation\n", l.name,
		       c->population, s.gpus, large.times.total * 1e3 / c->generations);
		assert_same_runs(&host, &large, l.n);
		free_runs(&large);
	}
	s.gpus = devices.count;
	for (s.count_shares = 3; s.count_shares > 0; s.count_shares -= 2) {
		struct kept_runs large = keep_good_runs(&s, 1);

		assert_same_runs(&host, &large, l.n);
		free_runs(&large);
		s.gather_all = true;
	}
	free_runs(&host);
	landscape_free(&l);
}

static void large_runs_match_the_host(void **state)
{
	static const struct task tasks[] = {
		{ "trap5", "150", 512, 256, 3, 5, BOA_REPLACE_WORST },
		{ "trap5", "1000", 4800, 2400, 3, 2, BOA_REPLACE_WORST },
		{ "trap4", "200", 2048, 1024, 4, 3, BOA_REPLACE_ALL },
		{ "onemax", "300", 1024, 512, 6, 2, BOA_REPLACE_WORST },
		{ "onemax", "500", 320, 32, 0, 2, BOA_REPLACE_WORST },
		{ "onemax", "1", 128, 64, 3, 2, BOA_REPLACE_WORST },
		{ "nk", "40:3:1", 1024, 512, 2, 4, BOA_REPLACE_ALL },
		{ "trap5", "2000", 20032, 10016, 3, 1, BOA_REPLACE_WORST },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tasks) / sizeof(*tasks); i++)
		compare(&tasks[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_runs_match_the_host),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
