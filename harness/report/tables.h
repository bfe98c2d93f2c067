/* Tables and figures as data, and their cells on a machine.
 *
 * tables.csv: table, entry, heading, expression, format; the lines of one table stand together.
 *   entry  title   heading: the table's title
 *          note    heading: a paragraph under it; several notes follow one another
 *          rows    heading: the axis' name on the page; expression: "n in <set>" (predicate.h). Up
 *                  to four, each set may use the variables before it; rows are their product
 *          column  heading; expression: a number over the row variables; format
 *          aside   the same for a column that the plot leaves out
 *          paper   the same for a column that the paper itself gives; "paper aside" likewise
 *          place   heading: the paper's own name of it, "Table I"; expression: why no machine can
 *                  have it measured, empty where one can. Tables of one name are parts of one place
 *          plot    heading: the y axis' label; expression: a script of plots/ without .gp;
 *                  format: linear, logx, logy or loglog. The columns become series
 *   format seconds factor rate percent joules bytes count flag plain
 *
 * On a machine a table shows the rows of which anything was measured, or that the paper has, and
 * the columns of which anything is there. */
#ifndef COPRA_REPORT_TABLES_H
#define COPRA_REPORT_TABLES_H

#include "harness/report/predicate.h"
#include "harness/report/sheet.h"

enum { TABLE_AXES = 4 };

struct table_column {
	char *heading;
	struct pred *expression;
	int format;
	bool paper;
	bool plotted;
};

struct table {
	char *id, *title, *notes; /* notes: paragraphs, each ended by '\n' */
	char *place, *never; /* NULL where it is none of the paper's; where it can be measured */
	size_t axes, columns;
	struct pred_param variable[TABLE_AXES];
	char *axis_heading[TABLE_AXES];
	struct pred *set[TABLE_AXES];
	struct table_column *column;
	char *plot_script; /* NULL where there is no plot */
	char *plot_label, *plot_scale;
};

struct tables {
	size_t count;
	struct table *table;
};

int tables_read(struct tables *t, const char *path, const struct pred_terms *terms, struct err *e);
void tables_free(struct tables *t);

struct table_cell {
	double value;     /* NaN = missing */
	double low, high; /* bootstrap interval; both = value where there is none */
};

struct grid {
	const struct table *table;
	size_t rows;
	struct pred_value *key;  /* rows x axes */
	struct table_cell *cell; /* rows x columns */
	bool measured;           /* anything but the paper's columns is there */
	char **absent;           /* columns: why a column that is empty is (absent.h), else NULL */
};

int grid_fill(struct grid *g, const struct table *t, struct pred_world *w, struct err *e);
void grid_free(struct grid *g);
bool grid_column_is_empty(const struct grid *g, size_t column);
/* A row variable's value as it is read, "90000" or "ta022": PRED_TEXT_MAX characters hold it. */
void grid_key_text(char *out, size_t size, const struct pred_value *key);

/* Calls `row` with the values of the row variables, for every row that the world has. */
typedef int grid_row(void *ctx, const struct pred_value *key, struct err *e);
int grid_each_row(const struct table *t, struct pred_world *w, grid_row *row, void *ctx,
		  struct err *e);

/* As a page shows it; `absent` gets a line on the columns left out: why, and their headings. */
int grid_sheet(const struct grid *g, struct sheet *s, struct text *absent, struct err *e);

/* Has the table a plot, and the machine something to draw in it beside the paper's figures? */
bool grid_has_plot(const struct grid *g);
/* gnuplot data: a line of headings, then key, and value, low, high of every series; "?" = none. */
void grid_data(const struct grid *g, struct text *out);
/* A gnuplot script that sets what the figure's own script needs (plots/common.gp says what), and
 * loads that. */
void grid_script(const struct grid *g, const char *plots, const char *data, const char *svg,
		 const char *title, struct text *out);

#endif
