/* The expression language of claims, tables and figures. An expression is data: it names benchmarks
 * and statistics and is evaluated over the results of one machine.
 *
 * TYPES     number, truth, text. Checked when the expression is read; nothing is converted.
 *
 * NUMBERS   90000  14.7  1e-3        + - * /  unary -  ( )
 * TRUTH     < <= > >= = !=  between numbers; not, and, or
 * TEXT      "..." ; {x} inside stands for the value of the variable or parameter x
 *
 * MEASURED VALUES, numbers: statistic("pattern") or statistic("pattern", counter), the counter's
 *           name bare or as a text: mean("t/e/ta022", "active_{k}")
 *           mean median min max sum count
 *      The pattern (pattern.h) selects benchmarks by name. Each is reduced to the median of its
 *      repetitions - of its time in seconds, or of the named counter - and the statistic is taken
 *      over the benchmarks selected: mean(".../n:90000/seed:*") is the paper's average over ten
 *      instances. Without a row, or without the counter, the value is missing (count gives 0).
 *
 * THE PAPER'S VALUES   paper("table1", "speedup_1gpu", key): the cell of that column of
 *      results/papers/<target>/table1.csv where the first column is the key (number or text).
 *
 * TERMS     name(argument, ...), defined in terms.csv by an expression; a term may use those above
 *      it.
 *
 * SETS      {1, 2, 4}   {10000..90000 step 10000}   {"fused", "class"}   {largest(...)}
 *           Members are kept in the order written; numbers may be computed.
 *           axis(".../n:(*)/seed:1")   every number that (*) takes among the rows measured
 *           names("hard/(*)/cpu")       the same for text; both in rising order, each value once
 *           set + set                   both, in rising order, each value once
 *
 * OVER A SET, x being a new variable
 *           all(x in set, truth)   any(x in set, truth)
 *           monotone(x in set, number, tolerance)   never falls by more than tolerance, relative
 *                                                  to the value before
 *           largest(x in set, number)   smallest(x in set, number)   of those that are there
 *
 * ALSO      within(value, target, tolerance)   |value - target| <= tolerance * |target|
 *           first(a, b, ...)                   the first number that is not missing
 *           log(a)                             the natural logarithm; missing where a <= 0
 *
 * MISSING   A missing number makes everything computed from it missing, except where the outcome is
 *      decided without it: false and missing is false, true or missing is true, all over a set with
 *      one false member is false.
 *
 * Division by zero gives a missing number. */
#ifndef COPRA_REPORT_PREDICATE_H
#define COPRA_REPORT_PREDICATE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/report/csv.h"
#include "harness/report/results.h"
#include "harness/report/text.h"

enum pred_type { PRED_NUMBER, PRED_TRUTH, PRED_TEXT, PRED_SET };
enum { PRED_NAME = 48, PRED_PARAMS = 6, PRED_TEXT_MAX = 192 };

struct pred_param {
	char name[PRED_NAME];
	enum pred_type type; /* number or text */
};

/* The unit of a number: powers of seconds, joules and bytes. Numbers of the expression and cells
 * of the paper have none that is known, and what is scaled by one has none either: 1000 * time may
 * be milliseconds. Where numbers are added or compared, the unit of one is that of the others. */
struct pred_unit {
	bool known; /* a plain number is known, with all powers zero */
	signed char seconds, joules, bytes;
};

struct pred_value {
	enum pred_type type;
	bool missing;
	struct pred_unit unit; /* of a number; only where there is a trace */
	bool truth;
	double number;
	char text[PRED_TEXT_MAX];
};

struct pred; /* an expression, read and checked */

/* A named expression with parameters, of terms.csv. */
struct pred_term {
	char name[PRED_NAME];
	size_t params;
	struct pred_param param[PRED_PARAMS];
	struct pred *body;
	char *source, *meaning;
};

struct pred_terms {
	size_t count;
	struct pred_term *term;
};

/* The paper's own tables. */
struct pred_papers {
	size_t count;
	struct pred_paper {
		char *name; /* "table1" of table1.csv */
		struct csv csv;
	} * paper;
};

/* Reads an expression of the wanted type. ERR_INPUT names the column of the first thing wrong. The
 * terms must outlive it. */
int pred_parse(struct pred **out, const char *source, const struct pred_terms *terms,
	       const struct pred_param *params, size_t param_count, enum pred_type want,
	       struct err *e);
void pred_destroy(struct pred *p);
/* Of a set: what its members are. */
enum pred_type pred_member_type(const struct pred *p);

/* Reads terms.csv: columns term, expression, meaning; a term is written name(n, form: text). A
 * missing file defines none. */
int pred_terms_read(struct pred_terms *t, const char *path, struct err *e);
void pred_terms_free(struct pred_terms *t);

/* Reads every *.csv of the folder but terms, claims, tables and figures. */
int pred_papers_read(struct pred_papers *p, const char *folder, struct err *e);
void pred_papers_free(struct pred_papers *p);

/* What expressions are evaluated over. Replicate 0 is what was measured; replicates 1, 2, ... are
 * bootstrap samples of it: the repetitions of every benchmark are drawn again with replacement
 * (where no benchmark of a selection was repeated, the benchmarks selected are). A replicate gives
 * the same sample of a benchmark wherever it is named. A time that was measured once has no noise
 * to draw from: pred_eval varies it by up to 5 % to either side, pred_interval gives no interval.
 */
struct pred_world;
int pred_world_create(struct pred_world **out, const struct result_set *set,
		      const struct pred_papers *papers, struct err *e);
void pred_world_destroy(struct pred_world *w);

/* Where not NULL, an evaluation leaves here what it read, line by line. */
struct pred_trace {
	struct text values;      /* each statistic: pattern, value, number of benchmarks and runs */
	struct text comparisons; /* each comparison with both sides and its outcome */
	struct text missing;     /* the patterns without a row */
	struct text reads;       /* what was read, a line each: '|', counter or "", tab, pattern */
	struct text first_failed, last_held; /* one each: "n = 90000: 125 against 14.7" */
};
void pred_trace_free(struct pred_trace *t);

/* Evaluates; args are the values of the parameters. Fails only for want of memory. */
int pred_eval(const struct pred *p, struct pred_world *w, const struct pred_value *args,
	      unsigned replicate, struct pred_trace *trace, struct pred_value *out, struct err *e);
/* Members of a set expression; the array is the caller's to free. */
int pred_eval_set(const struct pred *p, struct pred_world *w, const struct pred_value *args,
		  struct pred_value **members, size_t *count, struct err *e);

/* A number's 95 % bootstrap interval; false where it is missing or noise cannot be told from one
 * measurement. */
bool pred_interval(const struct pred *p, struct pred_world *w, const struct pred_value *args,
		   double *low, double *high);

#endif
