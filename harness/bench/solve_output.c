/* The result of `solve`, for people and for programs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"
#include "harness/bench/solve.h"

static const char *status_name(enum solve_status s)
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

/* Lines of a terminal hold a short solution; of long ones the length is told. */
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

static void write_figure(struct json_writer *w, const struct solve_figure *f)
{
	if (is_whole(f->value))
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
	jw_string(w, "problem", r->problem[0] ? r->problem : o->problem);
	jw_string(w, "instance", instance_name(o, r));
	jw_string(w, "variant", o->variant_name);
	jw_string(w, "status", status_name(r->status));
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
		write_figure(w, &r->nodes[i]);
	jw_end_object(w);
	jw_begin_object(w, "seconds");
	jw_double(w, "total", r->seconds_total);
	jw_double(w, "search", r->seconds_search);
	jw_end_object(w);
	write_devices(w, o);
	jw_int(w, "threads", o->variant == SOLVE_SERIAL ? 1 : o->threads);
	jw_bool(w, "verified", r->verified);
	for (int i = 0; i < r->extra_count; i++)
		write_figure(w, &r->extras[i]);
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

int solve_show(const char *target, const struct solve_options *o, const struct solve_result *r,
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
