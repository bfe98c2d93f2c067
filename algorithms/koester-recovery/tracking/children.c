/* The children of a layer: expansion, clones, evaluation (Algorithm 2); forward steps of states. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

/* ---- how many children ---- */

/* ceil(slots / states) of every state (section III-A), and slots in all. */
static int expand_regularly(struct tracker *t, struct err *e)
{
	uint32_t each = (t->o.slots - 1) / t->count + 1, left = t->o.slots;
	int rc = 0;

	t->children = t->o.slots;
	t->numbers_known = true;
	if (t->regular_for == t->count)
		return 0;
	for (uint32_t i = 0; i < t->count; i++) {
		t->number[i] = each < left ? each : left;
		left -= t->number[i];
	}
	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t from = tracker_share(t, t->count, k);
		uint32_t to = tracker_share(t, t->count, k + 1);

		q->told->children = tracker_children_of(t, from, to);
		q->scanned = false;
		rc = tracker_put(q, &q->number, t->number + from, to - from, e);
	}
	if (!rc)
		rc = tracker_wait(t, e);
	t->regular_for = rc ? 0 : t->count;
	return rc;
}

static int scan_numbers(struct tracker_place *q, uint32_t from, uint32_t count, struct err *e)
{
	const struct track_common *c = q->common;
	int rc;

	if ((rc = tracker_need_words(q, &q->first, count, e)) ||
	    (rc = tracker_need(q, &q->total, 1, sizeof(uint64_t), e)) ||
	    (rc = tracker_need(q, &q->scratch, c->scan_scratch(q->p, count) + 1, 1, e)))
		return rc;
	return c->scan(q->p, (const uint32_t *)q->number.at + from, q->first.at, q->total.at, count,
		       q->scratch.at, e);
}

/* Begins: the numbers on the place and their sum on the way to the host. */
static int expand_place(struct tracker *t, struct tracker_place *q, uint32_t count, struct err *e)
{
	struct track_batch b = tracker_batch(t, q, q->current, count, t->layer);
	int rc;

	q->told->children = 0;
	q->scanned = false;
	if (count == 0)
		return 0;
	if ((rc = tracker_need_words(q, &q->number, count, e)) ||
	    (rc = q->ops->expand(q->p, q->parameters, &b, q->number.at, e)) ||
	    (rc = scan_numbers(q, 0, count, e)))
		return rc;
	q->scanned = true;
	return track_from(q->p, &q->told->children, q->total.at, sizeof(q->told->children), e);
}

static int read_numbers(struct tracker *t, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < t->places; k++) {
		uint32_t from = tracker_share(t, t->count, k);
		uint32_t to = tracker_share(t, t->count, k + 1);

		rc = track_from(t->place[k].p, t->number + from, t->place[k].number.at,
				(to - from) * sizeof(*t->number), e);
	}
	t->numbers_known = true;
	return rc ? rc : tracker_wait(t, e);
}

static int expand_irregularly(struct tracker *t, struct err *e)
{
	bool fits = true;
	int rc = 0;

	t->regular_for = 0;
	t->numbers_known = false;
	t->children = 0;
	for (int k = 0; !rc && k < t->places; k++)
		rc = expand_place(t, &t->place[k],
				  tracker_share(t, t->count, k + 1) - tracker_share(t, t->count, k),
				  e);
	if (!rc)
		rc = tracker_wait(t, e);
	for (int k = 0; !rc && k < t->places; k++) {
		t->children += t->place[k].told->children;
		fits = fits && t->place[k].told->children <= t->o.slots;
	}
	if (rc || t->children == 0 || (t->fused && !t->on_host && fits))
		return rc;
	return read_numbers(t, e);
}

int tracker_expand(struct tracker *t, struct err *e)
{
	return t->o.expansion == TRACK_REGULAR ? expand_regularly(t, e) : expand_irregularly(t, e);
}

uint64_t tracker_children_of(const struct tracker *t, uint32_t from, uint32_t to)
{
	uint64_t sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += t->number[i];
	return sum;
}

/* ---- parts ---- */

/* Parents from part->to on, before `end`, as many as have at most `slots` children. */
static int take_parents(const struct tracker *t, struct tracker_part *part, uint32_t end,
			bool *more, struct err *e)
{
	part->first += part->count;
	part->from = part->to;
	part->count = 0;
	*more = part->from < end;
	while (part->to < end && t->number[part->to] <= t->o.slots - part->count)
		part->count += t->number[part->to++];
	if (*more && part->to == part->from)
		return err_set(e, ERR_USAGE,
			       "state %" PRIu32 " of layer %" PRIu32 " has %" PRIu32 " children, "
			       "more than the %" PRIu32 " slots",
			       part->from, t->layer, t->number[part->from], t->o.slots);
	return 0;
}

int tracker_next_part(const struct tracker *t, struct tracker_part *part, bool *more, struct err *e)
{
	return take_parents(t, part, t->count, more, e);
}

int tracker_next_own_part(const struct tracker *t, int k, struct tracker_part *part, bool *more,
			  struct err *e)
{
	uint32_t first = tracker_share(t, t->count, k), end = tracker_share(t, t->count, k + 1);

	if (part->to < first)
		part->to = first;
	if (t->numbers_known)
		return take_parents(t, part, end, more, e);
	*more = part->to < end;
	part->from = part->to;
	part->to = end;
	part->count = (uint32_t)t->place[k].told->children;
	return 0;
}

/* ---- which children ---- */

int tracker_need_iota(struct tracker_place *q, struct err *e)
{
	uint32_t *words;
	int rc;

	if (q->iota.at)
		return 0;
	words = malloc(q->slots * sizeof(*words));
	if (!words)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " numbers", q->slots);
	for (uint32_t i = 0; i < q->slots; i++)
		words[i] = i;
	rc = tracker_put(q, &q->iota, words, q->slots, e);
	if (track_sync(q->p, rc ? NULL : e) && !rc)
		rc = ERR_DEVICE;
	free(words);
	return rc;
}

int tracker_number_own(struct tracker *t, int k, const struct tracker_part *part,
		       struct track_batch *parents, struct track_children *c, uint32_t **successor,
		       struct err *e)
{
	struct tracker_place *q = &t->place[k];
	uint32_t begin = tracker_share(t, t->count, k), end = tracker_share(t, t->count, k + 1);
	uint32_t from = part->from - begin, count = part->to - part->from;
	bool all = part->from == begin && part->to == end;
	int rc = 0;

	*successor = NULL;
	if (!(all && q->scanned))
		rc = scan_numbers(q, from, count, e);
	q->scanned = all && !rc;
	*parents = tracker_batch(t, q, q->current, count, t->layer + 1);
	if (!rc && from > 0) {
		rc = tracker_need_iota(q, e);
		parents->slot = (const uint32_t *)q->iota.at + from;
	}
	c->first = q->first.at;
	c->number = (const uint32_t *)q->number.at + from;
	c->total = part->count;
	c->first_source = part->from;
	if (rc || !q->ops->successors)
		return rc;
	if ((rc = tracker_need_words(q, &q->child_successor, part->count, e)))
		return rc;
	*successor = q->child_successor.at;
	return q->ops->successors(q->p, q->parameters, parents, c, *successor, e);
}

/* The successors of place k's share of the part's parents. */
static int name_own(struct tracker *t, int k, const struct tracker_part *part, uint32_t *done,
		    struct err *e)
{
	uint32_t begin = tracker_share(t, t->count, k), end = tracker_share(t, t->count, k + 1);
	struct tracker_part own = { .from = part->from > begin ? part->from : begin,
				    .to = part->to < end ? part->to : end };
	struct track_batch parents;
	struct track_children c;
	uint32_t *successor;
	int rc;

	if (own.from >= own.to)
		return 0;
	own.count = (uint32_t)tracker_children_of(t, own.from, own.to);
	if (own.count == 0)
		return 0;
	rc = tracker_number_own(t, k, &own, &parents, &c, &successor, e);
	if (!rc)
		rc = track_from(t->place[k].p, t->child_successor + *done, successor,
				own.count * sizeof(uint32_t), e);
	*done += own.count;
	return rc;
}

int tracker_name_children(struct tracker *t, const struct tracker_part *part, struct err *e)
{
	bool counted = !t->place[0].ops->successors;
	bool regular = counted && t->o.expansion == TRACK_REGULAR;
	uint32_t n = 0, done = 0;
	int rc = 0;

	if (regular && t->named_for == t->count)
		return 0;
	t->named_for = regular ? t->count : 0;
	t->clones_named = false;
	for (uint32_t i = part->from; i < part->to; i++)
		for (uint32_t k = 0; k < t->number[i]; k++, n++) {
			t->child_source[n] = i;
			if (counted)
				t->child_successor[n] = k;
		}
	if (counted)
		return 0;
	for (int k = 0; !rc && k < t->places; k++)
		rc = name_own(t, k, part, &done, e);
	return rc ? rc : tracker_wait(t, e);
}

/* The names of children from .. of the part. */
static int put_names(struct tracker *t, struct tracker_place *q, uint32_t from, uint32_t count,
		     struct err *e)
{
	int rc = tracker_put(q, &q->child_source, t->child_source + from, count, e);

	if (rc)
		return rc;
	return tracker_put(q, &q->child_successor, t->child_successor + from, count, e);
}

int tracker_clone(struct tracker *t, const struct tracker_part *part, struct err *e)
{
	int rc = tracker_meet(t, e);

	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t from = tracker_share(t, part->count, k);
		uint32_t count = tracker_share(t, part->count, k + 1) - from;
		struct track_gather g = tracker_from_current(t, q, count);

		if (count == 0)
			continue;
		if (!t->clones_named && (rc = put_names(t, q, from, count, e)))
			return rc;
		g.from_slot = q->child_source.at;
		rc = q->common->gather(q->p, &g, e);
	}
	t->clones_named = t->named_for && !rc;
	return rc;
}

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

static int tracker_algorithm2(struct tracker *t, struct tracker_run *r, uint64_t *breaks,
			      struct err *e)
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

/* ---- forward steps ---- */

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
