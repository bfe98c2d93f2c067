#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/koester-recovery/tracker.h"

/* The published engine makes steps by the lines of Algorithm 2; a state's bytes must not depend on
 * others, so that it breaks as soon as one waits. */
static int step_by_lines(struct tracker *t, struct tracker_place *q, const struct track_batch *b,
			 struct err *e)
{
	struct tracker_run r = {
		.places = 1,
		.place = { q },
		.batch = { *b },
		.steps = t->o.forward,
		.schedule = TRACK_EACH,
		.assign_first = t->flags & TRACK_ASSIGN_FIRST,
		.assign_last = t->flags & TRACK_ASSIGN_LAST,
	};
	uint64_t breaks = 0;

	return tracker_algorithm2(t, &r, &breaks, e);
}

/* The multistage rule is told what a step costs; the others need no such waits. */
static int timed(struct tracker *t, struct tracker_place *q, const struct track_batch *b,
		 int (*step)(struct tracker *, struct tracker_place *, const struct track_batch *,
			     struct err *),
		 struct err *e)
{
	double start;
	int rc;

	if (t->o.archive.recovery != RECOVERY_MULTISTAGE)
		return step(t, q, b, e);
	if ((rc = track_sync(q->p, e)))
		return rc;
	start = clock_wall();
	if ((rc = step(t, q, b, e)) || (rc = track_sync(q->p, e)))
		return rc;
	archive_learn_step(q->archive, clock_wall() - start, b->count);
	return 0;
}

static int step_at_once(struct tracker *t, struct tracker_place *q, const struct track_batch *b,
			struct err *e)
{
	t->figures.executions += (uint64_t)b->count * t->o.forward;
	if (t->flags & TRACK_ASSIGN_FIRST)
		t->figures.assignments += b->count;
	if (t->flags & TRACK_ASSIGN_LAST)
		t->figures.assignments += b->count;
	return q->ops->advance(q->p, q->parameters, b, t->o.forward, t->flags, e);
}

int tracker_step(struct tracker *t, struct tracker_place *q, const struct track_batch *b,
		 struct err *e)
{
	if (b->count == 0)
		return 0;
	return timed(t, q, b, t->o.engine == TRACK_PUBLISHED ? step_by_lines : step_at_once, e);
}

/* One place that has the entries itself. */
static int forward_on_place(struct tracker *t, uint32_t count, struct err *e)
{
	struct tracker_place *q = &t->place[0];
	struct track_gather g = tracker_from_current(t, q, count);
	struct track_batch b = tracker_batch(t, q, q->next, count, t->layer + 1);
	int rc;

	g.from_slot = b.source = q->entries.source.at;
	b.successor = q->entries.successor.at;
	rc = q->common->gather(q->p, &g, e);
	return rc ? rc : tracker_step(t, q, &b, e);
}

/* Algorithm 1, lines 11 to 20: the parents from the archive, or from the beginning. */
static int parents_recovered(struct tracker *t, uint32_t count, struct err *e)
{
	struct history_node *parent = malloc(count * sizeof(*parent));
	int rc;

	if (!parent)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " states to recover", count);
	for (uint32_t i = 0; i < count; i++)
		parent[i] = (struct history_node){ t->layer, t->list.source[i] };
	rc = tracker_rebuild(t, parent, count, false, e);
	free(parent);
	return rc;
}

static int parents_from_current(struct tracker *t, uint32_t count, struct err *e)
{
	int rc = tracker_meet(t, e);

	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t from = tracker_share(t, count, k);
		uint32_t n = tracker_share(t, count, k + 1) - from;
		struct track_gather g = tracker_from_current(t, q, n);

		if (n == 0)
			continue;
		if ((rc = tracker_put(q, &q->step_source, t->list.source + from, n, e)))
			return rc;
		g.from_slot = q->step_source.at;
		rc = q->common->gather(q->p, &g, e);
	}
	return rc;
}

int tracker_forward(struct tracker *t, uint32_t count, bool on_place, struct err *e)
{
	int rc;

	if (on_place)
		return forward_on_place(t, count, e);
	rc = t->o.engine == TRACK_PUBLISHED ? parents_recovered(t, count, e) :
					      parents_from_current(t, count, e);
	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t from = tracker_share(t, count, k);
		uint32_t n = tracker_share(t, count, k + 1) - from;
		struct track_batch b = tracker_batch(t, q, q->next, n, t->layer + 1);

		if ((rc = tracker_put(q, &q->step_source, t->list.source + from, n, e)) ||
		    (rc = tracker_put(q, &q->step_successor, t->list.successor + from, n, e)))
			return rc;
		b.source = q->step_source.at;
		b.successor = q->step_successor.at;
		rc = tracker_step(t, q, &b, e);
	}
	return rc ? rc : tracker_meet(t, e);
}
