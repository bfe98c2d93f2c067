/* The flags of `bench`: Google Benchmark's, with their environment variables, and copra's. */
#ifndef COPRA_BENCH_BENCH_OPTIONS_H
#define COPRA_BENCH_BENCH_OPTIONS_H

#include "harness/bench/bench_run.h"
#include "harness/bench/reporter.h"

/* Where this run stands in a longer one, in predicted seconds; and those already spent. */
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
	const char *out; /* NULL: none */
	bool tabular;
	struct flag_list context;
	bool dry_run;
	/* copra's */
	const char *device;
	int64_t gpus, threads; /* 0: all */
	bool estimate, resume, progress, rows_only;
	unsigned also; /* bit 1 << enum reporter_format */
	uint64_t seed;
	double precision, case_time;
	double limit;   /* seconds for the whole run; 0: none */
	double longest; /* seconds for one case; 0: any */
	struct bench_part part;
	struct flag_list died; /* names of cases */
};

extern const struct flag bench_google_flags[], bench_copra_flags[];

/* Defaults, environment, command line. *help: --help was asked for. */
int bench_options_parse(struct bench_options *o, int argc, char **argv, bool *help, struct err *e);

/* What decides whether a measurement counts as the same one, as text. */
void bench_options_parameters(const struct bench_options *o, const struct bench_setting *s,
			      const struct environment *env, char *text, size_t size);

#endif
