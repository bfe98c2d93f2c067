/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* main() of every target, and its sub-command `bench`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "harness/base/journal.h"
#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"
#include "harness/base/progress.h"
#include "harness/base/stop.h"
#include "harness/bench/bench_journal.h"
#include "harness/bench/options.h"
#include "harness/bench/ranks.h"
#include "harness/bench/runner.h"
#include "harness/bench/solve.h"
#include "harness/machine/peaks.h"
#include "harness/machine/environment.h"

#define PATH_SIZE 4096

/* One call of bench_main(). */
struct session {
	const char *target;
	struct bench_options options;
	struct environment environment;
	struct bench_setting setting;
	struct peaks peaks;
	struct bench_plan plan;
	struct bench_runner runner;
	struct reporter_view view;
	struct reporter_console console;
	double device_seconds; /* of opening the devices */
	char no_device[512];
	int failed; /* number of cases */

	struct journal *journal; /* NULL: there is no journal */
	char identity[20];
	double stored_at; /* time of the last write to the journal */
	struct progress *progress;
	double predicted_done, predicted_total;
	char running_path[PATH_SIZE]; /* "": there is no such file */
	const struct bench_case *running;
};

/* ---- output files ---- */

/* FILE.json -> FILE + suffix. Another ending is removed as well, so bench.csv and bench.json share
 * bench.skipped.json. */
static int path_beside(char *path, size_t size, const char *out, const char *suffix, struct err *e)
{
	const char *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out;
	const char *dot = strrchr(name, '.');
	int stem = (int)(dot && dot > name ? dot - out : (long)strlen(out));
	int n = snprintf(path, size, "%.*s%s", stem, out, suffix);

	if (n < 0 || (size_t)n >= size)
		return err_set(e, ERR_USAGE, "--benchmark_out: the file name is too long");
	return 0;
}

/* Whether the name stands for an open descriptor. A plain file behind it must be appended to, not
 * replaced. */
static bool is_descriptor(const char *out)
{
	return strncmp(out, "/dev/std", 8) == 0 || strncmp(out, "/dev/fd/", 8) == 0 ||
	       strncmp(out, "/proc/self/fd/", 14) == 0;
}

/* Whether other files can be written beside it: false for /dev/stdout and for pipes. True for a
 * folder, which is refused later. */
static bool is_file(const char *out)
{
	struct stat st;

	if (is_descriptor(out))
		return false;
	return stat(out, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

/* Checks that the file can be written, before hours of measuring. Does not change an old file. */
static int check_output(const struct bench_options *o, struct err *e)
{
	struct outfile *file;
	int status;

	if (!o->out || !is_file(o->out))
		return 0;
	status = outfile_open(&file, o->out, e);
	if (status == 0)
		outfile_abort(file);
	return status;
}

static int write_descriptor(const char *path, enum reporter_format format,
			    const struct reporter_view *v, struct err *e)
{
	FILE *f = fopen(path, "ae");
	int status;

	if (!f)
		return err_set(e, ERR_IO, "cannot write %s: %s", path, strerror(errno));
	status = reporter_write(f, format, v, e);
	if (fclose(f) && status == 0)
		status = err_set(e, ERR_IO, "cannot write %s: %s", path, strerror(errno));
	return status;
}

static int write_file(const char *path, enum reporter_format format, const struct reporter_view *v,
		      struct err *e)
{
	struct outfile *file;
	int status;

	if (is_descriptor(path))
		return write_descriptor(path, format, v, e);
	status = outfile_open(&file, path, e);
	if (status)
		return status;
	status = reporter_write(outfile_stream(file), format, v, e);
	if (status) {
		outfile_abort(file);
		return err_prefix(e, "%s", path);
	}
	return outfile_commit(file, e);
}

static int write_beside(const struct bench_options *o, const char *suffix,
			enum reporter_format format, const struct reporter_view *v, struct err *e)
{
	char path[PATH_SIZE];
	int status = path_beside(path, sizeof(path), o->out, suffix, e);

	return status ? status : write_file(path, format, v, e);
}

static int write_also(const struct bench_options *o, const struct reporter_view *v, struct err *e)
{
	static const char *const suffix[REPORTER_FORMATS] = {
		[REPORTER_JSON] = ".json",
		[REPORTER_CSV] = ".csv",
		[REPORTER_MARKDOWN] = ".md",
		[REPORTER_BMF] = ".bmf.json",
	};
	int status = 0;

	for (int f = 0; f < REPORTER_FORMATS && status == 0; f++)
		if (suffix[f] && o->also & 1u << f)
			status = write_beside(o, suffix[f], (enum reporter_format)f, v, e);
	return status;
}

/* Writes all output files, each completely or not at all. Returns the first error but still writes
 * the other files. */
static int write_output(const struct bench_options *o, const struct reporter_view *v, struct err *e)
{
	struct reporter_view file = *v;
	struct err later;
	int status = 0, next;

	if (!o->out)
		return 0;
	file.rows = !o->report_aggregates_only;
	file.aggregates = !o->rows_only;
	status = write_file(o->out, o->out_format, &file, e);
	if (!is_file(o->out))
		return status;
	next = write_beside(o, ".skipped.json", REPORTER_SKIPPED, &file, status ? &later : e);
	status = status ? status : next;
	if (o->also) {
		next = write_also(o, &file, status ? &later : e);
		status = status ? status : next;
	}
	return status;
}

/* ---- during a run: journal, progress, the name of the running case ---- */

/* Rows are flushed to disk when a case ends, and between its repetitions after this many seconds,
 * which is the most that a kill can lose. */
#define STORE_SECONDS 2.0

/* A case of which the journal has fewer repetitions than are asked for now continues. */
static void continue_short_cases(struct session *s)
{
	for (int i = 0; i < s->plan.count; i++) {
		struct bench_case *c = &s->plan.cases[i];

		if (c->outcome != BENCH_DONE || bench_has_enough(&s->runner, c))
			continue;
		c->outcome = BENCH_PENDING;
		c->from_journal = false;
	}
}

/* Opens the journal beside --benchmark_out and, with --copra_resume, loads its rows. */
static int open_journal(struct session *s, struct err *e)
{
	const struct bench_options *o = &s->options;
	char path[PATH_SIZE], parameters[512];
	int status, foreign;

	if (!o->out || !is_file(o->out))
		return 0;
	status = path_beside(path, sizeof(path), o->out, ".journal.jsonl", e);
	if (status == 0)
		status = path_beside(s->running_path, sizeof(s->running_path), o->out, ".running",
				     e);
	if (status)
		return status;
	bench_options_parameters(o, &s->setting, &s->environment, parameters, sizeof(parameters));
	status = bench_identity(s->identity, s->environment.machine, parameters, e);
	if (status == 0)
		status = journal_open(&s->journal, path, o->resume, e);
	if (status == 0)
		status = bench_journal_load(s->journal, s->identity, &s->plan, &foreign, e);
	if (status == 0 && foreign && !o->estimate)
		fprintf(stderr,
			"%s: %s: none of its %d lines is of this build and these settings: all "
			"cases are measured again\n",
			s->target, path, foreign);
	if (status == 0)
		continue_short_cases(s);
	return status;
}

/* Cases that ended an earlier process are failures and are not run again. */
static int mark_died(struct session *s, struct err *e)
{
	for (int k = 0; k < s->options.died.count; k++) {
		const char *name = s->options.died.values[k];
		struct bench_case *c = NULL;

		for (int i = 0; i < s->plan.count && !c; i++)
			if (strcmp(s->plan.cases[i].name, name) == 0)
				c = &s->plan.cases[i];
		if (!c)
			return err_set(e, ERR_USAGE, "--copra_died=%s: no such case", name);
		c->outcome = BENCH_FAILED;
		c->left_out = false;
		c->row_count = 0;
		snprintf(c->message, sizeof(c->message),
			 "the process ended in the middle of this case");
	}
	return 0;
}

/* Writes the name of the running case to *.running beside --benchmark_out. If the process dies, the
 * driver reads from it which case was running. Errors, as on a full disk, are ignored. */
static void name_running(struct session *s, const struct bench_case *c)
{
	FILE *f;

	if (s->running == c || !s->running_path[0])
		return;
	s->running = c;
	f = fopen(s->running_path, "we");
	if (f) {
		fprintf(f, "%s\n", c->name);
		fclose(f);
	}
}

static double predicted(const struct session *s, const struct bench_case *c)
{
	return c->left_out ? 0 : fmax(bench_predict(&s->runner, c), 1e-3);
}

static double share_done(const struct session *s, const struct bench_case *c)
{
	return fmin(1, c->row_count / (double)bench_repetitions(&s->runner, c));
}

static void on_starting(void *ctx, const struct bench_case *c)
{
	struct session *s = ctx;

	name_running(s, c);
	progress_update(s->progress, s->predicted_done + predicted(s, c) * share_done(s, c),
			c->name);
}

static int store(struct session *s, struct bench_case *c, struct err *e)
{
	s->stored_at = clock_wall();
	return bench_journal_store(s->journal, s->identity, c, e);
}

static int on_measured(void *ctx, struct bench_case *c, struct err *e)
{
	struct session *s = ctx;

	if (!s->journal || clock_wall() - s->stored_at < STORE_SECONDS)
		return 0;
	return store(s, c, e);
}

static int on_finished(void *ctx, struct bench_case *c, struct err *e)
{
	struct session *s = ctx;
	int status = 0;

	s->failed += c->outcome == BENCH_FAILED;
	/* the rows of a case that is left out stay in the journal for a later run */
	if (s->journal && !c->from_journal && !c->left_out)
		status = store(s, c, e);
	progress_clear(s->progress);
	if (s->options.format == REPORTER_CONSOLE)
		reporter_console_case(&s->console, c);
	if (!c->from_journal)
		s->predicted_done += predicted(s, c); /* shown when the next case starts */
	return status;
}

/* Whether the case is of a rank after --copra_rank. */
static bool is_later(const struct session *s, const struct bench_case *c)
{
	return c->outcome == BENCH_PENDING && !bench_to_run(&s->runner, c);
}

/* Progress counts only the repetitions that this run has to do, not those of earlier runs. */
static int start_progress(struct session *s, struct err *e)
{
	const struct bench_part *part = &s->options.part;
	int status;

	if (!s->options.progress)
		return 0;
	s->predicted_total = part->before + part->after;
	s->predicted_done = part->before;
	for (int i = 0; i < s->plan.count; i++)
		if (!s->plan.cases[i].from_journal && !is_later(s, &s->plan.cases[i]))
			s->predicted_total += predicted(s, &s->plan.cases[i]);
	status = progress_create(&s->progress, stderr, part->given ? "all" : s->target,
				 s->predicted_total, e);
	if (status == 0 && part->given)
		progress_continue(s->progress, part->before, part->spent);
	return status;
}

/* Hooks journal, progress and *.running into the runner. */
static int start_following(struct session *s, struct err *e)
{
	int status = mark_died(s, e);

	s->stored_at = clock_wall();
	s->runner.starting = on_starting;
	s->runner.measured = on_measured;
	s->runner.finished = on_finished;
	s->runner.ctx = s;
	return status ? status : start_progress(s, e);
}

/* After the run: stores all rows and removes the progress line and *.running. */
static int stop_following(struct session *s, struct err *e)
{
	int status = 0;

	for (int i = 0; s->journal && i < s->plan.count && status == 0; i++)
		if (s->plan.cases[i].outcome == BENCH_PENDING)
			status = bench_journal_store(s->journal, s->identity, &s->plan.cases[i], e);
	progress_update(s->progress, s->predicted_done, NULL);
	progress_destroy(s->progress);
	s->progress = NULL;
	if (s->running)
		unlink(s->running_path);
	return status;
}

static void close_journal(struct session *s)
{
	progress_destroy(s->progress);
	journal_close(s->journal);
}

/* ---- estimate ---- */

struct estimate {
	double seconds, bytes;
	int cases, to_run, measured;
	int impossible; /* cannot run on this machine */
	int unknown;    /* without a prediction */
	int too_long;   /* exceeds --copra_longest */
};

static void add_estimate(struct estimate *t, const struct session *s, const struct bench_case *c)
{
	double predicted = bench_predict(&s->runner, c);
	double repetitions = (double)bench_repetitions(&s->runner, c);

	if (is_later(s, c))
		return;
	t->cases++;
	if (c->outcome == BENCH_DONE) {
		t->measured++;
		return;
	}
	if (c->left_out) {
		t->too_long++;
		return;
	}
	if (predicted == 0) {
		t->impossible++;
	} else {
		t->to_run++;
		t->unknown += predicted < 0;
	}
	/* repetitions that an earlier run measured are not repeated */
	t->seconds += fmax(predicted, 0) * fmax(0, 1 - c->row_count / repetitions);
	/* a row takes about 1 KB in the results and 1 KB in the journal */
	t->bytes += 2048 * repetitions;
}

static const char *why_impossible(const struct session *s)
{
	return s->setting.no_device ? s->setting.no_device : "more GPUs are needed";
}

static int print_json(const struct session *s, const struct estimate *t, struct err *e)
{
	struct json_writer w;
	int status;

	jw_to_file(&w, stdout, JSON_ONE_LINE);
	jw_begin_object(&w, NULL);
	jw_string(&w, "target", s->target);
	jw_int(&w, "cases", t->cases);
	jw_int(&w, "to_run", t->to_run);
	jw_int(&w, "measured", t->measured);
	jw_int(&w, "impossible", t->impossible);
	jw_int(&w, "unknown", t->unknown);
	jw_int(&w, "too_long", t->too_long);
	jw_double(&w, "seconds", t->seconds);
	jw_int(&w, "bytes", (int64_t)t->bytes);
	jw_int(&w, "gpus", s->view.gpus);
	jw_int(&w, "cores", s->setting.threads);
	jw_string(&w, "revision", build_info()->revision);
	jw_int(&w, "dirty", build_info()->dirty);
	jw_string(&w, "no_device", t->impossible ? why_impossible(s) : "");
	jw_end_object(&w);
	status = jw_finish(&w, e);
	jw_destroy(&w);
	return status;
}

static void print_text(const struct session *s, const struct estimate *t)
{
	char time[64];

	progress_duration(t->seconds, time, sizeof(time));
	printf("%s: %d cases, %d to run, about %s, %.0f KB on disk", s->target, t->cases, t->to_run,
	       time, ceil(t->bytes / 1024));
	if (t->measured)
		printf(", %d already measured", t->measured);
	if (t->impossible)
		printf(", %d cannot run here (%s)", t->impossible, why_impossible(s));
	if (t->too_long)
		printf(", %d too long", t->too_long);
	if (t->unknown)
		printf(", %d without an estimate", t->unknown);
}

/* --copra_estimate: one line of text, or one object with --benchmark_format=json. */
static int print_estimate(const struct session *s, struct err *e)
{
	struct estimate t = { 0 };
	int status = 0;

	for (int i = 0; i < s->plan.count; i++)
		add_estimate(&t, s, &s->plan.cases[i]);
	if (s->options.format == REPORTER_JSON)
		status = print_json(s, &t, e);
	else
		print_text(s, &t);
	putchar('\n');
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to standard output");
	return status;
}

static void print_flags(FILE *out)
{
	fputs("Google Benchmark flags [environment variable]:\n", out);
	flags_print(out, bench_google_flags);
	fputs("copra flags:\n", out);
	flags_print(out, bench_copra_flags);
	fputs("exit codes: 0 done; 1 a case failed or an output could not be written; 2 bad "
	      "usage;\n"
	      "3 interrupted, with the finished cases written; 4 requested device not available\n",
	      out);
}

/* ---- set-up ---- */

static int make_plan(struct session *s, struct err *e)
{
	int count, status;
	const struct bench *const *all = bench_registered(&count);

	status = bench_plan_create(&s->plan, all, count, &s->options.selection, &s->setting, e);
	if (status == 0 && s->options.rows)
		return bench_plan_keep(&s->plan, s->options.rows, e);
	if (status == 0 && s->plan.count == 0)
		return err_set(e, ERR_USAGE, "no case matches --benchmark_filter=%s",
			       s->options.selection.filter ? s->options.selection.filter : "");
	return status;
}

/* With "auto", a machine without a GPU is not an error. */
static int open_devices(struct session *s, struct err *e)
{
	struct err problem = { 0 };
	int status = dev_set_open(&s->setting.devices, s->options.device, (int)s->options.gpus,
				  &problem);

	if (status == ERR_DEVICE && strcmp(s->options.device, "auto") == 0 &&
	    s->options.gpus == 0) {
		s->setting.devices = (struct dev_set){ .backend = DEV_CPU };
		snprintf(s->no_device, sizeof(s->no_device), "%s", problem.text);
		s->setting.no_device = s->no_device;
		return 0;
	}
	if (status == 0 && s->setting.devices.count == 0)
		s->setting.no_device = "run with --device=cpu";
	if (status && e)
		*e = problem;
	return status;
}

static int open_meters(struct session *s, struct err *e)
{
	int status = 0;

	if (s->setting.devices.backend == DEV_CUDA)
		status = energy_create(&s->setting.device_meter, &s->setting.devices, e);
	if (status == 0)
		status = energy_create(&s->setting.host_meter, NULL, e);
	return status;
}

/* Says once which hardware counters the rows will not have. */
static void open_counters(struct session *s)
{
	char missing[320];

	s->setting.perf = s->options.perf;
	perf_probe(&s->setting.perf, NULL, missing, sizeof(missing));
	if (missing[0])
		fprintf(stderr, "%s: --perf: %s\n", s->target, missing);
}

static void set_view(struct session *s, const char *executable)
{
	const struct bench_options *o = &s->options;

	s->view = (struct reporter_view){
		.plan = &s->plan,
		.environment = &s->environment,
		.target = s->target,
		.executable = executable,
		.scale = bench_scale_name(o->selection.scale),
		.seed = o->seed,
		.context = &o->context,
		.threads = s->setting.threads,
		.device = o->device,
		.gpus = dev_backend_is_gpu(s->setting.devices.backend) ? s->setting.devices.count :
									 0,
		.device_seconds = s->device_seconds,
		.rows = !o->report_aggregates_only && !o->display_aggregates_only,
		.aggregates = true,
	};
}

static void set_runner(struct session *s)
{
	const struct bench_options *o = &s->options;

	s->runner = (struct bench_runner){
		.plan = &s->plan,
		.timing = { .min_time = o->min_time,
			    .min_warmup_time = o->min_warmup_time,
			    .dry_run = o->dry_run },
		.repetitions = o->repetitions,
		.precision = o->precision,
		.budget = o->case_time,
		.interleave = o->interleave,
		.seed = o->seed,
		.stop = s->setting.stop,
		.deadline = o->limit > 0 ? clock_wall() + o->limit : 0,
		.longest = o->longest,
		.rank = o->rank,
	};
}

static bool follows(const struct session *s)
{
	return s->setting.ranks && s->setting.ranks->rank > 0;
}

static int prepare(struct session *s, const char *executable, struct err *e)
{
	int status = stop_install(&s->setting.stop, e);

	if (status)
		return status;
	env_capture(&s->environment);
	s->setting.host = s->environment.host_hash;
	s->setting.scale = s->options.selection.scale;
	s->setting.threads =
		s->options.threads ? (int)s->options.threads : s->environment.cpus_usable;
	s->device_seconds = clock_wall();
	status = open_devices(s, e);
	s->device_seconds = clock_wall() - s->device_seconds;
	if (status == 0)
		status = make_plan(s, e);
	if (status)
		return status;
	if (peaks_load(&s->peaks, &s->environment, NULL) == 0)
		s->setting.peaks = &s->peaks;
	set_view(s, executable);
	set_runner(s);
	if (s->options.shard.count && !follows(s)) /* the other ranks take rank 0's cases */
		status = bench_keep_shard(&s->runner, &s->plan, s->options.shard, e);
	if (status)
		return status;
	status = reporter_check_context(&s->view, e);
	if (status || s->setting.ranks) /* counters and energy of one rank tell little */
		return status;
	if (!s->options.estimate)
		open_counters(s);
	return open_meters(s, e);
}

static void release(struct session *s)
{
	if (s->setting.ranks && !follows(s))
		(void)s->setting.ranks->order(BENCH_END, "", NULL);
	close_journal(s);
	bench_plan_destroy(&s->plan);
	energy_destroy(s->setting.device_meter);
	energy_destroy(s->setting.host_meter);
	dev_set_close(&s->setting.devices);
}

/* ---- the run ---- */

/* Prints the machine, the build, and warnings about conditions that make times unreliable. */
static void print_context(FILE *out, const struct reporter_view *v)
{
	const struct environment *env = v->environment;
	const struct build_info *build = build_info();

	fprintf(out, "%s on %s: %d x %.0f MHz, %s\n", v->executable, env->machine, env->cpus_usable,
		env->cpu_mhz, env->cpu_model);
	for (int i = 0; i < env->gpu_count; i++)
		fprintf(out, "GPU %d: %s, driver %s\n", i, env->gpus[i].name, env->gpu_driver);
	fprintf(out, "Load average: %.2f, %.2f, %.2f; build %.12s%s, %s\n", env->load[0],
		env->load[1], env->load[2], build->revision, build->dirty ? " (changed)" : "",
		build->compiler);
	if (!build->optimised)
		fputs("***WARNING*** This build is not optimised: its times are meaningless.\n",
		      out);
	if (env->cpu_scaling)
		fputs("***WARNING*** CPU frequency scaling is on: times may be noisy.\n", out);
}

/* Runs the plan, then writes the finished cases, also after an interruption or a full disk. */
static int run_and_write(struct session *s, struct err *e)
{
	const struct bench_options *o = &s->options;
	struct err later;
	int status = start_following(s, e), written;

	if (status)
		return status;
	if (o->format == REPORTER_CONSOLE) {
		print_context(stderr, &s->view);
		if (!s->setting.peaks)
			fputs("Peak rates have not been measured (copra peaks): rows have no "
			      "lower bounds.\n",
			      stderr);
		reporter_console_start(&s->console, stdout, &s->plan, o->tabular, s->view.rows,
				       true);
	}
	status = bench_run_plan(&s->runner, e);
	written = stop_following(s, status ? &later : e);
	status = status ? status : written;
	if (o->format != REPORTER_CONSOLE) {
		written = reporter_write(stdout, o->format, &s->view, status ? &later : e);
		status = status ? status : written;
	}
	if (fflush(stdout) || ferror(stdout))
		status = status ? status : err_set(e, ERR_IO, "cannot write to standard output");
	written = write_output(o, &s->view, status ? &later : e);
	return status ? status : written;
}

static int run(struct session *s, struct err *e)
{
	int status;

	if (follows(s))
		return bench_follow(&s->plan, s->setting.ranks, e);
	status = s->options.estimate ? 0 : check_output(&s->options, e);

	/* an estimate changes no files; it only reads a journal that is to be continued */
	if (status == 0 && (!s->options.estimate || s->options.resume))
		status = open_journal(s, e);
	if (status)
		return status;
	bench_leave_out(&s->runner);
	if (s->options.estimate)
		return print_estimate(s, e);
	status = run_and_write(s, e);
	if (status == 0 && s->failed)
		return err_set(e, ERR_FAILED, "%d of %d cases failed%s", s->failed, s->plan.count,
			       s->options.out ? ", see *.skipped.json" : "");
	return status;
}

static int list_tests(struct session *s, struct err *e)
{
	int status = make_plan(s, e);

	for (int i = 0; i < s->plan.count && status == 0; i++)
		puts(s->plan.cases[i].name);
	bench_plan_destroy(&s->plan);
	return status;
}

/* Processes of mpirun that do not know of each other would measure the same rows at the same time.
 */
static int refuse_strangers(const struct target *t, struct err *e)
{
	if (t->ranks || host_ranks() < 2)
		return 0;
	return err_set(e, ERR_USAGE,
		       "bench runs on one process, but mpirun has started %d (docs/CLUSTER.md)",
		       host_ranks());
}

/* argv[0] is the first flag. `executable` goes into the context. Returns the exit code: 0 done; 1 a
 * case failed or an output could not be written; 2 bad usage; 3 interrupted, with the finished
 * cases written; 4 the requested device is not available. */
static int bench_main(const struct target *t, const char *executable, int argc, char **argv)
{
	const char *target = t->name;
	struct session *s = calloc(1, sizeof(*s));
	struct err e = { 0 };
	bool help = false;
	int status;

	if (!s) {
		fprintf(stderr, "%s: out of memory\n", target);
		return 1;
	}
	s->target = target;
	s->setting.ranks = t->ranks;
	status = bench_options_parse(&s->options, argc, argv, &help, &e);
	if (status == 0 && !help)
		status = refuse_strangers(t, &e);
	if (status == 0 && help) {
		printf("usage: %s [bench] [flags]\n", target);
		print_flags(stdout);
	} else if (status == 0 && s->options.list_tests) {
		s->setting.scale = s->options.selection.scale;
		status = list_tests(s, &e);
	} else if (status == 0) {
		status = prepare(s, executable, &e);
		if (status == 0)
			status = run(s, &e);
		release(s);
	}
	if (status && (t->ranks || host_ranks() < 2 || host_rank() == 0))
		fprintf(stderr, "%s: %s\n", target, e.text);
	free(s);
	return err_exit_code(status);
}

/* ---- main() of every target ---- */

static void print_help(const struct target *t)
{
	printf("%s: %s\n"
	       "usage: %s [bench] [flags]   measure the experiments of the paper\n"
	       "       %s solve [flags]     solve one instance\n"
	       "       %s list              experiments, instances and variants\n",
	       t->name, t->summary, t->name, t->name, t->name);
	for (const struct subcommand *c = t->commands; c && c->name; c++) {
		char words[32];

		snprintf(words, sizeof(words), "%s [flags]", c->name);
		printf("       %s %-17s %s\n", t->name, words, c->summary);
	}
	printf("       %s SUB-COMMAND --help\n"
	       "       %s --version\n\n",
	       t->name, t->name);
	print_flags(stdout);
}

static bool is_help(const char *argument)
{
	return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 ||
	       strcmp(argument, "help") == 0;
}

static int usage(const struct target *t, const char *message, const char *argument)
{
	fprintf(stderr, "%s: %s '%s' (see --help)\n", t->name, message, argument);
	return err_exit_code(ERR_USAGE);
}

static void list_experiments(void)
{
	int count;
	const struct bench *const *all = bench_registered(&count);

	puts("experiments (bench --benchmark_filter=NAME):");
	for (int i = 0; i < count; i++)
		if (all[i])
			printf("  %-28s %s\n", all[i]->name,
			       all[i]->summary ? all[i]->summary : "");
}

static int list(const struct target *t, int argc, char **argv)
{
	struct err e = { 0 };
	int status;

	if (argc > 0 && is_help(argv[0])) {
		printf("usage: %s list\nprints the experiments of bench, and the instances and "
		       "variants of solve\n",
		       t->name);
		return 0;
	}
	if (argc > 0)
		return usage(t, "list takes no arguments, but got", argv[0]);
	list_experiments();
	status = t->list ? t->list(&e) : 0;
	if (status == 0 && t->solve)
		solve_rungs_print(t->solve->rungs);
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		status = err_set(&e, ERR_IO, "cannot write to standard output");
	if (status)
		fprintf(stderr, "%s: %s\n", t->name, e.text);
	return err_exit_code(status);
}

int copra_main(int argc, char **argv, const struct target *t)
{
	const char *first = argc > 1 ? argv[1] : "";

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print(t->name);
	if (is_help(first)) {
		print_help(t);
		return 0;
	}
	if (*first == '-' || argc <= 1)
		return bench_main(t, argv[0], argc - 1, argv + 1);
	if (strcmp(first, "bench") == 0)
		return bench_main(t, argv[0], argc - 2, argv + 2);
	if (strcmp(first, "list") == 0)
		return list(t, argc - 2, argv + 2);
	if (strcmp(first, "solve") == 0) {
		if (t->solve)
			return solve_main(t->name, t->solve, t->leave, argc - 2, argv + 2);
		fprintf(stderr, "%s: this target has no solve\n", t->name);
		return err_exit_code(ERR_USAGE);
	}
	for (const struct subcommand *c = t->commands; c && c->name; c++)
		if (strcmp(first, c->name) == 0)
			return c->run(argc - 2, argv + 2);
	return usage(t, "unknown sub-command", first);
}
