#include "harness/report/doc_latex_sheet.h"

#include <string.h>

#include "harness/report/link.h"

enum { PART = 42, LONG = 44 }; /* rows a page; characters that need a column of their own */

static const char *shown(const struct sheet_cell *c)
{
	return c->shown ? c->shown : "";
}

static size_t widest(const struct sheet *s, size_t column)
{
	size_t width = strlen(s->heading[column]);
	if (width > 14)
		width = 14; /* headings break */
	for (size_t row = 0; row < s->rows; row++) {
		size_t length = strlen(shown(&s->cell[row * s->columns + column]));
		width = length > width ? length : width;
	}
	return width;
}

static bool has_long_text(const struct sheet *s)
{
	for (size_t i = 0; i < s->columns; i++)
		if (widest(s, i) > LONG)
			return true;
	return false;
}

static void cell(struct text *out, const struct sheet_cell *c)
{
	if (c->anchor)
		text_add(out, "\\hypertarget{%s}{}", c->anchor);
	if (c->link)
		link_open(out, c->link, TEXT_LATEX);
	latex_code(out, shown(c));
	if (c->link)
		link_close(out, c->link, TEXT_LATEX);
}

/* One above the other, words of at most so many characters together: a heading is no wider than its
 * column need be. */
static void stacked(struct text *out, const char *heading, bool left)
{
	enum { LINE = 12 };
	size_t line = 0;
	text_add(out, "\\begin{tabular}[b]{@{}%s@{}}", left ? "l" : "r");
	while (*heading) {
		struct text word = { 0 };
		size_t length = strcspn(heading, " ");
		if (line)
			text_add(out, line + length > LINE ? "\\\\" : " ");
		line = line + length > LINE ? length : line + 1 + length;
		text_add_n(&word, heading, length);
		latex_code(out, text_get(&word));
		text_free(&word);
		heading += length + strspn(heading + length, " ");
	}
	text_add(out, "\\end{tabular}");
}

static void headings(struct text *out, const struct sheet *s, bool stack)
{
	text_add(out, "\\toprule\n");
	for (size_t i = 0; i < s->columns; i++) {
		if (stack)
			stacked(out, s->heading[i], s->left[i]);
		else
			latex_code(out, s->heading[i]);
		text_add(out, i + 1 < s->columns ? " & " : " \\\\\n\\midrule\n");
	}
}

static void rows(struct text *out, const struct sheet *s, size_t from, size_t to)
{
	for (size_t i = from * s->columns; i < to * s->columns; i++) {
		cell(out, &s->cell[i]);
		text_add(out, (i + 1) % s->columns ? " & " : " \\\\\n");
	}
}

static void in_parts(struct text *out, const struct sheet *s)
{
	for (size_t from = 0; from == 0 || from < s->rows; from += PART) {
		size_t to = s->rows < from + PART ? s->rows : from + PART;
		text_add(out, "\\fitted{\\small\\begin{tabular}{");
		for (size_t i = 0; i < s->columns; i++)
			text_add(out, s->left[i] ? "l" : "r");
		text_add(out, "}\n");
		headings(out, s, true);
		rows(out, s, from, to);
		text_add(out, "\\bottomrule\n\\end{tabular}}\n");
	}
}

/* Widths in proportion to what the columns hold, long texts counting less. */
static void breaking(struct text *out, const struct sheet *s)
{
	double weight = 0;
	for (size_t pass = 0; pass < 2; pass++) {
		double all = weight;
		if (pass)
			text_add(out, "{\\scriptsize\\setlength{\\tabcolsep}{2pt}"
				      "\\begin{longtable}{@{}");
		for (size_t i = 0; i < s->columns; i++) {
			double width = (double)widest(s, i);
			width = (width > LONG ? LONG : width) + 1;
			weight += width;
			if (pass)
				text_add(out, ">{\\raggedright\\arraybackslash}p{%.3f\\linewidth}",
					 0.93 * width / all);
		}
	}
	text_add(out, "@{}}\n");
	headings(out, s, false);
	text_add(out, "\\endhead\n");
	rows(out, s, 0, s->rows);
	text_add(out, "\\bottomrule\n\\end{longtable}}\n");
}

void latex_sheet(struct text *out, const struct sheet *s)
{
	if (has_long_text(s))
		breaking(out, s);
	else
		in_parts(out, s);
}

void latex_code(struct text *out, const char *s)
{
	for (; *s; s++) {
		const char one[2] = { *s, '\0' };
		text_add_escaped(out, one, TEXT_LATEX);
		if (*s == '-' && s[1] == '-')
			text_add(out, "{}"); /* not a dash */
		else if (strchr("/,(*{;:=_", *s) && s[1])
			text_add(out, "\\allowbreak{}");
	}
}
