/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of every way of recovery on the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/tracking/engine.h"
#include "tests/unit/koester-recovery/tracked_runs.h"

static void every_recovery_works_on_the_host(void **state)
{
	struct run_places w;

	(void)state;
	run_places_open(&w, 0, 2);
	for (int rule = 0; rule < TRACK_RECOVERIES; rule++)
		for (uint64_t seed = 1; seed <= 12; seed++)
			for (int engine = 0; engine < 2 && rule != TRACK_RECOVERY_PEER; engine++) {
				struct track_options o = run_options(
					(enum track_recovery)rule, (enum track_engine)engine, seed);

				run_search(&w, &o, 20);
			}
	run_places_close(&w);
}

static uint32_t kept_layers(const struct run *r)
{
	uint32_t kept = 0;

	for (uint32_t l = 0; l < 32; l++)
		kept |= (uint32_t)track_archive_has(r->t->place[0].archive, l) << l;
	return kept;
}

/* If steps are expensive, a recovery of a distant layer leaves a copy halfway. */
static void multistage_leaves_copies_halfway(void **state)
{
	struct track_options o = run_options(TRACK_RECOVERY_MULTISTAGE, TRACK_TUNED, 2);
	uint32_t before, after;
	static struct run r;
	struct run_places w;

	(void)state;
	o.archive.budget[TRACK_TIER_DEVICE] = 900;
	o.archive.budget[TRACK_TIER_PINNED] = o.archive.budget[TRACK_TIER_PAGEABLE] = 1;
	run_places_open(&w, 0, 1);
	run_begin(&r, &w, &run_search_domain, &o, true, 2);
	for (int i = 0; i < 20; i++)
		run_iterate(&r, false);
	before = after = kept_layers(&r);
	for (int i = 0; i < 200 && after == before; i++) {
		track_archive_learn_step(r.t->place[0].archive, 1, 1);
		run_recover(&r, 3);
		after = kept_layers(&r);
	}
	assert_true(after & ~before);
	run_recover(&r, 40);
	run_end(&r);
	run_places_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recovery_works_on_the_host),
		cmocka_unit_test(multistage_leaves_copies_halfway),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
