/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/history/entries.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"
#include "harness/base/stats.h"
#include "harness/bench/samples.h"
#include "harness/report/data/results.h"
#include "harness/report/text.h"

enum { SCHEMA = 1 };
/* The largest history file: room for millions of lines. Rejects files of another kind early. */
static const size_t most_bytes = (size_t)1 << 30;

static int date_error(const char *date, struct err *e)
{
	return err_set(e, ERR_INPUT, "'%.40s' is not a date", date);
}

static int entry_time(int64_t *seconds, const char *date, struct err *e)
{
	struct tm t = { 0 };
	const char *rest = date;
	int used = 0, hours = 0, minutes = 0;
	char sign = '+';

	if (sscanf(date, "%4d-%2d-%2dT%2d:%2d:%2d%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour,
		   &t.tm_min, &t.tm_sec, &used) != 6)
		return date_error(date, e);
	rest += used;
	if (*rest && strcmp(rest, "Z") != 0 &&
	    (sscanf(rest, "%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3 ||
	     (sign != '+' && sign != '-') || rest[used]))
		return date_error(date, e);
	t.tm_year -= 1900;
	t.tm_mon -= 1;
	*seconds = (int64_t)timegm(&t) - (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
	return 0;
}

static void free_entry(struct entry *x)
{
#define HISTORY_FREE(name) free(x->name);
	HISTORY_TEXTS(HISTORY_FREE)
#undef HISTORY_FREE
	free(x->seconds);
}

void entries_free(struct entries *all)
{
	for (size_t i = 0; i < all->count; i++)
		free_entry(&all->entry[i]);
	text_free(&all->problems);
	free(all->entry);
	*all = (struct entries){ 0 };
}

static int read_text(char **out, const json_t *line, const char *key, struct err *e)
{
	const char *text = json_string_value(json_object_get(line, key));

	return text ? text_copy(out, text, e) :
		      err_set(e, ERR_INPUT, "'%s' is missing or not a text", key);
}

static int read_texts(struct entry *x, const json_t *line, struct err *e)
{
	int status = 0;

#define HISTORY_READ(name)                                                                         \
	if (status == 0)                                                                           \
		status = read_text(&x->name, line, #name, e);
	HISTORY_TEXTS(HISTORY_READ)
#undef HISTORY_READ
	if (status == 0 && !*x->name)
		status = err_set(e, ERR_INPUT, "'name' is empty");
	return status;
}

static int read_samples(struct entry *x, const json_t *line, struct err *e)
{
	const json_t *seconds = json_object_get(line, "seconds");
	size_t count = json_array_size(seconds);

	if (!count)
		return err_set(e, ERR_INPUT, "'seconds' has no samples");
	x->seconds = calloc(count, sizeof(*x->seconds));
	if (!x->seconds)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++) {
		x->seconds[i] = json_number_value(json_array_get(seconds, i));
		if (!(x->seconds[i] > 0) || isinf(x->seconds[i]))
			return err_set(e, ERR_INPUT, "sample %zu is not a positive time", i + 1);
	}
	x->samples = count;
	return 0;
}

static int read_entry(struct entry *x, const json_t *line, struct err *e)
{
	const json_t *threads = json_object_get(line, "threads");
	json_int_t schema = json_integer_value(json_object_get(line, "schema"));
	int status;

	if (schema != SCHEMA)
		return err_set(e, ERR_INPUT,
			       "format %lld, this copra reads format %d: show it with the copra "
			       "that wrote it",
			       (long long)schema, SCHEMA);
	if (!json_is_integer(threads) || json_integer_value(threads) < 0 ||
	    json_integer_value(threads) > 1000000)
		return err_set(e, ERR_INPUT, "'threads' is missing or not a number");
	x->threads = (int)json_integer_value(threads);
	x->dirty = json_is_true(json_object_get(line, "dirty"));
	status = read_texts(x, line, e);
	if (status == 0)
		status = entry_time(&x->time, x->date, e);
	return status ? status : read_samples(x, line, e);
}

static int add_entry(struct entries *all, const char *text, size_t length, struct err *e)
{
	json_error_t error;
	json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	struct entry x = { 0 };
	int status;

	if (!line)
		return err_set(e, ERR_INPUT, "column %d: %s", error.column, error.text);
	status = read_entry(&x, line, e);
	json_decref(line);
	if (status == 0)
		status = array_grow((void **)&all->entry, all->count, sizeof(x), e);
	if (status)
		free_entry(&x);
	else
		all->entry[all->count++] = x;
	return status;
}

static int add_problem(struct entries *all, const char *path, size_t number, const struct err *what,
		       struct err *e)
{
	char text[sizeof(what->text) + 256];

	snprintf(text, sizeof(text), "%.200s:%zu: %s", path, number, what->text);
	text_add_problem(&all->problems, text);
	return text_ok(&all->problems, e);
}

static int add_lines(struct entries *all, const char *path, const char *text, size_t length,
		     struct err *e)
{
	size_t number = 1;

	for (const char *end; length; number++) {
		struct err what = { 0 };
		int status;

		end = memchr(text, '\n', length);
		if (!end)
			break; /* an incomplete last line; the next append removes it */
		status = add_entry(all, text, (size_t)(end - text), &what);
		if (status == ERR_MEMORY)
			return err_set(e, status, "%s", what.text);
		if (status)
			status = add_problem(all, path, number, &what, e);
		if (status)
			return status;
		length -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	return 0;
}

int entries_load(struct entries *all, const char *path, struct err *e)
{
	char *text;
	size_t length;
	int status;

	*all = (struct entries){ 0 };
	if (access(path, F_OK) != 0)
		return 0;
	status = outfile_read(path, most_bytes, &text, &length, e);
	if (status)
		return status;
	status = add_lines(all, path, text, length, e);
	free(text);
	if (status)
		entries_free(all);
	return status;
}

/* ---- import of result files ---- */

static const char *fact(const struct result_file *f, const char *name)
{
	const char *value = result_fact(f, name);

	return value ? value : "";
}

static void import_run(struct samples_run *run, const struct result_file *f)
{
	*run = (struct samples_run){
		.date = f->date,
		.commit = fact(f, "copra_revision"),
		.dirty = strcmp(fact(f, "copra_dirty"), "1") == 0,
		.machine = fact(f, "copra_machine"),
		.host = fact(f, "host_name"),
		.build = fact(f, "copra_build"),
		.compiler = fact(f, "compiler"),
		.driver = fact(f, "gpu_driver"),
		.scale = fact(f, "copra_scale"),
		.device = fact(f, "copra_device"),
		.threads = atoi(fact(f, "copra_threads")),
	};
}

static int append(const char *history, const struct result_set *set, const char *source,
		  const char *sampling, size_t *added, struct err *e)
{
	struct samples_bench *bench = calloc(set->benches + 1, sizeof(*bench));
	const char *sanitizer = fact(&set->file[0], "sanitizer");
	struct samples_run run;
	size_t count = 0;
	int status;

	if (!bench)
		return err_set(e, ERR_MEMORY, "out of memory");
	import_run(&run, &set->file[0]);
	run.source = source;
	run.sampling = sampling;
	for (size_t i = 0; i < set->benches; i++) {
		const struct result_bench *b = &set->bench[i];
		bool timed = true;

		for (size_t k = 0; k < b->runs; k++)
			timed = timed && b->seconds[k] > 0;
		if (timed)
			bench[count++] = (struct samples_bench){ b->name, b->seconds, b->runs };
	}
	status = *sanitizer && strcmp(sanitizer, "none") != 0 ?
			 err_set(e, ERR_INPUT, "%s: times of a build with sanitizers are not added",
				 set->file[0].path) :
			 samples_append(history, &run, bench, count, added, e);
	free(bench);
	return status;
}

int entries_import(const char *history, const char *path, const char *source, const char *sampling,
		   size_t *added, struct err *e)
{
	struct results all = { .sets = 1, .set = calloc(1, sizeof(*all.set)) };
	int status;

	*added = 0;
	if (!all.set)
		return err_set(e, ERR_MEMORY, "out of memory");
	status = results_read(all.set, RESULTS_ROWS, path, "", e);
	if (status == 0)
		status = append(history, all.set, source, sampling, added, e);
	results_free(&all);
	return status;
}

/* ---- SQL ---- */

/* Two fields are renamed: `commit` is an SQL keyword, and `name` would be vague in a query. */
static const char tables[] =
	"PRAGMA user_version = 1;\n"
	"BEGIN;\n"
	"CREATE TABLE run (id TEXT, source TEXT, date TEXT, commit_id TEXT, machine TEXT,\n"
	"  host TEXT, build TEXT, compiler TEXT, driver TEXT, scale TEXT, device TEXT,\n"
	"  sampling TEXT, parameters TEXT, benchmark TEXT, line INTEGER PRIMARY KEY,\n"
	"  time INTEGER, dirty INTEGER, threads INTEGER, samples INTEGER, median REAL, least "
	"REAL);\n"
	"CREATE TABLE sample (line INTEGER REFERENCES run, position INTEGER, seconds REAL,\n"
	"  PRIMARY KEY (line, position)) WITHOUT ROWID;\n";
static const char indexes[] = "CREATE INDEX run_benchmark ON run (benchmark, machine, time);\n"
			      "CREATE INDEX run_commit ON run (commit_id);\n"
			      "COMMIT;\n";

static void put_text(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', out);
		putc(*text, out);
	}
	putc('\'', out);
}

static void put_number(FILE *out, double value)
{
	char text[40];

	jw_format_double(text, sizeof(text), value);
	fputs(text, out);
}

static void put_entry(FILE *out, const struct entry *x, size_t line)
{
	fputs("INSERT INTO run VALUES (", out);
#define PUT(member)                                                                                \
	put_text(out, x->member);                                                                  \
	putc(',', out);
	HISTORY_TEXTS(PUT)
#undef PUT
	fprintf(out, "%zu,%lld,%d,%d,%zu,", line, (long long)x->time, x->dirty, x->threads,
		x->samples);
	put_number(out, stat_median(x->seconds, x->samples));
	putc(',', out);
	put_number(out, stat_min(x->seconds, x->samples));
	fputs(");\nINSERT INTO sample VALUES ", out);
	for (size_t i = 0; i < x->samples; i++) {
		fprintf(out, "%s(%zu,%zu,", i ? "," : "", line, i);
		put_number(out, x->seconds[i]);
		putc(')', out);
	}
	fputs(";\n", out);
}

int entries_write_sql(FILE *out, const struct entries *all, struct err *e)
{
	fputs(tables, out);
	for (size_t i = 0; i < all->count; i++)
		put_entry(out, &all->entry[i], i + 1);
	fputs(indexes, out);
	if (fflush(out) != 0 || ferror(out))
		return err_set(e, ERR_IO, "cannot write SQL: %s", strerror(errno));
	return 0;
}
