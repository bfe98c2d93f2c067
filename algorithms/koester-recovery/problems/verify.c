/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Independent checks of results. */
#include "algorithms/koester-recovery/problems/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/matrix/matrix_states.h"
#include "datasets/samegame/samegame.h"

int track_verify_pfsp(const struct flowshop *f, const struct track_outcome *o, struct err *e)
{
	const struct flowshop_known *known = flowshop_known_of(f);
	char why[256];
	int64_t makespan;

	if (!o->found || !o->solution)
		return err_set(e, ERR_FAILED, "%s: no schedule was found", f->name);
	if (o->length != (size_t)f->jobs)
		return err_set(e, ERR_FAILED, "%s: the schedule has %zu jobs; the instance has %d",
			       f->name, o->length, f->jobs);
	makespan = flowshop_makespan(f, o->solution);
	if (makespan < 0)
		return err_set(e, ERR_FAILED, "%s: the schedule is not a permutation of the jobs",
			       f->name);
	if (makespan != o->objective)
		return err_set(e, ERR_FAILED,
			       "%s: the schedule has makespan %" PRId64
			       ", the result says %" PRId64,
			       f->name, makespan, o->objective);
	if (known &&
	    flowshop_compare(known, makespan, 0, why, sizeof(why)) == FLOWSHOP_CONTRADICTS_PROOF)
		return err_set(e, ERR_FAILED, "%s", why);
	return 0;
}

int track_verify_samegame(const struct samegame *g, const struct track_outcome *o, struct err *e)
{
	int64_t score = 0;

	if (!o->found || (!o->solution && o->length))
		return err_set(e, ERR_FAILED, "%s: no game was found", g->name);
	if (samegame_score(g, o->solution, o->length, &score, e)) {
		err_prefix(e, "%s: not a game", g->name);
		return ERR_FAILED;
	}
	if (score != o->objective)
		return err_set(e, ERR_FAILED,
			       "%s: the game scores %" PRId64 ", the result says %" PRId64, g->name,
			       score, o->objective);
	return 0;
}

int track_verify_states(const void *recovered, const void *recorded, uint32_t count, size_t bytes,
			const struct track_node *targets, struct err *e)
{
	const unsigned char *a = recovered, *b = recorded;

	for (uint32_t i = 0; i < count; i++, a += bytes, b += bytes) {
		size_t at = 0;

		if (memcmp(a, b, bytes) == 0)
			continue;
		while (a[at] == b[at])
			at++;
		return err_set(e, ERR_FAILED,
			       "state %" PRIu32 " of layer %" PRIu32
			       " was recovered wrongly, from byte %zu on",
			       targets[i].slot, targets[i].layer, at);
	}
	return 0;
}

/* ==== the synthetic model ==== */

enum { SIMULATED_STATES = 512 };

struct oracle {
	const struct track_synthetic_run *run;
	struct matrix_states model;
	struct matrix_schedule forward, evaluation;
	struct track_node *path;
	struct matrix_round *rounds;
	unsigned char *state, *seen;
};

static int oracle_open(struct oracle *o, const struct track_synthetic_run *r, struct err *e)
{
	const struct track_synthetic_setup *s = &r->setup;
	const struct track_synthetic_options *m = &s->model;
	size_t layers = (size_t)track_layer(r->tracker) + 1;
	bool fixed = s->schedule == TRACK_SYNTHETIC_PRINTED;
	const struct matrix_states sizes = {
		.rows = m->rows,
		.columns = m->columns,
		.load = m->load,
		.state_bytes = m->state_bytes,
		.break_probability = m->break_probability,
		.seed = m->seed,
	};

	*o = (struct oracle){ .run = r };
	o->forward = (struct matrix_schedule){
		.seed = s->seed,
		.steps = 1,
		.first = !fixed,
		.last = fixed,
		.fixed = fixed,
	};
	o->evaluation = o->forward;
	o->evaluation.steps = s->look_ahead;
	o->evaluation.breaks = fixed ? track_synthetic_breaks(s) : 0;
	o->path = malloc(layers * sizeof(*o->path));
	o->rounds = malloc(layers * sizeof(*o->rounds));
	o->state = malloc(m->state_bytes);
	o->seen = malloc(m->state_bytes);
	if (!o->path || !o->rounds || !o->state || !o->seen)
		return err_set(e, ERR_MEMORY, "no memory to check states");
	return matrix_states_create(&o->model, &sizes, e);
}

static void oracle_close(struct oracle *o)
{
	matrix_states_free(&o->model);
	free(o->path);
	free(o->rounds);
	free(o->state);
	free(o->seen);
}

/* Computes the state of a node into o->state. */
static void make_state(struct oracle *o, struct track_node n)
{
	const struct track_history *h = track_history(o->run->tracker);
	uint32_t length = track_history_trace(h, n, 0, o->path, track_layer(o->run->tracker) + 1);
	uint32_t rounds = 0, rating;

	matrix_states_input(&o->model, o->path[0].slot, o->state);
	for (uint32_t i = 1; i < length; i++) {
		struct matrix_round *round = &o->rounds[rounds];

		if (h->layer[o->path[i].layer].jump)
			continue;
		round->iteration = o->path[i].layer;
		track_history_get(h, o->path[i], &round->source, &round->successor, &rating);
		rounds++;
	}
	matrix_follow(&o->model, &o->forward, o->rounds, rounds, o->state, NULL);
}

static int compare(struct oracle *o, struct track_node n, const void *state, struct err *e)
{
	make_state(o, n);
	return track_verify_states(state, o->state, 1, o->run->setup.model.state_bytes, &n, e);
}

int track_synthetic_verify_states(const struct track_synthetic_run *r,
				  const struct track_node *targets, uint32_t count,
				  const void *states, struct err *e)
{
	size_t bytes = r->setup.model.state_bytes;
	struct oracle o;
	int status = oracle_open(&o, r, e);

	for (uint32_t i = 0; !status && i < count; i++)
		status = compare(&o, targets[i], (const unsigned char *)states + i * bytes, e);
	oracle_close(&o);
	return status;
}

/* ---- recovery in one call ---- */

enum { READ_BYTES = 4 << 20 }; /* of recovered states at once */

/* The batch of a recovery in one call. */
struct together {
	const struct track_node *targets;
	uint32_t count, layers;
	struct matrix_round *rounds; /* [layers * count]: layer by layer */
	uint32_t *input;             /* [count] */
	unsigned char *seen;
	uint32_t read; /* states that fit in `seen` */
};

static int together_open(struct together *w, const struct oracle *o,
			 const struct track_node *targets, uint32_t count, struct err *e)
{
	uint32_t bytes = o->run->setup.model.state_bytes;
	size_t steps = (size_t)targets[0].layer * count;

	*w = (struct together){ .targets = targets, .count = count, .layers = targets[0].layer };
	if (w->layers > 32)
		return err_set(e, ERR_USAGE, "%" PRIu32 " layers in one call: at most 32",
			       w->layers);
	w->read = bytes < READ_BYTES ? READ_BYTES / bytes : 1;
	w->rounds = malloc(steps * sizeof(*w->rounds));
	w->input = malloc(count * sizeof(*w->input));
	w->seen = malloc((size_t)w->read * bytes);
	if (!w->rounds || !w->input || !w->seen)
		return err_set(e, ERR_MEMORY, "no memory to check %" PRIu32 " states", count);
	return 0;
}

static void together_close(struct together *w)
{
	free(w->rounds);
	free(w->input);
	free(w->seen);
}

static void trace_all(struct together *w, struct oracle *o)
{
	const struct track_history *h = track_history(o->run->tracker);
	uint32_t rating;

	for (uint32_t i = 0; i < w->count; i++) {
		track_history_trace(h, w->targets[i], 0, o->path, w->layers + 1);
		w->input[i] = o->path[0].slot;
		for (uint32_t l = 0; l < w->layers; l++) {
			struct matrix_round *round = &w->rounds[(size_t)l * w->count + i];

			round->iteration = l + 1;
			track_history_get(h, o->path[l + 1], &round->source, &round->successor,
					  &rating);
		}
	}
}

static int compare_together(struct together *w, struct oracle *o, const struct matrix_schedule *s,
			    struct matrix_counts *counts, struct err *e)
{
	uint32_t breaks = 0, bytes = o->run->setup.model.state_bytes;
	int status = matrix_path_breaks(&o->model, s, o->run->setup.fill_rate, w->rounds, w->count,
					&breaks, e);

	for (uint32_t i = 0; !status && i < w->count; i++) {
		uint32_t at = i % w->read, rest = w->count - i;

		if (at == 0)
			status = track_read_recovered(o->run->tracker, i,
						      rest < w->read ? rest : w->read, w->seen, e);
		matrix_states_input(&o->model, w->input[i], o->state);
		matrix_follow_path(&o->model, s, breaks, &w->rounds[i], w->count, o->state, counts);
		if (!status)
			status = track_verify_states(w->seen + (size_t)at * bytes, o->state, 1,
						     bytes, &w->targets[i], e);
	}
	counts->breaks = (uint32_t)__builtin_popcount(breaks);
	return status;
}

int track_synthetic_verify_one_call(const struct track_synthetic_run *r,
				    const struct track_node *targets, uint32_t count,
				    struct matrix_counts *counts, struct err *e)
{
	struct matrix_schedule s = { .seed = r->setup.seed,
				     .steps = targets[0].layer,
				     .first = true };
	struct together w = { 0 };
	struct oracle o;
	int status = oracle_open(&o, r, e);

	*counts = (struct matrix_counts){ 0 };
	if (!status)
		status = together_open(&w, &o, targets, count, e);
	if (!status) {
		trace_all(&w, &o);
		status = compare_together(&w, &o, &s, counts, e);
	}
	together_close(&w);
	oracle_close(&o);
	return status;
}

/* ---- ratings ---- */

/* Rates a child that advances independently. */
static int verify_rating(struct oracle *o, struct track_node n, struct err *e)
{
	const struct track_history *h = track_history(o->run->tracker);
	struct matrix_round round = { .iteration = n.layer };
	uint32_t rating, expected;

	track_history_get(h, n, &round.source, &round.successor, &rating);
	make_state(o, track_history_parent(h, n));
	matrix_follow(&o->model, &o->evaluation, &round, 1, o->state, NULL);
	expected = matrix_rating(&o->model, o->state);
	if (rating != expected)
		return err_set(e, ERR_FAILED,
			       "state %" PRIu32 " of layer %" PRIu32 " has rating %" PRIu32
			       ", not %" PRIu32,
			       n.slot, n.layer, rating, expected);
	return 0;
}

static uint32_t parents_of(const struct oracle *o, uint32_t layer)
{
	return layer == 1 ? o->run->setup.inputs :
			    track_history_count(track_history(o->run->tracker), layer - 1);
}

/* Makes all children of the layer, in order, from the states of that layer. */
static int make_children(struct oracle *o, uint32_t layer, unsigned char *states,
			 struct matrix_round *rounds)
{
	const struct track_synthetic_setup *s = &o->run->setup;
	uint32_t parents = parents_of(o, layer);
	uint32_t each = (s->states + parents - 1) / parents, count = 0;
	size_t bytes = s->model.state_bytes;

	for (uint32_t p = 0; p < parents; p++) {
		make_state(o, (struct track_node){ layer - 1, p });
		for (uint32_t k = 0; k < each && count < s->states; k++, count++) {
			memcpy(states + count * bytes, o->state, bytes);
			rounds[count] = (struct matrix_round){ layer, p, k };
		}
	}
	return (int)count;
}

static int compare_ratings(struct oracle *o, uint32_t layer, const unsigned char *states,
			   struct err *e)
{
	const struct track_synthetic_setup *s = &o->run->setup;
	const struct track_history *h = track_history(o->run->tracker);
	uint32_t parents = parents_of(o, layer), each = (s->states + parents - 1) / parents;
	uint32_t source, successor, rating;

	for (uint32_t i = 0; i < track_history_count(h, layer); i++) {
		track_history_get(h, (struct track_node){ layer, i }, &source, &successor, &rating);
		if (rating !=
		    matrix_rating(&o->model, states + ((size_t)source * each + successor) *
							      s->model.state_bytes))
			return err_set(e, ERR_FAILED,
				       "state %" PRIu32 " of layer %" PRIu32
				       " has another rating when all are simulated together",
				       i, layer);
	}
	return 0;
}

static int verify_breaks(const struct track_synthetic_run *r, uint64_t expected, struct err *e)
{
	struct track_figures f;

	track_figures(r->tracker, &f);
	if (f.breaks != expected)
		return err_set(e, ERR_FAILED, "%" PRIu64 " breaks; expected: %" PRIu64, f.breaks,
			       expected);
	return 0;
}

/* Simulates Algorithm 2 on all children of the last layer and compares the ratings. */
static int verify_together(struct oracle *o, struct err *e)
{
	const struct track_synthetic_setup *s = &o->run->setup;
	uint32_t layer = track_layer(o->run->tracker);
	unsigned char *states = malloc((size_t)s->states * s->model.state_bytes);
	struct matrix_round *rounds = malloc(s->states * sizeof(*rounds));
	struct matrix_counts counts = { 0 };
	int status;

	if (!states || !rounds) {
		status = err_set(e, ERR_MEMORY, "no memory to check ratings");
	} else {
		int count = make_children(o, layer, states, rounds);

		status = matrix_together(&o->model, &o->evaluation, s->fill_rate, rounds,
					 (uint32_t)count, states, &counts, e);
	}
	if (!status)
		status = compare_ratings(o, layer, states, e);
	if (!status)
		status = verify_breaks(o->run, counts.breaks, e);
	free(states);
	free(rounds);
	return status;
}

static int verify_sample(struct oracle *o, struct track_node n, struct err *e)
{
	int status = track_read(o->run->tracker, n.slot, 1, o->seen, e);

	if (!status)
		status = compare(o, n, o->seen, e);
	if (!status && n.layer && o->run->setup.schedule != TRACK_SYNTHETIC_TOGETHER &&
	    !track_history(o->run->tracker)->layer[n.layer].jump)
		status = verify_rating(o, n, e);
	return status;
}

int track_synthetic_verify(const struct track_synthetic_run *r, uint32_t samples, struct err *e)
{
	uint32_t count = track_count(r->tracker), layer = track_layer(r->tracker);
	bool together = r->setup.schedule == TRACK_SYNTHETIC_TOGETHER && layer > 0, certain;
	struct oracle o;
	int status = oracle_open(&o, r, e);

	if (!status && count != r->setup.beam)
		status = err_set(e, ERR_FAILED,
				 "%" PRIu32 " states in the layer; expected: %" PRIu32, count,
				 r->setup.beam);
	samples = samples < count ? samples : count;
	for (uint32_t i = 0; !status && i < samples; i++) {
		uint32_t slot =
			samples < 2 ? 0 : (uint32_t)((uint64_t)i * (count - 1) / (samples - 1));

		status = verify_sample(&o, (struct track_node){ layer, slot }, e);
	}
	if (!status && together && r->setup.states <= SIMULATED_STATES) {
		status = verify_together(&o, e);
	} else if (!status && together) {
		uint32_t breaks = track_synthetic_many_breaks(&r->setup, 6, &certain);

		status = certain ? verify_breaks(r, breaks, e) : 0;
	}
	oracle_close(&o);
	return status;
}

/* ---- counts ---- */

uint32_t track_synthetic_many_breaks(const struct track_synthetic_setup *s, double sigmas,
				     bool *certain)
{
	double q = s->model.break_probability, moving = 1;
	uint32_t breaks = 0;

	*certain = true;
	for (uint32_t step = 1; step <= s->look_ahead; step++) {
		double share, sigma;

		moving *= 1 - q; /* share of states that have not waited up to this step */
		share = 1 - moving;
		sigma = sqrt(share * moving / s->states);
		if (s->fill_rate == 0) /* one waiting state causes a break */
			*certain = *certain && s->states * share > 10 * sigmas;
		else if (s->fill_rate < 1 && step < s->look_ahead &&
			 fabs(share - s->fill_rate) <= sigmas * sigma)
			*certain = false;
		if (step < s->look_ahead && share <= s->fill_rate)
			continue;
		breaks++;
		moving = 1;
	}
	return breaks;
}

/* An iteration assigns all states after the steps of the schedule and after the last step. */
int track_synthetic_verify_counts(const struct track_synthetic_run *r, struct err *e)
{
	const struct track_synthetic_setup *s = &r->setup;
	uint32_t last = UINT32_C(1) << (s->look_ahead - 1);
	uint64_t evaluated, executions, assignments;
	struct track_figures f;

	if (s->schedule != TRACK_SYNTHETIC_PRINTED)
		return 0;
	track_figures(r->tracker, &f);
	evaluated = r->iterations * s->states;
	executions = evaluated * s->look_ahead + r->iterations * s->beam + f.replayed;
	assignments = evaluated * (uint64_t)__builtin_popcount(track_synthetic_breaks(s) | last) +
		      r->iterations * s->beam + f.replayed;
	if (f.children != evaluated || f.executions != executions || f.assignments != assignments)
		return err_set(e, ERR_FAILED,
			       "%" PRIu64 " children, %" PRIu64 " executions, %" PRIu64
			       " assignments; expected: %" PRIu64 ", %" PRIu64 ", %" PRIu64,
			       f.children, f.executions, f.assignments, evaluated, executions,
			       assignments);
	return 0;
}
