/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"

/* ---- cells and bounds ---- */

double dp_toth_cells(const struct knapsack *k)
{
	int64_t after = k->sum_weight;
	double cells = 0;

	for (int64_t i = 0; i < k->n; i++) {
		int64_t least;

		after -= k->weight[i];
		least = k->capacity > after ? k->capacity - after : 0;
		least = least > k->weight[i] ? least : k->weight[i];
		cells += least <= k->capacity ? (double)(k->capacity - least + 1) : 0;
	}
	return cells;
}

struct ratio {
	int64_t profit, weight;
};

/* Descending profit by weight; weight 0 counts as infinitely good. */
static int by_ratio(const void *left, const void *right)
{
	const struct ratio *a = left, *b = right;
	__int128 x = (__int128)a->profit * b->weight, y = (__int128)b->profit * a->weight;
	return x > y ? -1 : x < y;
}

static int64_t dantzig(const struct ratio *item, int64_t count, int64_t capacity)
{
	int64_t bound = 0;
	for (int64_t i = 0; i < count; i++) {
		if (item[i].weight > capacity)
			return bound +
			       (int64_t)((__int128)item[i].profit * capacity / item[i].weight);
		capacity -= item[i].weight;
		bound += item[i].profit;
	}
	return bound;
}

int dp_value_bound(const struct knapsack *k, int64_t enough, int64_t *bound, struct err *e)
{
	int64_t fitting = 0, profits = 0;
	for (int64_t i = 0; i < k->n; i++) {
		if (k->weight[i] > k->capacity)
			continue;
		profits += k->profit[i];
		fitting++;
	}
	*bound = profits;
	if (profits <= enough)
		return 0;
	struct ratio *item = malloc((size_t)fitting * sizeof(*item));
	if (!item)
		return err_set(e, ERR_MEMORY, "no memory to bound the value of %lld items",
			       (long long)fitting);
	int64_t m = 0;
	for (int64_t i = 0; i < k->n; i++)
		if (k->weight[i] <= k->capacity)
			item[m++] = (struct ratio){ k->profit[i], k->weight[i] };
	qsort(item, (size_t)fitting, sizeof(*item), by_ratio);
	*bound = dantzig(item, fitting, k->capacity);
	free(item);
	return 0;
}

/* ---- weights with a common factor ---- */

/* The greatest common divisor of the weights that are neither 0 nor above the capacity; 1 if there
 * are none. */
static int64_t weight_divisor(const struct knapsack *k)
{
	int64_t divisor = 0;

	for (int64_t i = 0; i < k->n && divisor != 1; i++)
		if (k->weight[i] <= k->capacity)
			divisor = (int64_t)greatest_common_divisor((uint64_t)divisor,
								   (uint64_t)k->weight[i]);
	return divisor ? divisor : 1;
}

int dp_divide(struct dp_divided *d, const struct knapsack *k, struct err *e)
{
	int64_t divisor = weight_divisor(k), *weight;

	*d = (struct dp_divided){ .k = *k, .divisor = divisor };
	if (divisor == 1)
		return 0;
	weight = malloc((size_t)k->n * sizeof(*weight));
	if (!weight)
		return err_set(e, ERR_MEMORY, "no memory to divide %" PRId64 " weights", k->n);
	d->k.weight = d->owned = weight;
	d->k.capacity = k->capacity / divisor;
	d->k.sum_weight = 0;
	for (int64_t i = 0; i < k->n; i++) {
		weight[i] = k->weight[i] / divisor + (k->weight[i] % divisor != 0);
		d->k.sum_weight += weight[i];
	}
	return 0;
}

void dp_divided_free(struct dp_divided *d)
{
	free(d->owned);
	d->owned = NULL;
}

/* ---- the plan ---- */

struct entry {
	int64_t weight, profit, item;
};

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* A digit of the weight, or of the profit in descending order. */
static size_t digit_of(const struct entry *x, bool by_profit, int shift)
{
	uint64_t key = by_profit ? ~(uint64_t)x->profit : (uint64_t)x->weight;

	return (key >> shift) % DIGITS;
}

/* Sorts stably by one digit. */
static void sort_by_digit(const struct entry *from, struct entry *to, int64_t n, bool by_profit,
			  int shift)
{
	int64_t place[DIGITS] = { 0 }, before = 0;

	for (int64_t i = 0; i < n; i++)
		place[digit_of(&from[i], by_profit, shift)]++;
	for (int d = 0; d < DIGITS; d++) {
		int64_t count = place[d];

		place[d] = before;
		before += count;
	}
	for (int64_t i = 0; i < n; i++)
		to[place[digit_of(&from[i], by_profit, shift)]++] = from[i];
}

/* Sorts by ascending weight, then descending profit, then position, in which the entries are given:
 * a radix sort from the lowest digit of the profit to the highest of the weight. Returns the array
 * that holds the result, `entry` or `spare`. */
static struct entry *sort_entries(struct entry *entry, struct entry *spare, int64_t n)
{
	int64_t weights = 0, profits = 0; /* all bits that occur */

	for (int64_t i = 0; i < n; i++) {
		weights |= entry[i].weight;
		profits |= entry[i].profit;
	}
	for (int by_profit = 1; by_profit >= 0; by_profit--) {
		int64_t bits = by_profit ? profits : weights;

		for (int shift = 0; shift < 63 && bits >> shift; shift += DIGIT_BITS) {
			struct entry *sorted = spare;

			sort_by_digit(entry, sorted, n, by_profit, shift);
			spare = entry;
			entry = sorted;
		}
	}
	return entry;
}

/* Sorts the items and drops those beyond the best floor(C / w) of their weight. `entry` has room
 * for all items, twice. Returns the number kept, and where they are. */
static int64_t candidates(struct dp_plan *p, struct entry *entry, const struct entry **sorted)
{
	const struct knapsack *k = p->instance;
	int64_t n = 0, kept = 0, left = 0; /* left: how many more of this weight can matter */

	for (int64_t i = 0; i < k->n; i++) {
		if (k->profit[i] <= 0 || k->weight[i] > k->capacity)
			continue;
		if (k->weight[i] == 0)
			p->base_value += k->profit[i];
		else
			entry[n++] = (struct entry){ k->weight[i], k->profit[i], i };
	}
	entry = sort_entries(entry, entry + k->n, n);
	*sorted = entry;
	for (int64_t i = 0; i < n; i++) {
		if (!kept || entry[kept - 1].weight != entry[i].weight)
			left = k->capacity / entry[i].weight;
		if (left > 0) {
			entry[kept++] = entry[i];
			left--;
		}
	}
	return kept;
}

static void fill(struct dp_plan *p, const struct entry *entry)
{
	for (int64_t i = 0; i < p->n; i++) {
		p->item[i] = entry[i].item;
		p->weight[i] = entry[i].weight;
		p->profit[i] = entry[i].profit;
		p->sum_weight[i + 1] = p->sum_weight[i] + entry[i].weight;
		p->sum_profit[i + 1] = p->sum_profit[i] + entry[i].profit;
	}
	if (p->n)
		p->max_weight = p->weight[p->n - 1];
	p->capacity = p->instance->capacity;
	if (p->sum_weight[p->n] < p->capacity)
		p->capacity = p->sum_weight[p->n];
}

/* Finds the runs of equal weight and those of equal weight and profit. */
static void group(struct dp_plan *p)
{
	for (int64_t i = 0; i < p->n; i++) {
		bool same_weight = i && p->weight[i] == p->weight[i - 1];
		bool same = same_weight && p->profit[i] == p->profit[i - 1];

		if (!same_weight)
			p->classes[p->class_count++] = (struct dp_step){ .weight = p->weight[i],
									 .first = i,
									 .uniform = true };
		if (!same)
			p->kinds[p->kind_count++] = (struct dp_step){ .weight = p->weight[i],
								      .first = i,
								      .uniform = true };
		p->classes[p->class_count - 1].count++;
		p->classes[p->class_count - 1].uniform &= same || !same_weight;
		p->kinds[p->kind_count - 1].count++;
	}
}

int dp_plan_create(struct dp_plan *p, const struct knapsack *instance, struct err *e)
{
	size_t n = (size_t)instance->n;
	struct entry *entry = malloc(2 * n * sizeof(*entry));
	const struct entry *sorted;

	*p = (struct dp_plan){ .instance = instance };
	p->item = malloc(n * sizeof(*p->item));
	p->weight = malloc(n * sizeof(*p->weight));
	p->profit = malloc(n * sizeof(*p->profit));
	p->sum_weight = calloc(n + 1, sizeof(*p->sum_weight));
	p->sum_profit = calloc(n + 1, sizeof(*p->sum_profit));
	p->classes = malloc(n * sizeof(*p->classes));
	p->kinds = malloc(n * sizeof(*p->kinds));
	if (!entry || !p->item || !p->weight || !p->profit || !p->sum_weight || !p->sum_profit ||
	    !p->classes || !p->kinds) {
		free(entry);
		dp_plan_destroy(p);
		return err_set(e, ERR_MEMORY, "no memory to plan %" PRId64 " items", instance->n);
	}
	p->n = candidates(p, entry, &sorted);
	fill(p, sorted);
	group(p);
	free(entry);
	return 0;
}

void dp_plan_destroy(struct dp_plan *p)
{
	free(p->item);
	free(p->weight);
	free(p->profit);
	free(p->sum_weight);
	free(p->sum_profit);
	free(p->classes);
	free(p->kinds);
	*p = (struct dp_plan){ .n = 0 };
}

const char *const dp_form_words[] = { "auto", "fused", "class", "merged", "reachable", NULL };

enum dp_form dp_plan_form(const struct dp_plan *p)
{
	enum { ITEMS_A_KIND = 3, ITEMS_A_CLASS = 6 };

	if (p->n >= ITEMS_A_KIND * p->kind_count)
		return DP_MERGED;
	return p->n >= ITEMS_A_CLASS * p->class_count ? DP_CLASS : DP_FUSED;
}

int64_t dp_plan_taken(const struct dp_plan *p, const struct dp_step *s, int64_t c, int64_t after,
		      int64_t (*before)(void *ctx, int64_t c), void *ctx)
{
	int64_t none = p->sum_profit[s->first];

	for (int64_t j = 0; j <= s->count && j * s->weight <= c; j++) {
		int64_t gain = p->sum_profit[s->first + j] - none;

		if (before(ctx, c - j * s->weight) + gain == after)
			return j;
	}
	return -1;
}

void dp_plan_mark(const struct dp_plan *p, const struct dp_step *s, int64_t count, uint8_t *taken)
{
	for (int64_t i = s->first; i < s->first + count; i++)
		taken[p->item[i]] = 1;
}

void dp_plan_mark_always(const struct dp_plan *p, uint8_t *taken)
{
	const struct knapsack *k = p->instance;

	for (int64_t i = 0; i < k->n; i++) {
		if (k->weight[i] == 0 && k->profit[i] > 0)
			taken[i] = 1;
	}
}

/* Places at most `most` checkpoints evenly spaced by number of items. Returns the bytes they need.
 */
static double place(const struct dp_plan *p, const struct dp_step *steps, int64_t step_count,
		    int64_t most, int64_t cell_bytes, struct dp_checkpoint *out, int64_t *count)
{
	double bytes = 0;

	*count = 0;
	for (int64_t b = 1; b < step_count && *count < most; b++) {
		int64_t lo, hi;
		double due = (double)(*count + 1) * (double)p->n / (double)(most + 1);

		if ((double)steps[b].first < due)
			continue;
		dp_plan_live(p, steps[b].first, &lo, &hi);
		out[(*count)++] = (struct dp_checkpoint){ b, lo, hi - lo + 1 };
		bytes += (double)(hi - lo + 1) * (double)cell_bytes;
	}
	return bytes;
}

int64_t dp_plan_checkpoints(const struct dp_plan *p, const struct dp_step *steps,
			    int64_t step_count, int64_t most, int64_t cell_bytes, int64_t max_bytes,
			    struct dp_checkpoint *out)
{
	int64_t count = 0;

	for (; most > 0; most -= 1 + most / 16) {
		if (place(p, steps, step_count, most, cell_bytes, out, &count) <= (double)max_bytes)
			return count;
	}
	return 0;
}
