/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Integer-Vector-Matrix (IVM): depth-first search of a permutation tree without a stack of nodes,
 * for host and device (Gmys et al. 2017, section 3.1, Algorithms 1 and 2).
 *
 *   level I          the row where the next cell is looked for
 *   position V[i]    the cell chosen in row i; V is a factoradic counter (factoradic.h)
 *   end[i]           the last number of the interval, included
 *   matrix M         row i has n - i cells: the items open at level i. Cell c of row i stands
 *                    for the child that takes its item. A pruned cell is ~item (the paper's
 *                    -item fails for item 0)
 *   side[i]          1 if the cells of row i place their item at the end (flowshop, two-sided),
 *                    0 at the beginning; decided when the row is bounded
 *
 * Row 0 belongs to the root. A node with decisions 0..i-1 (row r, cell V[r], side[r]) is decomposed
 * when row i is made and bounded. Its number is V[0..i-1], 0, 0, ...: that of its leftmost leaf.
 * The explorer whose interval contains this number decomposes and counts the node. So explorers of
 * any partition of [0, n!) count every node once. N-Queens: decision i is the column of row i.
 * ATSP: item c is city c + 1.
 *
 * State between two steps: all cells of rows 0..I are bounded; V[I] is the next cell to examine;
 * cells V[0..I-1] are those of the node that row I belongs to; V[i] = 0 for i > I. */
#ifndef COPRA_KERNELS_GMYS_IVM_IVM_H
#define COPRA_KERNELS_GMYS_IVM_IVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/gmys-ivm/factoradic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays of one explorer, in any memory. */
struct ivm {
	int n;
	int32_t *level;
	uint16_t *position; /* [n] */
	uint16_t *end;      /* [n] */
	int16_t *matrix;    /* [n * n], row i at i * n */
	uint8_t *side;      /* [n] */
};

/* The size of one block for all arrays, aligned to 4. */
HD size_t ivm_bytes(int n)
{
	size_t items = (size_t)n;

	return (sizeof(int32_t) + (2 + items) * items * sizeof(uint16_t) + items + 15) / 16 * 16;
}

/* Assigns the arrays in a block of ivm_bytes(n) bytes. */
HD struct ivm ivm_at(int n, void *memory)
{
	struct ivm v;

	v.n = n;
	v.level = (int32_t *)memory;
	v.position = (uint16_t *)(v.level + 1);
	v.end = v.position + n;
	v.matrix = (int16_t *)(v.end + n);
	v.side = (uint8_t *)(v.matrix + n * n);
	return v;
}

HD int ivm_item(int16_t cell)
{
	return cell < 0 ? ~cell : cell;
}

/* The item of decision i, i < level. */
HD int ivm_decision(const struct ivm *v, int i)
{
	return ivm_item(v->matrix[i * v->n + v->position[i]]);
}

/* The loop of Algorithm 1: moves to the next cell that is a node to be decomposed. Returns false if
 * the interval is done (EMPTY). A second call has no effect.
 *
 * V is compared with the end once per row, or not at all if the result is known: the first *less
 * digits of V are less than those of the end (0: not known). A caller that keeps *less between
 * calls sets it to 0 when anything else has changed V or the end. */
HD bool ivm_select_known(const struct ivm *v, int *less)
{
	int n = v->n, level = *v->level;
	bool exploring = false;

	for (;;) {
		int at = v->position[level], stop = n - level;

		if (*less == 0) {
			int same = 0;

			while (same < level && v->position[same] == v->end[same])
				same++;
			if (same < level && v->position[same] > v->end[same])
				break;
			if (same < level)
				*less = same + 1;
			else if (v->end[level] + 1 < stop)
				stop = v->end[level] + 1;
		}
		/* cell-eliminate: cell-rightward. The cell of the last row is a leaf, which only
		 * has to be bounded */
		while (at < stop && (v->matrix[level * n + at] < 0 || level == n - 1))
			at++;
		v->position[level] = (uint16_t)at;
		exploring = at < stop;
		if (exploring || at < n - level || level == 0)
			break;
		v->position[level] = 0; /* row-end: cell-upward */
		level--;
		v->position[level]++;
		if (level < *less)
			*less = 0;
	}
	*v->level = level;
	return exploring;
}

HD bool ivm_select(const struct ivm *v)
{
	int less = 0;

	return ivm_select_known(v, &less);
}

/* generate-next-line: descends from the cell that ivm_select moved to, to the row of its node. */
HD void ivm_branch(const struct ivm *v)
{
	int n = v->n, level = *v->level, at = v->position[level];
	const int16_t *row = v->matrix + level * n;
	int16_t *next = v->matrix + (level + 1) * n;

	for (int i = 0, to = 0; i < n - level; i++) {
		if (i != at)
			next[to++] = (int16_t)ivm_item(row[i]);
	}
	v->position[level + 1] = 0;
	*v->level = level + 1;
}

/* Algorithm 1. Returns true while EXPLORING: V[0 .. level - 1] is a node to be decomposed, row
 * `level` holds its open items, unpruned, and V[level] = 0; the caller bounds the row (and sets
 * side[level]). Returns false if the interval is done (EMPTY). */
HD bool ivm_select_and_branch(const struct ivm *v)
{
	if (!ivm_select(v))
		return false;
	ivm_branch(v);
	return true;
}

/* ---- open intervals and sharing them (sections 3.1 and 3.3) ---- */

/* The open part of the interval. Returns false if nothing is left. An explorer that starts with it
 * decomposes again the nodes whose number is `first` and that this one has decomposed: *again of
 * them, including the root if first = 0. They are subtracted from this explorer's count if its
 * interval goes to another one. */
HD bool ivm_interval(const struct ivm *v, uint16_t *first, uint16_t *last, int *again)
{
	int level, zeros = 0;

	if (!ivm_select(v))
		return false;
	level = *v->level;
	for (int i = 0; i < v->n; i++) {
		first[i] = i <= level ? v->position[i] : 0;
		last[i] = v->end[i];
	}
	while (zeros <= level && first[level - zeros] == 0)
		zeros++;
	*again = zeros;
	return true;
}

/* A place where a victim's interval can be cut so that the thief bounds nothing (no
 * re-initialisation): before a cell to the right of the victim's path, in a row that the victim has
 * bounded. */
struct ivm_cut {
	int level, cell;
};

/* The cut that leaves about kept / parts of the interval with the victim. With l the first digit in
 * which V and the end differ, lengths are computed from digits l and l + 1 only. A cut that would
 * lie below a cell of row l to the right of the path is moved to an end of this cell. Returns false
 * if V and the end agree in all existing rows. */
HD bool ivm_find_cut(const struct ivm *v, int kept, int parts, struct ivm_cut *cut)
{
	int n = v->n, level = *v->level, l = 0, width;
	int64_t from, units, at;

	while (l <= level && v->position[l] == v->end[l])
		l++;
	if (l > level)
		return false;
	width = n - 1 - l;
	from = (int64_t)v->position[l] * width + (l < level ? v->position[l + 1] : 0);
	units = (int64_t)v->end[l] * width + v->end[l + 1] + 1 - from;
	at = units * kept / parts;
	at = from + (at < 1 ? 1 : at > units - 1 ? units - 1 : at);
	cut->level = l;
	cut->cell = (int)(at / width);
	if (cut->cell == v->position[l] && l < level) {
		cut->level = l + 1;
		cut->cell = (int)(at % width);
	} else if (cut->cell == v->position[l] ||
		   (cut->cell < v->end[l] && at % width > width / 2)) {
		cut->cell++;
	}
	return true;
}

/* Steals the right part of the victim's interval for a thief that is EMPTY. The victim keeps about
 * kept / parts of it (steal-half: 1 of 2). Both intervals together are the victim's previous one.
 * The thief gets the victim's rows down to the cut and bounds nothing. Returns false, with both
 * unchanged, if there is nothing to share yet: the victim may first have to go deeper. */
HD bool ivm_share(const struct ivm *victim, const struct ivm *thief, int kept, int parts)
{
	int n = victim->n;
	struct ivm_cut cut;

	if (!ivm_select(victim) || !ivm_find_cut(victim, kept, parts, &cut))
		return false;
	for (int i = 0; i < n; i++) {
		thief->end[i] = victim->end[i];
		thief->position[i] = i < cut.level ? victim->position[i] : 0;
		if (i >= cut.level)
			victim->end[i] = (uint16_t)(i > cut.level ? n - 1 - i : cut.cell - 1);
		else
			victim->end[i] = victim->position[i];
	}
	thief->position[cut.level] = (uint16_t)cut.cell;
	*thief->level = cut.level;
	for (int row = 0; row <= cut.level; row++) {
		thief->side[row] = victim->side[row];
		for (int i = 0; i < n - row; i++)
			thief->matrix[row * n + i] = victim->matrix[row * n + i];
	}
	return true;
}

#ifdef __cplusplus
}
#endif
#endif
