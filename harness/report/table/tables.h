/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tables and figures: their definitions in tables.csv, and their cells on a machine.
 *
 * tables.csv: table, entry, heading, expression, format, series. The lines of one table are
 * adjacent.
 *   entry  title   heading: the table's title
 *          note    heading: a paragraph under the title; several notes follow one another
 *          rows    heading: the axis' name on the page; expression: "n in <set>" (expression.h). Up
 *                  to five axes; a set may use the variables before it. The table has a row for
 *                  each combination
 *          column  heading; expression: a number over the row variables; format; series
 *          aside   like column, but left out of the plot
 *          step    like aside, but shows the value of the row above divided by that of this row:
 *                  how much faster one rung of a ladder is than the rung before it. Empty in the
 *                  first row and where the axes before the last one change
 *          paper   a column of numbers that the paper prints; "paper aside": left out of the plot
 *          simulated  a column of simulated numbers, or of ratios of them; "simulated aside": left
 *                  out of the plot. Only these columns may use simulated(...). Their headings and
 *                  the title contain the word SIMULATED, and the other columns of the table are
 *                  those of the paper, so that nothing simulated stands beside a measurement
 *          place   heading: the table or figure of the paper that it reproduces, "Table I";
 *                  expression: why no machine can measure it, empty if one can. Several tables
 *                  may reproduce parts of the same place
 *          plot    heading: the y axis' label; expression: a script of plots/ without .gp;
 *                  format: linear, logx, logy or loglog. The columns become series
 *          sentence  heading: a sentence under the table, in which {} stands for the value;
 *                  expression: a number, without row variables; format. Left out on a machine
 *                  where the number is missing. Several sentences make one paragraph
 *   format seconds factor rate percent joules bytes count flag plain
 *   series the colour of a column in the plot. For a measured column: serial, cpu, published or
 *          tuned, which have the same colour in all figures; empty: a separate colour. For a column
 *          of the paper: the heading of the measured column that it is compared with, whose colour
 *          it shares; empty: none. The column `series` may be missing from the file
 *
 * The first row of the table `gain` becomes a bar of the picture on the first page. It is in
 * seconds; its columns are, by heading, serial, all cores, literal, tuned, the lower bounds on the
 * times of the latter two ("bound, literal" and "bound, tuned") and their operations ("operations,
 * literal" and "operations, tuned", which are counts). All solve the same problem.
 *
 * The table of a machine shows only rows and columns that have a value, measured or printed in the
 * paper. */
#ifndef COPRA_REPORT_TABLE_TABLES_H
#define COPRA_REPORT_TABLE_TABLES_H

#include "harness/report/data/results.h"
#include "harness/report/document/sheet.h"
#include "harness/report/expression/expression.h"
#include "harness/report/format.h"

enum { TABLE_AXES = 5 };

struct table_column {
	char *heading;
	struct expr *expression;
	enum format format;
	bool paper, simulated;
	bool plotted;
	bool step;           /* a ratio to the row above */
	enum variant series; /* VARIANT_OTHER: a separate colour */
	size_t like;         /* index of the column whose colour it shares, or of itself */
	char *like_heading;  /* its heading in the file, "" if none; used while reading */
};

struct table_sentence {
	char *text; /* with one {} */
	struct expr *expression;
	enum format format;
};

struct table {
	char *id, *title, *notes; /* notes: Markdown paragraphs, each followed by an empty line */
	char *place;              /* table or figure of the paper; NULL if it has none */
	char *never;              /* why no machine can measure it; NULL if one can */
	bool simulated;           /* its columns are simulated or the paper's */
	size_t axes, columns;
	struct expr_param variable[TABLE_AXES];
	char *axis_heading[TABLE_AXES];
	struct expr *set[TABLE_AXES];
	struct table_column *column;
	size_t sentences;
	struct table_sentence *sentence;
	char *plot_script; /* NULL if there is no plot */
	char *plot_label, *plot_scale;
};

struct tables {
	size_t count;
	struct table *table;
};

/* Reads tables.csv; a missing file has no tables. ERR_INPUT names the file, and the line or table
 * of the first error. The terms must outlive the tables. */
int tables_read(struct tables *t, const char *path, const struct expr_terms *terms, struct err *e);
void tables_free(struct tables *t);

/* ---- cells on a machine: grid.c ---- */

struct table_cell {
	double value;     /* NaN: missing */
	double low, high; /* 95 % bootstrap interval; both equal `value` if there is none */
};

struct grid {
	const struct table *table;
	size_t rows;
	struct expr_value *key;  /* rows x axes */
	struct table_cell *cell; /* rows x columns */
	bool measured;           /* some measured column has a value */
	bool *read;    /* one per benchmark of the set: whether the value of a cell depends on it */
	bool has_plot; /* the table has a plot, and enough points were measured or simulated */
	/* One line that explains the empty columns: "needs 4 GPUs (4, published · 4, tuned); not
	 * recorded (energy)". If nothing was measured, each reason appears once, without headings.
	 * Empty if no column is empty. */
	struct text missing;
	struct text sentences; /* those with a value, separated by blanks */
};

/* Evaluates all tables over the results of a machine: *grids has one element per table. Release it
 * with grids_free. The tables must outlive it. Fails only if memory runs out or a text is too
 * long; *grids is NULL then. */
int grids_fill(struct grid **grids, const struct tables *t, const struct result_set *set,
	       const struct expr_printed *printed, struct err *e);
void grids_free(struct grid *grids, size_t count);

/* Creates the table that a page shows: the rows, and the columns that have a value. */
int grid_sheet(const struct grid *g, struct sheet *s, struct err *e);

/* The files that a gnuplot script names: the folder of the scripts, the data and the drawing. */
struct plot_paths {
	const char *plots, *data, *svg;
};

/* Appends gnuplot data and a script. The data are a line of headings, then a line per row with the
 * key, and value, low and high of every series; "?" is a missing number. The script sets the
 * variables listed in plots/common.gp and loads the script of the table's plot. */
void grid_plot(const struct grid *g, const struct plot_paths *paths, struct text *data,
	       struct text *script);

#endif
