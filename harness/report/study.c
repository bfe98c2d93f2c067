#include "harness/report/study.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/absent.h"

/* ---- loading ---- */

static int load_data(struct study *s, const char *folder, struct err *e)
{
	char terms[PATH_MAX], claims[PATH_MAX], tables[PATH_MAX], findings[PATH_MAX];
	int status;
	if ((status = text_path(terms, e, "%s/terms.csv", folder)) ||
	    (status = text_path(claims, e, "%s/claims.csv", folder)) ||
	    (status = text_path(tables, e, "%s/tables.csv", folder)) ||
	    (status = text_path(findings, e, "%s/findings.md", folder)) ||
	    (status = pred_terms_read(s->terms, terms, e)) ||
	    (status = pred_papers_read(&s->papers, folder, e)) ||
	    (status = claims_read(&s->claims, claims, s->terms, e)) ||
	    (status = tables_read(&s->tables, tables, s->terms, e)))
		return status;
	return access(findings, F_OK) == 0 ? text_load(&s->findings, findings, e) : 0;
}

static int evaluate(const struct study *s, struct study_machine *m, struct err *e)
{
	struct pred_world *w;
	m->judgement = calloc(s->claims.count + 1, sizeof(*m->judgement));
	m->grid = calloc(s->tables.count + 1, sizeof(*m->grid));
	if (!m->judgement || !m->grid)
		return err_set(e, ERR_MEMORY, "out of memory");
	int status = pred_world_create(&w, m->set, &s->papers, e);
	if (status)
		return status;
	for (size_t i = 0; i < s->claims.count && !status; i++)
		status = claim_judge(&s->claims.claim[i], w, m->set, &m->judgement[i], e);
	for (size_t i = 0; i < s->tables.count && !status; i++)
		status = grid_fill(&m->grid[i], &s->tables.table[i], w, e);
	pred_world_destroy(w);
	return status ? status : absent_explain(m->grid, s->tables.count, m->set, &s->papers, e);
}

/* The paper's own figures, as a machine without measurements has them. */
static int paper_grids(struct study *s, struct err *e)
{
	static const struct result_set nothing = { 0 };
	struct pred_world *w;
	s->paper = calloc(s->tables.count + 1, sizeof(*s->paper));
	if (!s->paper)
		return err_set(e, ERR_MEMORY, "out of memory");
	int status = pred_world_create(&w, &nothing, &s->papers, e);
	if (status)
		return status;
	for (size_t i = 0; i < s->tables.count && !status; i++)
		status = grid_fill(&s->paper[i], &s->tables.table[i], w, e);
	pred_world_destroy(w);
	return status;
}

static int add_machine(struct study *s, const struct result_set *set, struct err *e)
{
	int status = array_grow((void **)&s->machine, s->machines, sizeof(*s->machine), e);
	if (status)
		return status;
	struct study_machine *m = &s->machine[s->machines];
	*m = (struct study_machine){ .set = set };
	s->machines++;
	status = evaluate(s, m, e);
	return status ? err_prefix(e, "%s on %s", s->target, set->machine) : 0;
}

int study_load(struct study *s, const char *papers, const char *target, const struct results *r,
	       struct err *e)
{
	char folder[PATH_MAX];
	*s = (struct study){ 0 };
	int status = text_path(folder, e, "%s/%s", papers, target);
	if (!status)
		status = text_copy(&s->target, target, e);
	s->terms = calloc(1, sizeof(*s->terms));
	if (!status && !s->terms)
		status = err_set(e, ERR_MEMORY, "out of memory");
	if (!status)
		status = load_data(s, folder, e);
	if (!status)
		status = paper_grids(s, e);
	for (size_t i = 0; i < r->sets && !status; i++)
		if (!strcmp(r->set[i].target, target))
			status = add_machine(s, &r->set[i], e);
	if (status)
		study_free(s);
	return status;
}

void study_free(struct study *s)
{
	for (size_t i = 0; i < s->machines; i++) {
		struct study_machine *m = &s->machine[i];
		for (size_t k = 0; m->judgement && k < s->claims.count; k++)
			judgement_free(&m->judgement[k]);
		for (size_t k = 0; m->grid && k < s->tables.count; k++)
			grid_free(&m->grid[k]);
		free(m->judgement);
		free(m->grid);
	}
	free(s->machine);
	for (size_t i = 0; s->paper && i < s->tables.count; i++)
		grid_free(&s->paper[i]);
	free(s->paper);
	tables_free(&s->tables);
	claims_free(&s->claims);
	pred_papers_free(&s->papers);
	if (s->terms)
		pred_terms_free(s->terms);
	free(s->terms);
	text_free(&s->findings);
	free(s->target);
	*s = (struct study){ 0 };
}

bool study_measured(const struct study *s, size_t table)
{
	bool any = false;
	for (size_t m = 0; m < s->machines; m++)
		any = any || s->machine[m].grid[table].measured;
	return any;
}

/* ---- naming machines ---- */

void machine_gpus(const struct result_set *set, struct text *out)
{
	int count = 0;
	const char *name = NULL;
	for (size_t i = 0; i < set->files && !name; i++) {
		char key[32];
		for (count = 0;; count++) {
			snprintf(key, sizeof(key), "gpu_%d_name", count);
			const char *found = result_fact(&set->file[i], key);
			if (!found)
				break;
			name = name ? name : found;
		}
	}
	int opened = (int)results_gpus(set);
	if (name && opened && opened < count)
		text_add(out, "%d of %d × %s", opened, count, name);
	else if (name && count > 1)
		text_add(out, "%d × %s", count, name);
	else if (name)
		text_add(out, "%s", name);
}

void machine_origin(const struct result_set *set, struct text *out)
{
	const char *last = "";
	for (size_t i = 0; i < set->files; i++)
		if (strcmp(set->file[i].date, last) > 0)
			last = set->file[i].date;
	text_add(out, set->recorded ? "RECORDED on %s" : "measured here, on %s", set->machine);
	if (*last)
		text_add(out, ", %.10s", last);
}

/* Folders have any name; programs give them none but such a one. */
void machine_slug(const struct result_set *set, struct text *out)
{
	text_add(out, set->recorded ? "recorded-" : "local-");
	for (const char *c = set->machine; *c; c++)
		text_add_n(out, isalnum((unsigned char)*c) || *c == '.' ? c : "-", 1);
}
