/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens and ATSP on a device, below lists of nodes: the trees of
 * algorithms/gmys-ivm/ivm_search.h.
 *
 * A list has nodes of any depth. It is expanded by one more row for all its nodes at once, until
 * it is long enough. Then it is searched depth first, one node per lane. Nodes with few open rows
 * are not expanded. The caller's nodes must have at least IVM_INTERVAL_LEAST_LEFT open
 * rows.
 */
#ifndef COPRA_KERNELS_GMYS_IVM_INTERVALS_H
#define COPRA_KERNELS_GMYS_IVM_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"

enum {
	IVM_INTERVAL_ITEMS = 32,     /* largest n: items are bits of a word */
	IVM_INTERVAL_LEAST_LEFT = 4, /* least open items of a node that is expanded */
	IVM_INTERVAL_STAGES = 32     /* lists per piece of work, including the first */
};

/*           N-Queens                                   ATSP
 *   a       columns taken; all bits from N on are set  items open
 *   b       diagonals under attack, moving up          the last item of the path
 *   c       the same, moving down                      its cost
 *   d       0                                          number of its root in the first list */
struct ivm_interval_node {
	uint32_t a, b, c, d;
};

/* The results of a piece of work. All fields are initially zero, except better, best and nodes[0].
 *
 *   children   kept children of all nodes expanded or searched. N-Queens: placements, including
 *              solutions. ATSP: paths that do not have all cities yet
 *   leaves     N-Queens: solutions. ATSP: tours with cost <= best
 *   better     ATSP: cost << 32 | number in the searched list, of the least tour below `best`;
 *              initially all bits are set
 *   best       ATSP: least known cost, below INT32_MAX */
struct ivm_interval_control {
	unsigned long long children, leaves, better;
	int32_t best;
	uint32_t nodes[IVM_INTERVAL_STAGES]; /* of the lists */
	uint32_t ticket;
};

/* Tables of an instance (ATSP), one block of words in device memory, copied to shared memory.
 *
 *   cost       [rows][33]: arcs between items; column 32: back to city 0
 *   threshold  [rows][65]: ascending, at most 62 of them, followed by INT32_MAX
 *   mask       [rows][65][2]: indexed by the number of thresholds <= slack: the items whose arc
 * from the row's item the slack covers; those from which it also covers one more arc
 *
 * Strides are odd, so that lanes at different items read different banks. Idle lanes have rows,
 * too. */
struct atsp_shape {
	int rows;
	int threshold, mask; /* offsets in words */
	int words;           /* multiple of 4 */
};

enum { ATSP_COLUMNS = IVM_INTERVAL_ITEMS + 1, ATSP_RANKS = 65, ATSP_IDLE_BITS = 20 };

static inline struct atsp_shape atsp_shape_of(int items)
{
	struct atsp_shape s;

	s.rows = items > ATSP_IDLE_BITS ? items : ATSP_IDLE_BITS;
	s.threshold = (s.rows * ATSP_COLUMNS + 3) / 4 * 4;
	s.mask = s.threshold + (s.rows * ATSP_RANKS + 3) / 4 * 4;
	s.words = s.mask + (2 * s.rows * ATSP_RANKS + 3) / 4 * 4;
	return s;
}

/* How the lanes of a warp work together in a search. */
enum ivm_interval_team {
	IVM_TEAM_SHARING, /* idle lanes take the next nodes, at the end from other lanes */
	IVM_TEAM_REFILL,  /* idle lanes take the next nodes while there are any */
	IVM_TEAM_NONE     /* the warp takes nodes only when all its lanes are idle */
};

/* One piece of work. */
struct ivm_interval_work {
	int items; /* N; cities - 1 */
	enum ivm_interval_team team;
	const uint32_t *table;                /* ATSP, device memory */
	struct ivm_interval_node *list[2];    /* stage i in list[i % 2] */
	uint32_t target;                      /* a list of this length is searched */
	struct ivm_interval_control *control; /* device memory */
};

struct ivm_interval_kernels {
	/* Expands the list of stage `stage` into that of stage + 1, unless it or an earlier list
	 * has reached the target. The other list has room for all children of target - 1 nodes. */
	int (*expand)(struct dev_stream *s, const struct ivm_interval_work *w, int stage,
		      int blocks, struct err *e);
	/* Searches everything below the nodes of `stage`. None of them has more than `rows` open
	 * items. */
	int (*search)(struct dev_stream *s, const struct ivm_interval_work *w, int stage, int rows,
		      int blocks, struct err *e);
	/* The number of blocks of `search` that run at the same time. */
	int (*blocks)(struct dev_stream *s, const struct ivm_interval_work *w, int rows,
		      int *blocks, struct err *e);
};

enum { IVM_INTERVAL_BLOCK = 128 }; /* threads of all kernels */

DEV_KERNELS(struct ivm_interval_kernels, ivm_queens_kernels);
DEV_KERNELS(struct ivm_interval_kernels, ivm_atsp_kernels);
#endif
