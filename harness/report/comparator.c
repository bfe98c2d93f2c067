#include "comparator.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

static int load(json_t **root, const char *path, struct err *e)
{
	json_error_t error;
	*root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	return *root ? 0
		     : err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, error.line, error.column,
			       error.text);
}

/* hyperfine's list of run times; borrowed. */
static int find_times(const json_t *root, const char *path, const json_t **times, struct err *e)
{
	const json_t *result = json_array_get(json_object_get(root, "results"), 0);
	*times = json_object_get(result, "times");
	if (!json_is_array(*times) || !json_array_size(*times))
		return err_set(e, ERR_INPUT, "%s: not hyperfine's --export-json of one command",
			       path);
	for (size_t i = 0; i < json_array_size(*times); i++)
		if (!(json_number_value(json_array_get(*times, i)) > 0))
			return err_set(e, ERR_INPUT, "%s: run %zu has no positive time", path,
				       i + 1);
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

static int add_rows(json_t *rows, const json_t *times, const char *name, const char *label,
		    struct err *e)
{
	json_int_t count = (json_int_t)json_array_size(times);
	for (json_int_t i = 0; i < count; i++) {
		double seconds = json_number_value(json_array_get(times, (size_t)i));
		json_t *row =
		    json_pack("{ss ss ss sI sI si si sf sf ss ss}", "name", name, "run_name", name,
			      "run_type", "iteration", "repetitions", count, "repetition_index", i,
			      "threads", 1, "iterations", 1, "real_time", seconds, "cpu_time",
			      seconds, "time_unit", "s", "label", label);
		if (!row || json_array_append_new(rows, row))
			return err_set(e, ERR_INPUT, "name and label must be UTF-8 text");
	}
	return 0;
}

static int new_file(json_t **root, struct err *e)
{
	char date[64] = "";
	time_t now = time(NULL);
	struct tm utc;
	if (gmtime_r(&now, &utc))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S+00:00", &utc);
	*root = json_pack("{s{ss s[]} s[]}", "context", "date", date, "caches", "benchmarks");
	return *root ? 0 : err_set(e, ERR_MEMORY, "out of memory");
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

int comparator_add(const char *out, const char *hyperfine, const char *benchmark, const char *label,
		   struct err *e)
{
	json_t *measured, *root = NULL;
	const json_t *times;
	int status = load(&measured, hyperfine, e);
	if (status)
		return status;
	status = find_times(measured, hyperfine, &times, e);
	if (!status)
		status = access(out, F_OK) == 0 ? load(&root, out, e) : new_file(&root, e);
	json_t *rows = json_object_get(root, "benchmarks");
	if (!status && !json_is_array(rows))
		status = err_set(e, ERR_INPUT, "%s: no array 'benchmarks'", out);
	if (!status) {
		remove_rows(rows, benchmark);
		status = add_rows(rows, times, benchmark, label, e);
	}
	if (!status)
		status = save(root, out, e);
	json_decref(root);
	json_decref(measured);
	return status;
}
