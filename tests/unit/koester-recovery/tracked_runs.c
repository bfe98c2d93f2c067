/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/koester-recovery/tracked_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TRACK_DOMAIN tracked
#include "algorithms/koester-recovery/states/domain_host.h"

const char *run_backend = "sim";

void run_places_open(struct run_places *w, int devices, int threads)
{
	memset(w, 0, sizeof(*w));
	RUN_OK(team_create(&w->pool, threads, RUN_E));
	if (devices)
		RUN_OK(dev_set_open(&w->set, run_backend, devices, RUN_E));
	w->count = devices ? devices : 1;
	for (int k = 0; k < w->count; k++) {
		RUN_OK(track_place_open(&w->place[k], devices ? w->set.dev[k] : NULL, w->pool, 0,
					RUN_E));
		w->pointer[k] = &w->place[k];
	}
}

void run_places_close(struct run_places *w)
{
	for (int k = 0; k < w->count; k++) {
		assert_int_equal(w->place[k].used, 0);
		track_place_close(&w->place[k]);
	}
	if (w->set.count)
		dev_set_close(&w->set);
	team_destroy(w->pool);
}

static uint32_t run_random(struct run *r, uint32_t below)
{
	r->random = r->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)r->random * below >> 32);
}

static void run_states_packed(const struct run *r, const struct plain_state *s, uint32_t count,
			      uint32_t *out)
{
	for (uint32_t i = 0; i < count; i++)
		memcpy(out + i * r->parameters.words, s[i].w, r->parameters.words * 4);
}

static void run_assert_states(const struct run *r, const uint32_t *got,
			      const struct plain_state *want, const char *what)
{
	if (memcmp(got, want->w, r->parameters.words * 4))
		fail_msg("%s: the bytes differ", what);
}

void run_begin(struct run *r, const struct run_places *w, const struct tracked *parameters,
	       const struct track_options *o, bool rate_children, uint32_t inputs)
{
	const struct tracked *d = parameters;
	struct plain_domain pd = { d->words,   d->wait,    d->children,
				   d->ratings, d->dropped, d->last_step };
	struct plain_options po = { o->slots,
				    o->beam,
				    o->look_ahead,
				    o->forward,
				    o->breaks,
				    o->assign_first,
				    o->expansion == TRACK_REGULAR,
				    (enum plain_schedule)o->schedule,
				    o->fill_rate,
				    o->seed };
	struct plain_state *in = calloc(inputs, sizeof(*in));
	uint32_t *packed = calloc(inputs * d->words, 4);

	assert_non_null(in);
	assert_non_null(packed);
	memset(r, 0, sizeof(*r));
	r->random = (uint32_t)o->seed * 77 + 5;
	r->parameters = *d;
	r->host = tracked_ops_host;
	r->sim = tracked_ops_sim;
#if COPRA_HAVE_CUDA
	r->cuda = tracked_ops_cuda;
#endif
	if (!rate_children)
		r->host.rate_children = r->sim.rate_children = r->cuda.rate_children = NULL;
	r->domain =
		(struct track_domain){ .name = "tracked",
				       .layout = { d->words / d->unit_words, 4 * d->unit_words },
				       .parameters = &r->parameters,
				       .parameter_bytes = sizeof(r->parameters),
				       .host = &r->host,
				       .sim = &r->sim,
				       .cuda = &r->cuda };
	for (uint32_t i = 0; i < inputs; i++)
		for (uint32_t k = 0; k < d->words; k++)
			in[i].w[k] = k == 1 ? 0 : run_random(r, UINT32_MAX);
	plain_begin(&r->plain, &pd, &po, in, inputs);
	run_states_packed(r, in, inputs, packed);
	RUN_OK(track_create(&r->t, &r->domain, o, w->pointer, w->count, RUN_E));
	RUN_OK(track_begin(r->t, packed, inputs, RUN_E));
	free(in);
	free(packed);
}

void run_end(struct run *r)
{
	track_destroy(r->t);
	plain_end(&r->plain);
}

static void run_compare_entry(const struct run *r, uint32_t layer, uint32_t slot)
{
	const struct plain_entry *want = &r->plain.layer[layer].entry[slot];
	const struct track_history *h = track_history(r->t);
	struct track_node n = { layer, slot }, parent = track_history_parent(h, n);
	uint32_t source, successor, rating;

	track_history_get(h, n, &source, &successor, &rating);
	assert_int_equal(source, want->from.slot);
	assert_int_equal(parent.layer, want->from.layer);
	assert_int_equal(parent.slot, want->from.slot);
	assert_int_equal(rating, want->rating);
	if (!r->plain.layer[layer].jump)
		assert_int_equal(successor, want->successor);
}

void run_compare(struct run *r)
{
	const struct plain_layer *l = &r->plain.layer[r->plain.top];
	uint32_t *got = calloc(l->count * r->parameters.words, 4);

	assert_non_null(got);
	assert_int_equal(track_layer(r->t), r->plain.top);
	assert_int_equal(track_count(r->t), r->plain.ended ? 0 : l->count);
	if (!r->plain.ended)
		RUN_OK(track_read(r->t, 0, l->count, got, RUN_E));
	for (uint32_t i = 0; !r->plain.ended && i < l->count; i++) {
		run_assert_states(r, got + i * r->parameters.words, &l->state[i], "current");
		if (r->plain.top)
			run_compare_entry(r, r->plain.top, i);
	}
	free(got);
}

void run_iterate(struct run *r, bool counts)
{
	struct track_figures f;

	track_figures(r->t, &r->before);
	plain_iterate(&r->plain);
	RUN_OK(track_iterate(r->t, RUN_E));
	run_compare(r);
	track_figures(r->t, &f);
	assert_int_equal(f.children - r->before.children, r->plain.children);
	if (!counts)
		return;
	assert_int_equal(f.breaks, r->plain.breaks);
	assert_int_equal(f.executions - r->before.executions - f.replayed + r->before.replayed,
			 r->plain.executions + r->plain.forward_executions);
	if (f.replayed == r->before.replayed)
		assert_int_equal(f.assignments - r->before.assignments,
				 r->plain.assignments + r->plain.forward_assignments);
}

static struct plain_node run_any_node(struct run *r)
{
	struct plain_node n;

	n.layer = run_random(r, r->plain.top + 1);
	n.slot = run_random(r, r->plain.layer[n.layer].count);
	return n;
}

static void run_any_nodes(struct run *r, uint32_t count, struct plain_node *plain,
			  struct track_node *nodes)
{
	for (uint32_t i = 0; i < count; i++) {
		plain[i] = run_any_node(r);
		nodes[i] = (struct track_node){ plain[i].layer, plain[i].slot };
	}
}

void run_recover(struct run *r, uint32_t count)
{
	struct plain_node *plain = calloc(count, sizeof(*plain));
	struct track_node *nodes = calloc(count, sizeof(*nodes));
	uint32_t *got = calloc(count * r->parameters.words, 4);

	assert_non_null(plain);
	assert_non_null(nodes);
	assert_non_null(got);
	run_any_nodes(r, count, plain, nodes);
	RUN_OK(track_recover(r->t, nodes, count, got, RUN_E));
	for (uint32_t i = 0; i < count; i++)
		run_assert_states(r, got + i * r->parameters.words,
				  &r->plain.layer[plain[i].layer].state[plain[i].slot],
				  "recovered");
	free(plain);
	free(nodes);
	free(got);
	run_compare(r);
}

void run_backtrack(struct run *r, uint32_t count)
{
	struct plain_node *plain = calloc(count, sizeof(*plain));
	struct track_node *nodes = calloc(count, sizeof(*nodes));

	assert_non_null(plain);
	assert_non_null(nodes);
	run_any_nodes(r, count, plain, nodes);
	plain_jump(&r->plain, plain, count);
	RUN_OK(track_backtrack(r->t, nodes, count, RUN_E));
	run_compare(r);
	free(plain);
	free(nodes);
}

/* ---- engines, schedules and expansions on devices ---- */

const struct tracked run_domain = {
	.words = 6, .unit_words = 1, .wait = 5, .children = 7, .ratings = 50, .dropped = 9
};

struct way {
	enum track_engine engine;
	enum track_schedule schedule;
	enum track_expansion expansion;
	double fill_rate;
	uint32_t look_ahead, forward;
	bool rate_children, prune_on_host;
};

static const struct way ways[] = {
	{ TRACK_PUBLISHED, TRACK_TOGETHER, TRACK_REGULAR, 0.6, 5, 1, true, false },
	{ TRACK_PUBLISHED, TRACK_TOGETHER, TRACK_IRREGULAR, 0.3, 4, 2, true, false },
	{ TRACK_PUBLISHED, TRACK_FIXED, TRACK_IRREGULAR, 0, 4, 1, true, false },
	{ TRACK_TUNED, TRACK_TOGETHER, TRACK_REGULAR, 0.6, 5, 1, true, false },
	{ TRACK_TUNED, TRACK_TOGETHER, TRACK_IRREGULAR, 0.3, 4, 1, true, true },
	{ TRACK_TUNED, TRACK_EACH, TRACK_REGULAR, 0, 5, 1, true, false },
	{ TRACK_TUNED, TRACK_EACH, TRACK_IRREGULAR, 0, 3, 2, true, true },
	{ TRACK_TUNED, TRACK_EACH, TRACK_IRREGULAR, 0, 3, 1, false, false },
	{ TRACK_TUNED, TRACK_FIXED, TRACK_REGULAR, 0, 5, 1, true, false },
	{ TRACK_TUNED, TRACK_FIXED, TRACK_REGULAR, 0, 5, 1, false, false },
	{ TRACK_TUNED, TRACK_FIXED, TRACK_IRREGULAR, 0, 2, 1, true, false },
	{ TRACK_TUNED, TRACK_TOGETHER, TRACK_IRREGULAR, 0.5, 1, 1, true, false },
};

void run_all_ways(int devices, int iterations)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const struct way *v = &ways[i];
		struct track_options o = track_options_default();
		bool counts = v->engine == TRACK_PUBLISHED || v->schedule == TRACK_FIXED;
		static struct run r;
		struct run_places w;

		o.engine = v->engine;
		o.schedule = v->schedule;
		o.expansion = v->expansion;
		o.fill_rate = v->fill_rate;
		o.look_ahead = v->look_ahead;
		o.forward = v->forward;
		o.prune_on_host = v->prune_on_host;
		o.breaks = 5;
		o.slots = 37;
		o.beam = 11;
		o.seed = i + 1;
		run_places_open(&w, devices, 2);
		run_begin(&r, &w, &run_domain, &o, v->rate_children, 2);
		for (int k = 0; k < iterations && track_count(r.t); k++)
			run_iterate(&r, counts);
		run_backtrack(&r, 9);
		run_iterate(&r, false);
		run_recover(&r, 30);
		run_end(&r);
		run_places_close(&w);
	}
}

void run_even_layers(void)
{
	static const uint32_t dropped[] = { 0, 9, 3, 1 }; /* 1: all */
	static const enum track_schedule schedule[] = { TRACK_TOGETHER, TRACK_EACH };

	for (int i = 0; i < 8; i++) {
		struct track_options o = track_options_default();
		struct tracked d = run_domain;
		static struct run r;
		struct run_places w;

		d.dropped = dropped[i / 2];
		o.engine = TRACK_TUNED;
		o.schedule = schedule[i % 2];
		o.expansion = TRACK_REGULAR;
		o.fill_rate = 0.5;
		o.look_ahead = 3;
		o.slots = 36;
		o.beam = 12;
		o.seed = (uint64_t)i + 1;
		run_places_open(&w, 1, 2);
		run_begin(&r, &w, &d, &o, false, 3);
		for (int k = 0; k < 6 && track_count(r.t); k++)
			run_iterate(&r, false);
		assert_true(d.dropped != 1 || track_count(r.t) == 0);
		run_recover(&r, 20);
		run_end(&r);
		run_places_close(&w);
	}
}

/* ---- searches by every rule of recovery ---- */

const struct tracked run_search_domain = {
	.words = 8, .unit_words = 2, .wait = 5, .children = 6, .ratings = 90
};

struct track_options run_options(enum track_recovery rule, enum track_engine engine, uint64_t seed)
{
	struct track_options o = track_options_default();

	o.engine = engine;
	o.slots = 31;
	o.beam = 9;
	o.look_ahead = 2;
	o.forward = 1 + seed % 2;
	o.schedule = seed % 3 ? TRACK_EACH : TRACK_TOGETHER;
	o.expansion = seed % 5 < 3 ? TRACK_REGULAR : TRACK_IRREGULAR;
	o.assign_first = seed % 7 != 3;
	o.wide_history = seed % 4 == 1;
	o.seed = seed;
	o.archive.recovery = rule;
	o.archive.cache = seed & 1;
	o.archive.distance = 1 + (uint32_t)seed % 4;
	o.archive.adapt = 2;
	/* the multistage rule must choose, since each tier has room for only some states of 32
	 * bytes */
	if (rule == TRACK_RECOVERY_MULTISTAGE)
		for (int i = 0; i < TRACK_TIERS; i++)
			o.archive.budget[i] = 2400;
	return o;
}

void run_search(struct run_places *w, const struct track_options *o, int moves)
{
	static struct run r;

	run_begin(&r, w, &run_search_domain, o, o->seed % 6 != 2, 1 + (uint32_t)o->seed % 3);
	for (int i = 0; i < moves; i++) {
		uint32_t what = run_random(&r, 8);

		if (what < 5 && track_count(r.t))
			run_iterate(&r, false);
		else if (what < 7)
			run_recover(&r, 1 + run_random(&r, 40));
		else
			run_backtrack(&r, 1 + run_random(&r, 9));
	}
	run_end(&r);
}

void run_every_recovery(int devices, int moves)
{
	for (int rule = 0; rule < TRACK_RECOVERIES; rule++)
		for (int engine = 0; engine < 2; engine++) {
			struct track_options o =
				run_options((enum track_recovery)rule, (enum track_engine)engine,
					    (uint64_t)(engine + rule + 1));
			struct run_places w;

			run_places_open(&w, devices + (rule == TRACK_RECOVERY_PEER), 2);
			/* the last device only stores states */
			if (rule == TRACK_RECOVERY_PEER)
				o.archive.peer = &w.place[--w.count];
			run_search(&w, &o, moves);
			w.count += rule == TRACK_RECOVERY_PEER;
			run_places_close(&w);
		}
}
