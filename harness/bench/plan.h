/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The registry of benchmarks, and the plan: the cases that axes and names select from it. */
#ifndef COPRA_BENCH_PLAN_H
#define COPRA_BENCH_PLAN_H

#include "harness/base/flags.h"
#include "harness/bench/case.h"

/* The registered benchmarks in the order of registration. If there were too many of them, the last
 * entry is NULL, which bench_plan_create() refuses. */
const struct bench *const *bench_registered(int *count);

struct bench_selection {
	enum bench_scale scale;
	const char *filter;    /* Google Benchmark's: ERE, "-" in front negates, "all" */
	struct flag_list axes; /* "name=v1,v2" or "name=first:last:step" */
	bool unit_given;
	enum bench_unit unit; /* of all cases, when given */
};

/* One of `count` parts of a plan, from 1 on. Count 0: the whole plan. */
struct bench_shard {
	int number, count;
};

struct bench_plan {
	struct bench_case *cases;
	int count, capacity;
	char **texts; /* values given on the command line */
	int text_count;
};

/* Expands `benches` into the selected cases. ERR_USAGE: a malformed or unknown axis, a bad regular
 * expression, or two cases with the same name. ERR_FAILED: two benchmarks with the same name, or
 * one without an oracle. */
int bench_plan_create(struct bench_plan *p, const struct bench *const *benches, int count,
		      const struct bench_selection *s, const struct bench_setting *setting,
		      struct err *e);
void bench_plan_destroy(struct bench_plan *p);

/* Keeps only the cases that a file of --copra_rows names, in its order. A line is
 * "RANK REPETITIONS NAME"; repetitions 0 are the experiment's own. Lines that begin with #, and
 * names that the plan lacks, are ignored. ERR_INPUT names file and line of an error. */
int bench_plan_keep(struct bench_plan *p, const char *path, struct err *e);

/* The values of one axis: those of the scale, or those of --copra_axis. `at` is malloc'ed; texts
 * that were given on the command line are owned by `owner`. */
struct bench_axis_values {
	struct bench_parameter *at;
	int count;
};
int bench_axis_values(struct bench_axis_values *v, const struct bench_axis *axis,
		      const struct bench_selection *s, struct bench_plan *owner, struct err *e);

#endif
