#include <inttypes.h>

#include "harness/base/clock.h"
#include "algorithms/koester-recovery/tracker.h"

static int stopped(const struct tracker *t, struct err *e)
{
	if (!t->o.stop || !*t->o.stop)
		return 0;
	return err_set(e, ERR_LIMIT, "stopped in layer %" PRIu32, t->layer);
}

/* ---- children that are stored, or that the host prunes ---- */

static int evaluate_own(struct tracker *t, const struct tracker_part *part, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < t->places; k++) {
		uint32_t begin = tracker_share(t, t->count, k);
		uint32_t end = tracker_share(t, t->count, k + 1);
		struct tracker_part own = { .from = part->from > begin ? part->from : begin,
					    .to = part->to < end ? part->to : end };
		struct track_batch parents;
		struct track_children c;
		uint32_t *successor;

		if (own.from >= own.to)
			continue;
		own.count = (uint32_t)tracker_children_of(t, own.from, own.to);
		if (own.count == 0)
			continue;
		if (!(rc = tracker_number_own(t, k, &own, &parents, &c, &successor, e)))
			rc = tracker_evaluate_fused(t, k, &parents, &c, successor, e);
	}
	return rc;
}

static int keep_stored(struct tracker *t, const struct tracker_part *part, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < t->places; k++)
		rc = tracker_keep_stored(
			t, &t->place[k],
			tracker_share(t, part->count, k + 1) - tracker_share(t, part->count, k), e);
	/* the places' shares of several parts alternate in the order of children */
	if (!rc && t->places > 1 && !(rc = tracker_collect(t, e)))
		rc = tracker_choose(t, e);
	return rc;
}

static int one_part(struct tracker *t, const struct tracker_part *part, struct err *e)
{
	double start = clock_wall(), evaluated;
	int rc = 0;

	if (!t->fused || t->on_host)
		rc = tracker_name_children(t, part, e);
	if (!rc && t->fused)
		rc = evaluate_own(t, part, e);
	else if (!rc && !(rc = tracker_clone(t, part, e)))
		rc = tracker_evaluate_stored(t, part, e);
	evaluated = clock_wall();
	t->figures.evaluate_seconds += evaluated - start;
	if (!rc && t->on_host && !(rc = tracker_collect_part(t, part, e)))
		rc = tracker_choose(t, e);
	else if (!rc && !t->on_host)
		rc = keep_stored(t, part, e);
	t->figures.prune_seconds += clock_wall() - evaluated;
	return rc;
}

static int all_parts(struct tracker *t, struct err *e)
{
	struct tracker_part part = { 0 };
	bool more;
	int rc;

	while (!(rc = tracker_next_part(t, &part, &more, e)) && more)
		if ((rc = stopped(t, e)) || (part.count && (rc = one_part(t, &part, e))))
			return rc;
	return rc;
}

/* ---- children that every place rates and prunes itself ---- */

struct own {
	struct tracker_part part;
	bool more;
	struct track_batch parents;
	struct track_children c;
	uint32_t *successor;
};

static int begin_own(struct tracker *t, int k, struct own *w, struct err *e)
{
	int rc = tracker_next_own_part(t, k, &w->part, &w->more, e);

	if (rc || !w->more || w->part.count == 0)
		return rc;
	if ((rc = tracker_number_own(t, k, &w->part, &w->parents, &w->c, &w->successor, e)) ||
	    (rc = tracker_evaluate_fused(t, k, &w->parents, &w->c, w->successor, e)))
		return rc;
	return tracker_begin_keep(t, &t->place[k], w->part.count, e);
}

/* A part of every place, at the same time. */
static int one_part_each(struct tracker *t, struct own *own, bool *more, struct err *e)
{
	double start = clock_wall(), begun;
	int rc = 0;

	*more = false;
	for (int k = 0; !rc && k < t->places; k++) {
		rc = begin_own(t, k, &own[k], e);
		*more = *more || own[k].more;
	}
	begun = clock_wall();
	t->figures.evaluate_seconds += begun - start;
	for (int k = 0; !rc && k < t->places; k++)
		if (own[k].more && own[k].part.count)
			rc = tracker_end_keep(t, &t->place[k], &own[k].c, own[k].parents.count,
					      own[k].successor, e);
	t->figures.prune_seconds += clock_wall() - begun;
	return rc;
}

static int all_own_parts(struct tracker *t, struct err *e)
{
	struct own own[DEV_MAX] = { 0 };
	bool more = true;
	int rc = 0;

	while (!rc && more && !(rc = stopped(t, e)))
		rc = one_part_each(t, own, &more, e);
	if (rc || t->places == 1)
		return rc;
	rc = tracker_collect(t, e);
	return rc ? rc : tracker_choose(t, e);
}

/* ---- the new layer ---- */

/* The place's entries are copied to the host while it makes the states. */
static int fetch_entries(struct tracker *t, struct tracker_place *q, uint32_t count, struct err *e)
{
	struct tracker_list *l = &t->list;
	size_t bytes = count * sizeof(uint32_t);
	struct dev_stream *s = q->p->copies;
	int rc = tracker_list_room(t, count, e);

	if (rc)
		return rc;
	l->count = count;
	if (!q->p->device) {
		if ((rc = track_from(q->p, l->source, q->entries.source.at, bytes, e)) ||
		    (rc = track_from(q->p, l->successor, q->entries.successor.at, bytes, e)))
			return rc;
		return track_from(q->p, l->rating, q->entries.rating.at, bytes, e);
	}
	if ((rc = dev_event_record(q->chosen, q->p->stream, e)) ||
	    (rc = dev_stream_wait(s, q->chosen, e)) ||
	    (rc = dev_copy_from(s, l->source, q->entries.source.at, bytes, e)) ||
	    (rc = dev_copy_from(s, l->successor, q->entries.successor.at, bytes, e)))
		return rc;
	return dev_copy_from(s, l->rating, q->entries.rating.at, bytes, e);
}

static int make_layer(struct tracker *t, bool on_place, struct err *e)
{
	struct tracker_place *q = &t->place[0];
	uint32_t count = on_place ? q->entry_count : t->list.count;
	double start = clock_wall();
	int rc = 0;

	if (on_place)
		rc = fetch_entries(t, q, count, e);
	if (!rc)
		rc = tracker_forward(t, count, on_place, e);
	if (on_place && q->p->device) {
		int sync = dev_stream_sync(q->p->copies, rc ? NULL : e);

		rc = rc ? rc : sync;
	}
	if (!rc)
		rc = tracker_add_history(t, count, e);
	if (rc)
		return rc;
	t->figures.forward_seconds += clock_wall() - start;
	tracker_take(t, t->history->layers, count);
	return 0;
}

static int iterate(struct tracker *t, struct err *e)
{
	bool stored = !t->fused || t->on_host, on_place = t->places == 1 && !t->on_host;
	int rc;

	if (track_count(t) == 0)
		return err_set(e, ERR_USAGE, "there are no states to go on from");
	if ((rc = stopped(t, e)) || (rc = tracker_settle(t, e)) || (rc = tracker_offer(t, e)))
		return rc;
	t->recovered = 0;
	t->figures.breaks = 0;
	t->list.count = 0;
	for (int k = 0; k < t->places; k++)
		t->place[k].entry_count = 0;
	if ((rc = tracker_expand(t, e)))
		return rc;
	if (t->children && (rc = stored ? all_parts(t, e) : all_own_parts(t, e)))
		return rc;
	t->figures.children += t->children;
	t->ended = (on_place ? t->place[0].entry_count : t->list.count) == 0;
	return t->ended ? 0 : make_layer(t, on_place, e);
}

int track_iterate(struct tracker *t, struct err *e)
{
	int rc;

	for (int k = 0; k < t->places; k++)
		t->place[k].p->stop = t->o.stop;
	rc = iterate(t, e);
	for (int k = 0; k < t->places; k++)
		t->place[k].p->stop = NULL;
	return rc;
}
