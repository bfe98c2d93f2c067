/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/samegame/samegame.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/base/text_reader.h"

static const char prefix[] = "random:";

static int within(const char *what, int value, int most, struct err *e)
{
	if (value < 1 || value > most)
		return err_set(e, ERR_INPUT, "number of %s %d is not in 1..%d", what, value, most);
	return 0;
}

/* Draws the cells row by row from the top, each uniform in 1..colours (colours >= 1), from
 * harness/base/rng.h seeded with `seed`. */
static int generate(struct samegame *g, int rows, int columns, int colours, uint64_t seed,
		    struct err *e)
{
	struct rng r = rng_seeded(seed);
	int status;

	*g = (struct samegame){ .rows = 0 };
	if ((status = within("rows", rows, SAMEGAME_MAX_ROWS, e)) ||
	    (status = within("columns", columns, SAMEGAME_MAX_COLUMNS, e)) ||
	    (status = within("colours", colours, SAMEGAME_MAX_COLOURS, e)))
		return status;
	g->rows = rows;
	g->columns = columns;
	snprintf(g->name, sizeof(g->name), "samegame-%dx%d-c%d-s%" PRIu64, rows, columns, colours,
		 seed);
	for (int i = 0; i < rows * columns; i++) {
		g->cell[i] = (uint8_t)rng_between(&r, 1, colours);
		if (g->cell[i] > g->colours)
			g->colours = g->cell[i];
	}
	return 0;
}

/* Parses ROWSxCOLUMNS:COLOURS:SEED. Checks the characters, since sscanf accepts signs and spaces.
 */
static int from_parameters(struct samegame *g, const char *parameters, struct err *e)
{
	int rows, columns, colours, used = 0;
	uint64_t seed;

	if (parameters[strspn(parameters, "0123456789:x")] != '\0' ||
	    sscanf(parameters, "%4dx%4d:%4d:%19" SCNu64 "%n", &rows, &columns, &colours, &seed,
		   &used) < 4 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "expected random:ROWSxCOLUMNS:COLOURS:SEED");
	return generate(g, rows, columns, colours, seed, e);
}

/* ---- files ---- */

enum { LINE_BYTES = 1024 };

/* Removes the comment. Returns whether anything is left. */
static bool has_row(struct text_reader *r)
{
	r->text[strcspn(r->text, "#")] = '\0';
	return !text_at_end(r->text);
}

/* Reads the *count cells of one line. */
static int row_cells(struct text_reader *r, uint8_t *cell, int *count, struct err *e)
{
	*count = 0;
	for (const char *s = r->text; *s; s++) {
		if (strchr(" \t\r", *s))
			continue;
		if (!isdigit((unsigned char)*s) || *s - '0' > SAMEGAME_MAX_COLOURS)
			return text_bad(r, e, "column %d: expected a colour from 0 to %d",
					*count + 1, SAMEGAME_MAX_COLOURS);
		if (*count == SAMEGAME_MAX_COLUMNS)
			return text_bad(r, e, "more than %d columns", SAMEGAME_MAX_COLUMNS);
		cell[(*count)++] = (uint8_t)(*s - '0');
	}
	return 0;
}

static int read_row(struct text_reader *r, struct samegame *g, struct err *e)
{
	uint8_t cell[SAMEGAME_MAX_COLUMNS];
	int count, status = row_cells(r, cell, &count, e);

	if (status)
		return status;
	if (g->rows == SAMEGAME_MAX_ROWS)
		return text_bad(r, e, "more than %d rows", SAMEGAME_MAX_ROWS);
	if (g->rows == 0)
		g->columns = count;
	if (count != g->columns)
		return text_bad(r, e, "%d columns, but the first row has %d", count, g->columns);
	for (int column = 0; column < count; column++) {
		int above = g->rows ? g->cell[(g->rows - 1) * count + column] : 0;

		if (above && !cell[column])
			return text_bad(r, e, "column %d: empty cell below a stone", column + 1);
		g->cell[g->rows * count + column] = cell[column];
		if (cell[column] > g->colours)
			g->colours = cell[column];
	}
	g->rows++;
	return 0;
}

/* Checks the bottom row: no column to the left of a stone may be empty. */
static int check_ground(const struct text_reader *r, const struct samegame *g, struct err *e)
{
	const uint8_t *ground = g->cell + (g->rows - 1) * g->columns;

	for (int column = 1; column < g->columns; column++)
		if (ground[column] && !ground[column - 1])
			return text_bad(r, e, "column %d is empty but the next one is not", column);
	return 0;
}

static int read_all(struct text_reader *r, struct samegame *g, struct err *e)
{
	int64_t last = 0;
	int status;

	while (!(status = text_next_line(r, e)) && !r->ended)
		if (has_row(r)) {
			if ((status = read_row(r, g, e)))
				return status;
			last = r->line;
		}
	if (status)
		return status;
	if (!g->rows)
		return text_bad(r, e, "the file contains no board");
	r->line = last;
	return check_ground(r, g, e);
}

static int read_file(struct samegame *g, const char *path, struct err *e)
{
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*g = (struct samegame){ .rows = 0 };
	if ((status = text_open(&r, path, buffer, sizeof(buffer), e)))
		return status;
	snprintf(g->name, sizeof(g->name), "%s", text_base_name(path));
	status = read_all(&r, g, e);
	text_close(&r);
	if (status)
		*g = (struct samegame){ .rows = 0 };
	return status;
}

/* ---- known names and files ---- */

bool samegame_is_name(const char *name)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

int samegame_load(struct samegame *g, const char *name_or_file, struct err *e)
{
	*g = (struct samegame){ .rows = 0 };
	if (!samegame_is_name(name_or_file))
		return read_file(g, name_or_file, e);
	return from_parameters(g, name_or_file + strlen(prefix), e) ?
		       err_prefix(e, "%s", name_or_file) :
		       0;
}

/* ==== oracle: the rules of the game, from their definition, cell by cell ==== */

static int colour_at(const struct samegame *g, int row, int column)
{
	if (row < 0 || row >= g->rows || column < 0 || column >= g->columns)
		return 0;
	return g->cell[row * g->columns + column];
}

/* Marks the unmarked stones of the group that contains this cell. Returns their number. */
static int mark_group(const struct samegame *g, bool *marked, int row, int column)
{
	static const int down[] = { 1, -1, 0, 0 }, right[] = { 0, 0, 1, -1 };
	int colour = colour_at(g, row, column), count = 1;

	marked[row * g->columns + column] = true;
	for (int way = 0; way < 4; way++) {
		int y = row + down[way], x = column + right[way];

		if (colour_at(g, y, x) == colour && !marked[y * g->columns + x])
			count += mark_group(g, marked, y, x);
	}
	return count;
}

static void remove_marked(struct samegame *g, const bool *marked)
{
	for (int i = 0; i < g->rows * g->columns; i++)
		if (marked[i])
			g->cell[i] = 0;
}

static void let_fall(struct samegame *g)
{
	for (int column = 0; column < g->columns; column++) {
		int to = g->rows - 1;

		for (int row = g->rows - 1; row >= 0; row--) {
			uint8_t stone = g->cell[row * g->columns + column];

			g->cell[row * g->columns + column] = 0;
			if (stone)
				g->cell[to-- * g->columns + column] = stone;
		}
	}
}

static void close_columns(struct samegame *g)
{
	int to = 0;

	for (int column = 0; column < g->columns; column++) {
		bool empty = colour_at(g, g->rows - 1, column) == 0;

		for (int row = 0; row < g->rows && !empty; row++)
			g->cell[row * g->columns + to] = g->cell[row * g->columns + column];
		to += !empty;
	}
	for (; to < g->columns; to++)
		for (int row = 0; row < g->rows; row++)
			g->cell[row * g->columns + to] = 0;
}

int samegame_play(struct samegame *g, const int64_t *moves, size_t count, int64_t *points,
		  struct err *e)
{
	*points = 0;
	for (size_t i = 0; i < count; i++) {
		bool marked[SAMEGAME_MAX_CELLS] = { false };
		int stones;

		if (moves[i] < 0 || moves[i] >= g->rows * g->columns || !g->cell[moves[i]])
			return err_set(e, ERR_INPUT, "move %zu: no stone at cell %" PRId64, i + 1,
				       moves[i]);
		stones = mark_group(g, marked, (int)moves[i] / g->columns,
				    (int)moves[i] % g->columns);
		if (stones < 2)
			return err_set(e, ERR_INPUT,
				       "move %zu: the stone has no neighbour of its colour at cell "
				       "%" PRId64,
				       i + 1, moves[i]);
		*points += (int64_t)(stones - 2) * (stones - 2);
		remove_marked(g, marked);
		let_fall(g);
		close_columns(g);
	}
	return 0;
}

int samegame_groups(const struct samegame *g, int *first)
{
	bool marked[SAMEGAME_MAX_CELLS] = { false };
	int groups = 0;

	for (int column = 0; column < g->columns; column++)
		for (int row = g->rows - 1; row >= 0; row--) {
			int cell = row * g->columns + column;

			if (!g->cell[cell] || marked[cell] ||
			    mark_group(g, marked, row, column) < 2)
				continue;
			if (first)
				first[groups] = cell;
			groups++;
		}
	return groups;
}

int64_t samegame_end_points(const struct samegame *g, bool *over)
{
	int left[SAMEGAME_MAX_COLOURS + 1] = { 0 };
	int64_t points = 0;

	for (int i = 0; i < g->rows * g->columns; i++)
		left[g->cell[i]]++;
	*over = samegame_groups(g, NULL) == 0;
	if (left[0] == g->rows * g->columns)
		return 1000;
	for (int colour = 1; colour <= SAMEGAME_MAX_COLOURS; colour++)
		if (left[colour])
			points -= (int64_t)(left[colour] - 2) * (left[colour] - 2);
	return points;
}

int samegame_score(const struct samegame *g, const int64_t *moves, size_t count, int64_t *score,
		   struct err *e)
{
	struct samegame board = *g;
	bool over;
	int status = samegame_play(&board, moves, count, score, e);

	if (status)
		return status;
	*score += samegame_end_points(&board, &over);
	if (!over)
		return err_set(e, ERR_INPUT,
			       "moves are still possible after the last one, move %zu", count);
	return 0;
}
