/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens: node evaluation of the tree searches, shared by host and device code.
 *
 * A node is a placement of queens in rows 0..depth-1, one per row, no two of which attack each
 * other. Its children place a queen in row `depth`. A node has two forms:
 *
 *   Permutation (the codes of Helbecque et al. and Gmys et al.): `board` is a permutation of the
 *       columns 0..N-1. Its first `depth` entries are the columns of the placed queens, the others
 *       the unused columns. Child j >= depth exists if board[j] is on no diagonal of a queen; it is
 *       the board with entries j and depth swapped.
 *
 *           for (int j = depth; j < n; j++)
 *                   if (queens_safe(board, depth, board[j]))
 *                           ...
 *
 *   Bit masks: the columns and diagonals under attack in row `depth`, bit c for column c; N <= 32.
 *       The children are the bits of queens_open_columns().
 *
 *           for (uint32_t set = queens_open_columns(q, full); set; set &= set - 1)
 *                   child = queens_put(q, set & (0 - set));
 *
 * Counting. Every child is explored, complete boards included; the root is not. From an empty board
 * the number of explored nodes is the number of valid placements of 1..N queens in the first rows,
 * in all columns, without symmetry. A search that counts the bits of queens_open_columns() need not
 * visit complete boards: the children of a node of depth N-1 are solutions. */
#ifndef COPRA_KERNELS_TREE_SEARCH_QUEENS_H
#define COPRA_KERNELS_TREE_SEARCH_QUEENS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/hd.h"

enum {
	QUEENS_MAX = 32,
	QUEENS_MAX_COUNTED = 26 /* largest N whose placements, about 2e18, fit 64-bit counts */
};

/* ---- permutation form ---- */

/* Whether a queen in row `depth` and the unused column `column` is on no diagonal of the queens in
 * rows 0..depth-1. */
HD bool queens_safe(const uint8_t *board, int depth, int column)
{
	int clashes = 0;

	for (int i = 0; i < depth; i++) {
		int rows = depth - i;

		clashes |= (board[i] == column - rows) | (board[i] == column + rows);
	}
	return !clashes;
}

/* ---- bit masks ---- */

struct queens_masks {
	uint32_t columns; /* used */
	uint32_t up;      /* diagonals that move one column up per row */
	uint32_t down;    /* diagonals that move one column down per row */
};

/* The bits of the columns 0..n-1, 1 <= n <= 32. */
HD uint32_t queens_full(int n)
{
	return UINT32_MAX >> (32 - n);
}

/* The columns in which the next row can have a queen. */
HD uint32_t queens_open_columns(struct queens_masks q, uint32_t full)
{
	return ~(q.columns | q.up | q.down) & full;
}

/* The child with a queen in column `bit`, its masks as seen from the row below. */
HD struct queens_masks queens_put(struct queens_masks q, uint32_t bit)
{
	q.columns |= bit;
	q.up = (q.up | bit) << 1;
	q.down = (q.down | bit) >> 1;
	return q;
}

#endif
