/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Run times of whole processes, measured by hyperfine, as rows of a result file: other people's
 * solvers, and our own programs from start to exit. */
#ifndef COPRA_REPORT_DATA_COMPARATOR_H
#define COPRA_REPORT_DATA_COMPARATOR_H

#include "harness/base/error.h"

struct comparator {
	const char *out;       /* the result file, created if missing */
	const char *benchmark; /* the name of the rows; existing rows of that name are replaced */
	const char *label;     /* the command that was timed */
	/* Identifies the build of one of our own programs. Rows of another build are dropped from
	 * the file. NULL for other people's programs. */
	const char *identity;
};

/* Reads the file that hyperfine --export-json wrote for one command, and adds one row per run to
 * the result file. Its first result may have a member "counters", {"nodes": [5, 5, ...], ...} with
 * one number a run: they become counters of the rows. ERR_INPUT if either file is malformed, or if
 * a time is not positive.
 * If `hyperfine` is NULL, only checks that the result file has rows of the benchmark, measured with
 * this build; ERR_FAILED if it has none. */
int comparator_add(const struct comparator *c, const char *hyperfine, struct err *e);

#endif
