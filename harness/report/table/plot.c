/* The plot of a table on a machine: gnuplot data, and a script that sets variables and then loads a
 * script of the folder plots/. */
#include "harness/report/table/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/format.h"

static bool is_drawn(const struct grid *g, size_t column)
{
	return g->table->column[column].plotted && !grid_column_is_empty(g, column);
}

/* A plot needs two measured points, or one if the table has a single row. */
bool grid_has_plot(const struct grid *g)
{
	size_t measured = 0;
	for (size_t row = 0; row < g->rows; row++)
		for (size_t i = 0; i < g->table->columns; i++)
			if (is_drawn(g, i) && !g->table->column[i].paper &&
			    !isnan(g->cell[row * g->table->columns + i].value)) {
				measured++;
				break;
			}
	return g->table->plot_script && (measured > 1 || (measured == 1 && g->rows == 1));
}

/* A gnuplot string in double quotes. */
static void quote(struct text *out, const char *s)
{
	text_add(out, "\"");
	for (; *s; s++)
		if (*s != '"' && *s != '\\' && *s != '\n')
			text_add_n(out, s, 1);
	text_add(out, "\"");
}

/* ---- data ---- */

static void data_row(const struct grid *g, size_t row, struct text *out)
{
	const struct table *t = g->table;
	const struct expr_value *v = &g->key[row * t->axes];
	char key[EXPR_TEXT_MAX];
	grid_key_text(key, sizeof(key), v);
	if (v->type == EXPR_TEXT)
		quote(out, key);
	else
		text_add(out, "%s", key);
	for (size_t i = 0; i < t->columns; i++) {
		const struct table_cell *c = &g->cell[row * t->columns + i];
		if (!is_drawn(g, i))
			continue;
		if (isnan(c->value))
			text_add(out, " ? ? ?");
		else
			text_add(out, " %.9g %.9g %.9g", c->value, c->low, c->high);
	}
	text_add(out, "\n");
}

void grid_plot_data(const struct grid *g, struct text *out)
{
	const struct table *t = g->table;
	quote(out, t->axis_heading[0]);
	for (size_t i = 0; i < t->columns; i++)
		if (is_drawn(g, i)) {
			text_add(out, " ");
			quote(out, t->column[i].heading);
			text_add(out, " low high");
		}
	text_add(out, "\n");
	for (size_t row = 0; row < g->rows; row++)
		data_row(g, row, out);
}

/* ---- series: a variant has the same colour in all figures ---- */

enum family { OTHER, SERIAL, CPU, PUBLISHED, TUNED, PAPER, FAMILIES };

static enum family own_family(const struct table_column *c)
{
	return c->paper                       ? PAPER :
	       c->series == VARIANT_SERIAL    ? SERIAL :
	       c->series == VARIANT_CPU       ? CPU :
	       c->series == VARIANT_PUBLISHED ? PUBLISHED :
	       c->series == VARIANT_TUNED     ? TUNED :
						OTHER;
}

/* The family that decides a column's colour. Columns without data on this machine count too, so
 * that a series looks the same on all machines. If all columns belong to one variant and there are
 * more than FEW, each gets a separate colour. */
static enum family family_of(const struct grid *g, size_t column)
{
	enum { FEW = 4 };
	const struct table *t = g->table;
	enum family family = own_family(&t->column[column]);
	size_t same = 0, other = 0;
	for (size_t i = 0; i < t->columns; i++) {
		if (!t->column[i].plotted || t->column[i].paper)
			continue;
		same += own_family(&t->column[i]) == family;
		other += own_family(&t->column[i]) != family;
	}
	return family != PAPER && !other && same > FEW ? OTHER : family;
}

/* The position of a column, from 1, among the plotted columns of its family. */
static size_t member_of(const struct grid *g, size_t column)
{
	enum family family = family_of(g, column);
	size_t member = 1;
	for (size_t i = 0; i < column; i++)
		member += g->table->column[i].plotted && family_of(g, i) == family &&
			  g->table->column[i].like == i;
	return member;
}

static void put_series(const struct grid *g, struct text *out)
{
	const struct table *t = g->table;
	size_t series = 0;
	for (size_t i = 0; i < t->columns; i++) {
		if (!is_drawn(g, i))
			continue;
		size_t like = t->column[i].like;
		text_add(out, "paper_%zu = %d; family_%zu = %d; member_%zu = %zu; title_%zu = ",
			 series + 1, t->column[i].paper, series + 1, (int)family_of(g, like),
			 series + 1, member_of(g, like), series + 1);
		quote(out, t->column[i].heading);
		text_add(out, "\n");
		series++;
	}
	text_add(out, "series = %zu\n", series);
}

/* ---- axes ---- */

struct range {
	double low, high; /* low > high if the range is empty */
};

static void widen(struct range *r, double v, bool logarithmic)
{
	if (isnan(v) || (logarithmic && v <= 0))
		return;
	r->low = v < r->low ? v : r->low;
	r->high = v > r->high ? v : r->high;
}

static bool has_log(const struct table *t, char axis)
{
	return !strcmp(t->plot_scale, "loglog") ||
	       (strlen(t->plot_scale) == 4 && t->plot_scale[3] == axis);
}

/* Appends tick marks at the measured values, "'10,000' 10000, ...", except where labels would
 * overlap. */
static void number_marks(const struct grid *g, const struct range *x, struct text *marks)
{
	static const double letter = 0.0118; /* width of a letter, relative to the axis */
	const struct table *t = g->table;
	bool logarithmic = has_log(t, 'x');
	double width = logarithmic ? log(x->high / x->low) : x->high - fmin(x->low, 0);
	double last = NAN;
	for (size_t row = 0; row < g->rows; row++) {
		double v = g->key[row * t->axes].number;
		double step = logarithmic ? log(v / last) : v - last;
		char shown[64];
		format_grouped(shown, sizeof(shown), v);
		if (!isnan(last) && !(step >= width * letter * (double)(strlen(shown) + 1)))
			continue;
		text_add(marks, "%s'%s' %.9g", marks->length ? ", " : "", shown, v);
		last = v;
	}
}

static void text_marks(const struct grid *g, struct text *marks)
{
	for (size_t row = 0; row < g->rows; row++)
		text_add(marks, "%s'%s' %zu", row ? ", " : "", g->key[row * g->table->axes].text,
			 row);
}

static void put_marks(const struct grid *g, const struct range *x, struct text *out)
{
	struct text marks = { 0 };
	if (g->table->variable[0].type == EXPR_TEXT) {
		text_marks(g, &marks);
	} else {
		text_add(out, "x_low = %.9g\nx_high = %.9g\n", x->low, x->high);
		number_marks(g, x, &marks);
	}
	text_add(out, "x_marks = ");
	quote(out, text_get(&marks));
	text_add(out, "\n");
	out->failed = out->failed || marks.failed;
	text_free(&marks);
}

static void put_axes(const struct grid *g, struct text *out)
{
	const struct table *t = g->table;
	struct range x = { INFINITY, -INFINITY }, y = x;
	const char *unit = "count";
	for (size_t i = t->columns; i-- > 0;)
		if (is_drawn(g, i))
			unit = format_name(t->column[i].format);
	for (size_t row = 0; row < g->rows; row++) {
		widen(&x, g->key[row * t->axes].number, has_log(t, 'x'));
		for (size_t i = 0; i < t->columns; i++) {
			const struct table_cell *c = &g->cell[row * t->columns + i];
			if (!is_drawn(g, i))
				continue;
			widen(&y, c->low, has_log(t, 'y'));
			widen(&y, c->high, has_log(t, 'y'));
		}
	}
	text_add(out, "rows = %zu\nunit = \"%s\"\n", g->rows, unit);
	put_marks(g, &x, out);
	if (y.low <= y.high)
		text_add(out, "y_low = %.9g\ny_high = %.9g\n", y.low, y.high);
}

void grid_plot_script(const struct grid *g, const char *plots, const char *data, const char *svg,
		      const char *title, struct text *out)
{
	const struct table *t = g->table;
	text_add(out, "# written by copra-report; draw with: gnuplot <this file>\n");
	put_series(g, out);
	put_axes(g, out);
	const struct {
		const char *name, *value;
	} settings[] = { { "plots", plots },
			 { "figure", t->id },
			 { "title_text", title },
			 { "x_label", t->axis_heading[0] },
			 { "y_label", t->plot_label },
			 { "scale", t->plot_scale },
			 { "data", data },
			 { "svg", svg } };
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		text_add(out, "%s = ", settings[i].name);
		quote(out, settings[i].value);
		text_add(out, "\n");
	}
	text_add(out, "load \"%s/%s.gp\"\n", plots, t->plot_script);
}
