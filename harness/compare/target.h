/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The comparison of one target: launches its builds and collects their samples. */
#ifndef COPRA_COMPARE_TARGET_H
#define COPRA_COMPARE_TARGET_H

#include <limits.h>

#include "harness/compare/gate.h"
#include "harness/compare/rows.h"

/* A benchmark that is not compared, and why. */
struct gate_omitted {
	char *name, *reason;
	bool failed; /* it works in the old build and fails in the new one */
};

struct gate_target {
	const char *name;
	const char *filter; /* NULL: all benchmarks */
	char program[GATE_BUILDS][PATH_MAX];
	const struct launch_parameters *parameters;
	const char *folder;                   /* where the rows are saved after each block */
	struct build_rows build[GATE_BUILDS]; /* GATE_OLD's rows may have been loaded before */
	struct gate_session session;
	struct gate_omitted *omitted;
	size_t omitted_count;
	void (*after_block)(void *ctx, const struct gate_target *t);
	void *ctx;
};

/* Finds the benchmarks that both builds have, then samples them until they are settled. After an
 * error the samples collected so far are kept and tested. The caller sets session.control, rule,
 * least, most, seed and stop. */
int target_compare(struct gate_target *t, struct err *e);
/* Selects the benchmarks for which both the old and the new build have rows. `filter`, an extended
 * regular expression, restricts them (NULL: all). */
int target_match(struct gate_target *t, const char *filter, struct err *e);
/* Removes the files with rows that an earlier comparison of the target left in a folder. ERR_IO. */
int target_remove(const char *folder, const char *name, struct err *e);
void target_free(struct gate_target *t);

#endif
