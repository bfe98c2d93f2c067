/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/bench_journal.h"

#include <jansson.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/build.h"
#include "harness/base/hash.h"
#include "harness/base/journal.h"
#include "harness/base/json_writer.h"

static int hash_executable(uint64_t *hash, struct err *e)
{
	enum { CHUNK = 1 << 16 };
	FILE *f = fopen("/proc/self/exe", "rbe");
	char *buffer = malloc(CHUNK);
	int status = 0;
	size_t n;

	if (!f || !buffer) {
		status = err_set(e, ERR_FAILED, "cannot read this program's own file: %s",
				 strerror(errno));
	} else {
		while ((n = fread(buffer, 1, CHUNK, f)) > 0)
			*hash = hash_bytes(*hash, buffer, n);
		if (ferror(f))
			status = err_set(e, ERR_FAILED, "cannot read this program's own file");
	}
	free(buffer);
	if (f)
		fclose(f);
	return status;
}

/* Programs of the same clean revision, compilers and flags are the same program. One with
 * uncommitted changes is identified by the bytes of its executable. */
static int hash_program(uint64_t *hash, struct err *e)
{
	const struct build_info *b = build_info();

	if (b->dirty || strcmp(b->revision, "unknown") == 0)
		return hash_executable(hash, e);
	*hash = hash_text(hash_text(hash_u64(*hash, build_hash()), b->revision), b->sanitizer);
	return 0;
}

int bench_identity(char identity[20], const char *machine, const char *parameters, struct err *e)
{
	uint64_t hash = HASH_INIT;
	int status = hash_program(&hash, e);

	hash = hash_text(hash_text(hash, machine), parameters);
	snprintf(identity, 20, "%016" PRIx64, hash);
	return status;
}

/* ---- writing ---- */

static void write_row(struct json_writer *w, const char *identity, const struct bench_row *r)
{
	char key[64];

	jw_begin_object(w, NULL);
	jw_string(w, "identity", identity);
	jw_string(w, "case", r->run_name);
	jw_int(w, "repetition", r->repetition_index);
	jw_int(w, "threads", r->threads);
	jw_int(w, "iterations", r->iterations);
	jw_double(w, "real_seconds", r->real_seconds);
	jw_double(w, "cpu_seconds", r->cpu_seconds);
	jw_string(w, "label", r->label);
	jw_string(w, "revision", r->from.revision);
	jw_string(w, "host", r->from.host);
	jw_string(w, "date", r->from.date);
	for (int i = 0; i < r->counters.count; i++) {
		const struct bench_counter_value *v = &r->counters.at[i];

		snprintf(key, sizeof(key), "%s.%s", v->flags & BENCH_RATE ? "rate" : "counter",
			 v->name);
		jw_double(w, key, v->value);
	}
	jw_end_object(w);
}

static void write_end(struct json_writer *w, const char *identity, const struct bench_case *c)
{
	jw_begin_object(w, NULL);
	jw_string(w, "identity", identity);
	jw_string(w, "case", c->name);
	jw_int(w, "complete", c->outcome == BENCH_DONE ? c->row_count : 0);
	jw_end_object(w);
}

/* Appends the writer's document as one line. */
static int append_line(char **text, size_t *length, struct json_writer *w, struct err *e)
{
	int status = jw_finish(w, e);
	char *grown;

	if (status)
		return status;
	grown = realloc(*text, *length + w->length + 1);
	if (!grown)
		return err_set(e, ERR_MEMORY, "out of memory");
	*text = grown;
	memcpy(grown + *length, w->data, w->length);
	*length += w->length;
	grown[(*length)++] = '\n';
	return 0;
}

/* Makes a line for each row from c->stored on and, if the case has ended, the line that ends it. */
static int new_lines(char **text, size_t *length, const char *identity, const struct bench_case *c,
		     struct err *e)
{
	bool dropped = c->stored > 0 && c->row_count == 0;
	bool ends = c->outcome == BENCH_DONE || dropped;
	int status = 0;

	for (int i = dropped ? 0 : c->stored; i < c->row_count + ends && status == 0; i++) {
		struct json_writer w;

		jw_to_buffer(&w, JSON_ONE_LINE);
		if (i < c->row_count)
			write_row(&w, identity, &c->rows[i]);
		else
			write_end(&w, identity, c);
		status = append_line(text, length, &w, e);
		jw_destroy(&w);
	}
	return status;
}

int bench_journal_store(struct journal *j, const char *identity, struct bench_case *c,
			struct err *e)
{
	char *text = NULL;
	size_t length = 0;
	int status = new_lines(&text, &length, identity, c, e);

	if (status == 0 && length)
		status = journal_append(j, text, length, e);
	if (status == 0)
		c->stored = c->row_count;
	free(text);
	return status;
}

/* ---- reading ---- */

enum { RECORD_TEXT = 1024 };

struct record {
	char identity[RECORD_TEXT], name[RECORD_TEXT];
	bool is_row;
	int64_t complete; /* in the line that ends a case: its number of rows */
	struct bench_row row;
};

/* Returns -1, which no row has, if the value is not a count. */
static int64_t count_of(double value)
{
	return value >= 0 && value < 0x1p53 ? (int64_t)value : -1;
}

static void take_number(struct record *r, const char *key, double value)
{
	if (strcmp(key, "repetition") == 0) {
		r->row.repetition_index = count_of(value);
		r->is_row = true;
	} else if (strcmp(key, "threads") == 0) {
		r->row.threads = count_of(value);
	} else if (strcmp(key, "iterations") == 0) {
		r->row.iterations = count_of(value);
	} else if (strcmp(key, "real_seconds") == 0) {
		r->row.real_seconds = value;
	} else if (strcmp(key, "cpu_seconds") == 0) {
		r->row.cpu_seconds = value;
	} else if (strcmp(key, "complete") == 0) {
		r->complete = count_of(value);
	} else if (strncmp(key, "counter.", 8) == 0) {
		bench_counters_set(&r->row.counters, key + 8, value, BENCH_COUNT, NULL);
	} else if (strncmp(key, "rate.", 5) == 0) {
		bench_counters_set(&r->row.counters, key + 5, value, BENCH_RATE, NULL);
	}
}

static bool take_text(char *out, size_t size, const json_t *value)
{
	return snprintf(out, size, "%s", json_string_value(value)) < (int)size;
}

static bool take_member(struct record *r, const char *key, const json_t *value)
{
	if (json_is_number(value) || json_is_boolean(value))
		take_number(r, key, json_is_true(value) ? 1 : json_number_value(value));
	else if (!json_is_string(value))
		return false;
	else if (strcmp(key, "identity") == 0)
		return take_text(r->identity, sizeof(r->identity), value);
	else if (strcmp(key, "case") == 0)
		return take_text(r->name, sizeof(r->name), value);
	else if (strcmp(key, "revision") == 0)
		return take_text(r->row.from.revision, sizeof(r->row.from.revision), value);
	else if (strcmp(key, "host") == 0)
		return take_text(r->row.from.host, sizeof(r->row.from.host), value);
	else if (strcmp(key, "date") == 0)
		return take_text(r->row.from.date, sizeof(r->row.from.date), value);
	else if (strcmp(key, "label") == 0)
		snprintf(r->row.label, sizeof(r->row.label), "%.*s", BENCH_LABEL - 1,
			 json_string_value(value));
	return true;
}

static bool parse(struct record *r, const char *line)
{
	json_t *root = json_loads(line, 0, NULL), *value;
	bool good = json_is_object(root);
	const char *key;

	memset(r, 0, sizeof(*r));
	json_object_foreach(root, key, value)
	{
		good = good && take_member(r, key, value);
	}
	json_decref(root);
	return good;
}

static int compare_cases(const void *a, const void *b)
{
	return strcmp((*(struct bench_case *const *)a)->name,
		      (*(struct bench_case *const *)b)->name);
}

static int compare_name(const void *name, const void *c)
{
	return strcmp(name, (*(struct bench_case *const *)c)->name);
}

static int take_record(struct bench_case *c, struct record *r, struct err *e)
{
	if (!r->is_row) {
		bool whole = r->complete > 0 && r->complete == c->row_count;

		c->outcome = whole ? BENCH_DONE : BENCH_PENDING;
		c->from_journal = whole;
		if (!whole)
			c->row_count = 0;
		return 0;
	}
	if (r->row.repetition_index == 0) { /* measured again from the start */
		c->row_count = 0;
		c->outcome = BENCH_PENDING;
		c->from_journal = false;
	}
	if (r->row.repetition_index != c->row_count || !(r->row.real_seconds > 0) ||
	    r->row.iterations < 1)
		return 0;
	c->outcome = BENCH_PENDING; /* also after an end: more repetitions were asked for later */
	c->from_journal = false;
	r->row.run_name = c->name;
	r->row.family_index = c->family_index;
	r->row.instance_index = c->instance_index;
	r->row.unit = c->unit;
	return bench_case_add_row(c, &r->row, e);
}

static void complete_rows(struct bench_plan *p)
{
	for (int i = 0; i < p->count; i++) {
		struct bench_case *c = &p->cases[i];

		c->stored = c->row_count;
		for (int k = 0; c->outcome == BENCH_DONE && k < c->row_count; k++)
			c->rows[k].repetitions = c->row_count;
	}
}

int bench_journal_load(struct journal *j, const char *identity, struct bench_plan *p, int *foreign,
		       struct err *e)
{
	struct bench_case **index = malloc(((size_t)p->count + 1) * sizeof(*index));
	struct record *r = malloc(sizeof(*r));
	size_t cursor = 0, own = 0;
	int status = 0;

	*foreign = 0;
	if (!index || !r)
		status = err_set(e, ERR_MEMORY, "out of memory");
	for (int i = 0; i < p->count && status == 0; i++)
		index[i] = &p->cases[i];
	if (status == 0)
		qsort(index, (size_t)p->count, sizeof(*index), compare_cases);
	for (const char *line; status == 0 && (line = journal_next(j, &cursor)) != NULL;) {
		struct bench_case **found;

		if (!parse(r, line) || strcmp(r->identity, identity) != 0) {
			(*foreign)++;
			continue;
		}
		own++;
		found = bsearch(r->name, index, (size_t)p->count, sizeof(*index), compare_name);
		if (found)
			status = take_record(*found, r, e);
	}
	complete_rows(p);
	*foreign = own ? 0 : *foreign;
	free(r);
	free(index);
	return status;
}
