/* The reader of plain matrices of times: a row a line, nothing but numbers. Cells are kept in an
 * array of the greatest size allowed until the number of rows is known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flowshop_make.h"
#include "text_reader.h"

/* Room for the longest row, 1000 times of 10 digits, with any usual alignment. */
enum { LINE_BYTES = 32768 };

struct matrix {
	bool rows_are_jobs;
	int32_t *cell; /* cell[row * columns + column] */
	int rows, columns;
	int64_t sum;
};

/* Cuts off the comment. Commas become blanks: each must stand between two numbers. */
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
	char name[64];
	int64_t time;
	int status;

	snprintf(name, sizeof(name), "time of job %d on machine %d",
		 m->rows_are_jobs ? m->rows : column, m->rows_are_jobs ? column : m->rows);
	status = text_number(r, s, &time, name, e);
	if (status)
		return status;
	status = flowshop_add_time(time, &m->sum, e);
	if (status)
		return err_prefix(e, "%s:%" PRId64, r->path, r->line);
	m->cell[m->rows * m->columns + column] = (int32_t)time;
	return 0;
}

/* The first row decides how long all others are. */
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
		return text_bad(r, e, "%d numbers, but %d in the first row", count, m->columns);
	if (!text_at_end(s))
		return m->rows ? text_bad(r, e, "more than the %d numbers of the first row",
					  m->columns) : too_many(r, !m->rows_are_jobs, e);
	m->rows++;
	return 0;
}

static int read_rows(struct text_reader *r, struct matrix *m, struct err *e)
{
	int status;

	while (!(status = text_next_line(r, e)) && !r->ended) {
		status = separate(r, e);
		if (!status && !text_at_end(r->text))
			status = read_row(r, m, e);
		if (status)
			return status;
	}
	if (!status && m->rows == 0)
		return err_set(e, ERR_INPUT, "%s: no number in the file", r->path);
	return status;
}

static int make_flowshop(struct flowshop *f, const struct matrix *m, const char *path,
			 struct err *e)
{
	int jobs = m->rows_are_jobs ? m->rows : m->columns;
	int machines = m->rows_are_jobs ? m->columns : m->rows;
	int status = flowshop_alloc(f, jobs, machines, e, "%s", text_base_name(path));

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

int flowshop_read_matrix(struct flowshop *f, const char *path, enum flowshop_format format,
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
		status = read_rows(&r, &m, e);
		text_close(&r);
	}
	if (!status)
		status = make_flowshop(f, &m, path, e);
	free(m.cell);
	return status;
}
