/* The children of a layer: expansion, clones, evaluation (Algorithm 2); forward steps of states. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

/* ---- how many children ---- */

/* Regular expansion: ceil(slots / states) children of every state, `slots` in total (section
 * III-A). */
static int expand_regularly(struct tracker *t, struct err *e)
{
	uint32_t each = (t->o.slots - 1) / t->count + 1, left = t->o.slots;
	int status = 0;

	t->children = t->o.slots;
	t->numbers_known = true;
	if (t->regular_for == t->count)
		return 0;
	for (uint32_t i = 0; i < t->count; i++) {
		t->number[i] = each < left ? each : left;
		left -= t->number[i];
	}
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, t->count, k);
		uint32_t to = track_engine_share(t, t->count, k + 1);

		q->reported->children = track_engine_children_of(t, from, to);
		q->scanned = false;
		status = track_engine_put(q, &q->number, t->number + from, to - from, e);
	}
	if (!status)
		status = track_engine_wait(t, e);
	t->regular_for = status ? 0 : t->count;
	return status;
}

static int scan_numbers(struct track_engine_place *q, uint32_t from, uint32_t count, struct err *e)
{
	const struct track_common *c = q->common;
	int status;

	if ((status = track_engine_need_words(q, &q->first, count, e)) ||
	    (status = track_engine_need(q, &q->total, 1, sizeof(uint64_t), e)) ||
	    (status = track_engine_need(q, &q->scratch, c->scan_scratch(q->p, count) + 1, 1, e)))
		return status;
	return c->scan(q->p, (const uint32_t *)q->number.at + from, q->first.at, q->total.at, count,
		       q->scratch.at, e);
}

/* Starts: numbers of children on the place, and the copy of their sum to the host. */
static int expand_place(struct tracker *t, struct track_engine_place *q, uint32_t count,
			struct err *e)
{
	struct track_batch b = track_engine_batch(t, q, q->current, count, t->layer);
	int status;

	q->reported->children = 0;
	q->scanned = false;
	if (count == 0)
		return 0;
	if ((status = track_engine_need_words(q, &q->number, count, e)) ||
	    (status = q->ops->expand(q->p, q->parameters, &b, q->number.at, e)) ||
	    (status = scan_numbers(q, 0, count, e)))
		return status;
	q->scanned = true;
	return track_from(q->p, &q->reported->children, q->total.at, sizeof(q->reported->children),
			  e);
}

static int read_numbers(struct tracker *t, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++) {
		uint32_t from = track_engine_share(t, t->count, k);
		uint32_t to = track_engine_share(t, t->count, k + 1);

		status = track_from(t->place[k].p, t->number + from, t->place[k].number.at,
				    (to - from) * sizeof(*t->number), e);
	}
	t->numbers_known = true;
	return status ? status : track_engine_wait(t, e);
}

static int expand_irregularly(struct tracker *t, struct err *e)
{
	bool fits = true;
	int status = 0;

	t->regular_for = 0;
	t->numbers_known = false;
	t->children = 0;
	for (int k = 0; !status && k < t->places; k++)
		status = expand_place(t, &t->place[k],
				      track_engine_share(t, t->count, k + 1) -
					      track_engine_share(t, t->count, k),
				      e);
	if (!status)
		status = track_engine_wait(t, e);
	for (int k = 0; !status && k < t->places; k++) {
		t->children += t->place[k].reported->children;
		fits = fits && t->place[k].reported->children <= t->o.slots;
	}
	if (status || t->children == 0 || (t->fused && !t->on_host && fits))
		return status;
	return read_numbers(t, e);
}

int track_engine_expand(struct tracker *t, struct err *e)
{
	return t->o.expansion == TRACK_REGULAR ? expand_regularly(t, e) : expand_irregularly(t, e);
}

uint64_t track_engine_children_of(const struct tracker *t, uint32_t from, uint32_t to)
{
	uint64_t sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += t->number[i];
	return sum;
}

/* ---- parts ---- */

/* Takes parents from part->to on, before `end`, as long as they have at most `slots` children. */
static int take_parents(const struct tracker *t, struct track_engine_part *part, uint32_t end,
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

int track_engine_next_part(const struct tracker *t, struct track_engine_part *part, bool *more,
			   struct err *e)
{
	return take_parents(t, part, t->count, more, e);
}

int track_engine_next_own_part(const struct tracker *t, int k, struct track_engine_part *part,
			       bool *more, struct err *e)
{
	uint32_t first = track_engine_share(t, t->count, k),
		 end = track_engine_share(t, t->count, k + 1);

	if (part->to < first)
		part->to = first;
	if (t->numbers_known)
		return take_parents(t, part, end, more, e);
	*more = part->to < end;
	part->from = part->to;
	part->to = end;
	part->count = (uint32_t)t->place[k].reported->children;
	return 0;
}

/* ---- which children ---- */

int track_engine_need_iota(struct track_engine_place *q, struct err *e)
{
	uint32_t *words;
	int status;

	if (q->iota.at)
		return 0;
	words = malloc(q->slots * sizeof(*words));
	if (!words)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " numbers", q->slots);
	for (uint32_t i = 0; i < q->slots; i++)
		words[i] = i;
	status = track_engine_put(q, &q->iota, words, q->slots, e);
	if (track_sync(q->p, status ? NULL : e) && !status)
		status = ERR_DEVICE;
	free(words);
	return status;
}

int track_engine_number_own(struct tracker *t, int k, const struct track_engine_part *part,
			    struct track_batch *parents, struct track_children *c,
			    uint32_t **successor, struct err *e)
{
	struct track_engine_place *q = &t->place[k];
	uint32_t begin = track_engine_share(t, t->count, k),
		 end = track_engine_share(t, t->count, k + 1);
	uint32_t from = part->from - begin, count = part->to - part->from;
	bool all = part->from == begin && part->to == end;
	int status = 0;

	*successor = NULL;
	if (!(all && q->scanned))
		status = scan_numbers(q, from, count, e);
	q->scanned = all && !status;
	*parents = track_engine_batch(t, q, q->current, count, t->layer + 1);
	if (!status && from > 0) {
		status = track_engine_need_iota(q, e);
		parents->slot = (const uint32_t *)q->iota.at + from;
	}
	c->first = q->first.at;
	c->number = (const uint32_t *)q->number.at + from;
	c->total = part->count;
	c->first_source = part->from;
	if (status || !q->ops->successors)
		return status;
	if ((status = track_engine_need_words(q, &q->child_successor, part->count, e)))
		return status;
	*successor = q->child_successor.at;
	return q->ops->successors(q->p, q->parameters, parents, c, *successor, e);
}

/* Lists the successors of the parents of the part that are on place k. */
static int name_own(struct tracker *t, int k, const struct track_engine_part *part, uint32_t *done,
		    struct err *e)
{
	uint32_t begin = track_engine_share(t, t->count, k),
		 end = track_engine_share(t, t->count, k + 1);
	struct track_engine_part own = { .from = part->from > begin ? part->from : begin,
					 .to = part->to < end ? part->to : end };
	struct track_batch parents;
	struct track_children c;
	uint32_t *successor;
	int status;

	if (own.from >= own.to)
		return 0;
	own.count = (uint32_t)track_engine_children_of(t, own.from, own.to);
	if (own.count == 0)
		return 0;
	status = track_engine_number_own(t, k, &own, &parents, &c, &successor, e);
	if (!status)
		status = track_from(t->place[k].p, t->child_successor + *done, successor,
				    own.count * sizeof(uint32_t), e);
	*done += own.count;
	return status;
}

int track_engine_name_children(struct tracker *t, const struct track_engine_part *part,
			       struct err *e)
{
	bool counted = !t->place[0].ops->successors;
	bool regular = counted && t->o.expansion == TRACK_REGULAR;
	uint32_t n = 0, done = 0;
	int status = 0;

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
	for (int k = 0; !status && k < t->places; k++)
		status = name_own(t, k, part, &done, e);
	return status ? status : track_engine_wait(t, e);
}

/* Copies source and successor of the children from .. to the place. */
static int put_names(struct tracker *t, struct track_engine_place *q, uint32_t from, uint32_t count,
		     struct err *e)
{
	int status = track_engine_put(q, &q->child_source, t->child_source + from, count, e);

	if (status)
		return status;
	return track_engine_put(q, &q->child_successor, t->child_successor + from, count, e);
}

int track_engine_clone(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	int status = track_engine_meet(t, e);

	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, part->count, k);
		uint32_t count = track_engine_share(t, part->count, k + 1) - from;
		struct track_gather g = track_engine_from_current(t, q, count);

		if (count == 0)
			continue;
		if (!t->clones_named && (status = put_names(t, q, from, count, e)))
			return status;
		g.from_slot = q->child_source.at;
		status = q->common->gather(q->p, &g, e);
	}
	t->clones_named = t->named_for && !status;
	return status;
}

/* ---- Algorithm 2 line by line ---- */

/* A run of Algorithm 2 over several places. */
struct track_engine_run {
	int places;
	struct track_engine_place *place[DEV_MAX];
	struct track_batch batch[DEV_MAX];
	uint32_t steps;
	enum track_schedule schedule;
	double fill_rate;
	uint32_t breaks;
	bool assign_first, assign_last;
};

static bool asks_who_waits(const struct track_engine_run *r)
{
	return r->schedule != TRACK_FIXED;
}

static int need_waiting(struct track_engine_run *r, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < r->places && asks_who_waits(r); k++) {
		struct track_engine_place *q = r->place[k];

		if ((status = track_engine_need_words(q, &q->waiting, r->batch[k].count / 32 + 1,
						      e)) ||
		    (status = track_engine_need_words(q, &q->waiting_count, 1, e)))
			return status;
		r->batch[k].waiting = q->waiting.at;
		r->batch[k].waiting_count = q->waiting_count.at;
	}
	return status;
}

/* Line 4. */
static int reset(struct track_engine_run *r, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < r->places && asks_who_waits(r); k++) {
		struct track_batch *b = &r->batch[k];

		if (b->count == 0)
			continue;
		if ((status = track_fill(r->place[k]->p, b->waiting, 0, (b->count / 32 + 1) * 4,
					 e)) ||
		    (status = track_fill(r->place[k]->p, b->waiting_count, 0, 4, e)))
			return status;
	}
	return status;
}

/* Line 7. Returns the number of waiting states, if the schedule needs it. */
static int execute(struct track_engine_run *r, uint32_t step, uint64_t *waiting, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < r->places; k++) {
		struct track_engine_place *q = r->place[k];
		struct track_batch *b = &r->batch[k];

		b->step = step;
		if (b->count == 0)
			continue;
		status = q->ops->execute(q->p, q->parameters, b, e);
		if (!status && asks_who_waits(r))
			status = track_from(q->p, &q->reported->waiting, b->waiting_count,
					    sizeof(q->reported->waiting), e);
	}
	*waiting = 0;
	for (int k = 0; k < r->places && asks_who_waits(r); k++) {
		int sync = track_sync(r->place[k]->p, status ? NULL : e);

		status = status ? status : sync;
		*waiting += r->batch[k].count ? r->place[k]->reported->waiting : 0;
	}
	return status;
}

/* Lines 1 and 12. all: also states that do not wait. */
static int assign(struct track_engine_run *r, uint32_t step, bool all, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < r->places; k++) {
		struct track_engine_place *q = r->place[k];
		struct track_batch b = r->batch[k];

		b.step = step;
		if (all)
			b.waiting = b.waiting_count = NULL;
		if (b.count)
			status = q->ops->assign(q->p, q->parameters, &b, e);
	}
	return status;
}

/* Line 8. */
static bool leaves(const struct track_engine_run *r, uint32_t steps_done, uint64_t waiting,
		   uint64_t states)
{
	if (r->schedule == TRACK_FIXED)
		return r->breaks >> (steps_done - 1) & 1;
	if (r->schedule == TRACK_EACH)
		return waiting > 0;
	return (double)waiting / (double)states > r->fill_rate;
}

static int track_engine_algorithm2(struct tracker *t, struct track_engine_run *r, uint64_t *breaks,
				   struct err *e)
{
	uint64_t states = 0, waiting = 0;
	uint32_t i = 0;
	int status = need_waiting(r, e);

	*breaks = 0;
	for (int k = 0; k < r->places; k++)
		states += r->batch[k].count;
	if (!status && r->assign_first) {
		status = assign(r, 0, true, e);
		t->figures.assignments += states;
	}
	while (!status && i < r->steps && states > 0) {
		bool all;

		status = reset(r, e);
		waiting = 0;
		do {
			t->figures.executions += states - waiting;
			if (!status)
				status = execute(r, i++, &waiting, e);
		} while (!status && !leaves(r, i, waiting, states) && i < r->steps);
		all = r->schedule == TRACK_FIXED || (r->assign_last && i == r->steps);
		if (!status)
			status = assign(r, i, all, e);
		t->figures.assignments += all ? states : waiting;
		++*breaks;
	}
	return status;
}

/* Advances every state independently; the number of waiting states is not needed. */
static int advance_all(struct tracker *t, struct track_engine_run *r, struct err *e)
{
	uint32_t flags = r->assign_first ? TRACK_ASSIGN_FIRST : 0;
	int status = 0;

	for (int k = 0; !status && k < r->places; k++) {
		struct track_engine_place *q = r->place[k];
		uint64_t count = r->batch[k].count;

		t->figures.executions += count * r->steps;
		t->figures.assignments += r->assign_first ? count : 0;
		if (count)
			status = q->ops->advance(q->p, q->parameters, &r->batch[k], r->steps, flags,
						 e);
	}
	return status;
}

int track_engine_evaluate_stored(struct tracker *t, const struct track_engine_part *part,
				 struct err *e)
{
	struct track_engine_run r = {
		.places = t->places,
		.steps = t->o.look_ahead,
		.schedule = t->o.schedule,
		.fill_rate = t->o.fill_rate,
		.breaks = t->o.breaks,
		.assign_first = t->o.assign_first,
	};
	int status;

	for (int k = 0; k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t count = track_engine_share(t, part->count, k + 1) -
				 track_engine_share(t, part->count, k);

		r.place[k] = q;
		r.batch[k] = track_engine_batch(t, q, q->next, count, t->layer + 1);
		r.batch[k].source = q->child_source.at;
		r.batch[k].successor = q->child_successor.at;
		if ((status = track_engine_need_words(q, &q->child_rating, count, e)))
			return status;
	}
	status = t->by_itself ? advance_all(t, &r, e) :
				track_engine_algorithm2(t, &r, &t->figures.breaks, e);
	for (int k = 0; !status && k < t->places; k++)
		if (r.batch[k].count)
			status = r.place[k]->ops->rate(r.place[k]->p, r.place[k]->parameters,
						       &r.batch[k], r.place[k]->child_rating.at, e);
	return status;
}

/* ---- in one call ---- */

/* How often Algorithm 2 leaves its inner loop with fixed breaks. */
static uint32_t fixed_breaks(const struct track_options *o)
{
	uint32_t breaks = 1; /* after the last step */

	for (uint32_t i = 0; i + 1 < o->look_ahead; i++)
		breaks += o->breaks >> i & 1;
	return breaks;
}

int track_engine_evaluate_fused(struct tracker *t, int k, const struct track_batch *parents,
				const struct track_children *c, const uint32_t *successor,
				struct err *e)
{
	struct track_engine_place *q = &t->place[k];
	const struct track_options *o = &t->o;
	uint32_t flags = o->assign_first ? TRACK_ASSIGN_FIRST : 0;
	int status = track_engine_need_words(q, &q->child_rating, c->total, e);

	if (status)
		return status;
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

/* The published engine makes forward steps by the lines of Algorithm 2. The bytes of a state must
 * not depend on others, so it breaks as soon as one waits. */
static int step_by_lines(struct tracker *t, struct track_engine_place *q,
			 const struct track_batch *b, struct err *e)
{
	struct track_engine_run r = {
		.places = 1,
		.place = { q },
		.batch = { *b },
		.steps = t->o.forward,
		.schedule = TRACK_EACH,
		.assign_first = t->flags & TRACK_ASSIGN_FIRST,
		.assign_last = t->flags & TRACK_ASSIGN_LAST,
	};
	uint64_t breaks = 0;

	return track_engine_algorithm2(t, &r, &breaks, e);
}

/* Measures a step for the multistage rule; other rules need no such synchronisation. */
static int timed(struct tracker *t, struct track_engine_place *q, const struct track_batch *b,
		 int (*step)(struct tracker *, struct track_engine_place *,
			     const struct track_batch *, struct err *),
		 struct err *e)
{
	double start;
	int status;

	if (t->o.archive.recovery != TRACK_RECOVERY_MULTISTAGE)
		return step(t, q, b, e);
	if ((status = track_sync(q->p, e)))
		return status;
	start = clock_wall();
	if ((status = step(t, q, b, e)) || (status = track_sync(q->p, e)))
		return status;
	track_archive_learn_step(q->archive, clock_wall() - start, b->count);
	return 0;
}

static int step_at_once(struct tracker *t, struct track_engine_place *q,
			const struct track_batch *b, struct err *e)
{
	t->figures.executions += (uint64_t)b->count * t->o.forward;
	if (t->flags & TRACK_ASSIGN_FIRST)
		t->figures.assignments += b->count;
	if (t->flags & TRACK_ASSIGN_LAST)
		t->figures.assignments += b->count;
	return q->ops->advance(q->p, q->parameters, b, t->o.forward, t->flags, e);
}

int track_engine_step(struct tracker *t, struct track_engine_place *q, const struct track_batch *b,
		      struct err *e)
{
	if (b->count == 0)
		return 0;
	return timed(t, q, b, t->o.engine == TRACK_PUBLISHED ? step_by_lines : step_at_once, e);
}
