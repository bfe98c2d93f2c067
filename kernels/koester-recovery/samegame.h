/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* SameGame as a domain of the tracker. Boards are stored as bits.
 *
 * A state consists of a head of 8 bytes and the columns of the board, 8 bytes each: 128 bytes for
 * 15 columns. Its successors are its groups. The number of a successor is the cell of the group's
 * first stone (in the leftmost column the lowest row): column * 32 + row from the ground, so that a
 * history can be read as a list of moves. execute plays the assigned move, after which the state
 * waits. assign makes the search's choice at step 0, and plays at random afterwards (a rollout). A
 * game that is over waits for ever.
 *
 * A column is a 64-bit word of three planes of 20 bits; bit r belongs to the r-th cell from the
 * ground. The three bits of a cell are its colour, 1 to 6. 0 is empty, and 7 marks the stones of
 * the current group. A board has up to 20 x 20 cells. Empty columns are 0 and at the right end.
 * After every move, there are no gaps below stones and no empty columns between others. */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_SAMEGAME_H
#define COPRA_KERNELS_KOESTER_RECOVERY_SAMEGAME_H

#include <stdbool.h>

#include "kernels/koester-recovery/state.h"

#define TRACK_SAMEGAME_PLANE 20u
#define TRACK_SAMEGAME_ROWS UINT64_C(0xFFFFF)
#define TRACK_SAMEGAME_SPREAD (UINT64_C(1) | UINT64_C(1) << 20 | UINT64_C(1) << 40)

/* The columns of a board within a state: `columns` units of 8 bytes, starting at `first`. */
struct track_samegame_board {
	unsigned char *first;
	size_t stride;
	uint32_t columns;
};

HD uint64_t *track_samegame_column(struct track_samegame_board b, uint32_t column)
{
	return (uint64_t *)(void *)(b.first + column * b.stride);
}

/* Column c; 0 if it is outside the board. */
HD uint64_t track_samegame_column_or_none(struct track_samegame_board b, uint32_t column)
{
	return column < b.columns ? *track_samegame_column(b, column) : 0;
}

HD uint32_t track_samegame_ones(uint32_t x)
{
#if defined(__CUDA_ARCH__)
	return (uint32_t)__popc(x);
#else
	return (uint32_t)__builtin_popcount(x);
#endif
}

/* Index of the lowest set bit; x != 0. */
HD uint32_t track_samegame_lowest(uint32_t x)
{
#if defined(__CUDA_ARCH__)
	return (uint32_t)__ffs((int)x) - 1;
#else
	return (uint32_t)__builtin_ctz(x);
#endif
}

/* Index of the n-th lowest set bit, counted from 0; x has more than n set bits. */
HD uint32_t track_samegame_bit(uint32_t x, uint32_t n)
{
	for (; n; n--)
		x &= x - 1;
	return track_samegame_lowest(x);
}

/* Rows with a stone: those in which any plane has a bit. */
HD uint32_t track_samegame_any(uint64_t w)
{
	return (uint32_t)((w | w >> 20 | w >> 40) & TRACK_SAMEGAME_ROWS);
}

/* Rows whose colour is `colour`, 1 to 7. */
HD uint32_t track_samegame_of_colour(uint64_t w, uint32_t colour)
{
	uint64_t other = 0;

	other |= colour & 1 ? 0 : TRACK_SAMEGAME_ROWS;
	other |= colour & 2 ? 0 : TRACK_SAMEGAME_ROWS << 20;
	other |= colour & 4 ? 0 : TRACK_SAMEGAME_ROWS << 40;
	w ^= other;
	return (uint32_t)(w & w >> 20 & w >> 40 & TRACK_SAMEGAME_ROWS);
}

HD uint32_t track_samegame_marked(uint64_t w)
{
	return (uint32_t)(w & w >> 20 & w >> 40 & TRACK_SAMEGAME_ROWS);
}

HD uint32_t track_samegame_colour(uint64_t w, uint32_t row)
{
	w >>= row;
	return (uint32_t)((w & 1) | (w >> 19 & 2) | (w >> 38 & 4));
}

/* Rows whose stone has the same colour as the stone above it. */
HD uint32_t track_samegame_like_above(uint64_t w)
{
	uint32_t stones = track_samegame_any(w);

	return ~track_samegame_any(w ^ w >> 1) & stones & stones >> 1;
}

/* Rows whose stone has the same colour as its neighbour in the next column. */
HD uint32_t track_samegame_like_beside(uint64_t w, uint64_t next)
{
	return ~track_samegame_any(w ^ next) & track_samegame_any(w);
}

/* All rows of `in` that are connected within `in` to a row of `from`, a subset of `in`. */
HD uint32_t track_samegame_runs(uint32_t in, uint32_t from)
{
	/* the carry of an addition extends each bit upwards to the end of its run */
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

/* Marks the rows of the column that have this colour and are connected to `from`; true if there are
 * any. */
HD bool track_samegame_mark(struct track_samegame_board b, uint32_t column, uint32_t colour,
			    uint32_t from)
{
	uint64_t *w = track_samegame_column(b, column);
	uint32_t in = track_samegame_of_colour(*w, colour);

	from &= in;
	if (!from)
		return false;
	*w |= track_samegame_runs(in, from) * TRACK_SAMEGAME_SPREAD;
	return true;
}

/* Columns low .. high contain marks. */
struct track_samegame_span {
	uint32_t low, high;
};

/* Marks the group of a stone, by sweeps to the right and back until nothing new is found. */
HD struct track_samegame_span track_samegame_mark_group(struct track_samegame_board b,
							uint32_t column, uint32_t row)
{
	uint32_t colour = track_samegame_colour(*track_samegame_column(b, column), row);
	struct track_samegame_span s = { column, column };
	bool more;

	track_samegame_mark(b, column, colour, (uint32_t)1 << row);
	do {
		more = false;
		for (uint32_t c = s.low + 1; c <= s.high + 1 && c < b.columns; c++)
			if (track_samegame_mark(
				    b, c, colour,
				    track_samegame_marked(*track_samegame_column(b, c - 1)))) {
				more = true;
				s.high = c > s.high ? c : s.high;
			}
		for (uint32_t c = s.high; c > 0 && c >= s.low; c--)
			if (track_samegame_mark(
				    b, c - 1, colour,
				    track_samegame_marked(*track_samegame_column(b, c)))) {
				more = true;
				s.low = c - 1 < s.low ? c - 1 : s.low;
			}
	} while (more);
	return s;
}

/* The column after removal of the rows `gone`; stones above fall. */
HD uint64_t track_samegame_fall(uint64_t w, uint32_t gone)
{
	while (gone) {
		uint32_t from = track_samegame_lowest(gone);
		uint32_t count = track_samegame_lowest(~(gone >> from));
		uint64_t below = (((uint64_t)1 << from) - 1) * TRACK_SAMEGAME_SPREAD;
		uint64_t kept = (TRACK_SAMEGAME_ROWS >> count) * TRACK_SAMEGAME_SPREAD;

		w = (w & below) | ((w >> count) & kept & ~below);
		gone = gone >> (from + count) << from;
	}
	return w;
}

/* Closes empty columns from `low` on; returns the number of columns left of `width`. */
HD uint32_t track_samegame_close(struct track_samegame_board b, uint32_t low, uint32_t width)
{
	uint32_t to = low;

	for (uint32_t c = low; c < width; c++) {
		uint64_t w = *track_samegame_column(b, c);

		if (w)
			*track_samegame_column(b, to++) = w;
	}
	for (uint32_t c = to; c < width; c++)
		*track_samegame_column(b, c) = 0;
	return to;
}

/* Removes the marked stones and updates *width, the number of columns in use. Returns the number of
 * stones removed. */
HD uint32_t track_samegame_remove_marked(struct track_samegame_board b,
					 struct track_samegame_span s, uint32_t *width)
{
	uint32_t stones = 0;
	bool empty = false;

	for (uint32_t c = s.low; c <= s.high; c++) {
		uint64_t w = *track_samegame_column(b, c);
		uint32_t gone = track_samegame_marked(w);

		stones += track_samegame_ones(gone);
		w = track_samegame_fall(w, gone);
		*track_samegame_column(b, c) = w;
		empty |= !w;
	}
	if (empty)
		*width = track_samegame_close(b, s.low, *width);
	return stones;
}

/* Is any group left? */
HD bool track_samegame_can_move(struct track_samegame_board b, uint32_t width)
{
	uint64_t w = track_samegame_column_or_none(b, 0);

	for (uint32_t c = 0; c < width; c++) {
		uint64_t next = track_samegame_column_or_none(b, c + 1);

		if (track_samegame_like_above(w) | track_samegame_like_beside(w, next))
			return true;
		w = next;
	}
	return false;
}

struct track_samegame_rules {
	uint32_t columns, colours;
};

enum { TRACK_SAMEGAME_WAITS = 254, TRACK_SAMEGAME_OVER = 255, TRACK_SAMEGAME_CLEAR_POINTS = 1000 };

struct track_samegame_head {
	int32_t score; /* includes the points for the end once the game is over */
	uint8_t column,
		row;   /* a stone of the group to be played; column may also be one of the above */
	uint8_t width; /* columns in use */
	uint8_t avoided; /* colour that rollouts do not remove while they can */
};

HD struct track_samegame_head *track_samegame_head_of(struct track_state s)
{
	return (struct track_samegame_head *)(void *)s.first;
}

HD struct track_samegame_board track_samegame_board_of(const struct track_samegame_rules *d,
						       struct track_state s)
{
	struct track_samegame_board b;

	b.first = s.first + s.stride;
	b.stride = s.stride;
	b.columns = d->columns;
	return b;
}

HD uint32_t track_samegame_count_colour(struct track_samegame_board b, uint32_t width,
					uint32_t colour)
{
	uint32_t stones = 0;

	for (uint32_t c = 0; c < width; c++)
		stones += track_samegame_ones(
			track_samegame_of_colour(*track_samegame_column(b, c), colour));
	return stones;
}

/* ---- the end of a game ---- */

HD int32_t track_samegame_end(const struct track_samegame_rules *d, struct track_samegame_board b,
			      uint32_t width)
{
	int32_t points = 0;

	if (!width)
		return TRACK_SAMEGAME_CLEAR_POINTS;
	for (uint32_t colour = 1; colour <= d->colours; colour++) {
		int32_t left = (int32_t)track_samegame_count_colour(b, width, colour);

		if (left)
			points -= (left - 2) * (left - 2);
	}
	return points;
}

/* Called at the start and after every move: decides whether the game is over. */
HD void track_samegame_settle(const struct track_samegame_rules *d, struct track_state s)
{
	struct track_samegame_head *h = track_samegame_head_of(s);
	struct track_samegame_board b = track_samegame_board_of(d, s);

	h->column = TRACK_SAMEGAME_WAITS;
	h->row = 0;
	if (track_samegame_can_move(b, h->width))
		return;
	h->column = TRACK_SAMEGAME_OVER;
	h->score += track_samegame_end(d, b, h->width);
}

/* ---- moves ---- */

HD int track_samegame_rules_execute(const struct track_samegame_rules *d, struct track_state s,
				    const struct track_step *at)
{
	struct track_samegame_head *h = track_samegame_head_of(s), now = *h;
	struct track_samegame_board b = track_samegame_board_of(d, s);
	struct track_samegame_span span;
	uint32_t width = now.width;
	int32_t stones;

	(void)at;
	if (now.column >= TRACK_SAMEGAME_WAITS)
		return 1;
	span = track_samegame_mark_group(b, now.column, now.row);
	stones = (int32_t)track_samegame_remove_marked(b, span, &width);
	h->score = now.score + (stones - 2) * (stones - 2);
	h->width = (uint8_t)width;
	track_samegame_settle(d, s);
	return 1;
}

/* Corners: stones of column c with a neighbour of the same colour, but none below or to the left.
 * Every group has at least one, small groups exactly one. The colour `avoided` has none. */
HD uint32_t track_samegame_corners(uint64_t before, uint64_t w, uint64_t next, uint32_t avoided)
{
	uint32_t up = track_samegame_like_above(w);
	uint32_t corners = (up | track_samegame_like_beside(w, next)) & ~(up << 1) &
			   ~track_samegame_like_beside(w, before);

	return avoided ? corners & ~track_samegame_of_colour(w, avoided) : corners;
}

/* Counts the corners of all columns from left to right; stops at the n-th and makes it the next
 * move. */
HD uint32_t track_samegame_walk_corners(struct track_samegame_board b, uint32_t width,
					uint32_t avoided, uint32_t n,
					struct track_samegame_head *move)
{
	uint64_t before = 0, w = track_samegame_column_or_none(b, 0);
	uint32_t seen = 0;

	for (uint32_t c = 0; c < width; c++) {
		uint64_t next = track_samegame_column_or_none(b, c + 1);
		uint32_t corners = track_samegame_corners(before, w, next, avoided);
		uint32_t here = track_samegame_ones(corners);

		if (n < seen + here) {
			move->column = (uint8_t)c;
			move->row = (uint8_t)track_samegame_bit(corners, n - seen);
			return seen;
		}
		seen += here;
		before = w;
		w = next;
	}
	return seen;
}

/* Chooses a random group, each with about the same probability; one of the avoided colour only if
 * there is no other. */
HD void track_samegame_choose(const struct track_samegame_rules *d, struct track_state s,
			      const struct track_step *at)
{
	struct track_samegame_head *h = track_samegame_head_of(s);
	struct track_samegame_board b = track_samegame_board_of(d, s);
	uint32_t avoided = h->avoided;
	uint32_t corners = track_samegame_walk_corners(b, h->width, avoided, UINT32_MAX, h);

	if (!corners) {
		avoided = 0;
		corners = track_samegame_walk_corners(b, h->width, avoided, UINT32_MAX, h);
	}
	if (corners)
		track_samegame_walk_corners(b, h->width, avoided,
					    track_random_below(track_random(at, 0), corners), h);
}

/* The colour with the most stones; of several, the first. */
HD uint32_t track_samegame_most(const struct track_samegame_rules *d, struct track_samegame_board b,
				uint32_t width)
{
	uint32_t most = 0, best = 0;

	for (uint32_t colour = 1; colour <= d->colours; colour++) {
		uint32_t stones = track_samegame_count_colour(b, width, colour);

		if (stones > most) {
			most = stones;
			best = colour;
		}
	}
	return best;
}

/* True if a stone has a neighbour of the same colour. */
HD bool track_samegame_is_group(struct track_samegame_board b, uint32_t column, uint32_t row)
{
	uint64_t w, before;
	uint32_t up;

	if (column >= b.columns || row >= TRACK_SAMEGAME_PLANE)
		return false;
	w = *track_samegame_column(b, column);
	before = column ? *track_samegame_column(b, column - 1) : 0;
	up = track_samegame_like_above(w);
	up |= up << 1 | track_samegame_like_beside(w, before) |
	      track_samegame_like_beside(w, track_samegame_column_or_none(b, column + 1));
	return up >> row & 1;
}

/* A successor that is not the number of a group is a seed, which chooses a group at random. */
HD void track_samegame_rules_assign(const struct track_samegame_rules *d, struct track_state s,
				    const struct track_step *at)
{
	struct track_samegame_head *h = track_samegame_head_of(s);
	struct track_samegame_board b = track_samegame_board_of(d, s);
	uint32_t column = at->successor / 32, row = at->successor % 32;

	if (h->column == TRACK_SAMEGAME_OVER)
		return;
	if (at->step == 0) {
		h->avoided = (uint8_t)track_samegame_most(d, b, h->width);
		if (track_samegame_is_group(b, column, row)) {
			h->column = (uint8_t)column;
			h->row = (uint8_t)row;
			return;
		}
	}
	track_samegame_choose(d, s, at);
}

/* ---- successors ---- */

/* Removes the groups of a board one by one and writes their numbers to `out` (unless NULL). Stops
 * at the k-th and stores its number in *kth. Returns the number of groups found. */
HD uint32_t track_samegame_list(struct track_samegame_board b, uint32_t width, uint32_t *out,
				uint32_t k, uint32_t *kth)
{
	uint32_t found = 0;

	for (uint32_t c = 0; c < width; c++)
		for (;;) {
			uint64_t w = *track_samegame_column(b, c);
			uint32_t up = track_samegame_like_above(w), row;
			struct track_samegame_span span;

			up |= track_samegame_like_beside(w,
							 track_samegame_column_or_none(b, c + 1));
			if (!up)
				break;
			row = track_samegame_lowest(up);
			span = track_samegame_mark_group(b, c, row);
			for (uint32_t i = span.low; i <= span.high; i++) {
				uint64_t *column = track_samegame_column(b, i);

				*column &=
					~(track_samegame_marked(*column) * TRACK_SAMEGAME_SPREAD);
			}
			if (out)
				out[found] = c * 32 + row;
			if (found == k) {
				*kth = c * 32 + row;
				return k + 1;
			}
			found++;
		}
	return found;
}

/* A copy of the state's board that the caller may destroy. */
struct track_samegame_copy {
	uint64_t column[20];
};

HD struct track_samegame_board track_samegame_copy_board(const struct track_samegame_rules *d,
							 struct track_state s,
							 struct track_samegame_copy *copy)
{
	struct track_samegame_board from = track_samegame_board_of(d, s), b;

	b.first = (unsigned char *)copy->column;
	b.stride = sizeof(copy->column[0]);
	b.columns = d->columns;
	for (uint32_t c = 0; c < d->columns; c++)
		copy->column[c] = *track_samegame_column(from, c);
	return b;
}

HD uint32_t track_samegame_rules_expand(const struct track_samegame_rules *d, struct track_state s)
{
	struct track_samegame_head h = *track_samegame_head_of(s);
	struct track_samegame_copy copy;

	if (h.column == TRACK_SAMEGAME_OVER)
		return 0;
	return track_samegame_list(track_samegame_copy_board(d, s, &copy), h.width, 0, UINT32_MAX,
				   0);
}

/* The number of the k-th successor; 0 if there is none. */
HD uint32_t track_samegame_rules_successor(const struct track_samegame_rules *d,
					   struct track_state s, uint32_t k)
{
	struct track_samegame_copy copy;
	uint32_t successor = 0;

	track_samegame_list(track_samegame_copy_board(d, s, &copy),
			    track_samegame_head_of(s)->width, 0, k, &successor);
	return successor;
}

/* ---- rating ---- */

/* Estimate of the points still to come: half of what the stones of each colour would score in one
 * group, less for every connected part that they form. Parts are counted by Euler's formula,
 * stones - pairs + squares, which is too low by one for every hole that a part encloses. */
enum { TRACK_SAMEGAME_PART_POINTS = 30 };

HD int32_t track_samegame_colour_hope(struct track_samegame_board b, uint32_t width,
				      uint32_t colour)
{
	uint32_t here = track_samegame_of_colour(track_samegame_column_or_none(b, 0), colour);
	uint32_t stones = 0, pairs = 0, squares = 0;
	int32_t square_of;

	for (uint32_t c = 0; c < width; c++) {
		uint32_t next =
			track_samegame_of_colour(track_samegame_column_or_none(b, c + 1), colour);
		uint32_t both = here & next;

		stones += track_samegame_ones(here);
		pairs += track_samegame_ones(here & here >> 1) + track_samegame_ones(both);
		squares += track_samegame_ones(both & both >> 1);
		here = next;
	}
	square_of = (int32_t)stones - 2;
	return square_of * square_of / 2 -
	       TRACK_SAMEGAME_PART_POINTS * (int32_t)(stones - pairs + squares);
}

HD int32_t track_samegame_hope(const struct track_samegame_rules *d, struct track_samegame_board b,
			       uint32_t width)
{
	int32_t hope = 0;

	for (uint32_t colour = 1; colour <= d->colours; colour++)
		hope += track_samegame_colour_hope(b, width, colour);
	return hope;
}

/* A rating is twice TRACK_SAMEGAME_RATED minus the score and the estimate, plus 1 if the game is
 * over; then it gives the score exactly. */
#define TRACK_SAMEGAME_RATED (UINT32_C(1) << 29)

HD int32_t track_samegame_rated_score(uint32_t rating)
{
	return (int32_t)(TRACK_SAMEGAME_RATED - rating / 2);
}

HD uint32_t track_samegame_rules_rate(const struct track_samegame_rules *d, struct track_state s)
{
	struct track_samegame_head h = *track_samegame_head_of(s);
	int32_t value = h.score;
	uint32_t over = h.column == TRACK_SAMEGAME_OVER;

	if (!over)
		value += track_samegame_hope(d, track_samegame_board_of(d, s), h.width);
	return 2 * (TRACK_SAMEGAME_RATED - (uint32_t)value) + over;
}

#endif
