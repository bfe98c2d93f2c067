/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recovery: every place rebuilds its share of the targets in its buffer `next`. Devices trace and
 * replay paths in one call where possible; otherwise the host makes a plan. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/koester-recovery/recovery/plan.h"
#include "kernels/koester-recovery/ops.h"

/* ==== on devices without the host ==== */

/* Paths are traced on the device, in a copy of the history (the mirror), and replayed in one call.
 * The mirror is updated when a recovery needs it. */

/* Maximum size of the paths that are replayed together. */
static const uint64_t path_bytes = (uint64_t)256 << 20;

/* ---- the mirror ---- */

static size_t entry_bytes(const struct track_history *h)
{
	return h->wide ? sizeof(struct track_wide_entry) : sizeof(struct track_entry);
}

/* Indices of the first entry of each layer up to `layers`, and of the first source of each jump
 * layer. */
struct numbers {
	uint32_t layers;
	uint64_t *entry_at, *from_at;
	uint64_t entries, froms;
};

static int number_layers(const struct track_history *h, struct numbers *n, struct err *e)
{
	size_t layers = (size_t)n->layers + 1;

	n->entry_at = malloc(2 * layers * sizeof(uint64_t));
	if (!n->entry_at)
		return err_set(e, ERR_MEMORY, "no memory for %zu layers of history", layers);
	n->from_at = n->entry_at + layers;
	n->entries = n->froms = 0;
	n->entry_at[0] = 0;
	n->from_at[0] = TRACK_TRACE_STEP;
	for (uint32_t l = 1; l <= n->layers; l++) {
		n->entry_at[l] = n->entries;
		n->from_at[l] = h->layer[l].jump ? n->froms : TRACK_TRACE_STEP;
		n->entries += h->layer[l].count;
		n->froms += h->layer[l].jump ? h->layer[l].count : 0;
	}
	return 0;
}

static void drop_paths(struct track_engine_place *q)
{
	struct track_engine_paths *w = &q->paths;

	track_engine_drop(q, &w->source);
	track_engine_drop(q, &w->successor);
}

static void drop_mirror(struct track_engine_place *q)
{
	drop_paths(q);
	track_engine_drop(q, &q->mirror.entries);
	q->mirror.layers = 0;
}

/* Makes room for twice the entries. If there is not enough memory, and no kept layers need it
 * later: for the entries alone, in place of the paths. */
static int entries_room(const struct tracker *t, struct track_engine_place *q,
			const struct numbers *n, struct err *e)
{
	const struct track_history *h = t->history;
	struct track_engine_array *a = &q->mirror.entries;
	int status = track_engine_need(q, a, 2 * n->entries + 1, entry_bytes(h), e);

	if (status != ERR_MEMORY || t->o.archive.recovery != TRACK_RECOVERY_REPLAY)
		return status;
	status = track_engine_need(q, a, n->entries + 1, entry_bytes(h), e);
	if (status != ERR_MEMORY)
		return status;
	drop_paths(q);
	return track_engine_need(q, a, n->entries + 1, entry_bytes(h), e);
}

/* A mirror that grows is filled again from the start. */
static int mirror_room(const struct tracker *t, struct track_engine_place *q,
		       const struct numbers *n, struct err *e)
{
	const struct track_history *h = t->history;
	struct track_engine_mirror *m = &q->mirror;
	bool grows = n->entries * entry_bytes(h) > m->entries.bytes ||
		     n->froms * sizeof(uint32_t) > m->from.bytes || !m->entries.at || !m->from.at;
	int status;

	if (grows)
		m->layers = 0;
	if ((grows && (status = entries_room(t, q, n, e))) ||
	    (grows && (status = track_engine_need_words(q, &m->from, 2 * n->froms, e))))
		return status;
	if ((status = track_engine_need(q, &m->entry_at, 2 * (uint64_t)n->layers + 2,
					sizeof(uint64_t), e)))
		return status;
	return track_engine_need(q, &m->from_at, 2 * (uint64_t)n->layers + 2, sizeof(uint64_t), e);
}

/* ---- copies through the pinned memory of the list, which is unused between iterations ---- */

struct piece {
	unsigned char *to;
	const unsigned char *from;
};

static void copy_piece(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct piece *c = context;

	(void)thread;
	memcpy(c->to + from, c->from + from, to - from);
}

/* Copies to the place. All cores copy to pinned memory: the driver uses one for other memory. */
static int upload(struct tracker *t, struct track_engine_place *q, unsigned char *to,
		  const void *from, size_t bytes, struct err *e)
{
	enum { PARTS = 3, GRAIN = 1 << 16 };
	void *part[PARTS] = { t->list.source, t->list.successor, t->list.rating };
	size_t most = t->list.room * sizeof(uint32_t);
	int status = 0, i = 0;

	if (!t->on_places || bytes < GRAIN || most < GRAIN)
		return track_to(q->p, to, from, bytes, e);
	for (size_t at = 0; !status && at < bytes; at += most, i++) {
		size_t now = bytes - at < most ? bytes - at : most;
		struct piece c = { part[i % PARTS], (const unsigned char *)from + at };

		if (i % PARTS == 0 && (status = track_sync(q->p, e)))
			return status;
		team_for(t->host.pool, now, GRAIN, copy_piece, &c);
		status = track_to(q->p, to + at, c.to, now, e);
	}
	return status;
}

static int mirror_layer(struct tracker *t, struct track_engine_place *q, const struct numbers *n,
			uint32_t layer, struct err *e)
{
	const struct track_history *h = t->history;
	const struct track_history_layer *l = &h->layer[layer];
	struct track_engine_mirror *m = &q->mirror;
	int status =
		upload(t, q, (unsigned char *)m->entries.at + n->entry_at[layer] * entry_bytes(h),
		       l->entries, l->count * entry_bytes(h), e);

	if (status || !l->jump)
		return status;
	return track_to(q->p, (uint32_t *)m->from.at + n->from_at[layer], l->from,
			l->count * sizeof(uint32_t), e);
}

static int fill_mirror(struct tracker *t, struct track_engine_place *q, const struct numbers *n,
		       struct err *e)
{
	struct track_engine_mirror *m = &q->mirror;
	size_t bytes = ((size_t)n->layers + 1) * sizeof(uint64_t);
	int status = mirror_room(t, q, n, e);

	for (uint32_t l = m->layers + 1; !status && l <= n->layers; l++)
		status = mirror_layer(t, q, n, l, e);
	if (status || (status = track_to(q->p, m->entry_at.at, n->entry_at, bytes, e)))
		return status;
	return track_to(q->p, m->from_at.at, n->from_at, bytes, e);
}

/* Brings the mirror up to layer `top`. */
static int update_mirror(struct tracker *t, struct track_engine_place *q, uint32_t top,
			 struct err *e)
{
	struct numbers n = { .layers = top };
	int status, sync;

	if (q->mirror.layers >= top && q->mirror.entry_at.at)
		return 0;
	if ((status = number_layers(t->history, &n, e)))
		return status;
	status = fill_mirror(t, q, &n, e);
	sync = track_sync(q->p, status ? NULL : e); /* the copies may be pending */
	status = status ? status : sync;
	q->mirror.layers = status ? 0 : top;
	free(n.entry_at);
	return status;
}

/* ---- the layer where a replay starts ---- */

struct span {
	uint32_t down_to, top;
};

/* Prepares a gather from the states of a layer. Returns false if this place cannot read all of
 * them. */
static bool find_states(const struct tracker *t, const struct track_engine_place *q, uint32_t layer,
			bool with_current, struct track_gather *g)
{
	uint32_t count = track_history_count(t->history, layer);

	*g = (struct track_gather){ .layout = t->domain->layout,
				    .to = q->next,
				    .to_slots = q->slots,
				    .sources = t->places };
	for (int k = 0; k < t->places; k++) {
		const struct track_engine_place *r = &t->place[k];

		g->first[k] = track_engine_share(t, count, k);
		if (with_current && layer == t->layer) {
			g->from[k] = r->current;
			g->from_slots[k] = r->slots;
		} else if (track_archive_has(r->archive, layer)) {
			g->from[k] = track_archive_states(r->archive, layer, &g->from_slots[k]);
		}
		if (!g->from[k] && g->first[k] < track_engine_share(t, count, k + 1))
			return false;
	}
	return true;
}

static bool is_kept(const struct tracker *t, uint32_t layer)
{
	for (int k = 0; k < t->places; k++)
		if (track_archive_has(t->place[k].archive, layer))
			return true;
	return false;
}

static uint32_t last_jump(const struct track_history *h, uint32_t top)
{
	while (top > 0 && !h->layer[top].jump)
		top--;
	return top;
}

/* Finds a layer that all paths pass through and that this place can read, and prepares a gather
 * from it. Returns false if a plan is better. A path with jumps may skip any layer except layer
 * 0. */
static bool find_span(const struct tracker *t, const struct track_engine_place *q,
		      const struct track_node *targets, uint32_t count, bool with_current,
		      struct span *s, struct track_gather *g)
{
	uint32_t lowest = UINT32_MAX, jump;

	*s = (struct span){ 0, 0 };
	for (uint32_t i = 0; i < count; i++) {
		lowest = targets[i].layer < lowest ? targets[i].layer : lowest;
		s->top = targets[i].layer > s->top ? targets[i].layer : s->top;
	}
	jump = last_jump(t->history, s->top);
	for (s->down_to = lowest; s->down_to > 0 && s->down_to >= jump; s->down_to--) {
		if (find_states(t, q, s->down_to, with_current, g))
			return true;
		if (is_kept(t, s->down_to))
			return false;
	}
	for (uint32_t l = s->down_to; l > 0; l--)
		if (is_kept(t, l))
			return false;
	s->down_to = 0;
	return find_states(t, q, 0, with_current, g);
}

/* ---- paths ---- */

static int need_paths(struct track_engine_place *q, uint32_t count, uint32_t rounds, struct err *e)
{
	struct track_engine_paths *w = &q->paths;
	uint64_t steps = (uint64_t)count * rounds;
	int status;

	if ((status = track_engine_need(q, &w->target, count, sizeof(struct track_node), e)) ||
	    (status = track_engine_need_words(q, &w->start, count, e)) ||
	    (status = track_engine_need_words(q, &w->iteration, rounds, e)) ||
	    (status = track_engine_need_words(q, &w->source, steps, e)) ||
	    (status = track_engine_need_words(q, &w->successor, steps, e)))
		return status;
	return track_engine_need(q, &w->steps, 1, sizeof(uint64_t), e);
}

/* Makes room for the paths of *most targets, or of fewer if there is not enough memory. */
static int shorten_paths(struct track_engine_place *q, uint64_t *most, uint32_t rounds,
			 struct err *e)
{
	enum { FEW = 1024 };
	int status;

	while ((status = need_paths(q, (uint32_t)*most, rounds, e)) == ERR_MEMORY && *most > FEW) {
		drop_paths(q);
		*most = (*most + 1) / 2;
	}
	return status;
}

static int trace(struct tracker *t, struct track_engine_place *q, const struct track_node *targets,
		 uint32_t count, const struct span *s, struct err *e)
{
	struct track_engine_paths *w = &q->paths;
	struct track_trace a = {
		.wide = t->history->wide,
		.entries = q->mirror.entries.at,
		.entry_at = q->mirror.entry_at.at,
		.from = q->mirror.from.at,
		.from_at = q->mirror.from_at.at,
		.target = w->target.at,
		.count = count,
		.down_to = s->down_to,
		.top = s->top,
		.iteration = w->iteration.at,
		.source = w->source.at,
		.successor = w->successor.at,
		.start_slot = w->start.at,
		.steps = w->steps.at,
	};
	int status;

	if ((status = track_to(q->p, w->target.at, targets, count * sizeof(*targets), e)) ||
	    (status = track_fill(q->p, w->steps.at, 0, sizeof(uint64_t), e)))
		return status;
	return track_trace_kernels_for(q->p->device)->trace(q->p->stream, &a, e);
}

/* Starts the replay of targets first .. first + count - 1 into the same slots of `next`. end_replay
 * waits for it. */
static int replay_some(struct tracker *t, struct track_engine_place *q,
		       const struct track_node *targets, uint32_t first, uint32_t count,
		       const struct span *s, struct track_gather *g, struct err *e)
{
	struct track_engine_paths *w = &q->paths;
	struct track_path path = {
		.rounds = s->top - s->down_to,
		.count = count,
		.iteration = w->iteration.at,
		.source = w->source.at,
		.successor = w->successor.at,
	};
	struct track_batch b = track_engine_batch(t, q, q->next, count, 0);
	int status;

	g->count = count;
	g->from_slot = w->start.at;
	g->to_slot = b.slot = first ? (const uint32_t *)q->iota.at + first : NULL;
	q->reported->steps = 0;
	q->replaying = true;
	t->figures.loaded += count;
	if ((status = trace(t, q, targets + first, count, s, e)))
		return status;
	if (path.rounds && q->ops->replay_from)
		status = q->ops->replay_from(q->p, q->parameters, g, &b, &path, t->o.forward,
					     t->flags, e);
	else if (!(status = q->p->common->gather(q->p, g, e)) && path.rounds)
		status = q->ops->replay(q->p, q->parameters, &b, &path, t->o.forward, t->flags, e);
	if (status)
		return status;
	return track_from(q->p, &q->reported->steps, w->steps.at, sizeof(q->reported->steps), e);
}

static int end_replay(struct tracker *t, struct track_engine_place *q, struct err *e)
{
	uint64_t rounds;
	int status;

	if (!q->replaying)
		return 0;
	q->replaying = false;
	if ((status = track_sync(q->p, e)))
		return status;
	rounds = q->reported->steps;
	t->figures.replayed += rounds * t->o.forward;
	t->figures.executions += rounds * t->o.forward;
	if (t->flags & TRACK_ASSIGN_FIRST)
		t->figures.assignments += rounds;
	if (t->flags & TRACK_ASSIGN_LAST)
		t->figures.assignments += rounds;
	return 0;
}

/* Recovers on one device without the host. *done is false if a plan must be used instead. The
 * targets must not change before end_replay, which waits for the device. */
static int replay(struct tracker *t, struct track_engine_place *q, const struct track_node *targets,
		  uint32_t count, bool with_current, bool *done, struct err *e)
{
	struct err memory = { 0 };
	struct track_gather g;
	uint64_t most;
	struct span s;
	int status;

	*done = false;
	if (!q->p->device || t->o.engine != TRACK_TUNED || t->o.plans ||
	    !find_span(t, q, targets, count, with_current, &s, &g))
		return 0;
	most = path_bytes / 8 / (s.top - s.down_to + 1);
	most = most < 1 ? 1 : most < count ? most : count;
	status = update_mirror(t, q, s.top, &memory);
	if (!status)
		status = shorten_paths(q, &most, s.top - s.down_to, &memory);
	if (!status && most < count)
		status = track_engine_need_iota(q, &memory);
	/* a plan needs less */
	if (status == ERR_MEMORY) {
		drop_mirror(q);
		return 0;
	}
	*done = true;
	if (status && e)
		*e = memory;
	for (int k = 0; !status && k < t->places && !(with_current && s.down_to == t->layer); k++)
		track_archive_used(t->place[k].archive, s.down_to);
	for (uint32_t i = 0; !status && i < count; i += (uint32_t)most) {
		uint32_t n = count - i < most ? count - i : (uint32_t)most;

		status = end_replay(t, q, e);
		if (!status)
			status = replay_some(t, q, targets, i, n, &s, &g, e);
	}
	return status;
}

/* ==== by plans ==== */

/* ---- kept layers ---- */

struct kept {
	const struct tracker *t;
	bool with_current;
};

static bool can_load(const void *context, uint32_t layer)
{
	const struct kept *w = context;
	const struct tracker *t = w->t;

	if (w->with_current && layer == t->layer)
		return true;
	for (int k = 0; k < t->places; k++)
		if (!track_archive_has(t->place[k].archive, layer))
			return false;
	return true;
}

int track_engine_offer(struct tracker *t, struct err *e)
{
	int status = 0;

	if (t->offered)
		return 0;
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t count =
			track_engine_share(t, t->count, k + 1) - track_engine_share(t, t->count, k);

		status = track_archive_offer(q->archive, t->layer, q->current, q->slots, count, e);
	}
	t->offered = !status;
	return status;
}

int track_engine_settle(struct tracker *t, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++)
		status = track_archive_settle(t->place[k].archive, e);
	return status;
}

/* ---- loads ---- */

/* Copies states that place r keeps, in its own slots, to slots of `next` of place q: directly if
 * they are in device memory of r, otherwise through r. */
static int load_from_other(struct tracker *t, struct track_engine_place *q,
			   struct track_engine_place *r, uint32_t layer, const uint32_t *slot,
			   const uint32_t *to_slot, uint32_t count, struct err *e)
{
	uint32_t slots;
	const void *states = track_archive_states(r->archive, layer, &slots);
	struct track_gather g = { .layout = t->domain->layout,
				  .to = q->next,
				  .to_slots = q->slots,
				  .count = count,
				  .sources = 1 };
	int status;

	if ((status = track_engine_put(q, &q->load_to, to_slot, count, e)))
		return status;
	g.to_slot = q->load_to.at;
	if (states) {
		if ((status = track_engine_put(q, &q->load_from, slot, count, e)))
			return status;
		g.from_slot = q->load_from.at;
	} else {
		if ((status = track_engine_need(r, &r->staging, count, t->state_bytes, e)) ||
		    (status = track_archive_load(r->archive, layer, slot, count, r->staging.at,
						 count, NULL, e)))
			return status;
		states = r->staging.at;
		slots = count;
	}
	g.from[0] = states;
	g.from_slots[0] = slots;
	if ((status = track_sync(r->p, e)) || (status = q->p->common->gather(q->p, &g, e)) ||
	    (status = track_sync(q->p, e)))
		return status;
	track_engine_drop(r, &r->staging);
	return 0;
}

/* Loads those states of a load that place k keeps. `slot` and `to_slot` are scratch arrays of
 * l->count words. */
static int load_from_place(struct tracker *t, struct track_engine_place *q, int k,
			   const struct track_plan_load *l, uint32_t *slot, uint32_t *to_slot,
			   struct err *e)
{
	uint32_t states = track_history_count(t->history, l->layer), n = 0;
	uint32_t from = track_engine_share(t, states, k), to = track_engine_share(t, states, k + 1);
	struct track_engine_place *r = &t->place[k];

	for (uint32_t i = 0; i < l->count; i++)
		if (l->from_slot[i] >= from && l->from_slot[i] < to) {
			slot[n] = l->from_slot[i] - from;
			to_slot[n++] = l->to_slot[i];
		}
	if (n == 0)
		return 0;
	if (q != r)
		return load_from_other(t, q, r, l->layer, slot, to_slot, n, e);
	return track_archive_load(q->archive, l->layer, slot, n, q->next, q->slots, to_slot, e);
}

static int load_from_all(struct tracker *t, struct track_engine_place *q,
			 const struct track_plan_load *l, struct err *e)
{
	uint32_t *slot = malloc(2 * (size_t)l->count * sizeof(*slot));
	int status = 0;

	if (!slot)
		return err_set(e, ERR_MEMORY, "no memory to load %" PRIu32 " states", l->count);
	for (int k = 0; !status && k < t->places; k++)
		status = load_from_place(t, q, k, l, slot, slot + l->count, e);
	if (track_sync(q->p, status ? NULL : e) && !status)
		status = ERR_DEVICE;
	free(slot);
	return status;
}

static int load_from_current(struct tracker *t, struct track_engine_place *q,
			     const struct track_plan_load *l, struct err *e)
{
	struct track_gather g = track_engine_from_current(t, q, l->count);
	int status;

	if ((status = track_engine_put(q, &q->load_from, l->from_slot, l->count, e)) ||
	    (status = track_engine_put(q, &q->load_to, l->to_slot, l->count, e)))
		return status;
	g.from_slot = q->load_from.at;
	g.to_slot = q->load_to.at;
	return q->p->common->gather(q->p, &g, e);
}

static int load(struct tracker *t, struct track_engine_place *q, const struct track_plan_load *l,
		bool with_current, struct err *e)
{
	t->figures.loaded += l->count;
	if (with_current && l->layer == t->layer)
		return load_from_current(t, q, l, e);
	if (t->places > 1)
		return load_from_all(t, q, l, e);
	return track_archive_load(q->archive, l->layer, l->from_slot, l->count, q->next, q->slots,
				  l->to_slot, e);
}

/* ---- rounds ---- */

static int step_round(struct tracker *t, struct track_engine_place *q,
		      const struct track_plan_round *r, struct err *e)
{
	struct track_batch b = track_engine_batch(t, q, q->next, r->count, r->layer);
	int status;

	if (r->count == 0 || t->history->layer[r->layer].jump)
		return 0;
	if ((status = track_engine_put(q, &q->step_slot, r->slot, r->count, e)) ||
	    (status = track_engine_put(q, &q->step_source, r->source, r->count, e)) ||
	    (status = track_engine_put(q, &q->step_successor, r->successor, r->count, e)))
		return status;
	b.slot = q->step_slot.at;
	b.source = q->step_source.at;
	b.successor = q->step_successor.at;
	t->figures.replayed += (uint64_t)r->count * t->o.forward;
	return track_engine_step(t, q, &b, e);
}

static int copy_round(struct tracker *t, struct track_engine_place *q,
		      const struct track_plan_round *r, struct err *e)
{
	struct track_gather g = { .layout = t->domain->layout,
				  .to = q->next,
				  .to_slots = q->slots,
				  .count = r->copies,
				  .from = { q->next },
				  .from_slots = { q->slots },
				  .sources = 1 };
	int status;

	if (r->copies == 0)
		return 0;
	if ((status = track_engine_put(q, &q->load_from, r->copy_from, r->copies, e)) ||
	    (status = track_engine_put(q, &q->load_to, r->copy_to, r->copies, e)))
		return status;
	g.from_slot = q->load_from.at;
	g.to_slot = q->load_to.at;
	return q->p->common->gather(q->p, &g, e);
}

static int execute_plan(struct tracker *t, struct track_engine_place *q,
			const struct track_plan *plan, bool with_current, struct err *e)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < plan->loads; i++)
		status = load(t, q, &plan->load[i], with_current, e);
	for (uint32_t i = 0; !status && i < plan->rounds; i++) {
		status = step_round(t, q, &plan->round[i], e);
		if (!status)
			status = copy_round(t, q, &plan->round[i], e);
	}
	return status;
}

static int rebuild_share(struct tracker *t, struct track_engine_place *q,
			 const struct track_node *targets, uint32_t count, const struct kept *kept,
			 struct err *e)
{
	struct track_plan plan = { 0 };
	bool done;
	int status;

	if (count == 0)
		return 0;
	status = replay(t, q, targets, count, kept->with_current, &done, e);
	if (status || done)
		return status;
	status = track_plan_make(&plan, t->history, targets, count,
				 t->o.engine == TRACK_TUNED && !t->o.plans, can_load, kept, e);
	if (status)
		return status;
	status = execute_plan(t, q, &plan, kept->with_current, e);
	/* copies of the plan's arrays may be pending */
	if (track_sync(q->p, status ? NULL : e) && !status)
		status = ERR_DEVICE;
	track_plan_free(&plan);
	return status;
}

static int rebuild(struct tracker *t, const struct track_node *targets, uint32_t count,
		   const struct kept *kept, struct err *e)
{
	int status = track_engine_meet(t, e);

	for (int k = 0; !status && k < t->places; k++) {
		uint32_t from = track_engine_share(t, count, k),
			 to = track_engine_share(t, count, k + 1);

		status = rebuild_share(t, &t->place[k], targets + from, to - from, kept, e);
	}
	for (int k = 0; k < t->places; k++) {
		int replayed = end_replay(t, &t->place[k], status ? NULL : e);

		status = status ? status : replayed;
	}
	return status;
}

/* ---- copies halfway (adaptive, multistage) ---- */

static int rebuild_layer(struct tracker *t, uint32_t layer, const struct kept *kept, struct err *e)
{
	uint32_t count = track_history_count(t->history, layer);
	struct track_node *all;
	int status = track_history_nodes(t->history, layer, &all, e);

	if (status)
		return status;
	status = rebuild(t, all, count, kept, e);
	free(all);
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t share =
			track_engine_share(t, count, k + 1) - track_engine_share(t, count, k);

		status = track_archive_offer(q->archive, layer, q->next, q->slots, share, e);
	}
	return status ? status : track_engine_settle(t, e);
}

static int leave_half_way(struct tracker *t, const struct track_node *targets, uint32_t count,
			  const struct kept *kept, struct err *e)
{
	uint32_t deepest = 0, below, half_way;

	for (uint32_t i = 0; i < count; i++)
		deepest = targets[i].layer > deepest ? targets[i].layer : deepest;
	for (below = deepest; below > 0 && !can_load(kept, below); below--)
		;
	if (below == deepest ||
	    !track_archive_wants(t->place[0].archive, below, deepest, &half_way) ||
	    can_load(kept, half_way))
		return 0;
	return rebuild_layer(t, half_way, kept, e);
}

int track_engine_rebuild(struct tracker *t, const struct track_node *targets, uint32_t count,
			 bool with_current, struct err *e)
{
	struct kept kept = { t, with_current };
	int status = leave_half_way(t, targets, count, &kept, e);

	return status ? status : rebuild(t, targets, count, &kept, e);
}

/* ---- track.h ---- */

static bool exists(const struct tracker *t, struct track_node n)
{
	return n.layer <= t->history->layers && n.slot < track_history_count(t->history, n.layer);
}

/* Whether all targets are states of one layer, as they mostly are. The compiler makes vectors of
 * this loop. */
static bool are_of_one_layer(const struct tracker *t, const struct track_node *targets,
			     uint32_t count)
{
	uint32_t other = 0, highest = 0;

	for (uint32_t i = 0; i < count; i++) {
		other |= targets[i].layer ^ targets[0].layer;
		highest = targets[i].slot > highest ? targets[i].slot : highest;
	}
	return !other && exists(t, (struct track_node){ targets[0].layer, highest });
}

static int check_targets(const struct tracker *t, const struct track_node *targets, uint32_t count,
			 uint64_t most, struct err *e)
{
	if (!t->history)
		return err_set(e, ERR_USAGE, "the search has not begun");
	if (count < 1 || count > most)
		return err_set(e, ERR_USAGE,
			       "%" PRIu32
			       " states to recover at once: must be between 1 and %" PRIu64,
			       count, most);
	if (are_of_one_layer(t, targets, count))
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (!exists(t, targets[i]))
			return err_set(e, ERR_USAGE,
				       "there is no state %" PRIu32 " of layer %" PRIu32,
				       targets[i].slot, targets[i].layer);
	return 0;
}

static uint64_t room(const struct tracker *t)
{
	return (uint64_t)t->place[0].slots * (uint32_t)t->places;
}

/* Reports the requested layers to the multistage rule. */
static void learn_demand(struct tracker *t, const struct track_node *targets, uint32_t count)
{
	if (t->o.archive.recovery != TRACK_RECOVERY_MULTISTAGE)
		return;
	for (uint32_t i = 0; i < count; i++)
		for (int k = 0; k < t->places; k++)
			if (i == 0 || targets[i].layer != targets[i - 1].layer)
				track_archive_learn_demand(t->place[k].archive, targets[i].layer);
}

static int recover(struct tracker *t, const struct track_node *targets, uint32_t count,
		   struct err *e)
{
	double start = clock_wall();
	int status;

	t->recovered = 0;
	track_engine_fill(t);
	learn_demand(t, targets, count);
	if ((status = track_engine_settle(t, e)) ||
	    (status = track_engine_rebuild(t, targets, count, true, e)) ||
	    (status = track_engine_wait(t, e)))
		return status;
	t->recovered = count;
	t->figures.recover_seconds += clock_wall() - start;
	return 0;
}

int track_recover_there(struct tracker *t, const struct track_node *targets, uint32_t count,
			struct err *e)
{
	int status = check_targets(t, targets, count, room(t), e);

	return status ? status : recover(t, targets, count, e);
}

int track_recover(struct tracker *t, const struct track_node *targets, uint32_t count, void *states,
		  struct err *e)
{
	uint32_t most = room(t) < UINT32_MAX ? (uint32_t)room(t) : UINT32_MAX;
	int status = check_targets(t, targets, count, UINT32_MAX, e);

	for (uint32_t i = 0; !status && i < count; i += most < count - i ? most : count - i) {
		uint32_t n = most < count - i ? most : count - i;

		if (!(status = recover(t, targets + i, n, e)))
			status = track_read_recovered(
				t, 0, n, (unsigned char *)states + i * t->state_bytes, e);
	}
	return status;
}

int track_backtrack(struct tracker *t, const struct track_node *targets, uint32_t count,
		    struct err *e)
{
	int status = check_targets(t, targets, count, t->o.beam, e);

	if (status || (status = recover(t, targets, count, e)))
		return status;
	t->recovered = 0;
	/* after the recovery, which may need the cached layer */
	if ((status = track_engine_offer(t, e)) ||
	    (status = track_history_jump(t->history, count, targets, e)))
		return status;
	track_engine_take(t, t->history->layers, count);
	return 0;
}
