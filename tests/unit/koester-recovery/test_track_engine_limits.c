/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Invalid options and calls, and the tracker's state after them. Memory is compared with Equations
 * (2) and (3). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/tracked_runs.h"

static const struct tracked usual = {
	.words = 8, .unit_words = 1, .wait = 5, .children = 6, .ratings = 90
};

static struct track_options options(enum track_engine engine)
{
	struct track_options o = track_options_default();

	o.engine = engine;
	o.slots = 40;
	o.beam = 10;
	o.look_ahead = 2;
	o.schedule = TRACK_EACH;
	o.seed = 4;
	return o;
}

static struct track_domain domain_of(const struct tracked *d)
{
	struct track_domain domain = { .name = "tracked",
				       .layout = { d->words / d->unit_words, 4 * d->unit_words },
				       .parameters = d,
				       .parameter_bytes = sizeof(*d),
				       .host = &tracked_ops_host,
				       .sim = &tracked_ops_sim };
	return domain;
}

/* ---- options ---- */

static void refuse(struct run_places *w, const struct track_options *o, const char *word)
{
	struct track_domain domain = domain_of(&usual);
	struct tracker *t = (struct tracker *)&domain;
	struct err e = { 0 };

	assert_int_equal(track_create(&t, &domain, o, w->pointer, w->count, &e), ERR_USAGE);
	assert_null(t);
	if (!strstr(e.text, word))
		fail_msg("'%s' does not say '%s'", e.text, word);
}

static void invalid_options_are_refused(void **state)
{
	struct track_options good = options(TRACK_TUNED), o;
	struct run_places w;

	(void)state;
	run_places_open(&w, 0, 1);
	o = good, o.beam = 41, refuse(&w, &o, "beam of 41");
	o = good, o.beam = 0, refuse(&w, &o, "beam of 0");
	o = good, o.slots = 0, refuse(&w, &o, "beam");
	o = good, o.look_ahead = 0, refuse(&w, &o, "looking ahead");
	o = good, o.look_ahead = 2000, refuse(&w, &o, "2000 steps");
	o = good, o.forward = 0, refuse(&w, &o, "0 forward");
	o = good, o.schedule = TRACK_FIXED, o.look_ahead = 33, refuse(&w, &o, "at most 32");
	o = good, o.fill_rate = 1.5, refuse(&w, &o, "fill rate of 1.5");
	o = good, o.fill_rate = 0.0 / 0.0, refuse(&w, &o, "fill rate");
	o = good, o.slots = o.beam = 65537, refuse(&w, &o, "65537");
	o = good, o.archive.recovery = TRACK_RECOVERY_CHECKPOINT, o.archive.distance = 0,
	refuse(&w, &o, "distance");
	w.pointer[1] = w.pointer[0];
	w.count = 2;
	refuse(&w, &good, "several places");
	w.count = 0;
	refuse(&w, &good, "0 places");
	w.count = 1;
	run_places_close(&w);
}

static void calls_out_of_order_are_refused(void **state)
{
	struct track_options o = options(TRACK_TUNED);
	struct track_domain domain = domain_of(&usual);
	struct track_node nowhere[11] = { { 1, 0 } };
	uint32_t inputs[88] = { 0 };
	struct tracker *t;
	struct run_places w;
	struct err e;

	(void)state;
	run_places_open(&w, 0, 1);
	RUN_OK(track_create(&t, &domain, &o, w.pointer, 1, RUN_E));
	assert_int_equal(track_iterate(t, &e), ERR_USAGE);
	assert_int_equal(track_backtrack(t, nowhere, 1, &e), ERR_USAGE);
	assert_int_equal(track_begin(t, inputs, 0, &e), ERR_USAGE);
	assert_int_equal(track_begin(t, inputs, 11, &e), ERR_USAGE);
	RUN_OK(track_begin(t, inputs, 3, RUN_E));
	assert_int_equal(track_begin(t, inputs, 3, &e), ERR_USAGE);
	assert_int_equal(track_backtrack(t, nowhere, 1, &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "state 0 of layer 1"));
	nowhere[0] = (struct track_node){ 0, 3 };
	assert_int_equal(track_recover(t, nowhere, 1, inputs, &e), ERR_USAGE);
	memset(nowhere, 0, sizeof(nowhere));
	assert_int_equal(track_backtrack(t, nowhere, 11, &e), ERR_USAGE);
	assert_int_equal(track_backtrack(t, nowhere, 0, &e), ERR_USAGE);
	assert_int_equal(track_read(t, 2, 2, inputs, &e), ERR_USAGE);
	RUN_OK(track_backtrack(t, nowhere, 10, RUN_E));
	assert_int_equal(track_count(t), 10);
	track_destroy(t);
	run_places_close(&w);
}

/* All children of a state must fit in the slots. */
static void states_with_too_many_children_are_refused(void **state)
{
	struct tracked d = usual;
	struct run_places w;

	(void)state;
	run_places_open(&w, 0, 1);
	d.children = 1000;
	for (int k = 0; k < 8; k++) {
		struct track_options o = options(k & 1 ? TRACK_TUNED : TRACK_PUBLISHED);
		static struct run r;
		struct err e;

		o.expansion = TRACK_IRREGULAR;
		o.even = k & 4; /* which they are not, either */
		run_begin(&r, &w, &d, &o, k & 2, 3);
		assert_int_equal(track_iterate(r.t, &e), ERR_USAGE);
		assert_non_null(strstr(e.text, "children"));
		run_compare(&r);
		run_end(&r);
	}
	run_places_close(&w);
}

/* ---- stopping ---- */

static void stop_flag_leaves_the_tracker_unchanged(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct run_places w;

	(void)state;
	run_places_open(&w, 0, 1);
	for (int engine = 0; engine < 2; engine++) {
		struct track_options o = options((enum track_engine)engine);
		static struct run r;
		struct err e;

		o.stop = &stop;
		run_begin(&r, &w, &usual, &o, true, 2);
		run_iterate(&r, false);
		stop = 1;
		assert_int_equal(track_iterate(r.t, &e), ERR_LIMIT);
		run_compare(&r);
		stop = 0;
		run_iterate(&r, false);
		run_end(&r);
	}
	run_places_close(&w);
}

/* ---- memory ---- */

/* Every limit that is too small gives an error of one line. Nothing stays allocated, and the limit
 * is never exceeded. */
static void too_little_memory_is_refused_in_one_line(void **state)
{
	(void)state;
	for (int k = 0; k < 60; k++) {
		struct track_options o = options(k & 1 ? TRACK_TUNED : TRACK_PUBLISHED);
		struct track_domain domain = domain_of(&usual);
		uint32_t inputs[16] = { 0 };
		struct tracker *t = NULL;
		struct run_places w;
		struct err e = { 0 };
		int status;

		o.archive.recovery = TRACK_RECOVERY_GPU;
		run_places_open(&w, 0, 1);
		w.place[0].limit = 100 + 150 * (uint64_t)k;
		status = track_create(&t, &domain, &o, w.pointer, 1, &e);
		if (!status)
			status = track_begin(t, inputs, 2, &e);
		for (int i = 0; i < 40 && !status; i++)
			status = track_iterate(t, &e);
		assert_int_equal(status, ERR_MEMORY);
		assert_true(strlen(e.text) > 0 && !strchr(e.text, '\n'));
		assert_true(w.place[0].peak <= w.place[0].limit);
		track_destroy(t);
		run_places_close(&w);
	}
}

/* Runs `check` with each engine, on two input states. */
static void by_both_engines(struct track_options o,
			    void (*check)(struct run *r, struct run_places *w))
{
	for (int engine = 0; engine < 2; engine++) {
		static struct run r;
		struct run_places w;

		o.engine = (enum track_engine)engine;
		run_places_open(&w, 0, 1);
		run_begin(&r, &w, &usual, &o, true, 2);
		check(&r, &w);
		run_end(&r);
		run_places_close(&w);
	}
}

/* The search is unchanged after the error, and continues once there is enough memory. */
static void gets_no_memory(struct run *r, struct run_places *w)
{
	struct err e;

	for (int i = 0; i < 3; i++)
		run_iterate(r, false);
	w->place[0].limit = w->place[0].used;
	while (track_iterate(r->t, &e) == 0)
		plain_iterate(&r->plain);
	w->place[0].limit = 0;
	run_compare(r);
	run_iterate(r, false);
	run_recover(r, 20);
}

static void search_continues_when_memory_is_free_again(void **state)
{
	struct track_options o = options(TRACK_PUBLISHED);

	(void)state;
	o.archive.recovery = TRACK_RECOVERY_GPU;
	by_both_engines(o, gets_no_memory);
}

static void fills_its_history(struct run *r, struct run_places *w)
{
	struct err e;
	int layers = 0;

	(void)w;
	while (track_iterate(r->t, &e) == 0) {
		assert_true(layers++ < 100);
		assert_true(track_history(r->t)->bytes <= 4000);
		plain_iterate(&r->plain);
	}
	assert_true(layers > 3);
	assert_int_equal(track_iterate(r->t, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "history"));
	run_compare(r);
	run_recover(r, 20);
}

static void history_limit_is_kept(void **state)
{
	struct track_options o = options(TRACK_PUBLISHED);

	(void)state;
	o.history_limit = 4000;
	by_both_engines(o, fills_its_history);
}

/* After track_begin failed on one place, no place keeps its inputs, and track_begin can be called
 * again. */
static void begin_can_be_repeated_after_an_error(void **state)
{
	struct track_options o = options(TRACK_TUNED);
	struct track_domain domain = domain_of(&usual);
	uint32_t inputs[72], got[72];
	struct track_node n[8];
	struct tracker *t;
	struct run_places w;
	struct err e;

	(void)state;
	/* nine states are divided into four and five */
	o.archive.budget[TRACK_TIER_DEVICE] = 4 * 32;
	run_places_open(&w, 2, 1);
	RUN_OK(track_create(&t, &domain, &o, w.pointer, 2, RUN_E));
	for (uint32_t i = 0; i < 72; i++)
		inputs[i] = i % 8 == 1 ? 0 : i;
	assert_int_equal(track_begin(t, inputs, 9, &e), ERR_MEMORY);
	for (uint32_t i = 0; i < 72; i++)
		inputs[i] = i % 8 == 1 ? 0 : 1000 + i;
	RUN_OK(track_begin(t, inputs, 8, RUN_E));
	RUN_OK(track_iterate(t, RUN_E));
	for (uint32_t i = 0; i < 8; i++)
		n[i] = (struct track_node){ 0, i };
	RUN_OK(track_recover(t, n, 8, got, RUN_E));
	assert_memory_equal(got, inputs, 8 * 32);
	track_destroy(t);
	run_places_close(&w);
}

/* Peak bytes of `iterations` iterations of S states of m bytes from one input. */
static uint64_t peak(uint32_t states, uint32_t words, bool cache, enum track_recovery rule,
		     uint64_t *history)
{
	struct tracked d = usual;
	struct track_domain domain;
	struct track_options o = options(TRACK_PUBLISHED);
	struct tracker *t;
	struct run_places w;
	struct track_figures f;
	uint32_t *input = calloc(words, 4);
	uint64_t bytes;

	assert_non_null(input);
	d.words = d.unit_words = words;
	domain = domain_of(&d);
	o.slots = o.beam = states;
	o.archive.recovery = rule;
	o.archive.cache = cache;
	run_places_open(&w, 0, 2);
	RUN_OK(track_create(&t, &domain, &o, w.pointer, 1, RUN_E));
	RUN_OK(track_begin(t, input, 1, RUN_E));
	for (int i = 0; i < 16; i++)
		RUN_OK(track_iterate(t, RUN_E));
	track_figures(t, &f);
	*history = f.history_bytes;
	bytes = w.place[0].peak;
	track_destroy(t);
	run_places_close(&w);
	free(input);
	return bytes;
}

/* Allows for other memory: 4 bytes per state for numbers, and staging for the input. */
static void assert_about(uint64_t got, uint64_t states, uint64_t beside)
{
	assert_true(got >= states);
	if (got > states + beside)
		fail_msg("%llu bytes beside %llu of states", (unsigned long long)(got - states),
			 (unsigned long long)states);
}

static void memory_follows_the_equations_of_the_paper(void **state)
{
	const uint64_t count = 128, words = 512, m = 4 * words, beside = 64 * count + 2 * m + 4096;
	uint64_t history;

	(void)state;
	/* Equation (3), with and without the cache; the history has 8 bytes per entry */
	assert_about(peak(count, words, true, TRACK_RECOVERY_REPLAY, &history), 3 * count * m,
		     beside);
	assert_about(history, 16 * count * 8, 4096);
	assert_about(peak(count, words, false, TRACK_RECOVERY_REPLAY, &history), 2 * count * m,
		     beside);
	/* Equation (2): all layers before the current one; the input layer has one state */
	assert_about(peak(count, words, false, TRACK_RECOVERY_GPU, &history), (2 + 15) * count * m,
		     beside);
}

/* ---- wide histories ---- */

/* Slots and successors above 65,535 do not fit in the narrow history. */
static void wide_history_is_required_above_65536_states(void **state)
{
	struct tracked d = {
		.words = 4, .unit_words = 4, .wait = 2, .children = 3, .ratings = 1u << 31
	};
	struct track_options o = options(TRACK_TUNED);
	struct track_domain domain = domain_of(&d);
	struct track_node n[2] = { { 2, 69999 }, { 1, 68000 } };
	uint32_t inputs[4] = { 1, 0, 2, 3 }, got[8], again[8];
	struct tracker *t;
	struct run_places w;
	struct err e;

	(void)state;
	run_places_open(&w, 0, 2);
	o.slots = o.beam = 70000;
	o.look_ahead = 1;
	o.wide_history = true;
	RUN_OK(track_create(&t, &domain, &o, w.pointer, 1, RUN_E));
	RUN_OK(track_begin(t, inputs, 1, RUN_E));
	RUN_OK(track_iterate(t, RUN_E));
	RUN_OK(track_read(t, 68000, 1, again + 4, RUN_E));
	RUN_OK(track_iterate(t, RUN_E));
	RUN_OK(track_read(t, 69999, 1, again, RUN_E));
	RUN_OK(track_iterate(t, RUN_E));
	RUN_OK(track_recover(t, n, 2, got, RUN_E));
	assert_memory_equal(got, again, sizeof(got));
	track_destroy(t);

	o.wide_history = false;
	o.beam = 1000;
	RUN_OK(track_create(&t, &domain, &o, w.pointer, 1, RUN_E));
	RUN_OK(track_begin(t, inputs, 1, RUN_E));
	/* one state has 70,000 successors, with numbers three apart */
	assert_int_equal(track_iterate(t, &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "wide history"));
	assert_int_equal(track_layer(t), 0);
	assert_int_equal(track_count(t), 1);
	track_destroy(t);
	run_places_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invalid_options_are_refused),
		cmocka_unit_test(calls_out_of_order_are_refused),
		cmocka_unit_test(states_with_too_many_children_are_refused),
		cmocka_unit_test(stop_flag_leaves_the_tracker_unchanged),
		cmocka_unit_test(too_little_memory_is_refused_in_one_line),
		cmocka_unit_test(search_continues_when_memory_is_free_again),
		cmocka_unit_test(begin_can_be_repeated_after_an_error),
		cmocka_unit_test(history_limit_is_kept),
		cmocka_unit_test(memory_follows_the_equations_of_the_paper),
		cmocka_unit_test(wide_history_is_required_above_65536_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
