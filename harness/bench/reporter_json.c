/* Google Benchmark's JSON, as https://github.com/google/benchmark/blob/main/src/json_reporter.cc
 * writes it, less what breaks its readers (see reporter.h). */
#include <stdlib.h>
#include <string.h>

#include "harness/bench/reporter.h"

/* Calls visit() for each "key=value" of one --benchmark_context, separated by commas as Google
 * Benchmark's. */
typedef int visit_pair(void *ctx, const char *key, const char *value, struct err *e);
static int each_pair(const char *pairs, visit_pair *visit, void *ctx, struct err *e)
{
	char *copy = strdup(pairs), *rest = copy;
	int status = copy ? 0 : err_set(e, ERR_MEMORY, "no memory for the context");

	for (char *one; status == 0 && (one = strsep(&rest, ",")) != NULL;) {
		char *equals = strchr(one, '=');

		if (!equals || equals == one) {
			status = err_set(e, ERR_USAGE, "--benchmark_context=%s: expected key=value",
					 pairs);
			break;
		}
		*equals = '\0';
		status = visit(ctx, one, equals + 1, e);
	}
	free(copy);
	return status;
}

static int write_pair(void *ctx, const char *key, const char *value, struct err *e)
{
	(void)e;
	jw_string(ctx, key, value);
	return 0;
}

static void write_own_context(struct json_writer *w, const struct reporter_view *v)
{
	env_write_standard(v->environment, v->executable, w);
	jw_int(w, "json_schema_version", 1);
	env_write_extra(v->environment, w);
	jw_string(w, "copra_target", v->target);
	jw_string(w, "copra_scale", v->scale);
	jw_uint(w, "copra_seed", v->seed);
	jw_int(w, "copra_threads", v->threads);
	jw_string(w, "copra_device", v->device);
	jw_int(w, "copra_gpus", v->gpus);
	jw_double(w, "copra_device_seconds", v->device_seconds);
}

static int write_context(struct json_writer *w, const struct reporter_view *v, struct err *e)
{
	int status = 0;

	jw_begin_object(w, "context");
	write_own_context(w, v);
	for (int i = 0; v->context && i < v->context->count && status == 0; i++)
		status = each_pair(v->context->values[i], write_pair, w, e);
	jw_end_object(w);
	return status;
}

/* Readers refuse, or silently lose, a member that an object has twice. */
static int check_pair(void *ctx, const char *key, const char *value, struct err *e)
{
	const char *document = ctx, *found;
	char member[256];

	(void)value;
	snprintf(member, sizeof(member), "\"%s\":", key);
	found = strstr(document, member);
	if (!found || strstr(found + 1, member))
		return err_set(e, ERR_USAGE, "--benchmark_context: the context cannot have '%s' %s",
			       key, found ? "twice" : "as a key");
	return 0;
}

int reporter_check_context(const struct reporter_view *v, struct err *e)
{
	struct json_writer w;
	int status;

	jw_to_buffer(&w, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	status = write_context(&w, v, e);
	jw_end_object(&w);
	if (status == 0)
		status = jw_finish(&w, e);
	for (int i = 0; v->context && i < v->context->count && status == 0; i++)
		status = each_pair(v->context->values[i], check_pair, w.data, e);
	jw_destroy(&w);
	return status;
}

static void write_head(struct json_writer *w, const struct bench_row *row)
{
	char name[BENCH_NAME + 16];

	reporter_name(row, name, sizeof(name));
	jw_string(w, "name", name);
	jw_int(w, "family_index", row->family_index);
	jw_int(w, "per_family_instance_index", row->instance_index);
	jw_string(w, "run_name", row->run_name);
	jw_string(w, "run_type", row->aggregate ? "aggregate" : "iteration");
	jw_int(w, "repetitions", row->repetitions);
	if (!row->aggregate)
		jw_int(w, "repetition_index", row->repetition_index);
	jw_int(w, "threads", row->threads);
	if (row->aggregate) {
		jw_string(w, "aggregate_name", row->aggregate);
		jw_string(w, "aggregate_unit",
			  strcmp(row->aggregate, "cv") == 0 ? "percentage" : "time");
	}
}

static int write_row(void *ctx, const struct bench_row *row, struct err *e)
{
	struct json_writer *w = ctx;

	(void)e;
	jw_begin_object(w, NULL);
	write_head(w, row);
	jw_int(w, "iterations", row->iterations);
	jw_double(w, "real_time", reporter_time(row, row->real_seconds));
	jw_double(w, "cpu_time", reporter_time(row, row->cpu_seconds));
	jw_string(w, "time_unit", bench_unit_name(row->unit));
	for (int i = 0; i < row->counters.count; i++)
		jw_double(w, row->counters.at[i].name, row->counters.at[i].value);
	if (row->label[0])
		jw_string(w, "label", row->label);
	jw_end_object(w);
	return 0;
}

/* Ends the document whatever happened, so that the writer's memory and state are settled. */
static int end_document(struct json_writer *w, int status, struct err *e)
{
	int finished;

	jw_end_array(w);
	jw_end_object(w);
	finished = jw_finish(w, status ? NULL : e);
	return status ? status : finished;
}

int reporter_json(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct json_writer w;
	int status;

	jw_to_file(&w, out, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	status = write_context(&w, v, e);
	jw_begin_array(&w, "benchmarks");
	if (status == 0)
		status = reporter_each(v, write_row, &w, e);
	return end_document(&w, status, e);
}

static void write_skip(struct json_writer *w, const struct skip *s)
{
	const char *unit = skip_reason_unit(s->reason);

	jw_string(w, "skip_reason", skip_reason_name(s->reason));
	if (!unit)
		return;
	jw_double(w, "skip_needed", s->needed);
	jw_double(w, "skip_available", s->available);
	jw_string(w, "skip_unit", unit);
}

static void write_skipped(struct json_writer *w, const struct bench_case *c)
{
	struct bench_row row = { .run_name = c->name,
				 .family_index = c->family_index,
				 .instance_index = c->instance_index,
				 .threads = 1,
				 .repetitions = 1 };

	jw_begin_object(w, NULL);
	write_head(w, &row);
	jw_bool(w, "error_occurred", true);
	jw_string(w, "error_message", c->message);
	if (c->outcome == BENCH_SKIPPED) {
		jw_bool(w, "skipped", true);
		jw_string(w, "skip_message", c->message);
		write_skip(w, &c->skip);
	}
	jw_end_object(w);
}

int reporter_skipped(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct json_writer w;
	int status;

	jw_to_file(&w, out, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	status = write_context(&w, v, e);
	jw_begin_array(&w, "benchmarks");
	for (int i = 0; i < v->plan->count; i++) {
		const struct bench_case *c = &v->plan->cases[i];

		if (c->outcome == BENCH_SKIPPED || c->outcome == BENCH_FAILED)
			write_skipped(&w, c);
	}
	return end_document(&w, status, e);
}
