/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The expression language of claims, tables and figures. An expression computes a value from
 * statistics over benchmarks, which are selected by name, and is evaluated over the results of one
 * machine.
 *
 * TYPES     number, truth, text. They are checked when the expression is read; there are no
 *           conversions.
 *
 * NUMBERS   90000  14.7  1e-3        + - * /  unary -  ( )
 * TRUTH     < <= > >= = !=  between numbers; not, and, or
 * TEXT      "..."  in which {x} stands for the value of the variable or parameter x
 *
 * MEASURED VALUES, numbers: statistic("pattern") or statistic("pattern", counter). The name
 *           of the counter may be written as a text: mean("t/e/ta022", "active_{k}")
 *           The statistics are mean, median, min, max, sum and count.
 *      The pattern (data/results.h) selects benchmarks by name. Each benchmark is reduced to the
 *      median over its repetitions of its time in seconds, or of the named counter. The statistic
 * is then taken over the benchmarks: mean(".../n:90000/seed:*") is the paper's average over ten
 *      instances. If no benchmark matches or none has the counter, the value is missing (count
 *      gives 0).
 *
 * THE PAPER'S VALUES   paper("table1", "speedup_1gpu", key): the cell of that column of
 *      results/papers/<target>/table1.csv in the row whose first column is the key, a number or a
 *      text.
 *
 * SIMULATED VALUES   simulated("table6", "simulated_s", key): the same for
 *      results/simulated/<target>/table6.csv. Claims must not read them, and tables only in columns
 *      that are marked SIMULATED (table/tables.h).
 *
 * TERMS     name(argument, ...), defined in terms.csv by an expression; a term may use the terms
 *      above it.
 *
 * SETS      {1, 2, 4}   {10000..90000 step 10000}   {"fused", "class"}   {largest(...)}
 *           Members keep the order in which they are written; numbers may be computed.
 *           axis(".../n:(*)/seed:1")   every number that (*) matches among the measured rows
 *           names("hard/(*)/cpu")      the same for texts; both ascending and without duplicates
 *           set + set                  the union, ascending and without duplicates
 *
 * OVER A SET, where x is a new variable
 *           all(x in set, truth)   any(x in set, truth)
 *           monotone(x in set, number, tolerance)   never falls by more than the tolerance,
 *                                                  relative to the previous value
 *           largest(x in set, number)   smallest(x in set, number)   ignore missing values
 *
 * ALSO      within(value, target, tolerance)   |value - target| <= tolerance * |target|
 *           first(a, b, ...)                   the first number that is not missing
 *           if(truth, a)                       a where the truth holds, otherwise missing
 *           log(a)                             the natural logarithm; missing if a <= 0
 *
 * MISSING   What is computed from a missing number is missing, unless the outcome does not depend
 * on it: "false and missing" is false, "true or missing" is true, and all(...) is false if it is
 *      false for one member. Division by zero gives a missing number. */
#ifndef COPRA_REPORT_EXPRESSION_EXPRESSION_H
#define COPRA_REPORT_EXPRESSION_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/report/data/csv.h"
#include "harness/report/data/results.h"
#include "harness/report/text.h"

enum expr_type { EXPR_NUMBER, EXPR_TRUTH, EXPR_TEXT, EXPR_SET };
enum { EXPR_NAME = 48, EXPR_PARAMS = 6, EXPR_TEXT_MAX = 192 };

struct expr_param {
	char name[EXPR_NAME];
	enum expr_type type; /* number or text */
};

/* The unit of a number: powers of seconds, joules and bytes. The unit of a number written in the
 * expression or read from the paper is unknown, and so are the units of its products: 1000 * time
 * may be milliseconds. Numbers that are added or compared are taken to have the same unit. */
struct expr_unit {
	bool known; /* a plain number has a known unit with all powers 0 */
	signed char seconds, joules, bytes;
};

struct expr_value {
	enum expr_type type;
	bool missing;
	struct expr_unit unit; /* of a number; set only if a trace is recorded */
	bool truth;
	double number;
	char text[EXPR_TEXT_MAX];
};

struct expr; /* an expression, parsed and checked */

/* A named expression with parameters, from terms.csv. */
struct expr_term {
	char name[EXPR_NAME];
	size_t params;
	struct expr_param param[EXPR_PARAMS];
	struct expr *body;
	char *source, *meaning;
};

struct expr_terms {
	size_t count;
	struct expr_term *term;
};

/* Tables of numbers that are not measured: those printed in the paper, and simulated ones. */
struct expr_printed_table {
	char *name; /* "table1" of table1.csv */
	struct csv csv;
};
struct expr_printed {
	size_t count, simulations;
	struct expr_printed_table *table;
	struct expr_printed_table *simulation;
};

/* Parses and checks an expression of the type `want`. ERR_INPUT names the column of the first
 * error. The terms must outlive the expression. */
int expr_parse(struct expr **out, const char *source, const struct expr_terms *terms,
	       const struct expr_param *params, size_t param_count, enum expr_type want,
	       struct err *e);
void expr_destroy(struct expr *p);
/* The type of the members of a set expression: number or text. */
enum expr_type expr_member_type(const struct expr *p);

/* Reads terms.csv, with the columns term, expression and meaning. A term is written name(n, form:
 * text). A missing file defines no terms. ERR_INPUT names file and line of the first error. */
int expr_terms_read(struct expr_terms *t, const char *path, struct err *e);
void expr_terms_free(struct expr_terms *t);

/* Reads every *.csv file of the folder `paper` except terms.csv, tables.csv and figures.csv, and
 * every *.csv file of the folder `simulated`, which may be missing. */
int expr_printed_read(struct expr_printed *p, const char *paper, const char *simulated,
		      struct err *e);
void expr_printed_free(struct expr_printed *p);

/* The data that expressions are evaluated over. */
struct expr_world;
/* A bootstrap sample of them: the repetitions of every benchmark are resampled with replacement.
 * Within a sample, a benchmark has the same repetitions wherever it is named. A value that was
 * measured once has no spread of its own.
 *
 * `seeds` adds the spread over random instances. Where a pattern selects several benchmarks that
 * differ only in the parameter seed, each of them is replaced by one of these, drawn with
 * replacement, before its repetitions are resampled. All such groups with the same seeds draw the
 * same ones, because a seed stands for the same instance in all variants: a ratio of two means is
 * computed over the same instances. */
struct expr_sample {
	unsigned replicate; /* 1, 2, ...: the number of the sample */
	bool seeds;
};
/* Creates a world over a result set and the printed tables, which must outlive it. ERR_MEMORY. */
int expr_world_create(struct expr_world **out, const struct result_set *set,
		      const struct expr_printed *printed, struct err *e);
void expr_world_destroy(struct expr_world *w);

/* The evidence of an evaluation, line by line. */
struct expr_trace {
	struct text values; /* each statistic: pattern, value, numbers of benchmarks and runs */
	struct text comparisons;             /* each comparison: both sides, and whether it holds */
	struct text missing;                 /* each pattern that matches no row */
	struct text reads;                   /* each value read, for expr_read_next */
	struct text first_failed, last_held; /* one line each: "n = 90000: 125 against 14.7" */
};
void expr_trace_free(struct expr_trace *t);

/* A value that an evaluation read from rows. */
struct expr_read {
	char counter[64];            /* "": the time */
	char pattern[EXPR_TEXT_MAX]; /* of the benchmarks' names */
	bool times; /* a time, or a number of seconds, joules or something per second */
};
/* The reads of a trace: for (at = expr_read_first(t); expr_read_next(&at, &read);) */
const char *expr_read_first(const struct expr_trace *t);
bool expr_read_next(const char **at, struct expr_read *read);

/* What an expression reads from rows, as far as the names of its counters are written out. */
enum expr_reads { EXPR_READS_NOTHING, EXPR_READS_COUNTS, EXPR_READS_TIMES };
enum expr_reads expr_reads(const struct expr *p);
/* Whether the expression or a term that it uses reads simulated values. */
bool expr_reads_simulated(const struct expr *p);

/* Evaluates an expression over the measurements, or over a sample of them unless it is NULL. `args`
 * are the values of its parameters; `trace` may be NULL. Fails only if memory runs out or a text is
 * too long. */
int expr_eval(const struct expr *p, struct expr_world *w, const struct expr_value *args,
	      const struct expr_sample *sample, struct expr_trace *trace, struct expr_value *out,
	      struct err *e);
/* Evaluates a set expression to its members. The caller frees the array. */
int expr_eval_set(const struct expr *p, struct expr_world *w, const struct expr_value *args,
		  struct expr_value **members, size_t *count, struct err *e);

/* Computes the 95 % bootstrap interval of a number from 200 samples without `seeds`; if no
 * benchmark of a selection was repeated, the selected benchmarks are resampled. False if the number
 * is missing, or has no spread because it was measured only once. */
bool expr_interval(const struct expr *p, struct expr_world *w, const struct expr_value *args,
		   double *low, double *high);

#endif
