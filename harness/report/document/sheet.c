/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/document/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/text.h"

int sheet_create(struct sheet *s, const char *title, size_t columns, size_t rows, struct err *e)
{
	*s = (struct sheet){ .columns = columns, .rows = rows };
	s->heading = calloc(columns + 1, sizeof(*s->heading));
	s->left = calloc(columns + 1, sizeof(*s->left));
	s->cell = calloc(columns * rows + 1, sizeof(*s->cell));
	int status = text_copy(&s->title, title, e);
	if (!status && (!s->heading || !s->left || !s->cell))
		status = err_set(e, ERR_MEMORY, "out of memory");
	if (status)
		sheet_free(s);
	return status;
}

void sheet_free(struct sheet *s)
{
	for (size_t i = 0; s->heading && i < s->columns; i++)
		free(s->heading[i]);
	for (size_t i = 0; s->cell && i < s->columns * s->rows; i++) {
		free(s->cell[i].shown);
		free(s->cell[i].exact);
		free(s->cell[i].hint);
		free(s->cell[i].link);
		free(s->cell[i].anchor);
	}
	free(s->heading);
	free(s->left);
	free(s->cell);
	free(s->title);
	*s = (struct sheet){ 0 };
}

int sheet_heading(struct sheet *s, size_t column, const char *text, bool left, struct err *e)
{
	s->left[column] = left;
	return text_copy(&s->heading[column], text, e);
}

int sheet_put(struct sheet *s, size_t row, size_t column, const char *shown, struct err *e)
{
	return text_copy(&sheet_at(s, row, column)->shown, shown, e);
}

int sheet_print(struct sheet *s, size_t row, size_t column, struct err *e, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sheet_put(s, row, column, text, e);
}

int sheet_link(struct sheet *s, size_t row, size_t column, struct text *link, struct err *e)
{
	int status = text_copy(&sheet_at(s, row, column)->link, text_get(link), e);
	link->length = 0;
	return status;
}

int sheet_headings(struct sheet *s, const char *const *names, size_t left, struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < s->columns && !status; i++)
		status = sheet_heading(s, i, names[i], i < left, e);
	return status;
}

static const char *shown(const struct sheet_cell *c)
{
	return c->shown ? c->shown : "";
}

/* Writes a cell's text, with its anchor and link. */
static void write_shown(const struct sheet_cell *c, const char *text, struct text *out,
			enum text_kind kind)
{
	if (c->anchor && kind == TEXT_MARKDOWN)
		text_add(out, "<a id=\"%s\"></a>", c->anchor);
	if (c->link)
		text_add_link(out, c->link, text, kind);
	else
		text_add_escaped(out, text, kind);
}

static void write_markdown(const struct sheet *s, struct text *out)
{
	for (size_t i = 0; i < s->columns; i++) {
		text_add(out, "| ");
		text_add_escaped(out, s->heading[i], TEXT_MARKDOWN);
		text_add(out, i + 1 < s->columns ? " " : " |\n");
	}
	for (size_t i = 0; i < s->columns; i++)
		text_add(out, s->left[i] ? "|:--" : "|--:");
	text_add(out, "|\n");
	for (size_t i = 0; i < s->rows * s->columns; i++) {
		text_add(out, "| ");
		write_shown(&s->cell[i], shown(&s->cell[i]), out, TEXT_MARKDOWN);
		text_add(out, (i + 1) % s->columns ? " " : " |\n");
	}
}

static void write_latex(const struct sheet *s, struct text *out)
{
	text_add(out, "\\begin{tabular}{");
	for (size_t i = 0; i < s->columns; i++)
		text_add(out, s->left[i] ? "l" : "r");
	text_add(out, "}\n\\toprule\n");
	for (size_t i = 0; i < s->columns; i++) {
		text_add_escaped(out, s->heading[i], TEXT_LATEX);
		text_add(out, i + 1 < s->columns ? " & " : " \\\\\n\\midrule\n");
	}
	for (size_t i = 0; i < s->rows * s->columns; i++) {
		text_add_escaped(out, shown(&s->cell[i]), TEXT_LATEX);
		text_add(out, (i + 1) % s->columns ? " & " : " \\\\\n");
	}
	text_add(out, "\\bottomrule\n\\end{tabular}\n");
}

/* The number of characters, not bytes, of a UTF-8 text. */
static size_t width(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Computes the width of each column in characters; 0 for the last column if it needs no padding. */
static void measure(const struct sheet *s, size_t *widths)
{
	for (size_t i = 0; i < s->columns; i++) {
		widths[i] = width(s->heading[i]);
		for (size_t row = 0; row < s->rows; row++) {
			size_t n = width(shown(&s->cell[row * s->columns + i]));
			widths[i] = n > widths[i] ? n : widths[i];
		}
	}
	if (s->columns && s->left[s->columns - 1])
		widths[s->columns - 1] = 0;
}

static void add_padded(struct text *t, const char *s, size_t to, bool left)
{
	size_t n = width(s), blanks = to > n ? to - n : 0;
	text_add(t, "%*s%s%*s", left ? 0 : (int)blanks, "", s, left ? (int)blanks : 0, "");
}

static void write_plain(const struct sheet *s, struct text *out)
{
	size_t *widths = calloc(s->columns + 1, sizeof(*widths));
	if (!widths) {
		out->failed = true;
		return;
	}
	measure(s, widths);
	for (size_t row = 0; row <= s->rows; row++)
		for (size_t i = 0; i < s->columns; i++) {
			const char *text =
				row ? shown(&s->cell[(row - 1) * s->columns + i]) : s->heading[i];
			add_padded(out, text, widths[i], s->left[i]);
			text_add(out, i + 1 < s->columns ? "  " : "\n");
		}
	free(widths);
}

static void write_csv(const struct sheet *s, struct text *out)
{
	for (size_t i = 0; i < s->columns; i++) {
		text_add_escaped(out, s->heading[i], TEXT_CSV);
		text_add(out, i + 1 < s->columns ? "," : "\n");
	}
	for (size_t i = 0; i < s->rows * s->columns; i++) {
		const struct sheet_cell *c = &s->cell[i];
		text_add_escaped(out, c->exact ? c->exact : shown(c), TEXT_CSV);
		text_add(out, (i + 1) % s->columns ? "," : "\n");
	}
}

/* The CSS classes of a left-aligned cell: a long text needs a wider column. */
static const char *class_of_text(const struct sheet_cell *c)
{
	enum { WORDS = 32 };

	return strlen(shown(c)) > WORDS ? "l long" : "l";
}

static void write_html_cell(const struct sheet *s, size_t column, const struct sheet_cell *c,
			    struct text *out)
{
	text_add(out, "<td");
	if (s->left[column] || c->mark)
		text_add(out, " class=\"%s%s%s\"", s->left[column] ? class_of_text(c) : "",
			 s->left[column] && c->mark ? " " : "", c->mark ? c->mark : "");
	if (c->anchor)
		text_add(out, " id=\"%s\"", c->anchor);
	if (c->hint) {
		text_add(out, " title=\"");
		text_add_escaped(out, c->hint, TEXT_HTML);
		text_add(out, "\"");
	}
	text_add(out, ">");
	write_shown(c, *shown(c) ? shown(c) : "–", out, TEXT_HTML);
	text_add(out, "</td>");
}

static void write_html(const struct sheet *s, struct text *out)
{
	text_add(out, "<div class=\"scroll\"><table>\n<thead><tr>");
	for (size_t i = 0; i < s->columns; i++) {
		text_add(out, "<th%s>", s->left[i] ? " class=\"l\"" : "");
		text_add_escaped(out, s->heading[i], TEXT_HTML);
		text_add(out, "</th>");
	}
	text_add(out, "</tr></thead>\n<tbody>\n");
	for (size_t row = 0; row < s->rows; row++) {
		text_add(out, "<tr>");
		for (size_t i = 0; i < s->columns; i++)
			write_html_cell(s, i, &s->cell[row * s->columns + i], out);
		text_add(out, "</tr>\n");
	}
	text_add(out, "</tbody>\n</table></div>\n");
}

void sheet_write(const struct sheet *s, struct text *out, enum text_kind kind)
{
	if (kind == TEXT_MARKDOWN)
		write_markdown(s, out);
	else if (kind == TEXT_LATEX)
		write_latex(s, out);
	else if (kind == TEXT_CSV)
		write_csv(s, out);
	else if (kind == TEXT_PLAIN)
		write_plain(s, out);
	else
		write_html(s, out);
}
