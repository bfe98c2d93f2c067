/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/data/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/text.h"

struct reader {
	const char *at;
	int line;
	const char *path;
	struct csv *csv;
};

static int bad(const struct reader *r, struct err *e, const char *what)
{
	return err_set(e, ERR_INPUT, "%s:%d: %s", r->path, r->line, what);
}

static int read_quoted(struct reader *r, struct text *field, struct err *e)
{
	int opened = r->line;
	for (r->at++;; r->at++) {
		if (!*r->at)
			return err_set(e, ERR_INPUT, "%s:%d: a quoted field has no closing quote",
				       r->path, opened);
		if (*r->at == '"' && r->at[1] != '"')
			break;
		if (*r->at == '"')
			r->at++;
		if (*r->at == '\n')
			r->line++;
		text_add_n(field, r->at, 1);
	}
	r->at++;
	if (*r->at && !strchr(",\r\n", *r->at))
		return bad(r, e, "text after the closing quote of a field");
	return 0;
}

static int read_field(struct reader *r, struct err *e)
{
	struct text field = { 0 };
	int status = 0;
	if (*r->at == '"')
		status = read_quoted(r, &field, e);
	while (!status && *r->at && !strchr(",\r\n", *r->at)) {
		if (*r->at == '"')
			status = bad(r, e, "a quote inside an unquoted field");
		text_add_n(&field, r->at++, 1);
	}
	if (!status)
		status = text_ok(&field, e);
	if (!status)
		status = array_grow((void **)&r->csv->cells, r->csv->count, sizeof(char *), e);
	if (!status)
		status = text_copy(&r->csv->cells[r->csv->count], text_get(&field), e);
	if (!status)
		r->csv->count++;
	text_free(&field);
	return status;
}

static int end_line(struct reader *r, struct err *e)
{
	if (*r->at == '\r' && r->at[1] == '\n')
		r->at++;
	if (*r->at == '\r')
		return bad(r, e, "a carriage return without a line feed");
	if (*r->at == '\n') {
		r->at++;
		r->line++;
	}
	return 0;
}

static int read_row(struct reader *r, struct err *e)
{
	struct csv *c = r->csv;
	size_t begin = c->count, row = c->columns ? c->rows + 1 : 0;
	int line = r->line;
	for (;;) {
		int status = read_field(r, e);
		if (status)
			return status;
		if (*r->at != ',')
			break;
		r->at++;
	}
	size_t fields = c->count - begin;
	if (row > 0 && fields != c->columns)
		return err_set(e, ERR_INPUT, "%s:%d: %zu fields, but the heading has %zu", r->path,
			       line, fields, c->columns);
	if (array_grow((void **)&c->lines, row, sizeof(int), e))
		return ERR_MEMORY;
	c->lines[row] = line;
	if (row == 0)
		c->columns = fields;
	else
		c->rows++;
	return end_line(r, e);
}

static int check_heading(const struct csv *c, struct err *e)
{
	if (!c->columns)
		return err_set(e, ERR_INPUT, "%s:1: no heading", c->path);
	for (size_t i = 0; i < c->columns; i++) {
		if (!c->cells[i][0])
			return err_set(e, ERR_INPUT, "%s:%d: column %zu has no name", c->path,
				       c->lines[0], i + 1);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(c->cells[i], c->cells[k]))
				return err_set(e, ERR_INPUT, "%s:%d: two columns named '%s'",
					       c->path, c->lines[0], c->cells[i]);
	}
	return 0;
}

int csv_read(struct csv *c, const char *path, struct err *e)
{
	struct text all;
	*c = (struct csv){ 0 };
	int status = text_load(&all, path, e);
	if (status)
		return status;
	struct reader r = { text_get(&all), 1, path, c };
	status = text_copy(&c->path, path, e);
	while (!status && *r.at) {
		if (*r.at == '#' || *r.at == '\n' || *r.at == '\r') {
			r.at += strcspn(r.at, "\r\n");
			status = end_line(&r, e);
		} else {
			status = read_row(&r, e);
		}
	}
	if (!status)
		status = check_heading(c, e);
	text_free(&all);
	if (status)
		csv_free(c);
	return status;
}

void csv_free(struct csv *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->cells[i]);
	free(c->cells);
	free(c->lines);
	free(c->path);
	*c = (struct csv){ 0 };
}

int csv_column(const struct csv *c, const char *name)
{
	for (size_t i = 0; i < c->columns; i++)
		if (!strcmp(c->cells[i], name))
			return (int)i;
	return -1;
}

static int find_columns(const struct csv *c, const char *const *names, int *column, struct err *e)
{
	for (int i = 0; names[i] && i < CSV_NAMED; i++) {
		bool optional = names[i][0] == '?';
		column[i] = csv_column(c, names[i] + optional);
		if (column[i] < 0 && !optional)
			return err_set(e, ERR_INPUT, "%s:%d: no column '%s'", c->path, c->lines[0],
				       names[i]);
	}
	return 0;
}

int csv_read_rows(const char *path, const char *const *names, csv_row *row, void *ctx,
		  struct err *e)
{
	struct csv c;
	int column[CSV_NAMED];
	if (access(path, F_OK) != 0)
		return 0;
	int status = csv_read(&c, path, e);
	if (!status)
		status = find_columns(&c, names, column, e);
	for (size_t r = 0; r < c.rows && !status; r++) {
		const char *cell[CSV_NAMED];
		for (int i = 0; names[i] && i < CSV_NAMED; i++)
			cell[i] = column[i] < 0 ? "" : csv_cell(&c, r, column[i]);
		if ((status = row(ctx, cell, e)))
			err_prefix(e, "%s:%d", path, c.lines[r + 1]);
	}
	csv_free(&c);
	return status;
}
