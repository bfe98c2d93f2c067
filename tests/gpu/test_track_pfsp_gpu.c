/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of flowshop beam search on a CUDA device: children rated from their parent match children
 * made on the host, and a search matches the same search on the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/pfsp_checks.h"
#include "tests/gpu/cuda_devices.h"

static void rated_children_match_made_ones(void **state)
{
	static const char *const names[] = { "ta021",
					     "ta051",
					     "ta081",
					     "ta101",
					     "ta111",
					     "random:33x2:50:3",
					     "random:65x5:1:5",
					     "random:8x5:3000000:6",
					     "random:999x100:9:1" };
	struct track_place host, p;

	(void)state;
	OK(track_place_open(&host, NULL, NULL, 0, &e));
	OK(track_place_open(&p, devices.dev[0], NULL, 0, &e));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (int g = TRACK_PFSP_BOUND; g <= TRACK_PFSP_GAP; g++) {
			uint32_t count = i < 2 ? 3001 : i < 4 ? 301 : 21;

			pfsp_check_children_of(names[i], (enum track_pfsp_guide)g,
					       TRACK_PFSP_FORWARD, count, &p, &host);
			pfsp_check_children_of(names[i], (enum track_pfsp_guide)g,
					       TRACK_PFSP_BOTH_ENDS, count, &p, &host);
		}
	assert_int_equal(p.used, 0);
	track_place_close(&p);
	track_place_close(&host);
}

static struct track_outcome searched(struct track_place *p, const struct flowshop *f,
				     enum track_recovery recovery)
{
	struct track_pfsp_options o = { TRACK_PFSP_BOUND_AND_IDLE, TRACK_PFSP_BOTH_ENDS };
	struct track_request r = {
		.engine = TRACK_TUNED,
		.places = &p,
		.place_count = 1,
		.beam = 3000,
		.fill_rate = 0.5,
		.rounds = 3,
		.archive = { .recovery = recovery, .cache = true, .distance = 8, .adapt = 2 }
	};
	struct track_outcome out;

	OK(track_pfsp_search(f, &o, &r, &out, &e));
	assert_int_equal(flowshop_makespan(f, out.solution), out.objective);
	return out;
}

static void search_matches_the_host(void **state)
{
	static const enum track_recovery rules[] = { TRACK_RECOVERY_REPLAY, TRACK_RECOVERY_GPU,
						     TRACK_RECOVERY_PINNED,
						     TRACK_RECOVERY_CHECKPOINT };
	struct flowshop f = pfsp_loaded("ta051");
	struct track_place host, p;
	struct track_outcome on_host;

	(void)state;
	OK(track_place_open(&host, NULL, NULL, 0, &e));
	OK(track_place_open(&p, devices.dev[0], NULL, 0, &e));
	on_host = searched(&host, &f, TRACK_RECOVERY_REPLAY);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		struct track_outcome o = searched(&p, &f, rules[i]);

		assert_int_equal(o.objective, on_host.objective);
		assert_memory_equal(o.solution, on_host.solution,
				    (size_t)f.jobs * sizeof(*o.solution));
		assert_int_equal(o.figures.children, on_host.figures.children);
		free(o.solution);
	}
	free(on_host.solution);
	assert_int_equal(p.used, 0);
	track_place_close(&p);
	track_place_close(&host);
	flowshop_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rated_children_match_made_ones),
		cmocka_unit_test(search_matches_the_host),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
