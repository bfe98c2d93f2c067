/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/share.h"

void dp_share_start(struct dp_share *p, int gpus, int64_t capacity)
{
	*p = (struct dp_share){ .gpus = gpus, .capacity = capacity, .everywhere = true };
}

bool dp_share_step(struct dp_share *p, int gpus, int64_t capacity, int64_t weight,
		   int64_t weights_after)
{
	if (weight > capacity)
		return false;
	int64_t first = dp_max(0, capacity - weights_after);
	int64_t c_k = dp_max(first, weight);
	*p = (struct dp_share){ .gpus = gpus,
				.capacity = capacity,
				.weight = weight,
				.first = first,
				.c_k = c_k,
				.per_gpu = (capacity + 1 - c_k + gpus - 1) / gpus };
	return true;
}

/* Inserts `r` into the sorted, disjoint list and joins ranges that overlap or touch. */
static int insert(struct dp_range *list, int count, struct dp_range r)
{
	if (r.from >= r.to)
		return count;
	int kept = 0, at = 0;
	struct dp_range out[DP_SHARE_RANGES];
	while (at < count && list[at].to < r.from)
		out[kept++] = list[at++];
	for (; at < count && list[at].from <= r.to; at++) {
		r.from = dp_min(r.from, list[at].from);
		r.to = dp_max(r.to, list[at].to);
	}
	out[kept++] = r;
	while (at < count)
		out[kept++] = list[at++];
	for (int i = 0; i < kept; i++)
		list[i] = out[i];
	return kept;
}

/* The cells that `gpu` reads in step p: its range, and that range moved down by w_k. */
static int reads(const struct dp_share *p, int gpu, struct dp_range out[2])
{
	struct dp_range computed = dp_share_computed(p, gpu), own = dp_share_owned(p, gpu);
	int count = insert(out, 0, own);
	if (computed.from >= computed.to)
		return count;
	return insert(out, count,
		      (struct dp_range){ computed.from - p->weight, computed.to - p->weight });
}

/* Adds to `list` the cells that `gpu` reads in `next` and that `owner` owns after `prev`. */
static int add_missing(struct dp_range *list, int count, const struct dp_share *prev,
		       const struct dp_share *next, int gpu, int owner)
{
	if (gpu == owner || prev->everywhere)
		return count;
	struct dp_range own = dp_share_owned(prev, owner), read[2];
	int n = reads(next, gpu, read);
	for (int i = 0; i < n; i++)
		count = insert(list, count,
			       (struct dp_range){ dp_max(read[i].from, own.from),
						  dp_min(read[i].to, own.to) });
	return count;
}

int dp_share_received(const struct dp_share *prev, const struct dp_share *next, int gpu,
		      struct dp_range out[DP_SHARE_RANGES])
{
	int count = 0;
	for (int owner = 0; owner < next->gpus; owner++)
		count = add_missing(out, count, prev, next, gpu, owner);
	return count;
}

int dp_share_sent(const struct dp_share *prev, const struct dp_share *next, int gpu,
		  struct dp_range out[DP_SHARE_RANGES])
{
	int count = 0;
	for (int reader = 0; reader < next->gpus; reader++)
		count = add_missing(out, count, prev, next, reader, gpu);
	return count;
}

int dp_share_last_owner(const struct dp_share *p)
{
	for (int gpu = 0; gpu < p->gpus; gpu++) {
		struct dp_range r = dp_share_owned(p, gpu);
		if (r.from <= p->capacity && p->capacity < r.to)
			return gpu;
	}
	return 0;
}
