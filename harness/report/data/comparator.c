/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/data/comparator.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/json_file.h"
#include "harness/base/json_writer.h"
#include "harness/machine/environment.h"
#include "harness/report/text.h"

static const char identity_key[] = "copra_identity";

/* hyperfine's list of run times; the caller does not own it. */
static int find_times(const json_t *root, const char *path, const json_t **times, struct err *e)
{
	const json_t *result = json_array_get(json_object_get(root, "results"), 0);
	*times = json_object_get(result, "times");
	if (!json_is_array(*times) || !json_array_size(*times))
		return err_set(e, ERR_INPUT,
			       "%s: not the --export-json file of one hyperfine command", path);
	for (size_t i = 0; i < json_array_size(*times); i++)
		if (!(json_number_value(json_array_get(*times, i)) > 0))
			return err_set(e, ERR_INPUT, "%s: the time of run %zu is not positive",
				       path, i + 1);
	return 0;
}

/* The member "counters" of the result: for each name, one number a run. hyperfine writes none. */
static int find_counters(const json_t *root, const char *path, size_t runs, const json_t **counters,
			 struct err *e)
{
	const json_t *result = json_array_get(json_object_get(root, "results"), 0), *values;
	const char *name;
	*counters = json_object_get(result, "counters");
	if (*counters && !json_is_object(*counters))
		return err_set(e, ERR_INPUT, "%s: 'counters' is not an object", path);
	json_object_foreach((json_t *)(uintptr_t)*counters, name, values)
	{
		bool valid = json_is_array(values) && json_array_size(values) == runs;
		for (size_t i = 0; valid && i < runs; i++)
			valid = json_is_number(json_array_get(values, i));
		if (!valid)
			return err_set(e, ERR_INPUT, "%s: counter '%s' is not one number a run",
				       path, name);
	}
	return 0;
}

static void remove_rows(json_t *rows, const char *name)
{
	for (size_t i = json_array_size(rows); i-- > 0;) {
		const json_t *row = json_array_get(rows, i);
		const char *found = json_string_value(json_object_get(row, "run_name"));
		if (found && !strcmp(found, name))
			json_array_remove(rows, i);
	}
}

/* Adds the counters of one run to its row. */
static int add_counters(json_t *row, const json_t *counters, size_t run, struct err *e)
{
	const char *name;
	const json_t *values;
	json_object_foreach((json_t *)(uintptr_t)counters, name, values)
	{
		if (json_object_get(row, name))
			return err_set(e, ERR_INPUT, "a counter cannot be called '%s'", name);
		if (json_object_set(row, name, json_array_get(values, run)))
			return err_set(e, ERR_MEMORY, "out of memory");
	}
	return 0;
}

static int add_rows(json_t *rows, const json_t *times, const json_t *counters, const char *name,
		    const char *label, struct err *e)
{
	json_int_t count = (json_int_t)json_array_size(times);
	for (json_int_t i = 0; i < count; i++) {
		double seconds = json_number_value(json_array_get(times, (size_t)i));
		json_t *row =
			json_pack("{ss ss ss sI sI si si sf sf ss ss}", "name", name, "run_name",
				  name, "run_type", "iteration", "repetitions", count,
				  "repetition_index", i, "threads", 1, "iterations", 1, "real_time",
				  seconds, "cpu_time", seconds, "time_unit", "s", "label", label);
		if (!row || json_array_append_new(rows, row))
			return err_set(e, ERR_INPUT, "name and label must be UTF-8 text");
		int status = add_counters(row, counters, (size_t)i, e);
		if (status)
			return status;
	}
	return 0;
}

/* The context that every result file has. */
static int new_context(json_t **context, const char *identity, struct err *e)
{
	struct environment env;
	struct json_writer w;
	int status;
	env_capture(&env);
	jw_to_buffer(&w, JSON_ONE_LINE);
	jw_begin_object(&w, NULL);
	env_write_standard(&env, "hyperfine", &w);
	jw_int(&w, "json_schema_version", 1);
	env_write_extra(&env, &w);
	if (identity)
		jw_string(&w, identity_key, identity);
	jw_end_object(&w);
	status = jw_finish(&w, e);
	*context = status ? NULL : json_loads(w.data, 0, NULL);
	jw_destroy(&w);
	return status || *context ? status : err_set(e, ERR_MEMORY, "out of memory");
}

static int new_file(json_t **root, const char *identity, struct err *e)
{
	json_t *context;
	int status = new_context(&context, identity, e);
	*root = status ? NULL : json_pack("{so s[]}", "context", context, "benchmarks");
	return status || *root ? status : err_set(e, ERR_MEMORY, "out of memory");
}

static int save(const json_t *root, const char *path, struct err *e)
{
	struct text t = { 0 };
	char *dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	if (!dump)
		return err_set(e, ERR_MEMORY, "out of memory");
	text_add(&t, "%s\n", dump);
	free(dump);
	int status = text_save(&t, path, e);
	text_free(&t);
	return status;
}

static bool of_this_build(const json_t *root, const char *identity)
{
	const json_t *context = json_object_get(root, "context");
	const char *found = json_string_value(json_object_get(context, identity_key));
	return !identity || (found && !strcmp(found, identity));
}

/* The existing result file, or an empty one if there is none or another build wrote it. */
static int open_file(json_t **root, const struct comparator *c, struct err *e)
{
	int status;
	*root = NULL;
	if (access(c->out, F_OK) != 0)
		return new_file(root, c->identity, e);
	status = json_file_read(root, c->out, e);
	if (!status && !json_is_array(json_object_get(*root, "benchmarks")))
		return err_set(e, ERR_INPUT, "%s: no array 'benchmarks'", c->out);
	if (status || of_this_build(*root, c->identity))
		return status;
	json_decref(*root);
	return new_file(root, c->identity, e);
}

static int find_rows(const struct comparator *c, struct err *e)
{
	json_t *root;
	int status = open_file(&root, c, e);
	bool found = false;
	size_t i;
	const json_t *row;
	if (!status)
		json_array_foreach(json_object_get(root, "benchmarks"), i, row)
		{
			const char *name = json_string_value(json_object_get(row, "run_name"));
			found = found || (name && !strcmp(name, c->benchmark));
		}
	json_decref(root);
	return status || found ? status :
				 err_set(e, ERR_FAILED, "%s has not been measured", c->benchmark);
}

int comparator_add(const struct comparator *c, const char *hyperfine, struct err *e)
{
	json_t *measured, *root = NULL;
	const json_t *times, *counters;
	int status = hyperfine ? json_file_read(&measured, hyperfine, e) : 0;
	if (status || !hyperfine)
		return status ? status : find_rows(c, e);
	status = find_times(measured, hyperfine, &times, e);
	if (!status)
		status = find_counters(measured, hyperfine, json_array_size(times), &counters, e);
	if (!status)
		status = open_file(&root, c, e);
	if (!status) {
		json_t *rows = json_object_get(root, "benchmarks");
		remove_rows(rows, c->benchmark);
		status = add_rows(rows, times, counters, c->benchmark, c->label, e);
	}
	if (!status)
		status = save(root, c->out, e);
	json_decref(root);
	json_decref(measured);
	return status;
}
