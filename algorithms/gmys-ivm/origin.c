/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/origin.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/checkpoint.h"
#include "kernels/gmys-ivm/ivm_bound.h"
#include "algorithms/gmys-ivm/ivm_cover.h"

/* ---- the best known ---- */

/* `order` holds item numbers plus `shift`. */
static void offer(struct ivm_origin *o, int64_t value, const int64_t *order, int shift)
{
	if (value > o->best || (value == o->best && (o->known || !order)))
		return;
	o->best = (int32_t)value;
	o->known = order;
	for (int i = 0; order && i < o->n; i++)
		o->order[i] = (uint16_t)(order[i] - shift);
}

void ivm_origin_offer(struct ivm_origin *o, const struct ivm_problem *p, int64_t value,
		      const int64_t *order)
{
	int shift = p->kind == IVM_ATSP;

	offer(o, value < IVM_NONE ? value : IVM_NONE, order ? order + shift : NULL, shift);
}

static int find_best(struct ivm_origin *o, const struct ivm_problem *p,
		     const struct search_request *r, struct err *e)
{
	int64_t *start = NULL, ub;
	int status;

	o->best = IVM_NONE;
	if (p->kind == IVM_QUEENS)
		return 0;
	if (p->kind == IVM_ATSP) {
		o->first_ub = r->ub;
		ivm_origin_offer(o, p, r->ub, r->start);
		return 0;
	}
	o->first_ub = p->first_ub;
	status = search_start(r, &ub, &start, e);
	if (!status)
		ivm_origin_offer(o, p, ub, start);
	free(start);
	return status;
}

/* ---- from a checkpoint ---- */

static void take_over(struct ivm_origin *o, const struct ivm_problem *p, const struct checkpoint *c)
{
	o->counts = (struct ivm_counts){ c->decomposed, c->leaves, c->solutions };
	o->seconds = c->seconds;
	if (p->kind != IVM_QUEENS)
		offer(o, c->best, c->order, 0);
}

static int resume(struct ivm_origin *o, const struct ivm_problem *p, const struct search_request *r,
		  const struct interrupt *i, struct err *e)
{
	const struct checkpoint_plan *plan = r->checkpoint;
	struct checkpoint_key key;
	struct checkpoint c;
	int status, kept;

	checkpoint_key_of(r, o->first_ub, &key);
	if (plan->from)
		status = ivm_cover_copy(&c, plan->from, &key, p, CHECKPOINT_INTERVALS, i, e);
	else
		status = ivm_cover_read(&c, plan->resume, &key, p, CHECKPOINT_INTERVALS, i, e);
	if (status && status != ERR_LIMIT)
		return status;
	take_over(o, p, &c);
	if (status) {
		kept = checkpoint_end(&c, r, e);
		return kept ? kept : status;
	}
	o->interval = c.work;
	o->count = c.count;
	c.work = NULL;
	checkpoint_free(&c);
	return 0;
}

static int from_root(struct ivm_origin *o, const struct ivm_problem *p, struct err *e)
{
	size_t n = (size_t)p->n;

	o->count = 1;
	o->interval = malloc(2 * n * sizeof(*o->interval));
	if (!o->interval)
		return err_set(e, ERR_MEMORY, "no memory for an interval");
	ivm_problem_interval(p, o->interval, o->interval + n);
	return 0;
}

int ivm_origin_open(struct ivm_origin *o, const struct ivm_problem *p,
		    const struct search_request *r, const struct interrupt *i, struct err *e)
{
	int status;

	*o = (struct ivm_origin){ .n = p->n, .begin = clock_wall() };
	if (r->checkpoint && r->checkpoint->left)
		*r->checkpoint->left = (struct checkpoint){ .count = 0 };
	o->order = calloc((size_t)p->n, sizeof(*o->order));
	status = o->order ? find_best(o, p, r, e) :
			    err_set(e, ERR_MEMORY, "no memory for an order of %d items", p->n);
	if (status)
		return status;
	return checkpoint_resumes(r->checkpoint) ? resume(o, p, r, i, e) : from_root(o, p, e);
}

void ivm_origin_close(struct ivm_origin *o)
{
	free(o->interval);
	free(o->order);
	*o = (struct ivm_origin){ .n = 0 };
}

void ivm_origin_taken(struct ivm_origin *o)
{
	free(o->interval);
	o->interval = NULL;
	o->count = 0;
}

/* ---- checkpoint and outcome ---- */

/* The state with the given open intervals. `order`: room for the best order. */
static struct checkpoint state_of(const struct ivm_origin *o, const struct search_request *r,
				  struct ivm_counts counts, int64_t order[CHECKPOINT_MAX_ITEMS],
				  uint16_t *interval, uint64_t count)
{
	bool queens = !r->flowshop && !r->atsp; /* all solutions are equally good */
	struct checkpoint c = { .form = CHECKPOINT_INTERVALS,
				.best = queens ? 0 : o->best,
				.order = o->known && !queens ? order : NULL,
				.solutions = o->counts.solutions + counts.solutions,
				.decomposed = o->counts.decomposed + counts.decomposed,
				.leaves = o->counts.leaves + counts.leaves,
				.seconds = o->seconds + clock_wall() - o->begin,
				.count = count,
				.work = interval };

	for (int i = 0; i < o->n; i++)
		order[i] = o->order[i];
	checkpoint_key_of(r, o->first_ub, &c.key);
	return c;
}

int ivm_origin_write(const struct ivm_origin *o, const struct search_request *r,
		     struct ivm_counts counts, uint16_t *interval, uint64_t count, struct err *e)
{
	int64_t order[CHECKPOINT_MAX_ITEMS];
	const struct checkpoint c = state_of(o, r, counts, order, interval, count);

	return checkpoint_store(&c, r, e);
}

int ivm_origin_end(const struct ivm_origin *o, const struct search_request *r,
		   struct ivm_counts counts, uint16_t *interval, uint64_t count, struct err *e)
{
	int64_t order[CHECKPOINT_MAX_ITEMS];
	const struct checkpoint c = state_of(o, r, counts, order, interval, count);
	int status = 0;

	if (r->checkpoint->write)
		status = checkpoint_store_last(&c, r, e);
	if (!status && r->checkpoint->left)
		status = checkpoint_copy(r->checkpoint->left, &c, true, e);
	return status;
}

int ivm_origin_answer(const struct ivm_origin *o, const struct ivm_problem *p,
		      struct ivm_counts counts, bool complete, struct search_outcome *out,
		      struct err *e)
{
	out->complete = complete;
	out->solutions = o->counts.solutions + counts.solutions;
	out->decomposed = o->counts.decomposed + counts.decomposed;
	out->leaves = o->counts.leaves + counts.leaves;
	if (p->kind == IVM_QUEENS)
		return 0;
	out->best = o->best;
	out->lower_bound = complete ? o->best : ivm_problem_root_bound(p);
	if (out->lower_bound > o->best)
		out->lower_bound = o->best;
	if (!o->known)
		return 0;
	out->order = malloc(((size_t)p->n + 1) * sizeof(*out->order));
	if (!out->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d items", p->n);
	ivm_problem_solution(p, o->order, out->order);
	return 0;
}
