/* The reader of SameGame boards. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "datasets/samegame/samegame.h"
#include "harness/base/text_reader.h"

enum { LINE_BYTES = 1024 };

/* The line without its comment; false where nothing is left of it. */
static bool has_row(struct text_reader *r)
{
	r->text[strcspn(r->text, "#")] = '\0';
	return !text_at_end(r->text);
}

/* The cells of one line; *count of them. */
static int row_cells(struct text_reader *r, uint8_t *cell, int *count, struct err *e)
{
	*count = 0;
	for (const char *s = r->text; *s; s++) {
		if (strchr(" \t\r", *s))
			continue;
		if (!isdigit((unsigned char)*s) || *s - '0' > SAMEGAME_MAX_COLOURS)
			return text_bad(r, e, "column %d: expected a colour, 0 to %d", *count + 1,
					SAMEGAME_MAX_COLOURS);
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
		return text_bad(r, e, "%d columns, but %d in the first row", count, g->columns);
	for (int column = 0; column < count; column++) {
		int above = g->rows ? g->cell[(g->rows - 1) * count + column] : 0;

		if (above && !cell[column])
			return text_bad(r, e, "column %d: nothing below a stone", column + 1);
		g->cell[g->rows * count + column] = cell[column];
		if (cell[column] > g->colours)
			g->colours = cell[column];
	}
	g->rows++;
	return 0;
}

/* On the ground: no empty column to the left of stones. */
static int check_ground(const struct text_reader *r, const struct samegame *g, struct err *e)
{
	const uint8_t *ground = g->cell + (g->rows - 1) * g->columns;

	for (int column = 1; column < g->columns; column++)
		if (ground[column] && !ground[column - 1])
			return text_bad(r, e, "column %d is empty, the next one is not", column);
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
		return text_bad(r, e, "no board in the file");
	r->line = last;
	return check_ground(r, g, e);
}

int samegame_read(struct samegame *g, const char *path, struct err *e)
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
