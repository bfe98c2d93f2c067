/* Runs of the tracker beside the plain one, compared after every step. Include after <cmocka.h>; on
 * simulated devices unless TRACKED_RUNS_ON is defined before as another backend's name. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_RUNS_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_RUNS_H

#include <stdio.h>

#include "algorithms/koester-recovery/tracking/track.h"
#include "harness/base/team.h"
#include "kernels/selftest/tracked.h"
#include "tests/unit/koester-recovery/tracked_plain.h"

#ifndef TRACKED_RUNS_ON
#define TRACKED_RUNS_ON "sim"
#endif

#define TRACK_DOMAIN tracked
#include "algorithms/koester-recovery/states/domain_host.h"

#define RUN_OK(call)                                                                               \
	do {                                                                                       \
		struct err run_err = { 0 };                                                        \
		int run_status = (call);                                                           \
		if (run_status)                                                                    \
			fail_msg("%s: %s", #call, run_err.text);                                   \
	} while (0)
#define RUN_E (&run_err)

struct places {
	struct dev_set set; /* count 0: the host */
	struct team *pool;
	struct track_place place[DEV_MAX];
	struct track_place *pointer[DEV_MAX];
	int count;
};

static void places_open(struct places *w, int devices, int threads)
{
	memset(w, 0, sizeof(*w));
	RUN_OK(team_create(&w->pool, threads, RUN_E));
	if (devices)
		RUN_OK(dev_set_open(&w->set, TRACKED_RUNS_ON, devices, RUN_E));
	w->count = devices ? devices : 1;
	for (int k = 0; k < w->count; k++) {
		RUN_OK(track_place_open(&w->place[k], devices ? w->set.dev[k] : NULL, w->pool, 0,
					RUN_E));
		w->pointer[k] = &w->place[k];
	}
}

static void places_close(struct places *w)
{
	for (int k = 0; k < w->count; k++) {
		assert_int_equal(w->place[k].used, 0);
		track_place_close(&w->place[k]);
	}
	if (w->set.count)
		dev_set_close(&w->set);
	team_destroy(w->pool);
}

struct run {
	struct plain plain;
	struct tracked parameters;
	struct track_domain domain;
	struct track_ops host, sim, cuda;
	struct tracker *t;
	struct track_figures before;
	uint32_t random; /* state of the test's own choices */
};

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

/* The plain run's options are the tracker's; o.slots, beam and the like must be set. */
static void run_begin(struct run *r, const struct places *w, const struct tracked *parameters,
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

static void run_end(struct run *r)
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

/* The current layer: its states and entries. */
static void run_compare(struct run *r)
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

/* counts: what the evaluation and the steps did is known to the tracker too. */
static inline void run_iterate(struct run *r, bool counts)
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

/* Recovers `count` states of random layers and compares them; the current ones stay. */
static inline void run_recover(struct run *r, uint32_t count)
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

static inline void run_backtrack(struct run *r, uint32_t count)
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

#endif
