/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/flowshop/flowshop.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/hash.h"
#include "harness/base/outfile.h"
#include "harness/base/rng.h"
#include "harness/base/text_reader.h"

/* Allocates an instance with all times 0. `format` makes its name. */
__attribute__((format(printf, 5, 6))) static int
make(struct flowshop *f, int64_t jobs, int64_t machines, struct err *e, const char *format, ...)
{
	va_list ap;

	*f = (struct flowshop){ .jobs = 0 };
	if (jobs < 1 || jobs > FLOWSHOP_MAX_JOBS)
		return err_set(e, ERR_INPUT, "number of jobs %" PRId64 " is not in 1..%d", jobs,
			       FLOWSHOP_MAX_JOBS);
	if (machines < 1 || machines > FLOWSHOP_MAX_MACHINES)
		return err_set(e, ERR_INPUT, "number of machines %" PRId64 " is not in 1..%d",
			       machines, FLOWSHOP_MAX_MACHINES);
	f->time = calloc((size_t)(jobs * machines), sizeof(*f->time));
	if (!f->time)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " x %" PRId64 " times", jobs,
			       machines);
	f->jobs = (int)jobs;
	f->machines = (int)machines;
	va_start(ap, format);
	vsnprintf(f->name, sizeof(f->name), format, ap);
	va_end(ap);
	return 0;
}

/* Adds a time to *sum. ERR_INPUT (without file and line) if either does not fit in 31 bits. */
static int add_time(int64_t time, int64_t *sum, struct err *e)
{
	if (time > INT32_MAX)
		return err_set(e, ERR_INPUT, "a time does not fit in 31 bits");
	*sum += time;
	if (*sum > INT32_MAX)
		return err_set(e, ERR_INPUT, "the sum of the times does not fit in 31 bits");
	return 0;
}

static int put_time(struct flowshop *f, int machine, int job, int64_t time, int64_t *sum,
		    struct err *e)
{
	int status = add_time(time, sum, e);

	if (!status)
		f->time[machine * f->jobs + job] = (int32_t)time;
	return status;
}

void flowshop_free(struct flowshop *f)
{
	free(f->time);
	*f = (struct flowshop){ .jobs = 0 };
}

uint64_t flowshop_hash(const struct flowshop *f)
{
	size_t count = (size_t)f->jobs * (size_t)f->machines;
	uint64_t h = hash_u64(HASH_INIT, (uint64_t)f->jobs);

	h = hash_u64(h, (uint64_t)f->machines);
	return hash_bytes(h, f->time, count * sizeof(*f->time));
}

/* ---- generators ---- */

/* Taillard's time is 1 + floor(99 s / m), with s / m in floating point. 99 s / m is never closer
 * than 1/m to the next integer above it, so integer arithmetic gives the same result. */
static int32_t taillard_time(int64_t *seed)
{
	const int64_t m = 2147483647, a = 16807, b = 127773, c = 2836;
	int64_t k = *seed / b;

	*seed = a * (*seed % b) - k * c;
	if (*seed < 0)
		*seed += m;
	return (int32_t)(1 + *seed * 99 / m);
}

/* Taillard's generator (1993): Bratley, Fox, Schrage's LCG, machine by machine, times 1..99.
 * 1 <= seed <= 2^31 - 2. */
static int generate_taillard(struct flowshop *f, int jobs, int machines, int64_t seed,
			     struct err *e)
{
	int64_t state = seed, sum = 0;
	int status = make(f, jobs, machines, e, "taillard-%dx%d-s%" PRId64, jobs, machines, seed);

	if (status)
		return status;
	if (seed < 1 || seed > INT32_MAX - 1) {
		flowshop_free(f);
		return err_set(e, ERR_INPUT, "seed %" PRId64 " is not in 1..2147483646", seed);
	}
	for (int k = 0; k < machines && !status; k++)
		for (int j = 0; j < jobs && !status; j++)
			status = put_time(f, k, j, taillard_time(&state), &sum, e);
	if (status)
		flowshop_free(f);
	return status;
}

/* Whether there are only digits, 'x' and colons: sscanf would also accept signs and spaces. */
static bool plain(const char *parameters)
{
	return parameters[strspn(parameters, "0123456789x:")] == '\0';
}

static int make_taillard(struct flowshop *f, const char *parameters, struct err *e)
{
	int jobs, machines, used = 0;
	int64_t seed;

	if (!plain(parameters) ||
	    sscanf(parameters, "%9dx%9d:%18" SCNd64 "%n", &jobs, &machines, &seed, &used) < 3 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "taillard:%s: expected taillard:JOBSxMACHINES:SEED",
			       parameters);
	if (generate_taillard(f, jobs, machines, seed, e))
		return err_prefix(e, "taillard:%s", parameters);
	return 0;
}

static int fill_random(struct flowshop *f, int64_t max, uint64_t seed, struct err *e)
{
	struct rng r = rng_seeded(seed);
	int64_t sum = 0;
	int status = 0;

	for (int k = 0; k < f->machines && !status; k++)
		for (int j = 0; j < f->jobs && !status; j++)
			status = put_time(f, k, j, rng_between(&r, 1, max), &sum, e);
	if (status)
		flowshop_free(f);
	return status;
}

static int make_random(struct flowshop *f, const char *parameters, struct err *e)
{
	int jobs, machines, used = 0, status;
	uint64_t seed = 1;
	int64_t max = 0;

	if (!plain(parameters) ||
	    sscanf(parameters, "%9dx%9d:%18" SCNd64 "%n:%19" SCNu64 "%n", &jobs, &machines, &max,
		   &used, &seed, &used) < 3 ||
	    used != (int)strlen(parameters) || max < 1)
		return err_set(e, ERR_INPUT,
			       "random:%s: expected random:JOBSxMACHINES:MAXTIME"
			       "[:SEED] with MAXTIME >= 1",
			       parameters);
	status = make(f, jobs, machines, e, "random-%dx%d-max%" PRId64 "-s%" PRIu64, jobs, machines,
		      max, seed);
	if (!status)
		status = fill_random(f, max, seed, e);
	return status ? err_prefix(e, "random:%s", parameters) : 0;
}

/* ---- Taillard's and VFR files ---- */

/* Jobs and machines are checked against the limits before anything is allocated for them. */

/* Enough for the longest row, 1000 times of 10 digits, with any usual alignment. */
enum { LINE_BYTES = 32768 };

/* Reads a line that must exist; `what` names it in the error message. */
static int needed_line(struct text_reader *r, const char *what, struct err *e)
{
	int status = text_next_line(r, e);

	if (!status && r->ended)
		return text_bad(r, e, "the file ends before %s", what);
	return status;
}

static int read_size(struct text_reader *r, const char **s, struct flowshop *f, struct err *e)
{
	int64_t jobs, machines;
	int status;

	if ((status = text_number(r, s, &jobs, "number of jobs", e)) ||
	    (status = text_number(r, s, &machines, "number of machines", e)))
		return status;
	status = make(f, jobs, machines, e, "%s", text_base_name(r->path));
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

static int read_time(struct text_reader *r, const char **s, struct flowshop *f, int machine,
		     int job, int64_t *sum, struct err *e)
{
	char name[64];
	int64_t time;
	int status;

	snprintf(name, sizeof(name), "time of job %d on machine %d", job, machine);
	if ((status = text_number(r, s, &time, name, e)))
		return status;
	status = put_time(f, machine, job, time, sum, e);
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

/* Reads what follows the line of words: the numbers, "processing times :", one row per machine. */
static int read_taillard(struct text_reader *r, struct flowshop *f, struct err *e)
{
	static const char *const others[] = { "seed", "upper bound", "lower bound" };
	static const char title[] = "processing times";
	const char *s = r->text;
	int64_t unused, sum = 0;
	int status = needed_line(r, "the line of jobs and machines", e);

	if (!status)
		status = read_size(r, &s, f, e);
	for (int i = 0; i < 3 && !status; i++)
		status = text_number(r, &s, &unused, others[i], e);
	if (!status && !text_at_end(s))
		status = text_bad(r, e, "unexpected text after the sizes, seed and bounds");
	if (!status)
		status = needed_line(r, "the processing times", e);
	s = r->text + strspn(r->text, " \t");
	if (!status && strncasecmp(s, title, sizeof(title) - 1) != 0)
		status = text_bad(r, e, "expected the line \"%s :\"", title);
	for (int k = 0; k < f->machines && !status; k++) {
		status = needed_line(r, "the row of every machine", e);
		s = r->text;
		for (int j = 0; j < f->jobs && !status; j++)
			status = read_time(r, &s, f, k, j, &sum, e);
		if (!status && !text_at_end(s))
			status = text_bad(r, e, "unexpected text after the times of all jobs");
	}
	return status;
}

static int read_pair(struct text_reader *r, const char **s, struct flowshop *f, int machine,
		     int job, int64_t *sum, struct err *e)
{
	int64_t index;
	int status = text_number(r, s, &index, "machine", e);

	if (!status && index != machine)
		return text_bad(r, e, "machine %" PRId64 " is out of order: expected %d", index,
				machine);
	return status ? status : read_time(r, s, f, machine, job, sum, e);
}

/* The first line has been read: "jobs machines". Then one row per job of pairs "machine time". */
static int read_vfr(struct text_reader *r, struct flowshop *f, struct err *e)
{
	const char *s = r->text;
	int64_t sum = 0;
	int status = read_size(r, &s, f, e);

	if (!status && !text_at_end(s))
		status = text_bad(r, e, "unexpected text after jobs and machines");
	for (int j = 0; j < f->jobs && !status; j++) {
		status = needed_line(r, "the row of every job", e);
		s = r->text;
		for (int k = 0; k < f->machines && !status; k++)
			status = read_pair(r, &s, f, k, j, &sum, e);
		if (!status && !text_at_end(s))
			status = text_bad(r, e, "unexpected text after the times of all machines");
	}
	return status;
}

static int read_all(struct text_reader *r, struct flowshop *f, struct err *e)
{
	const char *s;
	int status = text_next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return err_set(e, ERR_INPUT, "%s: the file is empty", r->path);
	s = r->text + strspn(r->text, " \t");
	status = isalpha((unsigned char)*s) ? read_taillard(r, f, e) : read_vfr(r, f, e);
	if (!status)
		status = text_next_line(r, e);
	if (!status && !r->ended)
		status = text_bad(r, e, "unexpected text after the instance");
	return status;
}

static int read_file(struct flowshop *f, const char *path, struct err *e)
{
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*f = (struct flowshop){ .jobs = 0 };
	if ((status = text_open(&r, path, buffer, sizeof(buffer), e)))
		return status;
	status = read_all(&r, f, e);
	text_close(&r);
	if (status)
		flowshop_free(f);
	return status;
}

/* ---- plain matrices ---- */

/* The cells are kept in an array of the largest allowed size until the number of rows is known.
 *
 * A first line of two numbers may be a header that states the size. It is first read as a row. If
 * the second line shows that it can be a header, it is removed from the matrix and kept in struct
 * header, and the decision is made at the end of the file. */

struct header {
	bool held;    /* the first line is stored here and not in the matrix */
	int64_t line; /* its line number */
	int32_t rows, columns;
};

struct matrix {
	bool rows_are_jobs;
	int32_t *cell; /* cell[row * columns + column] */
	int rows, columns;
	int64_t sum;
	struct header header;
};

/* Removes the comment and replaces commas by blanks. Each comma must be between two numbers. */
static int separate(struct text_reader *r, struct err *e)
{
	bool number = false, comma = false;

	r->text[strcspn(r->text, "#")] = '\0';
	for (char *s = r->text; *s; s++) {
		if (*s != ',') {
			number = number || !strchr(" \t\r", *s);
			continue;
		}
		if (!number)
			return text_bad(r, e, "a number is missing before a comma");
		*s = ' ';
		comma = true;
		number = false;
	}
	return comma && !number ? text_bad(r, e, "a number is missing after the last comma") : 0;
}

static int too_many(const struct text_reader *r, bool jobs, struct err *e)
{
	return jobs ? text_bad(r, e, "more than %d jobs", FLOWSHOP_MAX_JOBS) :
		      text_bad(r, e, "more than %d machines", FLOWSHOP_MAX_MACHINES);
}

static int most(bool jobs)
{
	return jobs ? FLOWSHOP_MAX_JOBS : FLOWSHOP_MAX_MACHINES;
}

static int read_cell(struct text_reader *r, const char **s, struct matrix *m, int column,
		     struct err *e)
{
	int row = m->rows + (m->header.held && m->columns == 2), status;
	char name[64];
	int64_t time;

	snprintf(name, sizeof(name), "time of job %d on machine %d",
		 m->rows_are_jobs ? row : column, m->rows_are_jobs ? column : row);
	status = text_number(r, s, &time, name, e);
	if (status)
		return status;
	status = add_time(time, &m->sum, e);
	if (status)
		return err_prefix(e, "%s:%" PRId64, r->path, r->line);
	m->cell[m->rows * m->columns + column] = (int32_t)time;
	return 0;
}

/* The number of words on the line. */
static int count_numbers(const char *s)
{
	int count = 0;

	while (*(s += strspn(s, " \t\r"))) {
		s += strcspn(s, " \t\r");
		count++;
	}
	return count;
}

/* Called at the second line: removes the first line from the matrix if it states this line's
 * length. */
static int hold_header(struct text_reader *r, struct matrix *m, struct err *e)
{
	int count = count_numbers(r->text);

	if (m->cell[0] != count && m->cell[1] != count)
		return count <= 2 ? 0 :
				    text_bad(r, e,
					     "more than the 2 numbers of the first row, "
					     "which does not match as a header either");
	m->header.held = true;
	m->header.rows = m->cell[0];
	m->header.columns = m->cell[1];
	m->rows = 0;
	m->columns = count;
	m->sum = 0;
	return 0;
}

/* The first row determines the length of the others. */
static int read_row(struct text_reader *r, struct matrix *m, struct err *e)
{
	const char *s = r->text;
	int limit = m->rows ? m->columns : most(!m->rows_are_jobs), count = 0, status = 0;

	if (m->rows == most(m->rows_are_jobs))
		return too_many(r, m->rows_are_jobs, e);
	for (; !status && !text_at_end(s) && count < limit; count++)
		status = read_cell(r, &s, m, count, e);
	if (status)
		return status;
	if (m->rows == 0)
		m->columns = count;
	if (count < m->columns)
		return text_bad(r, e, "%d numbers, but the first row has %d", count, m->columns);
	if (!text_at_end(s))
		return m->rows ? text_bad(r, e, "more than the %d numbers of the first row",
					  m->columns) :
				 too_many(r, !m->rows_are_jobs, e);
	m->rows++;
	return 0;
}

/* Inserts the line that was removed in front of the others. */
static int return_header(struct text_reader *r, struct matrix *m, struct err *e)
{
	int32_t first[2] = { m->header.rows, m->header.columns };
	int status = 0;

	if (m->rows == most(m->rows_are_jobs))
		return too_many(r, m->rows_are_jobs, e);
	memmove(m->cell + 2, m->cell, (size_t)m->rows * 2 * sizeof(*m->cell));
	memcpy(m->cell, first, sizeof(first));
	m->rows++;
	for (int i = 0; i < 2 && !status; i++)
		status = add_time(first[i], &m->sum, e);
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

/* At the end of the file: decides whether the first line is a header, a row of two, or wrong. */
static int settle_header(struct text_reader *r, struct matrix *m, struct err *e)
{
	const struct header *h = &m->header;
	bool exact = h->rows == m->rows && h->columns == m->columns;
	bool reverse = h->rows == m->columns && h->columns == m->rows;
	bool square = m->rows == 1 && m->columns == 2; /* with the first line, 2 x 2 */
	char row[96];

	if (!h->held || (exact && !square))
		return 0;
	r->line = h->line;
	if (m->columns == 2 && (square || !reverse))
		return return_header(r, m, e);
	snprintf(row, sizeof(row),
		 "; correct or remove it, or, if it is a row, put the line "
		 "\"%d 2\" before it",
		 m->rows + 1);
	return text_bad(r, e, "the header says %d x %d, but the matrix below it is %d x %d%s",
			h->rows, h->columns, m->rows, m->columns,
			!reverse        ? "" :
			m->columns == 2 ? row :
					  "; correct or remove it, and check --format");
}

static int read_matrix_line(struct text_reader *r, struct matrix *m, struct err *e)
{
	int status = separate(r, e);

	if (status || text_at_end(r->text))
		return status;
	if (m->rows == 0 && !m->header.held)
		m->header.line = r->line;
	if (m->rows == 1 && m->columns == 2 && !m->header.held)
		status = hold_header(r, m, e);
	return status ? status : read_row(r, m, e);
}

static int read_matrix_rows(struct text_reader *r, struct matrix *m, struct err *e)
{
	int status;

	while (!(status = text_next_line(r, e)) && !r->ended)
		if ((status = read_matrix_line(r, m, e)))
			return status;
	if (!status && m->rows == 0)
		return err_set(e, ERR_INPUT, "%s: the file contains no numbers", r->path);
	return status ? status : settle_header(r, m, e);
}

static int make_flowshop(struct flowshop *f, const struct matrix *m, const char *path,
			 struct err *e)
{
	int jobs = m->rows_are_jobs ? m->rows : m->columns;
	int machines = m->rows_are_jobs ? m->columns : m->rows;
	int status = make(f, jobs, machines, e, "%s", text_base_name(path));

	if (status)
		return status;
	for (int row = 0; row < m->rows; row++)
		for (int column = 0; column < m->columns; column++) {
			int job = m->rows_are_jobs ? row : column;
			int machine = m->rows_are_jobs ? column : row;

			f->time[machine * jobs + job] = m->cell[row * m->columns + column];
		}
	return 0;
}

static int read_matrix_file(struct flowshop *f, const char *path, enum flowshop_format format,
			    struct err *e)
{
	struct matrix m = { .rows_are_jobs = format == FLOWSHOP_JOBS_BY_MACHINES };
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*f = (struct flowshop){ .jobs = 0 };
	m.cell = malloc(sizeof(*m.cell) * FLOWSHOP_MAX_JOBS * FLOWSHOP_MAX_MACHINES);
	if (!m.cell)
		return err_set(e, ERR_MEMORY, "no memory to read %s", path);
	status = text_open(&r, path, buffer, sizeof(buffer), e);
	if (!status) {
		status = read_matrix_rows(&r, &m, e);
		text_close(&r);
	}
	if (!status)
		status = make_flowshop(f, &m, path, e);
	free(m.cell);
	return status;
}

/* ---- known names and files ---- */

static int load_known(struct flowshop *f, const struct flowshop_known *known, struct err *e)
{
	int status = generate_taillard(f, known->jobs, known->machines, known->seed, e);

	if (!status)
		snprintf(f->name, sizeof(f->name), "%s", known->name);
	return status;
}

static const char taillard_prefix[] = "taillard:", random_prefix[] = "random:";

/* The text after the prefix, or NULL if the name does not begin with it. */
static const char *behind(const char *prefix, const char *name)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

bool flowshop_is_name(const char *name)
{
	return flowshop_known(name) || behind(taillard_prefix, name) || behind(random_prefix, name);
}

int flowshop_load(struct flowshop *f, const char *name_or_file, struct err *e)
{
	const struct flowshop_known *known = flowshop_known(name_or_file);
	const char *parameters;

	*f = (struct flowshop){ 0 };
	if (known)
		return load_known(f, known, e);
	if ((parameters = behind(taillard_prefix, name_or_file)))
		return make_taillard(f, parameters, e);
	if ((parameters = behind(random_prefix, name_or_file)))
		return make_random(f, parameters, e);
	return read_file(f, name_or_file, e);
}

const char *const flowshop_format_words[] = { "auto", "jobs-by-machines", "machines-by-jobs",
					      NULL };

int flowshop_load_as(struct flowshop *f, const char *name_or_file, enum flowshop_format format,
		     struct err *e)
{
	if (format == FLOWSHOP_AUTO)
		return flowshop_load(f, name_or_file, e);
	*f = (struct flowshop){ 0 };
	if (flowshop_is_name(name_or_file))
		return err_set(e, ERR_USAGE, "--format %s: %s is a known instance, not a file",
			       flowshop_format_words[format], name_or_file);
	return read_matrix_file(f, name_or_file, format, e);
}

int flowshop_make(struct flowshop *f, const char *name, int jobs, int machines, const int32_t *time,
		  struct err *e)
{
	int64_t sum = 0;
	int status;

	*f = (struct flowshop){ .jobs = 0 };
	status = make(f, jobs, machines, e, "%s", name);
	for (int i = 0; !status && i < jobs * machines; i++)
		status = time[i] < 0 ? err_set(e, ERR_INPUT,
					       "the time of job %d on machine %d is negative",
					       i % jobs, i / jobs) :
				       put_time(f, i / jobs, i % jobs, time[i], &sum, e);
	if (status)
		flowshop_free(f);
	return status;
}

void flowshop_print(const struct flowshop *f, FILE *s)
{
	const struct flowshop_known *known = flowshop_known(f->name);

	fprintf(s,
		"number of jobs, number of machines, initial seed, upper bound and lower "
		"bound :\n"
		"%d %d %d %d %d\nprocessing times :\n",
		f->jobs, f->machines, known ? known->seed : 0, known ? known->upper : 0,
		known ? known->lower : 0);
	for (int k = 0; k < f->machines; k++)
		for (int j = 0; j < f->jobs; j++)
			fprintf(s, "%" PRId32 "%c", f->time[k * f->jobs + j],
				j + 1 < f->jobs ? ' ' : '\n');
}

int flowshop_write(const struct flowshop *f, const char *path, struct err *e)
{
	struct outfile *out;
	int status = outfile_open(&out, path, e);

	if (status)
		return status;
	flowshop_print(f, outfile_stream(out));
	return outfile_commit(out, e);
}

const struct flowshop_known *flowshop_known_of(const struct flowshop *f)
{
	const struct flowshop_known *k = flowshop_known(f->name);
	struct flowshop made;
	bool same;

	if (!k || generate_taillard(&made, k->jobs, k->machines, k->seed, NULL))
		return NULL;
	same = made.jobs == f->jobs && made.machines == f->machines &&
	       memcmp(made.time, f->time,
		      sizeof(*f->time) * (size_t)f->jobs * (size_t)f->machines) == 0;
	flowshop_free(&made);
	return same ? k : NULL;
}
