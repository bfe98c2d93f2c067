/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/reporter.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json_writer.h"
#include "harness/base/stats.h"

static const char *const format_names[REPORTER_FORMATS] = {
	[REPORTER_CONSOLE] = "console",   [REPORTER_JSON] = "json", [REPORTER_CSV] = "csv",
	[REPORTER_MARKDOWN] = "markdown", [REPORTER_BMF] = "bmf",
};

int reporter_format_parse(void *format, const char *text, struct err *e)
{
	for (int i = 0; i < REPORTER_FORMATS; i++)
		if (strcmp(text, format_names[i]) == 0) {
			*(enum reporter_format *)format = (enum reporter_format)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is not one of console, json, csv, markdown, bmf", text);
}

/* The name as shown: "..._median" for an aggregate. */
static void row_name(const struct bench_row *row, char *name, size_t size)
{
	snprintf(name, size, "%s%s%s", row->run_name, row->aggregate ? "_" : "",
		 row->aggregate ? row->aggregate : "");
}

/* In the row's unit. */
static double row_time(const struct bench_row *row, double seconds)
{
	bool ratio = row->aggregate && strcmp(row->aggregate, "cv") == 0;

	return ratio ? seconds : seconds * bench_units[row->unit].per_second;
}

/* ---- aggregates ---- */

static const struct {
	const char *name;
	stat_statistic *of;
} statistics[REPORTER_AGGREGATES] = {
	{ "mean", stat_mean }, { "median", stat_median }, { "stddev", stat_sd },
	{ "cv", stat_cv },     { "min", stat_min },
};

/* No format can hold the NaN of a ratio to a zero mean. */
static double finite_or_zero(double x)
{
	return x - x == 0 ? x : 0;
}

static void aggregate_counters(const struct bench_case *c, double *x, stat_statistic *of,
			       struct bench_counters *out)
{
	for (int k = 0; k < c->rows[0].counters.count; k++) {
		const struct bench_counter_value *first = &c->rows[0].counters.at[k];
		int n = 0;

		for (int i = 0; i < c->row_count; i++) {
			const struct bench_counter_value *v =
				bench_counters_get(&c->rows[i].counters, first->name);

			if (v)
				x[n++] = v->value;
		}
		if (n == c->row_count)
			bench_counters_set(out, first->name, finite_or_zero(of(x, (size_t)n)),
					   first->flags, NULL);
	}
}

/* Computes mean, median, stddev, cv and min over the rows of a case. Returns their number, which is
 * 0 for fewer than two rows. */
static int aggregate(const struct bench_case *c, struct bench_row out[REPORTER_AGGREGATES])
{
	size_t n = (size_t)c->row_count;
	double *x;

	if (c->outcome != BENCH_DONE || n < 2)
		return 0;
	x = malloc(n * sizeof(*x));
	if (!x)
		return 0;
	for (int a = 0; a < REPORTER_AGGREGATES; a++) {
		struct bench_row *r = &out[a];

		*r = c->rows[0];
		r->aggregate = statistics[a].name;
		r->iterations = (int64_t)n;
		r->counters.count = 0;
		for (size_t i = 0; i < n; i++)
			x[i] = c->rows[i].real_seconds;
		r->real_seconds = finite_or_zero(statistics[a].of(x, n));
		for (size_t i = 0; i < n; i++)
			x[i] = c->rows[i].cpu_seconds;
		r->cpu_seconds = finite_or_zero(statistics[a].of(x, n));
		aggregate_counters(c, x, statistics[a].of, &r->counters);
	}
	free(x);
	return REPORTER_AGGREGATES;
}

/* ---- all rows in order ---- */

typedef int row_visitor(void *ctx, const struct bench_row *row, struct err *e);

static int each_row_of_case(const struct reporter_view *v, const struct bench_case *c,
			    row_visitor *visit, void *ctx, struct err *e)
{
	struct bench_row made[REPORTER_AGGREGATES];
	int count = v->aggregates ? aggregate(c, made) : 0, status = 0;

	/* a case with one row has no aggregates, so its row is always written */
	if (v->rows || count == 0)
		for (int i = 0; i < c->row_count && status == 0; i++)
			status = visit(ctx, &c->rows[i], e);
	for (int i = 0; i < count && status == 0; i++)
		status = visit(ctx, &made[i], e);
	return status;
}

/* Calls visit() for each row and aggregate to be written, in order, until it returns non-zero. */
static int each_row(const struct reporter_view *v, row_visitor *visit, void *ctx, struct err *e)
{
	int status = 0;

	for (int i = 0; i < v->plan->count && status == 0; i++)
		if (v->plan->cases[i].outcome == BENCH_DONE)
			status = each_row_of_case(v, &v->plan->cases[i], visit, ctx, e);
	return status;
}

struct names {
	const char **at;
	int count;
};

static int collect_names(void *ctx, const struct bench_row *row, struct err *e)
{
	struct names *n = ctx;

	for (int k = 0; k < row->counters.count; k++) {
		const char **at;
		bool known = false;

		for (int i = 0; i < n->count && !known; i++)
			known = strcmp(n->at[i], row->counters.at[k].name) == 0;
		if (known)
			continue;
		at = realloc(n->at, (size_t)(n->count + 1) * sizeof(*at));
		if (!at)
			return err_set(e, ERR_MEMORY, "out of memory");
		n->at = at;
		n->at[n->count++] = row->counters.at[k].name;
	}
	return 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Collects the names of all counters of the rows to be written, sorted. The caller frees the array.
 */
static int counter_names(const struct reporter_view *v, const char ***names, int *count,
			 struct err *e)
{
	struct reporter_view rows = *v;
	struct names n = { 0 };
	int status;

	/* aggregates exist only during a visit; they have the counters of the rows */
	rows.rows = true;
	rows.aggregates = false;
	status = each_row(&rows, collect_names, &n, e);
	if (status) {
		free(n.at);
		return status;
	}
	if (n.count)
		qsort(n.at, (size_t)n.count, sizeof(*n.at), compare_texts);
	*names = n.at;
	*count = n.count;
	return 0;
}

/* ---- json ---- */
/* As https://github.com/google/benchmark/blob/main/src/json_reporter.cc writes it, except for what
 * breaks its readers. */

/* Calls visit() for each "key=value" of one --benchmark_context; commas separate them. */
typedef int visit_pair(void *ctx, const char *key, const char *value, struct err *e);
static int each_pair(const char *pairs, visit_pair *visit, void *ctx, struct err *e)
{
	char *copy = strdup(pairs), *rest = copy;
	int status = copy ? 0 : err_set(e, ERR_MEMORY, "out of memory");

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

/* Readers reject an object that has a member twice, or silently drop one of the two. */
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

	row_name(row, name, sizeof(name));
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

static int write_json_row(void *ctx, const struct bench_row *row, struct err *e)
{
	struct json_writer *w = ctx;

	(void)e;
	jw_begin_object(w, NULL);
	write_head(w, row);
	jw_int(w, "iterations", row->iterations);
	jw_double(w, "real_time", row_time(row, row->real_seconds));
	jw_double(w, "cpu_time", row_time(row, row->cpu_seconds));
	jw_string(w, "time_unit", bench_units[row->unit].name);
	for (int i = 0; i < row->counters.count; i++)
		jw_double(w, row->counters.at[i].name, row->counters.at[i].value);
	if (row->label[0])
		jw_string(w, "label", row->label);
	if (!row->aggregate && row->from.revision[0]) {
		jw_string(w, "copra_revision", row->from.revision);
		jw_string(w, "copra_host", row->from.host);
		jw_string(w, "copra_date", row->from.date);
	}
	jw_end_object(w);
	return 0;
}

/* Ends the document also after an error, so that the writer is freed. */
static int end_document(struct json_writer *w, int status, struct err *e)
{
	int finished;

	jw_end_array(w);
	jw_end_object(w);
	finished = jw_finish(w, status ? NULL : e);
	return status ? status : finished;
}

static int write_json(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct json_writer w;
	int status;

	jw_to_file(&w, out, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	status = write_context(&w, v, e);
	jw_begin_array(&w, "benchmarks");
	if (status == 0)
		status = each_row(v, write_json_row, &w, e);
	return end_document(&w, status, e);
}

static void write_skip(struct json_writer *w, const struct skip *s)
{
	const char *unit = skip_kinds[s->reason].unit;

	jw_string(w, "skip_reason", skip_kinds[s->reason].name);
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

static int write_all_skipped(FILE *out, const struct reporter_view *v, struct err *e)
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

/* ---- bmf ---- */
/* Bencher Metric Format, https://bencher.dev/docs/reference/bencher-metric-format/:
 * { name: { measure: { value, lower_value, upper_value } } }, latency in nanoseconds. */

static int write_bmf_case(struct json_writer *w, const struct bench_case *c, struct err *e)
{
	size_t n = (size_t)c->row_count;
	double *x = malloc((n ? n : 1) * sizeof(*x));

	if (!x)
		return err_set(e, ERR_MEMORY, "out of memory for the rows of %s", c->name);
	for (size_t i = 0; i < n; i++)
		x[i] = 1e9 * c->rows[i].real_seconds;
	jw_begin_object(w, c->name);
	jw_begin_object(w, "latency");
	jw_double(w, "value", stat_median(x, n));
	jw_double(w, "lower_value", stat_min(x, n));
	jw_double(w, "upper_value", stat_max(x, n));
	jw_end_object(w);
	jw_end_object(w);
	free(x);
	return 0;
}

static int write_bmf(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct json_writer w;
	int status = 0, finished;

	jw_to_file(&w, out, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	for (int i = 0; i < v->plan->count && status == 0; i++)
		if (v->plan->cases[i].outcome == BENCH_DONE)
			status = write_bmf_case(&w, &v->plan->cases[i], e);
	jw_end_object(&w);
	finished = jw_finish(&w, status ? NULL : e);
	return status ? status : finished;
}

/* ---- csv ---- */
/* Google Benchmark's columns, then the counters of all rows, empty where a row lacks one. */

struct csv {
	FILE *out;
	const char **names;
	int count;
};

static void write_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void write_number(FILE *out, double value)
{
	char text[64];

	jw_format_double(text, sizeof(text), value);
	fputs(text, out);
}

static void write_counter(FILE *out, const struct bench_row *row, const char *name)
{
	const struct bench_counter_value *v = bench_counters_get(&row->counters, name);

	fputc(',', out);
	if (v)
		write_number(out, v->value);
}

static int write_csv_row(void *ctx, const struct bench_row *row, struct err *e)
{
	struct csv *c = ctx;
	char name[BENCH_NAME + 16];

	(void)e;
	row_name(row, name, sizeof(name));
	write_quoted(c->out, name);
	fprintf(c->out, ",%lld,", (long long)row->iterations);
	write_number(c->out, row_time(row, row->real_seconds));
	fputc(',', c->out);
	write_number(c->out, row_time(row, row->cpu_seconds));
	fprintf(c->out, ",%s", bench_units[row->unit].name);
	write_counter(c->out, row, "bytes_per_second");
	write_counter(c->out, row, "items_per_second");
	fputc(',', c->out);
	if (row->label[0])
		write_quoted(c->out, row->label);
	fputs(",,", c->out); /* error_occurred, error_message: failed cases are not written */
	for (int i = 0; i < c->count; i++)
		write_counter(c->out, row, c->names[i]);
	fputc('\n', c->out);
	return 0;
}

/* Removes the two counters that are standard columns. */
static void drop_standard(struct csv *c)
{
	int kept = 0;

	for (int i = 0; i < c->count; i++)
		if (strcmp(c->names[i], "bytes_per_second") != 0 &&
		    strcmp(c->names[i], "items_per_second") != 0)
			c->names[kept++] = c->names[i];
	c->count = kept;
}

static int write_csv(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct csv c = { .out = out };
	int status = counter_names(v, &c.names, &c.count, e);

	if (status)
		return status;
	drop_standard(&c);
	fputs("name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,"
	      "label,error_occurred,error_message",
	      out);
	for (int i = 0; i < c.count; i++) {
		fputc(',', out);
		write_quoted(out, c.names[i]);
	}
	fputc('\n', out);
	status = each_row(v, write_csv_row, &c, e);
	free(c.names);
	return status;
}

/* ---- markdown ---- */

struct table {
	FILE *out;
	const char **names;
	int count;
};

/* A vertical bar would end the cell. */
static void write_cell(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, *text == '|' ? "\\%c" : "%c", *text == '\n' ? ' ' : *text);
}

static int write_markdown_row(void *ctx, const struct bench_row *row, struct err *e)
{
	struct table *t = ctx;
	char name[BENCH_NAME + 16];

	(void)e;
	row_name(row, name, sizeof(name));
	fputs("| ", t->out);
	write_cell(t->out, name);
	fprintf(t->out, " | %.6g | %.6g | %s | %lld |", row_time(row, row->real_seconds),
		row_time(row, row->cpu_seconds), bench_units[row->unit].name,
		(long long)row->iterations);
	for (int i = 0; i < t->count; i++) {
		const struct bench_counter_value *v =
			bench_counters_get(&row->counters, t->names[i]);

		if (v)
			fprintf(t->out, " %.6g |", v->value);
		else
			fputs(" |", t->out);
	}
	fputc(' ', t->out);
	write_cell(t->out, row->label);
	fputs(" |\n", t->out);
	return 0;
}

static int write_markdown(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct table t = { .out = out };
	int status = counter_names(v, &t.names, &t.count, e);

	if (status)
		return status;
	fputs("| benchmark | time | cpu | unit | iterations |", out);
	for (int i = 0; i < t.count; i++)
		fprintf(out, " %s |", t.names[i]);
	fputs(" label |\n|---|--:|--:|---|--:|", out);
	for (int i = 0; i < t.count; i++)
		fputs("--:|", out);
	fputs("---|\n", out);
	status = each_row(v, write_markdown_row, &t, e);
	free(t.names);
	return status;
}

/* ---- console ---- */

enum { TIME_WIDTH = 13, ITERATIONS_WIDTH = 12, COUNTER_LEAST = 10 };

static void print_rule(const struct reporter_console *r, int width)
{
	for (int i = 0; i < width; i++)
		fputc('-', r->out);
	fputc('\n', r->out);
}

/* Four significant digits: 1.5k, 23.4M, 1.2G. */
static void human(char *text, size_t size, double value)
{
	static const char prefix[] = "yzafpnum kMGTPEZY";
	const int unity = 8;
	double magnitude = fabs(value);
	int step = magnitude > 0 && isfinite(magnitude) ? (int)floor(log10(magnitude) / 3) : 0;

	/* numbers from 0.001 to 1000 have no prefix */
	if (magnitude >= 1e-3 && magnitude < 1e3)
		step = 0;
	step = step < -unity ? -unity : step > unity ? unity : step;
	if (step == 0)
		snprintf(text, size, "%.6g", value);
	else
		snprintf(text, size, "%.4g%c", value / pow(1000, step), prefix[unity + step]);
}

static void counter_text(char *text, size_t size, const struct bench_row *row,
			 const struct bench_counter_value *v)
{
	char number[40];

	if (row->aggregate && strcmp(row->aggregate, "cv") == 0) {
		snprintf(text, size, "%.2f%%", 100 * v->value);
		return;
	}
	/* a hash is only compared for equality */
	if (strcmp(v->name, "output_hash") == 0 && !row->aggregate) {
		snprintf(text, size, "%013llx", (unsigned long long)v->value);
		return;
	}
	human(number, sizeof(number), v->value);
	snprintf(text, size, "%s%s", number, v->flags & BENCH_RATE ? "/s" : "");
}

static void time_text(char *text, size_t size, const struct bench_row *row, double seconds)
{
	double t = row_time(row, seconds);
	int digits = t < 1 ? 3 : t < 10 ? 2 : t < 100 ? 1 : 0;

	if (row->aggregate && strcmp(row->aggregate, "cv") == 0)
		snprintf(text, size, "%.2f %%", 100 * seconds);
	else
		snprintf(text, size, "%.*f %s", digits, t, bench_units[row->unit].name);
}

static int column_width(const char *name)
{
	int length = (int)strlen(name);

	return (length > COUNTER_LEAST ? length : COUNTER_LEAST) + 1;
}

static void print_header(struct reporter_console *r, const struct bench_row *row)
{
	int width = r->width + 2 * TIME_WIDTH + ITERATIONS_WIDTH;

	r->column_count = r->tabular ? row->counters.count : 0;
	for (int i = 0; i < r->column_count; i++) {
		snprintf(r->columns[i], sizeof(r->columns[i]), "%s", row->counters.at[i].name);
		width += column_width(r->columns[i]);
	}
	if (!r->tabular && row->counters.count)
		width += (int)strlen(" UserCounters...");
	print_rule(r, width);
	fprintf(r->out, "%-*s%*s%*s%*s", r->width, "Benchmark", TIME_WIDTH, "Time", TIME_WIDTH,
		"CPU", ITERATIONS_WIDTH, "Iterations");
	for (int i = 0; i < r->column_count; i++)
		fprintf(r->out, "%*s", column_width(r->columns[i]), r->columns[i]);
	fputs(!r->tabular && row->counters.count ? " UserCounters...\n" : "\n", r->out);
	print_rule(r, width);
	r->started = true;
}

static bool same_columns(const struct reporter_console *r, const struct bench_row *row)
{
	if (!r->tabular)
		return true;
	if (r->column_count != row->counters.count)
		return false;
	for (int i = 0; i < r->column_count; i++)
		if (strcmp(r->columns[i], row->counters.at[i].name) != 0)
			return false;
	return true;
}

static void print_row(struct reporter_console *r, const struct bench_row *row)
{
	char name[BENCH_NAME + 16], real[48], cpu[48], text[64];

	if (!r->started || !same_columns(r, row))
		print_header(r, row);
	row_name(row, name, sizeof(name));
	time_text(real, sizeof(real), row, row->real_seconds);
	time_text(cpu, sizeof(cpu), row, row->cpu_seconds);
	fprintf(r->out, "%-*s%*s%*s%*lld", r->width, name, TIME_WIDTH, real, TIME_WIDTH, cpu,
		ITERATIONS_WIDTH, (long long)row->iterations);
	for (int i = 0; i < row->counters.count; i++) {
		const struct bench_counter_value *v = &row->counters.at[i];

		counter_text(text, sizeof(text), row, v);
		if (r->tabular)
			fprintf(r->out, "%*s", column_width(v->name), text);
		else
			fprintf(r->out, " %s=%s", v->name, text);
	}
	if (row->label[0] && !row->aggregate)
		fprintf(r->out, " %s", row->label);
	fputc('\n', r->out);
}

void reporter_console_start(struct reporter_console *r, FILE *out, const struct bench_plan *plan,
			    bool tabular, bool rows, bool aggregates)
{
	*r = (struct reporter_console){
		.out = out, .tabular = tabular, .rows = rows, .aggregates = aggregates, .width = 10
	};
	for (int i = 0; i < plan->count; i++) {
		int length = (int)strlen(plan->cases[i].name) +
			     (aggregates ? (int)strlen("_stddev") : 0);

		if (length > r->width)
			r->width = length;
	}
}

void reporter_console_case(struct reporter_console *r, const struct bench_case *c)
{
	struct bench_row made[REPORTER_AGGREGATES];
	int count = r->aggregates ? aggregate(c, made) : 0;

	if (c->outcome == BENCH_SKIPPED)
		fprintf(r->out, "%-*s SKIPPED: '%s'\n", r->width, c->name, c->message);
	if (c->outcome == BENCH_FAILED)
		fprintf(r->out, "%-*s ERROR OCCURRED: '%s'\n", r->width, c->name, c->message);
	if (c->outcome == BENCH_DONE) {
		if (r->rows || count == 0)
			for (int i = 0; i < c->row_count; i++)
				print_row(r, &c->rows[i]);
		for (int i = 0; i < count; i++)
			print_row(r, &made[i]);
	}
	fflush(r->out);
}

/* ---- dispatch by format ---- */

int reporter_write(FILE *out, enum reporter_format format, const struct reporter_view *v,
		   struct err *e)
{
	struct reporter_console console;

	switch (format) {
	case REPORTER_JSON:
		return write_json(out, v, e);
	case REPORTER_CSV:
		return write_csv(out, v, e);
	case REPORTER_MARKDOWN:
		return write_markdown(out, v, e);
	case REPORTER_BMF:
		return write_bmf(out, v, e);
	case REPORTER_SKIPPED:
		return write_all_skipped(out, v, e);
	default:
		break;
	}
	reporter_console_start(&console, out, v->plan, false, v->rows, v->aggregates);
	for (int i = 0; i < v->plan->count; i++)
		reporter_console_case(&console, &v->plan->cases[i]);
	return 0;
}
