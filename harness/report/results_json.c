#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json_file.h"
#include "harness/report/results_private.h"
#include "harness/report/text.h"

/* Keys of a row that Google Benchmark itself defines; every other number is a counter. */
static bool is_counter(const char *key, const json_t *value)
{
	static const char *const own[] = {
		"family_index", "per_family_instance_index",
		"repetitions",  "repetition_index",
		"threads",      "iterations",
		"real_time",    "cpu_time",
	};
	if (!json_is_number(value))
		return false;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(key, own[i]))
			return false;
	return true;
}

static const char *text_of(const json_t *row, const char *key)
{
	const char *s = json_string_value(json_object_get(row, key));
	return s ? s : "";
}

static int time_unit(const json_t *row, double *seconds_per_unit)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text_of(row, "time_unit"), units[i].name)) {
			*seconds_per_unit = units[i].seconds;
			return 0;
		}
	return -1;
}

static int add_fact(struct result_file *f, const char *name, const char *value, struct err *e)
{
	int status = array_grow((void **)&f->fact, f->facts, sizeof(*f->fact), e);
	if (status)
		return status;
	struct result_fact *fact = &f->fact[f->facts];
	*fact = (struct result_fact){ 0 };
	f->facts++;
	status = text_copy(&fact->name, name, e);
	return status ? status : text_copy(&fact->value, value, e);
}

/* Context may be nested one deep or more (caches, load_avg): a.b.0.c. The depth is jansson's. */
static int add_facts(struct result_file *f, const char *prefix, const json_t *value, struct err *e)
{
	struct text name = { 0 };
	const char *key;
	json_t *item;
	size_t i;
	int status = 0;
	if (json_is_object(value)) {
		json_object_foreach((json_t *)(uintptr_t)value, key, item)
		{
			name.length = 0;
			text_add(&name, "%s%s%s", prefix, *prefix ? "." : "", key);
			if ((status = add_facts(f, text_get(&name), item, e)))
				break;
		}
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, item)
		{
			name.length = 0;
			text_add(&name, "%s.%zu", prefix, i);
			if ((status = add_facts(f, text_get(&name), item, e)))
				break;
		}
	} else if (json_is_string(value)) {
		status = add_fact(f, prefix, json_string_value(value), e);
	} else if (json_is_number(value)) {
		text_add(&name, "%.15g", json_number_value(value));
		status = add_fact(f, prefix, text_get(&name), e);
	} else if (json_is_boolean(value)) {
		status = add_fact(f, prefix, json_is_true(value) ? "true" : "false", e);
	}
	text_free(&name);
	return status;
}

static int add_counter(struct result_bench *b, const char *name, double value, struct err *e)
{
	size_t i = 0;
	while (i < b->counters && strcmp(b->counter[i].name, name) != 0)
		i++;
	if (i == b->counters) {
		int status = array_grow((void **)&b->counter, i, sizeof(*b->counter), e);
		if (status)
			return status;
		b->counter[i] = (struct result_counter){ 0 };
		b->counters++;
		if ((status = text_copy(&b->counter[i].name, name, e)))
			return status;
	}
	double *grown = realloc(b->counter[i].values, b->runs * sizeof(double));
	if (!grown)
		return err_set(e, ERR_MEMORY, "out of memory");
	/* runs that came before this counter did lack it */
	for (size_t run = 0; !b->counter[i].values && run < b->runs; run++)
		grown[run] = NAN;
	b->counter[i].values = grown;
	grown[b->runs - 1] = value;
	return 0;
}

/* Every counter has one value a run, also where this row lacks it. */
static int pad_counters(struct result_bench *b, struct err *e)
{
	for (size_t i = 0; i < b->counters; i++) {
		double *grown = realloc(b->counter[i].values, b->runs * sizeof(double));
		if (!grown)
			return err_set(e, ERR_MEMORY, "out of memory");
		grown[b->runs - 1] = NAN;
		b->counter[i].values = grown;
	}
	return 0;
}

static int add_run(struct result_bench *b, const json_t *row, double seconds, struct err *e)
{
	double *grown = realloc(b->seconds, (b->runs + 1) * sizeof(double));
	if (!grown)
		return err_set(e, ERR_MEMORY, "out of memory");
	b->seconds = grown;
	b->seconds[b->runs++] = seconds;
	int status = pad_counters(b, e);
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)(uintptr_t)row, key, value)
	{
		if (!status && is_counter(key, value))
			status = add_counter(b, key, json_number_value(value), e);
	}
	return status;
}

static const char *message_of(const json_t *row)
{
	static const char *const keys[] = { "error_message", "skip_message", "label" };
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (*text_of(row, keys[i]))
			return text_of(row, keys[i]);
	return "no reason given";
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	return json_is_number(value) ? json_number_value(value) : 0;
}

static struct skip why_of(const json_t *row)
{
	return (struct skip){ .reason = skip_reason_from(text_of(row, "skip_reason")),
			      .needed = number_of(row, "skip_needed"),
			      .available = number_of(row, "skip_available") };
}

static int add_skip(struct result_set *set, const char *name, const json_t *row, struct err *e)
{
	int status = array_grow((void **)&set->skip, set->skips, sizeof(*set->skip), e);
	if (status)
		return status;
	struct result_skip *skip = &set->skip[set->skips];
	*skip = (struct result_skip){ .failed = !json_is_true(json_object_get(row, "skipped")),
				      .why = why_of(row) };
	set->skips++;
	status = text_copy(&skip->name, name, e);
	return status ? status : text_copy(&skip->message, message_of(row), e);
}

static int new_bench(struct result_set *set, const json_t *row, const char *name, struct err *e)
{
	int status = array_grow((void **)&set->bench, set->benches, sizeof(*set->bench), e);
	if (status)
		return status;
	struct result_bench *b = &set->bench[set->benches];
	*b = (struct result_bench){ .file = set->files - 1 };
	set->benches++;
	status = text_copy(&b->name, name, e);
	return status ? status : text_copy(&b->label, text_of(row, "label"), e);
}

static int add_row(struct result_set *set, const json_t *row, struct err *e)
{
	const char *name = text_of(row, "run_name"), *type = text_of(row, "run_type");
	const json_t *time = json_object_get(row, "real_time");
	double unit;
	if (!*name)
		name = text_of(row, "name");
	if (!*name)
		return err_set(e, ERR_INPUT, "a row has no name");
	if (!strcmp(type, "aggregate"))
		return 0;
	if (json_is_true(json_object_get(row, "error_occurred")) ||
	    json_is_true(json_object_get(row, "skipped")))
		return add_skip(set, name, row, e);
	if (!json_is_number(time) || time_unit(row, &unit))
		return err_set(e, ERR_INPUT, "%s: no real_time with a time_unit of ns, us, ms or s",
			       name);
	double seconds = json_number_value(time) * unit;
	if (!(seconds >= 0))
		return err_set(e, ERR_INPUT, "%s: negative real_time", name);
	for (size_t i = set->benches; i-- > 0;)
		if (!strcmp(set->bench[i].name, name))
			return set->bench[i].file == set->files - 1 ?
				       add_run(&set->bench[i], row, seconds, e) :
				       0;
	int status = new_bench(set, row, name, e);
	return status ? status : add_run(&set->bench[set->benches - 1], row, seconds, e);
}

static int fill_file(struct result_file *f, const char *path, const char *scale,
		     const json_t *context, struct err *e)
{
	int status;
	if ((status = text_copy(&f->path, path, e)) || (status = text_copy(&f->scale, scale, e)) ||
	    (status = text_copy(&f->date, text_of(context, "date"), e)))
		return status;
	return add_facts(f, "", context, e);
}

static int add_file(struct result_set *set, const char *path, const char *scale,
		    const json_t *context, struct err *e)
{
	int status = array_grow((void **)&set->file, set->files, sizeof(*set->file), e);
	if (status)
		return status;
	struct result_file *f = &set->file[set->files];
	*f = (struct result_file){ 0 };
	set->files++;
	return fill_file(f, path, scale, context, e);
}

int results_read_rows(struct result_set *set, const char *path, const char *scale, struct err *e)
{
	json_t *root, *row;
	size_t i;
	int status = json_file_read(&root, path, e);
	if (status)
		return status;
	const json_t *rows = json_object_get(root, "benchmarks");
	if (!json_is_array(rows))
		status = err_set(e, ERR_INPUT, "%s: no array 'benchmarks'", path);
	else
		status = add_file(set, path, scale, json_object_get(root, "context"), e);
	if (!status)
		json_array_foreach(rows, i, row)
		{
			if ((status = add_row(set, row, e))) {
				err_prefix(e, "%s: row %zu", path, i);
				break;
			}
		}
	json_decref(root);
	return status;
}

int results_read_skips(struct result_set *set, const char *path, const char *scale, struct err *e)
{
	json_t *root, *row;
	size_t i;
	(void)scale;
	int status = json_file_read(&root, path, e);
	if (status)
		return status;
	const json_t *rows = json_is_array(root) ? root : json_object_get(root, "benchmarks");
	if (!json_is_array(rows))
		status = err_set(e, ERR_INPUT, "%s: no array 'benchmarks'", path);
	if (!status)
		json_array_foreach(rows, i, row) if (!status) status =
			add_skip(set, text_of(row, "name"), row, e);
	json_decref(root);
	return status;
}

int results_read_ceilings(struct result_set *set, const char *path, const char *scale,
			  struct err *e)
{
	json_t *root;
	(void)scale;
	int status = json_file_read(&root, path, e);
	if (status)
		return status;
	if (!json_is_object(root))
		status = err_set(e, ERR_INPUT, "%s: not an object", path);
	else
		status = fill_file(&set->ceilings, path, "ceilings", root, e);
	json_decref(root);
	return status;
}
