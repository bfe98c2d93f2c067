/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of placements of queens, and a walk through one of them.
 *
 * A placement of N queens without regard to diagonals is a number of N factoradic digits
 * (kernels/gmys-ivm/factoradic.h). Digit i is the rank of the column of row i among the columns
 * that rows 0 .. i - 1 leave free. A node has the number of its leftmost leaf, and the interval
 * that contains this number counts the node (kernels/gmys-ivm/ivm.h). So a node is counted once,
 * wherever the numbers are divided. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_WALK_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/tree-search/queens.h"

/* Both ends are included; the digits 0 .. N - 1 are used. */
struct queens_interval {
	uint16_t first[QUEENS_MAX_COUNTED], last[QUEENS_MAX_COUNTED];
};

/* A growing list. Zero-initialised it is empty. */
struct queens_intervals {
	struct queens_interval *item;
	uint64_t count, room;
};
/* Returns false if there is no memory. */
bool queens_intervals_add(struct queens_intervals *l, const struct queens_interval *in);
void queens_intervals_free(struct queens_intervals *l);

/* The part of `in` whose first digit is in from .. to. Returns false if it is empty. */
bool queens_interval_clip(struct queens_interval *in, int n, int from, int to);

/* Divides an interval where nodes of depth `depth` (1 .. n) begin, and appends the parts to
 * `parts`. Returns false if there is no memory. */
bool queens_interval_divide(const struct queens_interval *in, int n, int depth,
			    struct queens_intervals *parts);

/* ---- a walk ---- */

struct queens_walk_counts {
	uint64_t first_row;        /* nodes of depth 1 < n */
	uint64_t nodes, solutions; /* nodes of depths 2 .. n - 1; complete boards */
};

struct queens_walk {
	int n, whole; /* nodes from this depth on are handed out with their subtree */
	struct queens_interval in;
	bool open;  /* something may be left */
	bool begun; /* a node was handed out */
	int depth;  /* of the current node */
	/* by depth of a node on the path: its masks, its children in the interval that have not
	 * been tried, the digit of the first of them, and whether the node's digits equal those of
	 * the first and last number */
	struct queens_masks q[QUEENS_MAX_COUNTED + 1];
	uint32_t rest[QUEENS_MAX_COUNTED + 1];
	int digit[QUEENS_MAX_COUNTED + 1];
	bool low[QUEENS_MAX_COUNTED + 1], high[QUEENS_MAX_COUNTED + 1];
};

void queens_walk_start(struct queens_walk *w, int n, int whole, const struct queens_interval *in);
/* Walks to the next node whose subtree lies in the interval and that has children and a depth from
 * w->whole to n - 2. Returns its depth, its masks and the columns of its children; 0 if the
 * interval is done. Adds the nodes on the way to the counts, including the node itself, but nothing
 * below it. */
int queens_walk_next(struct queens_walk *w, struct queens_walk_counts *c, struct queens_masks *q,
		     uint32_t *children);
/* The part of the interval behind the last node handed out. Returns false if nothing is left. */
bool queens_walk_rest(const struct queens_walk *w, struct queens_interval *rest);

#endif
