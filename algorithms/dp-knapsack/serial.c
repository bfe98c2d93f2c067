/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 1 of the paper as published: one core, item by item, in place, with Toth's lower end.
 * With want_items it keeps one decision bit per cell and item, the usual way to recover a solution;
 * that needs n * C / 8 bytes. With sample_cells only some of the items are timed. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "algorithms/dp-knapsack/cpu_engine.h"
#include "algorithms/dp-knapsack/plan.h"

/* The inner loop of Algorithm 1 for one item: c from `high` down to `low`. If `taken` is not NULL,
 * its bit c is set if the item is taken at c. Scalar, as published: vectorisation is disabled. */
#ifdef __clang__
#define SERIAL_FUNCTION __attribute__((noinline))
#define SERIAL_LOOP _Pragma("clang loop vectorize(disable)")
#else
#define SERIAL_FUNCTION __attribute__((noinline, optimize("no-tree-vectorize")))
#define SERIAL_LOOP
#endif

#define SERIAL_PASS(name, cell)                                                                    \
	SERIAL_FUNCTION static void name(cell *f, int64_t low, int64_t high, int64_t w, int64_t p, \
					 uint64_t *taken)                                          \
	{                                                                                          \
		if (!taken) {                                                                      \
			SERIAL_LOOP                                                                \
			for (int64_t c = high; c >= low; c--) {                                    \
				if (f[c] < f[c - w] + (cell)p)                                     \
					f[c] = f[c - w] + (cell)p;                                 \
			}                                                                          \
			return;                                                                    \
		}                                                                                  \
		SERIAL_LOOP                                                                        \
		for (int64_t c = high; c >= low; c--) {                                            \
			if (f[c] < f[c - w] + (cell)p) {                                           \
				f[c] = f[c - w] + (cell)p;                                         \
				taken[c / 64] |= (uint64_t)1 << (c % 64);                          \
			}                                                                          \
		}                                                                                  \
	}
SERIAL_PASS(pass_32, int32_t)
SERIAL_PASS(pass_64, int64_t)
#undef SERIAL_PASS
#undef SERIAL_LOOP
#undef SERIAL_FUNCTION

struct serial {
	const struct dp_request *request;
	const struct knapsack *k;
	void *cells;
	uint64_t *bits; /* want_items: bit c of row k is set if item k is taken at c */
	size_t words;   /* words per row */
	bool narrow;
	double deadline;
};

/* ---- times ---- */

struct start {
	double wall, thread;
};

static struct start start_now(void)
{
	return (struct start){ clock_wall(), clock_thread_cpu() };
}

/* Adds the times since `start`, which were taken for this share of what they stand for. */
static void add_time(struct dp_answer *a, struct start start, double share)
{
	a->seconds_search += (clock_wall() - start.wall) / share;
	a->seconds_thread += (clock_thread_cpu() - start.thread) / share;
}

static int allocate(struct serial *s, struct dp_answer *a, struct err *e)
{
	const struct dp_request *r = s->request;
	size_t width = s->narrow ? sizeof(int32_t) : sizeof(int64_t), bytes = 0;
	int64_t budget = r->memory_budget ? r->memory_budget : host_memory_available() / 2;

	if (host_memory_check(((double)s->k->capacity + 1) * (double)width, "the table", e))
		return ERR_MEMORY;
	bytes = ((size_t)s->k->capacity + 1) * width;
	a->memory_peak = (int64_t)bytes;
	s->cells = calloc(bytes, 1);
	if (!s->cells)
		return err_set(e, ERR_MEMORY, "no memory for a table of %zu bytes", bytes);
	if (!r->want_items)
		return 0;
	s->words = (size_t)s->k->capacity / 64 + 1;
	if (__builtin_mul_overflow(s->words * 8, (size_t)s->k->n, &bytes) ||
	    bytes > (size_t)INT64_MAX || (int64_t)bytes > budget)
		return err_set(e, ERR_MEMORY,
			       "the serial variant needs %.3g bytes to return the items, %" PRId64
			       " are allowed: use cpu or --value-only",
			       8.0 * (double)s->words * (double)s->k->n, budget);
	s->bits = calloc(bytes, 1);
	if (!s->bits)
		return err_set(e, ERR_MEMORY, "no memory for the decisions (%zu bytes)", bytes);
	a->memory_peak += (int64_t)bytes;
	return 0;
}

static int stopped(const struct serial *s, struct err *e)
{
	const struct dp_request *r = s->request;

	if (!(r->stop && *r->stop) && !(s->deadline > 0 && clock_wall() > s->deadline))
		return 0;
	return err_set(e, ERR_LIMIT, "stopped before all items were processed");
}

/* Updates the cells of an item from C down to `low`. Checks the limits between the parts of a long
 * pass. */
static int pass(const struct serial *s, int64_t low, int64_t w, int64_t p, uint64_t *row,
		struct err *e)
{
	const int64_t part = (int64_t)1 << 26; /* about 50 ms */
	int status = 0;

	for (int64_t high = s->k->capacity; !status && high >= low; high -= part) {
		int64_t from = high - low < part ? low : high - part + 1;

		if (s->narrow)
			pass_32(s->cells, from, high, w, p, row);
		else
			pass_64(s->cells, from, high, w, p, row);
		status = stopped(s, e);
	}
	return status;
}

static int recursion(struct serial *s, struct dp_answer *a, struct err *e)
{
	const struct knapsack *k = s->k;
	int64_t after = k->sum_weight;

	for (int64_t i = 0; i < k->n; i++) {
		uint64_t *row = s->bits ? s->bits + (size_t)i * s->words : NULL;
		int64_t low, w = k->weight[i], p = k->profit[i];

		after -= w;
		low = k->capacity > after ? k->capacity - after : 0;
		low = low > w ? low : w;
		if (low > k->capacity)
			continue;
		if (pass(s, low, w, p, row, e))
			return ERR_LIMIT;
		a->cells_done += (double)(k->capacity - low + 1);
	}
	return 0;
}

static int follow(const struct serial *s, struct dp_answer *a, struct err *e)
{
	int64_t c = s->k->capacity;

	a->taken = calloc((size_t)s->k->n, 1);
	if (!a->taken)
		return err_set(e, ERR_MEMORY, "no memory for the chosen items");
	for (int64_t i = s->k->n - 1; i >= 0; i--) {
		const uint64_t *row = s->bits + (size_t)i * s->words;

		if (row[c / 64] >> (c % 64) & 1) {
			a->taken[i] = 1;
			c -= s->k->weight[i];
		}
	}
	return 0;
}

/* ---- a sample that stands for all items ----
 *
 * The recursion is divided into PARTS parts of equal numbers of cell updates. In the middle of
 * each, a block of consecutive items is timed, and its time is extended to the part in proportion
 * to the cell updates. Before a block, the table gets the true values, which the engine of the
 * multi-core solver computes, and up to WARM_UP items more are applied that are not timed. The
 * caches need that many passes: the first one takes up to twice as long as in a run of all items,
 * the tenth as long. After a block, the table must equal that of the engine. */

enum { PARTS = 32, WARM_UP = 24 };

struct block {
	int64_t begin, end; /* items timed */
};

struct sample {
	struct serial *s;
	int64_t *cells; /* n + 1: the cell updates of the items before each one */
	struct block block[PARTS];
	struct dp_plan items; /* the profits, in the instance's order, for the engine */
	struct dp_engine engine;
	struct dp_field
		field; /* f after the first `done` items; cell d is that of capacity C - d */
	struct dp_pass *pass;
	int64_t done;
};

/* The first item with at least this many cell updates before it. */
static int64_t item_after(const struct sample *x, double cells)
{
	int64_t low = 0, high = x->s->k->n;

	while (low < high) {
		int64_t middle = (low + high) / 2;

		if ((double)x->cells[middle] < cells)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sets `cells` and the blocks. Returns false if the blocks would not be apart. */
static bool plan_blocks(struct sample *x)
{
	const struct knapsack *k = x->s->k;
	int64_t after = k->sum_weight, last = 0;
	double part, timed = x->s->request->sample_cells / PARTS;

	for (int64_t i = 0; i < k->n; i++) {
		int64_t low;

		after -= k->weight[i];
		low = dp_max(dp_max(k->capacity - after, 0), k->weight[i]);
		x->cells[i + 1] = x->cells[i] + dp_max(0, k->capacity - low + 1);
	}
	part = (double)x->cells[k->n] / PARTS;
	for (int b = 0; b < PARTS; b++) {
		double first = part * (b + 0.5) - timed / 2;
		struct block one = { item_after(x, first), item_after(x, first + timed) };

		one.end = dp_max(one.end, one.begin + 1);
		if (one.begin <= last || one.end > k->n || x->cells[one.end] == x->cells[one.begin])
			return false;
		last = one.end;
		x->block[b] = one;
	}
	return true;
}

static int64_t item_low(const struct sample *x, int64_t i)
{
	return x->s->k->capacity + 1 - (x->cells[i + 1] - x->cells[i]);
}

/* Applies the items before `to` with the engine. */
static int engine_advance(struct sample *x, int64_t to, struct err *e)
{
	const struct knapsack *k = x->s->k;
	int64_t count = 0;

	for (; x->done < to; x->done++)
		x->pass[count++] = (struct dp_pass){ .kind = DP_PASS_ROW,
						     .weight = k->weight[x->done],
						     .first = x->done,
						     .count = 1,
						     .reach = k->weight[x->done],
						     .high = k->capacity - item_low(x, x->done) };
	return count ? dp_engine_run(&x->engine, &x->field, x->pass, count, false, e) : 0;
}

static int apply_items(const struct sample *x, int64_t begin, int64_t end, struct err *e)
{
	const struct knapsack *k = x->s->k;
	int status = 0;

	for (int64_t i = begin; !status && i < end; i++)
		status = pass(x->s, item_low(x, i), k->weight[i], k->profit[i], NULL, e);
	return status;
}

/* Times one block and adds the time of its part to the answer. */
static int time_block(struct sample *x, const struct block *b, struct dp_answer *a, struct err *e)
{
	const int32_t *g = x->field.g;
	int32_t *f = x->s->cells;
	int64_t capacity = x->s->k->capacity, timed = x->cells[b->end] - x->cells[b->begin];
	int64_t warm = dp_max(x->done, b->begin - WARM_UP);
	double share = (double)timed / ((double)x->cells[x->s->k->n] / PARTS);
	struct start start;
	int status = engine_advance(x, warm, e);

	for (int64_t c = 0; !status && c <= capacity; c++)
		f[c] = g[capacity - c];
	if (!status)
		status = apply_items(x, warm, b->begin, e);
	start = start_now();
	if (!status)
		status = apply_items(x, b->begin, b->end, e);
	add_time(a, start, share);
	a->cells_timed += (double)timed;
	if (!status)
		status = engine_advance(x, b->end, e);
	for (int64_t c = item_low(x, b->end - 1); !status && c <= capacity; c++)
		if (f[c] != g[capacity - c])
			return err_set(e, ERR_FAILED,
				       "after %" PRId64 " items, f(%" PRId64 ") is %" PRId32
				       " and not %" PRId32,
				       b->end, c, f[c], g[capacity - c]);
	return status;
}

static int sample_open(struct sample *x, struct err *e)
{
	const struct dp_request *r = x->s->request;
	int64_t capacity = x->s->k->capacity;

	x->items.profit = x->s->k->profit;
	x->engine = (struct dp_engine){ .plan = &x->items,
					.threads = r->threads > 0 ? r->threads : 1,
					.cache_first = host_cache_bytes(1, 32 << 10),
					.cache_second = host_cache_bytes(2, 1 << 20),
					.stop = r->stop,
					.deadline = x->s->deadline };
	x->pass = malloc((size_t)x->s->k->n * sizeof(*x->pass));
	if (!x->pass)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " passes", x->s->k->n);
	int status = dp_field_create(&x->field, &dp_cells_32, capacity, 2 * DP_CELL_SLACK, e);

	if (!status)
		dp_cells_32.fill(x->field.g, 0, capacity + 1, 0);
	return status;
}

static int sampled_recursion(struct sample *x, struct dp_answer *a, struct err *e)
{
	int status = sample_open(x, e);

	for (int b = 0; !status && b < PARTS; b++)
		status = time_block(x, &x->block[b], a, e);
	if (!status)
		status = engine_advance(x, x->s->k->n, e);
	if (!status) {
		a->value = dp_cells_32.get(x->field.g, 0);
		a->cells_done = a->cells;
		a->memory_peak +=
			dp_field_bytes(&dp_cells_32, x->s->k->capacity, 2 * DP_CELL_SLACK);
	}
	dp_field_destroy(&x->field);
	free(x->pass);
	return status;
}

/* Runs a sample. *sampled becomes false, and nothing is done, if the instance is too small for one,
 * or its values too large for the engine's 32-bit cells. */
static int run_sample(struct serial *s, struct dp_answer *a, bool *sampled, struct err *e)
{
	struct sample x = { .s = s };
	int64_t bound;
	int status = dp_value_bound(s->k, DP_CELLS_32_BOUND / 2, &bound, e);

	if (status)
		return status;
	x.cells = calloc((size_t)s->k->n + 1, sizeof(*x.cells));
	if (!x.cells)
		return err_set(e, ERR_MEMORY, "no memory for a plan of %" PRId64 " items", s->k->n);
	*sampled = bound < DP_CELLS_32_BOUND / 2 && plan_blocks(&x);
	status = *sampled ? sampled_recursion(&x, a, e) : 0;
	free(x.cells);
	return status;
}

static int solve(struct serial *s, struct dp_answer *a, struct err *e)
{
	struct start start;
	int64_t c = s->k->capacity;
	bool sampled = false;
	int status = allocate(s, a, e);

	if (!status && s->request->sample_cells > 0)
		status = run_sample(s, a, &sampled, e);
	if (status || sampled)
		return status;
	start = start_now();
	status = recursion(s, a, e);
	add_time(a, start, 1);
	a->cells_timed = a->cells_done;
	if (status)
		return status;
	a->value = s->narrow ? ((int32_t *)s->cells)[c] : ((int64_t *)s->cells)[c];
	if (s->bits) {
		double begin = clock_wall();

		status = follow(s, a, e);
		a->seconds_items = clock_wall() - begin;
	}
	return status;
}

/* Each item reads and writes its cells. From one item to the next, the last-level cache can keep at
 * most its own size, which need be neither read from memory nor written to it. The table is read
 * and written at least once. */
static double bytes_floor(const struct serial *s, double cells)
{
	double size = s->narrow ? 4 : 8, cache = (double)host_cache_bytes(3, 0);
	double table = 2 * size * ((double)s->k->capacity + 1);
	double passes = 2 * (size * cells - cache * (double)s->k->n);

	return cache > 0 ? fmax(table, passes) : table;
}

int dp_solve_serial(const struct dp_request *r, struct dp_answer *a, struct err *e)
{
	struct serial s = { .request = r, .k = r->instance };
	double start = clock_wall();
	int64_t bound;
	int status;

	*a = (struct dp_answer){ .form = DP_FUSED, .cells = dp_toth_cells(r->instance) };
	s.deadline = r->time_limit > 0 ? start + r->time_limit : 0;
	status = dp_value_bound(r->instance, INT32_MAX, &bound, e);
	s.narrow = bound <= INT32_MAX;
	if (!status && r->sample_cells > 0 && r->want_items)
		status = err_set(e, ERR_UNSUPPORTED, "a sample of the items returns no items");
	if (!status)
		status = solve(&s, a, e);
	a->bytes_floor = bytes_floor(&s, a->cells_done);
	free(s.cells);
	free(s.bits);
	a->seconds_total = clock_wall() - start;
	return status;
}
