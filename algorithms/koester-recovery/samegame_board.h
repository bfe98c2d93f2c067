/* A SameGame board as bits, for host code and kernels.
 *
 * A column is a 64-bit word: three planes of 20 bits, in which bit r belongs to the r-th cell from
 * the ground. The three bits of a cell are its colour, 1 to 6; 0 is empty, 7 marks stones of the
 * group at hand. A board of up to 20 x 20 cells is a column of words; columns that are gone are 0
 * and lie at the right end. Neither gaps below stones nor empty columns between others outlive a
 * move. */
#ifndef COPRA_KOESTER_RECOVERY_SAMEGAME_BOARD_H
#define COPRA_KOESTER_RECOVERY_SAMEGAME_BOARD_H

#include <stdbool.h>

#include "algorithms/koester-recovery/track_state.h"

#define SAMEGAME_PLANE 20u
#define SAMEGAME_ROWS UINT64_C(0xFFFFF)
#define SAMEGAME_SPREAD (UINT64_C(1) | UINT64_C(1) << 20 | UINT64_C(1) << 40)

/* The board's columns in a state: `columns` units of 8 bytes from `first` on. */
struct samegame_board {
	unsigned char *first;
	size_t stride;
	uint32_t columns;
};

HD uint64_t *samegame_column(struct samegame_board b, uint32_t column)
{
	return (uint64_t *)(void *)(b.first + column * b.stride);
}

/* 0 beyond the board's sides. */
HD uint64_t samegame_column_or_none(struct samegame_board b, uint32_t column)
{
	return column < b.columns ? *samegame_column(b, column) : 0;
}

HD uint32_t samegame_ones(uint32_t x)
{
#if defined(__CUDA_ARCH__)
	return (uint32_t)__popc(x);
#else
	return (uint32_t)__builtin_popcount(x);
#endif
}

/* Index of the lowest bit; x != 0. */
HD uint32_t samegame_lowest(uint32_t x)
{
#if defined(__CUDA_ARCH__)
	return (uint32_t)__ffs((int)x) - 1;
#else
	return (uint32_t)__builtin_ctz(x);
#endif
}

/* Index of the n-th lowest bit, n from 0; x has more than n. */
HD uint32_t samegame_bit(uint32_t x, uint32_t n)
{
	for (; n; n--)
		x &= x - 1;
	return samegame_lowest(x);
}

/* Rows in which any plane has a bit. */
HD uint32_t samegame_any(uint64_t w)
{
	return (uint32_t)((w | w >> 20 | w >> 40) & SAMEGAME_ROWS);
}

/* Rows whose colour is `colour`, 1 to 7. */
HD uint32_t samegame_of_colour(uint64_t w, uint32_t colour)
{
	uint64_t other = 0;

	other |= colour & 1 ? 0 : SAMEGAME_ROWS;
	other |= colour & 2 ? 0 : SAMEGAME_ROWS << 20;
	other |= colour & 4 ? 0 : SAMEGAME_ROWS << 40;
	w ^= other;
	return (uint32_t)(w & w >> 20 & w >> 40 & SAMEGAME_ROWS);
}

HD uint32_t samegame_marked(uint64_t w)
{
	return (uint32_t)(w & w >> 20 & w >> 40 & SAMEGAME_ROWS);
}

HD uint32_t samegame_colour(uint64_t w, uint32_t row)
{
	w >>= row;
	return (uint32_t)((w & 1) | (w >> 19 & 2) | (w >> 38 & 4));
}

/* Rows whose stone has an equal one above; in the same row of the next column. */
HD uint32_t samegame_like_above(uint64_t w)
{
	uint32_t stones = samegame_any(w);

	return ~samegame_any(w ^ w >> 1) & stones & stones >> 1;
}

HD uint32_t samegame_like_beside(uint64_t w, uint64_t next)
{
	return ~samegame_any(w ^ next) & samegame_any(w);
}

/* All rows of `in` that a path inside it joins to one of `from`; from is part of it. */
HD uint32_t samegame_runs(uint32_t in, uint32_t from)
{
	/* Upwards by the carry of an addition, from the lowest bit to the end of its run. */
	uint32_t to = (((in + from) ^ in) & in) | from;

	to |= in & to >> 1;
	in &= in >> 1;
	to |= in & to >> 2;
	in &= in >> 2;
	to |= in & to >> 4;
	in &= in >> 4;
	to |= in & to >> 8;
	in &= in >> 8;
	return to | (in & to >> 16);
}

/* Marks rows of column `column` that touch `from` and are of `colour`; true if there are any. */
HD bool samegame_mark(struct samegame_board b, uint32_t column, uint32_t colour, uint32_t from)
{
	uint64_t *w = samegame_column(b, column);
	uint32_t in = samegame_of_colour(*w, colour);

	from &= in;
	if (!from)
		return false;
	*w |= samegame_runs(in, from) * SAMEGAME_SPREAD;
	return true;
}

/* Columns low .. high hold marks. */
struct samegame_span {
	uint32_t low, high;
};

/* Marks the group through a stone: sweeps to the right and back until nothing is found. */
HD struct samegame_span samegame_mark_group(struct samegame_board b, uint32_t column, uint32_t row)
{
	uint32_t colour = samegame_colour(*samegame_column(b, column), row);
	struct samegame_span s = { column, column };
	bool more;

	samegame_mark(b, column, colour, (uint32_t)1 << row);
	do {
		more = false;
		for (uint32_t c = s.low + 1; c <= s.high + 1 && c < b.columns; c++)
			if (samegame_mark(b, c, colour,
					  samegame_marked(*samegame_column(b, c - 1)))) {
				more = true;
				s.high = c > s.high ? c : s.high;
			}
		for (uint32_t c = s.high; c > 0 && c >= s.low; c--)
			if (samegame_mark(b, c - 1, colour,
					  samegame_marked(*samegame_column(b, c)))) {
				more = true;
				s.low = c - 1 < s.low ? c - 1 : s.low;
			}
	} while (more);
	return s;
}

/* The column without the rows of `gone`, those above moved down. */
HD uint64_t samegame_fall(uint64_t w, uint32_t gone)
{
	while (gone) {
		uint32_t from = samegame_lowest(gone);
		uint32_t count = samegame_lowest(~(gone >> from));
		uint64_t below = (((uint64_t)1 << from) - 1) * SAMEGAME_SPREAD;
		uint64_t kept = (SAMEGAME_ROWS >> count) * SAMEGAME_SPREAD;

		w = (w & below) | ((w >> count) & kept & ~below);
		gone = gone >> (from + count) << from;
	}
	return w;
}

/* Moves columns from `low` on to the left over empty ones; returns how many are left of `width`. */
HD uint32_t samegame_close(struct samegame_board b, uint32_t low, uint32_t width)
{
	uint32_t to = low;

	for (uint32_t c = low; c < width; c++) {
		uint64_t w = *samegame_column(b, c);

		if (w)
			*samegame_column(b, to++) = w;
	}
	for (uint32_t c = to; c < width; c++)
		*samegame_column(b, c) = 0;
	return to;
}

/* Takes the marked stones away; *width: columns in use. Returns how many stones they were. */
HD uint32_t samegame_remove_marked(struct samegame_board b, struct samegame_span s, uint32_t *width)
{
	uint32_t stones = 0;
	bool empty = false;

	for (uint32_t c = s.low; c <= s.high; c++) {
		uint64_t w = *samegame_column(b, c);
		uint32_t gone = samegame_marked(w);

		stones += samegame_ones(gone);
		w = samegame_fall(w, gone);
		*samegame_column(b, c) = w;
		empty |= !w;
	}
	if (empty)
		*width = samegame_close(b, s.low, *width);
	return stones;
}

/* Is any group left? */
HD bool samegame_can_move(struct samegame_board b, uint32_t width)
{
	uint64_t w = samegame_column_or_none(b, 0);

	for (uint32_t c = 0; c < width; c++) {
		uint64_t next = samegame_column_or_none(b, c + 1);

		if (samegame_like_above(w) | samegame_like_beside(w, next))
			return true;
		w = next;
	}
	return false;
}

#endif
