#include "solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "json_writer.h"
#include "outfile.h"
#include "stop.h"

#define OPT(name, type, member, argument, help)                                                  \
	FLAG(name, type, struct solve_options, member, argument, help)

static const struct flag common_flags[] = {
	OPT("problem", FLAG_TEXT, problem, "P", "problem to solve"),
	OPT("instance", FLAG_TEXT, instance, "NAME|FILE", "known instance or file (see below)"),
	OPT("variant", FLAG_TEXT, variant_name, "serial|cpu|published|tuned",
	    "default: tuned with a GPU, else cpu"),
	FLAG_ENV("device", FLAG_TEXT, struct solve_options, device, "auto|cpu|sim[:0,1]|cuda[:0,1]",
		 "devices of published and tuned", "COPRA_DEVICE"),
	FLAG_ENV("threads", FLAG_COUNT, struct solve_options, threads, "N",
		 "processor cores (default all)", "COPRA_THREADS"),
	OPT("gpus", FLAG_COUNT, gpus, "N", "how many devices (default all given)"),
	OPT("ub", FLAG_TEXT, ub, "opt|none|VALUE", "bound to start from"),
	OPT("seed", FLAG_U64, seed, "N", "of random choices (default 1)"),
	OPT("time-limit", FLAG_REAL, time_limit, "S", "stop after S seconds"),
	OPT("checkpoint", FLAG_TEXT, checkpoint, "FILE", "keep the state of the search there"),
	OPT("resume", FLAG_TEXT, resume, "FILE", "continue from a checkpoint"),
	OPT("json", FLAG_TEXT, json, "FILE|-", "write the result as one JSON object"),
	FLAG_END,
};

static const char *const variant_names[] = {
	[SOLVE_SERIAL] = "serial", [SOLVE_CPU] = "cpu",
	[SOLVE_PUBLISHED] = "published", [SOLVE_TUNED] = "tuned",
};

const char *solve_variant_name(enum solve_variant v)
{
	return variant_names[v];
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

void solve_result_free(struct solve_result *r)
{
	free(r->solution);
	r->solution = NULL;
	r->solution_length = 0;
}

static void print_help(const char *target, const struct solve_spec *spec)
{
	printf("usage: %s solve --instance NAME|FILE [flags]\n", target);
	flags_print(stdout, common_flags);
	if (spec->flags)
		flags_print(stdout, spec->flags);
	if (spec->instances)
		printf("instances: %s\n", spec->instances);
	puts("exit codes: 0 done and verified; 1 failed or wrong; 2 bad usage or input; 3 stopped at a\n"
	     "limit with a valid partial result; 4 the device asked for is not there");
}

/* ---- variant and devices ---- */

static int parse_variant(struct solve_options *o, struct err *e)
{
	for (size_t i = 0; i < sizeof variant_names / sizeof *variant_names; i++)
		if (strcmp(o->variant_name, variant_names[i]) == 0) {
			o->variant = (enum solve_variant)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "--variant: '%s' is not one of serial, cpu, published, tuned",
		       o->variant_name);
}

static int choose_variant(struct solve_options *o, struct err *e)
{
	bool named = o->device && strcmp(o->device, "auto") != 0 && strcmp(o->device, "cpu") != 0;
	bool may = !o->device || strcmp(o->device, "cpu") != 0;

	if (o->variant_name)
		return parse_variant(o, e);
	o->variant = named || (may && !dev_cuda_unavailable()) ? SOLVE_TUNED : SOLVE_CPU;
	o->variant_name = variant_names[o->variant];
	return 0;
}

static int open_devices(struct solve_options *o, struct err *e)
{
	const char *text = o->device ? o->device : "auto";
	int status;

	if (o->variant == SOLVE_SERIAL || o->variant == SOLVE_CPU) {
		if (o->gpus > 0)
			return err_set(e, ERR_USAGE, "--gpus=%lld: variant %s uses no device",
				       (long long)o->gpus, o->variant_name);
		return 0;
	}
	if (strcmp(text, "cpu") == 0)
		return err_set(e, ERR_USAGE, "variant %s needs a device: --device=cuda or sim",
			       o->variant_name);
	status = dev_set_open(&o->devices, text, (int)o->gpus, e);
	if (status == 0 && o->gpus > o->devices.count)
		return err_set(e, ERR_DEVICE, "--gpus=%lld: %d given by --device=%s",
			       (long long)o->gpus, o->devices.count, text);
	return status;
}

static int check_options(struct solve_options *o, struct err *e)
{
	struct environment env;

	if (!o->instance || !*o->instance)
		return err_set(e, ERR_USAGE, "solve needs --instance NAME|FILE (see --help)");
	if (o->gpus > DEV_MAX)
		return err_set(e, ERR_USAGE, "--gpus: at most %d", DEV_MAX);
	if (o->threads > 4096)
		return err_set(e, ERR_USAGE, "--threads: at most 4096");
	if (o->threads == 0) {
		env_capture(&env);
		o->threads = env.cpus_usable > 0 ? env.cpus_usable : 1;
	}
	return 0;
}

/* ---- output ---- */

static const char *status_name(enum solve_status s)
{
	static const char *const names[] = {
		[SOLVE_OPTIMAL] = "optimal", [SOLVE_FEASIBLE] = "feasible",
		[SOLVE_COUNTED] = "counted", [SOLVE_LIMIT] = "limit",
	};

	return names[s];
}

static const char *instance_name(const struct solve_options *o, const struct solve_result *r)
{
	return r->instance[0] ? r->instance : o->instance;
}

static void print_summary(FILE *out, const char *target, const struct solve_options *o,
			  const struct solve_result *r)
{
	fprintf(out, "%s: %s, %s on %s", target, instance_name(o, r), o->variant_name,
		o->devices.count ? dev_backend_name(o->devices.backend) : "cpu");
	if (o->devices.count)
		fprintf(out, " x %d", o->devices.count);
	else if (o->variant == SOLVE_CPU)
		fprintf(out, " x %lld", (long long)o->threads);
	fprintf(out, "\nstatus     %s, %s\n", status_name(r->status),
		r->verified ? "verified" : "not verified");
	if (r->has_objective)
		fprintf(out, "objective  %lld\n", (long long)r->objective);
	if (r->solution)
		fprintf(out, "solution   %zu values (--json shows them)\n", r->solution_length);
	for (int i = 0; i < r->node_count; i++)
		fprintf(out, "%-10s %.6g\n", r->nodes[i].name, r->nodes[i].value);
	fprintf(out, "seconds    %.6f, search %.6f\n", r->seconds_total, r->seconds_search);
	if (r->note[0])
		fprintf(out, "%s\n", r->note);
}

/* Whole numbers as integers: counts of nodes are exact up to 2^53. */
static void write_figure(struct json_writer *w, const struct solve_figure *f)
{
	if (f->value >= -0x1p53 && f->value <= 0x1p53 && f->value == (double)(int64_t)f->value)
		jw_int(w, f->name, (int64_t)f->value);
	else
		jw_double(w, f->name, f->value);
}

static void write_devices(struct json_writer *w, const struct solve_options *o)
{
	jw_begin_array(w, "devices");
	for (int i = 0; i < o->devices.count; i++) {
		struct dev_info info;

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
	jw_string(w, "problem", o->problem);
	jw_string(w, "instance", instance_name(o, r));
	jw_string(w, "variant", o->variant_name);
	jw_string(w, "status", status_name(r->status));
	if (r->has_objective)
		jw_int(w, "objective", r->objective);
	else
		jw_null(w, "objective");
	write_solution(w, r);
	jw_begin_object(w, "nodes");
	for (int i = 0; i < r->node_count; i++)
		write_figure(w, &r->nodes[i]);
	jw_end_object(w);
	jw_begin_object(w, "seconds");
	jw_double(w, "total", r->seconds_total);
	jw_double(w, "search", r->seconds_search);
	jw_end_object(w);
	write_devices(w, o);
	jw_int(w, "threads", o->threads);
	jw_bool(w, "verified", r->verified);
	for (int i = 0; i < r->extra_count; i++)
		write_figure(w, &r->extras[i]);
	jw_end_object(w);
}

int solve_write_json(const char *path, const char *target, const struct solve_options *o,
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

/* With --json - the object alone is on stdout, for programs; the summary goes to stderr. */
static int show(const char *target, const struct solve_options *o, const struct solve_result *r,
		struct err *e)
{
	bool piped = o->json && strcmp(o->json, "-") == 0;
	FILE *out = piped ? stderr : stdout;
	int status;

	print_summary(out, target, o, r);
	status = o->json ? solve_write_json(o->json, target, o, r, e) : 0;
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to standard output");
	return status;
}

/* ---- the sub-command ---- */

static int solve(const char *target, const struct solve_spec *spec, struct solve_options *o,
		 struct err *e)
{
	struct solve_result r = { 0 };
	struct err limit;
	int status, shown;

	status = check_options(o, e);
	if (status == 0)
		status = choose_variant(o, e);
	if (status == 0)
		status = stop_install(&o->stop, e);
	if (status == 0)
		status = open_devices(o, e);
	if (status == 0)
		status = spec->run(o, &r, e);
	if (status == 0 || status == ERR_LIMIT) {
		limit = e ? *e : (struct err){ 0 };
		shown = show(target, o, &r, e);
		if (shown)
			status = shown;
		else if (status == 0 && !r.verified)
			status = err_set(e, ERR_FAILED, "the answer was not verified");
		else if (status == 0 && r.status == SOLVE_LIMIT)
			status = err_set(e, ERR_LIMIT, "stopped at a limit");
		else if (status && e)
			*e = limit;
	}
	solve_result_free(&r);
	dev_set_close(&o->devices);
	return status;
}

int solve_main(const char *target, const struct solve_spec *spec, int argc, char **argv)
{
	const struct flag *const tables[] = { common_flags, spec->flags, NULL };
	size_t size = spec->options_size ? spec->options_size : sizeof(struct solve_options);
	struct solve_options *o = calloc(1, size);
	struct err e = { 0 };
	bool help = false;
	int status;

	if (!o) {
		fprintf(stderr, "%s: no memory\n", target);
		return 1;
	}
	o->problem = spec->problem;
	o->seed = 1;
	if (spec->defaults)
		spec->defaults(o);
	status = flags_parse(tables, o, argc, argv, &help, &e);
	if (status == 0 && help)
		print_help(target, spec);
	else if (status == 0)
		status = solve(target, spec, o, &e);
	if (status)
		fprintf(stderr, "%s: %s\n", target, e.text[0] ? e.text : "failed");
	free(o);
	return err_exit_code(status);
}
