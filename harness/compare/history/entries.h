/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The entries of the history: reads the history file that harness/bench/samples.h appends to,
 * imports result files, and writes SQL. */
#ifndef COPRA_COMPARE_HISTORY_ENTRIES_H
#define COPRA_COMPARE_HISTORY_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/report/text.h"

/* The text fields of a line, named like its JSON members. */
#define HISTORY_TEXTS(X)                                                                           \
	X(id)                                                                                      \
	X(source)                                                                                  \
	X(date)                                                                                    \
	X(commit)                                                                                  \
	X(machine)                                                                                 \
	X(host) X(build) X(compiler) X(driver) X(scale) X(device) X(sampling) X(parameters) X(name)

struct entry {
#define HISTORY_FIELD(name) char *name;
	HISTORY_TEXTS(HISTORY_FIELD)
#undef HISTORY_FIELD
	int64_t time; /* the date, in seconds since 1970 */
	bool dirty;
	int threads;
	double *seconds; /* the samples, > 0 */
	size_t samples;
};

struct entries {
	struct entry *entry; /* in the order of the file */
	size_t count;
	struct text problems; /* the lines that were left out, with reasons */
};

/* A missing file is an empty history. A line that cannot be read is added to `problems`, and the
 * others are loaded. Fails if the file cannot be read, or if memory runs out. */
int entries_load(struct entries *all, const char *path, struct err *e);
void entries_free(struct entries *all);

/* Appends the benchmarks of the result file `path` (Google Benchmark JSON, as bench and reproduce
 * write it) that `history` lacks, with their repetitions as samples; *added is their number.
 * Benchmarks with a time of zero are left out. ERR_INPUT for a build with a sanitizer. */
int entries_import(const char *history, const char *path, const char *source, const char *sampling,
		   size_t *added, struct err *e);

/* Writes the statements that create the tables `run` (a line of the history) and `sample` in an
 * empty SQLite database, for ad-hoc queries; all in one transaction. */
int entries_write_sql(FILE *out, const struct entries *all, struct err *e);

#endif
