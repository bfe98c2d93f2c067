/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The result of a comparison, as a table, as Markdown, as JSON and as JUnit XML. */
#ifndef COPRA_COMPARE_RESULT_H
#define COPRA_COMPARE_RESULT_H

#include "harness/compare/target.h"

/* One of the two sides. */
struct gate_side {
	char what[160];    /* "baseline 'default' of 2026-11-22" */
	char revision[64]; /* 12 digits, then " with changes" if the tree was dirty */
};

struct gate_result {
	const char *machine, *host, *cpu;
	const struct launch_parameters *parameters; /* NULL: result files were compared */
	struct gate_rule rule;
	struct gate_side old, new;
	enum gate_control control;
	char weaker[256]; /* why the result is weaker than that of two builds side by side; or "" */
	char remark[320]; /* what else the reader should know; or "" */
	bool complete;    /* neither interrupted nor failed */
	struct gate_target *target;
	size_t targets;
	size_t verdicts[GATE_VERDICTS];
	size_t compared, failed; /* benchmarks; failed: they work in the old build only */
};

/* Prints the table on stdout. The caller checks stdout for errors at the end. */
void result_print(const struct gate_result *r);
/* Writes JUnit XML for the pages of CI systems. A suite is a target, a case a benchmark. SLOWER is
 * a failure, AMBIGUOUS and what was not compared are skipped, and a benchmark that fails in the new
 * build only is an error. So is a comparison that is not complete. ERR_IO, ERR_MEMORY. */
int result_save_junit(const struct gate_result *r, const char *path, struct err *e);
/* Writes <folder>/compare.json and <folder>/compare.md. ERR_IO, ERR_MEMORY. */
int result_save(const struct gate_result *r, const char *folder, struct err *e);

#endif
