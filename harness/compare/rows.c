/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/rows.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/json_file.h"
#include "harness/base/outfile.h"
#include "harness/bench/samples.h"
#include "harness/report/text.h"

const char *row_name(const json_t *row)
{
	const char *name = json_text(row, "run_name");

	return *name ? name : json_text(row, "name");
}

static double unit_seconds(const char *unit)
{
	return !strcmp(unit, "ns") ? 1e-9 :
	       !strcmp(unit, "us") ? 1e-6 :
	       !strcmp(unit, "ms") ? 1e-3 :
	       !strcmp(unit, "s")  ? 1 :
				     NAN;
}

double row_seconds(const json_t *row)
{
	const json_t *time = json_object_get(row, "real_time");
	double seconds;

	if (!strcmp(json_text(row, "run_type"), "aggregate") || !json_is_number(time) ||
	    json_is_true(json_object_get(row, "error_occurred")) || !*row_name(row))
		return NAN;
	seconds = json_number_value(time) * unit_seconds(json_text(row, "time_unit"));
	return seconds > 0 && isfinite(seconds) ? seconds : NAN;
}

/* Calls found() once for every benchmark of a launch, with the fastest of its repetitions. */
static int each_fastest(const json_t *document, int (*found)(void *ctx, json_t *row, struct err *e),
			void *ctx, struct err *e)
{
	const json_t *rows = json_object_get(document, "benchmarks");
	json_t *fastest = json_object(), *row;
	const char *name;
	size_t i;
	int status = fastest ? 0 : err_set(e, ERR_MEMORY, "no memory for the rows");

	json_array_foreach(rows, i, row)
	{
		json_t *other = json_object_get(fastest, row_name(row));

		if (status == 0 && !isnan(row_seconds(row)) &&
		    (!other || row_seconds(row) < row_seconds(other)) &&
		    json_object_set(fastest, row_name(row), row))
			status = err_set(e, ERR_MEMORY, "no memory for the rows");
	}
	json_object_foreach(fastest, name, row)
	{
		if (status == 0)
			status = found(ctx, row, e);
	}
	json_decref(fastest);
	return status;
}

/* The row as the launch-th sample, in block `block` (-1: none). */
static json_t *sample_of(const json_t *row, int block, size_t launch)
{
	json_t *copy = json_copy((json_t *)(uintptr_t)row);

	if (copy &&
	    (json_object_set_new(copy, "repetition_index", json_integer((json_int_t)launch)) ||
	     (block >= 0 && json_object_set_new(copy, "copra_block", json_integer(block))))) {
		json_decref(copy);
		return NULL;
	}
	return copy;
}

/* Sets the `repetitions` of each row to the number of rows with its name. */
static int count_repetitions(json_t *rows)
{
	json_t *counts = json_object(), *row;
	int failed = !counts;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		json_int_t n = json_integer_value(json_object_get(counts, row_name(row)));

		failed |= json_object_set_new(counts, row_name(row), json_integer(n + 1));
	}
	json_array_foreach(rows, i, row)
	{
		failed |=
			json_object_set(row, "repetitions", json_object_get(counts, row_name(row)));
	}
	json_decref(counts);
	return failed;
}

/* A document with these rows (an array, whose reference it takes). Each launch is a repetition, so
 * that Google Benchmark's compare.py can read it. */
static json_t *document_of(json_t *context, json_t *rows)
{
	json_t *document = json_object();

	if (document && (count_repetitions(rows) || json_object_set(document, "context", context) ||
			 json_object_set_new(document, "benchmarks", json_incref(rows)))) {
		json_decref(document);
		document = NULL;
	}
	json_decref(rows);
	return document;
}

void rows_date(char *text, size_t size)
{
	time_t now = time(NULL);
	struct tm utc;

	if (!gmtime_r(&now, &utc) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc))
		*text = '\0';
}

char *rows_filter(const char *const *names, size_t count)
{
	struct text t = { 0 };

	text_add(&t, "^(");
	for (size_t i = 0; i < count; i++) {
		text_add(&t, "%s", i ? "|" : "");
		for (const char *c = names[i]; *c; c++)
			text_add(&t, strchr(".[]{}()*+?^$|\\", *c) ? "\\%c" : "%c", *c);
	}
	text_add(&t, ")$");
	if (t.failed)
		text_free(&t);
	return t.data;
}

/* ---- the samples of a build ---- */

void rows_free(struct build_rows *b)
{
	json_decref(b->context);
	json_decref(b->rows);
	*b = (struct build_rows){ 0 };
}

struct adding {
	struct build_rows *rows;
	struct build_launch *launch;
};

static int add_row(void *ctx, json_t *row, struct err *e)
{
	struct adding *a = ctx;
	json_t *sample = sample_of(row, a->launch->block, a->rows->launches);

	if (!sample || json_array_append_new(a->rows->rows, sample))
		return err_set(e, ERR_MEMORY, "no memory for the rows");
	if (a->launch->found)
		a->launch->found(a->launch->ctx, row_name(row), row_seconds(row));
	return 0;
}

int rows_launch(struct build_rows *b, struct build_launch *l, struct err *e)
{
	struct adding adding = { b, l };
	json_t *document;
	int status = launch_run(&l->launch, &document, &l->failed, l->message, e);

	if (status)
		return status;
	if (!b->rows)
		b->rows = json_array();
	if (!b->context)
		b->context = json_incref(json_object_get(document, "context"));
	status = each_fastest(document, add_row, &adding, e);
	b->launches++;
	json_decref(document);
	return status;
}

int rows_names(const struct build_rows *b, const char ***names, size_t *count, struct err *e)
{
	json_t *seen = json_object(), *row;
	size_t i;
	int status = 0;

	*names = calloc(json_array_size(b->rows) + 1, sizeof(**names));
	*count = 0;
	if (!seen || !*names)
		status = err_set(e, ERR_MEMORY, "no memory for the benchmarks' names");
	json_array_foreach(b->rows, i, row)
	{
		if (status || !*row_name(row) || json_object_get(seen, row_name(row)))
			continue;
		if (json_object_set_new(seen, row_name(row), json_true()))
			status = err_set(e, ERR_MEMORY, "no memory for the benchmarks' names");
		else
			(*names)[(*count)++] = row_name(row);
	}
	json_decref(seen);
	return status;
}

int rows_save(const struct build_rows *b, const char *folder, const char *target, const char *what,
	      struct err *e)
{
	char path[PATH_MAX];
	json_t *document;
	int status;

	if (!b->rows)
		return 0;
	status = text_path(path, e, "%s/%s.%s.json", folder, target, what);
	if (status)
		return status;
	document = document_of(b->context, json_incref(b->rows));
	status = json_file_save(document, path, e);
	json_decref(document);
	return status;
}

static bool are_objects(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (!json_is_object(row))
			return false;
	}
	return json_is_array(rows);
}

int rows_load(struct build_rows *b, const char *path, struct err *e)
{
	json_t *document;
	int status = json_file_read(&document, path, e);

	*b = (struct build_rows){ 0 };
	if (status)
		return status;
	b->context = json_incref(json_object_get(document, "context"));
	b->rows = json_incref(json_object_get(document, "benchmarks"));
	json_decref(document);
	if (json_is_object(b->context) && are_objects(b->rows))
		return 0;
	rows_free(b);
	return err_set(e, ERR_INPUT, "%s: not a Google Benchmark result: no context or benchmarks",
		       path);
}

/* Collects the samples of one name. The caller frees bench->seconds. */
static int gather(const struct build_rows *b, const char *name, struct samples_bench *bench,
		  struct err *e)
{
	double *seconds = calloc(json_array_size(b->rows) + 1, sizeof(*seconds));
	json_t *row;
	size_t i;

	if (!seconds)
		return err_set(e, ERR_MEMORY, "no memory for the history");
	*bench = (struct samples_bench){ .name = name, .seconds = seconds };
	json_array_foreach(b->rows, i, row)
	{
		if (!strcmp(row_name(row), name))
			seconds[bench->samples++] = row_seconds(row);
	}
	return 0;
}

static int append(const struct build_rows *b, const char *const *names, size_t count,
		  const struct samples_run *run, struct err *e)
{
	struct samples_bench *bench = calloc(count + 1, sizeof(*bench));
	char path[PATH_MAX];
	int status = bench ? samples_path(path, sizeof(path), e) :
			     err_set(e, ERR_MEMORY, "no memory for the history");

	for (size_t i = 0; i < count && status == 0; i++)
		status = gather(b, names[i], &bench[i], e);
	if (status == 0)
		status = samples_append(path, run, bench, count, NULL, e);
	for (size_t i = 0; bench && i < count; i++)
		free((double *)(uintptr_t)bench[i].seconds);
	free(bench);
	return status;
}

int rows_remember(const struct build_rows *b, const char *source, const struct launch_parameters *p,
		  struct err *e)
{
	struct text parameters = { 0 };
	const json_t *c = b->context;
	const char **names;
	size_t count;
	int status = rows_names(b, &names, &count, e);

	text_add(&parameters, "--benchmark_min_time=%s --benchmark_repetitions=%lld, fastest%s%s",
		 p->min_time, p->repetitions, *p->arguments ? " " : "", p->arguments);
	if (status == 0 && count) {
		struct samples_run run = {
			.source = source,
			.date = json_text(c, "date"),
			.commit = json_text(c, "copra_revision"),
			.dirty = json_integer_value(json_object_get(c, "copra_dirty")) != 0,
			.machine = json_text(c, "copra_machine"),
			.host = json_text(c, "host_name"),
			.build = json_text(c, "copra_build"),
			.compiler = json_text(c, "compiler"),
			.driver = json_text(c, "gpu_driver"),
			.scale = json_text(c, "copra_scale"),
			.device = json_text(c, "copra_device"),
			.threads = (int)json_integer_value(json_object_get(c, "copra_threads")),
			.sampling = "launch",
			.parameters = text_get(&parameters),
		};
		status = append(b, names, count, &run, e);
	}
	free(names);
	text_free(&parameters);
	return status;
}
