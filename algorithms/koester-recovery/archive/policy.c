/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/koester-recovery/archive/policy.h"

#include <math.h>

/* The weight of the uniform prior: this many recoveries, spread evenly over all layers, are added
 * to the observed ones. */
static const double prior = 4;

/* ---- weights of requests ---- */

static int class_of(uint32_t distance)
{
	return distance == UINT32_MAX ? TRACK_POLICY_CLASSES - 1 : 31 - __builtin_clz(distance + 1);
}

/* The smallest distance in class c. */
static uint64_t class_begin(int c)
{
	return ((uint64_t)1 << c) - 1;
}

void track_policy_learn(struct track_policy *p, uint32_t distance)
{
	p->demand[class_of(distance)]++;
}

struct weight {
	double sum;     /* sum of w over the layers */
	double replays; /* sum of w times the distance from the first layer */
};

/* The weight of layers first .. end. */
static struct weight weight_of(const struct track_policy *p, uint32_t last, uint32_t first,
			       uint32_t end)
{
	struct weight w = { 0, 0 };
	double all = prior;

	for (int c = 0; c < TRACK_POLICY_CLASSES && class_begin(c) <= last; c++)
		all += p->demand[c];
	for (int c = 0; c < TRACK_POLICY_CLASSES && class_begin(c) <= last; c++) {
		uint64_t from = class_begin(c), to = class_begin(c + 1) - 1;
		double size = (double)((to < last ? to : last) - from + 1);
		double each = (prior / ((double)last + 1) + p->demand[c] / size) / all;

		if (from < last - end)
			from = last - end;
		if (to > last - first)
			to = last - first;
		if (from > to)
			continue;
		double number = (double)(to - from + 1);

		w.sum += each * number;
		/* distances to `first` run from last - first - to up to last - first - from */
		w.replays +=
			each * number * ((double)(last - first) - ((double)from + (double)to) / 2);
	}
	return w;
}

/* The cost of targets first .. end, loaded from the tier and replayed from `first`. */
static double cost_of(const struct track_policy *p, uint32_t last, uint32_t first, uint32_t end,
		      int tier)
{
	struct weight w = weight_of(p, last, first, end);

	return w.sum * p->load[tier] + w.replays * p->step;
}

/* ---- kept layers: those not dropped ---- */

static uint32_t end_of(const struct track_policy_layer *kept, uint32_t count, uint32_t i,
		       uint32_t last)
{
	for (i++; i < count; i++)
		if (kept[i].tier != TRACK_POLICY_DROPPED)
			return kept[i].layer - 1;
	return last;
}

double track_policy_cost(const struct track_policy *p, const struct track_policy_layer *kept,
			 uint32_t count, uint32_t last)
{
	double cost = 0;

	for (uint32_t i = 0; i < count; i++)
		if (kept[i].tier != TRACK_POLICY_DROPPED)
			cost += cost_of(p, last, kept[i].layer, end_of(kept, count, i, last),
					kept[i].tier);
	return cost;
}

int track_policy_fastest(const struct track_policy *p)
{
	int best = -1;

	for (int t = 0; t < TRACK_TIERS; t++)
		if (p->available[t] && (best < 0 || p->load[t] < p->load[best]))
			best = t;
	return best;
}

/* Index of the kept layer before the i-th, skipping dropped ones; i > 0. */
static uint32_t before(const struct track_policy_layer *kept, uint32_t i)
{
	while (kept[--i].tier == TRACK_POLICY_DROPPED && i > 0)
		;
	return i;
}

/* How much C increases if kept layer i is dropped, for a search that has reached layer `last`. */
static double drop_cost_at(const struct track_policy *p, const struct track_policy_layer *kept,
			   uint32_t count, uint32_t last, uint32_t i)
{
	uint32_t end = end_of(kept, count, i, last), k = before(kept, i);

	return cost_of(p, last, kept[k].layer, end, kept[k].tier) -
	       cost_of(p, last, kept[k].layer, kept[i].layer - 1, kept[k].tier) -
	       cost_of(p, last, kept[i].layer, end, kept[i].tier);
}

/* The layer that the search reaches after as many more layers as lie between two kept layers. */
static uint32_t later(const struct track_policy_layer *kept, uint32_t count, uint32_t last)
{
	uint32_t live = 0, gap;

	for (uint32_t i = 0; i < count; i++)
		live += kept[i].tier != TRACK_POLICY_DROPPED;
	gap = last / live + 1;
	return last < UINT32_MAX - gap ? last + gap : last;
}

/* The mean increase of C for the search now and `later`. Now, a new layer only serves recoveries of
 * itself; later, it also serves those of the layers after it. */
static double drop_cost(const struct track_policy *p, const struct track_policy_layer *kept,
			uint32_t count, uint32_t last, uint32_t i)
{
	if (kept[i].layer == 0 || (p->keep_last && kept[i].layer == last))
		return INFINITY;
	return (drop_cost_at(p, kept, count, last, i) +
		drop_cost_at(p, kept, count, later(kept, count, last), i)) /
	       2;
}

static double move_cost(const struct track_policy *p, const struct track_policy_layer *kept,
			uint32_t count, uint32_t last, uint32_t i, int tier)
{
	uint32_t then = later(kept, count, last);
	double now = weight_of(p, last, kept[i].layer, end_of(kept, count, i, last)).sum;
	double soon = weight_of(p, then, kept[i].layer, end_of(kept, count, i, then)).sum;

	return (now + soon) / 2 * (p->load[tier] - p->load[kept[i].tier]);
}

static uint64_t bytes_in(const struct track_policy_layer *kept, uint32_t count, int tier)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		if (kept[i].tier == tier)
			bytes += kept[i].bytes;
	return bytes;
}

/* True if tier a is slower than tier b. A chain of moves only goes to slower tiers, so it ends. */
static bool slower(const struct track_policy *p, int a, int b)
{
	return p->available[a] && (p->load[a] > p->load[b] || (p->load[a] == p->load[b] && a > b));
}

/* ---- tiers above their budgets ---- */

struct way_out {
	double cost;
	uint32_t layer; /* index */
	int tier;       /* its new tier, or dropped */
};

/* The cheapest way for a layer to leave a tier. The cost includes the layers that it pushes out of
 * its new tier. */
static struct way_out cheapest(const struct track_policy *p, const struct track_policy_layer *kept,
			       uint32_t count, uint32_t last, int tier)
{
	struct way_out best = { INFINITY, 0, TRACK_POLICY_DROPPED };
	uint64_t used[TRACK_TIERS];
	double push[TRACK_TIERS];

	for (int t = 0; t < TRACK_TIERS; t++) {
		used[t] = bytes_in(kept, count, t);
		push[t] = slower(p, t, tier) ? cheapest(p, kept, count, last, t).cost : INFINITY;
	}
	for (uint32_t i = 0; i < count; i++) {
		double cost;

		if (kept[i].tier != tier)
			continue;
		cost = drop_cost(p, kept, count, last, i);
		if (cost < best.cost)
			best = (struct way_out){ cost, i, TRACK_POLICY_DROPPED };
		for (int t = 0; t < TRACK_TIERS; t++) {
			if (!slower(p, t, tier) || kept[i].bytes > p->budget[t])
				continue;
			cost = move_cost(p, kept, count, last, i, t);
			if (used[t] > p->budget[t] - kept[i].bytes)
				cost += push[t];
			if (cost < best.cost)
				best = (struct way_out){ cost, i, t };
		}
	}
	return best;
}

/* Moves one layer out of the tier, or drops it. Returns false if none can leave. */
static bool relieve(const struct track_policy *p, struct track_policy_layer *kept, uint32_t count,
		    uint32_t last, int tier)
{
	struct way_out w = cheapest(p, kept, count, last, tier);

	if (w.cost == INFINITY && p->keep_last) {
		struct track_policy any = *p;

		any.keep_last = false;
		w = cheapest(&any, kept, count, last, tier);
	}
	if (w.cost == INFINITY)
		return false;
	kept[w.layer].tier = w.tier;
	return true;
}

static void drop_useless(const struct track_policy *p, struct track_policy_layer *kept,
			 uint32_t count, uint32_t last)
{
	while (true) {
		uint32_t worst = count;
		double least = 0;

		for (uint32_t i = 0; i < count; i++) {
			double cost = kept[i].tier == TRACK_POLICY_DROPPED ?
					      INFINITY :
					      drop_cost(p, kept, count, last, i);

			if (cost < least) {
				least = cost;
				worst = i;
			}
		}
		if (worst == count)
			return;
		kept[worst].tier = TRACK_POLICY_DROPPED;
	}
}

/* Moves at most one layer to a faster tier, so that a call moves few bytes. */
static void promote(const struct track_policy *p, struct track_policy_layer *kept, uint32_t count,
		    uint32_t last)
{
	struct way_out best = { 0, 0, TRACK_POLICY_DROPPED };

	for (int t = 0; t < TRACK_TIERS; t++) {
		uint64_t used = bytes_in(kept, count, t);

		for (uint32_t i = 0; p->available[t] && i < count; i++) {
			double cost;

			if (kept[i].tier == TRACK_POLICY_DROPPED || !slower(p, kept[i].tier, t) ||
			    kept[i].bytes > p->budget[t] || used > p->budget[t] - kept[i].bytes)
				continue;
			cost = move_cost(p, kept, count, last, i, t);
			if (cost < best.cost)
				best = (struct way_out){ cost, i, t };
		}
	}
	if (best.tier != TRACK_POLICY_DROPPED)
		kept[best.layer].tier = best.tier;
}

void track_policy_settle(const struct track_policy *p, struct track_policy_layer *kept,
			 uint32_t count, uint32_t last)
{
	bool above = true;

	while (above) {
		above = false;
		for (int t = 0; t < TRACK_TIERS && !above; t++)
			above = bytes_in(kept, count, t) > p->budget[t] &&
				relieve(p, kept, count, last, t);
	}
	drop_useless(p, kept, count, last);
	promote(p, kept, count, last);
}
