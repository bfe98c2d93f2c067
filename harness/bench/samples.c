/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/hash.h"
#include "harness/base/journal.h"
#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"

enum { HISTORY_SCHEMA = 1, ID_DIGITS = 16 };
/* The start of each line; the id follows. */
static const char line_head[] = "{\"id\": \"";

struct id_set {
	uint64_t *id;
	size_t count, capacity;
};

int samples_path(char *path, size_t size, struct err *e)
{
	const char *results = getenv("COPRA_RESULTS");
	int n = snprintf(path, size, "%s/history/history.jsonl",
			 results && *results ? results : "results/local");

	return n >= 0 && (size_t)n < size ?
		       0 :
		       err_set(e, ERR_USAGE, "COPRA_RESULTS: the path is too long");
}

static const char *known(const char *text)
{
	return text ? text : "";
}

static void write_run(struct json_writer *w, const struct samples_run *run)
{
	jw_string(w, "commit", known(run->commit));
	jw_bool(w, "dirty", run->dirty);
	jw_string(w, "machine", known(run->machine));
	jw_string(w, "host", known(run->host));
	jw_string(w, "build", known(run->build));
	jw_string(w, "compiler", known(run->compiler));
	jw_string(w, "driver", known(run->driver));
	jw_string(w, "scale", known(run->scale));
	jw_string(w, "device", known(run->device));
	jw_int(w, "threads", run->threads);
	jw_string(w, "sampling", known(run->sampling));
	jw_string(w, "parameters", known(run->parameters));
}

static void write_bench(struct json_writer *w, const struct samples_bench *b)
{
	jw_string(w, "name", b->name);
	jw_begin_array(w, "seconds");
	for (size_t i = 0; i < b->samples; i++)
		jw_double(w, NULL, b->seconds[i]);
	jw_end_array(w);
}

static int write_line(struct json_writer *w, uint64_t id, const char *date,
		      const struct samples_run *run, const struct samples_bench *b, struct err *e)
{
	char text[ID_DIGITS + 1];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	jw_begin_object(w, NULL);
	jw_string(w, "id", text);
	jw_int(w, "schema", HISTORY_SCHEMA);
	jw_string(w, "source", known(run->source));
	jw_string(w, "date", date);
	write_run(w, run);
	write_bench(w, b);
	jw_end_object(w);
	return jw_finish(w, e);
}

/* The hash of the line's text without id and date. */
static int line_id(uint64_t *id, const struct samples_run *run, const struct samples_bench *b,
		   struct err *e)
{
	struct json_writer w;
	int status;

	jw_to_buffer(&w, JSON_ONE_LINE);
	status = write_line(&w, 0, "", run, b, e);
	if (status == 0)
		*id = hash_text(HASH_INIT, w.data);
	jw_destroy(&w);
	return status;
}

static int check_bench(const struct samples_bench *b, struct err *e)
{
	if (!b->name || !*b->name)
		return err_set(e, ERR_INPUT, "history: a benchmark has no name");
	if (b->samples == 0)
		return err_set(e, ERR_INPUT, "history: %s has no samples", b->name);
	for (size_t i = 0; i < b->samples; i++)
		if (!isfinite(b->seconds[i]) || b->seconds[i] <= 0)
			return err_set(e, ERR_INPUT, "history: %s: sample %zu is not a valid time",
				       b->name, i + 1);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool has_id(const struct id_set *s, uint64_t id)
{
	return s->count && bsearch(&id, s->id, s->count, sizeof(id), by_value);
}

static int add_id(struct id_set *s, uint64_t id, struct err *e)
{
	if (s->count == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 256;
		uint64_t *larger = reallocarray(s->id, capacity, sizeof(*larger));

		if (!larger)
			return err_set(e, ERR_MEMORY, "out of memory");
		s->id = larger;
		s->capacity = capacity;
	}
	s->id[s->count++] = id;
	return 0;
}

/* Reads the ids of the file, sorted. Lines in another format are ignored. */
static int read_ids(struct journal *j, struct id_set *s, struct err *e)
{
	size_t cursor = 0;
	const char *line;
	int status = 0;

	while (status == 0 && (line = journal_next(j, &cursor)) != NULL) {
		uint64_t id;

		if (strncmp(line, line_head, sizeof(line_head) - 1) == 0 &&
		    sscanf(line + sizeof(line_head) - 1, "%16" SCNx64, &id) == 1)
			status = add_id(s, id, e);
	}
	if (s->count)
		qsort(s->id, s->count, sizeof(*s->id), by_value);
	return status;
}

/* Writes the lines that the file does not have yet to `batch`. */
static int write_batch(FILE *batch, const struct id_set *known_ids, const char *date,
		       const struct samples_run *run, const struct samples_bench *bench,
		       size_t count, size_t *added, struct err *e)
{
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++) {
		struct json_writer w;
		uint64_t id;

		status = line_id(&id, run, &bench[i], e);
		if (status || has_id(known_ids, id))
			continue;
		jw_to_file(&w, batch, JSON_ONE_LINE);
		status = write_line(&w, id, date, run, &bench[i], e);
		jw_destroy(&w);
		fputc('\n', batch);
		++*added;
	}
	return status;
}

/* Called under the lock: reads the ids, then appends the missing lines. */
static int append_missing(const char *path, const char *date, const struct samples_run *run,
			  const struct samples_bench *bench, size_t count, size_t *added,
			  struct err *e)
{
	struct journal *j = NULL;
	struct id_set ids = { 0 };
	char *text = NULL;
	size_t length = 0;
	FILE *batch = open_memstream(&text, &length);
	int status =
		batch ? journal_open(&j, path, true, e) : err_set(e, ERR_MEMORY, "out of memory");

	if (status == 0)
		status = read_ids(j, &ids, e);
	if (status == 0)
		status = write_batch(batch, &ids, date, run, bench, count, added, e);
	if (batch && (ferror(batch) | fclose(batch)) && status == 0)
		status = err_set(e, ERR_MEMORY, "out of memory");
	if (status == 0 && length)
		status = journal_append(j, text, length, e);
	free(text);
	free(ids.id);
	journal_close(j);
	return status;
}

/* Locks a separate file beside the history. */
static int lock(int *fd, const char *path, struct err *e)
{
	char name[PATH_MAX];
	int n = snprintf(name, sizeof(name), "%s.lock", path), status;

	if (n < 0 || (size_t)n >= sizeof(name))
		return err_set(e, ERR_USAGE, "%s: the path is too long", path);
	status = outfile_make_parent(name, e);
	if (status)
		return status;
	*fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0)
		return err_set(e, ERR_IO, "cannot open %s: %s", name, strerror(errno));
	while (flock(*fd, LOCK_EX)) {
		if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP)
			return 0; /* without locks, the journal refuses a second writer */
		if (errno != EINTR) {
			close(*fd);
			return err_set(e, ERR_IO, "cannot lock %s: %s", name, strerror(errno));
		}
	}
	return 0;
}

static const char *date_of(const struct samples_run *run, char *text, size_t size)
{
	time_t now = time(NULL);
	struct tm utc;

	if (run->date && *run->date)
		return run->date;
	text[0] = '\0';
	if (gmtime_r(&now, &utc))
		strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
	return text;
}

int samples_append(const char *path, const struct samples_run *run,
		   const struct samples_bench *bench, size_t count, size_t *added, struct err *e)
{
	char date[40];
	size_t lines = 0;
	int fd, status = 0;

	for (size_t i = 0; i < count && status == 0; i++)
		status = check_bench(&bench[i], e);
	if (status == 0)
		status = lock(&fd, path, e);
	if (status)
		return status;
	status = append_missing(path, date_of(run, date, sizeof(date)), run, bench, count, &lines,
				e);
	close(fd);
	if (added)
		*added = status ? 0 : lines;
	return status;
}
