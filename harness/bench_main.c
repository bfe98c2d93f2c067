#include "bench_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_options.h"
#include "bench_output.h"
#include "ceilings.h"
#include "clock.h"
#include "journal.h"
#include "progress.h"
#include "stop.h"

/* Everything one call of bench_main() holds; made by prepare(), released by release(). */
struct session {
	const char *target;
	struct bench_options options;
	struct environment environment;
	struct bench_setting setting;
	struct ceilings ceilings;
	struct bench_plan plan;
	struct bench_runner runner;
	struct reporter_view view;
	struct reporter_console console;
	struct journal *journal;
	char identity[20];
	struct progress *progress;
	double predicted_done, predicted_total;
	double device_seconds;
	int failed;
	char no_device[512];
};

void bench_print_flags(FILE *out)
{
	fputs("Google Benchmark's flags [environment variable]:\n", out);
	flags_print(out, bench_google_flags);
	fputs("copra's own:\n", out);
	flags_print(out, bench_copra_flags);
}

/* ---- set-up ---- */

static const struct bench **registered(void)
{
	int count = bench_registered();
	const struct bench **all = malloc(((size_t)count + 1) * sizeof *all);

	for (int i = 0; all && i < count; i++)
		all[i] = bench_registered_at(i);
	return all;
}

static int make_plan(struct session *s, struct err *e)
{
	const struct bench **all = registered();
	int status;

	if (!all)
		return err_set(e, ERR_MEMORY, "no memory for the list of benchmarks");
	status = bench_plan_create(&s->plan, all, bench_registered(), &s->options.selection,
				   &s->setting, e);
	free(all);
	if (status == 0 && s->plan.count == 0)
		return err_set(e, ERR_USAGE, "no case matches --benchmark_filter=%s",
			       s->options.selection.filter ? s->options.selection.filter : "");
	return status;
}

/* "auto" without a GPU is a machine without one, not an error. */
static int open_devices(struct session *s, struct err *e)
{
	struct err problem = { 0 };
	int status = dev_set_open(&s->setting.devices, s->options.device, (int)s->options.gpus,
				  &problem);

	if (status == ERR_DEVICE && strcmp(s->options.device, "auto") == 0 &&
	    s->options.gpus == 0) {
		s->setting.devices = (struct dev_set){ .backend = DEV_CPU };
		snprintf(s->no_device, sizeof s->no_device, "%s", problem.text);
		s->setting.no_device = s->no_device;
		return 0;
	}
	if (status == 0 && s->setting.devices.count == 0)
		s->setting.no_device = "--device=cpu";
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

static void set_view(struct session *s, const char *executable)
{
	const struct bench_options *o = &s->options;

	s->view = (struct reporter_view){
		.plan = &s->plan, .environment = &s->environment, .target = s->target,
		.executable = executable, .scale = bench_scale_name(o->selection.scale),
		.seed = o->seed, .context = &o->context, .threads = s->setting.threads,
		.device = o->device, .device_seconds = s->device_seconds,
		.rows = !o->report_aggregates_only && !o->display_aggregates_only,
		.aggregates = true,
	};
}

static void set_runner(struct session *s)
{
	const struct bench_options *o = &s->options;

	s->runner = (struct bench_runner){
		.plan = &s->plan,
		.timing = { .min_time = o->min_time, .min_warmup_time = o->min_warmup_time,
			    .dry_run = o->dry_run },
		.repetitions = o->repetitions, .precision = o->precision,
		.budget = o->case_time, .interleave = o->interleave, .seed = o->seed,
		.stop = s->setting.stop,
	};
}

static int prepare(struct session *s, const char *executable, struct err *e)
{
	int status = stop_install(&s->setting.stop, e);

	if (status)
		return status;
	env_capture(&s->environment);
	s->setting.scale = s->options.selection.scale;
	s->setting.threads = s->options.threads ? (int)s->options.threads :
						  s->environment.cpus_usable;
	s->device_seconds = clock_wall();
	status = open_devices(s, e);
	s->device_seconds = clock_wall() - s->device_seconds;
	if (status == 0)
		status = make_plan(s, e);
	if (status)
		return status;
	if (ceilings_load(&s->ceilings, &s->environment, NULL) == 0)
		s->setting.ceilings = &s->ceilings;
	set_view(s, executable);
	set_runner(s);
	status = reporter_check_context(&s->view, e);
	return status ? status : open_meters(s, e);
}

static void release(struct session *s)
{
	progress_destroy(s->progress);
	journal_close(s->journal);
	bench_plan_destroy(&s->plan);
	energy_destroy(s->setting.device_meter);
	energy_destroy(s->setting.host_meter);
	dev_set_close(&s->setting.devices);
}

/* ---- the journal ---- */

static int open_journal(struct session *s, struct err *e)
{
	const struct bench_options *o = &s->options;
	char path[4096], parameters[512];
	int status;

	if (!o->out || !bench_output_is_file(o->out))
		return 0;
	status = bench_output_beside(path, sizeof path, o->out, ".journal.jsonl", e);
	if (status)
		return status;
	bench_options_parameters(o, &s->setting, &s->environment, parameters, sizeof parameters);
	status = bench_identity(s->identity, s->environment.machine, parameters, e);
	if (status == 0)
		status = journal_open(&s->journal, path, o->resume, e);
	if (status == 0)
		status = bench_journal_load(s->journal, s->identity, &s->plan, e);
	return status;
}

/* ---- estimate ---- */

static void print_estimate(const struct session *s)
{
	double seconds = 0, bytes = 0;
	int to_run = 0, unknown = 0, impossible = 0, known = 0;
	char time[64];

	for (int i = 0; i < s->plan.count; i++) {
		const struct bench_case *c = &s->plan.cases[i];
		double predicted = bench_predict(&s->runner, c);

		if (c->outcome == BENCH_DONE) {
			known++;
			continue;
		}
		if (predicted == 0)
			impossible++;
		else
			to_run++;
		if (predicted < 0)
			unknown++;
		else
			seconds += predicted;
		/* a row takes about 1 KB in the results and as much in the journal */
		bytes += 2048 * (double)bench_repetitions(&s->runner, c);
	}
	progress_duration(seconds, time, sizeof time);
	printf("%s: %d cases, %d to run, about %s, %.0f KB on disk", s->target, s->plan.count,
	       to_run, time, ceil(bytes / 1024));
	if (known)
		printf(", %d measured already", known);
	if (impossible)
		printf(", %d not possible here (%s)", impossible,
		       s->setting.no_device ? s->setting.no_device : "no device");
	if (unknown)
		printf(", %d without an estimate", unknown);
	putchar('\n');
}

/* ---- the run ---- */

static int on_finished(void *ctx, struct bench_case *c, struct err *e)
{
	struct session *s = ctx;
	int status = 0;

	s->failed += c->outcome == BENCH_FAILED;
	if (s->journal && c->outcome == BENCH_DONE && !c->from_journal)
		status = bench_journal_store(s->journal, s->identity, c, e);
	if (s->progress)
		progress_clear(s->progress);
	if (s->options.format == REPORTER_CONSOLE)
		reporter_console_case(&s->console, c);
	s->predicted_done += fmax(bench_predict(&s->runner, c), 1e-3);
	if (s->progress)
		progress_update(s->progress, s->predicted_done, c->name);
	return status;
}

static int start_progress(struct session *s, struct err *e)
{
	if (!s->options.progress)
		return 0;
	for (int i = 0; i < s->plan.count; i++)
		s->predicted_total += fmax(bench_predict(&s->runner, &s->plan.cases[i]), 1e-3);
	return progress_create(&s->progress, stderr, s->target, s->predicted_total, e);
}

/* Runs, then writes whatever was finished, also after an interruption or a full disk. */
static int run_and_write(struct session *s, struct err *e)
{
	const struct bench_options *o = &s->options;
	struct err later;
	int status = start_progress(s, e), written;

	if (status)
		return status;
	if (o->format == REPORTER_CONSOLE) {
		reporter_console_context(stderr, &s->view);
		if (!s->setting.ceilings)
			fputs("No ceilings of this machine yet (make ceilings): no floors.\n",
			      stderr);
		reporter_console_start(&s->console, stdout, &s->plan, o->tabular, s->view.rows,
				       true);
	}
	s->runner.finished = on_finished;
	s->runner.ctx = s;
	status = bench_run_plan(&s->runner, e);
	progress_destroy(s->progress);
	s->progress = NULL;
	if (o->format != REPORTER_CONSOLE) {
		written = reporter_write(stdout, o->format, &s->view, status ? &later : e);
		status = status ? status : written;
	}
	if (fflush(stdout) || ferror(stdout))
		status = status ? status : err_set(e, ERR_IO, "cannot write to standard output");
	written = bench_output_write(o, &s->view, status ? &later : e);
	return status ? status : written;
}

static int run(struct session *s, struct err *e)
{
	int status = s->options.estimate ? 0 : bench_output_check(&s->options, e);

	/* an estimate leaves no trace: it reads a journal only where there is one to continue */
	if (status == 0 && (!s->options.estimate || s->options.resume))
		status = open_journal(s, e);
	if (status)
		return status;
	if (s->options.estimate) {
		print_estimate(s);
		return 0;
	}
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

int bench_main(const char *target, const char *executable, int argc, char **argv)
{
	struct session *s = calloc(1, sizeof *s);
	struct err e = { 0 };
	bool help = false;
	int status;

	if (!s) {
		fprintf(stderr, "%s: no memory\n", target);
		return 1;
	}
	s->target = target;
	status = bench_options_parse(&s->options, argc, argv, &help, &e);
	if (status == 0 && help) {
		printf("usage: %s [bench] [flags]\n", target);
		bench_print_flags(stdout);
	} else if (status == 0 && s->options.list_tests) {
		s->setting.scale = s->options.selection.scale;
		status = list_tests(s, &e);
	} else if (status == 0) {
		status = prepare(s, executable, &e);
		if (status == 0)
			status = run(s, &e);
		release(s);
	}
	if (status)
		fprintf(stderr, "%s: %s\n", target, e.text);
	free(s);
	return err_exit_code(status);
}
