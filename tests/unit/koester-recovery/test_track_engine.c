/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares states, entries and counts of the tracker's engines on the host with the plain
 * tracker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/tracked_runs.h"

static const struct tracked usual = {
	.words = 6, .unit_words = 1, .wait = 5, .children = 7, .ratings = 50, .dropped = 9
};

static struct track_options options(enum track_engine engine, uint64_t seed)
{
	struct track_options o = track_options_default();

	o.engine = engine;
	o.slots = 37;
	o.beam = 11;
	o.look_ahead = 5;
	o.seed = seed;
	return o;
}

static void iterate(const struct run_places *w, const struct tracked *d,
		    const struct track_options *o, bool rate_children, bool counts, int iterations)
{
	static struct run r;

	run_begin(&r, w, d, o, rate_children, 3);
	for (int i = 0; i < iterations && track_count(r.t); i++)
		run_iterate(&r, counts);
	run_end(&r);
}

/* ---- all ways through an iteration ---- */

static void every_combination(enum track_engine engine, bool rate_children)
{
	static const double fill[] = { 0, 0.3, 0.5, 2.0 / 3, 1 };
	struct run_places w;
	uint64_t seed = 1;

	run_places_open(&w, 0, 3);
	for (int schedule = TRACK_TOGETHER; schedule <= TRACK_FIXED; schedule++)
		for (int f = 0; f < (schedule == TRACK_TOGETHER ? 5 : 1); f++)
			for (int bits = 0; bits < 32; bits++) {
				struct track_options o = options(engine, seed++);
				bool known;

				o.schedule = (enum track_schedule)schedule;
				o.fill_rate = fill[f];
				o.breaks = (uint32_t)bits * 5;
				o.expansion = bits & 1 ? TRACK_IRREGULAR : TRACK_REGULAR;
				o.assign_first = bits & 2;
				o.forward = bits & 4 ? 3 : 1;
				o.look_ahead = bits & 8 ? 1 : 5;
				o.prune_on_host = bits & 16;
				known = engine == TRACK_PUBLISHED ||
					(schedule == TRACK_FIXED && o.forward == 1);
				iterate(&w, &usual, &o, rate_children, known, 5);
			}
	run_places_close(&w);
}

static void published_engine_matches_the_plain_tracker(void **state)
{
	(void)state;
	every_combination(TRACK_PUBLISHED, true);
}

static void tuned_engine_matches_the_plain_tracker(void **state)
{
	(void)state;
	every_combination(TRACK_TUNED, true);
}

static void tuned_engine_matches_without_rate_children(void **state)
{
	(void)state;
	every_combination(TRACK_TUNED, false);
}

/* ---- shapes ---- */

static void all_layouts_give_the_same_bytes(void **state)
{
	static const uint32_t shape[][2] = { { 4, 1 }, { 4, 4 }, { 16, 4 }, { 15, 3 }, { 7, 7 } };
	struct run_places w;

	(void)state;
	run_places_open(&w, 0, 2);
	for (int i = 0; i < 5; i++)
		for (int engine = 0; engine < 2; engine++) {
			struct tracked d = usual;
			struct track_options o = options((enum track_engine)engine, 7);

			d.words = shape[i][0];
			d.unit_words = shape[i][1];
			o.expansion = TRACK_IRREGULAR;
			iterate(&w, &d, &o, true, engine == TRACK_PUBLISHED, 4);
		}
	run_places_close(&w);
}

/* Cases with many parts, with many parents without children, and with few kept children. */
static void children_in_several_parts_give_the_same_layer(void **state)
{
	struct run_places w;

	(void)state;
	run_places_open(&w, 0, 2);
	for (int k = 0; k < 24; k++) {
		struct tracked d = usual;
		struct track_options o = options((enum track_engine)(k % 2), (uint64_t)k);

		d.children = 4 + (uint32_t)k % 9;
		d.ratings = k % 3 ? 3 : 1000;
		d.dropped = k % 4 ? 2 : 0;
		o.slots = 13;
		o.beam = 13;
		o.expansion = TRACK_IRREGULAR;
		o.schedule = k % 5 ? TRACK_EACH : TRACK_TOGETHER;
		iterate(&w, &d, &o, k % 7 > 0, false, 8);
	}
	run_places_close(&w);
}

/* First some states have no children, then all. The search is then over, and no layer is added. */
static void search_ends_when_no_state_has_children(void **state)
{
	struct run_places w;

	(void)state;
	run_places_open(&w, 0, 2);
	for (int engine = 0; engine < 2; engine++) {
		struct tracked d = usual;
		struct track_options o = options((enum track_engine)engine, 3);
		static struct run r;
		struct err e;
		uint32_t layers;

		d.last_step = 4;
		o.expansion = TRACK_IRREGULAR;
		run_begin(&r, &w, &d, &o, true, 3);
		for (int i = 0; i < 12 && track_count(r.t); i++)
			run_iterate(&r, engine == TRACK_PUBLISHED);
		assert_int_equal(track_count(r.t), 0);
		layers = track_history(r.t)->layers;
		assert_int_equal(layers, r.plain.top);
		assert_int_equal(track_iterate(r.t, &e), ERR_USAGE);
		run_recover(&r, 20);
		run_backtrack(&r, 5);
		assert_int_equal(track_count(r.t), 5);
		run_end(&r);
	}
	run_places_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_engine_matches_the_plain_tracker),
		cmocka_unit_test(tuned_engine_matches_the_plain_tracker),
		cmocka_unit_test(tuned_engine_matches_without_rate_children),
		cmocka_unit_test(all_layouts_give_the_same_bytes),
		cmocka_unit_test(children_in_several_parts_give_the_same_layer),
		cmocka_unit_test(search_ends_when_no_state_has_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
