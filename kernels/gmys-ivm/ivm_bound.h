/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Bounding a row of an IVM, for host and device: the side, the prune flags and the counts of the
 * node that the row belongs to.
 *
 * The serial search, the host explorers and mode PTE of the devices call ivm_bound_row. Mode
 * PTE+PEB runs its three parts as separate kernels:
 *
 *     ivm_node_decode(p, v, s)                               one thread per IVM
 *     s->bound[back * n + cell] = ivm_child(p, v, s, ...)    one thread per child and side,
 *                                                            0 <= back < ivm_sides(p)
 *     value = ivm_side_and_prune(p, v, s, best, counts)      one thread per IVM
 *
 * `best` is the least value known (IVM_NONE: none).
 *   Flowshop  prunes bounds >= best. The side is chosen by sums of exact bounds. MaxSum takes the
 *             side with the larger sum (tie: back). MinBranch takes the side where more bounds
 *             reach first_ub, then the larger sum (tie: front).
 *   ATSP      prunes costs > best.
 *   N-Queens  prunes columns under attack.
 *
 * A row of one item is a leaf. ivm_side_and_prune returns its value if it is less than best, else
 * IVM_NONE; ivm_order then gives its permutation. */
#ifndef COPRA_KERNELS_GMYS_IVM_IVM_BOUND_H
#define COPRA_KERNELS_GMYS_IVM_IVM_BOUND_H

#include "kernels/gmys-ivm/ivm.h"
#include "kernels/tree-search/atsp.h"
#include "kernels/tree-search/fsp.h"
#include "kernels/tree-search/queens.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IVM_NONE INT32_MAX

enum ivm_kind { IVM_FLOWSHOP, IVM_QUEENS, IVM_ATSP };

/* An instance as a permutation tree. Plain data: all pointers point into one block
 * (ivm_problem_block in algorithms/gmys-ivm), so a kernel takes a copy with moved pointers. */
struct ivm_problem {
	enum ivm_kind kind;
	int n; /* items of the permutation */
	/* flowshop */
	struct fsp_tables tables; /* tables.pairs = 0: LB1 */
	enum fsp_branching branching;
	int32_t first_ub; /* for MinBranch: the upper bound at the start of the search */
	/* ATSP */
	int cities;
	const int32_t *cost;
};

/* Nodes counted. The root of N-Queens (level 0) does not count as decomposed. */
struct ivm_counts {
	uint64_t decomposed, leaves, solutions;
};

HD void ivm_counts_add(struct ivm_counts *sum, const struct ivm_counts *n)
{
	sum->decomposed += n->decomposed;
	sum->leaves += n->leaves;
	sum->solutions += n->solutions;
}

/* Scratch of one explorer: an unpacked node, and the bounds of its children. */
struct ivm_scratch {
	int32_t *state; /* [2] flowshop: jobs at the front, at the back; ATSP: cost, last city;
			   N-Queens: columns whose diagonals are taken */
	int32_t *front, *back, *rem; /* [machines], flowshop */
	int32_t *child; /* [machines]: of the current child, LB2 (PEB: each thread needs its own) */
	int32_t *bound; /* [2][n], children in front, at the back, by cell */
	uint8_t *left;  /* [n]: by job, whether it is open */
};

/* The size of a block for the scratch arrays, aligned to 4. */
HD size_t ivm_scratch_bytes(const struct ivm_problem *p)
{
	size_t values = 2 + 4 * (size_t)p->tables.machines + 2 * (size_t)p->n;

	return (values * sizeof(int32_t) + (size_t)p->n + 15) / 16 * 16;
}

HD struct ivm_scratch ivm_scratch_at(const struct ivm_problem *p, void *memory)
{
	int m = p->tables.machines;
	struct ivm_scratch s;

	s.state = (int32_t *)memory;
	s.front = s.state + 2;
	s.back = s.front + m;
	s.rem = s.back + m;
	s.child = s.rem + m;
	s.bound = s.child + m;
	s.left = (uint8_t *)(s.bound + 2 * p->n);
	return s;
}

HD bool ivm_two_sided(const struct ivm_problem *p)
{
	return p->kind == IVM_FLOWSHOP && p->branching != FSP_FORWARD;
}

HD int ivm_sides(const struct ivm_problem *p)
{
	return ivm_two_sided(p) ? 2 : 1;
}

/* ---- decode ---- */

HD void ivm_decode_flowshop(const struct ivm_problem *p, const struct ivm *v,
			    const struct ivm_scratch *s)
{
	const struct fsp_tables *t = &p->tables;
	int m = t->machines, level = *v->level;

	s->state[0] = s->state[1] = 0;
	for (int k = 0; k < m; k++) {
		s->front[k] = s->back[k] = 0;
		s->rem[k] = t->total[k];
	}
	for (int j = 0; j < p->n; j++)
		s->left[j] = 1;
	for (int i = 0; i < level; i++) {
		int job = ivm_decision(v, i);
		const int32_t *times = t->time + job * m;

		s->left[job] = 0;
		s->state[v->side[i]]++;
		if (v->side[i])
			fsp_prepend(times, s->back, s->back, m);
		else
			fsp_append(times, s->front, s->front, m);
		for (int k = 0; k < m; k++)
			s->rem[k] -= times[k];
	}
	for (int k = 0; k < m; k++) {
		if (!s->state[0])
			s->front[k] = t->head[k];
		if (!s->state[1])
			s->back[k] = t->tail[k];
	}
}

/* Unpacks the node that row *v->level belongs to. */
HD void ivm_node_decode(const struct ivm_problem *p, const struct ivm *v,
			const struct ivm_scratch *s)
{
	int level = *v->level;

	if (p->kind == IVM_FLOWSHOP) {
		ivm_decode_flowshop(p, v, s);
	} else if (p->kind == IVM_QUEENS) {
		struct queens_masks q = { 0, 0, 0 };

		for (int i = 0; i < level; i++)
			q = queens_put(q, UINT32_C(1) << ivm_decision(v, i));
		s->state[0] = (int32_t)(q.up | q.down);
	} else {
		int32_t path = 0;
		int last = 0;

		for (int i = 0; i < level; i++) {
			int city = ivm_decision(v, i) + 1;

			path += p->cost[last * p->cities + city];
			last = city;
		}
		s->state[0] = path;
		s->state[1] = last;
	}
}

/* ---- the bound of a child ---- */

/* fsp_lb2_pair without `job`, which `left` may still contain for other threads. */
HD int32_t ivm_pair(const struct fsp_tables *t, int pair, const int32_t *front, const int32_t *back,
		    const uint8_t *left, int job)
{
	int u = t->pair_u[pair], v = t->pair_v[pair];
	const int32_t *order = t->johnson + (size_t)pair * (size_t)t->jobs;
	const int32_t *lag = t->lag + (size_t)pair * (size_t)t->jobs;
	int32_t t0 = front[u], t1 = front[v];

	for (int i = 0; i < t->jobs; i++) {
		int j = order[i];

		if (!left[j] || j == job)
			continue;
		t0 += t->time[j * t->machines + u];
		t1 = (t0 + lag[j] > t1 ? t0 + lag[j] : t1) + t->time[j * t->machines + v];
	}
	t0 += back[u];
	t1 += back[v];
	return t0 > t1 ? t0 : t1;
}

/* Computes LB1 first, because LB2 is never less. */
HD int32_t ivm_child_flowshop(const struct ivm_problem *p, const struct ivm_scratch *s, int job,
			      bool back, int32_t stop_at, int32_t *child)
{
	const struct fsp_tables *t = &p->tables;
	const int32_t *times = t->time + job * t->machines;
	const int32_t *own = back ? s->back : s->front, *other = back ? s->front : s->back;
	int m = t->machines;
	bool alone = s->state[back] == 0; /* a first job is added to zero times */
	int32_t at = 0, lb = 0;

	for (int i = 0; i < m; i++) {
		int k = back ? m - 1 - i : i;
		int32_t x = alone ? 0 : own[k];

		at = (x > at ? x : at) + times[k];
		x = at + s->rem[k] - times[k] + other[k];
		lb = x > lb ? x : lb;
		if (t->pairs)
			child[k] = at;
	}
	for (int pair = 0; pair < t->pairs && lb < stop_at; pair++) {
		int32_t x =
			ivm_pair(t, pair, back ? other : child, back ? child : other, s->left, job);

		lb = x > lb ? x : lb;
	}
	return lb;
}

/* The bound of the child of cell `cell`, placed at the back or (always, except in two-sided
 * flowshop) in front. N-Queens: 1 if the column is under attack, else 0. `child`: [machines]
 * scratch for LB2, private to the thread. With forward branching a result >= best means only that
 * the bound is at least best. */
HD int32_t ivm_child(const struct ivm_problem *p, const struct ivm *v, const struct ivm_scratch *s,
		     int cell, bool back, int32_t best, int32_t *child)
{
	int level = *v->level, item = ivm_item(v->matrix[level * p->n + cell]);

	if (p->kind == IVM_FLOWSHOP)
		return ivm_child_flowshop(p, s, item, back, ivm_two_sided(p) ? IVM_NONE : best,
					  child);
	if (p->kind == IVM_QUEENS)
		return (int32_t)((uint32_t)s->state[0] >> item & 1);
	return atsp_child(p->cost, p->cities, s->state[0], s->state[1], item + 1, p->n - level);
}

/* ---- side, prune flags, counts ---- */

HD bool ivm_choose_back(const struct ivm_problem *p, const int32_t *bound, int cells)
{
	const int32_t *front = bound, *back = bound + p->n;
	int64_t sum = 0;
	int pruned = 0;

	for (int i = 0; i < cells; i++) {
		sum += (int64_t)front[i] - back[i];
		pruned += (front[i] >= p->first_ub) - (back[i] >= p->first_ub);
	}
	if (p->branching == FSP_MAXSUM)
		return sum <= 0;
	return pruned ? pruned < 0 : sum < 0;
}

HD bool ivm_pruned(const struct ivm_problem *p, int32_t bound, int32_t best)
{
	if (p->kind == IVM_FLOWSHOP)
		return bound >= best;
	return p->kind == IVM_QUEENS ? bound > 0 : bound > best;
}

/* The weight of a solution on half a board, whose mirror image is not searched. */
HD int ivm_queens_weight(const struct ivm_problem *p, int first_column)
{
	return 2 * first_column + 1 == p->n ? 1 : 2;
}

/* Counts a leaf: the single cell of the row is kept, and the permutation is complete. */
HD int32_t ivm_leaf(const struct ivm_problem *p, const struct ivm *v, int32_t bound, int32_t best,
		    struct ivm_counts *counts)
{
	if (p->kind == IVM_QUEENS) {
		int first = ivm_item(v->matrix[v->position[0]]);

		counts->solutions += (uint64_t)ivm_queens_weight(p, first);
		return IVM_NONE;
	}
	counts->leaves++;
	return bound < best ? bound : IVM_NONE;
}

/* Chooses the side of the row, sets its prune flags and adds to *counts. */
HD int32_t ivm_side_and_prune(const struct ivm_problem *p, const struct ivm *v,
			      const struct ivm_scratch *s, int32_t best, struct ivm_counts *counts)
{
	int level = *v->level, cells = p->n - level;
	int16_t *row = v->matrix + level * p->n;
	bool back = ivm_two_sided(p) && ivm_choose_back(p, s->bound, cells);
	const int32_t *bound = s->bound + (back ? p->n : 0);

	v->side[level] = back;
	counts->decomposed += p->kind != IVM_QUEENS || level > 0;
	for (int i = 0; i < cells; i++) {
		if (ivm_pruned(p, bound[i], best))
			row[i] = (int16_t)~ivm_item(row[i]);
	}
	return cells == 1 && row[0] >= 0 ? ivm_leaf(p, v, bound[0], best, counts) : IVM_NONE;
}

/* ---- all of it ---- */

HD int32_t ivm_bound_row(const struct ivm_problem *p, const struct ivm *v,
			 const struct ivm_scratch *s, int32_t best, struct ivm_counts *counts)
{
	int cells = p->n - *v->level, sides = ivm_sides(p);

	ivm_node_decode(p, v, s);
	for (int back = 0; back < sides; back++) {
		for (int i = 0; i < cells; i++)
			s->bound[back * p->n + i] = ivm_child(p, v, s, i, back, best, s->child);
	}
	return ivm_side_and_prune(p, v, s, best, counts);
}

/* Of the `again` nodes that ivm_interval reports, those that are in the counts. The root of
 * N-Queens is not: it is one of them if first = 0, that is, if all digits are zero. */
HD uint64_t ivm_again_counted(const struct ivm_problem *p, const struct ivm *v, int again)
{
	bool root = again == *v->level + 1;

	return (uint64_t)(again - (p->kind == IVM_QUEENS && root));
}

/* The permutation of a row of one item (level n - 1), from the first item to the last. */
HD void ivm_order(const struct ivm *v, uint16_t *order)
{
	int front = 0, back = v->n;

	for (int i = 0; i < v->n - 1; i++) {
		if (v->side[i])
			order[--back] = (uint16_t)ivm_decision(v, i);
		else
			order[front++] = (uint16_t)ivm_decision(v, i);
	}
	order[front] = (uint16_t)ivm_item(v->matrix[(v->n - 1) * v->n]);
}

/* The initialisation of Gmys et al. 2016 ([10] in the paper) places an explorer at `first`: the
 * rows along its digits are made and bounded again, which restores the sides and prune flags.
 *
 *     deepest = ivm_place(v, first, last);
 *     do bound the row; while (ivm_descend(v, first, deepest));
 *
 * Only nodes whose number is not below `first` count: the root, if deepest < 0 (with n = 1 it is
 * also a leaf). If a cell on the way is pruned, the explorer stops on it and continues from there.
 *
 * ivm_place goes to the root, whose row is to be bounded. It returns the deepest digit of `first`
 * that is not 0, or -1. */
HD int ivm_place(const struct ivm *v, const uint16_t *first, const uint16_t *last)
{
	int deepest = -1;

	for (int i = 0; i < v->n; i++) {
		v->position[i] = 0;
		v->end[i] = last[i];
		v->matrix[i] = (int16_t)i;
		deepest = first[i] ? i : deepest;
	}
	*v->level = 0;
	return deepest;
}

/* Goes from a bounded row to the cell of `first` and descends to the row below, which is to be
 * bounded. Returns false, without descending, if this was the deepest digit or the cell is pruned.
 */
HD bool ivm_descend(const struct ivm *v, const uint16_t *first, int deepest)
{
	int level = *v->level;

	v->position[level] = first[level];
	if (level >= deepest || v->matrix[level * v->n + first[level]] < 0)
		return false;
	ivm_branch(v);
	return true;
}

#ifdef __cplusplus
}
#endif
#endif
