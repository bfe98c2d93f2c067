/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The tables on a machine: the values of the cells, why columns are empty, the table as a page
 * shows it, and its plot as gnuplot data and a script. */
#include "harness/report/table/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/data/results.h"

/* ---- filling ---- */

/* A grid that is being filled over a world, whose set marks the rows that a cell reads. */
struct filling {
	struct grid *g;
	struct expr_world *w;
	const struct result_set *set; /* as the caller passed it */
	bool *used;                   /* what the world marks */
};

/* Adds the rows that the cell read to those of the grid, if it has a value, and of the set. */
static void mark_read(const struct filling *f, bool has_value)
{
	for (size_t i = 0; i < f->set->benches; i++) {
		if (has_value && f->used[i])
			f->g->read[i] = true;
		if (f->set->used && f->used[i])
			f->set->used[i] = true;
		f->used[i] = false;
	}
}

static int fill_cell(const struct table_column *column, const struct filling *f,
		     const struct expr_value *key, struct table_cell *cell, struct err *e)
{
	struct expr_world *w = f->w;
	struct expr_value v;
	int status = expr_eval(column->expression, w, key, NULL, NULL, &v, e);
	if (status)
		return status;
	cell->value = v.missing ? NAN : v.number;
	if (v.missing || column->paper || column->simulated || column->step ||
	    !expr_interval(column->expression, w, key, &cell->low, &cell->high))
		cell->low = cell->high = cell->value;
	mark_read(f, !v.missing);
	return 0;
}

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
		status = fill_cell(&t->column[i], f, key, &cells[i], e);
		any = any || !isnan(cells[i].value);
		g->measured = g->measured || (!t->column[i].paper && !t->column[i].simulated &&
					      !isnan(cells[i].value));
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

/* Whether two rows have the same values of all axes but the last. */
static bool same_group(const struct grid *g, size_t a, size_t b)
{
	const struct expr_value *x = g->key + a * g->table->axes;
	const struct expr_value *y = g->key + b * g->table->axes;
	for (size_t i = 0; i + 1 < g->table->axes; i++)
		if (x[i].type == EXPR_TEXT ? strcmp(x[i].text, y[i].text) != 0 :
					     x[i].number != y[i].number)
			return false;
	return true;
}

/* Turns the values of the step columns into ratios, from the last row to the first. */
static void divide_steps(struct grid *g)
{
	size_t columns = g->table->columns;
	for (size_t row = g->rows; row-- > 0;)
		for (size_t i = 0; i < columns; i++) {
			struct table_cell *cell = &g->cell[row * columns + i];
			if (!g->table->column[i].step)
				continue;
			cell->value = row > 0 && same_group(g, row - 1, row) && cell->value != 0 ?
					      cell[-(ptrdiff_t)columns].value / cell->value :
					      NAN;
			cell->low = cell->high = cell->value;
		}
}

/* Adds the sentence with its value, or nothing if that is missing. */
static int add_sentence(const struct table_sentence *s, const struct filling *f, struct err *e)
{
	struct text *out = &f->g->sentences;
	const char *gap = strstr(s->text, "{}");
	char shown[64];
	struct expr_value v;
	int status = expr_eval(s->expression, f->w, NULL, NULL, NULL, &v, e);
	if (status)
		return status;
	mark_read(f, !v.missing);
	if (v.missing)
		return 0;
	format_number(shown, sizeof(shown), s->format, v.number);
	text_add(out, "%s%.*s%s%s", out->length ? " " : "", (int)(gap - s->text), s->text, shown,
		 gap + 2);
	return text_ok(out, e);
}

static int fill_grid(struct grid *g, const struct table *t, struct filling *f, struct err *e)
{
	f->g = g;
	g->table = t;
	g->read = calloc(f->set->benches + 1, sizeof(*g->read));
	int status = g->read ? each_row(t, f->w, add_row, f, e) :
			       err_set(e, ERR_MEMORY, "out of memory");
	divide_steps(g);
	for (size_t i = 0; i < t->sentences && !status; i++)
		status = add_sentence(&t->sentence[i], f, e);
	return status;
}

/* ---- as a sheet ---- */

static bool is_empty(const struct grid *g, size_t column)
{
	for (size_t row = 0; row < g->rows; row++)
		if (!isnan(g->cell[row * g->table->columns + column].value))
			return false;
	return true;
}

static void key_text(char *out, size_t size, const struct expr_value *key)
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
	out->mark = column->paper ? "paper" : column->simulated ? "simulated" : NULL;
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
		key_text(key, sizeof(key), v);
		status = text_copy(&sheet_at(s, row, i)->exact, key, e);
		if (v->type == EXPR_NUMBER)
			format_number(key, sizeof(key), FORMAT_GROUPED, v->number);
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

int grid_sheet(const struct grid *g, struct sheet *s, struct err *e)
{
	const struct table *t = g->table;
	size_t count = 0, *shown = calloc(t->columns, sizeof(*shown));
	if (!shown)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->columns; i++) {
		if (!is_empty(g, i))
			shown[count++] = i;
	}
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
	int status = expr_eval(s->expression, s->complete->w, key, NULL, &trace, &v, e);
	if (!status)
		status = search_lines(s, text_get(&trace.missing), e);
	expr_trace_free(&trace);
	return status;
}

/* Sets *reasons to the column's reasons, separated by " / ". The caller frees it. */
static int explain_column(const struct grid *g, size_t column, struct search *s, char **reasons,
			  struct err *e)
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
		*reasons = all.data;
	else
		text_free(&all);
	return status;
}

/* ---- the reasons as a line ---- */

static bool is_first_of_its_reason(char *const *missing, size_t column)
{
	for (size_t i = 0; i < column; i++)
		if (missing[i] && !strcmp(missing[i], missing[column]))
			return false;
	return true;
}

static void add_headings(const struct grid *g, char *const *missing, const char *reason,
			 struct text *out)
{
	const char *between = " (";
	for (size_t i = 0; i < g->table->columns; i++) {
		if (!missing[i] || strcmp(missing[i], reason) != 0)
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

/* `missing` has the reasons of each column, NULL for a column with values. */
static void put_missing(const struct grid *g, char *const *missing, struct text *out)
{
	for (size_t i = 0; i < g->table->columns; i++) {
		if (!missing[i])
			continue;
		if (!g->measured) {
			add_single(missing[i], out);
		} else if (is_first_of_its_reason(missing, i)) {
			text_add(out, "%s%s", out->length ? "; " : "", missing[i]);
			add_headings(g, missing, missing[i], out);
		}
	}
}

static int explain_grid(struct grid *g, struct search *s, struct err *e)
{
	const struct table *t = g->table;
	char **missing = calloc(t->columns, sizeof(*missing));
	int status = missing ? 0 : err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->columns && !status; i++) {
		if (t->column[i].paper || !is_empty(g, i))
			continue;
		status = t->never ? text_copy(&missing[i], t->never, e) :
				    explain_column(g, i, s, &missing[i], e);
	}
	if (!status) {
		put_missing(g, missing, &g->missing);
		status = text_ok(&g->missing, e);
	}
	for (size_t i = 0; missing && i < t->columns; i++)
		free(missing[i]);
	free(missing);
	return status;
}

static int explain_grids(struct grid *grids, size_t count, const struct result_set *set,
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

static bool is_drawn(const struct grid *g, size_t column)
{
	return g->table->column[column].plotted && !is_empty(g, column);
}

/* A plot needs two measured or simulated points, or one if the table has a single row. */
static bool has_plot(const struct grid *g)
{
	size_t measured = 0;
	for (size_t row = 0; row < g->rows; row++)
		for (size_t i = 0; i < g->table->columns; i++)
			if (is_drawn(g, i) && !g->table->column[i].paper &&
			    !isnan(g->cell[row * g->table->columns + i].value)) {
				measured++;
				break;
			}
	return g->table->plot_script && (measured > 1 || (measured == 1 && g->rows == 1));
}

/* Appends a gnuplot string. */
static void put_string(struct text *out, const char *s)
{
	text_add(out, "\"");
	text_add_escaped(out, s, TEXT_GNUPLOT);
	text_add(out, "\"");
}

/* ---- plots: data ---- */

static void data_row(const struct grid *g, size_t row, struct text *out)
{
	const struct table *t = g->table;
	const struct expr_value *v = &g->key[row * t->axes];
	char key[EXPR_TEXT_MAX];
	key_text(key, sizeof(key), v);
	if (v->type == EXPR_TEXT)
		put_string(out, key);
	else
		text_add(out, "%s", key);
	for (size_t i = 0; i < t->columns; i++) {
		const struct table_cell *c = &g->cell[row * t->columns + i];
		if (!is_drawn(g, i))
			continue;
		if (isnan(c->value))
			text_add(out, " ? ? ?");
		else
			text_add(out, " %.9g %.9g %.9g", c->value, c->low, c->high);
	}
	text_add(out, "\n");
}

static void put_data(const struct grid *g, struct text *out)
{
	const struct table *t = g->table;
	put_string(out, t->axis_heading[0]);
	for (size_t i = 0; i < t->columns; i++)
		if (is_drawn(g, i)) {
			text_add(out, " ");
			put_string(out, t->column[i].heading);
			text_add(out, " low high");
		}
	text_add(out, "\n");
	for (size_t row = 0; row < g->rows; row++)
		data_row(g, row, out);
}

/* ---- series: a variant has the same colour in all figures ---- */

enum family { OTHER, SERIAL, CPU, PUBLISHED, TUNED, PAPER, FAMILIES };

static enum family own_family(const struct table_column *c)
{
	return c->paper                       ? PAPER :
	       c->series == VARIANT_SERIAL    ? SERIAL :
	       c->series == VARIANT_CPU       ? CPU :
	       c->series == VARIANT_PUBLISHED ? PUBLISHED :
	       c->series == VARIANT_TUNED     ? TUNED :
						OTHER;
}

/* The family that decides a column's colour. Columns without data on this machine count too, so
 * that a series looks the same on all machines. If all columns belong to one variant and there are
 * more than FEW, each gets a separate colour. */
static enum family family_of(const struct grid *g, size_t column)
{
	enum { FEW = 4 };
	const struct table *t = g->table;
	enum family family = own_family(&t->column[column]);
	size_t same = 0, other = 0;
	for (size_t i = 0; i < t->columns; i++) {
		if (!t->column[i].plotted || t->column[i].paper)
			continue;
		same += own_family(&t->column[i]) == family;
		other += own_family(&t->column[i]) != family;
	}
	return family != PAPER && !other && same > FEW ? OTHER : family;
}

/* The position of a column, from 1, among the plotted columns of its family. */
static size_t member_of(const struct grid *g, size_t column)
{
	enum family family = family_of(g, column);
	size_t member = 1;
	for (size_t i = 0; i < column; i++)
		member += g->table->column[i].plotted && family_of(g, i) == family &&
			  g->table->column[i].like == i;
	return member;
}

static void put_series(const struct grid *g, struct text *out)
{
	const struct table *t = g->table;
	size_t series = 0;
	for (size_t i = 0; i < t->columns; i++) {
		if (!is_drawn(g, i))
			continue;
		size_t like = t->column[i].like;
		text_add(out, "paper_%zu = %d; family_%zu = %d; member_%zu = %zu; title_%zu = ",
			 series + 1, t->column[i].paper, series + 1, (int)family_of(g, like),
			 series + 1, member_of(g, like), series + 1);
		put_string(out, t->column[i].heading);
		text_add(out, "\n");
		series++;
	}
	text_add(out, "series = %zu\n", series);
}

/* ---- axes ---- */

struct range {
	double low, high; /* low > high if the range is empty */
};

static void widen(struct range *r, double v, bool logarithmic)
{
	if (isnan(v) || (logarithmic && v <= 0))
		return;
	r->low = v < r->low ? v : r->low;
	r->high = v > r->high ? v : r->high;
}

static bool has_log(const struct table *t, char axis)
{
	return !strcmp(t->plot_scale, "loglog") ||
	       (strlen(t->plot_scale) == 4 && t->plot_scale[3] == axis);
}

/* Appends tick marks at the measured values, "'10,000' 10000, ...", except where labels would
 * overlap. */
static void number_marks(const struct grid *g, const struct range *x, struct text *marks)
{
	static const double letter = 0.0118; /* width of a letter, relative to the axis */
	const struct table *t = g->table;
	bool logarithmic = has_log(t, 'x');
	double width = logarithmic ? log(x->high / x->low) : x->high - fmin(x->low, 0);
	double last = NAN;
	for (size_t row = 0; row < g->rows; row++) {
		double v = g->key[row * t->axes].number;
		double step = logarithmic ? log(v / last) : v - last;
		char shown[64];
		format_number(shown, sizeof(shown), FORMAT_GROUPED, v);
		if (!isnan(last) && !(step >= width * letter * (double)(strlen(shown) + 1)))
			continue;
		text_add(marks, "%s'%s' %.9g", marks->length ? ", " : "", shown, v);
		last = v;
	}
}

/* Appends tick marks with the texts of the rows. An apostrophe is doubled, as gnuplot's strings in
 * single quotes require. */
static void text_marks(const struct grid *g, struct text *marks)
{
	for (size_t row = 0; row < g->rows; row++) {
		text_add(marks, "%s'", row ? ", " : "");
		for (const char *s = g->key[row * g->table->axes].text; *s; s++)
			text_add(marks, "%s%c", *s == '\'' ? "'" : "", *s);
		text_add(marks, "' %zu", row);
	}
}

static void put_marks(const struct grid *g, const struct range *x, struct text *out)
{
	struct text marks = { 0 };
	if (g->table->variable[0].type == EXPR_TEXT) {
		text_marks(g, &marks);
	} else {
		text_add(out, "x_low = %.9g\nx_high = %.9g\n", x->low, x->high);
		number_marks(g, x, &marks);
	}
	text_add(out, "x_marks = ");
	put_string(out, text_get(&marks));
	text_add(out, "\n");
	out->failed = out->failed || marks.failed;
	text_free(&marks);
}

static void put_axes(const struct grid *g, struct text *out)
{
	const struct table *t = g->table;
	struct range x = { INFINITY, -INFINITY }, y = x;
	const char *unit = "count";
	for (size_t i = t->columns; i-- > 0;)
		if (is_drawn(g, i))
			unit = format_names[t->column[i].format];
	for (size_t row = 0; row < g->rows; row++) {
		widen(&x, g->key[row * t->axes].number, has_log(t, 'x'));
		for (size_t i = 0; i < t->columns; i++) {
			const struct table_cell *c = &g->cell[row * t->columns + i];
			if (!is_drawn(g, i))
				continue;
			widen(&y, c->low, has_log(t, 'y'));
			widen(&y, c->high, has_log(t, 'y'));
		}
	}
	text_add(out, "rows = %zu\nunit = \"%s\"\n", g->rows, unit);
	put_marks(g, &x, out);
	if (y.low <= y.high)
		text_add(out, "y_low = %.9g\ny_high = %.9g\n", y.low, y.high);
}

static void put_script(const struct grid *g, const struct plot_paths *paths, struct text *out)
{
	const struct table *t = g->table;
	text_add(out, "# written by copra-report; draw with: gnuplot <this file>\n");
	put_series(g, out);
	put_axes(g, out);
	const struct {
		const char *name, *value;
	} settings[] = { { "plots", paths->plots },
			 { "figure", t->id },
			 { "x_label", t->axis_heading[0] },
			 { "y_label", t->plot_label },
			 { "scale", t->plot_scale },
			 { "data", paths->data },
			 { "svg", paths->svg } };
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		text_add(out, "%s = ", settings[i].name);
		put_string(out, settings[i].value);
		text_add(out, "\n");
	}
	text_add(out, "load \"");
	text_add_escaped(out, paths->plots, TEXT_GNUPLOT);
	text_add(out, "/%s.gp\"\n", t->plot_script);
}

void grid_plot(const struct grid *g, const struct plot_paths *paths, struct text *data,
	       struct text *script)
{
	put_data(g, data);
	put_script(g, paths, script);
}

/* ---- all grids of a machine ---- */

int grids_fill(struct grid **out, const struct tables *t, const struct result_set *set,
	       const struct expr_printed *printed, struct err *e)
{
	struct grid *grids = calloc(t->count + 1, sizeof(*grids));
	struct result_set marked = *set; /* the same rows, with marks of its own */
	struct filling f = { .set = set };
	*out = NULL;
	marked.used = f.used = calloc(set->benches + 1, sizeof(*f.used));
	int status = grids && f.used ? expr_world_create(&f.w, &marked, printed, e) :
				       err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->count && !status; i++)
		status = fill_grid(&grids[i], &t->table[i], &f, e);
	expr_world_destroy(f.w);
	free(f.used);
	if (!status)
		status = explain_grids(grids, t->count, set, printed, e);
	for (size_t i = 0; i < t->count && !status; i++)
		grids[i].has_plot = has_plot(&grids[i]);
	if (status)
		grids_free(grids, t->count);
	else
		*out = grids;
	return status;
}

void grids_free(struct grid *grids, size_t count)
{
	for (size_t i = 0; grids && i < count; i++) {
		text_free(&grids[i].missing);
		text_free(&grids[i].sentences);
		free(grids[i].key);
		free(grids[i].cell);
		free(grids[i].read);
	}
	free(grids);
}
