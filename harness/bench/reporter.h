/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Reporters: write rows for people and for other programs.
 *
 *   console   Google Benchmark's table; each case is printed when it ends
 *   json      Google Benchmark's schema 1: context and benchmarks
 *   csv       Google Benchmark's columns, then every counter that any row has
 *   markdown  one table
 *   bmf       Bencher Metric Format: median, minimum and maximum latency of each case, in ns
 *
 * Skipped and failed cases are not among the results. REPORTER_SKIPPED lists them with Google
 * Benchmark's old fields (error_occurred, error_message), its new fields (skipped, skip_message)
 * and the reason with its numbers (struct skip). */
#ifndef COPRA_BENCH_REPORTER_H
#define COPRA_BENCH_REPORTER_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/flags.h"
#include "harness/bench/plan.h"
#include "harness/machine/environment.h"

enum reporter_format {
	REPORTER_CONSOLE,
	REPORTER_JSON,
	REPORTER_CSV,
	REPORTER_MARKDOWN,
	REPORTER_BMF,
	REPORTER_FORMATS,
	/* The skipped and failed cases as JSON; not a format that a flag can name. */
	REPORTER_SKIPPED = REPORTER_FORMATS
};
/* Parses "console", "json", "csv", "markdown" or "bmf"; for a flag table. */
int reporter_format_parse(void *format, const char *text, struct err *e);

/* Aggregate rows of a case: mean, median, stddev, cv, min. */
enum { REPORTER_AGGREGATES = 5 };

/* The content of a document. */
struct reporter_view {
	const struct bench_plan *plan;
	const struct environment *environment;
	const char *target, *executable;
	const char *scale;
	uint64_t seed; /* of the interleaving */
	int threads;
	const char *device;              /* of --device: "auto", "cuda:0,1" */
	int gpus;                        /* number of opened GPUs */
	double device_seconds;           /* of opening the devices; no row includes them */
	const struct flag_list *context; /* "key=value[,key=value]..." of --benchmark_context */
	bool rows, aggregates;           /* which to write */
};

/* Writes the whole document; for REPORTER_CONSOLE the table header and every case. */
int reporter_write(FILE *out, enum reporter_format format, const struct reporter_view *v,
		   struct err *e);

/* Refuses a --benchmark_context that lacks '=' or has a key of the context itself. */
int reporter_check_context(const struct reporter_view *v, struct err *e);

/* ---- console ---- */

struct reporter_console {
	FILE *out;
	int width;    /* of the names */
	bool tabular; /* counters in columns */
	bool rows, aggregates;
	char columns[BENCH_COUNTERS][40]; /* of the last header, when tabular */
	int column_count;
	bool started;
};
void reporter_console_start(struct reporter_console *r, FILE *out, const struct bench_plan *plan,
			    bool tabular, bool rows, bool aggregates);
void reporter_console_case(struct reporter_console *r, const struct bench_case *c);

#endif
