#include "harness/bench/bench_main.h"

#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench_output.h"
#include "harness/bench/bench_session.h"
#include "harness/base/clock.h"
#include "harness/base/stop.h"

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
	const struct bench **all = malloc(((size_t)count + 1) * sizeof(*all));

	for (int i = 0; all && i < count; i++)
		all[i] = bench_registered_at(i);
	return all;
}

static int make_plan(struct bench_session *s, struct err *e)
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
static int open_devices(struct bench_session *s, struct err *e)
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

static int open_meters(struct bench_session *s, struct err *e)
{
	int status = 0;

	if (s->setting.devices.backend == DEV_CUDA)
		status = energy_create(&s->setting.device_meter, &s->setting.devices, e);
	if (status == 0)
		status = energy_create(&s->setting.host_meter, NULL, e);
	return status;
}

static void set_view(struct bench_session *s, const char *executable)
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
		.gpus = s->setting.devices.backend == DEV_CUDA ? s->setting.devices.count : 0,
		.device_seconds = s->device_seconds,
		.rows = !o->report_aggregates_only && !o->display_aggregates_only,
		.aggregates = true,
	};
}

static void set_runner(struct bench_session *s)
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
	};
}

static int prepare(struct bench_session *s, const char *executable, struct err *e)
{
	int status = stop_install(&s->setting.stop, e);

	if (status)
		return status;
	env_capture(&s->environment);
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
	status = reporter_check_context(&s->view, e);
	return status ? status : open_meters(s, e);
}

static void release(struct bench_session *s)
{
	bench_follow_close(s);
	bench_plan_destroy(&s->plan);
	energy_destroy(s->setting.device_meter);
	energy_destroy(s->setting.host_meter);
	dev_set_close(&s->setting.devices);
}

/* ---- the run ---- */

/* Runs, then writes whatever was finished, also after an interruption or a full disk. */
static int run_and_write(struct bench_session *s, struct err *e)
{
	const struct bench_options *o = &s->options;
	struct err later;
	int status = bench_follow_start(s, e), written;

	if (status)
		return status;
	if (o->format == REPORTER_CONSOLE) {
		reporter_console_context(stderr, &s->view);
		if (!s->setting.peaks)
			fputs("No peak rates of this machine yet (run make peaks): results lack "
			      "lower bounds.\n",
			      stderr);
		reporter_console_start(&s->console, stdout, &s->plan, o->tabular, s->view.rows,
				       true);
	}
	status = bench_run_plan(&s->runner, e);
	written = bench_follow_end(s, status ? &later : e);
	status = status ? status : written;
	if (o->format != REPORTER_CONSOLE) {
		written = reporter_write(stdout, o->format, &s->view, status ? &later : e);
		status = status ? status : written;
	}
	if (fflush(stdout) || ferror(stdout))
		status = status ? status : err_set(e, ERR_IO, "cannot write to standard output");
	written = bench_output_write(o, &s->view, status ? &later : e);
	return status ? status : written;
}

static int run(struct bench_session *s, struct err *e)
{
	int status = s->options.estimate ? 0 : bench_output_check(&s->options, e);

	/* an estimate leaves no trace: it reads a journal only where there is one to continue */
	if (status == 0 && (!s->options.estimate || s->options.resume))
		status = bench_follow_open(s, e);
	if (status)
		return status;
	bench_leave_out(&s->runner);
	if (s->options.estimate)
		return bench_estimate_print(s, e);
	status = run_and_write(s, e);
	if (status == 0 && s->failed)
		return err_set(e, ERR_FAILED, "%d of %d cases failed%s", s->failed, s->plan.count,
			       s->options.out ? ", see *.skipped.json" : "");
	return status;
}

static int list_tests(struct bench_session *s, struct err *e)
{
	int status = make_plan(s, e);

	for (int i = 0; i < s->plan.count && status == 0; i++)
		puts(s->plan.cases[i].name);
	bench_plan_destroy(&s->plan);
	return status;
}

int bench_main(const char *target, const char *executable, int argc, char **argv)
{
	struct bench_session *s = calloc(1, sizeof(*s));
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
