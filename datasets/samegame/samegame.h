/* SameGame boards: stones of several colours on a grid. A move removes a group of two or more
 * stones of one colour that touch by their sides; stones above fall, and columns to the right of an
 * empty one move to the left.
 *
 * Score, as in Schadd, Winands, Tak, Uiterwijk, "Single-player Monte-Carlo tree search for
 * SameGame" (Knowledge-Based Systems 34, 2012): (n - 2)^2 for a move of n stones; at the end 1,000
 * where the board is empty, else less (n - 2)^2 for every colour of which n >= 1 stones are left.
 *
 * Known names:  random:ROWSxCOLUMNS:COLOURS:SEED   every stone uniform in 1..COLOURS
 * Files: see samegame_read. Limits: 20 rows, 20 columns, 6 colours. */
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
	int colours;                      /* the highest on the board, 0 on an empty one */
	uint8_t cell[SAMEGAME_MAX_CELLS]; /* cell[row * columns + column], row 0 on top; 0: empty */
};

/* A line a row, from the top: digits 0..6, one a column, 0 for an empty cell, with or without
 * blanks between. '#' begins a comment. Stones must lie on stones or on the ground, and no column
 * but the last ones may be empty. ERR_INPUT names file and line of the first thing wrong. */
int samegame_read(struct samegame *g, const char *path, struct err *e);

/* splitmix64 (harness/base/rng.h) seeded with `seed`; cells row by row from the top, each uniform
 * in 1..colours, colours >= 1. */
int samegame_random(struct samegame *g, int rows, int columns, int colours, uint64_t seed,
		    struct err *e);

bool samegame_is_name(const char *name);
/* A known name or a file. */
int samegame_load(struct samegame *g, const char *name_or_file, struct err *e);
int samegame_write(const struct samegame *g, const char *path, struct err *e);
uint64_t samegame_hash(const struct samegame *g);

/* ---- the oracle: the plainest code, sharing none with any search ---- */

/* Plays the moves on *g, each the cell row * columns + column of any stone of the group that goes.
 * *points: what they score, without what the end of the game gives. ERR_INPUT naming the first move
 * that cannot be made; *g is then the board before it. */
int samegame_play(struct samegame *g, const int64_t *moves, size_t count, int64_t *points,
		  struct err *e);
/* Groups of two or more stones; `first` (room for all cells, may be NULL): a cell of each, in the
 * order column by column from the left, from the bottom up. */
int samegame_groups(const struct samegame *g, int *first);
/* What the end of the game gives on this board; *over says whether it is the end. */
int64_t samegame_end_points(const struct samegame *g, bool *over);
/* Score of a whole game; ERR_INPUT too where moves are left at its end. */
int samegame_score(const struct samegame *g, const int64_t *moves, size_t count, int64_t *score,
		   struct err *e);

#endif
