/* Reporters: the same rows for people and for other programs.
 *
 *   console   Google Benchmark's table, a case at a time as cases end
 *   json      Google Benchmark's schema 1: context and benchmarks
 *   csv       Google Benchmark's columns, then every counter that any row has
 *   markdown  one table
 *   bmf       Bencher's metric format: median, least and greatest latency in ns of each case
 *
 * None writes a skipped or failed case among the results; reporter_skipped() lists those, with
 * Google Benchmark's fields for them, old (error_occurred, error_message) and new (skipped,
 * skip_message). */
#ifndef COPRA_BENCH_REPORTER_H
#define COPRA_BENCH_REPORTER_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/bench/bench_run.h"
#include "harness/machine/environment.h"
#include "harness/base/error.h"
#include "harness/base/flags.h"
#include "harness/base/json_writer.h"

enum reporter_format {
	REPORTER_CONSOLE,
	REPORTER_JSON,
	REPORTER_CSV,
	REPORTER_MARKDOWN,
	REPORTER_BMF,
	REPORTER_FORMATS
};
/* "console", "json", "csv", "markdown", "bmf"; parse is for a flag table. */
const char *reporter_format_name(enum reporter_format f);
int reporter_format_parse(void *format, const char *text, struct err *e);

/* What a document is made of. */
struct reporter_view {
	const struct bench_plan *plan;
	const struct environment *environment;
	const char *target, *executable;
	const char *scale;
	uint64_t seed; /* of the interleaving */
	int threads;
	const char *device;              /* as asked for: "auto", "cuda:0,1" */
	int gpus;                        /* that were opened */
	double device_seconds;           /* to open the devices, which no time of a row includes */
	const struct flag_list *context; /* "key=value[,key=value]..." of --benchmark_context */
	bool rows, aggregates;           /* which to write */
};

/* Writes the whole document (any format but REPORTER_CONSOLE, which is written as a whole here too:
 * header and every case). */
int reporter_write(FILE *out, enum reporter_format format, const struct reporter_view *v,
		   struct err *e);
int reporter_skipped(FILE *out, const struct reporter_view *v, struct err *e);

/* Refuses a --benchmark_context without '=' or with a key that the context has anyway. */
int reporter_check_context(const struct reporter_view *v, struct err *e);

/* ---- console ---- */

struct reporter_console {
	FILE *out;
	int width;    /* of the names */
	bool tabular; /* counters in columns */
	bool rows, aggregates;
	char columns[BENCH_COUNTERS][40]; /* of the header last printed, when tabular */
	int column_count;
	bool started;
};
void reporter_console_start(struct reporter_console *r, FILE *out, const struct bench_plan *plan,
			    bool tabular, bool rows, bool aggregates);
void reporter_console_case(struct reporter_console *r, const struct bench_case *c);
/* What ran on what, and warnings that make times doubtful. For stderr. */
void reporter_console_context(FILE *out, const struct reporter_view *v);

/* ---- pieces shared by the formats ---- */

enum { REPORTER_AGGREGATES = 5 };
/* mean, median, stddev, cv, min over the rows of a case; returns how many were made: 0 for fewer
 * than two rows. */
int reporter_aggregate(const struct bench_case *c, struct bench_row out[REPORTER_AGGREGATES]);

/* Calls visit() for each row and aggregate to be written, in order, until it returns non-zero. */
typedef int reporter_visit(void *ctx, const struct bench_row *row, struct err *e);
int reporter_each(const struct reporter_view *v, reporter_visit *visit, void *ctx, struct err *e);

/* Name as shown ("..._median" for an aggregate) and times in the row's unit. */
void reporter_name(const struct bench_row *row, char *name, size_t size);
double reporter_time(const struct bench_row *row, double seconds);

int reporter_json(FILE *out, const struct reporter_view *v, struct err *e);
int reporter_csv(FILE *out, const struct reporter_view *v, struct err *e);
int reporter_markdown(FILE *out, const struct reporter_view *v, struct err *e);
int reporter_bmf(FILE *out, const struct reporter_view *v, struct err *e);

/* Names of all counters of the rows to be written, sorted; caller frees the array. */
int reporter_counter_names(const struct reporter_view *v, const char ***names, int *count,
			   struct err *e);

#endif
