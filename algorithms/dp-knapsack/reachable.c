/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The sets of capacities that matter (reachable.h), and the segments of the arrays on them.
 *
 * The sets from above are needed in the order opposite to that in which they are computed. Every
 * STRIDE-th is kept; those between are computed again, a block at a time. */
#include "algorithms/dp-knapsack/reachable.h"

#include <inttypes.h>
#include <stdlib.h>

#include "algorithms/dp-knapsack/pacing.h"

enum {
	STRIDE = 32,
	LEAST_GAP = 7,
	MOST_GAP = 4095,         /* a segment costs as much as this many cells */
	MOST_INTERVALS = 1 << 16 /* of a set; above, wider gaps are closed */
};

/* The sets from above that are kept have at most this many intervals, 16 bytes each. */
static const int64_t MOST_KEPT = INT64_C(1) << 26;

struct segments {
	struct dp_segment *segment;
	int64_t count, room;
};

struct dp_reach {
	const struct dp_plan *plan;
	const struct dp_request *request; /* its stop flag */
	double deadline;
	struct dp_capacities *kept; /* from above: before the items 0, STRIDE, ... and after all */
	struct dp_capacities block[STRIDE + 1]; /* from above: before the items block_first, ... */
	int64_t block_first;                    /* -1: none */
	int64_t items;                          /* of the search: the first ones */
	int64_t gap;                            /* intervals this close become one */
	int64_t most;                           /* intervals of a set */
	int64_t item;                           /* done */
	struct dp_capacities now, before;       /* the set after `item` items, and after one less */
	struct dp_capacities joined;
	struct segments made[2];
};

static int64_t kept_count(int64_t items)
{
	return (items + STRIDE - 1) / STRIDE + 1;
}

static int no_memory(int64_t count, const char *what, struct err *e)
{
	return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " %s", count, what);
}

/* Makes `out` the union of the set and the set moved by `shift`, between 0 and `high`. Closes wider
 * gaps if it has too many intervals. */
static int join(const struct dp_reach *r, const struct dp_capacities *set, int64_t shift,
		int64_t high, struct dp_capacities *out, struct err *e)
{
	int64_t gap = r->gap;
	int status;

	do {
		status = dp_capacities_with_shifted(out, set, shift, 0, high, gap, e);
		gap *= 4;
	} while (!status && out->count > r->most);
	return status;
}

/* The set before item k, from the one after it. */
static int step_down(const struct dp_reach *r, int64_t k, const struct dp_capacities *after,
		     struct dp_capacities *out, struct err *e)
{
	const struct dp_plan *p = r->plan;
	/* the weight of the items before this one */
	int64_t most = p->sum_weight[p->n] - p->sum_weight[p->n - k];
	int status = dp_pace_check(r->request, r->deadline, 0, p->n, e);

	if (status)
		return status;
	return join(r, after, -p->weight[dp_reach_item(p, k)], dp_min(p->capacity, most), out, e);
}

/* The sets before the items first .. first + STRIDE - 1. */
static int compute_block(struct dp_reach *r, int64_t first, struct err *e)
{
	int64_t end = dp_min(first + STRIDE, r->items);
	const struct dp_capacities *after = &r->kept[first / STRIDE + 1];
	int status = 0;

	for (int64_t k = end - 1; !status && k >= first; k--) {
		status = step_down(r, k, after, &r->block[k - first], e);
		after = &r->block[k - first];
	}
	r->block_first = status ? -1 : first;
	return status;
}

/* The set from above after k items. */
static int from_above(struct dp_reach *r, int64_t k, const struct dp_capacities **out,
		      struct err *e)
{
	int64_t first = k / STRIDE * STRIDE;
	int status = 0;

	if (k == r->items || k == first) {
		*out = &r->kept[(k + STRIDE - 1) / STRIDE];
		return 0;
	}
	if (r->block_first != first)
		status = compute_block(r, first, e);
	*out = &r->block[k - first];
	return status;
}

static int compute_kept(struct dp_reach *r, int64_t low, int64_t high, struct err *e)
{
	int64_t last = kept_count(r->items) - 1;
	int status = dp_capacities_single(&r->kept[last], low, high, e);

	for (int64_t i = last - 1; !status && i >= 0; i--) {
		status = compute_block(r, i * STRIDE, e);
		if (!status) {
			r->kept[i] = r->block[0];
			r->block[0] = (struct dp_capacities){ .interval = NULL };
			r->block_first = -1;
		}
	}
	return status;
}

int dp_reach_create(struct dp_reach **out, const struct dp_plan *plan,
		    const struct dp_request *request, double deadline, int64_t items, int64_t low,
		    int64_t high, struct err *e)
{
	struct dp_reach *r = calloc(1, sizeof(*r));
	int status;

	*out = r;
	if (!r)
		return no_memory(plan->n, "sets of capacities", e);
	r->plan = plan;
	r->request = request;
	r->deadline = deadline;
	r->items = items;
	r->gap = dp_max(LEAST_GAP, dp_min(plan->capacity / 1024, MOST_GAP));
	r->most = dp_max(1024, dp_min(MOST_INTERVALS, MOST_KEPT / kept_count(items)));
	r->block_first = -1;
	r->kept = calloc((size_t)kept_count(items), sizeof(*r->kept));
	if (!r->kept)
		status = no_memory(plan->n, "sets of capacities", e);
	else
		status = compute_kept(r, low, high, e);
	if (!status)
		status = dp_reach_restart(r, e);
	if (status) {
		dp_reach_destroy(r);
		*out = NULL;
	}
	return status;
}

void dp_reach_destroy(struct dp_reach *r)
{
	if (!r)
		return;
	for (int64_t i = 0; r->kept && i < kept_count(r->items); i++)
		dp_capacities_free(&r->kept[i]);
	free(r->kept);
	for (int i = 0; i <= STRIDE; i++)
		dp_capacities_free(&r->block[i]);
	dp_capacities_free(&r->now);
	dp_capacities_free(&r->before);
	dp_capacities_free(&r->joined);
	for (int i = 0; i < 2; i++)
		free(r->made[i].segment);
	free(r);
}

int dp_reach_restart(struct dp_reach *r, struct err *e)
{
	const struct dp_capacities *above;
	struct dp_capacities zero = { .interval = NULL };
	int status = from_above(r, 0, &above, e);

	r->item = 0;
	r->before.count = 0;
	if (!status)
		status = dp_capacities_single(&zero, 0, 0, e);
	if (!status)
		status = dp_capacities_common(&r->now, &zero, above, e);
	dp_capacities_free(&zero);
	return status;
}

int dp_reach_advance(struct dp_reach *r, struct err *e)
{
	const struct dp_capacities *above;
	struct dp_capacities old = r->before;
	int64_t weight = r->plan->weight[dp_reach_item(r->plan, r->item)];
	int status = from_above(r, r->item + 1, &above, e);

	r->before = r->now;
	r->now = old;
	r->now.count = 0;
	if (!status)
		status = join(r, &r->before, weight, r->plan->capacity, &r->joined, e);
	if (!status)
		status = dp_capacities_common(&r->now, &r->joined, above, e);
	r->item++;
	return status;
}

const struct dp_capacities *dp_reach_set(const struct dp_reach *r)
{
	return &r->now;
}

/* ---- segments ---- */

/* A place in the set before the item, moved up by `shift`:
 * interval i, whose cells begin at `cell`. */
struct place {
	const struct dp_capacities *set;
	int64_t shift, i, cell;
};

/* Finds capacity c, which no earlier call exceeded. Returns its cell or -1, and lowers `end` to the
 * first capacity for which that changes. */
static int64_t cell_at(struct place *p, int64_t c, int64_t *end)
{
	const struct dp_interval *r;

	while (p->i < p->set->count && p->set->interval[p->i].hi + p->shift < c) {
		p->cell += p->set->interval[p->i].hi - p->set->interval[p->i].lo + 1;
		p->i++;
	}
	if (p->i == p->set->count)
		return -1;
	r = &p->set->interval[p->i];
	if (c < r->lo + p->shift) {
		*end = dp_min(*end, r->lo + p->shift);
		return -1;
	}
	*end = dp_min(*end, r->hi + p->shift + 1);
	return p->cell + c - p->shift - r->lo;
}

static int room_for(struct segments *s, int64_t count, struct err *e)
{
	if (count <= s->room)
		return 0;
	free(s->segment);
	s->room = count + count / 4;
	s->segment = malloc((size_t)s->room * sizeof(*s->segment));
	if (s->segment)
		return 0;
	s->room = 0;
	return no_memory(count, "segments", e);
}

int dp_reach_segments(struct dp_reach *r, const struct dp_segment **segments, int64_t *count,
		      struct err *e)
{
	struct segments *s = &r->made[r->item % 2];
	struct place keep = { .set = &r->before };
	int64_t weight = r->plan->weight[dp_reach_item(r->plan, r->item - 1)];
	struct place take = { .set = &r->before, .shift = weight };
	/* a segment ends where an interval of one of the three sets begins or ends */
	int status = room_for(s, r->now.count * 2 + r->before.count * 4, e);
	int64_t to = 0;

	s->count = 0;
	for (int64_t i = 0; !status && i < r->now.count; i++) {
		int64_t c = r->now.interval[i].lo;

		while (c <= r->now.interval[i].hi) {
			int64_t end = r->now.interval[i].hi + 1;
			struct dp_segment *g = &s->segment[s->count++];

			g->keep = cell_at(&keep, c, &end);
			g->take = cell_at(&take, c, &end);
			g->to = to;
			g->cells = end - c;
			to += end - c;
			c = end;
		}
	}
	*segments = s->segment;
	*count = s->count;
	return status;
}
