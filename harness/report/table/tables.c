/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/table/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { C_TABLE, C_ENTRY, C_HEADING, C_EXPRESSION, C_FORMAT, C_SERIES };

static int add_note(struct table *t, const char *note, struct err *e)
{
	struct text all = { 0 };
	text_add(&all, "%s%s\n\n", t->notes ? t->notes : "", note);
	int status = text_ok(&all, e);
	if (!status) {
		free(t->notes);
		t->notes = all.data;
	} else {
		text_free(&all);
	}
	return status;
}

/* Splits "n in <set>" into the name and the set. */
static int add_axis(struct table *t, const char *heading, const char *expression,
		    const struct expr_terms *terms, struct err *e)
{
	size_t length = 0;
	if (t->axes == TABLE_AXES)
		return err_set(e, ERR_INPUT, "a table has at most %d row axes", TABLE_AXES);
	if (t->columns)
		return err_set(e, ERR_INPUT, "rows must come before the columns that use them");
	struct expr_param *variable = &t->variable[t->axes];
	while (isalnum((unsigned char)expression[length]) || expression[length] == '_')
		length++;
	if (!length || length >= EXPR_NAME || strncmp(expression + length, " in ", 4) != 0)
		return err_set(e, ERR_INPUT, "expected '<name> in <set>'");
	int status = expr_parse(&t->set[t->axes], expression + length + 4, terms, t->variable,
				t->axes, EXPR_SET, e);
	if (!status && expr_reads_simulated(t->set[t->axes]))
		status = err_set(e, ERR_INPUT, "simulated values are for simulated columns only");
	if (!status)
		status = text_copy(&t->axis_heading[t->axes], heading, e);
	if (status)
		return status;
	memcpy(variable->name, expression, length);
	variable->name[length] = '\0';
	variable->type = expr_member_type(t->set[t->axes]);
	t->axes++;
	return 0;
}

static int read_series(const char *name, enum variant *series, struct err *e)
{
	*series = VARIANT_OTHER;
	if (!*name)
		return 0;
	for (int v = 0; v < VARIANT_OTHER; v++)
		if (!strcmp(variant_names[v], name)) {
			*series = (enum variant)v;
			return 0;
		}
	return err_set(e, ERR_INPUT, "unknown series '%s' (serial, cpu, published or tuned)", name);
}

static int add_column(struct table *t, const char *const *cell, const struct expr_terms *terms,
		      struct err *e)
{
	enum format format = format_by_name(cell[C_FORMAT]);
	if (format == FORMAT_UNKNOWN)
		return err_set(e, ERR_INPUT, "unknown format '%s'", cell[C_FORMAT]);
	int status = array_grow((void **)&t->column, t->columns, sizeof(*t->column), e);
	if (status)
		return status;
	struct table_column *column = &t->column[t->columns];
	*column = (struct table_column){ .format = format,
					 .paper = !strncmp(cell[C_ENTRY], "paper", 5),
					 .simulated = !strncmp(cell[C_ENTRY], "simulated", 9),
					 .plotted = !strstr(cell[C_ENTRY], "aside") &&
						    strcmp(cell[C_ENTRY], "step") != 0,
					 .step = !strcmp(cell[C_ENTRY], "step"),
					 .series = VARIANT_OTHER,
					 .like = t->columns };
	t->columns++;
	status = expr_parse(&column->expression, cell[C_EXPRESSION], terms, t->variable, t->axes,
			    EXPR_NUMBER, e);
	if (!status && !column->simulated && expr_reads_simulated(column->expression))
		status = err_set(e, ERR_INPUT, "simulated values are for simulated columns only");
	if (!status)
		status = text_copy(&column->heading, cell[C_HEADING], e);
	if (!status && column->paper)
		return text_copy(&column->like_heading, cell[C_SERIES], e);
	return status ? status : read_series(cell[C_SERIES], &column->series, e);
}

static int add_sentence(struct table *t, const char *const *cell, const struct expr_terms *terms,
			struct err *e)
{
	const char *gap = strstr(cell[C_HEADING], "{}");
	enum format format = format_by_name(cell[C_FORMAT]);
	if (format == FORMAT_UNKNOWN)
		return err_set(e, ERR_INPUT, "unknown format '%s'", cell[C_FORMAT]);
	if (!gap || strstr(gap + 2, "{}"))
		return err_set(e, ERR_INPUT, "a sentence needs exactly one {}");
	int status = array_grow((void **)&t->sentence, t->sentences, sizeof(*t->sentence), e);
	if (status)
		return status;
	struct table_sentence *s = &t->sentence[t->sentences++];
	*s = (struct table_sentence){ .format = format };
	status = expr_parse(&s->expression, cell[C_EXPRESSION], terms, NULL, 0, EXPR_NUMBER, e);
	if (!status && expr_reads_simulated(s->expression))
		status = err_set(e, ERR_INPUT, "simulated values are for simulated columns only");
	return status ? status : text_copy(&s->text, cell[C_HEADING], e);
}

static int add_plot(struct table *t, const char *const *cell, struct err *e)
{
	static const char *const scales[] = { "linear", "logx", "logy", "loglog" };
	bool known = false;
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
		known = known || !strcmp(scales[i], cell[C_FORMAT]);
	if (!known)
		return err_set(e, ERR_INPUT,
			       "unknown scale '%s' of a plot (linear, logx, logy or loglog)",
			       cell[C_FORMAT]);
	if (t->plot_script)
		return err_set(e, ERR_INPUT, "the table has a second plot");
	if (!*cell[C_EXPRESSION] ||
	    strspn(cell[C_EXPRESSION], "abcdefghijklmnopqrstuvwxyz0123456789-") !=
		    strlen(cell[C_EXPRESSION]))
		return err_set(e, ERR_INPUT,
			       "the name of a plot script may only contain a-z, 0-9 and '-'");
	int status = text_copy(&t->plot_script, cell[C_EXPRESSION], e);
	if (!status)
		status = text_copy(&t->plot_label, cell[C_HEADING], e);
	return status ? status : text_copy(&t->plot_scale, cell[C_FORMAT], e);
}

static int add_place(struct table *t, const char *const *cell, struct err *e)
{
	if (t->place)
		return err_set(e, ERR_INPUT, "the table has a second place");
	if (!*cell[C_HEADING])
		return err_set(e, ERR_INPUT, "a place needs a name");
	int status = text_copy(&t->place, cell[C_HEADING], e);
	return status || !*cell[C_EXPRESSION] ? status :
						text_copy(&t->never, cell[C_EXPRESSION], e);
}

static int add_entry(struct table *t, const char *const *cell, const struct expr_terms *terms,
		     struct err *e)
{
	const char *entry = cell[C_ENTRY];
	if (!strcmp(entry, "title"))
		return t->title ? err_set(e, ERR_INPUT, "the table has a second title") :
				  text_copy(&t->title, cell[C_HEADING], e);
	if (!strcmp(entry, "note"))
		return add_note(t, cell[C_HEADING], e);
	if (!strcmp(entry, "rows"))
		return add_axis(t, cell[C_HEADING], cell[C_EXPRESSION], terms, e);
	if (!strcmp(entry, "column") || !strcmp(entry, "paper") || !strcmp(entry, "aside") ||
	    !strcmp(entry, "step") || !strcmp(entry, "paper aside") ||
	    !strcmp(entry, "simulated") || !strcmp(entry, "simulated aside"))
		return add_column(t, cell, terms, e);
	if (!strcmp(entry, "place"))
		return add_place(t, cell, e);
	if (!strcmp(entry, "plot"))
		return add_plot(t, cell, e);
	if (!strcmp(entry, "sentence"))
		return add_sentence(t, cell, terms, e);
	return err_set(
		e, ERR_INPUT,
		"unknown entry '%s' (title, note, place, rows, column, aside, step, paper, paper "
		"aside, simulated, simulated aside, sentence or plot)",
		entry);
}

static int find_table(struct tables *all, const char *id, struct table **out, struct err *e)
{
	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(all->table[i].id, id)) {
			*out = &all->table[i];
			return i + 1 == all->count ?
				       0 :
				       err_set(e, ERR_INPUT,
					       "the lines of table '%s' are not adjacent", id);
		}
	if (!*id || strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(id))
		return err_set(e, ERR_INPUT,
			       "the table name '%s' has characters other than a-z, 0-9 and '-'",
			       id);
	int status = array_grow((void **)&all->table, all->count, sizeof(**out), e);
	if (status)
		return status;
	*out = &all->table[all->count];
	**out = (struct table){ 0 };
	all->count++;
	return text_copy(&(*out)->id, id, e);
}

struct reading {
	struct tables *all;
	const struct expr_terms *terms;
};

static int add_line(void *ctx, const char *const *cell, struct err *e)
{
	const struct reading *r = ctx;
	struct table *t = NULL;
	int status = find_table(r->all, cell[C_TABLE], &t, e);
	return status ? status : add_entry(t, cell, r->terms, e);
}

/* For each column of the paper, finds the measured column whose colour it shares. */
static int link_columns(struct table *t, struct err *e)
{
	for (size_t i = 0; i < t->columns; i++) {
		struct table_column *c = &t->column[i];
		size_t k = 0;
		if (!c->like_heading || !*c->like_heading)
			continue;
		while (k < t->columns && (t->column[k].paper || !t->column[k].plotted ||
					  strcmp(t->column[k].heading, c->like_heading) != 0))
			k++;
		if (k == t->columns)
			return err_set(e, ERR_INPUT,
				       "table '%s': series '%s' of '%s' is not the heading of a "
				       "plotted column that is measured",
				       t->id, c->like_heading, c->heading);
		c->like = k;
	}
	return 0;
}

/* A table with simulated columns says so everywhere, and has no measured ones. */
static int check_simulated(struct table *t, struct err *e)
{
	static const char word[] = "SIMULATED";
	bool measured = false;
	for (size_t i = 0; i < t->columns; i++) {
		t->simulated = t->simulated || t->column[i].simulated;
		measured = measured || !(t->column[i].simulated || t->column[i].paper);
		if (t->column[i].simulated && !strstr(t->column[i].heading, word))
			return err_set(e, ERR_INPUT,
				       "table '%s': the heading of a simulated column, '%s', lacks "
				       "the word %s",
				       t->id, t->column[i].heading, word);
	}
	if (t->simulated && !strstr(t->title, word))
		return err_set(e, ERR_INPUT, "table '%s': the title lacks the word %s", t->id,
			       word);
	return t->simulated && measured ?
		       err_set(e, ERR_INPUT,
			       "table '%s' has simulated columns beside measured ones", t->id) :
		       0;
}

static int check_tables(struct tables *all, const char *path, struct err *e)
{
	for (size_t i = 0; i < all->count; i++) {
		struct table *t = &all->table[i];
		const char *lacks = !t->title   ? "title" :
				    !t->axes    ? "rows" :
				    !t->columns ? "column" :
						  "";
		if (*lacks)
			return err_set(e, ERR_INPUT, "%s: table '%s' has no entry '%s'", path,
				       t->id, lacks);
		int status = link_columns(t, e);
		if (!status)
			status = check_simulated(t, e);
		if (status) {
			err_prefix(e, "%s", path);
			return status;
		}
	}
	return 0;
}

int tables_read(struct tables *all, const char *path, const struct expr_terms *terms, struct err *e)
{
	static const char *const columns[] = { "table",  "entry",   "heading", "expression",
					       "format", "?series", NULL };
	struct reading r = { all, terms };
	*all = (struct tables){ 0 };
	int status = csv_read_rows(path, columns, add_line, &r, e);
	if (!status)
		status = check_tables(all, path, e);
	if (status)
		tables_free(all);
	return status;
}

static void free_table(struct table *t)
{
	for (size_t i = 0; i < TABLE_AXES; i++) {
		free(t->axis_heading[i]);
		expr_destroy(t->set[i]);
	}
	for (size_t i = 0; i < t->columns; i++) {
		free(t->column[i].heading);
		free(t->column[i].like_heading);
		expr_destroy(t->column[i].expression);
	}
	for (size_t i = 0; i < t->sentences; i++) {
		free(t->sentence[i].text);
		expr_destroy(t->sentence[i].expression);
	}
	free(t->column);
	free(t->sentence);
	free(t->id);
	free(t->title);
	free(t->notes);
	free(t->place);
	free(t->never);
	free(t->plot_script);
	free(t->plot_label);
	free(t->plot_scale);
}

void tables_free(struct tables *all)
{
	for (size_t i = 0; i < all->count; i++)
		free_table(&all->table[i]);
	free(all->table);
	*all = (struct tables){ 0 };
}
