/* Integer-Vector-Matrix: the depth-first search of a permutation tree without a stack of nodes (Gmys et
 * al. 2017, section 3.1, Algorithms 1 and 2), for host and device.
 *
 *   level I          row on which the next cell is looked for
 *   position V[i]    cell chosen in row i; V is a factoradic counter (factoradic.h)
 *   end[i]           the last number of the interval, included
 *   matrix M         row i has n - i cells: the items open at level i; cell c of row i stands for the
 *                    child that takes its item. A pruned cell is ~item (the paper's -item, which item 0
 *                    lacks)
 *   side[i]          1 where the cells of row i place their item at the end (flowshop, two-sided),
 *                    0 at the beginning; decided when the row is bounded
 *
 * Row 0 belongs to the root. A node with decisions 0..i-1 (row r, cell V[r], side[r]) is decomposed
 * when row i is made and bounded. Its number is V[0..i-1], 0, 0, ...: that of its leftmost leaf.
 * Whose interval holds that number decomposes and counts the node, so that explorers of any partition
 * of [0, n!) count every node once. N-Queens: decision i is the column of row i. ATSP: item c is city
 * c + 1.
 *
 * State between two steps: all cells of rows 0..I are bounded; V[I] is the next cell to look at, cells
 * V[0..I-1] are those of the node that row I belongs to; V[i] = 0 for i > I. */
#ifndef COPRA_IVM_IVM_H
#define COPRA_IVM_IVM_H

#include <stdbool.h>
#include <stdint.h>

#include "factoradic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One explorer's arrays, wherever they lie. */
struct ivm {
	int n;
	int32_t *level;
	uint16_t *position; /* [n] */
	uint16_t *end;      /* [n] */
	int16_t *matrix;    /* [n * n], row i at i * n */
	uint8_t *side;      /* [n] */
};

HD int ivm_item(int16_t cell)
{
	return cell < 0 ? ~cell : cell;
}

/* Algorithm 1. true: EXPLORING, V[0 .. level - 1] is a node to be decomposed, row `level` holds its
 * open items, unpruned, V[level] = 0; the caller bounds the row (and sets side[level]). false: EMPTY,
 * the interval is done. */
HD bool ivm_select_and_branch(const struct ivm *v)
{
	int n = v->n, level = *v->level;

	for (;;) {
		int at = v->position[level];
		const int16_t *row = v->matrix + level * n;
		int16_t *next;

		if (at >= n - level) { /* row-end: cell-upward */
			if (level == 0)
				break;
			v->position[level] = 0;
			level--;
			v->position[level]++;
			continue;
		}
		if (factoradic_compare(v->position, v->end, level + 1) > 0)
			break;
		if (row[at] < 0 || level == n - 1) { /* cell-eliminate: cell-rightward. The cell of the
							last row is a leaf: bounded is all it needs */
			v->position[level]++;
			continue;
		}
		next = v->matrix + (level + 1) * n; /* generate-next-line */
		for (int i = 0, to = 0; i < n - level; i++) {
			if (i != at)
				next[to++] = (int16_t)ivm_item(row[i]);
		}
		level++;
		v->position[level] = 0;
		*v->level = level;
		return true;
	}
	*v->level = level;
	return false;
}

/* What is left of the interval between two steps: [first, end], first[n] made here, the state as it
 * was. false: EMPTY, nothing is left.
 *
 * Who explores [first, end] from its numbers alone (another explorer, a later run) decomposes all
 * nodes whose number is `first`; *again of them, the rows that end the present path in zeros, were
 * decomposed and counted here already: who gives an interval away takes them off its count, the root
 * of N-Queens, which is never counted, excepted (it is among them where first is 0). */
HD bool ivm_rest(const struct ivm *v, uint16_t *first, int *again)
{
	int n = v->n, level = *v->level, path;

	for (int i = 0; i < n; i++)
		first[i] = i <= level ? v->position[i] : 0;
	for (;;) {
		int at = first[level];

		if (at >= n - level) {
			if (level == 0)
				return false;
			first[level--] = 0;
			first[level]++;
		} else if (factoradic_compare(first, v->end, level + 1) > 0) {
			return false;
		} else if (v->matrix[level * n + at] < 0 || level == n - 1) {
			first[level]++;
		} else {
			break;
		}
	}
	for (path = level; path >= 0 && first[path] == 0; path--)
		;
	*again = level - path;
	return true;
}

#ifdef __cplusplus
}
#endif
#endif
