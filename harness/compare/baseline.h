/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A baseline: the build that later ones are compared with. It holds copies of the programs and the
 * times they took.
 *
 *   <results>/<machine>/gate/<name>/baseline.json     revision, machine, parameters, targets
 *                                  /bin/<target>       the programs
 *                                  /<target>.rows.json the rows, as Google Benchmark's JSON
 *
 * A comparison runs the programs again beside the new ones; the rows are a fallback. */
#ifndef COPRA_COMPARE_BASELINE_H
#define COPRA_COMPARE_BASELINE_H

#include <limits.h>
#include <signal.h>

#include "harness/compare/settings.h"

struct baseline {
	char folder[PATH_MAX];
	json_t *json;
};

/* Copies and measures the programs. When interrupted (ERR_LIMIT), an existing baseline of that name
 * stays and the samples so far are in <name>.partial. */
int baseline_make(const struct settings *s, const struct environment *env,
		  const volatile sig_atomic_t *stop, struct err *e);

/* Reads baseline.json. ERR_USAGE if there is none, or it belongs to another machine; ERR_INPUT if
 * it is malformed. */
int baseline_load(struct baseline *b, const struct settings *s, const struct environment *env,
		  struct err *e);
void baseline_free(struct baseline *b);
/* Sets parameters that were not given to the baseline's values. ERR_USAGE if a given one differs.
 */
int baseline_complete(const struct baseline *b, struct settings *s, struct err *e);
/* Whether the baseline has the target. Sets *filter to the filter that its rows were taken with
 * (NULL: all benchmarks). */
bool baseline_family(const struct baseline *b, const char *target, const char **filter);

#endif
