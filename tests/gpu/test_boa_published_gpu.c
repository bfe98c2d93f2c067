/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of gBOA on a CUDA device, on each rung of its ladder, equal those of the host bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/gboa/rungs.h"
#include "tests/unit/gboa/boa_replay.h"
#include "tests/gpu/cuda_devices.h"

static void published_runs_match_the_host(void **state)
{
	/* With 4,000 variables, shared memory does not hold all candidates at once. */
	static const struct {
		const char *n;
		int32_t population, selected, k, generations;
		int threads;
		double share;
		struct boa_form form;
	} c[] = {
		{ "30", 640, 320, 3, 10, 0, 0, { 0 } },
		{ "60", 4800, 2400, 3, 6, 0, 0, { 0 } },
		{ "60", 4800, 2400, 3, 6, 0, 0, { .groups = true } },
		{ "60", 4800, 2400, 3, 6, 0, 0, { .words = true } },
		{ "60", 4800, 2400, 6, 2, 32, 0, { .host_words = true, .cores = true } },
		{ "100", 1024, 480, 4, 3, 1024, 0.3, { 0 } },
		{ "100", 64, 32, 0, 3, 64, 0, { 0 } },
		{ "4000", 64, 32, 3, 1, 256, 0, { 0 } },
		{ "4000", 64, 32, 3, 1, 256, 0, { .groups = true } },
		{ "4000", 64, 32, 3, 1, 256, 0, { .words = true } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct boa_options o;
		struct landscape l;
		struct err e;

		if (landscape_load(&l, "trap5", c[i].n, &e))
			fail_msg("%s", e.text);
		boa_defaults(&o);
		o.population = c[i].population;
		o.selected = c[i].selected;
		o.max_parents = c[i].k;
		o.generations = c[i].generations;
		struct boa_setup s = { .landscape = &l,
				       .options = &o,
				       .threads = 4,
				       .devices = &devices,
				       .block_threads = c[i].threads,
				       .host_share = c[i].share,
				       .form = c[i].form };

		s.variant = SOLVE_CPU;
		struct kept_runs host = keep_good_runs(&s, 2);

		s.variant = SOLVE_PUBLISHED;
		struct kept_runs published = keep_good_runs(&s, 2);

		printf("%s variables: %.3f ms a generation\n", c[i].n,
		       published.times.total * 1e3 / (2 * c[i].generations));
		assert_same_runs(&host, &published, l.n);
		free_runs(&host);
		free_runs(&published);
		landscape_free(&l);
	}
}

static void every_rung_makes_the_runs_of_the_host(void **state)
{
	static const char *const sizes[] = { "35", "100", "400" };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct landscape l;
		struct boa_options o;
		struct err e;

		if (landscape_load(&l, "trap5", sizes[i], &e))
			fail_msg("%s", e.text);
		boa_defaults(&o);
		o.generations = 5;
		struct boa_setup s = {
			.landscape = &l, .options = &o, .threads = 4, .devices = &devices
		};

		s.variant = SOLVE_CPU;
		struct kept_runs host = keep_good_runs(&s, 2);

		for (const struct solve_rung *r = boa_rungs; r->name; r++) {
			struct boa_setup own = s;

			boa_rung_apply(r, &own);
			struct kept_runs k = keep_good_runs(&own, 2);

			assert_same_runs(&host, &k, l.n);
			free_runs(&k);
		}
		free_runs(&host);
		landscape_free(&l);
	}
}

static void every_step_follows_its_definition(void **state)
{
	struct landscape l;
	struct err e;

	(void)state;
	if (landscape_load(&l, "trap3", "15", &e))
		fail_msg("%s", e.text);
	for (int k = 1; k <= 4; k++) {
		struct boa_options o;

		boa_defaults(&o);
		o.population = 192;
		o.selected = 96;
		o.max_parents = k;
		o.generations = 3;
		o.replacement = k & 1 ? BOA_REPLACE_ALL : BOA_REPLACE_WORST;
		run_by_definition((struct boa_setup){ .landscape = &l,
						      .options = &o,
						      .variant = SOLVE_PUBLISHED,
						      .threads = 1,
						      .devices = &devices });
	}
	landscape_free(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_runs_match_the_host),
		cmocka_unit_test(every_rung_makes_the_runs_of_the_host),
		cmocka_unit_test(every_step_follows_its_definition),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
