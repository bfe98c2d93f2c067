/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A plain counter of LB1 trees of any size, for tests to compare searches with. It shares no code
 * with them. A node is a prefix and a suffix of jobs; the bound of a child is
 *     max over machines k of (front[k] + remaining[k] + back[k])
 * where an empty prefix (suffix) counts the least head (tail) of all jobs. The children of a node
 * are placed at the end that the branching rule chooses (kernels/tree-search/fsp.h). */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_PLAIN_FLOWSHOP_TREE_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_PLAIN_FLOWSHOP_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tree-search/fsp.h"
#include "datasets/flowshop/flowshop.h"

/* A node: the jobs placed at both ends and the values for its bounds. */
struct plain_node {
	int prefix, suffix;                       /* numbers of placed jobs */
	int order[FLOWSHOP_MAX_JOBS];             /* [0, prefix) and [jobs - suffix, jobs) */
	bool left[FLOWSHOP_MAX_JOBS];             /* not placed */
	int32_t front[FLOWSHOP_MAX_MACHINES];     /* completion times of the prefix */
	int32_t back[FLOWSHOP_MAX_MACHINES];      /* the same for the suffix, from the end */
	int32_t remaining[FLOWSHOP_MAX_MACHINES]; /* sums of the times of the unplaced jobs */
};

struct plain_tree {
	const struct flowshop *f;
	enum fsp_branching branching;
	int64_t ub;     /* children with a bound below ub survive */
	uint64_t limit; /* of decomposed nodes; 0: none */
	/* counts, to be zeroed by the caller */
	uint64_t decomposed, explored, leaves;
	bool over; /* stopped at the limit */
};

static inline int32_t plain_time_of(const struct flowshop *f, int job, int machine)
{
	return (int32_t)f->time[machine * f->jobs + job];
}

/* Completion times with `job` after `from`; an empty prefix starts at time 0. */
static inline void plain_append(const struct flowshop *f, int job, const int32_t *from, bool empty,
				int32_t *to)
{
	int32_t end = 0;

	for (int k = 0; k < f->machines; k++) {
		int32_t start = empty ? 0 : from[k];

		end = (end > start ? end : start) + plain_time_of(f, job, k);
		to[k] = end;
	}
}

/* The same from the end of the schedule. */
static inline void plain_prepend(const struct flowshop *f, int job, const int32_t *from, bool empty,
				 int32_t *to)
{
	int32_t end = 0;

	for (int k = f->machines - 1; k >= 0; k--) {
		int32_t start = empty ? 0 : from[k];

		end = (end > start ? end : start) + plain_time_of(f, job, k);
		to[k] = end;
	}
}

static inline void plain_root(const struct flowshop *f, struct plain_node *x)
{
	memset(x, 0, sizeof(*x));
	for (int k = 0; k < f->machines; k++) {
		int32_t head = INT32_MAX, tail = INT32_MAX;

		for (int j = 0; j < f->jobs; j++) {
			int32_t before = 0, after = 0;

			for (int i = 0; i < k; i++)
				before += plain_time_of(f, j, i);
			for (int i = k + 1; i < f->machines; i++)
				after += plain_time_of(f, j, i);
			head = before < head ? before : head;
			tail = after < tail ? after : tail;
			x->remaining[k] += plain_time_of(f, j, k);
			x->left[j] = true;
		}
		x->front[k] = head;
		x->back[k] = tail;
	}
}

/* LB1 of the child that puts `job` after the prefix or, with at_end, before the suffix. */
static inline int32_t plain_child_bound(const struct flowshop *f, const struct plain_node *x,
					int job, bool at_end)
{
	int32_t placed[FLOWSHOP_MAX_MACHINES], bound = 0;

	if (at_end)
		plain_prepend(f, job, x->back, x->suffix == 0, placed);
	else
		plain_append(f, job, x->front, x->prefix == 0, placed);
	for (int k = 0; k < f->machines; k++) {
		int32_t sum = x->remaining[k] - plain_time_of(f, job, k) + placed[k] +
			      (at_end ? x->front[k] : x->back[k]);

		bound = sum > bound ? sum : bound;
	}
	return bound;
}

static inline void plain_child(const struct flowshop *f, const struct plain_node *x, int job,
			       bool at_end, struct plain_node *child)
{
	*child = *x;
	child->left[job] = false;
	for (int k = 0; k < f->machines; k++)
		child->remaining[k] -= plain_time_of(f, job, k);
	if (at_end) {
		plain_prepend(f, job, x->back, x->suffix == 0, child->back);
		child->order[f->jobs - 1 - child->suffix++] = job;
	} else {
		plain_append(f, job, x->front, x->prefix == 0, child->front);
		child->order[child->prefix++] = job;
	}
}

/* The surviving children of a node: their jobs, their number, and the end at which they are
 * placed. */
static inline int plain_survivors(const struct plain_tree *t, const struct plain_node *x,
				  int *survivors, bool *at_end)
{
	int32_t bound[2][FLOWSHOP_MAX_JOBS];
	int64_t difference = 0;
	int cut = 0, count = 0;

	for (int j = 0; j < t->f->jobs; j++) {
		if (!x->left[j])
			continue;
		bound[0][j] = plain_child_bound(t->f, x, j, false);
		bound[1][j] = plain_child_bound(t->f, x, j, true);
		difference += bound[0][j] - bound[1][j];
		cut += (bound[0][j] >= t->ub) - (bound[1][j] >= t->ub);
	}
	*at_end = t->branching == FSP_FORWARD ? false :
		  t->branching == FSP_MAXSUM  ? difference <= 0 :
		  cut                         ? cut < 0 :
						difference < 0;
	for (int j = 0; j < t->f->jobs; j++)
		if (x->left[j] && bound[*at_end][j] < t->ub)
			survivors[count++] = j;
	return count;
}

/* Adds the counts of the subtree of `x`, which is decomposed whatever its bound is. */
static inline void plain_tree_count(struct plain_tree *t, const struct plain_node *x)
{
	int survivors[FLOWSHOP_MAX_JOBS], count;
	struct plain_node *child;
	bool at_end;

	if (t->limit && t->decomposed >= t->limit) {
		t->over = true;
		return;
	}
	t->decomposed++;
	count = plain_survivors(t, x, survivors, &at_end);
	if (x->prefix + x->suffix == t->f->jobs - 1) {
		t->leaves += (uint64_t)count;
		return;
	}
	t->explored += (uint64_t)count;
	child = count ? malloc(sizeof(*child)) : NULL;
	for (int i = 0; i < count && child && !t->over; i++) {
		plain_child(t->f, x, survivors[i], at_end, child);
		plain_tree_count(t, child);
	}
	t->over = t->over || (count && !child);
	free(child);
}

#endif
