/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/nqueens/queens_walk.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/gmys-ivm/factoradic.h"

/* ---- lists ---- */

bool queens_intervals_add(struct queens_intervals *l, const struct queens_interval *in)
{
	uint64_t room = l->room ? 2 * l->room : 64;

	if (l->count == l->room) {
		struct queens_interval *larger = realloc(l->item, room * sizeof(*larger));

		if (!larger)
			return false;
		l->item = larger;
		l->room = room;
	}
	l->item[l->count++] = *in;
	return true;
}

void queens_intervals_free(struct queens_intervals *l)
{
	free(l->item);
	*l = (struct queens_intervals){ .item = NULL };
}

bool queens_interval_clip(struct queens_interval *in, int n, int from, int to)
{
	if (in->first[0] > to || in->last[0] < from)
		return false;
	if (in->first[0] < from) {
		memset(in->first, 0, sizeof(in->first));
		in->first[0] = (uint16_t)from;
	}
	if (in->last[0] > to) {
		ivm_factoradic_last(in->last, n);
		in->last[0] = (uint16_t)to;
	}
	return true;
}

/* ---- rows ---- */

/* The children of the current node that lie in the interval. */
static void enter_row(struct queens_walk *w)
{
	int d = w->depth, from = w->low[d] ? w->in.first[d] : 0;
	int count = (w->high[d] ? w->in.last[d] + 1 : w->n - d) - from;
	uint32_t free = ~w->q[d].columns & queens_full(w->n), rest = 0;

	for (int i = 0; i < from; i++)
		free &= free - 1;
	for (; count > 0; count--, free &= free - 1)
		rest |= free & (0 - free);
	w->rest[d] = rest;
	w->digit[d] = from;
}

void queens_walk_start(struct queens_walk *w, int n, int whole, const struct queens_interval *in)
{
	w->n = n;
	w->whole = whole;
	w->in = *in;
	w->open = true;
	w->begun = false;
	w->depth = 0;
	w->q[0] = (struct queens_masks){ 0, 0, 0 };
	w->low[0] = w->high[0] = true;
	enter_row(w);
}

/* Tries the next child of the current node. Returns false if there is no queen in its place. Else
 * *own: the interval counts it; *inside: its subtree lies in the interval. */
static bool try_child(struct queens_walk *w, bool *own, bool *inside)
{
	int d = w->depth, left = w->n - d - 1, digit = w->digit[d]++;
	uint32_t bit = w->rest[d] & (0 - w->rest[d]);

	w->rest[d] &= w->rest[d] - 1;
	if (!(queens_open_columns(w->q[d], queens_full(w->n)) & bit))
		return false;
	w->q[d + 1] = queens_put(w->q[d], bit);
	w->low[d + 1] = w->low[d] && digit == w->in.first[d];
	w->high[d + 1] = w->high[d] && digit == w->in.last[d];
	*own = !w->low[d + 1] || ivm_factoradic_is_first(w->in.first + d + 1, left);
	*inside = *own && (!w->high[d + 1] || ivm_factoradic_is_last(w->in.last + d + 1, left));
	return true;
}

int queens_walk_next(struct queens_walk *w, struct queens_walk_counts *c, struct queens_masks *q,
		     uint32_t *children)
{
	bool own, inside;

	while (w->open) {
		int depth = w->depth + 1;

		if (!w->rest[w->depth]) {
			w->open = w->depth-- > 0;
			continue;
		}
		if (!try_child(w, &own, &inside))
			continue;
		if (own && depth == w->n)
			c->solutions++;
		else if (own && depth == 1)
			c->first_row++;
		else if (own)
			c->nodes++;
		if (depth == w->n)
			continue;
		if (!inside || depth < w->whole || depth > w->n - 2) {
			w->depth = depth;
			enter_row(w);
			continue;
		}
		w->begun = true;
		*q = w->q[depth];
		*children = queens_open_columns(*q, queens_full(w->n));
		if (*children)
			return depth;
	}
	return 0;
}

bool queens_walk_rest(const struct queens_walk *w, struct queens_interval *rest)
{
	int d = w->depth;

	*rest = w->in;
	if (!w->open || !w->begun)
		return w->open;
	while (d >= 0 && w->digit[d] > w->n - 1 - d)
		d--;
	if (d < 0)
		return false;
	memset(rest->first, 0, sizeof(rest->first));
	for (int i = 0; i < d; i++)
		rest->first[i] = (uint16_t)(w->digit[i] - 1);
	rest->first[d] = (uint16_t)w->digit[d];
	return ivm_factoradic_compare(rest->first, rest->last, w->n) <= 0;
}

/* ---- dividing ---- */

/* Ends the current part before the number (digits of the path, zeros), if it contains a smaller
 * one. */
static bool cut(const struct queens_walk *w, int depth, struct queens_interval *part,
		struct queens_intervals *parts)
{
	uint16_t number[QUEENS_MAX_COUNTED] = { 0 };

	for (int i = 0; i < depth; i++)
		number[i] = (uint16_t)(w->digit[i] - 1);
	if (ivm_factoradic_compare(number, part->first, w->n) <= 0)
		return true;
	memcpy(part->last, number, sizeof(number));
	ivm_factoradic_previous(part->last, w->n);
	if (!queens_intervals_add(parts, part))
		return false;
	memcpy(part->first, number, sizeof(number));
	return true;
}

bool queens_interval_divide(const struct queens_interval *in, int n, int depth,
			    struct queens_intervals *parts)
{
	struct queens_interval part = *in;
	struct queens_walk w;
	bool own, inside;

	queens_walk_start(&w, n, n, in);
	while (w.open) {
		if (!w.rest[w.depth]) {
			w.open = w.depth-- > 0;
		} else if (try_child(&w, &own, &inside)) {
			if (w.depth + 1 < depth) {
				w.depth++;
				enter_row(&w);
			} else if (!cut(&w, depth, &part, parts)) {
				return false;
			}
		}
	}
	memcpy(part.last, in->last, sizeof(part.last));
	return queens_intervals_add(parts, &part);
}
