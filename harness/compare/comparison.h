/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A whole comparison: of two builds, or of two result files.
 *
 * Both functions print the table and write the result files. They return ERR_FAILED with a message
 * if a benchmark is slower or fails in the new build, ERR_USAGE for builds or files that cannot be
 * compared, and ERR_LIMIT when interrupted. */
#ifndef COPRA_COMPARE_COMPARISON_H
#define COPRA_COMPARE_COMPARISON_H

#include "harness/compare/settings.h"

/* Compares the build in s->bin with that of the baseline, or in s->old. */
int compare_builds(struct settings *s, const struct environment *env,
		   const volatile sig_atomic_t *stop, struct err *e);
/* Compares the rows of two files, with every other old row as the control. */
int compare_files(struct settings *s, struct err *e);

#endif
