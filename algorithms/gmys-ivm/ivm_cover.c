/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/ivm_cover.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "algorithms/gmys-ivm/explorers/explorer.h"

/* A growing array of units of `stride` uint16_t. */
struct units {
	uint16_t *unit;
	uint64_t count, room;
	size_t stride;
};

/* Appends one unit and returns it. NULL if there is no memory. */
static uint16_t *more(struct units *u)
{
	size_t bytes, room = u->room ? 2 * u->room : 64;
	uint16_t *larger;

	if (u->count == u->room) {
		if (!checked_mul_size(room, u->stride * sizeof(*u->unit), &bytes) ||
		    !(larger = realloc(u->unit, bytes)))
			return NULL;
		u->unit = larger;
		u->room = room;
	}
	return u->unit + u->stride * u->count++;
}

static int no_memory(struct err *e)
{
	return err_set(e, ERR_MEMORY, "no memory to convert the open work");
}

/* Sets side[level]. All cells stay open, so if there is only one side, nothing has to be bounded.
 */
static void find_side(struct ivm_explorer *x)
{
	struct ivm_counts unused = { 0, 0, 0 };

	if (ivm_two_sided(&x->problem))
		ivm_explorer_bound(x, IVM_NONE, &unused);
	else
		x->v.side[*x->v.level] = 0;
}

static void go_to_root(struct ivm_explorer *x)
{
	*x->v.level = 0;
	for (int i = 0; i < x->v.n; i++) {
		x->v.position[i] = 0;
		x->v.matrix[i] = (int16_t)i;
	}
}

/* ---- nodes to intervals ---- */

/* The cell of `job` in the current row; -1 if it is not open. */
static int cell_of(const struct ivm *v, int job)
{
	const int16_t *row = v->matrix + *v->level * v->n;

	for (int i = 0; i < v->n - *v->level; i++) {
		if (ivm_item(row[i]) == job)
			return i;
	}
	return -1;
}

/* Goes down to the row of the node, by the jobs of its prefix and, from the last one, its suffix.
 * Returns false if the node is not in this tree. */
static bool go_to_node(struct ivm_explorer *x, const uint16_t *node)
{
	const uint16_t *job = node + 4;
	int prefix = 0, suffix = 0, n = x->v.n;

	go_to_root(x);
	for (;;) {
		find_side(x);
		int level = *x->v.level, back = x->v.side[level];

		if (level == node[0] + node[1]) /* the last job can be placed on either side */
			return node[2] == 0 || level == n - 1 || back == node[3];
		if (back ? suffix == node[1] : prefix == node[0])
			return false;
		x->v.position[level] =
			(uint16_t)cell_of(&x->v, back ? job[n - ++suffix] : job[prefix++]);
		ivm_branch(&x->v);
	}
}

/* The nodes that an explorer decomposes again if it starts with the path and cell `cell` of the
 * current row.
 */
static uint64_t zeros_above(const struct ivm *v, int cell)
{
	int level = *v->level;
	uint64_t zeros = 0;

	if (cell)
		return 0;
	do {
		zeros++;
	} while (level-- > 0 && v->position[level] == 0);
	return zeros;
}

static void put_interval(const struct ivm *v, int from, int to, uint16_t *interval)
{
	int level = *v->level, n = v->n;
	uint16_t *first = interval, *last = interval + n;

	memcpy(first, v->position, (size_t)level * sizeof(*first));
	memset(first + level, 0, (size_t)(n - level) * sizeof(*first));
	memcpy(last, v->position, (size_t)level * sizeof(*last));
	ivm_factoradic_last(last + level, n - level);
	first[level] = (uint16_t)from;
	last[level] = (uint16_t)to;
}

/* Appends the interval of the node of the current row itself. */
static int put_itself(struct ivm_explorer *x, struct units *out, uint64_t *decomposed,
		      struct err *e)
{
	struct ivm *v = &x->v;
	uint16_t *interval = more(out);
	int cell;

	if (!interval)
		return no_memory(e);
	if (*v->level == 0) {
		ivm_problem_interval(&x->problem, interval, interval + v->n);
		return 0;
	}
	cell = v->position[--*v->level];
	put_interval(v, cell, cell, interval);
	*decomposed -= zeros_above(v, cell);
	return 0;
}

/* Appends an interval for each run of open cells. */
static int put_children(struct ivm_explorer *x, const uint16_t *node, struct units *out,
			uint64_t *decomposed, struct err *e)
{
	bool open[CHECKPOINT_MAX_ITEMS + 1] = { false };
	int cells = x->v.n - *x->v.level;

	for (int i = 0; i < node[2]; i++)
		open[cell_of(&x->v, node[4 + node[0] + i])] = true;
	for (int from = 0, to; from < cells; from = to + 1) {
		uint16_t *interval;

		for (to = from; open[to]; to++)
			;
		if (to == from)
			continue;
		interval = more(out);
		if (!interval)
			return no_memory(e);
		put_interval(&x->v, from, to - 1, interval);
		*decomposed -= zeros_above(&x->v, from);
	}
	return 0;
}

/* [count][n + 4] nodes, as in a checkpoint, to malloc'ed [*intervals][2][n] intervals. */
static int intervals_of_nodes(const struct ivm_problem *p, const uint16_t *node, uint64_t count,
			      const struct interrupt *i, uint16_t **interval, uint64_t *intervals,
			      uint64_t *decomposed, struct err *e)
{
	size_t stride = checkpoint_stride(CHECKPOINT_NODES, p->n);
	struct units out = { .stride = 2 * (size_t)p->n };
	struct ivm_explorer x;
	int status = ivm_explorer_open(&x, p, e);

	for (uint64_t at = 0; at < count && !status; at++, node += stride) {
		if (i && interrupt_due(i))
			status = interrupt_status(i, e);
		else if (!go_to_node(&x, node))
			status = err_set(e, ERR_INPUT,
					 "open node %llu is not in the tree of this search",
					 (unsigned long long)at + 1);
		else if (node[2])
			status = put_children(&x, node, &out, decomposed, e);
		else
			status = put_itself(&x, &out, decomposed, e);
	}
	ivm_explorer_close(&x);
	if (status)
		free(out.unit);
	*interval = status ? NULL : out.unit;
	*intervals = status ? 0 : out.count;
	return status;
}

/* ---- intervals to nodes ---- */

struct border {
	struct ivm_explorer *x;
	const uint16_t *first, *last;
	int first_zeros; /* `first` has only zeros from this digit on */
	int last_full;   /* `last` has the largest digits from this one on */
	int32_t best;
	struct units *out;
	struct ivm_counts counts;
};

/* Appends the node of the current row, with its unpruned cells from .. to as open children. */
static bool put_node(const struct border *b, int from, int to)
{
	const struct ivm *v = &b->x->v;
	int level = *v->level, n = v->n, cells = n - level, front = 4, back = 4 + n, rest;
	const int16_t *row = v->matrix + level * n;
	uint16_t *node = more(b->out);

	if (!node)
		return false;
	for (int i = 0; i < level; i++)
		node[v->side[i] ? --back : front++] = (uint16_t)ivm_decision(v, i);
	node[0] = (uint16_t)(front - 4);
	node[1] = (uint16_t)(4 + n - back);
	node[3] = v->side[level];
	for (int i = from; i <= to; i++) {
		if (row[i] >= 0)
			node[front++] = (uint16_t)row[i];
	}
	node[2] = (uint16_t)(front - 4 - node[0]);
	rest = front;
	for (int i = 0; i < cells; i++) {
		if (i < from || i > to || row[i] < 0)
			node[rest++] = (uint16_t)ivm_item(row[i]);
	}
	b->out->count -= node[2] == 0;
	return true;
}

/* Covers the current row. The cells that lie completely in the interval become the children of a
 * node; the function descends into the cells at the ends. `low`, `high`: whether the path so far
 * equals that of `first` or `last`. */
static bool cover_row(struct border *b, bool low, bool high)
{
	struct ivm *v = &b->x->v;
	int level = *v->level, from = low ? b->first[level] : 0;
	int to = high ? b->last[level] : v->n - 1 - level;
	bool low_part = low && b->first_zeros > level + 1;
	bool high_part = high && b->last_full > level + 1;
	struct ivm_counts unused = { 0, 0, 0 };

	if (!put_node(b, from + low_part, to - high_part))
		return false;
	for (int end = 0; end < 2; end++) {
		int cell = end ? to : from;
		bool lower = low && cell == from, higher = high && cell == to;

		if (!(end ? high_part && !(low_part && from == to) : low_part) ||
		    v->matrix[level * v->n + cell] < 0)
			continue;
		v->position[level] = (uint16_t)cell;
		ivm_branch(v);
		ivm_explorer_bound(b->x, b->best, lower && low_part ? &unused : &b->counts);
		if (!cover_row(b, lower, higher))
			return false;
		*v->level = level;
	}
	return true;
}

static bool cover_interval(struct border *b)
{
	struct ivm_explorer *x = b->x;
	struct ivm_counts unused = { 0, 0, 0 };
	int n = x->v.n;

	for (b->first_zeros = n; b->first_zeros > 0 && !b->first[b->first_zeros - 1];)
		b->first_zeros--;
	for (b->last_full = n; b->last_full > 0 && b->last[b->last_full - 1] == n - b->last_full;)
		b->last_full--;
	go_to_root(x);
	ivm_explorer_bound(x, b->best, b->first_zeros ? &unused : &b->counts);
	return cover_row(b, true, true);
}

/* [count][2][n] intervals to malloc'ed [*nodes][n + 4] nodes. */
static int nodes_of_intervals(const struct ivm_problem *p, const uint16_t *interval, uint64_t count,
			      int32_t best, uint16_t **node, uint64_t *nodes, uint64_t *decomposed,
			      struct err *e)
{
	struct units out = { .stride = checkpoint_stride(CHECKPOINT_NODES, p->n) };
	struct ivm_explorer x;
	struct border b = { .x = &x, .best = best, .out = &out };
	int status = ivm_explorer_open(&x, p, e);

	for (uint64_t i = 0; i < count && !status; i++, interval += 2 * p->n) {
		b.first = interval;
		b.last = interval + p->n;
		status = cover_interval(&b) ? 0 : no_memory(e);
	}
	ivm_explorer_close(&x);
	if (status)
		free(out.unit);
	*node = status ? NULL : out.unit;
	*nodes = status ? 0 : out.count;
	*decomposed += b.counts.decomposed;
	return status;
}

/* ---- files ---- */

int ivm_cover_convert(struct checkpoint *c, const struct ivm_problem *p, enum checkpoint_form form,
		      const struct interrupt *i, struct err *e)
{
	uint16_t *work;
	uint64_t count, decomposed = c->decomposed;
	int32_t best = c->best < IVM_NONE ? (int32_t)c->best : IVM_NONE;
	int status;

	if (c->form == form)
		return 0;
	if (form == CHECKPOINT_INTERVALS)
		status = intervals_of_nodes(p, c->work, c->count, i, &work, &count, &decomposed, e);
	else
		status = nodes_of_intervals(p, c->work, c->count, best, &work, &count, &decomposed,
					    e);
	if (status)
		return status;
	free(c->work);
	c->decomposed = decomposed;
	c->work = work;
	c->count = count;
	c->form = form;
	return 0;
}

int ivm_cover_read(struct checkpoint *c, const char *path, const struct checkpoint_key *key,
		   const struct ivm_problem *p, enum checkpoint_form form,
		   const struct interrupt *i, struct err *e)
{
	int status = checkpoint_read(c, path, e);

	if (status)
		return status;
	status = checkpoint_matches(c, key, e);
	if (!status)
		status = ivm_cover_convert(c, p, form, i, e);
	if (status && status != ERR_LIMIT) {
		err_prefix(e, "%s", path);
		checkpoint_free(c);
	}
	return status;
}

int ivm_cover_copy(struct checkpoint *c, const struct checkpoint *from,
		   const struct checkpoint_key *key, const struct ivm_problem *p,
		   enum checkpoint_form form, const struct interrupt *i, struct err *e)
{
	int status = checkpoint_matches(from, key, e);

	if (!status)
		status = checkpoint_copy(c, from, true, e);
	if (status)
		return status;
	status = ivm_cover_convert(c, p, form, i, e);
	if (status && status != ERR_LIMIT)
		checkpoint_free(c);
	return status;
}
