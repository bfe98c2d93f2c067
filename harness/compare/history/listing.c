#include "harness/compare/history/listing.h"

#include <stdlib.h>
#include <string.h>

int listing_add(struct listing *l, const char *const *cells, struct err *e)
{
	int status = array_grow((void **)&l->row, l->rows, sizeof(*l->row), e);

	if (status)
		return status;
	memset(l->row[l->rows], 0, sizeof(*l->row));
	l->rows++;
	for (size_t c = 0; l->heading[c] && status == 0; c++)
		status = text_copy(&l->row[l->rows - 1][c], cells[c], e);
	return status;
}

void listing_free(struct listing *l)
{
	for (size_t r = 0; r < l->rows; r++)
		for (size_t c = 0; c < LISTING_COLUMNS; c++)
			free(l->row[r][c]);
	free(l->row);
	l->row = NULL;
	l->rows = 0;
}

/* Characters, not bytes, of UTF-8. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void add_padded(struct text *t, const char *s, size_t to, bool left)
{
	if (left)
		text_add(t, "%s", s);
	for (size_t n = width(s); n < to; n++)
		text_add(t, " ");
	if (!left)
		text_add(t, "%s", s);
}

static void terminal_row(const struct listing *l, const char *const *cells, const size_t *widths,
			 struct text *t)
{
	for (size_t c = 0; l->heading[c]; c++) {
		if (c)
			text_add(t, "  ");
		bool left = l->align[c] != 'r';

		add_padded(t, cells[c], left && !l->heading[c + 1] ? 0 : widths[c], left);
	}
	text_add(t, "\n");
}

static void write_terminal(const struct listing *l, struct text *t)
{
	size_t widths[LISTING_COLUMNS] = { 0 };

	for (size_t c = 0; l->heading[c]; c++) {
		widths[c] = width(l->heading[c]);
		for (size_t r = 0; r < l->rows; r++)
			if (width(l->row[r][c]) > widths[c])
				widths[c] = width(l->row[r][c]);
	}
	terminal_row(l, l->heading, widths, t);
	for (size_t r = 0; r < l->rows; r++)
		terminal_row(l, (const char *const *)l->row[r], widths, t);
}

static void write_markdown(const struct listing *l, struct text *t)
{
	for (size_t c = 0; l->heading[c]; c++)
		text_add(t, "| %s ", l->heading[c]);
	text_add(t, "|\n");
	for (size_t c = 0; l->heading[c]; c++)
		text_add(t, l->align[c] != 'r' ? "| --- " : "| ---: ");
	text_add(t, "|\n");
	for (size_t r = 0; r < l->rows; r++) {
		for (size_t c = 0; l->heading[c]; c++) {
			text_add(t, "| ");
			text_add_escaped(t, l->row[r][c], TEXT_MARKDOWN);
			text_add(t, " ");
		}
		text_add(t, "|\n");
	}
}

/* Classes of the report's style sheet. */
static const char *html_class(const struct listing *l, size_t column)
{
	return l->align[column] == 'r' ? "" :
	       l->align[column] == 't' ? " class=\"l tight\"" :
					 " class=\"l\"";
}

static void write_html(const struct listing *l, struct text *t)
{
	text_add(t, "<div class=\"scroll\"><table><thead><tr>");
	for (size_t c = 0; l->heading[c]; c++)
		text_add(t, "<th%s>%s</th>", html_class(l, c), l->heading[c]);
	text_add(t, "</tr></thead><tbody>\n");
	for (size_t r = 0; r < l->rows; r++) {
		text_add(t, "<tr>");
		for (size_t c = 0; l->heading[c]; c++) {
			text_add(t, "<td%s>", html_class(l, c));
			text_add_escaped(t, l->row[r][c], TEXT_HTML);
			text_add(t, "</td>");
		}
		text_add(t, "</tr>\n");
	}
	text_add(t, "</tbody></table></div>\n");
}

void listing_write(const struct listing *l, enum listing_form form, struct text *t)
{
	static void (*const write[])(const struct listing *, struct text *) = {
		[LISTING_TERMINAL] = write_terminal,
		[LISTING_MARKDOWN] = write_markdown,
		[LISTING_HTML] = write_html,
	};

	write[form](l, t);
}
