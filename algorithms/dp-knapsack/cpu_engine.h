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
int64_t dp_field_bytes(const struct dp_cells *cells, int64_t last, int64_t guard);
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
	void (*progress)(void *ctx, double fraction);
	void *progress_ctx;
};
/* Takes threads, limits and progress from the request, and the sizes of the caches from the
 * machine. */
void dp_engine_init(struct dp_engine *n, const struct dp_plan *p, const struct dp_request *r);

/* Makes the steps that the form applies. `steps` has room for p->n. Classes that would need too
 * large a guard become single items. Returns the number of steps. */
int64_t dp_cpu_steps(const struct dp_plan *p, enum dp_form form, struct dp_step *steps);

/* The largest number of passes that `count` steps need. */
int64_t dp_pass_room(const struct dp_step *steps, int64_t count);
/* Makes the passes for `count` steps out of a range that ends with item items_end - 1. `passes` has
 * room for dp_pass_room() of them. Returns their number. The passes are for a field of the cells
 * d = 0..last, where d = 0 is the capacity of the path after item items_end - 1. With
 * `from_nothing` it is the field of the whole instance: it starts undefined, both trims apply, and
 * cells become defined as the passes reach them. Otherwise all of 0..last is defined. */
int64_t dp_passes(const struct dp_plan *p, const struct dp_step *steps, int64_t count,
		  int64_t items_end, int64_t last, bool from_nothing, struct dp_pass *passes);
/* The number of guard cells that a field needs for the steps. */
int64_t dp_steps_guard(const struct dp_step *steps, int64_t count);

/* The number of cell updates that the passes perform. A window counts once per cell, whatever its
 * number of items. */
double dp_passes_cells(const struct dp_pass *passes, int64_t count);

/* Runs the passes on the field; `from_nothing` as for dp_passes. ERR_LIMIT when stopped,
 * ERR_MEMORY. */
int dp_engine_run(const struct dp_engine *n, struct dp_field *f, const struct dp_pass *passes,
		  int64_t count, bool from_nothing, struct err *e);

#endif
