/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on all cores. The team's tasks are intervals of placements (queens_walk.h) on one half
 * of the board. */
#include "algorithms/tree-search/nqueens/queens_cpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/search_work.h"
#include "algorithms/tree-search/task_saver.h"
#include "kernels/gmys-ivm/factoradic.h"

/* The parts of the tree; a run of the team searches one or two of them. LEFT: the queen of the
 * first row is in a column 0 .. N/2 - 1. PAIRS and MIDDLE, for odd N: it is in the middle column.
 * PAIRS are those where the queen of the second row is in a column 0 .. N/2 - 1; they stand for
 * their mirror images, too. Every placement of LEFT and PAIRS has a different mirror image, except
 * the single queen in the middle. MIDDLE: all of them, each for itself. */
enum part { LEFT = 1, PAIRS = 2, MIDDLE = 4 };

#define ENGINE "N-Queens on cores"

struct queens {
	struct task_team team;
	int n;
	enum part part; /* of the current run */
	struct queens_cpu_tasks tasks;
	struct queens_cpu_member *member; /* [members] */
	struct checkpoint_past past;
	struct queens_intervals source; /* where the search starts */
	struct checkpoint counts;       /* of earlier runs and parts, half board */
};

/* ---- tasks ---- */

/* The intervals of the current part, from those of the source. */
static bool part_of(const struct queens *s, enum part part, struct queens_interval *in)
{
	int middle = s->n / 2;

	if (part & PAIRS) {
		if (!queens_interval_clip(in, s->n, part & LEFT ? 0 : middle, middle) || s->n < 2)
			return false;
		/* only from the root: the interval ends with the middle column of the first row, or
		 * of an even board before it */
		if (in->last[0] == middle) {
			ivm_factoradic_last(in->last, s->n);
			in->last[0] = (uint16_t)middle;
			in->last[1] = (uint16_t)(middle - 1);
		}
		return true;
	}
	if (part == MIDDLE)
		return s->n % 2 && queens_interval_clip(in, s->n, middle, middle);
	return middle && queens_interval_clip(in, s->n, 0, middle - 1);
}

/* Divides the part at nodes of one depth. Returns false if there is no memory. */
static bool divide(struct queens *s, int depth)
{
	s->tasks.all.count = 0;
	for (uint64_t i = 0; i < s->source.count; i++) {
		struct queens_interval in = s->source.item[i];

		if (part_of(s, s->part, &in) &&
		    !queens_interval_divide(&in, s->n, depth, &s->tasks.all))
			return false;
	}
	return true;
}

static int make_tasks(struct queens *s, struct err *e)
{
	enum { TASKS_A_THREAD = 512 };
	uint64_t enough = (uint64_t)s->team.threads * TASKS_A_THREAD;
	int depth = 1;

	do {
		if (!divide(s, depth))
			return err_set(e, ERR_MEMORY, "no memory for %" PRIu64 " tasks",
				       s->tasks.all.count);
	} while (s->tasks.all.count && s->tasks.all.count < enough && ++depth < s->n - 2);
	return 0;
}

static void work(struct task_member *m)
{
	struct queens *s = m->team->work_context;

	if (m->id == 0)
		task_team_divide(m->team, s->tasks.all.count);
	task_team_barrier(m->team);
	if (s->tasks.n <= 16)
		queens_cpu_search_16(m, &s->tasks, &s->member[m->id]);
	else
		queens_cpu_search_32(m, &s->tasks, &s->member[m->id]);
}

/* Checks the balance of each member's stacks, and that all tasks were begun. */
static int check_balance(const struct queens *s, struct err *e)
{
	static const struct balance_name name = { ENGINE, "thread", 0, NULL };
	static const struct balance_name all = { ENGINE, NULL, -1, "tasks" };
	struct balance b[SEARCH_WORKERS_MAX];
	bool complete = !atomic_load(&s->team.stopped);
	uint64_t begun = 0;
	int status;

	for (int i = 0; i < s->team.threads; i++) {
		const struct queens_cpu_counts *c = &s->member[i].counts;

		b[i] = (struct balance){ .initial = c->begun,
					 .pushed = c->made,
					 .popped = c->done };
		begun += c->tasks;
	}
	status = balance_check_all(b, s->team.threads, NULL, &name, true, e);
	if (status || !complete)
		return status;
	return balance_equal(&all, "made", s->tasks.all.count, "begun", begun, e);
}

/* ---- the state for a checkpoint, in a pause or at the end ---- */

/* Adds the counts of the current part to those of a half board. */
static void add_part(const struct queens *s, struct checkpoint *c)
{
	for (int i = 0; i < s->team.threads; i++) {
		const struct queens_walk_counts *w = &s->member[i].counts.found;
		uint64_t boards = s->part == PAIRS ? 2 : 1;

		c->decomposed += w->first_row + boards * w->nodes;
		c->leaves += boards * w->solutions;
		c->solutions += (s->part == MIDDLE ? 1 : 2) * w->solutions;
	}
}

/* The open intervals: of the current part, the tasks that nobody has taken and what is left of the
 * members' tasks; before the run of MIDDLE, that part. Returns false if there is no memory. */
static bool open_work(const struct queens *s, struct queens_intervals *l)
{
	struct queens_interval rest;
	bool room = true;

	for (int i = 0; i < s->team.threads && room; i++) {
		uint64_t from, end;

		task_team_untaken(&s->team, i, &from, &end);
		for (; from < end && room; from++)
			room = queens_intervals_add(l, &s->tasks.all.item[from]);
		if (room && queens_walk_rest(&s->member[i].walk, &rest))
			room = queens_intervals_add(l, &rest);
	}
	for (uint64_t i = 0; i < s->source.count && room && s->part == LEFT; i++) {
		rest = s->source.item[i];
		if (part_of(s, MIDDLE, &rest))
			room = queens_intervals_add(l, &rest);
	}
	return room;
}

static int state(void *search, struct checkpoint *c, struct err *e)
{
	struct queens *s = search;
	struct queens_intervals open = { .item = NULL };
	size_t n = (size_t)s->n, bytes = n * sizeof(*c->work);
	bool room = open_work(s, &open);

	*c = s->counts;
	add_part(s, c);
	checkpoint_key_of(s->team.request, 0, &c->key);
	c->form = CHECKPOINT_INTERVALS;
	c->seconds = s->past.state.seconds + clock_wall() - s->team.interrupt.begin;
	c->count = open.count;
	c->work = room ? malloc(2 * bytes * (size_t)open.count + 1) : NULL;
	for (uint64_t i = 0; c->work && i < open.count; i++) {
		memcpy(c->work + 2 * n * i, open.item[i].first, bytes);
		memcpy(c->work + 2 * n * i + n, open.item[i].last, bytes);
	}
	queens_intervals_free(&open);
	return c->work ? 0 : err_set(e, ERR_MEMORY, "no memory for a checkpoint of N-Queens");
}

/* ---- the search ---- */

/* The intervals that the search starts from: the half board, or those of earlier runs. */
static int make_source(struct queens *s, struct err *e)
{
	const struct checkpoint *past = &s->past.state;
	size_t n = (size_t)s->n, bytes = n * sizeof(*past->work);
	struct queens_interval in = { .first = { 0 } };
	bool room = true;

	ivm_factoradic_last(in.last, s->n);
	in.last[0] = (uint16_t)((s->n + 1) / 2 - 1);
	if (!s->past.resumed)
		room = queens_intervals_add(&s->source, &in);
	for (uint64_t i = 0; i < past->count && room; i++) {
		memcpy(in.first, past->work + 2 * n * i, bytes);
		memcpy(in.last, past->work + 2 * n * i + n, bytes);
		room = queens_intervals_add(&s->source, &in);
	}
	s->counts.decomposed = past->decomposed;
	s->counts.leaves = past->leaves;
	s->counts.solutions = past->solutions;
	return room ? 0 : err_set(e, ERR_MEMORY, "no memory for the intervals of a checkpoint");
}

static int open_search(struct queens *s, const struct search_request *r, bool half, struct err *e)
{
	enum { ROWS_BELOW = 12 }; /* of subtrees that take less than a millisecond */
	int status;

	s->n = s->tasks.n = r->queens;
	s->tasks.whole = s->n > ROWS_BELOW + 1 ? s->n - ROWS_BELOW : 1;
	status = task_team_create(&s->team, r, e);
	s->member = calloc((size_t)s->team.members, sizeof(*s->member));
	if (!status && !s->member)
		status = err_set(e, ERR_MEMORY, "no memory for %d threads", s->team.members);
	if (!status && half)
		status = checkpoint_past_open(&s->past, r, CHECKPOINT_INTERVALS, e);
	return status ? status : make_source(s, e);
}

static void close_search(struct queens *s)
{
	queens_intervals_free(&s->tasks.all);
	queens_intervals_free(&s->source);
	checkpoint_past_close(&s->past);
	free(s->member);
	task_team_destroy(&s->team);
}

/* Searches the parts; the members hold their counts. */
static int search_part(struct queens *s, enum part part, struct search_outcome *o, struct err *e)
{
	double start = clock_wall(), ready;
	double left = (s->n - 1.0) / (s->n + 1); /* of the first row of an odd half board */
	int status;

	s->part = part;
	for (int i = 0; i < s->team.members; i++) {
		const struct queens_walk_counts *w = &s->member[i].counts.found;

		s->tasks.before[i] += (uint64_t)s->tasks.weight * (w->nodes + w->solutions);
		memset(&s->member[i], 0, sizeof(s->member[i]));
	}
	s->tasks.weight = part == LEFT || part == MIDDLE ? 1 : 2;
	s->team.share_from = part == PAIRS || part == MIDDLE ? left : 0;
	s->team.share_to = part == LEFT && s->n % 2 ? left : 1;
	status = make_tasks(s, e);
	ready = clock_wall();
	if (!status)
		status = task_saver_run(&s->team, work, s, state, e);
	if (!status)
		status = check_balance(s, e);
	for (int i = 0; i < s->team.threads; i++) {
		const struct queens_walk_counts *w = &s->member[i].counts.found;

		o->operations += search_work_cores_queens(s->n, (double)w->nodes);
	}
	o->seconds_setup += ready - start;
	o->seconds_search += clock_wall() - ready;
	return status;
}

/* Every placement counts for itself and its mirror image, except those of one queen. */
static int whole_board(struct queens *s, struct search_outcome *o, struct err *e)
{
	int status = search_part(s, LEFT | PAIRS, o, e);

	for (int i = 0; i < s->team.threads; i++) {
		const struct queens_walk_counts *w = &s->member[i].counts.found;

		o->worker_explored[i] = 2 * (w->nodes + w->solutions) + (i ? 0 : (uint64_t)s->n);
		o->explored += o->worker_explored[i];
		o->solutions += 2 * w->solutions;
	}
	o->leaves = o->solutions;
	if (!status && !atomic_load(&s->team.stopped))
		o->decomposed = 1 + o->explored - o->solutions;
	return status;
}

/* Ends a part of the half board: adds its counts to the search's. */
static void end_part(struct queens *s, struct search_outcome *o)
{
	for (int i = 0; i < s->team.threads; i++) {
		const struct queens_walk_counts *w = &s->member[i].counts.found;
		uint64_t boards = s->part == PAIRS ? 2 : 1;

		o->worker_explored[i] += w->first_row + boards * (w->nodes + w->solutions);
	}
	add_part(s, &s->counts);
}

/* Writes and keeps the last state. The counts of the members are those of the last part. */
static int keep_state(struct queens *s, struct err *e)
{
	struct checkpoint c;
	int status;

	if (!checkpoint_is_kept(s->team.request->checkpoint))
		return 0;
	status = state(s, &c, e);
	return status ? status : checkpoint_end(&c, s->team.request, e);
}

/* The half board holds both placements of a pair if the first queen is in the middle, else one. */
static int half_board(struct queens *s, struct search_outcome *o, struct err *e)
{
	int status = search_part(s, LEFT, o, e);

	if (!status && s->n % 2 && !atomic_load(&s->team.stopped)) {
		end_part(s, o);
		status = search_part(s, s->team.request->checkpoint ? MIDDLE : PAIRS, o, e);
	}
	if (!status)
		status = keep_state(s, e);
	end_part(s, o);
	o->decomposed = s->counts.decomposed;
	o->leaves = s->counts.leaves;
	o->explored = o->decomposed + o->leaves;
	o->solutions = s->counts.solutions;
	return status;
}

/* The placement of one queen, the only one without a different mirror image. */
static void one_queen(bool half, struct search_outcome *o)
{
	*o = (struct search_outcome){ .complete = true,
				      .solutions = 1,
				      .explored = 1,
				      .leaves = 1,
				      .decomposed = half ? 0 : 1,
				      .workers = 1,
				      .worker_explored = { 1 } };
}

static int count(const struct search_request *r, bool half, struct search_outcome *o, struct err *e)
{
	struct queens *s;
	int status;

	*o = (struct search_outcome){ 0 };
	if (r->queens < 1 || r->queens > QUEENS_MAX_COUNTED)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: 1 to %d can be counted in 64 bits",
			       r->queens, QUEENS_MAX_COUNTED);
	if (r->checkpoint && !half)
		return err_set(e, ERR_UNSUPPORTED,
			       "the search of the whole board does not support checkpoints");
	if (r->queens == 1 && !r->checkpoint) {
		one_queen(half, o);
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for the search");
	status = open_search(s, r, half, e);
	if (!status)
		status = half ? half_board(s, o, e) : whole_board(s, o, e);
	if (!status) {
		task_team_report(&s->team, o);
		o->complete = !atomic_load(&s->team.stopped);
		status = task_team_check(&s->team, ENGINE, o->complete, e);
		if (!status && !o->complete)
			status = interrupt_status(&s->team.interrupt, e);
		o->complete = o->complete && !status;
	}
	o->seconds_total = clock_wall() - s->team.interrupt.begin;
	close_search(s);
	free(s);
	return status;
}

int queens_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return count(r, false, o, e);
}

int queens_cpu_half(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return count(r, true, o, e);
}
