/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The recovery engine, with domains whose functions the caller provides, on the cores. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/states/domain.h"
#include "harness/base/flags.h"
#include "library/internal.h"

/* ---- the domain that the tracker sees: its functions call those of the caller ---- */

struct library_domain {
	copra_domain caller;
};

static copra_step public_step(const struct track_step *at)
{
	return (copra_step){
		at->seed, at->iteration, at->source, at->successor, at->step, at->phase
	};
}

static int library_domain_execute(const struct library_domain *d, struct track_state s,
				  const struct track_step *at)
{
	const copra_step step = public_step(at);

	return d->caller.execute(d->caller.context, track_unit(s, 0), &step) != 0;
}

static void library_domain_assign(const struct library_domain *d, struct track_state s,
				  const struct track_step *at)
{
	const copra_step step = public_step(at);

	d->caller.assign(d->caller.context, track_unit(s, 0), &step);
}

static uint32_t library_domain_rate(const struct library_domain *d, struct track_state s)
{
	return d->caller.rate(d->caller.context, track_unit(s, 0));
}

static uint32_t library_domain_expand(const struct library_domain *d, struct track_state s)
{
	return d->caller.expand(d->caller.context, track_unit(s, 0));
}

static uint32_t library_domain_successor(const struct library_domain *d, struct track_state s,
					 uint32_t k)
{
	if (!d->caller.successor)
		return k;
	return d->caller.successor(d->caller.context, track_unit(s, 0), k);
}

#define TRACK_DOMAIN library_domain
#include "algorithms/koester-recovery/states/domain_host.h"
#include "algorithms/koester-recovery/tracking/track.h"

_Static_assert(COPRA_DROPPED == TRACK_DROPPED, "the rating of states that are never kept");

uint32_t copra_random(const copra_step *at, uint32_t draw)
{
	const struct track_step step = { at->seed,      at->layer, at->source,
					 at->successor, at->step,  at->phase };

	return track_random(&step, draw);
}

/* ---- trackers ---- */

enum { STATE_BYTES_MAX = 65536, TEAM_MAX = 1024 };

struct copra_tracker {
	struct library_domain functions;
	struct track_domain domain;
	struct track_places places;
	struct tracker *tracker;
	uint32_t beam;
	bool begun;
};

static int check_domain(const copra_domain *d, struct err *e)
{
	if (!d)
		return library_given(d, "domain", e);
	if (d->state_bytes < 1 || d->state_bytes > STATE_BYTES_MAX)
		return err_set(e, ERR_USAGE, "state_bytes is %zu: must be between 1 and %d",
			       d->state_bytes, STATE_BYTES_MAX);
	if (!d->execute || !d->assign || !d->rate || !d->expand)
		return err_set(e, ERR_USAGE, "execute, assign, rate and expand must be given");
	return 0;
}

static int make_options(const struct copra_settings *s, struct track_options *o, struct err *e)
{
	int recovery, status;

	if (s->beam < 1 || s->slots < 1 || s->beam > s->slots || s->slots > INT32_MAX)
		return err_set(e, ERR_USAGE,
			       "beam %lld and slots %lld: 1 <= beam <= slots is required",
			       (long long)s->beam, (long long)s->slots);
	if (s->look_ahead < 1 || s->look_ahead > 1024)
		return err_set(e, ERR_USAGE, "look-ahead: must be between 1 and 1024");
	status = flag_choose(&recovery, "recovery", s->recovery, track_recovery_words, e);
	if (status)
		return status;
	*o = track_options_default();
	o->beam = (uint32_t)s->beam;
	o->slots = (uint32_t)s->slots;
	o->look_ahead = (uint32_t)s->look_ahead;
	o->schedule = TRACK_EACH;
	o->expansion = TRACK_IRREGULAR;
	o->wide_history = o->slots > 65536;
	o->archive.recovery = (enum track_recovery)recovery;
	o->archive.distance =
		s->distance > 0 && s->distance < INT32_MAX ? (uint32_t)s->distance : 1;
	o->seed = s->seed;
	o->stop = s->stop;
	return 0;
}

static int open_tracker(copra_tracker *t, const copra_domain *domain,
			const struct copra_settings *s, struct err *e)
{
	struct track_options o;
	int status = check_domain(domain, e);

	if (!status)
		status = make_options(s, &o, e);
	if (status)
		return status;
	t->functions.caller = *domain;
	t->domain = (struct track_domain){ .name = "library",
					   .layout = { 1, (uint32_t)domain->state_bytes },
					   .parameters = &t->functions,
					   .parameter_bytes = sizeof(t->functions),
					   .host = &library_domain_ops_host };
	t->beam = o.beam;
	status = track_places_open(&t->places, NULL, 0, false, library_threads(s, TEAM_MAX),
				   (uint64_t)s->memory, e);
	if (status)
		return status;
	t->places.at[0]->stop = s->stop;
	return track_create(&t->tracker, &t->domain, &o, t->places.at, t->places.count, e);
}

int copra_tracker_create(copra_tracker **out, const copra_domain *domain,
			 const copra_settings *settings, copra_error *error)
{
	const struct copra_settings s = library_settings(settings);
	struct err e = { 0 };
	int status;

	*out = calloc(1, sizeof(**out));
	if (!*out)
		return library_error(error, err_set(&e, ERR_MEMORY, "no memory for a tracker"), &e);
	status = open_tracker(*out, domain, &s, &e);
	if (status) {
		copra_tracker_destroy(*out);
		*out = NULL;
	}
	return library_error(error, status, &e);
}

void copra_tracker_destroy(copra_tracker *t)
{
	if (!t)
		return;
	if (t->tracker)
		track_destroy(t->tracker);
	track_places_close(&t->places);
	free(t);
}

/* ---- the search ---- */

static int check_begun(const copra_tracker *t, struct err *e)
{
	return t->begun ? 0 : err_set(e, ERR_USAGE, "the search has not begun");
}

static int check_count(const copra_tracker *t, uint32_t count, struct err *e)
{
	if (count >= 1 && count <= t->beam)
		return 0;
	return err_set(e, ERR_USAGE, "%u states: must be between 1 and the beam, %u", count,
		       t->beam);
}

/* Whether all nodes exist. */
static int check_nodes(const copra_tracker *t, const copra_node *nodes, uint32_t count,
		       struct err *e)
{
	int status = check_begun(t, e);

	if (!status && count > 0)
		status = library_given(nodes, "nodes", e);
	for (uint32_t i = 0; i < count && !status; i++)
		if (nodes[i].slot >= copra_tracker_layer_count(t, nodes[i].layer))
			status = err_set(e, ERR_USAGE, "layer %u has no state %u", nodes[i].layer,
					 nodes[i].slot);
	return status;
}

int copra_tracker_begin(copra_tracker *t, const void *states, uint32_t count, copra_error *error)
{
	struct err e = { 0 };
	int status = check_count(t, count, &e);

	if (!status)
		status = library_given(states, "states", &e);
	if (!status)
		status = track_begin(t->tracker, states, count, &e);
	t->begun = t->begun || !status;
	return library_error(error, status, &e);
}

int copra_tracker_iterate(copra_tracker *t, copra_error *error)
{
	struct err e = { 0 };
	int status = check_begun(t, &e);

	if (!status)
		status = track_iterate(t->tracker, &e);
	return library_error(error, status, &e);
}

uint32_t copra_tracker_layer(const copra_tracker *t)
{
	return t->begun ? track_layer(t->tracker) : 0;
}

uint32_t copra_tracker_count(const copra_tracker *t)
{
	return t->begun ? track_count(t->tracker) : 0;
}

uint32_t copra_tracker_layer_count(const copra_tracker *t, uint32_t layer)
{
	const struct track_history *h = t->begun ? track_history(t->tracker) : NULL;

	return h && layer <= h->layers ? track_history_count(h, layer) : 0;
}

int copra_tracker_history(const copra_tracker *t, copra_node node, copra_node *parent,
			  uint32_t *successor, uint32_t *rating, copra_error *error)
{
	const struct track_node n = { node.layer, node.slot };
	struct track_node above = n;
	uint32_t choice = 0, value = 0;
	struct err e = { 0 };
	int status = check_nodes(t, &node, 1, &e);

	if (status)
		return library_error(error, status, &e);
	if (node.layer > 0) {
		track_history_get(track_history(t->tracker), n, NULL, &choice, &value);
		above = track_history_parent(track_history(t->tracker), n);
	}
	if (parent)
		*parent = (copra_node){ above.layer, above.slot };
	if (successor)
		*successor = choice;
	if (rating)
		*rating = value;
	return library_error(error, 0, &e);
}

/* The nodes in the tracker's type; the caller frees the array. NULL: no memory. */
static struct track_node *nodes_of(const copra_node *nodes, uint32_t count)
{
	struct track_node *all = malloc(((size_t)count + 1) * sizeof(*all));

	for (uint32_t i = 0; all && i < count; i++)
		all[i] = (struct track_node){ nodes[i].layer, nodes[i].slot };
	return all;
}

int copra_tracker_recover(copra_tracker *t, const copra_node *nodes, uint32_t count, void *states,
			  copra_error *error)
{
	struct err e = { 0 };
	int status = check_nodes(t, nodes, count, &e);
	struct track_node *all;

	if (!status && count > 0)
		status = library_given(states, "states", &e);
	all = status ? NULL : nodes_of(nodes, count);

	if (!status && !all)
		status = err_set(&e, ERR_MEMORY, "no memory for %u nodes", count);
	for (uint32_t i = 0, n; i < count && !status; i += n) { /* the buffers have `beam` states */
		n = count - i < t->beam ? count - i : t->beam;
		status = track_recover(t->tracker, all + i, n,
				       (char *)states + i * t->functions.caller.state_bytes, &e);
	}
	free(all);
	return library_error(error, status, &e);
}

int copra_tracker_backtrack(copra_tracker *t, const copra_node *nodes, uint32_t count,
			    copra_error *error)
{
	struct err e = { 0 };
	int status = check_count(t, count, &e);
	struct track_node *all;

	if (!status)
		status = check_nodes(t, nodes, count, &e);
	if (status)
		return library_error(error, status, &e);
	all = nodes_of(nodes, count);
	if (!all)
		status = err_set(&e, ERR_MEMORY, "no memory for %u nodes", count);
	else
		status = track_backtrack(t->tracker, all, count, &e);
	free(all);
	return library_error(error, status, &e);
}
