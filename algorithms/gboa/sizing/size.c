/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `size`: the population that a problem needs, and the success rate by population. */
#include "algorithms/gboa/sizing/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithms/gboa/runs.h"
#include "algorithms/gboa/sizing/size_search.h"
#include "algorithms/gboa/solve/options.h"
#include "harness/base/clock.h"
#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"

enum { RUNS_MAX = 100000, REPEATS_MAX = 1000, THREADS_MAX = 256, BISECT_FROM = 256 };

struct sizing {
	struct boa_task task;
	struct boa_size_request request;
	struct boa_size_outcome outcome;
	double seconds;
	bool limited;
};

static void size_defaults(void *options)
{
	struct boa_solve_options *o = options;

	boa_solve_defaults(o);
	o->sample = 30;
	o->repeats = 1;
	o->from = BISECT_FROM;
	o->to = BOA_POPULATION_MAX;
	o->precision.value = 0.1;
}

static void show_progress(void *context, int repeat, int32_t population, int successes)
{
	const struct sizing *s = context;

	fprintf(stderr, "repeat %d: population %" PRId32 ": %d of %d\n", repeat + 1, population,
		successes, s->request.runs);
}

static int make_request(struct sizing *s, const struct boa_solve_options *o, struct err *e)
{
	if (o->sample < 1 || o->sample > RUNS_MAX)
		return err_set(e, ERR_USAGE, "--runs must be between 1 and %d", RUNS_MAX);
	if (o->needed == 0 || o->needed > o->sample)
		return err_set(e, ERR_USAGE, "--needed must be between 1 and --runs, %" PRId64,
			       o->sample);
	if (o->repeats < 1 || o->repeats > REPEATS_MAX)
		return err_set(e, ERR_USAGE, "--repeats must be between 1 and %d", REPEATS_MAX);
	if (o->from < 64 || o->from % 64 || o->to % 64 || o->from > o->to ||
	    o->to > BOA_POPULATION_MAX)
		return err_set(e, ERR_USAGE,
			       "--from and --to must be multiples of 64 between 64 and %d, "
			       "with --from <= --to",
			       BOA_POPULATION_MAX);
	s->request = (struct boa_size_request){
		.setup = &s->task.setup,
		.runs = (int)o->sample,
		.needed = (int)(o->needed > 0 ? o->needed : o->sample),
		.repeats = (int)o->repeats,
		.from = (int32_t)o->from,
		.to = (int32_t)o->to,
		.precision = o->precision.value,
		.progress = isatty(STDERR_FILENO) ? show_progress : NULL,
		.context = s,
	};
	return 0;
}

/* ---- the outcome ---- */

static int successful(const struct boa_size_outcome *r)
{
	int count = 0;

	for (int i = 0; i < r->ended; i++)
		count += r->found[i] > 0;
	return count;
}

static void print_summary(FILE *out, const struct sizing *s, const struct solve_options *o)
{
	const struct boa_size_outcome *r = &s->outcome;

	fprintf(out, "gboa size: %s, %s, %d of %d runs must succeed\n", s->task.landscape.name,
		o->variant_name, s->request.needed, s->request.runs);
	fprintf(out, "population  success         95 %%            "
		     "generations  evaluations  seconds\n");
	for (int i = 0; i < r->count; i++) {
		const struct boa_size_point *p = &r->points[i];
		struct stat_interval w = stat_wilson(p->successes, p->runs, 0.95);

		fprintf(out, "%10" PRId32 "  %5d of %-5d  %.3f .. %.3f  %11.1f  %11.0f  %7.3f\n",
			p->population, p->successes, p->runs, w.low, w.high, p->generations,
			p->evaluations, p->seconds);
	}
	for (int i = 0; i < r->ended; i++)
		if (r->found[i] == 0)
			fprintf(out, "repeat %d: a population of %" PRId32 " is too small\n", i + 1,
				s->request.to);
	if (r->population > 0)
		fprintf(out,
			"population needed  %.0f (mean of %d of %d repeats)\n"
			"evaluations        %.0f per run\n",
			r->population, successful(r), s->request.repeats, r->evaluations);
	else
		fprintf(out, "population needed  not found\n");
	fprintf(out, "seconds    %.6f, runs %.6f\n", s->seconds, r->seconds);
}

static void write_points(struct json_writer *w, const struct boa_size_outcome *r)
{
	jw_begin_array(w, "points");
	for (int i = 0; i < r->count; i++) {
		const struct boa_size_point *p = &r->points[i];
		struct stat_interval success = stat_wilson(p->successes, p->runs, 0.95);

		jw_begin_object(w, NULL);
		jw_int(w, "population", p->population);
		jw_int(w, "runs", p->runs);
		jw_int(w, "successes", p->successes);
		jw_double(w, "success", (double)p->successes / p->runs);
		jw_double(w, "success_low", success.low);
		jw_double(w, "success_high", success.high);
		jw_double(w, "generations", p->generations);
		jw_double(w, "evaluations", p->evaluations);
		jw_double(w, "seconds", p->seconds);
		jw_end_object(w);
	}
	jw_end_array(w);
}

static void write_object(struct json_writer *w, const struct sizing *s,
			 const struct solve_options *o)
{
	const struct boa_size_outcome *r = &s->outcome;

	jw_begin_object(w, NULL);
	jw_string(w, "target", "gboa");
	jw_string(w, "command", "size");
	jw_string(w, "problem", s->task.problem[0] ? s->task.problem : o->problem);
	jw_string(w, "instance", s->task.landscape.name);
	jw_string(w, "variant", o->variant_name);
	jw_string(w, "status", s->limited ? "limit" : r->population > 0 ? "found" : "not found");
	jw_bool(w, "verified", true); /* an outcome exists only if every run was verified */
	jw_int(w, "runs", s->request.runs);
	jw_int(w, "needed", s->request.needed);
	if (r->population > 0) {
		jw_double(w, "population", r->population);
		jw_double(w, "evaluations", r->evaluations);
	} else {
		jw_null(w, "population");
		jw_null(w, "evaluations");
	}
	jw_int(w, "repeats_found", successful(r));
	jw_begin_array(w, "repeats");
	for (int i = 0; i < r->ended; i++)
		jw_int(w, NULL, r->found[i]);
	jw_end_array(w);
	write_points(w, r);
	jw_begin_object(w, "seconds");
	jw_double(w, "total", s->seconds);
	jw_double(w, "search", r->seconds);
	jw_end_object(w);
	jw_begin_array(w, "devices");
	for (int i = 0; i < o->devices.count; i++) {
		struct dev_info info;
		bool known = dev_get_info(o->devices.dev[i], &info, NULL) == 0;

		jw_string(w, NULL, known ? info.name : dev_backend_name(o->devices.backend));
	}
	jw_end_array(w);
	jw_int(w, "threads", o->variant == SOLVE_SERIAL ? 1 : o->threads);
	jw_end_object(w);
}

static int write_json(const struct sizing *s, const struct solve_options *o, bool piped,
		      struct err *e)
{
	struct outfile *file = NULL;
	struct json_writer w;
	int status = piped ? 0 : outfile_open(&file, o->json, e);

	if (status)
		return status;
	jw_to_file(&w, file ? outfile_stream(file) : stdout, JSON_INDENTED);
	write_object(&w, s, o);
	status = jw_finish(&w, e);
	if (status) {
		outfile_abort(file);
		return err_prefix(e, "--json=%s", o->json);
	}
	return file ? outfile_commit(file, e) : 0;
}

static int show(const struct sizing *s, const struct solve_options *o, struct err *e)
{
	bool piped = o->json && o->json[0] == '-' && o->json[1] == '\0';
	int status;

	print_summary(piped ? stderr : stdout, s, o);
	status = o->json ? write_json(s, o, piped, e) : 0;
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to standard output");
	return status;
}

/* ---- the sub-command ---- */

static int search(struct sizing *s, const struct boa_solve_options *o, struct err *e)
{
	double began = clock_wall();
	struct err limit = { 0 };
	int shown, status = boa_size_search(&s->request, &s->outcome, e);

	if (status && status != ERR_LIMIT)
		return status;
	if (status)
		solve_name_limit(&o->common, e);
	s->seconds = clock_wall() - began;
	s->limited = status == ERR_LIMIT;
	limit = *e;
	shown = show(s, &o->common, e);
	if (shown)
		return shown;
	if (status)
		*e = limit;
	else if (!(s->outcome.population > 0))
		status = err_set(e, ERR_LIMIT, "no population up to %" PRId32 " is enough",
				 s->request.to);
	return status;
}

static int run(const struct boa_solve_options *o, struct err *e)
{
	struct sizing s = { .seconds = 0 };
	int status = boa_task_open(&s.task, o, e);

	if (status)
		return status;
	status = make_request(&s, o, e);
	if (!status)
		status = search(&s, o, e);
	boa_size_outcome_destroy(&s.outcome);
	boa_task_close(&s.task);
	return status;
}

static const struct flag flags[] = {
	BOA_FLAG("runs", FLAG_COUNT, sample, "R", "independent runs of each population (30)"),
	BOA_FLAG("needed", FLAG_COUNT, needed, "R",
		 "number of runs that must reach the optimum (all)"),
	BOA_FLAG("repeats", FLAG_COUNT, repeats, "R",
		 "independent searches; the mean is reported (1)"),
	BOA_FLAG("from", FLAG_COUNT, from, "N", "first population (256)"),
	BOA_FLAG("to", FLAG_COUNT, to, "N", "largest population (1048576)"),
	BOA_PARSED(
		"precision", precision, "F",
		"relative gap between failure and success to stop at; 0: stop at a gap of 64 (0.1)",
		boa_parse_share),
	BOA_COMMON_FLAGS,
	FLAG_END,
};

static const struct solve_spec spec = {
	.problem = boa_default_problem,
	.instances = "a size (60), or an instance that `list` describes; trap5:60 names both",
	.flags = flags,
	.options_size = sizeof(struct boa_solve_options),
	.defaults = size_defaults,
	.threads_max = THREADS_MAX,
};

int boa_size_main(int argc, char **argv)
{
	struct solve_options *o;
	struct err e = { 0 };
	bool help;
	int status = solve_open("gboa", "size", &spec, argc, argv, &o, &help, &e);

	if (status == 0 && !help)
		status = run((const struct boa_solve_options *)o, &e);
	if (status)
		fprintf(stderr, "gboa: %s\n", e.text[0] ? e.text : "failed");
	solve_close(o);
	return err_exit_code(status);
}
