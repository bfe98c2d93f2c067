/* The rules of the game, from their definition, cell by cell. */
#include <inttypes.h>
#include <string.h>

#include "datasets/samegame/samegame.h"

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
