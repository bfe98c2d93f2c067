/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The entries of new layers in the history (Algorithm 1, line 9). */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>

#include "harness/base/clock.h"
#include "harness/base/team.h"

/* Packs candidates into entries of the history. Faster than track_history_add, which checks every
 * entry: here the sources are known to exist, and the OR of all successors shows whether one is too
 * large. */
enum { GRAIN = 1 << 17 }; /* with fewer entries, one thread is faster */

struct packing {
	const struct track_engine_list *list;
	void *entries;
	bool wide;
	uint32_t bits; /* OR of all successors, set by any thread */
};

static uint32_t pack_narrow(const struct track_engine_list *l, struct track_entry *to,
			    uint64_t from, uint64_t end)
{
	uint32_t bits = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct track_entry){ (uint16_t)l->source[i], (uint16_t)l->successor[i],
					      l->rating[i] };
		bits |= l->successor[i];
	}
	return bits;
}

static uint32_t pack_wide(const struct track_engine_list *l, struct track_wide_entry *to,
			  uint64_t from, uint64_t end)
{
	uint32_t none = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct track_wide_entry){ l->source[i], l->successor[i], l->rating[i] };
		none |= l->successor[i] == TRACK_NO_STEP;
	}
	return none;
}

static void pack(void *context, uint64_t from, uint64_t to, int thread)
{
	struct packing *w = context;
	uint32_t bits = w->wide ? pack_wide(w->list, w->entries, from, to) :
				  pack_narrow(w->list, w->entries, from, to);

	(void)thread;
	__atomic_fetch_or(&w->bits, bits, __ATOMIC_RELAXED);
}

static uint32_t highest_successor(const struct track_engine_list *l, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = l->successor[i] > most ? l->successor[i] : most;
	return most;
}

static bool fill(struct tracker *t, uint32_t layer)
{
	const struct track_history *h = t->history;
	struct packing w = { .list = &t->list,
			     .entries = h->layer[layer].entries,
			     .wide = h->wide };

	team_for(t->host.pool, h->layer[layer].count, GRAIN, pack, &w);
	return w.wide ? !w.bits : w.bits <= UINT16_MAX;
}

void track_engine_fill(struct tracker *t)
{
	double start = clock_wall();

	if (!t->unfilled)
		return;
	(void)fill(t, t->unfilled); /* children are counted, so all successors fit */
	t->unfilled = 0;
	t->figures.forward_seconds += clock_wall() - start;
}

const struct track_history *track_history(struct tracker *t)
{
	track_engine_fill(t);
	return t->history;
}

int track_engine_record(struct tracker *t, struct err *e)
{
	struct track_history *h = t->history;
	void *entries;
	int status = track_history_reserve(h, t->list.count, &entries, e);

	if (status)
		return status;
	if (h->wide && t->on_places && !t->place[0].ops->successors) {
		t->unfilled = h->layers;
		return 0;
	}
	if (fill(t, h->layers))
		return 0;
	track_history_cut(h, h->layers - 1);
	return err_set(e, ERR_FAILED,
		       "history: a successor %" PRIu32 " of layer %" PRIu32 " does not fit%s",
		       highest_successor(&t->list, t->list.count), t->layer + 1,
		       h->wide ? "" : " in 16 bits: the wide history is needed");
}
