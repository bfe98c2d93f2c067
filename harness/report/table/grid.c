/* Evaluates the cells of a table on a machine, explains empty columns, and formats the table. */
#include "harness/report/table/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/data/names.h"
#include "harness/report/format.h"

/* ---- filling ---- */

static int fill_cell(const struct table_column *column, struct expr_world *w,
		     const struct expr_value *key, struct table_cell *cell, struct err *e)
{
	struct expr_value v;
	int status = expr_eval(column->expression, w, key, 0, NULL, &v, e);
	if (status)
		return status;
	cell->value = v.missing ? NAN : v.number;
	if (v.missing || column->paper ||
	    !expr_interval(column->expression, w, key, &cell->low, &cell->high))
		cell->low = cell->high = cell->value;
	return 0;
}

struct filling {
	struct grid *g;
	struct expr_world *w;
};

/* Adds the row with this key unless all its cells are missing. */
static int add_row(void *ctx, const struct expr_value *key, struct err *e)
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

/* Called with the values of the row variables. */
typedef int grid_row(void *ctx, const struct expr_value *key, struct err *e);

struct visit {
	const struct table *t;
	struct expr_world *w;
	grid_row *row;
	void *ctx;
	struct expr_value key[TABLE_AXES];
};

/* Visits all combinations of the axes from `axis` on. The recursion is at most TABLE_AXES deep. */
static int visit_rows(struct visit *v, size_t axis, struct err *e)
{
	struct expr_value *members;
	size_t count;
	if (axis == TABLE_AXES || axis == v->t->axes)
		return v->row(v->ctx, v->key, e);
	int status = expr_eval_set(v->t->set[axis], v->w, v->key, &members, &count, e);
	if (status)
		return status;
	for (size_t i = 0; i < count && !status; i++) {
		v->key[axis] = members[i];
		status = visit_rows(v, axis + 1, e);
	}
	free(members);
	return status;
}

/* Calls `row` for every row of the table over this world. */
static int each_row(const struct table *t, struct expr_world *w, grid_row *row, void *ctx,
		    struct err *e)
{
	struct visit v = { .t = t, .w = w, .row = row, .ctx = ctx };
	return visit_rows(&v, 0, e);
}

int grid_fill(struct grid *g, const struct table *t, struct expr_world *w, struct err *e)
{
	struct filling f = { g, w };
	*g = (struct grid){ .table = t };
	int status = each_row(t, w, add_row, &f, e);
	if (status)
		grid_free(g);
	return status;
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; g->missing && i < g->table->columns; i++)
		free(g->missing[i]);
	free(g->missing);
	free(g->key);
	free(g->cell);
	*g = (struct grid){ 0 };
}

/* ---- as a sheet ---- */

bool grid_column_is_empty(const struct grid *g, size_t column)
{
	for (size_t row = 0; row < g->rows; row++)
		if (!isnan(g->cell[row * g->table->columns + column].value))
			return false;
	return true;
}

void grid_key_text(char *out, size_t size, const struct expr_value *key)
{
	if (key->type == EXPR_TEXT)
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
	char key[EXPR_TEXT_MAX];
	int status = 0;
	for (size_t i = 0; i < t->axes && !status; i++) {
		const struct expr_value *v = &g->key[row * t->axes + i];
		grid_key_text(key, sizeof(key), v);
		status = text_copy(&sheet_at(s, row, i)->exact, key, e);
		if (v->type == EXPR_NUMBER)
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
						     t->variable[i].type == EXPR_TEXT, e) :
				       sheet_heading(s, i, t->column[shown[i - t->axes]].heading,
						     false, e);
	return status;
}

int grid_sheet(const struct grid *g, struct sheet *s, struct text *missing, struct err *e)
{
	const struct table *t = g->table;
	size_t count = 0, *shown = calloc(t->columns, sizeof(*shown));
	if (!shown)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->columns; i++) {
		if (!grid_column_is_empty(g, i))
			shown[count++] = i;
	}
	grid_missing(g, missing);
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

/* ---- why columns are empty ---- */

/* The maximum number of reasons shown per column. The appendix lists all skipped benchmarks. */
enum { REASONS = 3 };

/* A copy of the results in which skipped benchmarks have a row without a time. Sets that depend on
 * the measured rows then also contain the rows that were skipped. */
struct complete {
	struct result_set set;
	struct expr_world *w;
};

static double no_time[] = { NAN };

static void complete_destroy(struct complete *g)
{
	expr_world_destroy(g->w);
	free(g->set.bench);
}

static int complete_create(struct complete *g, const struct result_set *set,
			   const struct expr_printed *printed, struct err *e)
{
	*g = (struct complete){ .set = *set };
	g->set.bench = calloc(set->benches + set->skips + 1, sizeof(*g->set.bench));
	if (!g->set.bench)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < set->benches; i++)
		g->set.bench[i] = set->bench[i];
	for (size_t i = 0; i < set->skips; i++)
		g->set.bench[g->set.benches++] = (struct result_bench){ .name = set->skip[i].name,
									.runs = 1,
									.seconds = no_time };
	int status = expr_world_create(&g->w, &g->set, printed, e);
	if (status)
		complete_destroy(g);
	return status;
}

/* ---- one column ---- */

struct search {
	const struct result_set *set;
	struct complete *complete;
	const struct expr *expression;
	size_t reasons;
	char reason[REASONS][256];
};

static void add_reason(struct search *s, const char *reason)
{
	for (size_t i = 0; i < s->reasons; i++)
		if (!strcmp(s->reason[i], reason))
			return;
	if (s->reasons < REASONS)
		snprintf(s->reason[s->reasons++], sizeof(s->reason[0]), "%s", reason);
}

/* Omits numbers that differ between cases, so that these cases share one reason. */
static void add_skip(struct search *s, const struct result_skip *skip)
{
	const struct skip *why = &skip->why;
	char reason[sizeof(s->reason[0])];
	if (!skip->failed && why->reason == SKIP_TOO_LONG)
		snprintf(reason, sizeof(reason), "longer than %g s (--copra_longest)",
			 why->available);
	else if (!skip->failed && why->reason == SKIP_NEEDS_GPUS && why->available > 0)
		snprintf(reason, sizeof(reason), "needs %g GPUs", why->needed);
	else
		snprintf(reason, sizeof(reason), "%s", skip->message);
	add_reason(s, reason);
}

/* Adds the reasons why the benchmarks of a pattern have no value: a skipped benchmark has its own
 * reason; a measured one lacks the counter. */
static void reasons_of(struct search *s, const char *pattern)
{
	for (size_t i = 0; i < s->set->benches; i++)
		if (name_match(pattern, s->set->bench[i].name, NULL))
			add_reason(s, "not recorded");
	for (size_t i = 0; i < s->set->skips && s->reasons < REASONS; i++)
		if (name_match(pattern, s->set->skip[i].name, NULL))
			add_skip(s, &s->set->skip[i]);
}

/* Adds the reasons for each line of expr_trace.missing, "pattern" or "pattern : counter". */
static int search_lines(struct search *s, const char *missing, struct err *e)
{
	int status = 0;
	while (*missing && !status) {
		struct text pattern = { 0 };
		size_t length = strcspn(missing, "\n");
		text_add_n(&pattern, missing, length);
		if (!(status = text_ok(&pattern, e)) && pattern.length) {
			char *counter = strstr(pattern.data, " : ");
			if (counter)
				*counter = '\0';
			reasons_of(s, pattern.data);
		}
		text_free(&pattern);
		missing += length + (missing[length] == '\n');
	}
	return status;
}

static int search_row(void *ctx, const struct expr_value *key, struct err *e)
{
	struct search *s = ctx;
	struct expr_trace trace = { 0 };
	struct expr_value v;
	if (s->reasons == REASONS)
		return 0;
	int status = expr_eval(s->expression, s->complete->w, key, 0, &trace, &v, e);
	if (!status)
		status = search_lines(s, text_get(&trace.missing), e);
	expr_trace_free(&trace);
	return status;
}

static int explain_column(struct grid *g, size_t column, struct search *s, struct err *e)
{
	struct text all = { 0 };
	s->expression = g->table->column[column].expression;
	s->reasons = 0;
	int status = each_row(g->table, s->complete->w, search_row, s, e);
	for (size_t i = 0; i < s->reasons; i++)
		text_add(&all, "%s%s", i ? " / " : "", s->reason[i]);
	if (!s->reasons)
		text_add(&all, "not part of these runs");
	if (!status)
		status = text_ok(&all, e);
	if (!status)
		g->missing[column] = all.data;
	else
		text_free(&all);
	return status;
}

static int explain_grid(struct grid *g, struct search *s, struct err *e)
{
	const struct table *t = g->table;
	int status = 0;
	g->missing = calloc(t->columns, sizeof(*g->missing));
	if (!g->missing)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->columns && !status; i++) {
		if (t->column[i].paper || !grid_column_is_empty(g, i))
			continue;
		status = t->never ? text_copy(&g->missing[i], t->never, e) :
				    explain_column(g, i, s, e);
	}
	return status;
}

int grid_explain(struct grid *grids, size_t count, const struct result_set *set,
		 const struct expr_printed *printed, struct err *e)
{
	struct complete complete;
	int status = complete_create(&complete, set, printed, e);
	if (status)
		return status;
	struct search s = { .set = set, .complete = &complete };
	for (size_t i = 0; i < count && !status; i++)
		status = explain_grid(&grids[i], &s, e);
	complete_destroy(&complete);
	return status;
}

/* ---- the reasons as a line ---- */

static bool is_first_of_its_reason(const struct grid *g, size_t column)
{
	for (size_t i = 0; i < column; i++)
		if (g->missing[i] && !strcmp(g->missing[i], g->missing[column]))
			return false;
	return true;
}

static void add_headings(const struct grid *g, const char *reason, struct text *out)
{
	const char *between = " (";
	for (size_t i = 0; i < g->table->columns; i++) {
		if (!g->missing[i] || strcmp(g->missing[i], reason) != 0)
			continue;
		text_add(out, "%s%s", between, g->table->column[i].heading);
		between = " · ";
	}
	text_add(out, ")");
}

/* True if `part` is an element of the list, whose elements are separated by `between`. */
static bool has_part(const char *list, const char *part, size_t length, const char *between)
{
	while (*list) {
		const char *end = strstr(list, between);
		size_t n = end ? (size_t)(end - list) : strlen(list);
		if (n == length && !strncmp(list, part, n))
			return true;
		list += end ? n + strlen(between) : n;
	}
	return false;
}

/* Adds each reason once, for a table without any measurement. */
static void add_single(const char *reasons, struct text *out)
{
	while (*reasons) {
		const char *end = strstr(reasons, " / ");
		size_t n = end ? (size_t)(end - reasons) : strlen(reasons);
		if (!has_part(text_get(out), reasons, n, "; ")) {
			text_add(out, "%s", out->length ? "; " : "");
			text_add_n(out, reasons, n);
		}
		reasons += end ? n + 3 : n;
	}
}

void grid_missing(const struct grid *g, struct text *out)
{
	for (size_t i = 0; g->missing && i < g->table->columns; i++) {
		if (!g->missing[i])
			continue;
		if (!g->measured) {
			add_single(g->missing[i], out);
		} else if (is_first_of_its_reason(g, i)) {
			text_add(out, "%s%s", out->length ? "; " : "", g->missing[i]);
			add_headings(g, g->missing[i], out);
		}
	}
}
