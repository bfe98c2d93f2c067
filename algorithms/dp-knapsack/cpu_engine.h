/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The multi-core engine: applies a list of passes to one array of cells, in place.
 *
 * A pass updates the cells low .. high and reads up to `reach` cells above those it updates; the
 * next pass may follow it at that distance. So the array is cut into slanted tiles: a whole group
 * of passes runs on a tile, each starting `reach` lower than the one before, and every cell stays
 * in cache for the group. There are two levels: small tiles for groups of single items (first-level
 * cache), and large tiles for a job of several groups (second-level cache).
 *
 * Threads take whole jobs, in order. Each job follows the one before it along the array: it waits
 * until that job has finished the cells that its next tile reads. Nothing is computed twice and
 * nothing is copied. The only shared words are one counter per job. */
#ifndef COPRA_DP_KNAPSACK_CPU_ENGINE_H
#define COPRA_DP_KNAPSACK_CPU_ENGINE_H

#include <signal.h>

#include "algorithms/dp-knapsack/cpu_cells.h"
#include "algorithms/dp-knapsack/plan.h"

enum dp_pass_kind {
	DP_PASS_ROW,    /* one item */
	DP_PASS_CHAIN,  /* `count` (2, 4 or DP_CHAIN) items of one weight */
	DP_PASS_WINDOW, /* `count` identical items */
	DP_PASS_SAVE,   /* copies the cells low .. high to `save` */
};

struct dp_pass {
	enum dp_pass_kind kind;
	int64_t weight, first, count; /* items first .. first + count - 1 of the plan */
	int64_t reach;                /* weight * count; 0 for SAVE */
	int64_t low, high;            /* cells updated; none if low > high */
	void *save;
	uint8_t *bits; /* ROW: decision bits of low .. high, see row_bits; or NULL */
};

/* An array of cells: g[d] for d = 0..last, then `guard` cells that hold minus infinity. */
struct dp_field {
	const struct dp_cells *cells;
	void *g;
	int64_t last, guard;
};

/* The size of a field in bytes. */
static inline int64_t dp_field_bytes(const struct dp_cells *cells, int64_t last, int64_t guard)
{
	return (last + 1 + guard) * (int64_t)cells->bytes;
}
/* Allocates a field. Fills the guard; the values of the cells are undefined. ERR_MEMORY. */
int dp_field_create(struct dp_field *f, const struct dp_cells *cells, int64_t last, int64_t guard,
		    struct err *e);
void dp_field_destroy(struct dp_field *f);
static inline void *dp_field_at(const struct dp_field *f, int64_t d)
{
	return (char *)f->g + (size_t)d * f->cells->bytes;
}

struct dp_engine {
	const struct dp_plan *plan;
	int threads;
	int64_t cache_first, cache_second; /* bytes */
	const volatile sig_atomic_t *stop; /* non-zero ends the run with ERR_LIMIT; may be NULL */
	double deadline; /* clock_wall() at which the run ends with ERR_LIMIT; 0 = none */
};
/* Runs the passes on the field. With `from_nothing` the cells start undefined: before a pass, those
 * between its low end and that of the previous pass are set to their constant value. ERR_LIMIT when
 * stopped, ERR_MEMORY. */
int dp_engine_run(const struct dp_engine *n, struct dp_field *f, const struct dp_pass *passes,
		  int64_t count, bool from_nothing, struct err *e);

#endif
