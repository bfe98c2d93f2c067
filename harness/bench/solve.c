/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/solve.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"
#include "harness/base/stop.h"
#include "harness/bench/solve_log.h"
#include "harness/machine/environment.h"

#define OPT(name, type, member, argument, help)                                                    \
	FLAG(name, type, struct solve_options, member, argument, help)

enum { AS_PAYS = -1 }; /* of --gpus, until check_options() */

static int parse_gpus(void *value, const char *text, struct err *e)
{
	int64_t *gpus = value;
	int status;

	*gpus = AS_PAYS;
	if (strcmp(text, "auto") == 0)
		return 0;
	status = flag_parse_int(gpus, text, e);
	if (!status && *gpus < 0)
		return err_set(e, ERR_USAGE, "%s is not auto or a number of devices", text);
	return status;
}

static const struct flag common_flags[] = {
	OPT("problem", FLAG_TEXT, problem, "P", "problem to solve"),
	OPT("instance", FLAG_TEXT, instance, "NAME|FILE", "known instance or file (see below)"),
	OPT("variant", FLAG_TEXT, variant_name, "serial|cpu|published|tuned",
	    "algorithm (default: tuned with a GPU, otherwise cpu)"),
	FLAG_ENV("device", FLAG_TEXT, struct solve_options, device,
		 "auto|cpu|sim[:0,1]|cuda[:0,1]|hip[:0,1]", "devices for published and tuned",
		 "COPRA_DEVICE"),
	FLAG_ENV("threads", FLAG_COUNT, struct solve_options, threads, "N",
		 "number of CPU threads (default: all usable cores)", "COPRA_THREADS"),
	{ .name = "gpus",
	  .type = FLAG_PARSED,
	  .offset = offsetof(struct solve_options, gpus),
	  .argument = "N|auto",
	  .parse = parse_gpus,
	  .help = "number of devices; auto: as many of --device as pay (default: auto for tuned "
		  "with --device=auto, else all)" },
	OPT("seed", FLAG_U64, seed, "N", "seed of the random numbers (default 1)"),
	OPT("time-limit", FLAG_REAL, time_limit, "S",
	    "stop after S seconds with the best result so far"),
	OPT("json", FLAG_TEXT, json, "FILE|-", "write the result as one JSON object"),
	FLAG_END,
};

/* Parsed also for targets that do not support them, to refuse them with a reason. */
static const struct flag refused_flags[] = {
	OPT("ub", FLAG_TEXT, ub, "opt|none|VALUE", ""),
	OPT("checkpoint", FLAG_TEXT, checkpoint, "FILE", ""),
	OPT("resume", FLAG_TEXT, resume, "FILE", ""),
	OPT("rung", FLAG_TEXT, rung_name, "NAME", ""),
	OPT("node-limit", FLAG_COUNT, node_limit, "N", ""),
	OPT("plot", FLAG_TEXT, plot, "FILE", ""),
	FLAG_END,
};
static const struct flag rung_flags[] = {
	OPT("rung", FLAG_TEXT, rung_name, "NAME",
	    "a form between published and tuned (see `list`); replaces --variant"),
	FLAG_END,
};
/* Of `solve` only, not of other sub-commands. */
static const struct flag log_flags[] = {
	{ .name = "progress",
	  .type = FLAG_OPTIONAL,
	  .offset = offsetof(struct solve_options, progress),
	  .argument = "S",
	  .parse = solve_progress_parse,
	  .help = "print progress to stderr every S seconds (default 10; 0: not on a terminal "
		  "either)" },
	OPT("log", FLAG_TEXT, log, "FILE", "append events and progress to FILE, as JSON lines"),
	FLAG_END,
};
static const struct flag no_flags[] = { FLAG_END };

static const char *const variant_names[] = {
	[SOLVE_SERIAL] = "serial",
	[SOLVE_CPU] = "cpu",
	[SOLVE_PUBLISHED] = "published",
	[SOLVE_TUNED] = "tuned",
};

const char *solve_variant_name(enum solve_variant v)
{
	return variant_names[v];
}

bool solve_variant_from(const char *name, enum solve_variant *v)
{
	for (size_t i = 0; i < sizeof(variant_names) / sizeof(*variant_names); i++)
		if (strcmp(name, variant_names[i]) == 0) {
			*v = (enum solve_variant)i;
			return true;
		}
	return false;
}

const struct solve_rung *solve_rung_find(const struct solve_rung *rungs, const char *problem,
					 const char *name)
{
	for (const struct solve_rung *r = rungs; r && r->name; r++)
		if (strcmp(r->name, name) == 0 &&
		    (!problem || !r->problem || strcmp(r->problem, problem) == 0))
			return r;
	return NULL;
}

void solve_rungs_print(const struct solve_rung *rungs)
{
	const char *ladder = NULL;

	for (const struct solve_rung *r = rungs; r && r->name; r++) {
		const char *problem = r->problem ? r->problem : "";

		if (!ladder || strcmp(ladder, problem) != 0)
			printf("rungs of the ladder%s%s (solve --rung NAME), from published to "
			       "tuned:\n",
			       *problem ? ", " : "", problem);
		ladder = problem;
		printf("  %-28s %s\n", r->name, r->idea);
	}
}

static void set_figure(struct solve_figure *figures, int *count, const char *name, double value)
{
	if (*count < SOLVE_FIGURES)
		figures[(*count)++] = (struct solve_figure){ name, value };
}

void solve_node_figure(struct solve_result *r, const char *name, double value)
{
	set_figure(r->nodes, &r->node_count, name, value);
}

void solve_extra_figure(struct solve_result *r, const char *name, double value)
{
	set_figure(r->extras, &r->extra_count, name, value);
}

void solve_note_line(struct solve_result *r, const char *format, ...)
{
	size_t used = strlen(r->note), begin = used + (used > 0);
	size_t room = begin < sizeof(r->note) ? sizeof(r->note) - begin : 0;
	va_list ap;
	int size;

	va_start(ap, format);
	size = vsnprintf(room ? r->note + begin : NULL, room, format, ap);
	va_end(ap);
	if (size < 0 || (size_t)size >= room)
		r->note[used] = '\0';
	else if (used > 0)
		r->note[used] = '\n';
}

void solve_measures(struct solve_result *r, const struct measure *m, int count)
{
	for (int i = 0; i < count; i++)
		solve_extra_figure(r, m[i].name, m[i].value);
}

static bool is_solve(const char *command)
{
	return strcmp(command, "solve") == 0;
}

static void print_help(const char *target, const char *command, const struct solve_spec *spec)
{
	printf("usage: %s %s --instance NAME|FILE [flags]\n", target, command);
	flags_print(stdout, common_flags);
	if (is_solve(command))
		flags_print(stdout, log_flags);
	if (spec->rungs)
		flags_print(stdout, rung_flags);
	if (spec->flags)
		flags_print(stdout, spec->flags);
	if (spec->instances)
		printf("instances: %s\n", spec->instances);
	puts("exit codes: 0 finished and verified; 1 failed or wrong answer; 2 bad usage or "
	     "input;\n"
	     "3 stopped at a limit with a valid partial result; 4 requested device not available");
}

/* ---- variant and devices ---- */

static int parse_variant(struct solve_options *o, struct err *e)
{
	if (solve_variant_from(o->variant_name, &o->variant))
		return 0;
	return err_set(e, ERR_USAGE, "--variant: '%s' is not one of serial, cpu, published, tuned",
		       o->variant_name);
}

/* Whether run() may begin on the cores while the devices open; then sets likely_devices.
 * Checkpoints and node limits count the nodes of one engine. */
static bool begins_on_cores(const struct solve_spec *spec, struct solve_options *o)
{
	bool listed = o->device && strcmp(o->device, "auto") != 0;

	if (!spec->begins_on_cores || listed || o->rung_name || o->gpus || o->checkpoint ||
	    o->resume || o->node_limit)
		return false;
	o->likely_devices = dev_gpu_likely();
	return o->likely_devices > 0;
}

static int choose_variant(const struct solve_spec *spec, struct solve_options *o, struct err *e)
{
	bool named = o->device && strcmp(o->device, "auto") != 0 && strcmp(o->device, "cpu") != 0;
	bool may = !o->device || strcmp(o->device, "cpu") != 0;

	if (o->rung)
		o->variant = o->rung->variant;
	else if (o->variant_name)
		return parse_variant(o, e);
	else if (named || begins_on_cores(spec, o))
		o->variant = SOLVE_TUNED;
	else
		o->variant = may && !dev_gpu_unavailable() ? SOLVE_TUNED : SOLVE_CPU;
	o->variant_name = variant_names[o->variant];
	return 0;
}

static int choose_rung(struct solve_options *o, const struct solve_spec *spec, struct err *e)
{
	if (!o->rung_name)
		return 0;
	if (!spec->rungs)
		return err_set(e, ERR_USAGE, "--rung is not supported by %s", o->target);
	if (o->variant_name)
		return err_set(e, ERR_USAGE, "--rung and --variant exclude each other");
	o->rung = solve_rung_find(spec->rungs, NULL, o->rung_name);
	if (!o->rung)
		return err_set(e, ERR_USAGE, "--rung: '%s' is not a rung; `%s list` shows them",
			       o->rung_name, o->target);
	return 0;
}

/* Decides about as_pays. A list of devices is a request for all of them. */
static int choose_gpus(const struct solve_spec *spec, struct solve_options *o, struct err *e)
{
	bool able = spec->begins_on_one && o->variant == SOLVE_TUNED, asked = o->gpus == AS_PAYS;
	bool listed = o->device && strcmp(o->device, "auto") != 0;

	if (asked && !able)
		return err_set(e, ERR_USAGE, "--gpus=auto is only for %s",
			       spec->begins_on_one ? "--variant=tuned" : "solve");
	o->as_pays = asked || (able && !o->gpus && !listed);
	o->gpus = asked ? 0 : o->gpus;
	return 0;
}

static int open_devices(const struct solve_spec *spec, struct solve_options *o, struct err *e)
{
	const char *text = o->device ? o->device : "auto";
	bool none = strcmp(text, "cpu") == 0;
	int status = choose_gpus(spec, o, e);

	if (status)
		return status;

	if (o->variant == SOLVE_SERIAL || o->variant == SOLVE_CPU ||
	    (o->variant == SOLVE_PUBLISHED && none && spec->published_on_cpu)) {
		if (o->gpus > 0)
			return err_set(e, ERR_USAGE, "--gpus=%lld: variant %s uses no device%s",
				       (long long)o->gpus, o->variant_name,
				       o->variant == SOLVE_PUBLISHED ? " on cpu" : "");
		return 0;
	}
	if (none)
		return err_set(e, ERR_USAGE,
			       "variant %s needs a device: --device=cuda or --device=sim",
			       o->variant_name);
	if (o->likely_devices > 0)
		return dev_opening_begin(&o->opening, &o->devices, text, e);
	status = (o->as_pays ? dev_set_open_first : dev_set_open)(&o->devices, text, (int)o->gpus,
								  e);
	dev_set_cancel_on(&o->devices, o->stop);
	if (status == 0 && o->gpus > o->devices.count)
		return err_set(e, ERR_DEVICE, "--gpus=%lld: --device=%s has only %d",
			       (long long)o->gpus, text, o->devices.count);
	return status;
}

static bool takes(const struct solve_spec *spec, const char *name)
{
	for (const struct flag *f = spec->flags; f && f->name; f++)
		if (strcmp(f->name, name) == 0)
			return true;
	return false;
}

static int refuse_flags(const struct solve_options *o, const struct solve_spec *spec, struct err *e)
{
	if (o->ub && !takes(spec, "ub"))
		return err_set(e, ERR_USAGE, "--ub is not supported by %s", o->target);
	if (o->checkpoint && !takes(spec, "checkpoint"))
		return err_set(e, ERR_USAGE, "--checkpoint is not supported by %s", o->target);
	if (o->resume && !takes(spec, "resume"))
		return err_set(e, ERR_USAGE, "--resume is not supported by %s", o->target);
	if (o->node_limit && !takes(spec, "node-limit"))
		return err_set(e, ERR_USAGE, "--node-limit is not supported by %s", o->target);
	if (o->plot && !takes(spec, "plot"))
		return err_set(e, ERR_USAGE, "--plot is not supported by %s", o->target);
	return 0;
}

static int check_options(struct solve_options *o, const char *command,
			 const struct solve_spec *spec, struct err *e)
{
	int most = spec->threads_max > 0 ? spec->threads_max : 4096;

	if (!o->instance || !*o->instance)
		return err_set(e, ERR_USAGE, "%s requires --instance NAME|FILE (see --help)",
			       command);
	if (o->gpus > DEV_MAX)
		return err_set(e, ERR_USAGE, "--gpus: must be at most %d", DEV_MAX);
	if (o->threads > most)
		return err_set(e, ERR_USAGE, "--threads: must be at most %d", most);
	if (o->threads == 0) {
		o->threads = env_usable_cpus();
		o->threads = o->threads < most ? o->threads : most;
	}
	return 0;
}

/* ---- limits ---- */

static int start_clock(struct solve_options *o, double began, struct err *e)
{
	if (o->time_limit <= 0)
		return 0;
	o->deadline = began + o->time_limit;
	return stop_after(o->deadline - clock_wall(), e);
}

double solve_time_left(const struct solve_options *o)
{
	return o->deadline > 0 ? fmax(o->deadline - clock_wall(), 1e-3) : 0;
}

void solve_name_limit(const struct solve_options *o, struct err *e)
{
	int reason = stop_reason();
	bool late = o->deadline > 0 && clock_wall() >= o->deadline;

	if (reason && reason != SIGALRM)
		err_set(e, ERR_LIMIT, "stopped by %s", stop_signal_name(reason));
	else if (late)
		err_set(e, ERR_LIMIT, "stopped by --time-limit %g", o->time_limit);
	else if (watch_limit_reached(o->watch))
		err_set(e, ERR_LIMIT, "stopped by --node-limit %lld", (long long)o->node_limit);
}

int solve_await_devices(const struct dev_set *devices, struct solve_result *r, struct err *e)
{
	double begin = clock_wall();
	int status = dev_set_await(devices, e);

	r->seconds_await += clock_wall() - begin;
	return status;
}

/* ---- the sub-command ---- */

int solve_open(const char *target, const char *command, const struct solve_spec *spec, int argc,
	       char **argv, struct solve_options **out, bool *help, struct err *e)
{
	const struct flag *const tables[] = { common_flags,
					      is_solve(command) ? log_flags : no_flags,
					      spec->flags ? spec->flags : no_flags, refused_flags,
					      NULL };
	struct solve_options *o = calloc(1, spec->options_size ? spec->options_size : sizeof(*o));
	double began = clock_wall();
	int status;

	*out = o;
	*help = false;
	if (!o)
		return err_set(e, ERR_MEMORY, "out of memory");
	o->target = target;
	o->problem = spec->problem;
	o->seed = 1;
	if (spec->defaults)
		spec->defaults(o);
	status = flags_parse(tables, o, argc, argv, help, e);
	if (status == 0 && *help) {
		print_help(target, command, spec);
		return 0;
	}
	if (status == 0)
		status = stop_install(&o->stop, e);
	if (status == 0)
		status = refuse_flags(o, spec, e);
	if (status == 0)
		status = check_options(o, command, spec, e);
	if (status == 0)
		status = choose_rung(o, spec, e);
	if (status == 0)
		status = choose_variant(spec, o, e);
	if (status == 0)
		status = start_clock(o, began, e);
	if (status == 0 && is_solve(command) && solve_log_wanted(o))
		status = watch_create(&o->watch, (uint64_t)o->node_limit, e);
	if (status == 0)
		status = open_devices(spec, o, e);
	o->seconds_open = clock_wall() - began;
	return status;
}

void solve_close(struct solve_options *o)
{
	if (o) {
		dev_opening_destroy(o->opening);
		dev_set_close(&o->devices);
		watch_destroy(o->watch);
	}
	free(o);
}

/* ---- the result, for people and as JSON ---- */

const char *solve_status_name(enum solve_status s)
{
	static const char *const names[] = {
		[SOLVE_OPTIMAL] = "optimal", [SOLVE_FEASIBLE] = "feasible",
		[SOLVE_COUNTED] = "counted", [SOLVE_LIMIT] = "limit",
		[SOLVE_PROVED] = "proved",   [SOLVE_INFEASIBLE] = "infeasible",
	};

	return names[s];
}

static const char *instance_name(const struct solve_options *o, const struct solve_result *r)
{
	return r->instance[0] ? r->instance : o->instance;
}

/* Counts of nodes are exact up to 2^53. */
static bool is_whole(double value)
{
	return value >= -0x1p53 && value <= 0x1p53 && value == (double)(int64_t)value;
}

/* Longer solutions are not printed, only their length. */
enum { SHOWN_VALUES = 40, SHOWN_BITS = 80 };

static void print_solution(FILE *out, const struct solve_result *r)
{
	const char *unit = r->solution_unit ? r->solution_unit : "values";
	bool bits = strcmp(unit, "bits") == 0;
	size_t n = r->solution_length;

	if (!r->solution)
		return;
	fputs("solution   ", out);
	if (n > (bits ? SHOWN_BITS : SHOWN_VALUES)) {
		fprintf(out, "%zu %s (--json shows them)\n", n, unit);
		return;
	}
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%lld", i && !bits ? " " : "", (long long)r->solution[i]);
	if (n == 0)
		fprintf(out, "no %s", unit);
	else if (r->solution_unit && !bits)
		fprintf(out, " (%s, numbered from 0)", unit);
	fputc('\n', out);
}

static void print_bound(FILE *out, const struct solve_result *r)
{
	int64_t gap;

	if (!r->has_bound)
		return;
	fprintf(out, "bound      %lld\n", (long long)r->bound);
	if (!r->has_objective || r->objective == r->bound ||
	    __builtin_sub_overflow(r->objective, r->bound, &gap))
		return;
	fprintf(out, "gap        %.0f", fabs((double)gap));
	if (r->objective)
		fprintf(out, " (%.3g %% of the objective)",
			100 * fabs((double)gap / (double)r->objective));
	fputc('\n', out);
}

/* That gave the answer. */
static enum solve_variant variant_of(const struct solve_options *o, const struct solve_result *r)
{
	return r->on_cores ? SOLVE_CPU : o->variant;
}

static bool is_used(const struct solve_result *r, int device)
{
	return !r->on_cores && (!r->devices_used || r->devices_used >> device & 1);
}

static int count_used(const struct solve_options *o, const struct solve_result *r)
{
	int used = 0;

	for (int i = 0; i < o->devices.count; i++)
		used += is_used(r, i);
	return used;
}

static void print_summary(FILE *out, const char *target, const struct solve_options *o,
			  const struct solve_result *r)
{
	int devices = count_used(o, r);

	fprintf(out, "%s: %s, %s on %s", target, instance_name(o, r),
		o->rung ? o->rung->name : variant_names[variant_of(o, r)],
		devices ? dev_backend_name(o->devices.backend) : "cpu");
	if (devices)
		fprintf(out, " x %d", devices);
	else if (variant_of(o, r) == SOLVE_CPU)
		fprintf(out, " x %lld", (long long)o->threads);
	if (r->ranks)
		fprintf(out, ", %d ranks on %d %s", r->ranks, r->machines,
			r->machines == 1 ? "node" : "nodes");
	fprintf(out, "\nstatus     %s, %s\n", solve_status_name(r->status),
		r->verified ? "verified" : "not verified");
	if (r->has_objective)
		fprintf(out, "objective  %lld\n", (long long)r->objective);
	print_bound(out, r);
	print_solution(out, r);
	for (int i = 0; i < r->node_count; i++)
		fprintf(out, "%-10s %.*g\n", r->nodes[i].name, is_whole(r->nodes[i].value) ? 16 : 6,
			r->nodes[i].value);
	fprintf(out, "seconds    %.6f, search %.6f\n", r->seconds_total, r->seconds_search);
	if (r->nodes_meaning)
		fprintf(out, "%s\n", r->nodes_meaning);
	if (r->note[0])
		fprintf(out, "%s\n", r->note);
}

void solve_write_figure(struct json_writer *w, const struct solve_figure *f)
{
	if (is_whole(f->value))
		jw_int(w, f->name, (int64_t)f->value);
	else
		jw_double(w, f->name, f->value);
}

/* Those that worked. */
static void write_devices(struct json_writer *w, const struct solve_options *o,
			  const struct solve_result *r)
{
	jw_begin_array(w, "devices");
	for (int i = 0; i < o->devices.count; i++) {
		struct dev_info info;

		if (!is_used(r, i))
			continue;
		if (dev_get_info(o->devices.dev[i], &info, NULL) == 0)
			jw_string(w, NULL, info.name);
		else
			jw_string(w, NULL, dev_backend_name(o->devices.backend));
	}
	jw_end_array(w);
}

static void write_solution(struct json_writer *w, const struct solve_result *r)
{
	if (!r->solution) {
		jw_null(w, "solution");
		return;
	}
	jw_begin_array(w, "solution");
	for (size_t i = 0; i < r->solution_length; i++)
		jw_int(w, NULL, r->solution[i]);
	jw_end_array(w);
}

static void write_object(struct json_writer *w, const char *target, const struct solve_options *o,
			 const struct solve_result *r)
{
	jw_begin_object(w, NULL);
	jw_string(w, "target", target);
	jw_string(w, "problem", r->problem[0] ? r->problem : o->problem);
	jw_string(w, "instance", instance_name(o, r));
	jw_string(w, "variant", variant_names[variant_of(o, r)]);
	if (o->rung)
		jw_string(w, "rung", o->rung->name);
	jw_string(w, "status", solve_status_name(r->status));
	if (r->has_objective)
		jw_int(w, "objective", r->objective);
	else
		jw_null(w, "objective");
	if (r->has_bound)
		jw_int(w, "bound", r->bound);
	else
		jw_null(w, "bound");
	write_solution(w, r);
	jw_begin_object(w, "nodes");
	for (int i = 0; i < r->node_count; i++)
		solve_write_figure(w, &r->nodes[i]);
	jw_end_object(w);
	jw_begin_object(w, "seconds");
	jw_double(w, "total", r->seconds_total);
	jw_double(w, "search", r->seconds_search);
	jw_double(w, "open", o->seconds_open + r->seconds_await);
	jw_end_object(w);
	write_devices(w, o, r);
	jw_int(w, "threads", o->variant == SOLVE_SERIAL ? 1 : o->threads);
	if (r->ranks) {
		jw_int(w, "ranks", r->ranks);
		jw_int(w, "machines", r->machines);
	}
	if (r->source)
		jw_string(w, "source", r->source);
	jw_bool(w, "verified", r->verified);
	for (int i = 0; i < r->extra_count; i++)
		solve_write_figure(w, &r->extras[i]);
	jw_end_object(w);
}

static int write_json(const char *path, const char *target, const struct solve_options *o,
		      const struct solve_result *r, struct err *e)
{
	struct outfile *file = NULL;
	struct json_writer w;
	int status = 0;

	if (strcmp(path, "-") != 0)
		status = outfile_open(&file, path, e);
	if (status)
		return status;
	jw_to_file(&w, file ? outfile_stream(file) : stdout, JSON_INDENTED);
	write_object(&w, target, o, r);
	status = jw_finish(&w, e);
	if (status) {
		outfile_abort(file);
		return err_prefix(e, "--json=%s", path);
	}
	return file ? outfile_commit(file, e) : 0;
}

/* The summary goes to stdout and the object of --json to its file. With --json=- the object goes to
 * stdout and the summary to stderr. */
static int show(const char *target, const struct solve_options *o, const struct solve_result *r,
		struct err *e)
{
	bool piped = o->json && strcmp(o->json, "-") == 0;
	FILE *out = piped ? stderr : stdout;
	int status;

	print_summary(out, target, o, r);
	status = o->json ? write_json(o->json, target, o, r, e) : 0;
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to standard output");
	return status;
}

/* ---- solve_main ---- */

/* A proof or a count may have no solution to re-evaluate. */
static bool leaves_a_solution(enum solve_status s)
{
	return s == SOLVE_OPTIMAL || s == SOLVE_FEASIBLE;
}

static int solve(const char *target, const struct solve_spec *spec, const struct solve_options *o,
		 struct err *e)
{
	struct solve_result r = { 0 };
	struct solve_log *log;
	struct err limit;
	int status = solve_log_open(&log, o, e), shown;

	if (status == 0)
		status = spec->run(o, &r, e);
	if (status == 0 && r.status == SOLVE_LIMIT)
		status = err_set(e, ERR_LIMIT, "stopped at a limit");
	if (status == ERR_LIMIT) {
		r.status = SOLVE_LIMIT;
		solve_name_limit(o, e);
	}
	solve_log_close(log, &r, status, e);
	if (status == 0 || status == ERR_LIMIT) {
		limit = *e;
		shown = show(target, o, &r, e);
		if (shown)
			status = shown;
		else if (status == 0 && !r.verified && leaves_a_solution(r.status))
			status = err_set(e, ERR_FAILED, "the answer was not verified");
		else if (r.output.code)
			status = err_set(e, r.output.code, "%s", r.output.text);
		else if (status)
			*e = limit;
	}
	free(r.solution);
	return status;
}

int solve_main(const char *target, const struct solve_spec *spec, void (*leave)(int code), int argc,
	       char **argv)
{
	struct solve_options *o;
	struct err e = { 0 };
	bool help;
	int status = solve_open(target, "solve", spec, argc, argv, &o, &help, &e);

	if (status == 0 && !help)
		status = solve(target, spec, o, &e);
	if (status)
		fprintf(stderr, "%s: %s\n", target, e.text[0] ? e.text : "failed");
	/* a device that is still opening holds up exit() by some tenths of a second */
	if (leave && o && o->opening && !dev_opening_done(o->opening)) {
		fflush(NULL);
		leave(err_exit_code(status));
	}
	solve_close(o);
	return err_exit_code(status);
}
