#include "harness/compare/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/outfile.h"
#include "harness/report/text.h"

const char *json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

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

int rows_of_launch(const json_t *document, int (*found)(void *ctx, json_t *row, struct err *e),
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
	json_object_foreach(fastest, name, row) if (status == 0) status = found(ctx, row, e);
	json_decref(fastest);
	return status;
}

json_t *rows_sample(const json_t *row, int block, size_t launch)
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

/* How many rows of the array bear each name: their `repetitions`. */
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
	json_array_foreach(rows, i, row) failed |=
		json_object_set(row, "repetitions", json_object_get(counts, row_name(row)));
	json_decref(counts);
	return failed;
}

json_t *rows_document(json_t *context, json_t *rows)
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

int json_read(json_t **out, const char *path, struct err *e)
{
	enum { LARGEST = 256 << 20 };
	json_error_t error;
	size_t length;
	char *text;
	int status = outfile_read(path, LARGEST, &text, &length, e);

	*out = NULL;
	if (status)
		return status;
	*out = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	free(text);
	if (!*out)
		return err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, error.line, error.column,
			       error.text);
	return 0;
}

int json_save(const json_t *value, const char *path, struct err *e)
{
	char *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
	int status;

	if (!text)
		return err_set(e, ERR_MEMORY, "no memory for %s", path);
	status = outfile_write(path, text, strlen(text), e);
	free(text);
	return status;
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
