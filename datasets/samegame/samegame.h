/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* SameGame boards: stones of several colours on a grid. A move removes a group of two or more
 * adjacent stones of one colour. Then the stones above fall, and columns to the right of an empty
 * column move left.
 *
 * Score, as in Schadd, Winands, Tak, Uiterwijk, "Single-player Monte-Carlo tree search for
 * SameGame" (Knowledge-Based Systems 34, 2012): (n - 2)^2 for a move of n stones. At the end,
 * 1,000 for an empty board; otherwise minus (n - 2)^2 for every colour with n >= 1 stones left.
 *
 * Known names:  random:ROWSxCOLUMNS:COLOURS:SEED   every stone uniform in 1..COLOURS
 *
 * Files: one line per row, from the top. A row has a digit 0..6 per column, 0 for an empty cell,
 * with or without blanks between them. '#' begins a comment. Stones must rest on stones or on the
 * ground, and only the last columns may be empty.
 *
 * Limits: 20 rows, 20 columns, 6 colours. */
#ifndef COPRA_DATASETS_SAMEGAME_SAMEGAME_H
#define COPRA_DATASETS_SAMEGAME_SAMEGAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum {
	SAMEGAME_MAX_ROWS = 20,
	SAMEGAME_MAX_COLUMNS = 20,
	SAMEGAME_MAX_CELLS = SAMEGAME_MAX_ROWS * SAMEGAME_MAX_COLUMNS,
	SAMEGAME_MAX_COLOURS = 6,
};

struct samegame {
	char name[128];                   /* "samegame-15x15-c5-s1", or the file's base name */
	int rows, columns;                /* >= 1 */
	int colours;                      /* the highest number on the board; 0 if it is empty */
	uint8_t cell[SAMEGAME_MAX_CELLS]; /* cell[row * columns + column], row 0 on top; 0: empty */
};

/* Whether it begins like a known name. */
bool samegame_is_name(const char *name);
/* Loads a known name or a file. ERR_INPUT names the file and line of the first error. */
int samegame_load(struct samegame *g, const char *name_or_file, struct err *e);

/* ---- oracle: plain code that shares nothing with any search ---- */

/* Plays the moves on *g. A move is the cell (row * columns + column) of any stone of its group.
 * Sets *points to their score without the points for the end of the game. ERR_INPUT names the first
 * illegal move; *g is then the board before it. */
int samegame_play(struct samegame *g, const int64_t *moves, size_t count, int64_t *points,
		  struct err *e);
/* Counts the groups of two or more stones. `first` (room for all cells, or NULL) receives a cell of
 * each, in order of columns from the left, and from the bottom up within a column. */
int samegame_groups(const struct samegame *g, int *first);
/* The points that the end of the game gives on this board. Sets *over to whether it has ended. */
int64_t samegame_end_points(const struct samegame *g, bool *over);
/* The score of a whole game. ERR_INPUT also if moves are possible after the last one. */
int samegame_score(const struct samegame *g, const int64_t *moves, size_t count, int64_t *score,
		   struct err *e);

#endif
