/* N-Queens: node evaluation of the tree searches, once for host and device.
 *
 * A node is a placement of queens in the rows 0..depth-1, one a row, no two of which attack each
 * other. Its children put a queen in row `depth`. Two forms of it:
 *
 *   permutation (Helbecque's and Gmys' codes): `board` is a permutation of the columns 0..N-1; rows
 *       below `depth` hold its first entries, the rest are the columns left. Child j >= depth
 *       exists where board[j] clashes on no diagonal; it is the board with entries j and depth
 *       swapped.
 *
 *           for (int j = depth; j < n; j++)
 *                   if (qn_safe(board, depth, board[j]))
 *                           ...
 *
 *   bit masks: columns and diagonals under attack in row `depth`, bit c for column c; N <= 32. The
 *       children are the bits of qn_children().
 *
 *           for (uint32_t set = qn_children(q, full); set; set &= set - 1)
 *                   child = qn_place(q, set & (0 - set));
 *
 * Counting, for an empty board on: every child is explored, complete boards included, the root is
 * not. So explored is the number of valid placements of 1..N queens in the first rows, all columns,
 * without symmetry. Placements of d+1 queens are the children of those of d, so a search that
 * counts the bits of qn_children() need not visit complete boards: those of a node of depth N-1 are
 * solutions. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	QN_MAX = 32,
	QN_MAX_COUNTED = 26 /* greatest N whose placements, some 2e18, surely fit 64-bit counts */
};

/* ---- permutation form ---- */

/* Whether a queen in row `depth`, column `column` (one of those left) is on no diagonal of the
 * queens in rows 0..depth-1. */
HD bool qn_safe(const uint8_t *board, int depth, int column)
{
	int clashes = 0;

	for (int i = 0; i < depth; i++) {
		int rows = depth - i;

		clashes |= (board[i] == column - rows) | (board[i] == column + rows);
	}
	return !clashes;
}

/* The check done g >= 1 times over: the papers' knob for the work of a node. The empty instruction
 * keeps the compiler from doing it once. */
HD bool qn_safe_repeated(const uint8_t *board, int depth, int column, int g)
{
	bool safe = true;

	for (int i = 0; i < g; i++) {
		__asm__ volatile("" : "+r"(column));
		safe &= qn_safe(board, depth, column);
	}
	return safe;
}

/* ---- bit masks ---- */

struct qn_masks {
	uint32_t columns; /* taken */
	uint32_t up;      /* diagonals that move to the next higher column a row */
	uint32_t down;    /* to the next lower */
};

/* The bits of the columns 0..n-1, 1 <= n <= 32. */
HD uint32_t qn_full(int n)
{
	return UINT32_MAX >> (32 - n);
}

HD uint32_t qn_children(struct qn_masks q, uint32_t full)
{
	return ~(q.columns | q.up | q.down) & full;
}

/* The node with a queen in column `bit`, seen from the row below. */
HD struct qn_masks qn_place(struct qn_masks q, uint32_t bit)
{
	q.columns |= bit;
	q.up = (q.up | bit) << 1;
	q.down = (q.down | bit) >> 1;
	return q;
}

/* The same node in the other form. */
HD struct qn_masks qn_masks_of(const uint8_t *board, int depth)
{
	struct qn_masks q = { 0, 0, 0 };

	for (int i = 0; i < depth; i++)
		q = qn_place(q, UINT32_C(1) << board[i]);
	return q;
}

#ifdef __cplusplus
}
#endif
#endif
