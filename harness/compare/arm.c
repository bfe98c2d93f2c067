#include "harness/compare/arm.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/samples.h"
#include "harness/compare/rows.h"

void arm_free(struct arm *a)
{
	json_decref(a->context);
	json_decref(a->rows);
	*a = (struct arm){ 0 };
}

struct adding {
	struct arm *arm;
	struct arm_launch *launch;
};

static int add_row(void *ctx, json_t *row, struct err *e)
{
	struct adding *a = ctx;
	json_t *sample = rows_sample(row, a->launch->block, a->arm->launches);

	if (!sample || json_array_append_new(a->arm->rows, sample))
		return err_set(e, ERR_MEMORY, "no memory for the rows");
	if (a->launch->found)
		a->launch->found(a->launch->ctx, row_name(row), row_seconds(row));
	return 0;
}

int arm_sample(struct arm *a, struct arm_launch *l, struct err *e)
{
	struct adding adding = { a, l };
	json_t *document;
	int status = launch_run(&l->launch, &document, &l->failed, l->message, e);

	if (status)
		return status;
	if (!a->rows)
		a->rows = json_array();
	if (!a->context)
		a->context = json_incref(json_object_get(document, "context"));
	status = rows_of_launch(document, add_row, &adding, e);
	a->launches++;
	json_decref(document);
	return status;
}

int arm_names(const struct arm *a, const char ***names, size_t *count, struct err *e)
{
	json_t *seen = json_object(), *row;
	size_t i;
	int status = 0;

	*names = calloc(json_array_size(a->rows) + 1, sizeof(**names));
	*count = 0;
	if (!seen || !*names)
		status = err_set(e, ERR_MEMORY, "no memory for the benchmarks' names");
	json_array_foreach(a->rows, i, row)
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

int arm_save(const struct arm *a, const char *folder, const char *target, const char *what,
	     struct err *e)
{
	char path[PATH_MAX];
	json_t *document;
	int status;

	if (!a->rows)
		return 0;
	status = text_path(path, e, "%s/%s.%s.json", folder, target, what);
	if (status)
		return status;
	document = rows_document(a->context, json_incref(a->rows));
	status = json_save(document, path, e);
	json_decref(document);
	return status;
}

static bool are_objects(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) if (!json_is_object(row)) return false;
	return json_is_array(rows);
}

int arm_load(struct arm *a, const char *path, struct err *e)
{
	json_t *document;
	int status = json_read(&document, path, e);

	*a = (struct arm){ 0 };
	if (status)
		return status;
	a->context = json_incref(json_object_get(document, "context"));
	a->rows = json_incref(json_object_get(document, "benchmarks"));
	json_decref(document);
	if (json_is_object(a->context) && are_objects(a->rows))
		return 0;
	arm_free(a);
	return err_set(e, ERR_INPUT, "%s: not Google Benchmark's JSON: no context or benchmarks",
		       path);
}

/* The samples of one name; the caller frees bench->seconds. */
static int gather(const struct arm *a, const char *name, struct samples_bench *bench, struct err *e)
{
	double *seconds = calloc(json_array_size(a->rows) + 1, sizeof(*seconds));
	json_t *row;
	size_t i;

	if (!seconds)
		return err_set(e, ERR_MEMORY, "no memory for the history");
	*bench = (struct samples_bench){ .name = name, .seconds = seconds };
	json_array_foreach(a->rows, i, row) if (!strcmp(row_name(row), name))
		seconds[bench->samples++] = row_seconds(row);
	return 0;
}

static int append(const struct arm *a, const char *const *names, size_t count,
		  const struct samples_run *run, struct err *e)
{
	struct samples_bench *bench = calloc(count + 1, sizeof(*bench));
	char path[PATH_MAX];
	int status = bench ? samples_path(path, sizeof(path), e) :
			     err_set(e, ERR_MEMORY, "no memory for the history");

	for (size_t i = 0; i < count && status == 0; i++)
		status = gather(a, names[i], &bench[i], e);
	if (status == 0)
		status = samples_append(path, run, bench, count, NULL, e);
	for (size_t i = 0; bench && i < count; i++)
		free((double *)(uintptr_t)bench[i].seconds);
	free(bench);
	return status;
}

int arm_remember(const struct arm *a, const char *source, const struct launch_parameters *p,
		 struct err *e)
{
	struct text parameters = { 0 };
	const json_t *c = a->context;
	const char **names;
	size_t count;
	int status = arm_names(a, &names, &count, e);

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
		status = append(a, names, count, &run, e);
	}
	free(names);
	text_free(&parameters);
	return status;
}
