/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* dp_solve_reachable: rounds of the recursion on the capacities that matter (reachable.h), each
 * with a larger slack, until the best solution found is optimal. If the decisions of that round did
 * not fit in memory, others for its weight alone find the items.
 *
 * A cell holds the profit minus u c, where c is its capacity and u the ratio of the break item
 * rounded to an integer. Where profits follow weights such values are small, and 32 bits are enough
 * for any capacity. */
#include "algorithms/dp-knapsack/reachable.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "algorithms/dp-knapsack/cpu_cells.h"
#include "algorithms/dp-knapsack/pacing.h"
#include "algorithms/dp-knapsack/reachable_device.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "harness/base/team.h"

/* ---- the search ---- */

struct search {
	const struct dp_request *request;
	struct dp_plan plan;
	double deadline;
	int64_t multiplier; /* u */
	int64_t *gain;      /* of the plan's items: profit - u weight */
	const struct dp_cells *cells;
	/* the break item of the plan in the order of falling ratios, the sums of the items before
	 * it, and the capacity that these leave */
	int64_t break_profit, break_weight, break_sum, break_rest;
	uint8_t *taken;        /* the best solution known, of the plan's items */
	int64_t value, weight; /* of it */
	bool items_missing;    /* of the best solution: its value and weight alone are known */
	double most_cells;     /* give up before more cells than this are computed; 0 = none */
	bool given_up;
	double cells_done;
	int64_t memory_peak;
};

static int check_limits(const struct search *s, int64_t done, struct err *e)
{
	return dp_pace_check(s->request, s->deadline, done, s->plan.n, e);
}

/* ---- bounds ---- */

struct ratio {
	int64_t profit, weight, item;
};

static int by_ratio(const void *left, const void *right)
{
	const struct ratio *a = left, *b = right;
	__int128 x = (__int128)a->profit * b->weight, y = (__int128)b->profit * a->weight;

	if (x != y)
		return x > y ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* Finds the break item and a greedy solution. Not all items fit. */
static void bounds(struct search *s, const struct ratio *order)
{
	const struct dp_plan *p = &s->plan;
	int64_t room = p->capacity;
	bool all = true;

	for (int64_t i = 0; i < p->n; i++) {
		if (order[i].weight <= room) {
			s->taken[order[i].item] = 1;
			s->value += order[i].profit;
			room -= order[i].weight;
		} else if (all) {
			all = false;
			s->break_profit = order[i].profit;
			s->break_weight = order[i].weight;
			s->break_sum = s->value;
			s->break_rest = room;
		}
	}
	s->weight = p->capacity - room;
}

static int find_bounds(struct search *s, struct err *e)
{
	const struct dp_plan *p = &s->plan;
	struct ratio *order = malloc((size_t)p->n * sizeof(*order));

	if (!order)
		return err_set(e, ERR_MEMORY, "no memory to order %" PRId64 " items", p->n);
	for (int64_t i = 0; i < p->n; i++)
		order[i] = (struct ratio){ p->profit[i], p->weight[i], i };
	qsort(order, (size_t)p->n, sizeof(*order), by_ratio);
	bounds(s, order);
	free(order);
	return 0;
}

/* The most capacity that a solution better than the best one known may leave unused; negative if
 * there is none. Its value is at most break_sum + (break_rest - slack) * break_profit /
 * break_weight. */
static int64_t slack_needed(const struct search *s)
{
	__int128 more = (__int128)(s->break_sum - s->value - 1) * s->break_weight;
	__int128 slack = more / s->break_profit - (more % s->break_profit < 0);

	slack += s->break_rest;
	return slack > s->plan.capacity ? s->plan.capacity : slack < -1 ? -1 : (int64_t)slack;
}

/* ---- cells ---- */

static int choose_cells(struct search *s, struct err *e)
{
	const struct dp_plan *p = &s->plan;
	__int128 sum = 0;

	s->multiplier = s->break_profit / s->break_weight +
			(s->break_profit % s->break_weight >= (s->break_weight + 1) / 2);
	for (int64_t i = 0; i < p->n; i++) {
		__int128 gain = p->profit[i] - (__int128)s->multiplier * p->weight[i];

		sum += gain < 0 ? -gain : gain;
	}
	s->cells = &dp_cells_32;
	if (sum >= DP_CELLS_32_BOUND) {
		s->cells = &dp_cells_64;
		s->multiplier = 0;
	}
	if (s->cells == &dp_cells_64 && p->sum_profit[p->n] >= DP_CELLS_64_BOUND)
		return err_set(e, ERR_INPUT, "the sum of the profits, %" PRId64 ", is 2^61 or more",
			       p->sum_profit[p->n]);
	s->gain = malloc((size_t)p->n * sizeof(*s->gain));
	if (!s->gain)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " items", p->n);
	for (int64_t i = 0; i < p->n; i++)
		s->gain[i] = p->profit[i] - s->multiplier * p->weight[i];
	return 0;
}

/* ---- one round ---- */

/* An item's work: the segments of the array after it. */
struct step {
	const struct dp_segment *segment;
	int64_t count, cells;
	_Atomic int64_t next; /* the first cell that no thread has taken */
	int64_t bits_at;      /* the byte where its decisions begin; -1: none are kept */
};

/* Decisions of the items from `from` on: a bit for each cell of each array, and the sets that
 * number them. The bits are in host memory, or on the device that makes them. */
struct decisions {
	int64_t from;
	int64_t *begin; /* of each item's bits: bytes */
	uint8_t *bits;  /* NULL: on the device */
	struct dp_capacities *set;
};

struct round {
	struct search *search;
	int64_t items; /* the first ones of the search */
	struct dp_reach *reach;
	bool reached;       /* no set is empty: there may be such a choice */
	double cells;       /* of all arrays */
	int64_t largest;    /* cells of the largest array */
	int64_t last;       /* of the last array */
	int64_t intervals;  /* of the largest set */
	int64_t *bit_bytes; /* of each item: of its decisions, */
	int64_t *set_bytes; /* and of the set that numbers them */
	void *array[2];
	struct dp_reach_device *device; /* NULL: threads compute the arrays */
	struct decisions *decisions;    /* NULL: none are kept */
	struct step step[2];
	struct team_barrier barrier;
	_Atomic int64_t stop_at; /* no thread works on this item or later ones */
	int status;
	struct err error;
};

struct worker {
	struct round *round;
	int id;
};

/* A bit for each cell, in whole words of 32. */
static int64_t decision_bytes(int64_t cells)
{
	return (cells + 31) / 32 * 4;
}

/* Walks through the sets alone, to know the work and the memory. */
static int measure(struct round *r, struct err *e)
{
	int status = 0;

	for (int64_t k = 0; !status && k < r->items; k++) {
		int64_t cells;

		status = check_limits(r->search, k, e);
		if (!status)
			status = dp_reach_advance(r->reach, e);
		if (status)
			return status;
		cells = dp_capacities_size(dp_reach_set(r->reach));
		if (cells == 0)
			return 0;
		r->cells += (double)cells;
		if (r->search->most_cells > 0 &&
		    r->search->cells_done + r->cells > r->search->most_cells) {
			r->search->given_up = true;
			return 0;
		}
		r->last = cells;
		r->bit_bytes[k] = decision_bytes(cells);
		r->set_bytes[k] =
			dp_reach_set(r->reach)->count * (int64_t)sizeof(struct dp_interval);
		r->largest = dp_max(r->largest, cells);
		r->intervals = dp_max(r->intervals, dp_reach_set(r->reach)->count);
	}
	r->reached = !status;
	return status ? status : dp_reach_restart(r->reach, e);
}

static int copy_set(struct dp_capacities *to, const struct dp_capacities *from, struct err *e)
{
	*to = (struct dp_capacities){ malloc((size_t)(from->count + 1) * sizeof(*to->interval)),
				      from->count, from->count };
	if (!to->interval)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " intervals", from->count);
	memcpy(to->interval, from->interval, (size_t)from->count * sizeof(*to->interval));
	return 0;
}

/* Prepares the work of item k. */
static int prepare(struct round *r, int64_t k, struct err *e)
{
	struct step *t = &r->step[k % 2];
	int status = check_limits(r->search, k, e);

	if (!status)
		status = dp_reach_advance(r->reach, e);
	if (!status)
		status = dp_reach_segments(r->reach, &t->segment, &t->count, e);
	if (status)
		return status;
	t->cells = dp_capacities_size(dp_reach_set(r->reach));
	t->bits_at = r->decisions && k >= r->decisions->from ? r->decisions->begin[k] : -1;
	atomic_store(&t->next, 0);
	if (t->bits_at < 0)
		return 0;
	return copy_set(&r->decisions->set[k], dp_reach_set(r->reach), e);
}

/* The segment that holds the cell. */
static const struct dp_segment *segment_of(const struct step *t, int64_t cell)
{
	int64_t low = 0, high = t->count;

	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (t->segment[middle].to <= cell)
			low = middle;
		else
			high = middle;
	}
	return &t->segment[low];
}

static const void *cell_of(const struct round *r, int64_t k, int64_t cell)
{
	return cell < 0 ? NULL :
			  (const char *)r->array[k % 2] + (size_t)cell * r->search->cells->bytes;
}

/* The cells begin .. end - 1 of a segment. */
static void apply(const struct round *r, int64_t k, const struct dp_segment *g, int64_t begin,
		  int64_t end)
{
	const void *keep = cell_of(r, k, g->keep < 0 ? -1 : g->keep + begin);
	const void *take = cell_of(r, k, g->take < 0 ? -1 : g->take + begin);
	char *out =
		(char *)r->array[(k + 1) % 2] + (size_t)(g->to + begin) * r->search->cells->bytes;
	int64_t bits_at = r->step[k % 2].bits_at;

	r->search->cells->merge(keep, take, out, end - begin,
				r->search->gain[dp_reach_item(&r->search->plan, k)],
				bits_at < 0 ? NULL : r->decisions->bits + bits_at, g->to + begin);
}

/* Takes part in the work of item k. Threads take whole bytes of decisions. */
static void help(struct round *r, int64_t k)
{
	enum { CHUNK = 1 << 13 };
	struct step *t = &r->step[k % 2];
	int64_t first;

	while ((first = atomic_fetch_add(&t->next, CHUNK)) < t->cells) {
		int64_t end = dp_min(first + CHUNK, t->cells);
		const struct dp_segment *g = segment_of(t, first);

		for (; first < end; g++) {
			int64_t last = dp_min(end, g->to + g->cells);

			apply(r, k, g, first - g->to, last - g->to);
			first = last;
		}
	}
}

/* While the threads work on one item, the first one prepares the next. */
static void work(void *worker)
{
	struct worker *w = worker;
	struct round *r = w->round;
	int64_t n = r->items;

	for (int64_t k = -1; k < n && k < atomic_load(&r->stop_at); k++) {
		if (w->id == 0 && k + 1 < n) {
			r->status = prepare(r, k + 1, &r->error);
			if (r->status)
				atomic_store(&r->stop_at, k + 1);
		}
		if (k >= 0)
			help(r, k);
		team_barrier_wait(&r->barrier);
	}
}

/* A hint for large memory: its whole pages of 2 MiB. */
static void advise_huge_pages(void *memory, size_t bytes)
{
	enum { HUGE_PAGE = 1 << 21 };
	size_t skip = -(uintptr_t)memory % HUGE_PAGE;

	if (bytes >= 4 * HUGE_PAGE)
		madvise((char *)memory + skip, (bytes - skip) / HUGE_PAGE * HUGE_PAGE,
			MADV_HUGEPAGE);
}

static int allocate_array(struct round *r, int64_t i, int64_t cells, struct err *e)
{
	enum { HUGE_PAGE = 1 << 21 };
	size_t bytes = (size_t)cells * r->search->cells->bytes;
	size_t align = bytes >= 4 * HUGE_PAGE ? HUGE_PAGE : 64;
	size_t size = (bytes + align) / align * align;

	r->array[i] = aligned_alloc(align, size);
	if (!r->array[i])
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " cells (%zu bytes)", cells,
			       size);
	advise_huge_pages(r->array[i], size);
	return 0;
}

static int run_on_device(struct round *r, struct err *e)
{
	const struct search *s = r->search;
	int status = allocate_array(r, r->items % 2, r->last, e);

	for (int64_t k = 0; !status && k < r->items; k++) {
		struct step *t = &r->step[k % 2];

		status = prepare(r, k, e);
		if (!status)
			status = dp_reach_device_item(r->device, t->segment, t->count, t->cells,
						      s->gain[dp_reach_item(&s->plan, k)],
						      t->bits_at, e);
	}
	if (!status)
		status = dp_reach_device_read(r->device, r->array[r->items % 2], r->last, e);
	r->search->memory_peak = dp_max(s->memory_peak, dp_reach_device_memory(r->device));
	return status;
}

static void granted(void *round, int number)
{
	struct round *r = round;

	team_barrier_init(&r->barrier, number);
}

static int run_threads(struct round *r, struct err *e)
{
	enum { CELLS_A_THREAD = 1 << 14 };
	int threads = (int)dp_min(dp_max(r->search->request->threads, 1),
				  1 + r->largest / CELLS_A_THREAD);
	struct worker *w = calloc((size_t)threads, sizeof(*w));

	if (!w)
		return err_set(e, ERR_MEMORY, "no memory for %d threads", threads);
	for (int i = 0; i < threads; i++)
		w[i] = (struct worker){ r, i };
	atomic_init(&r->stop_at, INT64_MAX);
	team_run(work, w, sizeof(*w), threads, granted, r);
	free(w);
	if (r->status && e)
		*e = r->error;
	return r->status;
}

/* Of the two largest arrays. */
static double array_bytes(const struct round *r)
{
	return 2 * (double)r->largest * (double)r->search->cells->bytes;
}

static int allocate_arrays(struct round *r, struct err *e)
{
	double bytes = array_bytes(r);
	int status = host_memory_check(bytes, "two arrays of cells", e);

	for (int i = 0; !status && i < 2; i++)
		status = allocate_array(r, i, r->largest, e);
	if (status)
		return status;
	r->search->memory_peak = dp_max(r->search->memory_peak, (int64_t)bytes);
	memset(r->array[0], 0, r->search->cells->bytes);
	return 0;
}

/* Looks in the last array for a value above *value. Returns whether there is one, and the greatest
 * one with its capacity. */
static bool best_cell(const struct round *r, int64_t *value, int64_t *weight)
{
	const struct search *s = r->search;
	const struct dp_capacities *set = dp_reach_set(r->reach);
	const void *last = r->array[r->items % 2];
	int64_t cell = 0;
	bool any = false;

	for (int64_t i = 0; i < set->count; i++) {
		for (int64_t c = set->interval[i].lo; c <= set->interval[i].hi; c++, cell++) {
			int64_t v = s->cells->get(last, cell);

			if (v < s->cells->lowest / 2)
				continue; /* no choice has this weight */
			v += s->multiplier * c;
			if (v <= *value)
				continue;
			*value = v;
			*weight = c;
			any = true;
		}
	}
	return any;
}

static void round_close(struct round *r)
{
	dp_reach_device_close(r->device);
	free(r->bit_bytes);
	free(r->set_bytes);
	dp_reach_destroy(r->reach);
	free(r->array[0]);
	free(r->array[1]);
}

/* Bytes for decisions on the device, beside all else that the round needs there. */
static int device_room(const struct round *r, int64_t *bytes, struct err *e)
{
	return dp_reach_device_room(r->device, DP_REACH_SEGMENTS * r->intervals, bytes, e);
}

/* Takes the first device, if its memory suffices for the arrays and, where items are wanted, for
 * the decisions of any one item. */
static int choose_device(struct round *r, struct err *e)
{
	const struct dev_set *devices = r->search->request->devices;
	int64_t room, needed = 0;
	int status;

	if (!r->reached || !devices || devices->count == 0 || array_bytes(r) > INT64_MAX / 2)
		return 0;
	status = dp_reach_device_open(&r->device, devices->dev[0], r->search->cells, r->largest, e);
	if (status)
		return status == ERR_MEMORY ? 0 : status;
	for (int64_t k = 0; r->search->request->want_items && k < r->items; k++)
		needed = dp_max(needed, r->bit_bytes[k]);
	status = device_room(r, &room, e);
	if (!status && room < needed) {
		dp_reach_device_close(r->device);
		r->device = NULL;
	}
	return status;
}

/* Computes the sets of a round for choices of weight low .. high among the first `items` items, and
 * its work. round_close() is needed after errors, too. */
static int round_open(struct round *r, struct search *s, int64_t items, int64_t low, int64_t high,
		      struct err *e)
{
	int status;

	*r = (struct round){ .search = s, .items = items, .largest = 1 };
	r->bit_bytes = calloc((size_t)items, sizeof(*r->bit_bytes));
	r->set_bytes = calloc((size_t)items, sizeof(*r->set_bytes));
	if (!r->bit_bytes || !r->set_bytes)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " items", items);
	status = dp_reach_create(&r->reach, &s->plan, s->request, s->deadline, items, low, high, e);
	if (!status)
		status = measure(r, e);
	return status ? status : choose_device(r, e);
}

static int round_run(struct round *r, struct err *e)
{
	int status = r->device ? run_on_device(r, e) : allocate_arrays(r, e);

	if (!status && !r->device)
		status = run_threads(r, e);
	if (!status)
		r->search->cells_done += r->cells;
	return status;
}

/* ---- decisions ---- */

static void decisions_free(struct decisions *d, int64_t n)
{
	for (int64_t i = 0; d->set && i < n; i++)
		dp_capacities_free(&d->set[i]);
	free(d->set);
	free(d->bits);
	free(d->begin);
}

/* Bytes for the sets, which are in host memory, and for the bits; together at most `both`. */
struct budget {
	int64_t sets, bits, both;
};

static int find_budget(const struct round *r, struct budget *b, struct err *e)
{
	int64_t asked = r->search->request->memory_budget, host = host_memory_available() / 2;
	int64_t bits = host;
	int status = r->device ? device_room(r, &bits, e) : 0;

	if (asked)
		*b = (struct budget){ asked, r->device ? dp_min(asked, bits) : asked, asked };
	else
		*b = (struct budget){ host, bits, r->device ? INT64_MAX : host };
	return status;
}

/* The first item whose decisions, and those of all later items, fit. */
static int64_t first_fitting(const struct round *r, const struct budget *b)
{
	int64_t from = r->items, sets = 0, bits = 0;

	while (from > 0) {
		sets += r->set_bytes[from - 1];
		bits += r->bit_bytes[from - 1];
		if (sets > b->sets || bits > b->bits || sets > b->both - bits)
			break;
		from--;
	}
	return from;
}

static int allocate_bits(struct decisions *d, const struct round *r, int64_t bytes, struct err *e)
{
	if (r->device)
		return dp_reach_device_keep(r->device, bytes, e);
	d->bits = calloc((size_t)bytes, 1);
	if (!d->bits)
		return err_set(e, ERR_MEMORY, "no memory for the decisions (%" PRId64 " bytes)",
			       bytes);
	advise_huge_pages(d->bits, (size_t)bytes);
	return 0;
}

/* Makes room for the decisions of the items from `from` on, at least one. */
static int decisions_create(struct decisions *d, const struct round *r, int64_t from, struct err *e)
{
	int64_t n = r->items, bytes = 0;

	d->from = from;
	d->begin = calloc((size_t)n, sizeof(*d->begin));
	d->set = calloc((size_t)n, sizeof(*d->set));
	if (!d->begin || !d->set)
		return err_set(e, ERR_MEMORY, "no memory for the decisions of %" PRId64 " items",
			       n);
	for (int64_t k = from; k < n; k++) {
		d->begin[k] = bytes;
		bytes += r->bit_bytes[k];
	}
	return allocate_bits(d, r, bytes, e);
}

/* Not even the decisions of the last item fit. */
static int refuse(const struct round *r, const struct budget *b, struct err *e)
{
	int64_t sets = r->set_bytes[r->items - 1], bits = r->bit_bytes[r->items - 1];
	int64_t budget = b->both;

	if (bits > b->bits) {
		sets = 0;
		budget = b->bits;
	} else if (sets > b->sets) {
		bits = 0;
		budget = b->sets;
	}
	return err_set(e, ERR_MEMORY,
		       "the chosen items need %" PRId64
		       " bytes at least, but the budget is %" PRId64,
		       sets + bits, budget);
}

/* As many of the last items as the budget allows. */
static int decisions_of_last(struct decisions *d, const struct round *r, struct err *e)
{
	int64_t n = r->items, from;
	struct budget b;
	int status = find_budget(r, &b, e);

	if (status)
		return status;
	from = first_fitting(r, &b);
	return from == n ? refuse(r, &b, e) : decisions_create(d, r, from, e);
}

/* Whether the cell takes item k. */
static int decision(const struct round *r, int64_t k, int64_t cell, bool *taken, struct err *e)
{
	const struct decisions *d = r->decisions;

	if (r->device)
		return dp_reach_device_decision(r->device, d->begin[k], cell, taken, e);
	*taken = d->bits[d->begin[k] + cell / 8] >> cell % 8 & 1;
	return 0;
}

/* Follows the decisions of the round from weight *c down to what the items before them weigh. */
static int trace(struct search *s, const struct round *r, int64_t *c, struct err *e)
{
	for (int64_t k = r->items - 1; k >= r->decisions->from; k--) {
		int64_t cell = dp_capacities_rank(&r->decisions->set[k], *c);
		int64_t item = dp_reach_item(&s->plan, k);
		bool taken;
		int status;

		if (cell < 0)
			return err_set(e, ERR_FAILED,
				       "the decisions lead to weight %" PRId64
				       ", which no choice of %" PRId64 " items has",
				       *c, k + 1);
		status = decision(r, k, cell, &taken, e);
		if (status)
			return status;
		if (!taken)
			continue;
		s->taken[item] = 1;
		*c -= s->plan.weight[item];
	}
	return 0;
}

/* Compares the items taken with the value and the weight of the best solution. */
static int check_taken(const struct search *s, struct err *e)
{
	int64_t value = 0, weight = 0;

	for (int64_t i = 0; i < s->plan.n; i++) {
		value += s->taken[i] ? s->plan.profit[i] : 0;
		weight += s->taken[i] ? s->plan.weight[i] : 0;
	}
	if (value == s->value && weight == s->weight)
		return 0;
	return err_set(e, ERR_FAILED,
		       "the decisions lead to value %" PRId64 " and weight %" PRId64
		       ", but the optimum is %" PRId64 " with weight %" PRId64,
		       value, weight, s->value, s->weight);
}

/* ---- the value ---- */

/* Keeps the decisions of the round if they fit beside its arrays: then no round for the items is
 * needed. */
static int keep_decisions(struct round *r, struct decisions *d, struct err *e)
{
	double arrays = r->device ? 0 : array_bytes(r);
	struct budget b;
	int status;

	if (!r->search->request->want_items)
		return 0;
	status = find_budget(r, &b, e);
	if (status || arrays > (double)b.both)
		return status;
	b.both -= (int64_t)arrays;
	if (first_fitting(r, &b) > 0)
		return 0;
	status = decisions_create(d, r, 0, e);
	if (!status)
		r->decisions = d;
	return status == ERR_MEMORY ? 0 : status;
}

static int search_slack(struct search *s, int64_t slack, struct err *e)
{
	struct decisions d = { .bits = NULL };
	struct round r;
	int status = round_open(&r, s, s->plan.n, s->plan.capacity - slack, s->plan.capacity, e);

	if (!status && r.reached)
		status = keep_decisions(&r, &d, e);
	if (!status && r.reached)
		status = round_run(&r, e);
	if (!status && r.reached && best_cell(&r, &s->value, &s->weight)) {
		s->items_missing = !r.decisions;
		if (r.decisions) {
			int64_t c = s->weight;

			memset(s->taken, 0, (size_t)s->plan.n);
			status = trace(s, &r, &c, e);
			if (!status)
				status = check_taken(s, e);
		}
	}
	decisions_free(&d, s->plan.n);
	round_close(&r);
	return status;
}

/* The slack of the first round. */
static int64_t first_slack(const struct search *s)
{
	enum { FIRST = 1024 };

	return dp_min(slack_needed(s), FIRST);
}

/* The slack of the next round, if that of the last one was too small. */
static int64_t next_slack(const struct search *s, int64_t slack, bool better)
{
	enum { GROWTH = 4 };
	int64_t needed = slack_needed(s);

	return better || slack > needed / GROWTH ? needed : GROWTH * slack + 1;
}

/* Searches with growing slack. A round that finds a better solution tells how much is needed. */
static int search_value(struct search *s, struct err *e)
{
	int64_t slack = first_slack(s), before;
	int status = 0;

	while (!status && !s->given_up && slack >= 0) {
		before = s->value;
		status = search_slack(s, slack, e);
		if (slack_needed(s) <= slack)
			break;
		slack = next_slack(s, slack, s->value > before);
	}
	return status;
}

/* ---- the items ---- */

/* Finds which of the last items a choice of weight *c among the first *items items takes. Lowers
 * both to what is left. */
static int trace_last(struct search *s, int64_t *items, int64_t *c, struct err *e)
{
	struct decisions d = { .bits = NULL };
	struct round r;
	int status = round_open(&r, s, *items, *c, *c, e);

	if (!status && !r.reached)
		status = err_set(e, ERR_FAILED,
				 "no choice of %" PRId64 " items has weight %" PRId64, *items, *c);
	if (!status)
		status = decisions_of_last(&d, &r, e);
	r.decisions = &d;
	if (!status)
		status = round_run(&r, e);
	if (!status)
		status = trace(s, &r, c, e);
	*items = d.from;
	decisions_free(&d, r.items);
	round_close(&r);
	return status;
}

/* The recursion again, for the weight of the best solution alone; once more for the items before
 * those whose decisions fit in memory. */
static int search_items(struct search *s, struct err *e)
{
	int64_t items = s->plan.n, c = s->weight;
	int status = 0;

	memset(s->taken, 0, (size_t)s->plan.n);
	while (!status && items > 0 && c > 0)
		status = trace_last(s, &items, &c, e);
	return status ? status : check_taken(s, e);
}

/* ---- the solver ---- */

static int search_all(struct search *s, struct dp_answer *a, struct err *e)
{
	double begin = clock_wall();
	int status = find_bounds(s, e);

	if (!status)
		status = choose_cells(s, e);
	if (!status)
		status = search_value(s, e);
	a->seconds_search = clock_wall() - begin;
	if (s->given_up)
		return status;
	s->most_cells = 0;
	if (!status && s->items_missing && s->request->want_items)
		status = search_items(s, e);
	a->seconds_items = clock_wall() - begin - a->seconds_search;
	return status;
}

static int take(const struct search *s, struct dp_answer *a, struct err *e)
{
	a->taken = calloc((size_t)s->request->instance->n, 1);
	if (!a->taken)
		return err_set(e, ERR_MEMORY, "no memory for the chosen items");
	for (int64_t k = 0; k < s->plan.n; k++)
		a->taken[s->plan.item[k]] = s->taken[k];
	dp_plan_mark_always(&s->plan, a->taken);
	return 0;
}

/* search_close() is needed after errors, too. */
static int search_open(struct search *s, const struct dp_request *r, double begin, struct err *e)
{
	int status;

	*s = (struct search){ .request = r,
			      .deadline = r->time_limit > 0 ? begin + r->time_limit : 0 };
	status = dp_plan_create(&s->plan, r->instance, e);
	if (status)
		return status;
	s->taken = calloc((size_t)s->plan.n + 1, 1);
	return s->taken ? 0 : err_set(e, ERR_MEMORY, "no memory for the chosen items");
}

static void search_close(struct search *s)
{
	free(s->taken);
	free(s->gain);
	dp_plan_destroy(&s->plan);
}

static bool all_fit(const struct dp_plan *p)
{
	return p->sum_weight[p->n] <= p->capacity;
}

static int solve(struct search *s, struct dp_answer *a, struct err *e)
{
	const struct dp_plan *p = &s->plan;
	int status = 0;

	if (all_fit(p)) {
		memset(s->taken, 1, (size_t)p->n);
		s->value = p->sum_profit[p->n];
	} else {
		status = search_all(s, a, e);
	}
	a->value = p->base_value + s->value;
	if (!status && s->request->want_items)
		status = take(s, a, e);
	return status;
}

static int solve_within(const struct dp_request *r, double most_cells, struct dp_answer *a,
			bool *given_up, struct err *e)
{
	double begin = clock_wall();
	struct search s;
	int status = search_open(&s, r, begin, e);

	*a = (struct dp_answer){ .form = DP_REACHABLE, .cells = dp_toth_cells(r->instance) };
	s.most_cells = most_cells;
	if (!status)
		status = solve(&s, a, e);
	*given_up = s.given_up;
	a->cells_done = s.cells_done;
	if (s.cells)
		a->bytes_floor = 2 * s.cells_done * (double)s.cells->bytes;
	a->memory_peak = s.memory_peak;
	search_close(&s);
	if (status || *given_up)
		dp_answer_free(a);
	a->seconds_total = clock_wall() - begin;
	return status;
}

static int measure_slack(struct search *s, int64_t slack, struct dp_reach_work *work, bool *reached,
			 struct err *e)
{
	int64_t capacity = s->plan.capacity;
	struct round r;
	int status = round_open(&r, s, s->plan.n, capacity - slack, capacity, e);

	*reached = !status && r.reached;
	if (*reached) {
		work->cells = r.cells;
		work->moved_bytes = 2 * r.cells * (double)s->cells->bytes;
		work->array_bytes = array_bytes(&r);
		for (int64_t k = 0; k < r.items; k++)
			work->bit_bytes += (double)r.bit_bytes[k];
	}
	round_close(&r);
	return status;
}

/* The first round with a choice within its slack. */
static int measure_first(struct search *s, struct dp_reach_work *work, struct err *e)
{
	int64_t slack, needed;
	bool reached = false;
	int status = find_bounds(s, e);

	if (!status)
		status = choose_cells(s, e);
	if (status)
		return status;
	needed = slack_needed(s);
	slack = first_slack(s);
	while (!status && slack >= 0) {
		status = measure_slack(s, slack, work, &reached, e);
		if (reached || needed <= slack)
			break;
		slack = next_slack(s, slack, false);
	}
	return status;
}

int dp_reach_estimate(const struct dp_request *request, struct dp_reach_work *work, struct err *e)
{
	double begin = clock_wall();
	struct dp_request alone = *request;
	struct search s;
	int status;

	alone.devices = NULL;
	*work = (struct dp_reach_work){ .cells = 0 };
	status = search_open(&s, &alone, begin, e);
	if (!status && !all_fit(&s.plan))
		status = measure_first(&s, work, e);
	search_close(&s);
	work->seconds = clock_wall() - begin;
	return status;
}

int dp_solve_reachable(const struct dp_request *r, struct dp_answer *a, struct err *e)
{
	bool given_up;

	return solve_within(r, 0, a, &given_up, e);
}

int dp_try_reachable(const struct dp_request *r, struct dp_answer *a, bool *solved, struct err *e)
{
	/* tables below this take less time than the sets */
	static const double LEAST_CELLS = 1e8;
	/* the dense recursion updates cells in cache and needs no sets */
	enum { SHARE = 8, HEAVY = 32 };
	const struct knapsack *k = r->instance;
	double cells = dp_toth_cells(k);
	int64_t heaviest = 0;
	bool given_up = true;
	int status = 0;

	for (int64_t i = 0; i < k->n; i++)
		if (k->weight[i] <= k->capacity)
			heaviest = dp_max(heaviest, k->weight[i]);
	/* light items reach every capacity */
	if (cells >= LEAST_CELLS && heaviest >= k->capacity / HEAVY)
		status = solve_within(r, cells / SHARE, a, &given_up, e);
	*solved = !status && !given_up;
	/* a table may still fit */
	return status == ERR_MEMORY || status == ERR_INPUT ? 0 : status;
}
