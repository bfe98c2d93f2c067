/* The reader of plain matrices of times: a row a line, nothing but numbers. Cells are kept in an
 * array of the greatest size allowed until the number of rows is known.
 *
 * A first line of two numbers may be a header that states the size. It is read as a row first. If
 * the second line shows that it can be a header, it is taken out of the matrix (struct header), and
 * the end of the file decides. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/flowshop/flowshop_make.h"
#include "harness/base/text_reader.h"

/* Room for the longest row, 1000 times of 10 digits, with any usual alignment. */
enum { LINE_BYTES = 32768 };

struct header {
	bool held;    /* the first line is here and not in the matrix */
	int64_t line; /* its number */
	int32_t rows, columns;
};

struct matrix {
	bool rows_are_jobs;
	int32_t *cell; /* cell[row * columns + column] */
	int rows, columns;
	int64_t sum;
	struct header header;
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
	int row = m->rows + (m->header.held && m->columns == 2), status;
	char name[64];
	int64_t time;

	snprintf(name, sizeof(name), "time of job %d on machine %d",
		 m->rows_are_jobs ? row : column, m->rows_are_jobs ? column : row);
	status = text_number(r, s, &time, name, e);
	if (status)
		return status;
	status = flowshop_add_time(time, &m->sum, e);
	if (status)
		return err_prefix(e, "%s:%" PRId64, r->path, r->line);
	m->cell[m->rows * m->columns + column] = (int32_t)time;
	return 0;
}

/* Numbers on the line, as far as blanks tell. */
static int count_numbers(const char *s)
{
	int count = 0;

	while (*(s += strspn(s, " \t\r"))) {
		s += strcspn(s, " \t\r");
		count++;
	}
	return count;
}

/* On the second line: holds the first one back if it states this line's length. */
static int hold_header(struct text_reader *r, struct matrix *m, struct err *e)
{
	int count = count_numbers(r->text);

	if (m->cell[0] != count && m->cell[1] != count)
		return count <= 2 ? 0 :
				    text_bad(r, e,
					     "more than the 2 numbers of the first row, "
					     "which is not the size of the matrix either");
	m->header.held = true;
	m->header.rows = m->cell[0];
	m->header.columns = m->cell[1];
	m->rows = 0;
	m->columns = count;
	m->sum = 0;
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
					  m->columns) :
				 too_many(r, !m->rows_are_jobs, e);
	m->rows++;
	return 0;
}

/* Puts the line that was held back in front of the others. */
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
		status = flowshop_add_time(first[i], &m->sum, e);
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

/* At the end of the file: was the first line a header, a row of two, or wrong? */
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

static int read_line(struct text_reader *r, struct matrix *m, struct err *e)
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

static int read_rows(struct text_reader *r, struct matrix *m, struct err *e)
{
	int status;

	while (!(status = text_next_line(r, e)) && !r->ended)
		if ((status = read_line(r, m, e)))
			return status;
	if (!status && m->rows == 0)
		return err_set(e, ERR_INPUT, "%s: no number in the file", r->path);
	return status ? status : settle_header(r, m, e);
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
