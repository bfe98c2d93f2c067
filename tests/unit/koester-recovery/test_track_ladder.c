/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Every rung of the ladder rebuilds the same states, byte by byte, as the oracle of the synthetic
 * model, with the same numbers of steps, on one and on several simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/ladder.h"
#include "algorithms/koester-recovery/problems/verify.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/koester-recovery/track_ok.h"

enum { STATES = 150, LAYERS = 4, BYTES = 1024 + 64 };

struct seen {
	unsigned char states[(size_t)STATES * BYTES];
	uint64_t replayed, executions, assignments; /* by the recovery */
};

static void run_rung(const struct solve_rung *r, const struct track_places *places,
		     struct track_synthetic_setup s, struct seen *seen)
{
	struct track_node targets[STATES];
	struct track_synthetic_run run;
	struct track_figures before, after;

	track_rung_apply(r, &s);
	OK(track_synthetic_run_open(&run, &s, places, &e));
	OK(track_synthetic_run_iterate(&run, LAYERS, &e));
	for (uint32_t i = 0; i < STATES; i++)
		targets[i] = (struct track_node){ LAYERS - 1, i * 7 % STATES };
	track_figures(run.tracker, &before);
	OK(track_recover(run.tracker, targets, STATES, seen->states, &e));
	track_figures(run.tracker, &after);
	seen->replayed = after.replayed - before.replayed;
	seen->executions = after.executions - before.executions;
	seen->assignments = after.assignments - before.assignments;
	OK(track_synthetic_verify_states(&run, targets, STATES, seen->states, &e));
	track_synthetic_run_close(&run);
}

/* Returns the number of rungs. */
static int check_rungs(const struct track_places *places, const struct track_synthetic_setup *s)
{
	struct seen *literal = malloc(sizeof(*literal)), *seen = malloc(sizeof(*seen));
	int rungs = 0;

	assert_true(literal && seen);
	for (const struct solve_rung *r = track_rungs; r->name; r++, rungs++) {
		run_rung(r, places, *s, rungs ? seen : literal);
		if (!rungs)
			continue;
		if (memcmp(seen->states, literal->states, sizeof(seen->states)) != 0)
			fail_msg("%s: the states differ from those of literal", r->name);
		assert_int_equal(seen->replayed, literal->replayed);
		assert_int_equal(seen->executions, literal->executions);
		assert_int_equal(seen->assignments, literal->assignments);
	}
	assert_int_equal(literal->replayed, STATES * (LAYERS - 1));
	assert_int_equal(literal->executions, STATES * (LAYERS - 1));
	assert_int_equal(literal->assignments, STATES * (LAYERS - 1));
	free(literal);
	free(seen);
	return rungs;
}

static void rungs_rebuild_the_same_states(void **state)
{
	static const char *const schedules[] = { "order", "random", "reverse" };

	(void)state;
	for (int gpus = 1; gpus <= 3; gpus++) {
		struct track_synthetic_setup s = track_synthetic_setup_default();
		struct dev_set set;
		struct track_places places;

		s.states = s.beam = STATES;
		s.inputs = (uint32_t)gpus; /* also more inputs than one */
		s.model.load = 2;
		s.model.state_bytes = BYTES;
		s.archive.cache = false;
		s.seed = (uint64_t)gpus;
		open_devices(&set, gpus, schedules[gpus - 1], gpus);
		OK(track_places_open(&places, &set, gpus, false, 2, 0, &e));
		assert_int_equal(check_rungs(&places, &s), 8);
		track_places_close(&places);
		dev_set_close(&set);
	}
}

/* Each rung differs from the one before it in one setting. */
static void rungs_add_one_idea_each(void **state)
{
	struct track_synthetic_setup before = track_synthetic_setup_default(), s = before;

	(void)state;
	track_rung_apply(&track_rungs[0], &before);
	assert_string_equal(track_rungs[0].name, "literal");
	assert_int_equal(before.engine, TRACK_PUBLISHED);
	for (const struct solve_rung *r = track_rungs + 1; r->name; r++, before = s) {
		track_rung_apply(r, &s);
		assert_int_equal((s.engine != before.engine) + (s.plans != before.plans) +
					 (s.model.form != before.model.form),
				 1);
	}
	assert_int_equal(s.engine, TRACK_TUNED);
	assert_int_equal(s.model.form, TRACK_SYNTHETIC_TUNED);
	assert_false(s.plans);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rungs_rebuild_the_same_states),
		cmocka_unit_test(rungs_add_one_idea_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
