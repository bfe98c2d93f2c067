/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const scale_names[BENCH_SCALES] = {
	[BENCH_SMOKE] = "smoke",
	[BENCH_QUICK] = "quick",
	[BENCH_PAPER] = "paper",
};

const char *bench_scale_name(enum bench_scale s)
{
	return scale_names[s];
}

static int parse_scale(void *scale, const char *text, struct err *e)
{
	for (int i = 0; i < BENCH_SCALES; i++)
		if (strcmp(text, scale_names[i]) == 0) {
			*(enum bench_scale *)scale = (enum bench_scale)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is not one of smoke, quick, paper", text);
}

static int parse_min_time(void *min_time, const char *text, struct err *e)
{
	struct bench_min_time *m = min_time;
	char copy[64];
	size_t length = strlen(text);
	char suffix = length > 1 ? text[length - 1] : '\0';

	if (length >= sizeof(copy))
		return err_set(e, ERR_USAGE, "'%s' is neither seconds nor iterations", text);
	m->is_default = false;
	memcpy(copy, text, length + 1);
	if (suffix == 's' || suffix == 'x')
		copy[length - 1] = '\0';
	if (suffix == 'x') {
		if (flag_parse_int(&m->iterations, copy, e) || m->iterations < 1 ||
		    m->iterations > 1000000000)
			return err_set(e, ERR_USAGE, "'%s' is not 1x to 1000000000x", text);
		m->is_iterations = true;
		return 0;
	}
	if (flag_parse_real(&m->seconds, copy, e) || m->seconds < 0)
		return err_set(e, ERR_USAGE, "'%s' is neither seconds (0.5s) nor iterations (10x)",
			       text);
	m->is_iterations = false;
	return 0;
}

static int parse_unit(void *selection, const char *text, struct err *e)
{
	struct bench_selection *s = selection;
	int status = bench_unit_parse(&s->unit, text, e);

	s->unit_given = status == 0;
	return status;
}

/* "csv,markdown,bmf" as a set of formats. */
static int parse_also(void *also, const char *text, struct err *e)
{
	char copy[128], *rest = copy;
	int status = 0;

	if (strlen(text) >= sizeof(copy))
		return err_set(e, ERR_USAGE, "the list is too long");
	strcpy(copy, text);
	*(unsigned *)also = 0;
	for (char *one; status == 0 && (one = strsep(&rest, ",")) != NULL;) {
		enum reporter_format format;

		status = reporter_format_parse(&format, one, e);
		if (status == 0 && format == REPORTER_CONSOLE)
			status = err_set(e, ERR_USAGE, "console is not a file format");
		if (status == 0)
			*(unsigned *)also |= 1u << format;
	}
	return status;
}

/* "BEFORE:AFTER:SPENT" */
static int parse_part(void *part, const char *text, struct err *e)
{
	struct bench_part *p = part;
	double *const values[] = { &p->before, &p->after, &p->spent };
	char copy[128], *rest = copy;
	int status = 0, i = 0;

	if (strlen(text) >= sizeof(copy))
		return err_set(e, ERR_USAGE, "the value is too long");
	strcpy(copy, text);
	for (char *one; status == 0 && (one = strsep(&rest, ":")) != NULL; i++)
		status = i < 3 ? flag_parse_real(values[i], one, e) : ERR_USAGE;
	if (status || i != 3 || p->before < 0 || p->after < 0 || p->spent < 0)
		return err_set(e, ERR_USAGE, "'%s' is not BEFORE:AFTER:SPENT, in seconds", text);
	p->given = true;
	return 0;
}

enum { SHARDS_MAX = 10000 };

static int parse_shard(void *shard, const char *text, struct err *e)
{
	struct bench_shard *s = shard;
	char number[16] = "";
	size_t length = strcspn(text, "/");
	int64_t i = 0, n = 0;

	if (length < sizeof(number))
		memcpy(number, text, length);
	if (text[length] != '/' || flag_parse_int(&i, number, NULL) ||
	    flag_parse_int(&n, text + length + 1, NULL) || i < 1 || i > n || n > SHARDS_MAX)
		return err_set(e, ERR_USAGE, "'%s' is not I/N with 1 <= I <= N <= %d", text,
			       SHARDS_MAX);
	*s = (struct bench_shard){ (int)i, (int)n };
	return 0;
}

#define OPT(name, type, member, argument, help, variable)                                          \
	FLAG_ENV(name, type, struct bench_options, member, argument, help, variable)
#define OPT_PARSED(name_, function, member, argument_, help_, variable)                            \
	{                                                                                          \
		.name = name_, .type = FLAG_PARSED,                                                \
		.offset = offsetof(struct bench_options, member), .argument = argument_,           \
		.help = help_, .environment = variable, .parse = function                          \
	}

const struct flag bench_google_flags[] = {
	OPT("benchmark_list_tests", FLAG_BOOL, list_tests, NULL,
	    "print the names of the selected cases and exit", "BENCHMARK_LIST_TESTS"),
	OPT("benchmark_filter", FLAG_TEXT, selection.filter, "REGEX",
	    "run the cases whose name matches; -REGEX: those whose name does not",
	    "BENCHMARK_FILTER"),
	OPT_PARSED("benchmark_min_time", parse_min_time, min_time, "0.5s|10x",
		   "minimum seconds of a repetition, or its number of iterations",
		   "BENCHMARK_MIN_TIME"),
	OPT("benchmark_min_warmup_time", FLAG_REAL, min_warmup_time, "S",
	    "seconds of warm-up before each case", "BENCHMARK_MIN_WARMUP_TIME"),
	OPT("benchmark_repetitions", FLAG_COUNT, repetitions, "N",
	    "repetitions of each case (default: the experiment's own)", "BENCHMARK_REPETITIONS"),
	OPT("benchmark_enable_random_interleaving", FLAG_BOOL, interleave, NULL,
	    "run the repetitions of all cases in random order",
	    "BENCHMARK_ENABLE_RANDOM_INTERLEAVING"),
	OPT("benchmark_report_aggregates_only", FLAG_BOOL, report_aggregates_only, NULL,
	    "report aggregates only, on stdout and in the file",
	    "BENCHMARK_REPORT_AGGREGATES_ONLY"),
	OPT("benchmark_display_aggregates_only", FLAG_BOOL, display_aggregates_only, NULL,
	    "show aggregates only; the file still has all repetitions",
	    "BENCHMARK_DISPLAY_AGGREGATES_ONLY"),
	OPT_PARSED("benchmark_format", reporter_format_parse, format, "FORMAT",
		   "format of stdout: console, json, csv, markdown, bmf", "BENCHMARK_FORMAT"),
	OPT("benchmark_out", FLAG_TEXT, out, "FILE",
	    "also write the results to FILE, and skipped cases to *.skipped.json beside it",
	    "BENCHMARK_OUT"),
	OPT_PARSED("benchmark_out_format", reporter_format_parse, out_format, "FORMAT",
		   "format of that file (default json)", "BENCHMARK_OUT_FORMAT"),
	OPT("benchmark_counters_tabular", FLAG_BOOL, tabular, NULL, "show counters in columns",
	    "BENCHMARK_COUNTERS_TABULAR"),
	OPT_PARSED("benchmark_time_unit", parse_unit, selection, "ns|us|ms|s", "unit of all times",
		   "BENCHMARK_TIME_UNIT"),
	OPT("benchmark_context", FLAG_LIST, context, "K=V,...", "members to add to the context",
	    "BENCHMARK_CONTEXT"),
	OPT("benchmark_dry_run", FLAG_BOOL, dry_run, NULL,
	    "run one iteration of each case, without warm-up and repetitions", "BENCHMARK_DRY_RUN"),
	FLAG_END,
};

const struct flag bench_copra_flags[] = {
	OPT_PARSED("copra_scale", parse_scale, selection.scale, "smoke|quick|paper",
		   "size of the experiments (default quick)", "COPRA_SCALE"),
	OPT("device", FLAG_TEXT, device, "auto|cpu|sim[:0,1]|cuda[:0,1]|hip[:0,1]",
	    "devices to use (default auto: all GPUs of the machine)", "COPRA_DEVICE"),
	OPT("gpus", FLAG_COUNT, gpus, "N", "number of devices to open (default all)", NULL),
	OPT("gpus-per-rank", FLAG_COUNT, gpus_per_rank, "N",
	    "under mpirun: GPUs of each rank (default: those of the node, divided by its ranks)",
	    NULL),
	OPT("threads", FLAG_COUNT, threads, "N",
	    "number of CPU threads (default: all usable cores)", "COPRA_THREADS"),
	OPT_PARSED("perf", perf_parse, perf, "EVENT,...",
		   "add hardware counters to the rows: cycles, instructions, llc-misses, ...",
		   NULL),
	OPT("copra_axis", FLAG_LIST, selection.axes, "NAME=V1,V2",
	    "replace a parameter's values; for numbers also first:last:step", NULL),
	OPT("copra_estimate", FLAG_BOOL, estimate, NULL,
	    "print the predicted time and disk space; run nothing", NULL),
	OPT("copra_resume", FLAG_BOOL, resume, NULL,
	    "continue from the journal beside --benchmark_out", NULL),
	OPT("copra_progress", FLAG_BOOL, progress, NULL, "show progress and time left", NULL),
	OPT_PARSED("copra_part", parse_part, part, "B:A:S",
		   "position in a longer run: predicted seconds before and after this one, and "
		   "seconds spent",
		   NULL),
	OPT("copra_limit", FLAG_REAL, limit, "S",
	    "start nothing predicted to end after S seconds; --copra_resume runs the rest later",
	    NULL),
	OPT("copra_longest", FLAG_REAL, longest, "S",
	    "skip cases predicted to take longer than S seconds (0: no limit)", NULL),
	OPT("copra_rows", FLAG_TEXT, rows, "FILE",
	    "run the cases that FILE names, in its order; a line is RANK REPETITIONS NAME, with "
	    "0 repetitions for the experiment's own",
	    NULL),
	OPT("copra_rank", FLAG_COUNT, rank, "N",
	    "with --copra_rows: run only the cases of ranks 1 to N; the results still have what "
	    "the journal has of the others",
	    NULL),
	OPT_PARSED("copra_shard", parse_shard, shard, "I/N",
		   "run only part I of N, split by predicted time (docs/CLUSTER.md)", NULL),
	OPT("copra_died", FLAG_LIST, died, "NAME",
	    "mark a case that ended an earlier process as failed; do not run it", NULL),
	OPT("copra_rows_only", FLAG_BOOL, rows_only, NULL, "write no aggregates to --benchmark_out",
	    NULL),
	OPT_PARSED("copra_also", parse_also, also, "csv,markdown,bmf",
		   "also write these formats beside --benchmark_out", NULL),
	OPT("copra_seed", FLAG_U64, seed, "N", "seed of the random interleaving (default 1)", NULL),
	OPT("copra_precision", FLAG_REAL, precision, "R",
	    "repeat until the relative standard error is at most R (0: off)", NULL),
	OPT("copra_case_time", FLAG_REAL, case_time, "S",
	    "with --copra_precision: at most S seconds per case (default 15)", NULL),
	FLAG_END,
};

static int check_combination(const struct bench_options *o, struct err *e)
{
	if (o->resume && !o->out)
		return err_set(e, ERR_USAGE, "--copra_resume requires --benchmark_out=FILE");
	if (o->also && !o->out)
		return err_set(e, ERR_USAGE, "--copra_also requires --benchmark_out=FILE");
	if (o->rank && !o->rows)
		return err_set(e, ERR_USAGE, "--copra_rank requires --copra_rows=FILE");
	if (o->out && !*o->out)
		return err_set(e, ERR_USAGE, "--benchmark_out: the file name is empty");
	if (o->gpus > DEV_MAX)
		return err_set(e, ERR_USAGE, "--gpus: must be at most %d", DEV_MAX);
	if (o->gpus_per_rank)
		return err_set(e, ERR_USAGE, "--gpus-per-rank needs mpirun (docs/CLUSTER.md)");
	if (o->threads > 4096)
		return err_set(e, ERR_USAGE, "--threads: must be at most 4096");
	if (o->repetitions > 1000000)
		return err_set(e, ERR_USAGE, "--benchmark_repetitions: must be at most 1000000");
	return 0;
}

int bench_options_parse(struct bench_options *o, int argc, char **argv, bool *help, struct err *e)
{
	const struct flag *const tables[] = { bench_google_flags, bench_copra_flags, NULL };
	int status;

	*o = (struct bench_options){
		.selection.scale = BENCH_QUICK,
		.min_time = { .is_default = true, .seconds = 0.5 },
		.out_format = REPORTER_JSON,
		.device = "auto",
		.seed = 1,
		.case_time = 15,
	};
	status = flags_parse(tables, o, argc, argv, help, e);
	if (status || *help)
		return status;
	return check_combination(o, e);
}

void bench_options_parameters(const struct bench_options *o, const struct bench_setting *s,
			      const struct environment *env, char *text, size_t size)
{
	snprintf(text, size,
		 "scale=%s device=%s count=%d driver=%s threads=%d min=%.17g/%" PRId64
		 " warm=%.17g repetitions=%" PRId64 " precision=%.17g/%.17g dry=%d interleave=%d",
		 scale_names[s->scale], dev_backend_name(s->devices.backend), s->devices.count,
		 s->devices.backend == DEV_CUDA ? env->gpu_driver : "", s->threads,
		 o->min_time.seconds, o->min_time.is_iterations ? o->min_time.iterations : 0,
		 o->min_warmup_time, o->repetitions, o->precision, o->case_time, o->dry_run,
		 o->interleave);
}
