/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recovery as in lines 5 to 20 of Algorithm 1: copies of all states, and one call of Algorithm 2
 * for all steps. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <stdlib.h>

#include "harness/base/clock.h"

static int check_place(const struct tracker *t, struct err *e)
{
	if (t->places != 1)
		return err_set(e, ERR_USAGE, "recovery in one call needs one place, not %d",
			       t->places);
	if (!t->history)
		return err_set(e, ERR_USAGE, "the search has not begun");
	return 0;
}

/* ---- lines 5 and 19 ---- */

/* Copies the current layer between two buffers of the place. */
static int copy_layer(struct tracker *t, const void *from, void *to, struct err *e)
{
	struct track_engine_place *q = &t->place[0];
	struct track_gather g = { .layout = t->domain->layout,
				  .to = to,
				  .to_slots = q->slots,
				  .count = t->count,
				  .from = { from },
				  .from_slots = { q->slots },
				  .sources = 1 };

	return q->p->common->gather(q->p, &g, e);
}

int track_cache_current(struct tracker *t, struct err *e)
{
	struct track_engine_place *q = &t->place[0];
	int status = check_place(t, e);

	if (status || (status = track_engine_need(q, &q->cached, q->slots, t->state_bytes, e)) ||
	    (status = copy_layer(t, q->current, q->cached.at, e)))
		return status;
	t->cached = true;
	return 0;
}

int track_restore_cached(struct tracker *t, struct err *e)
{
	struct track_engine_place *q = &t->place[0];
	int status = check_place(t, e);

	if (!status && !t->cached)
		status = err_set(e, ERR_USAGE, "layer %" PRIu32 " has not been cached", t->layer);
	if (status || (status = track_engine_settle(t, e)))
		return status;
	return copy_layer(t, q->cached.at, q->current, e);
}

/* ---- lines 11 to 17 ---- */

static int check_targets(const struct tracker *t, const struct track_node *targets, uint32_t count,
			 struct err *e)
{
	uint32_t layer = count ? targets[0].layer : 0;

	if (count < 1 || count > t->place[0].slots)
		return err_set(e, ERR_USAGE,
			       "%" PRIu32 " states to recover: must be between 1 and %" PRIu32,
			       count, t->place[0].slots);
	if (layer < 1 || layer > t->history->layers)
		return err_set(e, ERR_USAGE, "layer %" PRIu32 " cannot be replayed", layer);
	for (uint32_t l = 1; l <= layer; l++)
		if (t->history->layer[l].jump)
			return err_set(e, ERR_USAGE, "layer %" PRIu32 " was made by a jump", l);
	for (uint32_t i = 0; i < count; i++)
		if (targets[i].layer != layer ||
		    targets[i].slot >= track_history_count(t->history, layer))
			return err_set(e, ERR_USAGE,
				       "there is no state %" PRIu32 " of layer %" PRIu32
				       " among those of layer %" PRIu32,
				       targets[i].slot, targets[i].layer, layer);
	return 0;
}

static int entries_room(struct tracker *t, uint64_t entries, struct err *e)
{
	int status;

	if (entries <= t->entries_room)
		return 0;
	track_engine_host_free(t, t->entries);
	t->entries = NULL;
	t->entries_room = 0;
	status = track_engine_host_alloc(t, (void **)&t->entries,
					 2 * (size_t)entries * sizeof(*t->entries), e);
	t->entries_room = status ? 0 : entries;
	return status;
}

/* Looks up the entries of the states slot[0 .. count) of a layer. Their sources become `slot`. */
static void resolve_layer(const struct track_history *h, uint32_t layer, uint32_t count,
			  uint32_t *source, uint32_t *successor, uint32_t *slot)
{
	const void *entries = h->layer[layer].entries;
	const struct track_entry *narrow = entries;
	const struct track_wide_entry *wide = entries;

	for (uint32_t i = 0; i < count; i++) {
		source[i] = h->wide ? wide[slot[i]].source : narrow[slot[i]].source;
		successor[i] = h->wide ? wide[slot[i]].successor : narrow[slot[i]].successor;
		slot[i] = source[i];
	}
}

/* Line 11: follows all targets down to layer 0, a layer after the other. Writes the entries of
 * round r, which makes layer r + 1, and the slots of the inputs to `slot`. */
static void resolve(const struct tracker *t, const struct track_node *targets, uint32_t count,
		    uint32_t *source, uint32_t *successor, uint32_t *slot)
{
	for (uint32_t i = 0; i < count; i++)
		slot[i] = targets[i].slot;
	for (uint32_t r = targets[0].layer; r-- > 0;)
		resolve_layer(t->history, r + 1, count, source + (size_t)r * count,
			      successor + (size_t)r * count, slot);
}

/* Lines 11 to 16. `slot` has room for all targets. */
static int replay_together(struct tracker *t, const struct track_node *targets, uint32_t count,
			   uint32_t *slot, uint64_t *breaks, struct err *e)
{
	struct track_engine_place *q = &t->place[0];
	uint32_t rounds = targets[0].layer;
	uint64_t entries = (uint64_t)rounds * count;
	struct track_path path = { .rounds = rounds, .count = count };
	struct track_batch b = track_engine_batch(t, q, q->next, count, 0);
	int status = entries_room(t, entries, e);

	if (status)
		return status;
	resolve(t, targets, count, t->entries, t->entries + entries, slot);
	if ((status = track_archive_load(q->archive, 0, slot, count, q->next, q->slots, NULL, e)) ||
	    (status = track_engine_put(q, &q->paths.source, t->entries, entries, e)) ||
	    (status = track_engine_put(q, &q->paths.successor, t->entries + entries, entries, e)))
		return status;
	t->figures.loaded += count;
	path.source = q->paths.source.at;
	path.successor = q->paths.successor.at;
	return track_engine_follow(t, q, &b, &path, breaks, e);
}

int track_recover_in_one_call(struct tracker *t, const struct track_node *targets, uint32_t count,
			      uint64_t *breaks, struct err *e)
{
	double start = clock_wall();
	int status = check_place(t, e), sync;
	uint32_t *slot;

	if (status || (status = check_targets(t, targets, count, e)) ||
	    (status = track_engine_settle(t, e)))
		return status;
	t->recovered = 0;
	track_engine_fill(t);
	slot = malloc(count * sizeof(*slot));
	if (!slot)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " slots", count);
	status = replay_together(t, targets, count, slot, breaks, e);
	sync = track_sync(t->place[0].p, status ? NULL : e); /* copies may be pending */
	free(slot);
	if (status || sync)
		return status ? status : sync;
	t->recovered = count;
	t->figures.recover_seconds += clock_wall() - start;
	return 0;
}
