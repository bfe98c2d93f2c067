/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/knapsack/knapsack.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

__extension__ typedef __int128 wide;

struct item {
	int64_t p, w;
};

/* A partial solution: the items to the left of the core are taken, those to the right are not, and
 * those in the core are decided. */
struct state {
	int64_t w, p;
};

struct core {
	struct item *item; /* by descending efficiency p/w */
	int64_t n, capacity;
	int64_t left, right; /* the core: items left..right-1 */
	int64_t break_item, break_w, break_p;
	struct state *list, *next; /* weights and values strictly ascending */
	int64_t count, room, max_states;
	int64_t best;
};

static int by_efficiency(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	wide l = (wide)x->p * y->w, r = (wide)y->p * x->w;

	if (l != r)
		return l > r ? -1 : 1;
	return x->w < y->w ? -1 : x->w > y->w;
}

/* Collects and sorts the items that can matter. Returns the value of those of weight 0. */
static int64_t prepare(struct core *c, const struct knapsack *k)
{
	int64_t base = 0;

	for (int64_t i = 0; i < k->n; i++) {
		if (k->profit[i] == 0 || k->weight[i] > k->capacity)
			continue;
		if (k->weight[i] == 0)
			base += k->profit[i];
		else
			c->item[c->n++] = (struct item){ k->profit[i], k->weight[i] };
	}
	qsort(c->item, (size_t)c->n, sizeof(*c->item), by_efficiency);
	while (c->break_item < c->n && c->break_w + c->item[c->break_item].w <= c->capacity) {
		c->break_w += c->item[c->break_item].w;
		c->break_p += c->item[c->break_item].p;
		c->break_item++;
	}
	return base;
}

/* The first value to beat: the items before the break item, and every later one that still fits. */
static int64_t greedy(const struct core *c)
{
	int64_t p = c->break_p, w = c->break_w;

	for (int64_t i = c->break_item; i < c->n; i++) {
		if (c->item[i].w <= c->capacity - w) {
			w += c->item[i].w;
			p += c->item[i].p;
		}
	}
	return p;
}

static wide floor_div(wide a, int64_t b)
{
	wide q = a / b;

	return q - (a % b < 0);
}

/* Whether the state can still lead to more than `best`. Free capacity is filled at the efficiency
 * of the next item to the right; excess weight is removed at that of the next item to the left. */
static bool hopeful(const struct core *c, struct state s)
{
	int64_t slack = c->capacity - s.w;
	const struct item *at = NULL;

	if (slack >= 0 && c->right < c->n)
		at = &c->item[c->right];
	if (slack < 0 && c->left == 0)
		return false;
	if (slack < 0)
		at = &c->item[c->left - 1];
	return s.p + (at ? floor_div((wide)slack * at->p, at->w) : 0) > c->best;
}

/* Appends a state to the next list unless an earlier one dominates it. States come in order of
 * ascending weight. */
static void emit(struct core *c, int64_t *count, struct state s)
{
	if (*count && c->next[*count - 1].p >= s.p)
		return;
	if (hopeful(c, s))
		c->next[(*count)++] = s;
}

static int make_room(struct core *c, int64_t need, struct err *e)
{
	struct state *a;

	if (need <= c->room)
		return 0;
	if (need > 2 * c->max_states)
		return err_set(e, ERR_LIMIT, "the oracle needs more than %lld states",
			       (long long)c->max_states);
	c->room = 2 * need;
	a = realloc(c->list, (size_t)c->room * sizeof(*a));
	if (a)
		c->list = a;
	if (a && (a = realloc(c->next, (size_t)c->room * sizeof(*a))))
		c->next = a;
	return a ? 0 : err_set(e, ERR_MEMORY, "no memory for the oracle's states");
}

/* Merges the list with a copy of it that is shifted by (dw, dp). */
static int branch(struct core *c, int64_t dw, int64_t dp, struct err *e)
{
	int64_t i = 0, j = 0, count = 0;
	struct state *swap;
	int status = make_room(c, 2 * c->count, e);

	if (status)
		return status;
	for (int64_t k = 0; k < c->count; k++) {
		struct state s = { c->list[k].w + dw, c->list[k].p + dp };

		if (s.w <= c->capacity && s.p > c->best)
			c->best = s.p;
	}
	while (i < c->count || j < c->count) {
		struct state a = { 0, 0 }, b = { 0, 0 };

		if (i < c->count)
			a = c->list[i];
		if (j < c->count)
			b = (struct state){ c->list[j].w + dw, c->list[j].p + dp };
		/* at equal weights the better one first, so that it dominates the other */
		if (j == c->count || (i < c->count && (a.w < b.w || (a.w == b.w && a.p >= b.p)))) {
			emit(c, &count, a);
			i++;
		} else {
			emit(c, &count, b);
			j++;
		}
	}
	swap = c->list;
	c->list = c->next;
	c->next = swap;
	c->count = count;
	return 0;
}

/* Whether a solution that differs from the break solution in item i can be better than `best`. */
static bool worth(const struct core *c, int64_t i)
{
	const struct item *b = &c->item[c->break_item], *x = &c->item[i];
	int64_t sign = i < c->break_item ? -1 : 1;
	wide slack = (wide)c->capacity - c->break_w - sign * x->w;

	return c->break_p + sign * x->p + floor_div(slack * b->p, b->w) > c->best;
}

static int widen(struct core *c, int64_t i, struct err *e)
{
	int64_t sign = i < c->break_item ? -1 : 1;

	return worth(c, i) ? branch(c, sign * c->item[i].w, sign * c->item[i].p, e) : 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int search(struct core *c, double deadline, struct err *e)
{
	int status = make_room(c, 1024, e);

	if (status)
		return status;
	c->left = c->right = c->break_item;
	c->list[0] = (struct state){ c->break_w, c->break_p };
	c->count = 1;
	while (c->count && (c->left > 0 || c->right < c->n)) {
		/* emit() uses the core after the item has been added */
		if (c->right < c->n && (status = widen(c, c->right++, e)))
			return status;
		if (c->left > 0) {
			c->left--;
			if ((status = widen(c, c->left, e)))
				return status;
		}
		if (deadline > 0 && now() > deadline)
			return err_set(e, ERR_LIMIT, "the oracle's time limit was reached");
	}
	return 0;
}

int knapsack_oracle(const struct knapsack *k, int64_t max_states, double seconds, int64_t *optimum,
		    struct err *e)
{
	struct core c = { .capacity = k->capacity,
			  .max_states = max_states ? max_states : 4 << 20 };
	int64_t base;
	int status = 0;

	c.item = malloc((size_t)k->n * sizeof(*c.item));
	if (!c.item)
		return err_set(e, ERR_MEMORY, "no memory for the oracle's items");
	base = prepare(&c, k);
	c.best = greedy(&c);
	if (c.break_item < c.n)
		status = search(&c, seconds > 0 ? now() + seconds : 0, e);
	*optimum = base + c.best;
	free(c.item);
	free(c.list);
	free(c.next);
	return status;
}
