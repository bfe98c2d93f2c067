/* Algorithm 1 of the paper as published: one core, item by item, in place, with Toth's lower end.
 * With want_items it keeps one decision bit per cell and item, the usual way to recover a solution;
 * that needs n * C / 8 bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/host.h"
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
	int64_t n = s->request->part_items ? s->request->part_items : k->n;

	for (int64_t i = 0; i < n && i < k->n; i++) {
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

static int solve(struct serial *s, struct dp_answer *a, struct err *e)
{
	double start;
	int64_t c = s->k->capacity;
	int status = allocate(s, a, e);

	if (status)
		return status;
	start = clock_wall();
	status = recursion(s, a, e);
	a->seconds_search = clock_wall() - start;
	if (status)
		return status;
	a->value = s->narrow ? ((int32_t *)s->cells)[c] : ((int64_t *)s->cells)[c];
	if (s->bits && !s->request->part_items) {
		start = clock_wall();
		status = follow(s, a, e);
		a->seconds_items = clock_wall() - start;
	}
	return status;
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
	if (!status)
		status = solve(&s, a, e);
	/* item by item, each cell is read and written for each item */
	a->bytes_floor = 2.0 * a->cells_done * (s.narrow ? 4 : 8);
	free(s.cells);
	free(s.bits);
	a->seconds_total = clock_wall() - start;
	return status;
}
