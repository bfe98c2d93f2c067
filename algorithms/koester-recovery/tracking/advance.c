/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Steps of states: Algorithm 2, all steps of a state in one call, and forward steps. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include "harness/base/clock.h"

/* ---- Algorithm 2 line by line ---- */

/* Algorithm 2 on states of several places: its batches and options. */
struct run {
	int places;
	struct track_engine_place *place[DEV_MAX];
	struct track_batch batch[DEV_MAX];
	uint32_t steps;
	enum track_schedule schedule;
	double fill_rate;
	uint32_t breaks;
	bool assign_first, assign_last;
	const struct track_path *path; /* of the states of a single place; NULL: one layer */
	uint32_t forward;              /* steps of a round of the path */
};

static bool asks_who_waits(const struct run *r)
{
	return r->schedule != TRACK_FIXED;
}

static int need_waiting(struct run *r, uint32_t count_words, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < r->places && asks_who_waits(r); k++) {
		struct track_engine_place *q = r->place[k];

		if ((status = track_engine_need_words(q, &q->waiting, r->batch[k].count / 32 + 1,
						      e)) ||
		    (status = track_engine_need_words(q, &q->waiting_count, count_words, e)))
			return status;
		r->batch[k].waiting = q->waiting.at;
		r->batch[k].waiting_count = q->waiting_count.at;
	}
	return status;
}

/* Sets the step of a batch, and on a path the layer and the entries of the round it belongs to. */
static void set_step(const struct run *r, struct track_batch *b, uint32_t round, uint32_t step)
{
	b->step = step;
	if (!r->path)
		return;
	b->iteration = round + 1;
	b->source = r->path->source + (size_t)round * r->path->count;
	b->successor = r->path->successor + (size_t)round * r->path->count;
}

static void set_execution(const struct run *r, struct track_batch *b, uint32_t step)
{
	uint32_t each = r->path ? r->forward : r->steps;

	set_step(r, b, step / each, step % each);
}

/* An assignment after `step` steps belongs to the round of the last of them. */
static void set_assignment(const struct run *r, struct track_batch *b, uint32_t step)
{
	uint32_t each = r->path ? r->forward : r->steps, last = step ? step - 1 : 0;

	set_step(r, b, last / each, step ? last % each + 1 : 0);
}

/* Line 4. */
static int reset(struct run *r, struct err *e)
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

/* Line 7. Sets *waiting to the number of waiting states if the schedule needs it, else to 0. */
static int execute(struct run *r, uint32_t step, uint64_t *waiting, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < r->places; k++) {
		struct track_engine_place *q = r->place[k];
		struct track_batch *b = &r->batch[k];

		set_execution(r, b, step);
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

/* Lines 1 and 12. With `all`, also assigns states that do not wait. */
static int assign(struct run *r, uint32_t step, bool all, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < r->places; k++) {
		struct track_engine_place *q = r->place[k];
		struct track_batch b = r->batch[k];

		set_assignment(r, &b, step);
		if (all)
			b.waiting = b.waiting_count = NULL;
		if (b.count)
			status = q->ops->assign(q->p, q->parameters, &b, e);
	}
	return status;
}

/* Line 8. */
static bool leaves(const struct run *r, uint32_t steps_done, uint64_t waiting, uint64_t states)
{
	if (r->schedule == TRACK_FIXED)
		return r->breaks >> (steps_done - 1) & 1;
	if (r->schedule == TRACK_EACH)
		return waiting > 0;
	return (double)waiting / (double)states > r->fill_rate;
}

static int run_algorithm2(struct tracker *t, struct run *r, uint64_t *breaks, struct err *e)
{
	uint64_t states = 0, waiting = 0;
	uint32_t i = 0;
	int status = need_waiting(r, 1, e);

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

/* ---- Algorithm 2 in one call ---- */

bool track_engine_is_together(const struct tracker *t)
{
	return t->o.engine == TRACK_TUNED && t->places == 1 && t->o.schedule == TRACK_TOGETHER &&
	       t->place[0].ops->together && !t->by_itself;
}

/* Queues all of Algorithm 2 with the ratings. */
static int start_algorithm2(struct run *r, const struct track_gather *clones, struct err *e)
{
	struct track_engine_place *q = r->place[0];
	uint32_t flags = r->assign_first ? TRACK_ASSIGN_FIRST : 0;
	int status = need_waiting(r, r->steps, e);

	if (status)
		return status;
	return q->ops->together(q->p, q->parameters, clones, r->batch, r->steps, flags,
				r->fill_rate, q->child_rating.at, &q->reported->together, e);
}

void track_engine_end_together(struct tracker *t)
{
	const struct track_together *done = &t->place[0].reported->together;

	if (!t->together)
		return;
	t->together = false;
	t->figures.executions += done->executions;
	t->figures.assignments += done->assignments;
	t->figures.breaks = done->breaks;
}

/* ---- evaluation of stored children ---- */

/* Advances every state independently; the number of waiting states is not needed. */
static int advance_all(struct tracker *t, struct run *r, struct err *e)
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
				 const struct track_gather *clones, struct err *e)
{
	struct run r = {
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
	t->together = track_engine_is_together(t);
	status = t->by_itself ? advance_all(t, &r, e) :
		 t->together  ? start_algorithm2(&r, clones, e) :
				run_algorithm2(t, &r, &t->figures.breaks, e);
	for (int k = 0; !status && !t->together && k < t->places; k++)
		if (r.batch[k].count)
			status = r.place[k]->ops->rate(r.place[k]->p, r.place[k]->parameters,
						       &r.batch[k], r.place[k]->child_rating.at, e);
	return status;
}

/* ---- all steps of an evaluation in one call ---- */

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
	/* parts of different layers differ by a few children: room for the largest at once */
	uint64_t room = t->each ? (uint64_t)o->slots + o->beam : q->entry_count + c->total;
	int status = track_engine_need_words(q, &q->child_rating, room, e);

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
				     flags, o->breaks,
				     (uint32_t *)q->child_rating.at + q->entry_count, e);
}

/* ---- forward steps ---- */

/* The published engine makes forward steps line by line, as in Algorithm 2. It breaks as soon as
 * any state waits, because the bytes of a state must not depend on other states. */
static int step_by_lines(struct tracker *t, struct track_engine_place *q,
			 const struct track_batch *b, struct err *e)
{
	struct run r = {
		.places = 1,
		.place = { q },
		.batch = { *b },
		.steps = t->o.forward,
		.schedule = TRACK_EACH,
		.assign_first = t->flags & TRACK_ASSIGN_FIRST,
		.assign_last = t->flags & TRACK_ASSIGN_LAST,
	};
	uint64_t breaks = 0;

	return run_algorithm2(t, &r, &breaks, e);
}

/* Measures the time of a step for the multistage rule. Other rules avoid the synchronisation. */
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

void track_engine_count_steps(struct tracker *t, int64_t states)
{
	int64_t assigned = !!(t->flags & TRACK_ASSIGN_FIRST) + !!(t->flags & TRACK_ASSIGN_LAST);

	t->figures.executions += (uint64_t)(states * (int64_t)t->o.forward);
	t->figures.assignments += (uint64_t)(states * assigned);
}

static int step_at_once(struct tracker *t, struct track_engine_place *q,
			const struct track_batch *b, struct err *e)
{
	track_engine_count_steps(t, b->count);
	return q->ops->advance(q->p, q->parameters, b, t->o.forward, t->flags, e);
}

int track_engine_step(struct tracker *t, struct track_engine_place *q, const struct track_batch *b,
		      struct err *e)
{
	if (b->count == 0)
		return 0;
	return timed(t, q, b, t->o.engine == TRACK_PUBLISHED ? step_by_lines : step_at_once, e);
}

/* ---- along paths ---- */

int track_engine_follow(struct tracker *t, struct track_engine_place *q,
			const struct track_batch *b, const struct track_path *path,
			uint64_t *breaks, struct err *e)
{
	struct run r = {
		.places = 1,
		.place = { q },
		.batch = { *b },
		.steps = path->rounds * t->o.forward,
		.schedule = TRACK_TOGETHER,
		.fill_rate = t->o.fill_rate,
		.assign_first = true,
		.path = path,
		.forward = t->o.forward,
	};

	return run_algorithm2(t, &r, breaks, e);
}
