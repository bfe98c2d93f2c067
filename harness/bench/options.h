/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The flags of `bench`: Google Benchmark's, with their environment variables, and copra's own. */
#ifndef COPRA_BENCH_OPTIONS_H
#define COPRA_BENCH_OPTIONS_H

#include "harness/bench/reporter.h"
#include "harness/bench/runner.h"
#include "harness/machine/environment.h"
#include "harness/machine/perf.h"

/* The position of this run in a longer one: predicted seconds before and after it, and the seconds
 * already spent. */
struct bench_part {
	bool given;
	double before, after, spent;
};

struct bench_options {
	/* Google Benchmark's */
	bool list_tests;
	struct bench_selection selection;
	struct bench_min_time min_time;
	double min_warmup_time;
	int64_t repetitions; /* 0: not given */
	bool interleave;
	bool report_aggregates_only, display_aggregates_only;
	enum reporter_format format, out_format;
	const char *out; /* NULL: not given */
	bool tabular;
	struct flag_list context;
	bool dry_run;
	/* copra's */
	const char *device;
	int64_t gpus, threads; /* 0: all */
	int64_t gpus_per_rank; /* taken by world_main() under mpirun */
	bool estimate, resume, progress, rows_only;
	unsigned also; /* bit 1 << enum reporter_format */
	uint64_t seed;
	double precision, case_time;
	double limit;     /* seconds of the whole run; 0: no limit */
	double longest;   /* seconds of one case; 0: no limit */
	const char *rows; /* --copra_rows; NULL: not given */
	int64_t rank;     /* the last one to run; 0: all */
	struct bench_shard shard;
	struct bench_part part;
	struct perf_choice perf;
	struct flag_list died; /* names of cases */
};

extern const struct flag bench_google_flags[], bench_copra_flags[];

/* Applies defaults, environment and command line, in this order. *help: --help was given. */
int bench_options_parse(struct bench_options *o, int argc, char **argv, bool *help, struct err *e);

/* Writes the parameters that decide whether two measurements are of the same kind, for
 * bench_identity(). */
void bench_options_parameters(const struct bench_options *o, const struct bench_setting *s,
			      const struct environment *env, char *text, size_t size);

#endif
