/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on a device. Rows are filled from the middle of the board outwards, alternating between
 * its two sides.
 *
 * After j rows the queens are in a block of j neighbouring rows. So the nodes of depth j are the
 * placements of j queens in j rows of N columns, as many as the nodes of depth j in the usual order
 * that starts with row 0. If j and N have the same parity, the block lies in the middle of the
 * board, and its placements form orbits under the reflections in both axes: one node of each orbit
 * represents up to four
 * (`weight`). At the depths in between, the block turned upside down is the one that the next row
 * on the OTHER side makes. Counting the free columns of both rows and taking half is exact:
 *
 *   depth with the parity of N ("even" nodes below: both sides alike)
 *       placements one deeper = sum of weight / 2 * (popc(open) + popc(later))
 *   the other depths
 *       placements one deeper = sum of weight * popc(open)
 *
 * Therefore counts are kept in halves. Nothing below a node of depth N-1 is visited: its open
 * columns are solutions.
 *
 * If only solutions are counted and N is odd, the diagonals of the board are used as well. Let the
 * queen of the middle row be d columns from the middle, and the queen of the middle column e rows.
 * A reflection in a diagonal swaps d and e; d = e only if both are 0 (otherwise the two attack each
 * other). So it is enough to count placements with d < e, twice: the middle column counts as taken
 * until all rows up to d from the middle are filled, at depth 2d + 1 (`release`).
 *
 * Masks have bit c for column c. The masks of a node are seen from the next two rows: first the row
 * of `open`, then the one on the other side of the block. Diagonals that lead to the next higher
 * column, one row away from the block, are in `up`; those that lead to the next lower column in
 * `down`. */
#ifndef COPRA_KERNELS_HELBECQUE_POOL_QUEENS_H
#define COPRA_KERNELS_HELBECQUE_POOL_QUEENS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/hd.h"

#if defined(__CUDA_ARCH__)
#define POOL_QUEENS_POPC(x) ((uint32_t)__popc(x))
#else
#define POOL_QUEENS_POPC(x) ((uint32_t)__builtin_popcount(x))
#endif

enum {
	POOL_QUEENS_MAX = 26,
	POOL_QUEENS_SPAN_SHIFT = 27, /* the higher bits of `open` hold the span of the two next
				   rows, the number of rows between them: depth + 1 */
	POOL_QUEENS_BLOCK = 128      /* threads of both kernels */
};

struct pool_queens_node {
	uint32_t taken;      /* columns; all bits from N on are set */
	uint32_t up, down;   /* for the next row */
	uint32_t up2, down2; /* for the row after it */
	/* columns of the next row still to be tried; span << POOL_QUEENS_SPAN_SHIFT */
	uint32_t open;
};

/* The data that all nodes of a launch share. */
struct pool_queens_rule {
	int queens;
	uint32_t release; /* depth at which the middle column becomes free; 0: it is not taken */
};

/* A child, before the search decides whether to visit it. */
struct pool_queens_child {
	struct pool_queens_node node; /* span included */
	uint32_t halves; /* placements that it adds one row deeper, in halves of its weight */
	bool solution;   /* one row is left and has a free column */
	bool alive;      /* it has children to visit */
};

/* Makes the child with a queen in column `bit` of n->open in the next row of `n`. */
HD struct pool_queens_child pool_queens_place(const struct pool_queens_node *n, uint32_t bit,
					      const struct pool_queens_rule *r)
{
	struct pool_queens_child c;
	uint32_t span = n->open >> POOL_QUEENS_SPAN_SHIFT; /* of the parent: the child's depth */
	bool even = ((span ^ (uint32_t)r->queens) & 1) == 0, last = span == (uint32_t)r->queens - 1;

	c.node.taken = n->taken | bit;
	if (span == r->release)
		c.node.taken &= ~(UINT32_C(1) << r->queens / 2);
	c.node.up = n->up2 + (bit << span);
	c.node.down = n->down2 + (bit >> span);
	c.node.up2 = (n->up + bit) << 1;
	c.node.down2 = (n->down + bit) >> 1;
	uint32_t open = ~(c.node.taken | c.node.up | c.node.down);
	uint32_t other = even ? ~(c.node.taken | c.node.up2 | c.node.down2) : open;
	c.node.open = open | (span + 1) << POOL_QUEENS_SPAN_SHIFT;
	c.halves = POOL_QUEENS_POPC(open) + POOL_QUEENS_POPC(other);
	c.solution = last && open;
	c.alive = open && other && !last;
	return c;
}

HD uint32_t pool_queens_open(const struct pool_queens_node *n)
{
	return n->open & ((UINT32_C(1) << POOL_QUEENS_SPAN_SHIFT) - 1);
}

/* Sums over all nodes: placements in halves of the nodes' weights, solutions in whole weights. */
struct pool_queens_counts {
	unsigned long long halves, solutions;
};

/* A list of nodes in device memory. */
struct pool_queens_list {
	struct pool_queens_node *node;
	uint32_t *count; /* device memory */
	uint32_t room;   /* nodes that do not fit are counted but not written */
};

struct pool_queens_search {
	struct pool_queens_rule rule;
	bool solutions_only; /* only solutions are counted */
	bool no_refill;      /* a warp takes nodes only when all its lanes are idle */
	const struct pool_queens_node *node;
	const uint32_t *count; /* device memory */
	uint32_t *ticket;      /* device memory: the next node to be taken, initially 0 */
	int depth;             /* of the nodes */
	unsigned long long weight;
	struct pool_queens_counts *counts; /* device memory; the search adds to them */
};

struct pool_queens_kernels {
	/* Appends the living children of all nodes to `out`. Does nothing if the list of the nodes
	 * has outgrown the same room. */
	int (*expand)(struct dev_stream *s, const struct pool_queens_search *q,
		      struct pool_queens_list out, int blocks, struct err *e);
	/* Searches everything below the nodes. Does nothing if there are more than `room`. `blocks`
	 * is from blocks(). */
	int (*search)(struct dev_stream *s, const struct pool_queens_search *q, uint32_t room,
		      int blocks, struct err *e);
	/* The number of blocks of `search` that run at the same time for nodes with `rows` free
	 * rows. */
	int (*blocks)(struct dev_stream *s, int rows, bool solutions_only, int *blocks,
		      struct err *e);
};

DEV_KERNELS(struct pool_queens_kernels, pool_queens_kernels);

#endif
