/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Names in expressions other than benchmarks: the terms of terms.csv, the tables printed in the
 * paper, and simulated tables. */
#include "harness/report/expression/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Reads a name at *at, skipping spaces before and after it. */
static bool take_name(const char **at, char name[EXPR_NAME])
{
	while (isspace((unsigned char)**at))
		++*at;
	const char *begin = *at;
	if (!isalpha((unsigned char)*begin))
		return false;
	while (isalnum((unsigned char)**at) || **at == '_')
		++*at;
	size_t length = (size_t)(*at - begin);
	if (length >= EXPR_NAME)
		return false;
	memcpy(name, begin, length);
	name[length] = '\0';
	while (isspace((unsigned char)**at))
		++*at;
	return true;
}

static bool take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* Parses name or name(n, form: text). */
static bool parse_head(struct expr_term *t, const char *head)
{
	char type[EXPR_NAME];
	if (!take_name(&head, t->name))
		return false;
	if (!*head)
		return true;
	if (!take(&head, '('))
		return false;
	do {
		struct expr_param *param = &t->param[t->params];
		if (t->params == EXPR_PARAMS || !take_name(&head, param->name))
			return false;
		param->type = EXPR_NUMBER;
		if (take(&head, ':')) {
			if (!take_name(&head, type) || strcmp(type, "text") != 0)
				return false;
			param->type = EXPR_TEXT;
		}
		t->params++;
	} while (take(&head, ','));
	return take(&head, ')') && !*head;
}

/* A term is a number or a truth value. Tries both; if both fail, the error of the first is
 * returned. */
static int parse_body(struct expr_term *t, const struct expr_terms *terms, struct err *e)
{
	struct err second;
	int status = expr_parse(&t->body, t->source, terms, t->param, t->params, EXPR_NUMBER, e);
	if (status == ERR_INPUT &&
	    !expr_parse(&t->body, t->source, terms, t->param, t->params, EXPR_TRUTH, &second))
		return 0;
	return status;
}

static bool is_taken(const struct expr_terms *t, const char *name)
{
	static const char *const words[] = { "all",       "any",    "monotone", "largest",
					     "smallest",  "within", "first",    "paper",
					     "axis",      "names",  "and",      "or",
					     "not",       "in",     "step",     "log",
					     "simulated", "if" };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], name))
			return true;
	for (size_t i = 0; expr_statistic_names[i]; i++)
		if (!strcmp(expr_statistic_names[i], name))
			return true;
	for (size_t i = 0; i < t->count; i++)
		if (!strcmp(t->term[i].name, name))
			return true;
	return false;
}

enum { C_TERM, C_EXPRESSION, C_MEANING };

static int add_term(void *ctx, const char *const *cell, struct err *e)
{
	struct expr_terms *t = ctx;
	struct expr_term term = { 0 };
	if (!parse_head(&term, cell[C_TERM]))
		return err_set(e, ERR_INPUT,
			       "'%s' is not a term: expected name or name(n, form: text)",
			       cell[C_TERM]);
	if (is_taken(t, term.name))
		return err_set(e, ERR_INPUT, "the name '%s' is already in use", term.name);
	int status = text_copy(&term.source, cell[C_EXPRESSION], e);
	if (!status)
		status = text_copy(&term.meaning, cell[C_MEANING], e);
	if (!status)
		status = parse_body(&term, t, e);
	if (!status)
		status = array_grow((void **)&t->term, t->count, sizeof(term), e);
	if (status) {
		expr_destroy(term.body);
		free(term.source);
		free(term.meaning);
		return status;
	}
	t->term[t->count++] = term;
	return 0;
}

int expr_terms_read(struct expr_terms *t, const char *path, struct err *e)
{
	static const char *const columns[] = { "term", "expression", "meaning", NULL };
	*t = (struct expr_terms){ 0 };
	int status = csv_read_rows(path, columns, add_term, t, e);
	if (status)
		expr_terms_free(t);
	return status;
}

void expr_terms_free(struct expr_terms *t)
{
	for (size_t i = 0; i < t->count; i++) {
		expr_destroy(t->term[i].body);
		free(t->term[i].source);
		free(t->term[i].meaning);
	}
	free(t->term);
	*t = (struct expr_terms){ 0 };
}

static int is_paper_table(const struct dirent *d)
{
	static const char *const ours[] = { "terms.csv", "tables.csv", "figures.csv" };
	size_t length = strlen(d->d_name);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(d->d_name, ours[i]))
			return 0;
	return length > 4 && d->d_name[0] != '.' && !strcmp(d->d_name + length - 4, ".csv");
}

static int add_table(struct expr_printed_table **all, size_t *count, const char *folder,
		     const char *file, struct err *e)
{
	char path[PATH_MAX];
	struct expr_printed_table table = { 0 };
	int status = text_path(path, e, "%s/%s", folder, file);
	if (!status)
		status = csv_read(&table.csv, path, e);
	if (status)
		return status;
	status = text_copy(&table.name, file, e);
	if (!status)
		status = array_grow((void **)all, *count, sizeof(table), e);
	if (status) {
		free(table.name);
		csv_free(&table.csv);
		return status;
	}
	table.name[strlen(file) - 4] = '\0';
	(*all)[(*count)++] = table;
	return 0;
}

static int read_tables(struct expr_printed_table **all, size_t *count, const char *folder,
		       struct err *e)
{
	struct dirent **files;
	int status = 0, found = scandir(folder, &files, is_paper_table, alphasort);
	for (int i = 0; i < found; i++) {
		if (!status)
			status = add_table(all, count, folder, files[i]->d_name, e);
		free(files[i]);
	}
	if (found >= 0)
		free(files);
	return status;
}

int expr_printed_read(struct expr_printed *p, const char *paper, const char *simulated,
		      struct err *e)
{
	*p = (struct expr_printed){ 0 };
	int status = read_tables(&p->table, &p->count, paper, e);
	if (!status)
		status = read_tables(&p->simulation, &p->simulations, simulated, e);
	if (status)
		expr_printed_free(p);
	return status;
}

static void free_tables(struct expr_printed_table *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(all[i].name);
		csv_free(&all[i].csv);
	}
	free(all);
}

void expr_printed_free(struct expr_printed *p)
{
	free_tables(p->table, p->count);
	free_tables(p->simulation, p->simulations);
	*p = (struct expr_printed){ 0 };
}
