/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/data/results.h"

#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/host.h"
#include "harness/base/json_file.h"
#include "harness/base/stats.h"
#include "harness/report/text.h"

/* ---- names ---- */

const char *const variant_names[VARIANTS] = { "serial", "cpu", "published", "tuned", "other" };

enum variant name_variant(const char *name, size_t *at)
{
	for (const char *part = strchr(name, '/'); part; part = strchr(part, '/')) {
		size_t length = strcspn(++part, "/");
		for (int v = 0; v < VARIANT_OTHER; v++)
			if (strlen(variant_names[v]) == length &&
			    !strncmp(part, variant_names[v], length)) {
				if (at)
					*at = (size_t)(part - name);
				return (enum variant)v;
			}
	}
	return VARIANT_OTHER;
}

static const char seed_part[] = "/seed:";

long name_seed(const char *name)
{
	const char *at = strstr(name, seed_part);
	char *end;
	if (!at)
		return -1;
	at += strlen(seed_part);
	long seed = strtol(at, &end, 10);
	return end > at && (!*end || *end == '/') ? seed : -1;
}

bool name_same_family(const char *a, const char *b)
{
	const char *at = strstr(a, seed_part);
	if (!at)
		return !strcmp(a, b);
	size_t head = (size_t)(at - a) + strlen(seed_part);
	if (strncmp(a, b, head) != 0)
		return false;
	a += head;
	b += head;
	return !strcmp(a + strcspn(a, "/"), b + strcspn(b, "/"));
}

const char *name_short(const char *name)
{
	const char *slash = strchr(name, '/');
	return slash ? slash + 1 : name;
}

static bool match(const char *p, const char *s, struct name_capture *capture)
{
	for (; *p && *p != '*' && strncmp(p, "(*)", 3) != 0; p++, s++)
		if (*p != *s)
			return false;
	if (!*p)
		return !*s;
	if (*p == '*') {
		while (p[1] == '*')
			p++;
		if (!p[1])
			return true;
		for (; *s; s++)
			if (match(p + 1, s, capture))
				return true;
		return match(p + 1, s, capture);
	}
	for (size_t length = strcspn(s, "/"); length > 0; length--)
		if (match(p + 3, s + length, capture)) {
			*capture = (struct name_capture){ s, length };
			return true;
		}
	return false;
}

/* In the names of rows that several ranks measured. */
#define RANKS "/ranks:"

bool name_match(const char *pattern, const char *name, struct name_capture *capture)
{
	struct name_capture unused;
	if (!capture)
		capture = &unused;
	*capture = (struct name_capture){ 0 };
	if (strstr(name, RANKS) && !strstr(pattern, RANKS))
		return false;
	return match(pattern, name, capture);
}

/* ---- one file ---- */

/* The keys of a row that Google Benchmark defines; every other number is a counter. */
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

static int time_unit(const json_t *row, double *seconds_per_unit)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(json_text(row, "time_unit"), units[i].name)) {
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

/* Adds the members of the context as facts. Nested members (caches, load_avg) get names such as
 * a.b.0.c. jansson limits the depth. */
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
	/* earlier runs lack this counter */
	for (size_t run = 0; !b->counter[i].values && run < b->runs; run++)
		grown[run] = NAN;
	b->counter[i].values = grown;
	grown[b->runs - 1] = value;
	return 0;
}

/* Sets every counter to NaN for this run, in case the row lacks some of them. */
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

/* What the row says, otherwise what its file says. A commit with changes ends in '+'. */
static struct result_source source_of(const json_t *row, const struct result_file *f)
{
	const char *own = json_text(row, "copra_revision"), *dirty = result_fact(f, "copra_dirty");
	const char *revision = *own ? own : result_fact(f, "copra_revision");
	const char *host = *own ? json_text(row, "copra_host") : result_fact(f, "host_name");
	struct result_source s = { 0 };
	if (revision)
		snprintf(s.revision, sizeof(s.revision), "%.*s", (int)strcspn(revision, "+"),
			 revision);
	s.changed = *own ? strchr(own, '+') != NULL : dirty && !strcmp(dirty, "1");
	snprintf(s.host, sizeof(s.host), "%s", host ? host : "");
	snprintf(s.date, sizeof(s.date), "%s", *own ? json_text(row, "copra_date") : f->date);
	return s;
}

static int add_run(struct result_bench *b, const json_t *row, double seconds,
		   const struct result_file *f, struct err *e)
{
	int status = array_grow((void **)&b->source, b->runs, sizeof(*b->source), e);
	if (status)
		return status;
	double *grown = realloc(b->seconds, (b->runs + 1) * sizeof(double));
	if (!grown)
		return err_set(e, ERR_MEMORY, "out of memory");
	b->seconds = grown;
	b->source[b->runs] = source_of(row, f);
	b->seconds[b->runs++] = seconds;
	status = pad_counters(b, e);
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
		if (*json_text(row, keys[i]))
			return json_text(row, keys[i]);
	return "no reason given";
}

/* SKIP_UNSUPPORTED for an unknown name, as files of other versions may have. */
static enum skip_reason reason_of(const char *name)
{
	for (int r = 0; r < SKIP_REASONS; r++)
		if (strcmp(name, skip_kinds[r].name) == 0)
			return (enum skip_reason)r;
	return SKIP_UNSUPPORTED;
}

static struct skip why_of(const json_t *row)
{
	return (struct skip){ .reason = reason_of(json_text(row, "skip_reason")),
			      .needed = json_number_value(json_object_get(row, "skip_needed")),
			      .available =
				      json_number_value(json_object_get(row, "skip_available")) };
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
	return status ? status : text_copy(&b->label, json_text(row, "label"), e);
}

static int add_row(struct result_set *set, const json_t *row, struct err *e)
{
	const char *name = json_text(row, "run_name"), *type = json_text(row, "run_type");
	const json_t *time = json_object_get(row, "real_time");
	const struct result_file *f = &set->file[set->files - 1];
	double unit;
	if (!*name)
		name = json_text(row, "name");
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
				       add_run(&set->bench[i], row, seconds, f, e) :
				       0;
	int status = new_bench(set, row, name, e);
	return status ? status : add_run(&set->bench[set->benches - 1], row, seconds, f, e);
}

static int fill_file(struct result_file *f, const char *path, const char *scale,
		     const json_t *context, struct err *e)
{
	int status;
	if ((status = text_copy(&f->path, path, e)) || (status = text_copy(&f->scale, scale, e)) ||
	    (status = text_copy(&f->date, json_text(context, "date"), e)))
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

static int read_rows(struct result_set *set, const char *path, const char *scale, struct err *e)
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

static int read_skips(struct result_set *set, const char *path, struct err *e)
{
	json_t *root, *row;
	size_t i;
	int status = json_file_read(&root, path, e);
	if (status)
		return status;
	const json_t *rows = json_is_array(root) ? root : json_object_get(root, "benchmarks");
	if (!json_is_array(rows))
		status = err_set(e, ERR_INPUT, "%s: no array 'benchmarks'", path);
	if (!status)
		json_array_foreach(rows, i, row) if (!status) status =
			add_skip(set, json_text(row, "name"), row, e);
	json_decref(root);
	return status;
}

static int read_peaks(struct result_set *set, const char *path, struct err *e)
{
	json_t *root;
	int status = json_file_read(&root, path, e);
	if (status)
		return status;
	if (!json_is_object(root))
		status = err_set(e, ERR_INPUT, "%s: not an object", path);
	else
		status = fill_file(&set->peaks, path, "ceilings", root, e);
	json_decref(root);
	return status;
}

int results_read(struct result_set *set, enum results_kind kind, const char *path,
		 const char *scale, struct err *e)
{
	return kind == RESULTS_ROWS  ? read_rows(set, path, scale, e) :
	       kind == RESULTS_SKIPS ? read_skips(set, path, e) :
				       read_peaks(set, path, e);
}

/* ---- all machines ---- */

/* Largest first, because rows of a larger scale replace those of a smaller one. The last scale has
 * toy sizes, which are used only if there is nothing else. */
static const char *const scales[] = { "paper", "quick", "smoke" };
enum { SCALES = sizeof(scales) / sizeof(scales[0]), TOYS = SCALES - 1 };

static int new_set(struct results *r, const char *target, const char *machine, bool recorded,
		   struct err *e)
{
	int status = array_grow((void **)&r->set, r->sets, sizeof(*r->set), e);
	if (status)
		return status;
	struct result_set *set = &r->set[r->sets];
	*set = (struct result_set){ .recorded = recorded };
	r->sets++;
	status = text_copy(&set->target, target, e);
	return status ? status : text_copy(&set->machine, machine, e);
}

/* Reads one file into the last set, if it exists. An error in it is added to the problems. */
static int read_one(struct results *r, enum results_kind kind, const char *path, const char *scale,
		    struct err *e)
{
	struct result_set *set = &r->set[r->sets - 1];
	struct err problem = { 0 };
	if (access(path, F_OK) != 0)
		return 0;
	int status = results_read(set, kind, path, scale, &problem);
	if (status == ERR_MEMORY)
		return err_set(e, ERR_MEMORY, "%s", problem.text);
	if (status)
		text_add_problem(&r->problems, problem.text);
	return text_ok(&r->problems, e);
}

static int read_set(struct results *r, const char *folder, struct err *e)
{
	char path[PATH_MAX];
	int status = 0;
	for (size_t i = 0; i < SCALES && !status; i++) {
		if (i == TOYS && r->set[r->sets - 1].benches)
			break;
		status = text_path(path, e, "%s/%s/bench.json", folder, scales[i]);
		if (!status)
			status = read_one(r, RESULTS_ROWS, path, scales[i], e);
		if (!status)
			status = text_path(path, e, "%s/%s/bench.skipped.json", folder, scales[i]);
		if (!status)
			status = read_one(r, RESULTS_SKIPS, path, scales[i], e);
	}
	if (!status)
		status = text_path(path, e, "%s/comparators.json", folder);
	if (!status)
		status = read_one(r, RESULTS_ROWS, path, "comparators", e);
	if (!status)
		status = text_path(path, e, "%s/process.json", folder);
	if (!status)
		status = read_one(r, RESULTS_ROWS, path, "process", e);
	if (!status)
		status = text_path(path, e, "%s/../ceilings.json", folder);
	return status ? status : read_one(r, RESULTS_PEAKS, path, "", e);
}

static int load_target(struct results *r, const char *folder, const char *machine,
		       const char *target, bool recorded, struct err *e)
{
	char path[PATH_MAX];
	int status = text_path(path, e, "%s/%s/%s", folder, machine, target);
	if (!status)
		status = new_set(r, target, machine, recorded, e);
	if (!status)
		status = read_set(r, path, e);
	return status;
}

/* Loads every <folder>/<machine>/<target>. */
static int load_origin(struct results *r, const char *folder, bool recorded, struct err *e)
{
	struct dirent **machines, **targets;
	int status = 0, count = scandir(folder, &machines, host_visible, alphasort);
	for (int m = 0; m < count; m++) {
		char path[PATH_MAX];
		if (!status)
			status = text_path(path, e, "%s/%s", folder, machines[m]->d_name);
		int inner = status ? -1 : scandir(path, &targets, host_visible, alphasort);
		for (int t = 0; t < inner; t++) {
			if (!status)
				status = load_target(r, folder, machines[m]->d_name,
						     targets[t]->d_name, recorded, e);
			free(targets[t]);
		}
		if (inner >= 0)
			free(targets);
		free(machines[m]);
	}
	if (count >= 0)
		free(machines);
	return status;
}

static void free_bench(struct result_bench *b)
{
	for (size_t i = 0; i < b->counters; i++) {
		free(b->counter[i].name);
		free(b->counter[i].values);
	}
	free(b->counter);
	free(b->seconds);
	free(b->source);
	free(b->name);
	free(b->label);
}

static void free_file(struct result_file *f)
{
	for (size_t i = 0; i < f->facts; i++) {
		free(f->fact[i].name);
		free(f->fact[i].value);
	}
	free(f->fact);
	free(f->path);
	free(f->scale);
	free(f->date);
}

static void free_set(struct result_set *s)
{
	for (size_t i = 0; i < s->benches; i++)
		free_bench(&s->bench[i]);
	for (size_t i = 0; i < s->files; i++)
		free_file(&s->file[i]);
	free_file(&s->peaks);
	for (size_t i = 0; i < s->skips; i++) {
		free(s->skip[i].name);
		free(s->skip[i].message);
	}
	free(s->bench);
	free(s->file);
	free(s->skip);
	free(s->target);
	free(s->machine);
}

/* Drops sets without results, for example that of the folder local/report. */
static void drop_empty(struct results *r)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->sets; i++) {
		if (r->set[i].benches || r->set[i].skips)
			r->set[kept++] = r->set[i];
		else
			free_set(&r->set[i]);
	}
	r->sets = kept;
}

static int by_target(const void *a, const void *b)
{
	const struct result_set *x = a, *y = b;
	int order = strcmp(x->target, y->target);
	if (!order)
		order = (int)x->recorded - (int)y->recorded;
	return order ? order : strcmp(x->machine, y->machine);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct result_bench *)a)->name,
		      ((const struct result_bench *)b)->name);
}

int results_load(struct results *r, const char *local, const char *recorded, struct err *e)
{
	*r = (struct results){ 0 };
	int status = local ? load_origin(r, local, false, e) : 0;
	if (!status)
		status = load_origin(r, recorded, true, e);
	if (status) {
		results_free(r);
		return status;
	}
	drop_empty(r);
	if (r->sets)
		qsort(r->set, r->sets, sizeof(*r->set), by_target);
	for (size_t i = 0; i < r->sets; i++)
		if (r->set[i].benches)
			qsort(r->set[i].bench, r->set[i].benches, sizeof(*r->set[i].bench),
			      by_name);
	return 0;
}

void results_free(struct results *r)
{
	for (size_t i = 0; i < r->sets; i++)
		free_set(&r->set[i]);
	text_free(&r->problems);
	free(r->set);
	*r = (struct results){ 0 };
}

/* ---- reading a set ---- */

const double *result_values(const struct result_bench *b, const char *counter)
{
	if (!*counter || b->supposed)
		return b->seconds;
	for (size_t i = 0; i < b->counters; i++)
		if (!strcmp(b->counter[i].name, counter))
			return b->counter[i].values;
	return NULL;
}

double result_median(const struct result_bench *b, const char *counter)
{
	const double *values = result_values(b, counter);
	return values ? stat_median(values, b->runs) : NAN;
}

const char *result_decides_nothing(const struct result_set *set, const struct result_bench *b)
{
	const struct result_file *f = b->file < set->files ? &set->file[b->file] : NULL;
	const char *device = f ? result_fact(f, "copra_device") : NULL;
	if (f && f->scale && !strcmp(f->scale, scales[TOYS]))
		return "scale smoke";
	if ((device && !strncmp(device, "sim", 3)) || result_median(b, "simulated") > 0)
		return "simulated";
	return NULL;
}

const char *result_fact(const struct result_file *f, const char *name)
{
	for (size_t i = 0; i < f->facts; i++)
		if (!strcmp(f->fact[i].name, name))
			return f->fact[i].value;
	return NULL;
}

static long fact_number(const struct result_file *f, const char *name)
{
	const char *value = result_fact(f, name);
	return value ? strtol(value, NULL, 10) : 0;
}

/* The GPUs that the file names, and the name of the first one. */
static long named_gpus(const struct result_file *f, const char **name)
{
	for (long count = 0;; count++) {
		char key[32];
		snprintf(key, sizeof(key), "gpu_%ld_name", count);
		const char *found = result_fact(f, key);
		if (!found)
			return count;
		*name = *name ? *name : found;
	}
}

long results_gpus(const struct result_set *set)
{
	long most = 0;
	for (size_t i = 0; i < set->files; i++) {
		const struct result_file *f = &set->file[i];
		const char *name = NULL;
		long count = result_fact(f, "copra_gpus") ? fact_number(f, "copra_gpus") :
			     result_fact(f, "gpu_count")  ? fact_number(f, "gpu_count") :
							    named_gpus(f, &name);
		most = count > most ? count : most;
	}
	return most;
}

long results_cores(const struct result_set *set)
{
	long most = 1;
	for (size_t i = 0; i < set->files; i++) {
		const struct result_file *f = &set->file[i];
		long cores = fact_number(f, "cpu_cores"), threads = fact_number(f, "copra_threads");
		if (!cores)
			cores = fact_number(f, "cpus_usable");
		if (threads && threads < cores)
			cores = threads;
		most = cores > most ? cores : most;
	}
	return most;
}

long results_nodes(const struct result_set *set)
{
	long most = 1;
	for (size_t i = 0; i < set->files; i++) {
		long nodes = fact_number(&set->file[i], "copra_nodes");
		most = nodes > most ? nodes : most;
	}
	return most;
}

const char *results_fact(const struct result_set *set, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < set->files && !value; i++)
		value = result_fact(&set->file[i], name);
	return value ? value : "";
}

void results_gpu_text(const struct result_set *set, struct text *out)
{
	long count = 0, opened = results_gpus(set);
	const char *name = NULL;
	for (size_t i = 0; i < set->files && !name; i++)
		count = named_gpus(&set->file[i], &name);
	if (name && opened && opened < count)
		text_add(out, "%ld of %ld × %s", opened, count, name);
	else if (name && count > 1)
		text_add(out, "%ld × %s", count, name);
	else if (name)
		text_add(out, "%s", name);
}

void results_machine(const struct result_set *set, struct text *out)
{
	text_add(out, set->recorded ? "RECORDED on %s" : "measured here, on %s", set->machine);
}

void results_origin(const struct result_set *set, struct text *out)
{
	const char *last = "";
	for (size_t i = 0; i < set->files; i++)
		if (strcmp(set->file[i].date, last) > 0)
			last = set->file[i].date;
	results_machine(set, out);
	if (*last)
		text_add(out, ", %.10s", last);
}

/* Replaces other characters, because a user may name the folder of a machine in any way. */
void results_slug(const struct result_set *set, struct text *out)
{
	text_add(out, set->recorded ? "recorded-" : "local-");
	for (const char *c = set->machine; *c; c++)
		text_add_n(out, isalnum((unsigned char)*c) || *c == '.' ? c : "-", 1);
}
