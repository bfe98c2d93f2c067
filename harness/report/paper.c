#include "harness/report/paper.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/data/names.h"
#include "harness/report/table/tables.h"

/* ---- loading ---- */

static int load_data(struct paper *p, const char *folder, struct err *e)
{
	char terms[PATH_MAX], claims[PATH_MAX], predicates[PATH_MAX];
	char tables[PATH_MAX], findings[PATH_MAX];
	int status;
	if ((status = text_path(terms, e, "%s/terms.csv", folder)) ||
	    (status = text_path(claims, e, "%s/claims.csv", folder)) ||
	    (status = text_path(predicates, e, "%s/predicates.txt", folder)) ||
	    (status = text_path(tables, e, "%s/tables.csv", folder)) ||
	    (status = text_path(findings, e, "%s/findings.md", folder)) ||
	    (status = expr_terms_read(p->terms, terms, e)) ||
	    (status = expr_printed_read(&p->printed, folder, e)) ||
	    (status = claims_read(&p->claims, claims, predicates, p->terms, e)) ||
	    (status = tables_read(&p->tables, tables, p->terms, e)))
		return status;
	return access(findings, F_OK) == 0 ? text_load(&p->findings, findings, e) : 0;
}

static int evaluate(const struct paper *p, struct paper_machine *m, struct err *e)
{
	struct expr_world *w;
	m->judgement = calloc(p->claims.count + 1, sizeof(*m->judgement));
	m->grid = calloc(p->tables.count + 1, sizeof(*m->grid));
	if (!m->judgement || !m->grid)
		return err_set(e, ERR_MEMORY, "out of memory");
	int status = expr_world_create(&w, m->set, &p->printed, e);
	if (status)
		return status;
	for (size_t i = 0; i < p->claims.count && !status; i++)
		status = claim_judge(&p->claims.claim[i], w, m->set, &m->judgement[i], e);
	for (size_t i = 0; i < p->tables.count && !status; i++)
		status = grid_fill(&m->grid[i], &p->tables.table[i], w, e);
	expr_world_destroy(w);
	return status ? status : grid_explain(m->grid, p->tables.count, m->set, &p->printed, e);
}

/* Fills the tables with the paper's numbers only, by evaluating them without measurements. */
static int paper_grids(struct paper *p, struct err *e)
{
	static const struct result_set nothing = { 0 };
	struct expr_world *w;
	p->printed_grid = calloc(p->tables.count + 1, sizeof(*p->printed_grid));
	if (!p->printed_grid)
		return err_set(e, ERR_MEMORY, "out of memory");
	int status = expr_world_create(&w, &nothing, &p->printed, e);
	if (status)
		return status;
	for (size_t i = 0; i < p->tables.count && !status; i++)
		status = grid_fill(&p->printed_grid[i], &p->tables.table[i], w, e);
	expr_world_destroy(w);
	return status;
}

static int add_machine(struct paper *p, const struct result_set *set, struct err *e)
{
	int status = array_grow((void **)&p->machine, p->machines, sizeof(*p->machine), e);
	if (status)
		return status;
	struct paper_machine *m = &p->machine[p->machines];
	*m = (struct paper_machine){ .set = set };
	p->machines++;
	status = evaluate(p, m, e);
	return status ? err_prefix(e, "%s on %s", p->target, set->machine) : 0;
}

int paper_load(struct paper *p, const char *papers, const char *target, const struct results *r,
	       struct err *e)
{
	char folder[PATH_MAX];
	*p = (struct paper){ 0 };
	int status = text_path(folder, e, "%s/%s", papers, target);
	if (!status)
		status = text_copy(&p->target, target, e);
	p->terms = calloc(1, sizeof(*p->terms));
	if (!status && !p->terms)
		status = err_set(e, ERR_MEMORY, "out of memory");
	if (!status)
		status = load_data(p, folder, e);
	if (!status)
		status = paper_grids(p, e);
	for (size_t i = 0; i < r->sets && !status; i++)
		if (!strcmp(r->set[i].target, target))
			status = add_machine(p, &r->set[i], e);
	if (status)
		paper_free(p);
	return status;
}

void paper_free(struct paper *p)
{
	for (size_t i = 0; i < p->machines; i++) {
		struct paper_machine *m = &p->machine[i];
		for (size_t k = 0; m->judgement && k < p->claims.count; k++)
			judgement_free(&m->judgement[k]);
		for (size_t k = 0; m->grid && k < p->tables.count; k++)
			grid_free(&m->grid[k]);
		free(m->judgement);
		free(m->grid);
	}
	free(p->machine);
	for (size_t i = 0; p->printed_grid && i < p->tables.count; i++)
		grid_free(&p->printed_grid[i]);
	free(p->printed_grid);
	tables_free(&p->tables);
	claims_free(&p->claims);
	expr_printed_free(&p->printed);
	if (p->terms)
		expr_terms_free(p->terms);
	free(p->terms);
	text_free(&p->findings);
	free(p->target);
	*p = (struct paper){ 0 };
}

bool paper_measured(const struct paper *p, size_t table)
{
	bool any = false;
	for (size_t m = 0; m < p->machines; m++)
		any = any || p->machine[m].grid[table].measured;
	return any;
}

/* ---- verdicts ---- */

size_t paper_verdicts_on(const struct paper *p, const struct paper_machine *m, enum verdict v)
{
	size_t count = 0;
	for (size_t i = 0; i < p->claims.count; i++)
		count += m->judgement[i].verdict == v;
	return count;
}

const struct paper_machine *paper_best_machine(const struct paper *p)
{
	const struct paper_machine *best = NULL;
	for (size_t i = 0; i < p->machines; i++)
		if (!best || paper_verdicts_on(p, &p->machine[i], VERDICT_NOT_TESTED) <
				     paper_verdicts_on(p, best, VERDICT_NOT_TESTED))
			best = &p->machine[i];
	return best;
}

enum verdict paper_verdict(const struct paper *p, size_t claim)
{
	const struct paper_machine *best = paper_best_machine(p);
	enum verdict v = best ? best->judgement[claim].verdict : VERDICT_NOT_TESTED;
	for (size_t i = 0; i < p->machines && v == VERDICT_NOT_TESTED; i++)
		v = p->machine[i].judgement[claim].verdict;
	return v;
}

/* ---- which rows the claims read ---- */

typedef void visit(void *ctx, size_t bench, const char *counter);

/* Calls `then` for each benchmark and counter that a line of expr_trace.reads selects. */
static void visit_line(char *line, const struct result_set *set, visit *then, void *ctx)
{
	char *pattern = strchr(line, '\t');
	if (*line != '|' || !pattern)
		return;
	*pattern++ = '\0';
	for (size_t i = 0; i < set->benches; i++)
		if (name_match(pattern, set->bench[i].name, NULL))
			then(ctx, i, line + 1);
}

static void visit_reads(const struct judgement *j, const struct result_set *set, visit *then,
			void *ctx)
{
	const char *at = text_get(&j->trace.reads);
	struct text line = { 0 };
	while (*at) {
		size_t length = strcspn(at, "\n");
		line.length = 0;
		text_add_n(&line, at, length);
		if (line.data)
			visit_line(line.data, set, then, ctx);
		at += length + (at[length] == '\n');
	}
	text_free(&line);
}

static void mark(void *ctx, size_t bench, const char *counter)
{
	bool *read = ctx;
	(void)counter;
	read[bench] = true;
}

void paper_mark_rows(const struct judgement *j, const struct result_set *set, bool *read)
{
	visit_reads(j, set, mark, read);
}

/* ---- from rows to claims ---- */

/* Appends a word unless the list contains it. */
static void add_word(struct text *list, const char *word)
{
	const char *at = text_get(list);
	size_t length = strlen(word);
	while (*at) {
		size_t one = strcspn(at, " ");
		if (one == length && !strncmp(at, word, length))
			return;
		at += one + (at[one] == ' ');
	}
	if (length)
		text_add(list, "%s%s", list->length ? " " : "", word);
}

struct using
{
	struct row_use *uses;
	const char *claim;
};

static void use(void *ctx, size_t bench, const char *counter)
{
	const struct using *u = ctx;
	add_word(&u->uses[bench].claims, u->claim);
	add_word(&u->uses[bench].counters, counter);
}

int paper_row_uses(const struct paper *p, const struct paper_machine *m, struct row_use **out,
		   struct err *e)
{
	struct using u = { calloc(m->set->benches + 1, sizeof(*u.uses)), NULL };
	if (!u.uses)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < p->claims.count; i++) {
		u.claim = p->claims.claim[i].id;
		visit_reads(&m->judgement[i], m->set, use, &u);
	}
	*out = u.uses;
	return 0;
}

void paper_row_uses_free(struct row_use *uses, size_t count)
{
	for (size_t i = 0; uses && i < count; i++) {
		text_free(&uses[i].claims);
		text_free(&uses[i].counters);
	}
	free(uses);
}
