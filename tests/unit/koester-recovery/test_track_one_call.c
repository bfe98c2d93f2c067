/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recovery as in lines 5 to 20 of Algorithm 1: the states of one call of Algorithm 2 equal those of
 * plain computations, on the host and on simulated devices with several schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/problems/verify.h"
#include "algorithms/koester-recovery/tracking/engine.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/koester-recovery/track_ok.h"

enum { STATES = 70, LAYERS = 6, BYTES = 256 + 64, INPUTS = 3 };

/* A search of LAYERS layers on the host (schedule NULL) or on simulated devices. */
struct bed {
	struct dev_set set;
	struct track_places places;
	struct track_synthetic_run run;
	struct track_node targets[STATES]; /* the states of the last layer but one, scattered */
};

static struct track_synthetic_setup setup_of(double fill_rate, uint64_t seed)
{
	struct track_synthetic_setup s = track_synthetic_setup_default();

	s.states = s.beam = STATES;
	s.inputs = INPUTS;
	s.model.rows = s.model.columns = 8;
	s.model.load = 2;
	s.model.state_bytes = BYTES;
	s.model.break_probability = 0.3;
	s.fill_rate = fill_rate;
	s.engine = TRACK_PUBLISHED;
	s.archive.cache = false;
	s.seed = seed;
	return s;
}

static void bed_open(struct bed *b, const char *schedule, int gpus,
		     const struct track_synthetic_setup *s)
{
	open_devices(&b->set, gpus ? gpus : 1, schedule ? schedule : "order", (int)s->seed);
	OK(track_places_open(&b->places, &b->set, gpus, false, 2, 0, &e));
	OK(track_synthetic_run_open(&b->run, s, &b->places, &e));
	OK(track_synthetic_run_iterate(&b->run, LAYERS, &e));
	for (uint32_t i = 0; i < STATES; i++)
		b->targets[i] = (struct track_node){ LAYERS - 1, i * 9 % STATES };
}

static void bed_close(struct bed *b)
{
	track_synthetic_run_close(&b->run);
	track_places_close(&b->places);
	dev_set_close(&b->set);
}

/* Recovers the first `count` targets. Returns what the tracker counted. */
static struct matrix_counts recover(struct bed *b, uint32_t count)
{
	struct track_figures before, after;
	uint64_t breaks = 0;

	track_figures(b->run.tracker, &before);
	OK(track_recover_in_one_call(b->run.tracker, b->targets, count, &breaks, &e));
	track_figures(b->run.tracker, &after);
	assert_int_equal(after.loaded - before.loaded, count);
	assert_int_equal(after.replayed, before.replayed);
	return (struct matrix_counts){ after.executions - before.executions,
				       after.assignments - before.assignments, (uint32_t)breaks };
}

/* ---- a whole batch ---- */

static void check_batch(struct bed *b, uint32_t count)
{
	struct matrix_counts made = recover(b, count), expected;

	OK(track_synthetic_verify_one_call(&b->run, b->targets, count, &expected, &e));
	assert_int_equal(made.executions, expected.executions);
	assert_int_equal(made.assignments, expected.assignments);
	assert_int_equal(made.breaks, expected.breaks);
	assert_in_range(made.assignments, count, (uint64_t)count * (1 + made.breaks));
}

static void batches_equal_the_simulation(void **state)
{
	static const char *const schedules[] = { "order", "random", "reverse" };
	static const double fill_rates[] = { 0, 0.3, 2 / 3.0, 1 };

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct track_synthetic_setup s = setup_of(fill_rates[seed % 4], seed);
		struct bed b;

		bed_open(&b, schedules[seed % 3], seed % 5 ? 1 : 0, &s); /* also on the host */
		check_batch(&b, STATES);
		check_batch(&b, 1);
		check_batch(&b, 33); /* one more than the bits of a word */
		bed_close(&b);
	}
}

/* With F = 1 the loop is left once, at the end; with F = 0 after every step of so many states. */
static void fill_rate_decides_the_breaks(void **state)
{
	struct track_synthetic_setup none = setup_of(0, 1), all = setup_of(1, 1);
	struct bed b;

	(void)state;
	bed_open(&b, "random", 1, &none);
	assert_int_equal(recover(&b, STATES).breaks, LAYERS - 1);
	assert_int_equal(recover(&b, STATES).executions, STATES * (LAYERS - 1));
	bed_close(&b);
	bed_open(&b, "random", 1, &all);
	assert_int_equal(recover(&b, STATES).breaks, 1);
	assert_true(recover(&b, STATES).executions < STATES * (LAYERS - 1));
	bed_close(&b);
}

/* ---- states by themselves ---- */

/* Computes the state of a node: with F = 0 no state waits for another one. */
static void follow_alone(const struct matrix_states *m, const struct track_history *h,
			 struct track_node n, uint32_t steps, unsigned char *state)
{
	struct matrix_schedule s = { .seed = 5, .steps = steps, .first = true };
	struct track_node path[LAYERS + 1];
	uint32_t length = track_history_trace(h, n, 0, path, LAYERS + 1), rating;

	matrix_states_input(m, path[0].slot, state);
	for (uint32_t i = 1; i < length; i++, s.first = false) {
		struct matrix_round round = { .iteration = i };

		track_history_get(h, path[i], &round.source, &round.successor, &rating);
		matrix_follow(m, &s, &round, 1, state, NULL);
	}
}

static void make_inputs(const struct matrix_states *m, unsigned char *inputs)
{
	for (uint32_t i = 0; i < INPUTS; i++)
		matrix_states_input(m, i, inputs + (size_t)i * BYTES);
}

/* Layers of `forward` steps, recovered with F = 0, against states computed by themselves. */
static void check_alone(const struct track_places *p, uint32_t forward)
{
	struct track_synthetic_options o = setup_of(0, 5).model;
	const struct matrix_states sizes = { 8, 8, 2, BYTES, 0.3, o.seed, NULL, NULL };
	static unsigned char inputs[INPUTS * BYTES], seen[STATES * BYTES], expected[BYTES];
	struct track_options options = track_options_default();
	struct track_node *targets;
	struct track_domain *d;
	struct matrix_states m;
	struct tracker *t;
	uint64_t breaks;

	options.engine = TRACK_PUBLISHED;
	options.slots = options.beam = STATES;
	options.forward = forward;
	options.fill_rate = 0;
	options.seed = 5;
	o.form = TRACK_SYNTHETIC_ELEMENTS;
	OK(matrix_states_create(&m, &sizes, &e));
	make_inputs(&m, inputs);
	OK(track_synthetic_create(&d, &o, &e));
	OK(track_create(&t, d, &options, p->at, p->count, &e));
	OK(track_begin(t, inputs, INPUTS, &e));
	for (int i = 0; i < LAYERS; i++)
		OK(track_iterate(t, &e));
	OK(track_history_nodes(track_history(t), LAYERS, &targets, &e));
	OK(track_recover_in_one_call(t, targets, STATES, &breaks, &e));
	OK(track_read_recovered(t, 0, STATES, seen, &e));
	for (uint32_t i = 0; i < STATES; i++) {
		follow_alone(&m, track_history(t), targets[i], forward, expected);
		assert_memory_equal(seen + (size_t)i * BYTES, expected, BYTES);
	}
	free(targets);
	track_destroy(t);
	track_synthetic_destroy(d);
	matrix_states_free(&m);
}

static void no_state_waits_for_others_at_fill_rate_0(void **state)
{
	(void)state;
	for (int gpus = 0; gpus <= 1; gpus++) {
		struct track_places places;
		struct dev_set set;

		open_devices(&set, 1, "random", 3);
		OK(track_places_open(&places, &set, gpus, false, 2, 0, &e));
		check_alone(&places, 1);
		check_alone(&places, 3);
		track_places_close(&places);
		dev_set_close(&set);
	}
}

/* ---- the copies ---- */

static void cache_restores_the_current_states(void **state)
{
	static unsigned char before[STATES * BYTES], after[STATES * BYTES], other[STATES * BYTES];
	struct track_synthetic_setup s = setup_of(2 / 3.0, 4);
	struct tracker *t;
	struct bed b;

	(void)state;
	bed_open(&b, "random", 1, &s);
	t = b.run.tracker;
	OK(track_read(t, 0, STATES, before, &e));
	OK(track_cache_current(t, &e));
	recover(&b, STATES);
	memset(other, 7, sizeof(other));
	OK(track_engine_write_states(t, &t->place[0], t->place[0].current, 0, STATES, other, &e));
	OK(track_restore_cached(t, &e));
	OK(track_read(t, 0, STATES, after, &e));
	assert_memory_equal(after, before, sizeof(before));
	check_batch(&b, STATES); /* the replay still has its own buffer */
	OK(track_synthetic_run_iterate(&b.run, 1, &e));
	OK(track_synthetic_verify(&b.run, STATES, &e));
	bed_close(&b);
}

/* ---- errors ---- */

static void wrong_states_are_found(void **state)
{
	static unsigned char wrong[STATES * BYTES];
	struct track_synthetic_setup s = setup_of(0.3, 2);
	struct matrix_counts counts;
	struct err error = { 0 };
	struct tracker *t;
	struct bed b;

	(void)state;
	bed_open(&b, "order", 1, &s);
	t = b.run.tracker;
	recover(&b, STATES);
	OK(track_read_recovered(t, STATES - 1, 1, wrong, &e));
	wrong[BYTES - 1] ^= 1;
	OK(track_engine_write_states(t, &t->place[0], t->place[0].next, STATES - 1, 1, wrong, &e));
	assert_int_equal(
		track_synthetic_verify_one_call(&b.run, b.targets, STATES, &counts, &error),
		ERR_FAILED);
	assert_non_null(strstr(error.text, "state 61 of layer 5")); /* 69 * 9 % 70 */
	/* a batch of other targets */
	recover(&b, STATES - 1);
	b.targets[0].slot = 1;
	assert_int_equal(
		track_synthetic_verify_one_call(&b.run, b.targets, STATES - 1, &counts, &error),
		ERR_FAILED);
	bed_close(&b);
}

static void assert_refused(struct bed *b, struct track_node target, uint32_t count)
{
	struct track_node targets[STATES + 1] = { target, b->targets[1] };
	struct err error = { 0 };
	uint64_t breaks;

	assert_int_equal(track_recover_in_one_call(b->run.tracker, targets, count, &breaks, &error),
			 ERR_USAGE);
}

static void impossible_recoveries_are_refused(void **state)
{
	struct track_synthetic_setup s = setup_of(0.3, 2);
	struct err error = { 0 };
	struct bed b;

	(void)state;
	bed_open(&b, "order", 1, &s);
	assert_int_equal(track_restore_cached(b.run.tracker, &error), ERR_USAGE);
	assert_refused(&b, b.targets[0], 0);
	assert_refused(&b, b.targets[0], STATES + 1);
	assert_refused(&b, (struct track_node){ 0, 0 }, 1);
	assert_refused(&b, (struct track_node){ LAYERS + 1, 0 }, 1);
	assert_refused(&b, (struct track_node){ LAYERS, 0 }, 2); /* the second is below */
	assert_refused(&b, (struct track_node){ LAYERS, STATES }, 1);
	OK(track_cache_current(b.run.tracker, &e));
	OK(track_backtrack(b.run.tracker, b.targets, STATES, &e));
	assert_int_equal(track_restore_cached(b.run.tracker, &error), ERR_USAGE);
	OK(track_synthetic_run_iterate(&b.run, 1, &e));
	assert_refused(&b, (struct track_node){ LAYERS + 2, 0 }, 1); /* above a jump */
	bed_close(&b);
	bed_open(&b, "order", 2, &s);
	assert_refused(&b, b.targets[0], 1);
	assert_int_equal(track_cache_current(b.run.tracker, &error), ERR_USAGE);
	bed_close(&b);
}

/* The third buffer counts as memory of the place. */
static void cache_respects_the_limit(void **state)
{
	struct track_synthetic_setup s = setup_of(0.3, 2);
	struct err error = { 0 };
	struct bed b;

	(void)state;
	bed_open(&b, "order", 1, &s);
	b.places.place[0].limit = b.places.place[0].used + (uint64_t)STATES * BYTES - 1;
	assert_int_equal(track_cache_current(b.run.tracker, &error), ERR_MEMORY);
	b.places.place[0].limit++;
	OK(track_cache_current(b.run.tracker, &e));
	bed_close(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_equal_the_simulation),
		cmocka_unit_test(fill_rate_decides_the_breaks),
		cmocka_unit_test(no_state_waits_for_others_at_fill_rate_0),
		cmocka_unit_test(cache_restores_the_current_states),
		cmocka_unit_test(wrong_states_are_found),
		cmocka_unit_test(impossible_recoveries_are_refused),
		cmocka_unit_test(cache_respects_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
