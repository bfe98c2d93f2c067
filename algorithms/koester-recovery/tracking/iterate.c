/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 1: start and iterations. Makes the states of the new layer and its entries in the
 * history. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

/* ---- the states of the new layer ---- */

static uint32_t share_of(const struct tracker *t, uint32_t count, int k)
{
	return track_engine_share(t, count, k + 1) - track_engine_share(t, count, k);
}

/* Makes the states from the entries that the places hold. Several places have waited for the last
 * iteration since. A single place need not: its stream keeps the order. So `current` is complete
 * and `next` is free. */
static int forward_on_places(struct tracker *t, uint32_t count, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		const struct track_engine_entries *s = track_engine_chosen(t, q);
		uint32_t n = share_of(t, count, k);
		struct track_gather g = track_engine_from_current(t, q, n);
		struct track_batch b = track_engine_batch(t, q, q->next, n, t->layer + 1);

		if (n == 0)
			continue;
		g.from_slot = b.source = s->source.at;
		b.successor = s->successor.at;
		status = q->p->common->gather(q->p, &g, e);
		if (!status)
			status = track_engine_step(t, q, &b, e);
	}
	return status;
}

/* Algorithm 1, lines 11 to 20: recovers the parents from the archive, or from the inputs. */
static int parents_recovered(struct tracker *t, uint32_t count, struct err *e)
{
	struct track_node *parent = malloc(count * sizeof(*parent));
	int status;

	if (!parent)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " states to recover", count);
	for (uint32_t i = 0; i < count; i++)
		parent[i] = (struct track_node){ t->layer, t->list.source[i] };
	status = track_engine_rebuild(t, parent, count, false, e);
	free(parent);
	return status;
}

static int parents_from_current(struct tracker *t, uint32_t count, struct err *e)
{
	int status = track_engine_meet(t, e);

	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, count, k);
		uint32_t n = track_engine_share(t, count, k + 1) - from;
		struct track_gather g = track_engine_from_current(t, q, n);

		if (n == 0)
			continue;
		if ((status = track_engine_put(q, &q->step_source, t->list.source + from, n, e)))
			return status;
		g.from_slot = q->step_source.at;
		status = q->p->common->gather(q->p, &g, e);
	}
	return status;
}

/* Makes the states of the layer from their parents, in `next`. The entries are in t->list or, with
 * t->on_places, on the places. */
static int make_states(struct tracker *t, uint32_t count, struct err *e)
{
	int status;

	if (t->on_places)
		return forward_on_places(t, count, e);
	status = t->o.engine == TRACK_PUBLISHED ? parents_recovered(t, count, e) :
						  parents_from_current(t, count, e);
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, count, k);
		uint32_t n = track_engine_share(t, count, k + 1) - from;
		struct track_batch b = track_engine_batch(t, q, q->next, n, t->layer + 1);

		if ((status = track_engine_put(q, &q->step_source, t->list.source + from, n, e)) ||
		    (status = track_engine_put(q, &q->step_successor, t->list.successor + from, n,
					       e)))
			return status;
		b.source = q->step_source.at;
		b.successor = q->step_successor.at;
		status = track_engine_step(t, q, &b, e);
	}
	return status ? status : track_engine_meet(t, e);
}

/* ---- the new layer ---- */

/* Copies entries of the place to the host, from element `from` of the list on, while it makes the
 * states. */
static int fetch_from(struct tracker *t, struct track_engine_place *q, uint32_t from,
		      uint32_t count, struct err *e)
{
	const struct track_engine_entries *s = track_engine_chosen(t, q);
	struct track_engine_list *l = &t->list;
	size_t bytes = count * sizeof(uint32_t);
	struct dev_stream *c = q->p->copies;
	int status;

	if (!q->p->device) {
		if ((status = track_from(q->p, l->source + from, s->source.at, bytes, e)) ||
		    (status = track_from(q->p, l->successor + from, s->successor.at, bytes, e)))
			return status;
		return track_from(q->p, l->rating + from, s->rating.at, bytes, e);
	}
	if ((status = dev_event_record(q->chosen, q->p->stream, e)) ||
	    (status = dev_stream_wait(c, q->chosen, e)) ||
	    (status = t->bounded ? dev_copy_from(c, &q->reported->kept, q->kept.at,
						 sizeof(q->reported->kept), e) :
				   0) ||
	    (status = dev_copy_from(c, l->source + from, s->source.at, bytes, e)) ||
	    (status = dev_copy_from(c, l->successor + from, s->successor.at, bytes, e)))
		return status;
	return dev_copy_from(c, l->rating + from, s->rating.at, bytes, e);
}

static int fetch_entries(struct tracker *t, uint32_t count, struct err *e)
{
	int status;

	track_engine_empty_list(t);
	if ((status = track_engine_list_room(t, count, e)))
		return status;
	t->list.count = count;
	for (int k = 0; !status && k < t->places; k++) {
		uint32_t n = share_of(t, count, k);

		if (n)
			status = fetch_from(t, &t->place[k], track_engine_share(t, count, k), n, e);
	}
	return status;
}

/* Waits for these copies; returns `status` if it is not 0. */
static int end_fetch(struct tracker *t, int status, struct err *e)
{
	for (int k = 0; k < t->places; k++)
		status = dev_drain(t->place[k].p->copies, status, e);
	return status;
}

/* Cuts off the surplus states of a layer whose size was only bounded. */
static int cut_layer(struct tracker *t, bool *expanded, struct err *e)
{
	uint32_t kept = t->place[0].reported->kept, more = t->chosen - kept;

	t->drops = more > 0;
	if (!t->drops)
		return 0;
	track_engine_count_steps(t, -(int64_t)more);
	t->chosen = t->list.count = kept;
	return kept ? track_engine_expand_next(t, kept, expanded, e) : 0;
}

static int make_layer(struct tracker *t, struct err *e)
{
	double start = clock_wall();
	bool expanded = false;
	int status = 0;

	if (t->on_places)
		status = fetch_entries(t, t->chosen, e);
	if (!status)
		status = make_states(t, t->chosen, e);
	if (!status)
		status = track_engine_expand_next(t, t->chosen, &expanded, e);
	if (t->on_places)
		status = end_fetch(t, status, e);
	if (!status)
		track_engine_end_together(t);
	if (!status && t->bounded)
		status = cut_layer(t, &expanded, e);
	t->ended = !status && t->chosen == 0;
	if (!status && !t->ended)
		status = track_engine_record(t, e);
	if (status)
		return status;
	t->figures.forward_seconds += clock_wall() - start;
	if (t->ended)
		return 0;
	track_engine_take(t, t->history->layers, t->chosen);
	t->expanded = expanded;
	return 0;
}

static int iterate(struct tracker *t, struct err *e)
{
	int status;

	if (track_count(t) == 0)
		return err_set(e, ERR_USAGE, "there are no states to continue from");
	if ((status = track_engine_check_stop(t, e)) || (status = track_engine_settle(t, e)) ||
	    (status = track_engine_offer(t, e)))
		return status;
	t->recovered = 0;
	if ((status = track_engine_best_children(t, e)))
		return status;
	t->ended = t->chosen == 0;
	return t->ended ? 0 : make_layer(t, e);
}

int track_iterate(struct tracker *t, struct err *e)
{
	int status;

	for (int k = 0; k < t->places; k++)
		t->place[k].p->stop = t->o.stop;
	status = iterate(t, e);
	for (int k = 0; k < t->places; k++)
		t->place[k].p->stop = NULL;
	return status;
}

/* ---- the beginning ---- */

static int write_inputs(struct tracker *t, const unsigned char *inputs, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++) {
		uint32_t from = track_engine_share(t, t->count, k);

		status = track_engine_write_states(t, &t->place[k], t->place[k].current, 0,
						   track_engine_share(t, t->count, k + 1) - from,
						   inputs + from * t->state_bytes, e);
	}
	return status;
}

int track_begin(struct tracker *t, const void *inputs, uint32_t count, struct err *e)
{
	int status;

	if (t->history)
		return err_set(e, ERR_USAGE, "the search has already begun");
	if (count < 1 || count > t->o.beam)
		return err_set(e, ERR_USAGE, "%" PRIu32 " inputs: must be between 1 and %" PRIu32,
			       count, t->o.beam);
	if ((status = track_history_create(&t->history, count, t->o.wide_history,
					   t->o.history_limit, e)))
		return status;
	t->count = count;
	if ((status = write_inputs(t, inputs, e)) || (status = track_engine_offer(t, e))) {
		/* otherwise the next track_begin would find these inputs kept */
		for (int k = 0; k < t->places; k++)
			track_archive_clear(t->place[k].archive);
		track_history_destroy(t->history);
		t->history = NULL;
		t->count = 0;
	}
	return status;
}

int track_wait(struct tracker *t, struct err *e)
{
	int status = track_engine_wait(t, e);

	return status ? status : track_engine_settle(t, e);
}
