/* The cells of a table on a machine, and the table that a page shows of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/absent.h"
#include "harness/report/format.h"
#include "harness/report/tables.h"

/* ---- filling ---- */

static int fill_cell(const struct table_column *column, struct pred_world *w,
		     const struct pred_value *key, struct table_cell *cell, struct err *e)
{
	struct pred_value v;
	int status = pred_eval(column->expression, w, key, 0, NULL, &v, e);
	if (status)
		return status;
	cell->value = v.missing ? NAN : v.number;
	if (v.missing || column->paper ||
	    !pred_interval(column->expression, w, key, &cell->low, &cell->high))
		cell->low = cell->high = cell->value;
	return 0;
}

struct filling {
	struct grid *g;
	struct pred_world *w;
};

/* Adds the row of this key unless all its cells are missing. */
static int add_row(void *ctx, const struct pred_value *key, struct err *e)
{
	struct filling *f = ctx;
	struct grid *g = f->g;
	const struct table *t = g->table;
	bool any = false;
	struct table_cell *cells = calloc(t->columns, sizeof(*cells));
	int status = cells ? 0 : err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->columns && !status; i++) {
		status = fill_cell(&t->column[i], f->w, key, &cells[i], e);
		any = any || !isnan(cells[i].value);
		g->measured = g->measured || (!t->column[i].paper && !isnan(cells[i].value));
	}
	if (!status && any)
		status = array_grow((void **)&g->key, g->rows, t->axes * sizeof(*key), e);
	if (!status && any)
		status = array_grow((void **)&g->cell, g->rows, t->columns * sizeof(*cells), e);
	if (!status && any) {
		memcpy(g->key + g->rows * t->axes, key, t->axes * sizeof(*key));
		memcpy(g->cell + g->rows * t->columns, cells, t->columns * sizeof(*cells));
		g->rows++;
	}
	free(cells);
	return status;
}

struct visit {
	const struct table *t;
	struct pred_world *w;
	grid_row *row;
	void *ctx;
	struct pred_value key[TABLE_AXES];
};

/* The product of the axes from `axis` on, by recursion over at most TABLE_AXES of them. */
static int visit_rows(struct visit *v, size_t axis, struct err *e)
{
	struct pred_value *members;
	size_t count;
	if (axis == TABLE_AXES || axis == v->t->axes)
		return v->row(v->ctx, v->key, e);
	int status = pred_eval_set(v->t->set[axis], v->w, v->key, &members, &count, e);
	if (status)
		return status;
	for (size_t i = 0; i < count && !status; i++) {
		v->key[axis] = members[i];
		status = visit_rows(v, axis + 1, e);
	}
	free(members);
	return status;
}

int grid_each_row(const struct table *t, struct pred_world *w, grid_row *row, void *ctx,
		  struct err *e)
{
	struct visit v = { .t = t, .w = w, .row = row, .ctx = ctx };
	return visit_rows(&v, 0, e);
}

int grid_fill(struct grid *g, const struct table *t, struct pred_world *w, struct err *e)
{
	struct filling f = { g, w };
	*g = (struct grid){ .table = t };
	int status = grid_each_row(t, w, add_row, &f, e);
	if (status)
		grid_free(g);
	return status;
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; g->absent && i < g->table->columns; i++)
		free(g->absent[i]);
	free(g->absent);
	free(g->key);
	free(g->cell);
	*g = (struct grid){ 0 };
}

/* ---- as a table ---- */

bool grid_column_is_empty(const struct grid *g, size_t column)
{
	for (size_t row = 0; row < g->rows; row++)
		if (!isnan(g->cell[row * g->table->columns + column].value))
			return false;
	return true;
}

void grid_key_text(char *out, size_t size, const struct pred_value *key)
{
	if (key->type == PRED_TEXT)
		snprintf(out, size, "%s", key->text);
	else
		snprintf(out, size, "%.15g", key->number);
}

static int put_cell(struct sheet *s, size_t row, size_t at, const struct table_column *column,
		    const struct table_cell *cell, struct err *e)
{
	char shown[64], low[64], high[64], hint[160], exact[32];
	struct sheet_cell *out = sheet_at(s, row, at);
	out->mark = column->paper ? "paper" : NULL;
	if (isnan(cell->value)) {
		int status = text_copy(&out->exact, "", e);
		return status ? status : sheet_put(s, row, at, "", e);
	}
	format_number(shown, sizeof(shown), column->format, cell->value);
	snprintf(exact, sizeof(exact), "%.9g", cell->value);
	int status = sheet_put(s, row, at, shown, e);
	if (!status)
		status = text_copy(&out->exact, exact, e);
	if (status || cell->low == cell->high)
		return status;
	format_number(low, sizeof(low), column->format, cell->low);
	format_number(high, sizeof(high), column->format, cell->high);
	snprintf(hint, sizeof(hint), "95 %% interval: %s to %s", low, high);
	return text_copy(&out->hint, hint, e);
}

static int put_row(const struct grid *g, struct sheet *s, size_t row, const size_t *shown,
		   struct err *e)
{
	const struct table *t = g->table;
	char key[PRED_TEXT_MAX];
	int status = 0;
	for (size_t i = 0; i < t->axes && !status; i++) {
		const struct pred_value *v = &g->key[row * t->axes + i];
		grid_key_text(key, sizeof(key), v);
		status = text_copy(&sheet_at(s, row, i)->exact, key, e);
		if (v->type == PRED_NUMBER)
			format_grouped(key, sizeof(key), v->number);
		if (!status)
			status = sheet_put(s, row, i, key, e);
	}
	for (size_t i = t->axes; i < s->columns && !status; i++)
		status = put_cell(s, row, i, &t->column[shown[i - t->axes]],
				  &g->cell[row * t->columns + shown[i - t->axes]], e);
	return status;
}

static int put_headings(const struct grid *g, struct sheet *s, const size_t *shown, struct err *e)
{
	const struct table *t = g->table;
	int status = 0;
	for (size_t i = 0; i < s->columns && !status; i++)
		status = i < t->axes ? sheet_heading(s, i, t->axis_heading[i],
						     t->variable[i].type == PRED_TEXT, e) :
				       sheet_heading(s, i, t->column[shown[i - t->axes]].heading,
						     false, e);
	return status;
}

int grid_sheet(const struct grid *g, struct sheet *s, struct text *absent, struct err *e)
{
	const struct table *t = g->table;
	size_t count = 0, *shown = calloc(t->columns, sizeof(*shown));
	if (!shown)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->columns; i++) {
		if (!grid_column_is_empty(g, i))
			shown[count++] = i;
	}
	grid_untested(g, absent);
	int status = sheet_create(s, t->title, t->axes + count, g->rows, e);
	if (!status) {
		status = put_headings(g, s, shown, e);
		for (size_t row = 0; row < g->rows && !status; row++)
			status = put_row(g, s, row, shown, e);
		if (status)
			sheet_free(s);
	}
	free(shown);
	return status;
}
