/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 2: one explorer in one thread takes one interval after the other. */
#include <string.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/search.h"
#include "algorithms/gmys-ivm/explorers/explorer.h"
#include "algorithms/gmys-ivm/interval_list.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/origin.h"

/* Units of work between two readings of the clock, one per machine or pair, job and side: a few
 * milliseconds. */
enum { WORK_BETWEEN_LOOKS = 1 << 22 };

struct serial {
	const struct search_request *r;
	struct interrupt interrupt;
	struct ivm_problem problem;
	struct ivm_explorer x;
	struct ivm_origin origin; /* intervals and counts to continue from, best known */
	uint64_t next;            /* the first interval that the explorer has not taken yet */
	struct dfs_gauge gauge;   /* of what is left */
	double shown;             /* when that was told; clock_wall */
	uint64_t length;          /* of all intervals, modulo IVM_FACTORADIC_MODULUS */
	int steps_between_looks;
	double written; /* time of the last checkpoint; clock_wall */
	bool stopped;
};

static int steps_between_looks(const struct ivm_problem *p)
{
	int64_t n = p->n, cost = n * n; /* per node */

	if (p->kind == IVM_FLOWSHOP)
		cost = 4 * n * (p->tables.machines + p->tables.pairs);
	return (int)(WORK_BETWEEN_LOOKS / cost) + 1;
}

static void keep_best(struct serial *s)
{
	if (!s->x.found || s->x.found_value >= s->origin.best)
		return;
	s->origin.best = s->x.found_value;
	watch_incumbent(s->r->watch, s->origin.best);
	s->origin.known = true;
	memcpy(s->origin.order, s->x.order, (size_t)s->problem.n * sizeof(*s->x.order));
}

/* Writes the open work: the rest of the explorer's interval, followed by the intervals not yet
 * begun. Nodes that will be counted again after resuming are subtracted from the explorer's counts.
 * `ends`: the search ends with it.
 */
static int write_checkpoint(struct serial *s, bool ends, struct err *e)
{
	struct ivm_origin *origin = &s->origin;
	size_t n = (size_t)s->problem.n;
	struct ivm_counts counts = s->x.counts;
	uint64_t again, open = s->next; /* first interval of the file */
	int status;

	/* the explorer has copied the interval before `next`, so its place is free */
	if (s->next > 0) {
		uint16_t *place = origin->interval + 2 * n * (s->next - 1);

		if (ivm_explorer_interval(&s->x, place, place + n, &again)) {
			counts.decomposed -= again;
			open--;
		}
	}
	status = (ends ? ivm_origin_end : ivm_origin_write)(
		origin, s->r, counts, origin->interval + 2 * n * open, origin->count - open, e);
	s->written = clock_wall();
	return status;
}

static uint64_t length_from(const struct serial *s, uint64_t first)
{
	size_t n = (size_t)s->problem.n;
	const struct ivm_interval_list rest = { .n = (int)n,
						.count = s->origin.count - first,
						.digits = s->origin.interval + 2 * n * first };

	return ivm_interval_list_length(&rest);
}

/* Checks the balance of the explorer and of all intervals together. */
static int check_balance(const struct serial *s, bool complete, struct err *e)
{
	static const struct balance_name explorer = { "gmys-ivm serial", "explorer", -1,
						      "lengths of intervals" };
	static const struct balance_name all = { "gmys-ivm serial", NULL, -1,
						 "lengths of intervals" };
	struct balance x = ivm_explorer_balance(&s->x);
	struct balance b = {
		.modulus = x.modulus, .initial = s->length, .popped = x.popped, .left = x.left
	};
	const struct balance rest = { .left = length_from(s, s->next) };
	int status = balance_check(&x, &explorer, complete, e);

	balance_add(&b, &rest);
	return status ? status : balance_check(&b, &all, complete, e);
}

#define SHOW_SECONDS 0.1

/* Tells the estimated nodes below the intervals. */
static void show_left(struct serial *s)
{
	uint16_t first[CHECKPOINT_MAX_ITEMS], last[CHECKPOINT_MAX_ITEMS];
	const struct dfs_levels *l;
	double now, left;
	uint64_t again;

	if (!s->gauge.request)
		return;
	now = clock_wall();
	if (now < s->shown + SHOW_SECONDS)
		return;
	s->shown = now;
	l = dfs_gauge_levels(&s->gauge, s->origin.best);
	if (!l)
		return;
	left = dfs_levels_intervals(l, s->origin.interval, s->next, s->origin.count);
	if (ivm_explorer_interval(&s->x, first, last, &again))
		left += dfs_levels_interval(l, first, last);
	watch_left(s->r->watch, 0, left);
}

static int look_up(struct serial *s, struct err *e)
{
	const struct checkpoint_plan *plan = s->r->checkpoint;
	bool due;

	watch_count(s->r->watch, 0, s->x.counts.decomposed);
	s->stopped = interrupt_due(&s->interrupt);
	keep_best(s);
	show_left(s);
	due = plan && plan->write && clock_wall() - s->written >= checkpoint_period(plan);
	if (due || (s->stopped && checkpoint_is_kept(plan))) {
		int status = check_balance(s, false, e);

		return status ? status : write_checkpoint(s, s->stopped, e);
	}
	return 0;
}

static int search(struct serial *s, struct err *e)
{
	size_t n = (size_t)s->problem.n;
	int status = look_up(s, e), steps;

	while (!status && !s->stopped) {
		if (!s->x.exploring) {
			const uint16_t *first = s->origin.interval + 2 * n * s->next;

			if (s->next == s->origin.count)
				break;
			s->next++;
			ivm_explorer_start(&s->x, first, first + n);
		}
		watch_count(s->r->watch, 0, s->x.counts.decomposed);
		steps = watch_stride(s->r->watch, s->steps_between_looks);
		for (int i = 0; i < steps && s->x.exploring; i++)
			ivm_explorer_step(&s->x);
		status = look_up(s, e);
	}
	return status;
}

static int answer(struct serial *s, struct search_outcome *o, struct err *e)
{
	bool complete = !s->stopped;
	int status = 0;

	keep_best(s);
	status = check_balance(s, complete, e);
	if (!status && complete && checkpoint_is_kept(s->r->checkpoint))
		status = write_checkpoint(s, true, e);
	if (!status)
		status = ivm_origin_answer(&s->origin, &s->problem, s->x.counts, complete, o, e);
	if (!status && !complete)
		status = interrupt_status(&s->interrupt, e);
	return status;
}

static int serial(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct serial s = { .r = r, .interrupt = interrupt_from(r) };
	int status = ivm_problem_make(&s.problem, r, e), answered = 0;

	if (!status)
		status = ivm_origin_open(&s.origin, &s.problem, r, &s.interrupt, e);
	if (status == ERR_LIMIT)
		answered = ivm_origin_answer(&s.origin, &s.problem, s.x.counts, false, o, e);
	if (!status)
		status = ivm_explorer_open(&s.x, &s.problem, e);
	o->seconds_setup = clock_wall() - s.interrupt.begin;
	if (!status) {
		s.x.best = s.origin.best;
		s.steps_between_looks = steps_between_looks(&s.problem);
		s.written = clock_wall();
		s.length = length_from(&s, 0);
		dfs_gauge_open(&s.gauge, r, s.problem.first_ub, 1, s.origin.counts.decomposed);
		status = search(&s, e);
	}
	if (!status)
		status = answer(&s, o, e);
	ivm_explorer_close(&s.x);
	dfs_gauge_close(&s.gauge);
	ivm_origin_close(&s.origin);
	ivm_problem_free(&s.problem);
	o->workers = 1;
	o->seconds_total = clock_wall() - s.interrupt.begin;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return answered ? answered : status;
}

int ivm_search_serial(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	memset(o, 0, sizeof(*o));
	int status = serial(&r->common, &o->common, e);

	o->host_decomposed = o->common.decomposed;
	return status;
}
