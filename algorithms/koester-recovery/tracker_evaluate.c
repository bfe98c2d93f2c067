#include <string.h>

#include "algorithms/koester-recovery/tracker.h"

/* ---- Algorithm 2 line by line ---- */

static bool asks_who_waits(const struct tracker_run *r)
{
	return r->schedule != TRACK_FIXED;
}

static int need_waiting(struct tracker_run *r, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < r->places && asks_who_waits(r); k++) {
		struct tracker_place *q = r->place[k];

		if ((rc = tracker_need_words(q, &q->waiting, r->batch[k].count / 32 + 1, e)) ||
		    (rc = tracker_need_words(q, &q->waiting_count, 1, e)))
			return rc;
		r->batch[k].waiting = q->waiting.at;
		r->batch[k].waiting_count = q->waiting_count.at;
	}
	return rc;
}

/* Line 4. */
static int reset(struct tracker_run *r, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < r->places && asks_who_waits(r); k++) {
		struct track_batch *b = &r->batch[k];

		if (b->count == 0)
			continue;
		if ((rc = track_fill(r->place[k]->p, b->waiting, 0, (b->count / 32 + 1) * 4, e)) ||
		    (rc = track_fill(r->place[k]->p, b->waiting_count, 0, 4, e)))
			return rc;
	}
	return rc;
}

/* Line 7; the number of states that wait comes back where it is asked for. */
static int execute(struct tracker_run *r, uint32_t step, uint64_t *waiting, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < r->places; k++) {
		struct tracker_place *q = r->place[k];
		struct track_batch *b = &r->batch[k];

		b->step = step;
		if (b->count == 0)
			continue;
		rc = q->ops->execute(q->p, q->parameters, b, e);
		if (!rc && asks_who_waits(r))
			rc = track_from(q->p, &q->told->waiting, b->waiting_count,
					sizeof(q->told->waiting), e);
	}
	*waiting = 0;
	for (int k = 0; k < r->places && asks_who_waits(r); k++) {
		int sync = track_sync(r->place[k]->p, rc ? NULL : e);

		rc = rc ? rc : sync;
		*waiting += r->batch[k].count ? r->place[k]->told->waiting : 0;
	}
	return rc;
}

/* Lines 1 and 12; all: whether they wait or not. */
static int assign(struct tracker_run *r, uint32_t step, bool all, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < r->places; k++) {
		struct tracker_place *q = r->place[k];
		struct track_batch b = r->batch[k];

		b.step = step;
		if (all)
			b.waiting = b.waiting_count = NULL;
		if (b.count)
			rc = q->ops->assign(q->p, q->parameters, &b, e);
	}
	return rc;
}

/* Line 8. */
static bool leaves(const struct tracker_run *r, uint32_t steps_done, uint64_t waiting,
		   uint64_t states)
{
	if (r->schedule == TRACK_FIXED)
		return r->breaks >> (steps_done - 1) & 1;
	if (r->schedule == TRACK_EACH)
		return waiting > 0;
	return (double)waiting / (double)states > r->fill_rate;
}

int tracker_algorithm2(struct tracker *t, struct tracker_run *r, uint64_t *breaks, struct err *e)
{
	uint64_t states = 0, waiting = 0;
	uint32_t i = 0;
	int rc = need_waiting(r, e);

	*breaks = 0;
	for (int k = 0; k < r->places; k++)
		states += r->batch[k].count;
	if (!rc && r->assign_first) {
		rc = assign(r, 0, true, e);
		t->figures.assignments += states;
	}
	while (!rc && i < r->steps && states > 0) {
		bool all;

		rc = reset(r, e);
		waiting = 0;
		do {
			t->figures.executions += states - waiting;
			if (!rc)
				rc = execute(r, i++, &waiting, e);
		} while (!rc && !leaves(r, i, waiting, states) && i < r->steps);
		all = r->schedule == TRACK_FIXED || (r->assign_last && i == r->steps);
		if (!rc)
			rc = assign(r, i, all, e);
		t->figures.assignments += all ? states : waiting;
		++*breaks;
	}
	return rc;
}

/* Every state by itself, where no count of those that wait is asked for. */
static int advance_all(struct tracker *t, struct tracker_run *r, struct err *e)
{
	uint32_t flags = r->assign_first ? TRACK_ASSIGN_FIRST : 0;
	int rc = 0;

	for (int k = 0; !rc && k < r->places; k++) {
		struct tracker_place *q = r->place[k];
		uint64_t count = r->batch[k].count;

		t->figures.executions += count * r->steps;
		t->figures.assignments += r->assign_first ? count : 0;
		if (count)
			rc = q->ops->advance(q->p, q->parameters, &r->batch[k], r->steps, flags, e);
	}
	return rc;
}

int tracker_evaluate_stored(struct tracker *t, const struct tracker_part *part, struct err *e)
{
	struct tracker_run r = {
		.places = t->places,
		.steps = t->o.look_ahead,
		.schedule = t->o.schedule,
		.fill_rate = t->o.fill_rate,
		.breaks = t->o.breaks,
		.assign_first = t->o.assign_first,
	};
	int rc;

	for (int k = 0; k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t count =
			tracker_share(t, part->count, k + 1) - tracker_share(t, part->count, k);

		r.place[k] = q;
		r.batch[k] = tracker_batch(t, q, q->next, count, t->layer + 1);
		r.batch[k].source = q->child_source.at;
		r.batch[k].successor = q->child_successor.at;
		if ((rc = tracker_need_words(q, &q->child_rating, count, e)))
			return rc;
	}
	rc = t->by_itself ? advance_all(t, &r, e) :
			    tracker_algorithm2(t, &r, &t->figures.breaks, e);
	for (int k = 0; !rc && k < t->places; k++)
		if (r.batch[k].count)
			rc = r.place[k]->ops->rate(r.place[k]->p, r.place[k]->parameters,
						   &r.batch[k], r.place[k]->child_rating.at, e);
	return rc;
}

/* ---- in one call ---- */

/* Times that Algorithm 2 leaves its inner loop where the steps are fixed. */
static uint32_t fixed_breaks(const struct track_options *o)
{
	uint32_t breaks = 1; /* after the last step */

	for (uint32_t i = 0; i + 1 < o->look_ahead; i++)
		breaks += o->breaks >> i & 1;
	return breaks;
}

int tracker_evaluate_fused(struct tracker *t, int k, const struct track_batch *parents,
			   const struct track_children *c, const uint32_t *successor, struct err *e)
{
	struct tracker_place *q = &t->place[k];
	const struct track_options *o = &t->o;
	uint32_t flags = o->assign_first ? TRACK_ASSIGN_FIRST : 0;
	int rc = tracker_need_words(q, &q->child_rating, c->total, e);

	if (rc)
		return rc;
	t->figures.executions += c->total * o->look_ahead;
	t->figures.assignments += o->assign_first ? c->total : 0;
	if (o->schedule == TRACK_FIXED) {
		flags |= TRACK_ASSIGN_FIXED | TRACK_ASSIGN_LAST;
		t->figures.breaks = fixed_breaks(o);
		t->figures.assignments += c->total * fixed_breaks(o);
	}
	return q->ops->rate_children(q->p, q->parameters, parents, c, successor, o->look_ahead,
				     flags, o->breaks, q->child_rating.at, e);
}
