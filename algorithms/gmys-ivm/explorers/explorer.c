/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/explorers/explorer.h"

#include <stdlib.h>
#include <string.h>

/* ---- LB2 of all children of a node at once ----
 *
 * The result is that of ivm_child for every child, but in |U| steps per pair of machines, where
 * ivm_child takes |U| steps per child and pair.
 *
 * Let the open jobs of a pair be in Johnson's order, with times a and b on its two machines. The
 * pass from (front_u, front_v) ends at max(front_v + sum b, front_u + max_i S_i), where
 * S_i = a_1 + .. + a_i + lag_i + b_i + .. + b_n. The set of a child lacks one job q: S_i loses b_q
 * if i stands before q, and a_q if i stands behind q. So the greatest S before and behind each job
 * give the bounds of all children, on both sides. The other terms of the bound are LB1. */

#define NO_JOB (INT32_MIN / 2) /* less than any sum, even after adding or subtracting times */

static int pair_bound_open(struct ivm_pair_bound *b, const struct ivm_problem *p, struct err *e)
{
	size_t n = (size_t)p->n, m = (size_t)p->tables.machines;
	int32_t *memory = calloc((2 * m + 5) * n, sizeof(*memory));

	memset(b, 0, sizeof(*b));
	if (!memory)
		return err_set(e, ERR_MEMORY, "no memory for the bounds of %d jobs", p->n);
	b->own[0] = memory;
	b->own[1] = b->own[0] + m * n;
	b->without = b->own[1] + m * n;
	b->greatest = b->without + n;
	b->value = b->greatest + n;
	b->job = b->value + n;
	b->cell = b->job + n;
	return 0;
}

static void pair_bound_close(struct ivm_pair_bound *b)
{
	free(b->own[0]);
	memset(b, 0, sizeof(*b));
}

/* The times of the children on one side, and their LB1: with a limit of 0, ivm_child computes only
 * that. */
static void begin_side(struct ivm_pair_bound *b, const struct ivm_problem *p, const int16_t *row,
		       int cells, const struct ivm_scratch *s, bool back)
{
	int n = p->n, m = p->tables.machines;

	for (int c = 0; c < cells; c++) {
		int job = ivm_item(row[c]);

		b->cell[job] = c;
		s->bound[back * n + c] = ivm_child_flowshop(p, s, job, back, 0, s->child);
		for (int k = 0; k < m; k++)
			b->own[back][k * n + c] = s->child[k];
	}
}

/* For each child, the maximum of S_i over the open jobs of a pair without the job of the child. */
static void without_each(struct ivm_pair_bound *b, const struct fsp_tables *t, int pair,
			 const struct ivm_scratch *s)
{
	int n = t->jobs, m = t->machines, count = 0;
	const int32_t *u = t->time + t->pair_u[pair], *v = t->time + t->pair_v[pair];
	const int32_t *order = t->johnson + (size_t)pair * (size_t)n;
	const int32_t *lag = t->lag + (size_t)pair * (size_t)n;
	int32_t before = 0, behind = s->rem[t->pair_v[pair]], greatest = NO_JOB;

	for (int i = 0; i < n; i++) {
		int j = order[i];
		int32_t value;

		if (!s->left[j])
			continue;
		before += u[j * m];
		value = before + lag[j] + behind;
		behind -= v[j * m];
		b->job[count] = j;
		b->greatest[count] = greatest;
		b->value[count++] = value;
		greatest = value > greatest ? value : greatest;
	}
	greatest = NO_JOB;
	while (count--) {
		int j = b->job[count];
		int32_t x = b->greatest[count] - v[j * m], y = greatest - u[j * m];

		b->without[b->cell[j]] = x > y ? x : y;
		greatest = b->value[count] > greatest ? b->value[count] : greatest;
	}
}

/* bound = max(bound, own + without + other), by cell */
static void lift(int32_t *restrict bound, const int32_t *restrict own,
		 const int32_t *restrict without, int32_t other, int cells)
{
	for (int c = 0; c < cells; c++) {
		int32_t x = own[c] + without[c] + other;

		bound[c] = x > bound[c] ? x : bound[c];
	}
}

/* Does what ivm_bound_row does, for a flowshop with pairs. */
static int32_t pair_bound_row(struct ivm_pair_bound *b, const struct ivm_problem *p,
			      const struct ivm *v, const struct ivm_scratch *s, int32_t best,
			      struct ivm_counts *counts)
{
	const struct fsp_tables *t = &p->tables;
	int n = p->n, cells = n - *v->level, sides = ivm_sides(p);
	const int16_t *row = v->matrix + *v->level * n;

	ivm_node_decode(p, v, s);
	for (int back = 0; back < sides; back++)
		begin_side(b, p, row, cells, s, back);
	for (int pair = 0; pair < t->pairs; pair++) {
		int x = t->pair_u[pair], y = t->pair_v[pair];

		without_each(b, t, pair, s);
		lift(s->bound, b->own[0] + x * n, b->without, s->back[y], cells);
		if (sides == 2)
			lift(s->bound + n, b->own[1] + y * n, b->without, s->front[x], cells);
	}
	return ivm_side_and_prune(p, v, s, best, counts);
}

/* ---- the explorer ---- */

int ivm_explorer_open(struct ivm_explorer *x, const struct ivm_problem *p, struct err *e)
{
	size_t ivm = ivm_bytes(p->n), scratch = ivm_scratch_bytes(p);
	char *memory = calloc(1, ivm + scratch + (size_t)p->n * sizeof(*x->order));

	memset(x, 0, sizeof(*x));
	if (!memory)
		return err_set(e, ERR_MEMORY, "no memory for an explorer of %d items", p->n);
	x->problem = *p;
	x->memory = memory;
	x->v = ivm_at(p->n, memory);
	x->scratch = ivm_scratch_at(p, memory + ivm);
	x->order = (uint16_t *)(memory + ivm + scratch);
	x->best = IVM_NONE;
	x->lengths.modulus = IVM_FACTORADIC_MODULUS;
	return p->tables.pairs ? pair_bound_open(&x->pairs, p, e) : 0;
}

void ivm_explorer_close(struct ivm_explorer *x)
{
	pair_bound_close(&x->pairs);
	free(x->memory);
	memset(x, 0, sizeof(*x));
}

int32_t ivm_explorer_bound(struct ivm_explorer *x, int32_t best, struct ivm_counts *counts)
{
	return x->problem.tables.pairs ?
		       pair_bound_row(&x->pairs, &x->problem, &x->v, &x->scratch, best, counts) :
		       ivm_bound_row(&x->problem, &x->v, &x->scratch, best, counts);
}

/* Keeps a new best leaf. */
static void note(struct ivm_explorer *x, int32_t value)
{
	if (value == IVM_NONE)
		return;
	ivm_order(&x->v, x->order);
	x->best = x->found_value = value;
	x->found = true;
}

/* ---- lengths ---- */

static void count_received(struct ivm_explorer *x, const uint16_t *first, const uint16_t *last)
{
	const struct balance more = { .received = ivm_factoradic_length(first, last, x->v.n) };

	balance_add(&x->lengths, &more);
	x->begin = ivm_factoradic_residue(first, x->v.n);
}

static void count_given(struct ivm_explorer *x, uint64_t length)
{
	const struct balance more = { .given = length };

	balance_add(&x->lengths, &more);
}

/* The length of the explored part of the current interval. */
static uint64_t explored(const struct ivm_explorer *x)
{
	return ivm_factoradic_distance(x->begin,
				       ivm_factoradic_reached(x->v.position, x->v.end, x->v.n));
}

/* Counts the current interval when the explorer becomes EMPTY. */
static void count_explored(struct ivm_explorer *x)
{
	const struct balance more = { .popped = explored(x) };

	balance_add(&x->lengths, &more);
}

struct balance ivm_explorer_balance(const struct ivm_explorer *x)
{
	struct balance b = x->lengths, at_hand = { .popped = explored(x) };
	uint64_t behind = ivm_factoradic_residue(x->v.end, x->v.n) + 1;

	if (!x->exploring)
		return b;
	at_hand.left = ivm_factoradic_distance(
		ivm_factoradic_reached(x->v.position, x->v.end, x->v.n), behind);
	balance_add(&b, &at_hand);
	return b;
}

/* ---- exploring ---- */

void ivm_explorer_start(struct ivm_explorer *x, const uint16_t *first, const uint16_t *last)
{
	struct ivm_counts uncounted = { 0, 0, 0 };
	int deepest = ivm_place(&x->v, first, last);

	count_received(x, first, last);
	note(x, ivm_explorer_bound(x, x->best, deepest < 0 ? &x->counts : &uncounted));
	while (ivm_descend(&x->v, first, deepest))
		ivm_explorer_bound(x, x->best, &uncounted);
	x->exploring = true;
}

void ivm_explorer_step(struct ivm_explorer *x)
{
	if (!x->exploring)
		return;
	x->exploring = ivm_select_and_branch(&x->v);
	if (x->exploring)
		note(x, ivm_explorer_bound(x, x->best, &x->counts));
	else
		count_explored(x);
}

bool ivm_explorer_interval(struct ivm_explorer *x, uint16_t *first, uint16_t *last, uint64_t *again)
{
	int nodes;

	if (!x->exploring)
		return false;
	x->exploring = ivm_interval(&x->v, first, last, &nodes);
	if (!x->exploring) {
		count_explored(x);
		return false;
	}
	*again = ivm_again_counted(&x->problem, &x->v, nodes);
	return true;
}

bool ivm_explorer_take(struct ivm_explorer *x, uint16_t *first, uint16_t *last)
{
	uint64_t again;

	if (!ivm_explorer_interval(x, first, last, &again))
		return false;
	x->counts.decomposed -= again;
	x->exploring = false;
	count_explored(x);
	count_given(x, ivm_factoradic_length(first, last, x->v.n));
	return true;
}

bool ivm_explorer_split(struct ivm_explorer *x, int kept, int parts, uint16_t *first,
			uint16_t *last)
{
	uint64_t again;

	if (!ivm_explorer_interval(x, first, last, &again))
		return false;
	if (!ivm_factoradic_split(first, last, x->v.n, kept, parts, x->v.end, first))
		return false;
	count_given(x, ivm_factoradic_length(first, last, x->v.n));
	return true;
}

bool ivm_explorer_share(struct ivm_explorer *victim, struct ivm_explorer *thief, int kept,
			int parts)
{
	uint64_t end = ivm_factoradic_residue(victim->v.end, victim->v.n);

	thief->exploring = victim->exploring && ivm_share(&victim->v, &thief->v, kept, parts);
	if (!thief->exploring)
		return false;
	count_given(victim, ivm_factoradic_distance(
				    ivm_factoradic_residue(victim->v.end, victim->v.n), end));
	count_received(thief, thief->v.position, thief->v.end);
	return true;
}
