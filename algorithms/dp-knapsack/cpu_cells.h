/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The inner loops of the multi-core solver, once for 32-bit and once for 64-bit cells.
 *
 * Cells are indexed by their distance from C: g[d] = f(C - d). So an item of weight w reads
 * upwards, g[d] = max(g[d], g[d + w] + p), all loops ascend, and updating in place is safe: a cell
 * is read before it is overwritten. Cells beyond d = C stand for negative capacities and hold
 * minus infinity.
 *
 *   row     One item, one pass.
 *   chain   Up to DP_CHAIN items of one weight in one pass. A vector of neighbouring residues
 *           moves along d, d + w, d + 2w, ... with the newest cell of each stage in a register.
 *           Between two calls the cells of the stages are kept in place in memory: with k items,
 *           the cells lo + t w .. lo + (t + 1) w - 1 hold stage k - 1 - t, for t = 0..k-1.
 *   window  `count` identical items: the maximum over j <= count of g[d + j w] + j p, by van
 *           Herk's two running maxima over blocks of count + 1 cells. The cost does not depend on
 *           the count. */
#ifndef COPRA_DP_KNAPSACK_CPU_CELLS_H
#define COPRA_DP_KNAPSACK_CPU_CELLS_H

#include <stddef.h>
#include <stdint.h>

enum {
	DP_CHAIN = 8,    /* stages kept in registers */
	DP_WINDOW = 255, /* most identical items in one pass; bounds the scratch memory */
	DP_CELL_SLACK =
		64, /* cells that a vector may access beyond its last one, without changing them */
	DP_SCRATCH_BYTES = (DP_WINDOW + 1) * 64,
};

struct dp_cells {
	size_t bytes;
	int64_t lowest; /* minus infinity: below every value, and adding profits does not overflow
			 */
	void (*fill)(void *g, int64_t lo, int64_t hi, int64_t value);
	int64_t (*get)(const void *g, int64_t d);
	/* Updates the cells lo .. hi - 1. */
	void (*row)(void *g, int64_t lo, int64_t hi, int64_t w, int64_t p);
	/* The same; also sets bit d - 8 * (base / 8) of `bits` if the item is taken at d. The bits
	 * of lo .. hi - 1 must be zero. */
	void (*row_bits)(void *g, int64_t lo, int64_t hi, int64_t w, int64_t p, uint8_t *bits,
			 int64_t base);
	/* out[i] = max(keep[i], take[i] + p) for i = 0..count - 1. `keep` or `take` may be
	 * NULL, which stands for minus infinity everywhere. If `bits` is not NULL, sets its bit
	 * first + i where the second is greater; the bits must be zero. */
	void (*merge)(const void *keep, const void *take, void *out, int64_t count, int64_t p,
		      uint8_t *bits, int64_t first);
	/* Brings the cells above lo into the state that chain() expects, stages 1..k-1. */
	void (*chain_start)(void *g, int64_t lo, int64_t w, const int64_t *p, int k);
	/* Does `steps` steps of every residue: cells lo .. lo + steps * w - 1. k is 2, 4 or
	 * DP_CHAIN. */
	void (*chain)(void *g, int64_t lo, int64_t steps, int64_t w, const int64_t *p, int k);
	/* Updates the cells lo .. lo + steps * w - 1. `scratch` has DP_SCRATCH_BYTES, aligned
	 * to 64. */
	void (*window)(void *g, int64_t lo, int64_t steps, int64_t w, int64_t p, int64_t count,
		       void *scratch);
};

/* A value plus the largest profit must stay below these. */
#define DP_CELLS_32_BOUND (INT64_C(1) << 29)
#define DP_CELLS_64_BOUND (INT64_C(1) << 61)
extern const struct dp_cells dp_cells_32, dp_cells_64;

#endif
