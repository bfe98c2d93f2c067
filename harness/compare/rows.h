/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Rows of Google Benchmark's JSON as samples of a build under test: one row per benchmark and
 * process launch. */
#ifndef COPRA_COMPARE_ROWS_H
#define COPRA_COMPARE_ROWS_H

#include <jansson.h>
#include <stdbool.h>

#include "harness/base/error.h"
#include "harness/base/json_file.h"
#include "harness/compare/launch.h"

/* The seconds of a row; NaN if it is not a measurement (an aggregate, an error, a skipped case). */
double row_seconds(const json_t *row);
/* The run_name of a row, else its name, else "". */
const char *row_name(const json_t *row);

/* All samples of one build of one target. */
struct build_rows {
	json_t *context, *rows;
	size_t launches;
};
void rows_free(struct build_rows *b);

/* One launch of a build. */
struct build_launch {
	struct launch launch;
	int block; /* number of the block that the samples belong to; -1: none */
	void (*found)(void *ctx, const char *name,
		      double seconds); /* for each benchmark; or NULL */
	void *ctx;
	bool failed; /* out: a case failed; `message` holds the program's last line on stderr */
	char message[512];
};
/* Launches the benchmarks and adds one row for each to `b`: that of its fastest repetition. Most of
 * what slows a repetition down is not the program (Chen and Revels, "Robust benchmarking in noisy
 * environments", 2016). The differences between launches are left to the statistics. Errors: those
 * of launch_run, and ERR_MEMORY. */
int rows_launch(struct build_rows *b, struct build_launch *l, struct err *e);

/* The distinct names of the rows, in order of appearance. The caller frees the array; the strings
 * belong to the rows. */
int rows_names(const struct build_rows *b, const char ***names, size_t *count, struct err *e);

/* Writes <folder>/<target>.<what>.json; does nothing if there are no rows. Every launch is a
 * repetition in the file, so that Google Benchmark's compare.py can read it. */
int rows_save(const struct build_rows *b, const char *folder, const char *target, const char *what,
	      struct err *e);
/* Reads the rows of a result file. ERR_INPUT if it is not one; errors of json_file_read. */
int rows_load(struct build_rows *b, const char *path, struct err *e);

/* Appends one line per benchmark to the history. */
int rows_remember(const struct build_rows *b, const char *source, const struct launch_parameters *p,
		  struct err *e);

/* An extended regular expression that matches exactly these names. The caller frees it; NULL when
 * out of memory. */
char *rows_filter(const char *const *names, size_t count);

/* The date and time now, in UTC: "2026-11-22T09:30:00Z". */
void rows_date(char *text, size_t size);

#endif
