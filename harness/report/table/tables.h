/* Tables and figures as data, and their cells on a machine.
 *
 * tables.csv: table, entry, heading, expression, format, series. The lines of one table are
 * adjacent.
 *   entry  title   heading: the table's title
 *          note    heading: a paragraph under the title; several notes follow one another
 *          rows    heading: the axis' name on the page; expression: "n in <set>" (expression.h). Up
 *                  to four axes; a set may use the variables before it. The rows are the product
 *          column  heading; expression: a number over the row variables; format; series
 *          aside   the same for a column that the plot leaves out
 *          paper   the same for a column of the paper's own figures; "paper aside" likewise
 *          place   heading: the paper's name for it, "Table I"; expression: why no machine can
 *                  measure it, empty if one can. Tables with the same place are parts of it
 *          plot    heading: the y axis' label; expression: a script of plots/ without .gp;
 *                  format: linear, logx, logy or loglog. The columns become series
 *   format seconds factor rate percent joules bytes count flag plain
 *   series the look of a column in the plot. A measured column: serial, cpu, published or tuned,
 *          which have one colour each in all figures; empty: a colour of its own. A column of the
 *          paper: the heading of the measured column that it is compared with, whose colour it
 *          gets; empty: none. The column `series` may be missing from the file
 *
 * On a machine, a table shows the rows that were measured in part or that the paper has, and the
 * columns that have a value. */
#ifndef COPRA_REPORT_TABLE_TABLES_H
#define COPRA_REPORT_TABLE_TABLES_H

#include "harness/report/data/names.h"
#include "harness/report/document/sheet.h"
#include "harness/report/expression/expression.h"

enum { TABLE_AXES = 4 };

struct table_column {
	char *heading;
	struct expr *expression;
	int format;
	bool paper;
	bool plotted;
	enum variant series; /* VARIANT_OTHER: a colour of its own */
	size_t like;         /* the column whose look it has: a paper's counterpart, or itself */
	char *like_heading;  /* as the file names it, "" if none; only while reading */
};

struct table {
	char *id, *title, *notes; /* notes: paragraphs, each ended by '\n' */
	char *place, *never;      /* NULL if the paper has no such place; if it can be measured */
	size_t axes, columns;
	struct expr_param variable[TABLE_AXES];
	char *axis_heading[TABLE_AXES];
	struct expr *set[TABLE_AXES];
	struct table_column *column;
	char *plot_script; /* NULL if there is no plot */
	char *plot_label, *plot_scale;
};

struct tables {
	size_t count;
	struct table *table;
};

int tables_read(struct tables *t, const char *path, const struct expr_terms *terms, struct err *e);
void tables_free(struct tables *t);

/* ---- cells on a machine: grid.c ---- */

struct table_cell {
	double value;     /* NaN = missing */
	double low, high; /* bootstrap interval; both = value if there is none */
};

struct grid {
	const struct table *table;
	size_t rows;
	struct expr_value *key;  /* rows x axes */
	struct table_cell *cell; /* rows x columns */
	bool measured;           /* some column other than the paper's has a value */
	char **missing;          /* columns: why an empty column is empty, else NULL */
};

int grid_fill(struct grid *g, const struct table *t, struct expr_world *w, struct err *e);
void grid_free(struct grid *g);
bool grid_column_is_empty(const struct grid *g, size_t column);
/* A row variable's value as text, "90000" or "ta022": EXPR_TEXT_MAX characters hold it. */
void grid_key_text(char *out, size_t size, const struct expr_value *key);

/* Fills `missing` of all grids of a machine: the reasons of the benchmarks that were skipped there,
 * or that they did not run. */
int grid_explain(struct grid *grids, size_t count, const struct result_set *set,
		 const struct expr_printed *printed, struct err *e);
/* Appends one line: "needs 4 GPUs (4, published · 4, tuned); not recorded (energy)". If nothing was
 * measured, each reason appears once, without headings. Empty if no column is empty. */
void grid_missing(const struct grid *g, struct text *out);

/* The table as a page shows it; `missing` gets the line of grid_missing. */
int grid_sheet(const struct grid *g, struct sheet *s, struct text *missing, struct err *e);

/* ---- plots: plot.c ---- */

/* True if the table has a plot and the machine has measured values to draw beside the paper's. */
bool grid_has_plot(const struct grid *g);
/* gnuplot data: a line of headings, then the key, and value, low, high of every series; "?" =
 * missing. */
void grid_plot_data(const struct grid *g, struct text *out);
/* A gnuplot script that sets what the figure's own script needs (plots/common.gp lists it), and
 * loads that. */
void grid_plot_script(const struct grid *g, const char *plots, const char *data, const char *svg,
		      const char *title, struct text *out);

#endif
