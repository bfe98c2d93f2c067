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
 * If only solutions are counted, the diagonals of the board are used as well.
 *
 * N odd: let the queen of the middle row be d columns from the middle, and the queen of the middle
 * column e rows. A reflection in a diagonal swaps d and e; d = e only if both are 0 (otherwise the
 * two attack each other). So it is enough to count placements with d < e, twice: the middle column
 * counts as taken until all rows up to d from the middle are filled, at depth 2d + 1 (`release`).
 *
 * N even: let the queens of the two middle rows be d <= e columns from the middle (0: next to it),
 * and those of the two middle columns d' <= e' rows. A reflection in a diagonal swaps (d, e) and
 * (d', e').
 *   d > 0: placements with d' > d are counted twice, those with d' = d once.
 *   d = 0: then one queen is in the middle of the board, and d' = 0. Placements with e' > e are
 *          counted twice, those with e' = e once.
 * "Later": both middle columns (d = 0: the one without a queen) count as taken until all rows up to
 * d (d = 0: e) from the middle are filled. "Same": they count as taken until the two rows at this
 * distance come, and one of these rows must take one of them (`forced`).
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

/* Which placements below a node are counted, and how many times: the rule above in one word. Bits 0
 * and 1: the columns N/2 - 1 and N/2 if they count as taken until depth `release` (bits 2 to 6).
 * Bit 7: one of them must have a queen two rows deeper. Bits 8 and 9: log2 of the weight. */
enum { POOL_QUEENS_RELEASE_SHIFT = 2, POOL_QUEENS_FORCED_SHIFT = 7, POOL_QUEENS_WEIGHT_SHIFT = 8 };

struct pool_queens_node {
	uint32_t taken;      /* columns; all bits from N on are set */
	uint32_t up, down;   /* for the next row */
	uint32_t up2, down2; /* for the row after it */
	/* columns of the next row still to be tried; span << POOL_QUEENS_SPAN_SHIFT */
	uint32_t open;
	uint32_t rule;
};

HD uint32_t pool_queens_middle(uint32_t rule, int queens)
{
	return (rule & 3) << (queens / 2 - 1);
}

/* The depth at which the middle columns become free; 0: they are free. */
HD uint32_t pool_queens_release(uint32_t rule)
{
	return rule >> POOL_QUEENS_RELEASE_SHIFT & 31;
}

/* The depth at which one of the middle columns must have a queen; 0: none. */
HD uint32_t pool_queens_forced(uint32_t rule)
{
	return rule >> POOL_QUEENS_FORCED_SHIFT & 1 ? pool_queens_release(rule) + 2 : 0;
}

/* log2 of the number of placements that one below the node stands for. */
HD uint32_t pool_queens_weight(uint32_t rule)
{
	return rule >> POOL_QUEENS_WEIGHT_SHIFT;
}

/* A child, before the search decides whether to visit it. */
struct pool_queens_child {
	struct pool_queens_node node; /* span included */
	uint32_t halves; /* placements that it adds one row deeper, in halves of its weight */
	bool solution;   /* one row is left and has a free column */
	bool alive;      /* it has children to visit */
};

/* Makes the child with a queen in column `bit` of n->open in the next row of `n`. */
HD struct pool_queens_child pool_queens_place(const struct pool_queens_node *n, uint32_t bit,
					      int queens)
{
	struct pool_queens_child c;
	uint32_t span = n->open >> POOL_QUEENS_SPAN_SHIFT; /* of the parent: the child's depth */
	uint32_t middle = pool_queens_middle(n->rule, queens);
	bool even = ((span ^ (uint32_t)queens) & 1) == 0, last = span == (uint32_t)queens - 1;

	c.node.taken = n->taken | bit;
	if (span == pool_queens_release(n->rule))
		c.node.taken &= ~middle;
	c.node.up = n->up2 + (bit << span);
	c.node.down = n->down2 + (bit >> span);
	c.node.up2 = (n->up + bit) << 1;
	c.node.down2 = (n->down + bit) >> 1;
	uint32_t open = ~(c.node.taken | c.node.up | c.node.down);
	uint32_t other = even ? ~(c.node.taken | c.node.up2 | c.node.down2) : open;
	c.node.open = open | (span + 1) << POOL_QUEENS_SPAN_SHIFT;
	c.node.rule = n->rule;
	c.halves = POOL_QUEENS_POPC(open) + POOL_QUEENS_POPC(other);
	c.solution = last && open;
	c.alive = open && other && !last &&
		  (span != pool_queens_forced(n->rule) || (c.node.taken & middle));
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
	int queens;
	bool solutions_only; /* only solutions are counted */
	bool no_refill;      /* a warp takes nodes only when all its lanes are idle */
	const struct pool_queens_node *node;
	const uint32_t *count; /* device memory */
	uint32_t *ticket;      /* device memory: the next node to be taken, initially 0 */
	int depth;             /* of the nodes */
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
