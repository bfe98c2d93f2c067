#include "harness/report/paper.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/data/results.h"
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

/* ---- which rows the claims read ---- */

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

/* Marks the benchmarks and counters that a line of expr_trace.reads selects. */
static void mark_line(char *line, struct paper_machine *m, bool *read)
{
	char *pattern = strchr(line, '\t');
	if (*line != '|' || !pattern)
		return;
	*pattern++ = '\0';
	for (size_t i = 0; i < m->set->benches; i++)
		if (name_match(pattern, m->set->bench[i].name, NULL)) {
			read[i] = true;
			add_word(&m->counters[i], line + 1);
		}
}

static void mark_reads(struct paper_machine *m, size_t claim)
{
	const char *at = text_get(&m->judgement[claim].trace.reads);
	struct text line = { 0 };
	while (*at) {
		size_t length = strcspn(at, "\n");
		line.length = 0;
		text_add_n(&line, at, length);
		if (line.data)
			mark_line(line.data, m, m->read + claim * m->set->benches);
		at += length + (at[length] == '\n');
	}
	text_free(&line);
}

/* ---- evaluation ---- */

static int judge_claims(const struct paper *p, struct paper_machine *m, struct err *e)
{
	struct expr_world *w;
	m->judgement = calloc(p->claims.count + 1, sizeof(*m->judgement));
	m->read = calloc(p->claims.count * m->set->benches + 1, sizeof(*m->read));
	m->counters = calloc(m->set->benches + 1, sizeof(*m->counters));
	if (!m->judgement || !m->read || !m->counters)
		return err_set(e, ERR_MEMORY, "out of memory");
	int status = expr_world_create(&w, m->set, &p->printed, e);
	if (status)
		return status;
	for (size_t i = 0; i < p->claims.count && !status; i++) {
		status = claim_judge(&p->claims.claim[i], w, m->set, &m->judgement[i], e);
		m->verdicts[m->judgement[i].verdict]++;
		mark_reads(m, i);
	}
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
	status = judge_claims(p, m, e);
	if (!status)
		status = grids_fill(&m->grid, &p->tables, set, &p->printed, e);
	return status ? err_prefix(e, "%s on %s", p->target, set->machine) : 0;
}

/* Sets the members that depend on all machines. */
static int summarise(struct paper *p, struct err *e)
{
	p->verdict = calloc(p->claims.count + 1, sizeof(*p->verdict));
	p->measured = calloc(p->tables.count + 1, sizeof(*p->measured));
	if (!p->verdict || !p->measured)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t m = 0; m < p->machines; m++) {
		const struct paper_machine *one = &p->machine[m];
		if (!p->best ||
		    one->verdicts[VERDICT_NOT_TESTED] < p->best->verdicts[VERDICT_NOT_TESTED])
			p->best = one;
		for (size_t i = 0; i < p->tables.count; i++)
			p->measured[i] = p->measured[i] || one->grid[i].measured;
	}
	for (size_t i = 0; i < p->claims.count; i++) {
		p->verdict[i] = p->best ? p->best->judgement[i].verdict : VERDICT_NOT_TESTED;
		for (size_t m = 0; m < p->machines && p->verdict[i] == VERDICT_NOT_TESTED; m++)
			p->verdict[i] = p->machine[m].judgement[i].verdict;
	}
	return 0;
}

int paper_load(struct paper *p, const char *papers, const char *target, const struct results *r,
	       struct err *e)
{
	static const struct result_set nothing = { 0 };
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
	if (!status) /* without measurements, a table has only the paper's numbers */
		status = grids_fill(&p->printed_grid, &p->tables, &nothing, &p->printed, e);
	for (size_t i = 0; i < r->sets && !status; i++)
		if (!strcmp(r->set[i].target, target))
			status = add_machine(p, &r->set[i], e);
	if (!status)
		status = summarise(p, e);
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
		for (size_t k = 0; m->counters && k < m->set->benches; k++)
			text_free(&m->counters[k]);
		grids_free(m->grid, p->tables.count);
		free(m->judgement);
		free(m->counters);
		free(m->read);
	}
	free(p->machine);
	free(p->verdict);
	free(p->measured);
	grids_free(p->printed_grid, p->tables.count);
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
