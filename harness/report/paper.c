/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/paper.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/data/results.h"
#include "harness/report/table/tables.h"

/* ---- loading ---- */

static int load_data(struct paper *p, const char *folder, const char *simulated, struct err *e)
{
	char terms[PATH_MAX], claims[PATH_MAX], tables[PATH_MAX], findings[PATH_MAX];
	int status;
	if ((status = text_path(terms, e, "%s/terms.csv", folder)) ||
	    (status = text_path(claims, e, "%s/claims.txt", folder)) ||
	    (status = text_path(tables, e, "%s/tables.csv", folder)) ||
	    (status = text_path(findings, e, "%s/findings.md", folder)) ||
	    (status = expr_terms_read(p->terms, terms, e)) ||
	    (status = expr_printed_read(&p->printed, folder, simulated, e)) ||
	    (status = claims_read(&p->claims, claims, p->terms, e)) ||
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

/* Raises the runs that a benchmark needs to its part of the `runs` that it needs with its seeds. */
static void raise_needed(struct paper_machine *m, const struct expr_read *read, size_t bench,
			 size_t runs)
{
	if (runs <= m->needed[bench] || !result_values(&m->set->bench[bench], read->counter))
		return;
	size_t each = claim_runs_each(runs, claim_pool(m->set, read, bench).seeds);
	m->needed[bench] = each > m->needed[bench] ? each : m->needed[bench];
}

/* Marks the benchmarks and counters that the evaluation of a claim read. */
static void mark_reads(struct paper_machine *m, const struct claim *c, size_t claim)
{
	bool *marks = m->read + claim * m->set->benches;
	const struct expr_trace *trace = &m->judgement[claim].trace;
	struct expr_read read;
	for (const char *at = expr_read_first(trace); expr_read_next(&at, &read);) {
		size_t needed = claim_runs(c, trace, &read);
		for (size_t i = 0; i < m->set->benches; i++)
			if (name_match(read.pattern, m->set->bench[i].name, NULL)) {
				marks[i] = true;
				raise_needed(m, &read, i, needed);
				add_word(&m->counters[i], read.counter);
			}
	}
}

/* ---- evaluation ---- */

static int judge_claims(const struct paper *p, struct paper_machine *m, struct err *e)
{
	struct expr_world *w;
	m->judgement = calloc(p->claims.count + 1, sizeof(*m->judgement));
	m->read = calloc(p->claims.count * m->set->benches + 1, sizeof(*m->read));
	m->counters = calloc(m->set->benches + 1, sizeof(*m->counters));
	m->needed = calloc(m->set->benches + 1, sizeof(*m->needed));
	if (!m->judgement || !m->read || !m->counters || !m->needed)
		return err_set(e, ERR_MEMORY, "out of memory");
	int status = expr_world_create(&w, m->set, &p->printed, e);
	if (status)
		return status;
	for (size_t i = 0; i < p->claims.count && !status; i++) {
		const struct claim *c = &p->claims.claim[i];
		struct judgement *j = &m->judgement[i];
		if (c->kind == CLAIM_ARITHMETIC)
			continue;
		status = claim_judge(c, w, m->set, j, e);
		m->verdicts[c->kind][j->verdict]++;
		m->decided += j->verdict != VERDICT_NOT_TESTED;
		mark_reads(m, c, i);
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

/* Judges the arithmetic, for which there are no results. */
static int judge_arithmetic(struct paper *p, const struct result_set *nothing, struct err *e)
{
	struct expr_world *w;
	p->arithmetic = calloc(p->claims.count + 1, sizeof(*p->arithmetic));
	if (!p->arithmetic)
		return err_set(e, ERR_MEMORY, "out of memory");
	int status = expr_world_create(&w, nothing, &p->printed, e);
	if (status)
		return status;
	for (size_t i = 0; i < p->claims.count && !status; i++)
		if (p->claims.claim[i].kind == CLAIM_ARITHMETIC)
			status = claim_judge(&p->claims.claim[i], w, nothing, &p->arithmetic[i], e);
	expr_world_destroy(w);
	return status;
}

/* Whether machine a judges a claim rather than b: local before recorded, then a verdict before
 * INCONCLUSIVE, then by the number of claims decided. */
static bool before(const struct paper_machine *a, const struct paper_machine *b, size_t claim)
{
	bool unclear = a->judgement[claim].verdict == VERDICT_INCONCLUSIVE,
	     other_unclear = b->judgement[claim].verdict == VERDICT_INCONCLUSIVE;

	if (a->set->recorded != b->set->recorded)
		return b->set->recorded;
	if (unclear != other_unclear)
		return other_unclear;
	return a->decided > b->decided;
}

static const struct paper_machine *find_judge(const struct paper *p, size_t claim)
{
	const struct paper_machine *judge = NULL;
	for (size_t m = 0; m < p->machines; m++) {
		const struct paper_machine *one = &p->machine[m];
		if (one->judgement[claim].verdict != VERDICT_NOT_TESTED &&
		    (!judge || before(one, judge, claim)))
			judge = one;
	}
	return judge;
}

/* Sets the members that depend on all machines. */
static int summarise(struct paper *p, struct err *e)
{
	p->judge = calloc(p->claims.count + 1, sizeof(*p->judge));
	p->measured = calloc(p->tables.count + 1, sizeof(*p->measured));
	if (!p->judge || !p->measured)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t m = 0; m < p->machines; m++) {
		const struct paper_machine *one = &p->machine[m];
		if (!p->best || one->decided > p->best->decided)
			p->best = one;
		for (size_t i = 0; i < p->tables.count; i++)
			p->measured[i] = p->measured[i] || one->grid[i].measured;
	}
	for (size_t i = 0; i < p->claims.count; i++)
		if (p->claims.claim[i].kind != CLAIM_ARITHMETIC)
			p->judge[i] = find_judge(p, i);
	return 0;
}

const struct judgement *paper_judgement(const struct paper *p, size_t claim)
{
	const struct judgement *least = NULL;
	if (p->claims.claim[claim].kind == CLAIM_ARITHMETIC)
		return &p->arithmetic[claim];
	if (p->judge[claim])
		return &p->judge[claim]->judgement[claim];
	for (size_t m = 0; m < p->machines; m++) {
		const struct judgement *j = &p->machine[m].judgement[claim];
		if (!least || j->gap < least->gap)
			least = j;
	}
	return least;
}

enum verdict paper_verdict(const struct paper *p, size_t claim)
{
	const struct judgement *j = paper_judgement(p, claim);
	return j ? j->verdict : VERDICT_NOT_TESTED;
}

/* Appends the first line, and how many more there are. */
static void first_line(const struct text *lines, struct text *out)
{
	const char *at = text_get(lines);
	size_t length = strcspn(at, "\n"), more = 0;
	text_add_n(out, at, length);
	for (at += length; (at = strchr(at, '\n')); at++)
		more += at[1] != '\0';
	if (more)
		text_add(out, ", and %zu more", more);
}

void paper_reason(const struct paper *p, size_t claim, struct text *out)
{
	const struct judgement *j = paper_judgement(p, claim);
	if (!j)
		text_add(out, "nothing has been measured yet");
	else if (j->verdict == VERDICT_NOT_TESTED)
		first_line(&j->needs, out);
	else if (j->verdict == VERDICT_NOT_CARRIED_OVER)
		text_add(out, "%s", text_get(&j->reason));
	else if (j->unreliable)
		text_add(out, "what is measured cannot judge it: the condition \"reliable\" does "
			      "not hold");
	else if (j->verdict == VERDICT_INCONCLUSIVE)
		text_add(out, "%.0f %% of the samples agree", floor(100 * j->agreement));
}

static const char *first_cell(const struct csv *c, const char *column)
{
	int at = csv_column(c, column);
	return at >= 0 && c->rows ? csv_cell(c, 0, at) : "unknown";
}

void paper_simulated_origin(const struct paper *p, struct text *out)
{
	struct text all = { 0 };
	for (size_t i = 0; i < p->printed.simulations; i++) {
		const struct csv *c = &p->printed.simulation[i].csv;
		struct text one = { 0 };
		text_add(&one, "revision %s, on %s, %s", first_cell(c, "revision"),
			 first_cell(c, "machine"), first_cell(c, "date"));
		if (c->rows && !strstr(text_get(&all), text_get(&one)))
			text_add(&all, "%s%s", all.length ? "; " : "", text_get(&one));
		all.failed = all.failed || one.failed;
		text_free(&one);
	}
	text_add(out, "%s", text_get(&all));
	out->failed = out->failed || all.failed;
	text_free(&all);
}

int paper_load(struct paper *p, const char *papers, const char *target, const struct results *r,
	       struct err *e)
{
	static const struct result_set nothing = { 0 };
	char folder[PATH_MAX], simulated[PATH_MAX];
	*p = (struct paper){ 0 };
	int status = text_path(folder, e, "%s/%s", papers, target);
	if (!status)
		status = text_path(simulated, e, "%s/../simulated/%s", papers, target);
	if (!status)
		status = text_copy(&p->target, target, e);
	p->terms = calloc(1, sizeof(*p->terms));
	if (!status && !p->terms)
		status = err_set(e, ERR_MEMORY, "out of memory");
	if (!status)
		status = load_data(p, folder, simulated, e);
	if (!status)
		status = judge_arithmetic(p, &nothing, e);
	if (!status) /* without measurements: the paper's numbers, and simulated ones */
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
		free(m->needed);
		free(m->read);
	}
	for (size_t i = 0; p->arithmetic && i < p->claims.count; i++)
		judgement_free(&p->arithmetic[i]);
	free(p->arithmetic);
	free(p->machine);
	free(p->judge);
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
