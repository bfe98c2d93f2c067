/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of flowshop beam search on CUDA devices: children rated from their parent match children
 * made on the host, and searches match the same searches on the host. */
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

static struct track_outcome searched(struct track_place *const *places, int count,
				     const struct flowshop *f, uint32_t beam, uint32_t rounds,
				     enum track_recovery recovery)
{
	struct track_pfsp_options o = { TRACK_PFSP_BOUND_AND_IDLE, TRACK_PFSP_BOTH_ENDS };
	struct track_request r = {
		.engine = TRACK_TUNED,
		.places = places,
		.place_count = count,
		.beam = beam,
		.fill_rate = 0.5,
		.rounds = rounds,
		.archive = { .recovery = recovery, .cache = true, .distance = 8, .adapt = 2 }
	};
	struct track_outcome out;

	OK(track_pfsp_search(f, &o, &r, &out, &e));
	assert_int_equal(flowshop_makespan(f, out.solution), out.objective);
	return out;
}

static void assert_same_outcome(const struct flowshop *f, const struct track_outcome *x,
				const struct track_outcome *y)
{
	assert_int_equal(x->objective, y->objective);
	assert_memory_equal(x->solution, y->solution, (size_t)f->jobs * sizeof(*x->solution));
	assert_int_equal(x->figures.children, y->figures.children);
}

static void search_matches_the_host(void **state)
{
	static const enum track_recovery rules[] = { TRACK_RECOVERY_REPLAY, TRACK_RECOVERY_GPU,
						     TRACK_RECOVERY_PINNED,
						     TRACK_RECOVERY_CHECKPOINT };
	struct flowshop f = pfsp_loaded("ta051");
	struct track_place host, p, *at_host = &host, *at_p = &p;
	struct track_outcome on_host;

	(void)state;
	OK(track_place_open(&host, NULL, NULL, 0, &e));
	OK(track_place_open(&p, devices.dev[0], NULL, 0, &e));
	on_host = searched(&at_host, 1, &f, 3000, 3, TRACK_RECOVERY_REPLAY);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		struct track_outcome o = searched(&at_p, 1, &f, 3000, 3, rules[i]);

		assert_same_outcome(&f, &o, &on_host);
		free(o.solution);
	}
	free(on_host.solution);
	assert_int_equal(p.used, 0);
	track_place_close(&p);
	track_place_close(&host);
	flowshop_free(&f);
}

/* Wide enough for the second device, for layers in two parts on the first, and for entries that
 * another thread fills in. */
static void wide_searches_match_the_host(void **state)
{
	enum { BEAM = 400000, THREADS = 16 };
	struct flowshop f = pfsp_loaded("ta051");
	struct track_place host, place[DEV_MAX], *at_host = &host, *at[DEV_MAX];
	struct track_outcome on_host;
	struct team *team;

	(void)state;
	OK(team_create(&team, THREADS, &e));
	OK(track_place_open(&host, NULL, team, 0, &e));
	on_host = searched(&at_host, 1, &f, BEAM, 1, TRACK_RECOVERY_REPLAY);
	for (int count = 1; count <= devices.count; count++) {
		at[count - 1] = &place[count - 1];
		OK(track_place_open(at[count - 1], devices.dev[count - 1], team, 0, &e));
		struct track_outcome o = searched(at, count, &f, BEAM, 1, TRACK_RECOVERY_REPLAY);

		assert_same_outcome(&f, &o, &on_host);
		free(o.solution);
	}
	for (int i = 0; i < devices.count; i++) {
		assert_int_equal(place[i].used, 0);
		track_place_close(&place[i]);
	}
	free(on_host.solution);
	track_place_close(&host);
	team_destroy(team);
	flowshop_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rated_children_match_made_ones),
		cmocka_unit_test(search_matches_the_host),
		cmocka_unit_test(wide_searches_match_the_host),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
