/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the checks: every kind of wrong answer is refused, and correct answers are accepted.
 * Also tests the set-up of the synthetic model for `solve` and the experiments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/problems/verify.h"
#include "datasets/samegame/samegame.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"

/* ---- flowshop ---- */

static void wrong_schedules_are_found(void **state)
{
	int64_t order[] = { 0, 1, 2, 3, 4 };
	struct track_outcome o = { .found = true, .solution = order, .length = 5 };
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_load(&f, "random:5x3:9:4", &e), 0);
	o.objective = flowshop_makespan(&f, order);
	assert_int_equal(track_verify_pfsp(&f, &o, &e), 0);
	o.objective--;
	assert_int_equal(track_verify_pfsp(&f, &o, &e), ERR_FAILED);
	o.objective++;
	order[4] = 3;
	assert_int_equal(track_verify_pfsp(&f, &o, &e), ERR_FAILED);
	order[4] = 4;
	o.length = 4;
	assert_int_equal(track_verify_pfsp(&f, &o, &e), ERR_FAILED);
	o.length = 5;
	o.found = false;
	assert_int_equal(track_verify_pfsp(&f, &o, &e), ERR_FAILED);
	flowshop_free(&f);
}

/* ---- SameGame ---- */

static void wrong_games_are_found(void **state)
{
	struct samegame g = { .rows = 2, .columns = 2, .colours = 2, .cell = { 1, 2, 1, 2 } };
	int64_t moves[] = { 0, 0 };
	struct track_outcome o = {
		.found = true, .solution = moves, .length = 2, .objective = 1000
	};
	struct err e = { 0 };

	(void)state;
	assert_int_equal(track_verify_samegame(&g, &o, &e), 0);
	o.objective = 1001;
	assert_int_equal(track_verify_samegame(&g, &o, &e), ERR_FAILED);
	o.objective = 1000;
	o.length = 1; /* a group is left that could be removed */
	assert_int_equal(track_verify_samegame(&g, &o, &e), ERR_FAILED);
	o.length = 2;
	moves[1] = 3; /* this cell is already empty */
	assert_int_equal(track_verify_samegame(&g, &o, &e), ERR_FAILED);
	o.found = false;
	assert_int_equal(track_verify_samegame(&g, &o, &e), ERR_FAILED);
}

/* ---- bytes ---- */

static void different_states_are_found(void **state)
{
	static const struct track_node targets[] = { { 1, 7 }, { 3, 9 } };
	unsigned char a[2][8] = { { 1, 2, 3 }, { 4, 5, 6 } }, b[2][8];
	struct err e = { 0 };

	(void)state;
	memcpy(b, a, sizeof(b));
	assert_int_equal(track_verify_states(a, b, 2, 8, targets, &e), 0);
	b[1][5] ^= 1;
	assert_int_equal(track_verify_states(a, b, 2, 8, targets, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "state 9 of layer 3"));
	assert_non_null(strstr(e.text, "byte 5"));
}

/* ---- the synthetic model ---- */

static struct track_synthetic_setup small_setup(enum track_synthetic_schedule schedule,
						enum track_engine engine)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.states = 48;
	s.beam = 12;
	s.model.rows = 5;
	s.model.columns = 8;
	s.model.load = 3;
	s.model.state_bytes = 256;
	s.model.break_probability = 0.3;
	s.schedule = schedule;
	s.fill_rate = 0.5;
	s.engine = engine;
	return s;
}

/* devices NULL: on the host */
static void run_on(const struct dev_set *devices, struct track_synthetic_run *r,
		   struct track_places *places, const struct track_synthetic_setup *s)
{
	struct err e = { 0 };

	if (track_places_open(places, devices, devices ? devices->count : 0, false, 2, 0, &e) ||
	    track_synthetic_run_open(r, s, places, &e) || track_synthetic_run_iterate(r, 4, &e))
		fail_msg("%s", e.text);
}

static void run_on_host(struct track_synthetic_run *r, struct track_places *places,
			const struct track_synthetic_setup *s)
{
	run_on(NULL, r, places, s);
}

static void correct_runs_are_accepted(void **state)
{
	(void)state;
	for (int schedule = 0; schedule < TRACK_SYNTHETIC_SCHEDULES; schedule++) {
		for (int engine = TRACK_PUBLISHED; engine <= TRACK_TUNED; engine++) {
			struct track_synthetic_setup s = small_setup(
				(enum track_synthetic_schedule)schedule, (enum track_engine)engine);
			struct track_places places;
			struct track_synthetic_run r;
			struct err e = { 0 };

			run_on_host(&r, &places, &s);
			if (track_synthetic_verify_counts(&r, &e) ||
			    track_synthetic_verify(&r, 12, &e))
				fail_msg("schedule %d, engine %d: %s", (int)s.schedule, engine,
					 e.text);
			track_synthetic_run_close(&r);
			track_places_close(&places);
		}
	}
}

/* One device runs Algorithm 2 in one call, two devices line by line, as the host does. */
static void devices_run_as_the_host(void **state)
{
	enum { BEAM = 12, BYTES = 256 };
	static unsigned char want[BEAM * BYTES], got[BEAM * BYTES];
	struct dev_set set;

	(void)state;
	open_devices(&set, 2, "random", 4);
	for (int schedule = 0; schedule < TRACK_SYNTHETIC_SCHEDULES; schedule++) {
		bool together = schedule == TRACK_SYNTHETIC_TOGETHER;

		for (int fill = together ? 0 : 2; fill <= (together ? 4 : 2);
		     fill += UNDER_TSAN ? 2 : 1) {
			struct track_synthetic_setup s =
				small_setup((enum track_synthetic_schedule)schedule, TRACK_TUNED);
			struct track_places places, there;
			struct track_synthetic_run r, d;
			struct track_figures f, g;
			struct err e = { 0 };

			s.fill_rate = fill / 4.0;
			s.states = 48 + 13 * (uint32_t)fill;
			run_on_host(&r, &places, &s);
			track_figures(r.tracker, &f);
			for (int count = 1; count <= 2; count++) {
				struct dev_set some = set;

				some.count = count;
				run_on(&some, &d, &there, &s);
				track_figures(d.tracker, &g);
				assert_int_equal(g.executions, f.executions);
				assert_int_equal(g.assignments, f.assignments);
				assert_int_equal(g.breaks, f.breaks);
				assert_int_equal(track_count(d.tracker), BEAM);
				assert_int_equal(track_read(r.tracker, 0, BEAM, want, &e), 0);
				assert_int_equal(track_read(d.tracker, 0, BEAM, got, &e), 0);
				assert_memory_equal(got, want, sizeof(want));
				assert_int_equal(track_synthetic_verify(&d, BEAM, &e), 0);
				track_synthetic_run_close(&d);
				track_places_close(&there);
			}
			track_synthetic_run_close(&r);
			track_places_close(&places);
		}
	}
	dev_set_close(&set);
}

/* Checks a run with different settings than it was made with; the check must fail. */
static void refused_with(void (*change)(struct track_synthetic_setup *s))
{
	struct track_synthetic_setup s = small_setup(TRACK_SYNTHETIC_PRINTED, TRACK_TUNED);
	struct track_places places;
	struct track_synthetic_run r;
	struct err e = { 0 };

	run_on_host(&r, &places, &s);
	change(&r.setup);
	assert_true(track_synthetic_verify(&r, 12, &e) == ERR_FAILED ||
		    track_synthetic_verify_counts(&r, &e) == ERR_FAILED);
	track_synthetic_run_close(&r);
	track_places_close(&places);
}

static void another_seed(struct track_synthetic_setup *s)
{
	s->seed++;
}

static void another_load(struct track_synthetic_setup *s)
{
	s->model.load++;
}

static void other_matrices(struct track_synthetic_setup *s)
{
	s->model.seed++;
}

static void another_beam(struct track_synthetic_setup *s)
{
	s->beam--;
}

static void other_breaks(struct track_synthetic_setup *s)
{
	s->fill_rate = 0;
}

static void wrong_runs_are_found(void **state)
{
	(void)state;
	refused_with(another_seed);
	refused_with(another_load);
	refused_with(other_matrices);
	refused_with(another_beam);
	refused_with(other_breaks);
}

/* With P = 0.7, more than 60 % wait after one step; with 0.3, after three (0.3, 0.51, 0.66); 9 %
 * gives the 8, 2, 1 and 1 assignments of the printed times. */
static void breaks_of_many_states_match_simulation(void **state)
{
	static const struct {
		double q, fill;
		uint32_t breaks;
	} cases[] = {
		{ 0.7, 0.6, 8 }, { 0.7, 1, 1 },    { 0.7, 0.3, 8 },  { 0.3, 0.6, 3 }, { 0.3, 0, 8 },
		{ 0.09, 0, 8 },  { 0.09, 0.3, 2 }, { 0.09, 0.6, 1 }, { 0.09, 1, 1 },  { 0, 0, 1 },
	};
	struct track_synthetic_setup s = track_synthetic_setup_default();
	bool certain;

	(void)state;
	s.states = 65536;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s.model.break_probability = cases[i].q;
		s.fill_rate = cases[i].fill;
		assert_int_equal(track_synthetic_many_breaks(&s, 6, &certain), cases[i].breaks);
		assert_int_equal(certain, cases[i].q > 0);
	}
	s.model.break_probability = s.fill_rate = 0.3;
	track_synthetic_many_breaks(&s, 6, &certain);
	assert_false(certain);
}

static void printed_schedules_have_the_printed_breaks(void **state)
{
	static const int percent[] = { 0, 30, 60, 100 }, assignments[] = { 8, 2, 1, 1 };
	struct track_synthetic_setup s = track_synthetic_setup_default();

	(void)state;
	for (int i = 0; i < 4; i++) {
		s.fill_rate = percent[i] / 100.0;
		assert_int_equal(__builtin_popcount(track_synthetic_breaks(&s) | 128),
				 assignments[i]);
	}
	s.fill_rate = 0;
	s.look_ahead = 3;
	assert_int_equal(track_synthetic_breaks(&s) & ~7u, 0);
}

/* ---- places ---- */

static void missing_devices_are_refused(void **state)
{
	struct track_places p;
	struct dev_set none = { .count = 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(track_places_open(&p, &none, 1, false, 1, 0, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "needs 1 devices, 0 given"));
	assert_int_equal(track_places_open(&p, NULL, 0, true, 1, 0, &e), 0);
	assert_null(p.peer);
	track_places_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_schedules_are_found),
		cmocka_unit_test(wrong_games_are_found),
		cmocka_unit_test(different_states_are_found),
		cmocka_unit_test(correct_runs_are_accepted),
		cmocka_unit_test(devices_run_as_the_host),
		cmocka_unit_test(wrong_runs_are_found),
		cmocka_unit_test(breaks_of_many_states_match_simulation),
		cmocka_unit_test(printed_schedules_have_the_printed_breaks),
		cmocka_unit_test(missing_devices_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
