/* Recovery on a device without the host: paths are traced there and replayed in one call. */
#include "tracker.h"

/* Bytes for the paths of targets that are replayed together. */
static const uint64_t path_bytes = (uint64_t)256 << 20;

/* ---- which targets ---- */

struct span {
	uint32_t down_to, top;
	const void *states;         /* of layer down_to */
	uint32_t slots;
};

/* States of a whole layer in memory of the place. */
static const void *states_of(const struct tracker *t, const struct tracker_place *q,
			     uint32_t layer, bool with_current, uint32_t *slots)
{
	if (with_current && layer == t->layer) {
		*slots = q->slots;
		return q->current;
	}
	return archive_has(q->archive, layer) ? archive_states(q->archive, layer, slots) : NULL;
}

static uint32_t last_jump(const struct history *h, uint32_t top)
{
	while (top > 0 && !h->layer[top].jump)
		top--;
	return top;
}

/* The layer that all paths pass and that can be read here; false where a plan does better. A path
 * that jumps may pass by any layer but the first. */
static bool find_span(const struct tracker *t, const struct tracker_place *q,
		      const struct history_node *targets, uint32_t count, bool with_current,
		      struct span *s)
{
	uint32_t lowest = UINT32_MAX, jump;

	*s = (struct span){ 0 };
	for (uint32_t i = 0; i < count; i++) {
		lowest = targets[i].layer < lowest ? targets[i].layer : lowest;
		s->top = targets[i].layer > s->top ? targets[i].layer : s->top;
	}
	jump = last_jump(t->history, s->top);
	for (s->down_to = lowest; s->down_to > 0 && s->down_to >= jump; s->down_to--) {
		s->states = states_of(t, q, s->down_to, with_current, &s->slots);
		if (s->states || archive_has(q->archive, s->down_to))
			return s->states != NULL;
	}
	for (uint32_t l = s->down_to; l > 0; l--)
		if (archive_has(q->archive, l))
			return false;
	s->down_to = 0;
	s->states = states_of(t, q, 0, with_current, &s->slots);
	return s->states != NULL;
}

/* ---- replay ---- */

static void count_steps(struct tracker *t, uint32_t states, uint64_t rounds)
{
	t->figures.loaded += states;
	t->figures.replayed += rounds * t->o.forward;
	t->figures.executions += rounds * t->o.forward;
	if (t->flags & TRACK_ASSIGN_FIRST)
		t->figures.assignments += rounds;
	if (t->flags & TRACK_ASSIGN_LAST)
		t->figures.assignments += rounds;
}

/* Targets first .. to the same slots of `next`; *begun: not for want of memory for the paths. */
static int replay_some(struct tracker *t, struct tracker_place *q,
		       const struct history_node *targets, uint32_t first, uint32_t count,
		       const struct span *s, bool *begun, struct err *e)
{
	struct track_gather g = { .layout = t->domain->layout, .to = q->next,
				  .to_slots = q->slots, .count = count, .from = { s->states },
				  .from_slots = { s->slots }, .sources = 1 };
	struct track_batch b = tracker_batch(t, q, q->next, count, 0);
	struct track_path path;
	uint64_t rounds;
	int rc = first ? tracker_need_iota(q, e) : 0;

	if (rc || (rc = track_mirror_trace(q->mirror, t->history, targets + first, count,
					   s->down_to, &path, &g.from_slot, &rounds, e)))
		return rc;
	*begun = true;
	g.to_slot = b.slot = first ? (const uint32_t *)q->iota.at + first : NULL;
	count_steps(t, count, rounds);
	if ((rc = q->common->gather(q->p, &g, e)) || path.rounds == 0)
		return rc;
	return q->ops->replay(q->p, q->parameters, &b, &path, t->o.forward, t->flags, e);
}

int tracker_replay(struct tracker *t, struct tracker_place *q, const struct history_node *targets,
		   uint32_t count, bool with_current, bool *done, struct err *e)
{
	struct span s;
	uint64_t most;
	int rc = 0;

	*done = false;
	if (!q->p->device || t->places > 1 || t->o.engine != TRACK_TUNED ||
	    !find_span(t, q, targets, count, with_current, &s))
		return 0;
	if (!q->mirror && (rc = track_mirror_create(&q->mirror, q->p, e)))
		return rc;
	most = path_bytes / 8 / (s.top - s.down_to + 1) + 1;
	for (uint32_t i = 0; !rc && i < count; i += (uint32_t)most) {
		most = most < count - i ? most : count - i;
		rc = replay_some(t, q, targets, i, (uint32_t)most, &s, done, e);
	}
	/* a plan needs less */
	return rc == ERR_MEMORY && !*done ? 0 : rc;
}
