/* Recovery on devices without the host: paths are traced there, from a mirror of the history, and
 * replayed in one call. The mirror is brought up to date when a recovery needs it. */
#include <inttypes.h>
#include <stdlib.h>

#include "kernels/koester-recovery/trace.h"
#include "algorithms/koester-recovery/tracker.h"

/* Bytes for the paths of targets that are replayed together. */
static const uint64_t path_bytes = (uint64_t)256 << 20;

/* ---- the mirror ---- */

static size_t entry_bytes(const struct history *h)
{
	return h->wide ? sizeof(struct history_wide_entry) : sizeof(struct history_entry);
}

/* Numbers of the layers' first entries, and of jump layers' first sources. */
struct numbers {
	uint64_t *entry_at, *from_at;
	uint64_t entries, froms;
};

static int number_layers(const struct history *h, struct numbers *n, struct err *e)
{
	size_t layers = (size_t)h->layers + 1;

	n->entry_at = malloc(2 * layers * sizeof(uint64_t));
	if (!n->entry_at)
		return err_set(e, ERR_MEMORY, "no memory for %zu layers of history", layers);
	n->from_at = n->entry_at + layers;
	n->entries = n->froms = 0;
	n->entry_at[0] = 0;
	n->from_at[0] = TRACK_TRACE_STEP;
	for (uint32_t l = 1; l <= h->layers; l++) {
		n->entry_at[l] = n->entries;
		n->from_at[l] = h->layer[l].jump ? n->froms : TRACK_TRACE_STEP;
		n->entries += h->layer[l].count;
		n->froms += h->layer[l].jump ? h->layer[l].count : 0;
	}
	return 0;
}

/* Room for all entries, and for as many again; a mirror that grows is filled anew. */
static int mirror_room(struct tracker_place *q, const struct history *h, const struct numbers *n,
		       struct err *e)
{
	struct tracker_mirror *m = &q->mirror;
	bool grows = n->entries * entry_bytes(h) > m->entries.bytes ||
		     n->froms * sizeof(uint32_t) > m->from.bytes || !m->entries.at || !m->from.at;
	int rc;

	if (grows)
		m->layers = 0;
	if ((grows && (rc = tracker_need(q, &m->entries, 2 * n->entries + 1, entry_bytes(h), e))) ||
	    (grows && (rc = tracker_need_words(q, &m->from, 2 * n->froms, e))))
		return rc;
	if ((rc = tracker_need(q, &m->entry_at, 2 * (uint64_t)h->layers + 2, sizeof(uint64_t), e)))
		return rc;
	return tracker_need(q, &m->from_at, 2 * (uint64_t)h->layers + 2, sizeof(uint64_t), e);
}

static int mirror_layer(struct tracker_place *q, const struct history *h, const struct numbers *n,
			uint32_t layer, struct err *e)
{
	const struct history_layer *l = &h->layer[layer];
	struct tracker_mirror *m = &q->mirror;
	int rc =
		track_to(q->p, (unsigned char *)m->entries.at + n->entry_at[layer] * entry_bytes(h),
			 l->entries, l->count * entry_bytes(h), e);

	if (rc || !l->jump)
		return rc;
	return track_to(q->p, (uint32_t *)m->from.at + n->from_at[layer], l->from,
			l->count * sizeof(uint32_t), e);
}

static int fill_mirror(struct tracker_place *q, const struct history *h, const struct numbers *n,
		       struct err *e)
{
	struct tracker_mirror *m = &q->mirror;
	size_t bytes = ((size_t)h->layers + 1) * sizeof(uint64_t);
	int rc = mirror_room(q, h, n, e);

	for (uint32_t l = m->layers + 1; !rc && l <= h->layers; l++)
		rc = mirror_layer(q, h, n, l, e);
	if (rc || (rc = track_to(q->p, m->entry_at.at, n->entry_at, bytes, e)))
		return rc;
	return track_to(q->p, m->from_at.at, n->from_at, bytes, e);
}

static int update_mirror(struct tracker_place *q, const struct history *h, struct err *e)
{
	struct numbers n = { 0 };
	int rc, sync;

	if (q->mirror.layers == h->layers && q->mirror.entry_at.at)
		return 0;
	if ((rc = number_layers(h, &n, e)))
		return rc;
	rc = fill_mirror(q, h, &n, e);
	sync = track_sync(q->p, rc ? NULL : e); /* the numbers are on their way */
	rc = rc ? rc : sync;
	q->mirror.layers = rc ? 0 : h->layers;
	free(n.entry_at);
	return rc;
}

/* ---- which targets ---- */

struct span {
	uint32_t down_to, top;
};

/* Where a layer can be read, if by this place in all its parts. */
static bool find_states(const struct tracker *t, const struct tracker_place *q, uint32_t layer,
			bool with_current, struct track_gather *g)
{
	uint32_t count = history_count(t->history, layer);

	*g = (struct track_gather){ .layout = t->domain->layout,
				    .to = q->next,
				    .to_slots = q->slots,
				    .sources = t->places };
	for (int k = 0; k < t->places; k++) {
		const struct tracker_place *r = &t->place[k];

		g->first[k] = tracker_share(t, count, k);
		if (with_current && layer == t->layer) {
			g->from[k] = r->current;
			g->from_slots[k] = r->slots;
		} else if (archive_has(r->archive, layer)) {
			g->from[k] = archive_states(r->archive, layer, &g->from_slots[k]);
		}
		if (!g->from[k] && g->first[k] < tracker_share(t, count, k + 1))
			return false;
	}
	return true;
}

static bool is_kept(const struct tracker *t, uint32_t layer)
{
	for (int k = 0; k < t->places; k++)
		if (archive_has(t->place[k].archive, layer))
			return true;
	return false;
}

static uint32_t last_jump(const struct history *h, uint32_t top)
{
	while (top > 0 && !h->layer[top].jump)
		top--;
	return top;
}

/* The layer that all paths pass and that can be read here, with a gather from it; false where a
 * plan does better. A path that jumps may pass by any layer but the first. */
static bool find_span(const struct tracker *t, const struct tracker_place *q,
		      const struct history_node *targets, uint32_t count, bool with_current,
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

static int need_paths(struct tracker_place *q, uint32_t count, uint32_t rounds, struct err *e)
{
	struct tracker_paths *w = &q->paths;
	uint64_t steps = (uint64_t)count * rounds;
	int rc;

	if ((rc = tracker_need(q, &w->target, count, sizeof(struct history_node), e)) ||
	    (rc = tracker_need_words(q, &w->start, count, e)) ||
	    (rc = tracker_need_words(q, &w->iteration, rounds, e)) ||
	    (rc = tracker_need_words(q, &w->source, steps, e)) ||
	    (rc = tracker_need_words(q, &w->successor, steps, e)))
		return rc;
	return tracker_need(q, &w->steps, 1, sizeof(uint64_t), e);
}

static int trace(struct tracker *t, struct tracker_place *q, const struct history_node *targets,
		 uint32_t count, const struct span *s, struct err *e)
{
	struct tracker_paths *w = &q->paths;
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
	int rc;

	if ((rc = track_to(q->p, w->target.at, targets, count * sizeof(*targets), e)) ||
	    (rc = track_fill(q->p, w->steps.at, 0, sizeof(uint64_t), e)))
		return rc;
	return track_trace_kernels_for(q->p->device)->trace(q->p->stream, &a, e);
}

/* Targets of slots first .. of `next`; tracker_replayed ends it. */
static int replay_some(struct tracker *t, struct tracker_place *q,
		       const struct history_node *targets, uint32_t first, uint32_t count,
		       const struct span *s, struct track_gather *g, struct err *e)
{
	struct tracker_paths *w = &q->paths;
	struct track_path path = {
		.rounds = s->top - s->down_to,
		.count = count,
		.iteration = w->iteration.at,
		.source = w->source.at,
		.successor = w->successor.at,
	};
	struct track_batch b = tracker_batch(t, q, q->next, count, 0);
	int rc;

	g->count = count;
	g->from_slot = w->start.at;
	g->to_slot = b.slot = first ? (const uint32_t *)q->iota.at + first : NULL;
	q->told->steps = 0;
	q->replaying = true;
	t->figures.loaded += count;
	if ((rc = trace(t, q, targets + first, count, s, e)) ||
	    (rc = q->common->gather(q->p, g, e)))
		return rc;
	if (path.rounds &&
	    (rc = q->ops->replay(q->p, q->parameters, &b, &path, t->o.forward, t->flags, e)))
		return rc;
	return track_from(q->p, &q->told->steps, w->steps.at, sizeof(q->told->steps), e);
}

int tracker_replayed(struct tracker *t, struct tracker_place *q, struct err *e)
{
	uint64_t rounds;
	int rc;

	if (!q->replaying)
		return 0;
	q->replaying = false;
	if ((rc = track_sync(q->p, e)))
		return rc;
	rounds = q->told->steps;
	t->figures.replayed += rounds * t->o.forward;
	t->figures.executions += rounds * t->o.forward;
	if (t->flags & TRACK_ASSIGN_FIRST)
		t->figures.assignments += rounds;
	if (t->flags & TRACK_ASSIGN_LAST)
		t->figures.assignments += rounds;
	return 0;
}

int tracker_replay(struct tracker *t, struct tracker_place *q, const struct history_node *targets,
		   uint32_t count, bool with_current, bool *done, struct err *e)
{
	struct err memory = { 0 };
	struct track_gather g;
	uint64_t most;
	struct span s;
	int rc;

	*done = false;
	if (!q->p->device || t->o.engine != TRACK_TUNED ||
	    !find_span(t, q, targets, count, with_current, &s, &g))
		return 0;
	most = path_bytes / 8 / (s.top - s.down_to + 1);
	most = most < 1 ? 1 : most < count ? most : count;
	rc = update_mirror(q, t->history, &memory);
	if (!rc)
		rc = need_paths(q, (uint32_t)most, s.top - s.down_to, &memory);
	if (!rc && most < count)
		rc = tracker_need_iota(q, &memory);
	/* a plan needs less */
	if (rc == ERR_MEMORY)
		return 0;
	*done = true;
	if (rc && e)
		*e = memory;
	for (int k = 0; !rc && k < t->places && !(with_current && s.down_to == t->layer); k++)
		archive_used(t->place[k].archive, s.down_to);
	for (uint32_t i = 0; !rc && i < count; i += (uint32_t)most) {
		uint32_t n = count - i < most ? count - i : (uint32_t)most;

		rc = tracker_replayed(t, q, e);
		if (!rc)
			rc = replay_some(t, q, targets, i, n, &s, &g, e);
	}
	return rc;
}
