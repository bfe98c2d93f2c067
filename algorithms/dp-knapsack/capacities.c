/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/capacities.h"

#include <inttypes.h>
#include <stdlib.h>

void dp_capacities_free(struct dp_capacities *s)
{
	free(s->interval);
	*s = (struct dp_capacities){ .interval = NULL };
}

/* Empties the set and makes room for `count` intervals. */
static int restart(struct dp_capacities *s, int64_t count, struct err *e)
{
	s->count = 0;
	if (count <= s->room)
		return 0;
	free(s->interval);
	s->room = count + count / 4;
	s->interval = malloc((size_t)s->room * sizeof(*s->interval));
	if (s->interval)
		return 0;
	s->room = 0;
	return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " intervals of capacities", count);
}

int dp_capacities_single(struct dp_capacities *s, int64_t lo, int64_t hi, struct err *e)
{
	int status = restart(s, 1, e);

	if (!status)
		s->interval[s->count++] = (struct dp_interval){ lo, hi };
	return status;
}

/* Adds an interval that begins no lower than all those in the set. */
static inline void add(struct dp_capacities *s, int64_t lo, int64_t hi, int64_t gap)
{
	struct dp_interval *last = s->count ? &s->interval[s->count - 1] : NULL;

	if (last && lo - last->hi <= gap + 1)
		last->hi = hi > last->hi ? hi : last->hi;
	else
		s->interval[s->count++] = (struct dp_interval){ lo, hi };
}

int dp_capacities_with_shifted(struct dp_capacities *out, const struct dp_capacities *a,
			       int64_t shift, int64_t low, int64_t high, int64_t gap, struct err *e)
{
	int64_t plain = 0, shifted = 0;
	int status = restart(out, 2 * a->count, e);

	while (!status && (plain < a->count || shifted < a->count)) {
		struct dp_interval next;

		if (shifted == a->count ||
		    (plain < a->count &&
		     a->interval[plain].lo <= a->interval[shifted].lo + shift)) {
			next = a->interval[plain++];
		} else {
			next.lo = a->interval[shifted].lo + shift;
			next.hi = a->interval[shifted++].hi + shift;
		}
		next.lo = next.lo > low ? next.lo : low;
		next.hi = next.hi < high ? next.hi : high;
		if (next.lo <= next.hi)
			add(out, next.lo, next.hi, gap);
	}
	return status;
}

int dp_capacities_common(struct dp_capacities *out, const struct dp_capacities *a,
			 const struct dp_capacities *b, struct err *e)
{
	int64_t i = 0, j = 0;
	int status = restart(out, a->count + b->count, e);

	while (!status && i < a->count && j < b->count) {
		const struct dp_interval *x = &a->interval[i], *y = &b->interval[j];
		int64_t lo = x->lo > y->lo ? x->lo : y->lo, hi = x->hi < y->hi ? x->hi : y->hi;

		if (lo <= hi)
			out->interval[out->count++] = (struct dp_interval){ lo, hi };
		if (x->hi < y->hi)
			i++;
		else
			j++;
	}
	return status;
}

int64_t dp_capacities_size(const struct dp_capacities *s)
{
	int64_t size = 0;

	for (int64_t i = 0; i < s->count; i++)
		size += s->interval[i].hi - s->interval[i].lo + 1;
	return size;
}

int64_t dp_capacities_rank(const struct dp_capacities *s, int64_t c)
{
	int64_t rank = 0;

	for (int64_t i = 0; i < s->count && s->interval[i].lo <= c; i++) {
		if (c <= s->interval[i].hi)
			return rank + c - s->interval[i].lo;
		rank += s->interval[i].hi - s->interval[i].lo + 1;
	}
	return -1;
}
