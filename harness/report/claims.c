#include "harness/report/claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/data/results.h"

enum { SAMPLES = 1000 };
enum { C_ID, C_SECTION, C_CLAIM, C_CLASS, C_TOLERANCE, C_REMARK, C_ORIGIN };

const char *const verdict_marks[VERDICTS] = { "good", "bad", "unsure", "open" };
const char *const verdict_names[VERDICTS] = { "CONFIRMED", "REFUTED", "AMBIGUOUS", "NOT TESTED" };

static const char *const columns[] = { "id",        "section", "claim",   "class",
				       "tolerance", "?remark", "?origin", NULL };
static const struct expr_param tolerance_param[] = { { "tolerance", EXPR_NUMBER } };

static int read_class(const char *class, struct err *e)
{
	static const char *const classes[] = { "exact", "bound", "shape", "ratio", "absolute" };
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(class, classes[i]))
			return 0;
	return err_set(e, ERR_INPUT, "unknown class '%s' (exact, bound, shape, ratio or absolute)",
		       class);
}

static int read_tolerance(const char *text, double *tolerance, struct err *e)
{
	char *end;
	*tolerance = NAN;
	if (!*text)
		return 0;
	*tolerance = strtod(text, &end);
	if (*end || !isfinite(*tolerance) || *tolerance < 0)
		return err_set(e, ERR_INPUT, "tolerance '%s' is not a number >= 0", text);
	return 0;
}

static int read_origin(const char *origin, bool *ours, struct err *e)
{
	*ours = !strcmp(origin, "ours");
	return *ours || !*origin || !strcmp(origin, "paper") ?
		       0 :
		       err_set(e, ERR_INPUT, "unknown origin '%s' (paper or ours)", origin);
}

static int fill_claim(struct claim *c, const char *const *cell, struct err *e)
{
	char **const texts[] = { &c->id, &c->section, &c->text, &c->class };
	int status = 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && !status; i++) {
		if (!*cell[i])
			return err_set(e, ERR_INPUT, "the field '%s' is empty", columns[i]);
		status = text_copy(texts[i], cell[i], e);
	}
	if (status || (status = text_copy(&c->remark, cell[C_REMARK], e)) ||
	    (status = read_class(cell[C_CLASS], e)) ||
	    (status = read_origin(cell[C_ORIGIN], &c->ours, e)))
		return status;
	return read_tolerance(cell[C_TOLERANCE], &c->tolerance, e);
}

static void free_claim(struct claim *c)
{
	expr_destroy(c->predicate);
	free(c->id);
	free(c->section);
	free(c->text);
	free(c->class);
	free(c->source);
	free(c->remark);
}

static struct claim *find_claim(const struct claims *all, const char *id, size_t length)
{
	for (size_t i = 0; i < all->count; i++)
		if (strlen(all->claim[i].id) == length && !strncmp(all->claim[i].id, id, length))
			return &all->claim[i];
	return NULL;
}

static int add_claim(void *ctx, const char *const *cell, struct err *e)
{
	struct claims *all = ctx;
	struct claim claim = { 0 };
	if (find_claim(all, cell[C_ID], strlen(cell[C_ID])))
		return err_set(e, ERR_INPUT, "duplicate claim '%s'", cell[C_ID]);
	int status = fill_claim(&claim, cell, e);
	if (!status)
		status = array_grow((void **)&all->claim, all->count, sizeof(claim), e);
	if (status)
		free_claim(&claim);
	else
		all->claim[all->count++] = claim;
	return status;
}

/* ---- predicates.txt ---- */

struct predicates {
	struct claims *all;
	const struct expr_terms *terms;
	const char *path;
	int line;
	struct claim *claim; /* the claim of the current block; NULL before the first block */
	int begun;           /* the line on which the current block begins */
	struct text source;
};

/* Appends one line of an expression. Line breaks and indentation become one space. */
static void add_source(struct text *source, const char *part, size_t length)
{
	while (length && strchr(" \t\r", part[length - 1]))
		length--;
	size_t indent = strspn(part, " \t");
	if (indent >= length)
		return;
	text_add(source, source->length ? " " : "");
	text_add_n(source, part + indent, length - indent);
}

/* Parses the predicate of the block that ends here. */
static int end_block(struct predicates *p, struct err *e)
{
	struct claim *c = p->claim;
	if (!c)
		return 0;
	int status = text_ok(&p->source, e);
	if (!status)
		status = text_copy(&c->source, text_get(&p->source), e);
	if (!status)
		status = expr_parse(&c->predicate, c->source, p->terms, tolerance_param,
				    isnan(c->tolerance) ? 0u : 1u, EXPR_TRUTH, e);
	p->source.length = 0;
	return status ? err_prefix(e, "%s:%d: predicate of '%s'", p->path, p->begun, c->id) : 0;
}

/* "id:" or "id: the beginning of the expression". */
static int begin_block(struct predicates *p, const char *line, size_t length, struct err *e)
{
	int status = end_block(p, e);
	const char *colon = memchr(line, ':', length);
	if (status)
		return status;
	if (!colon)
		return err_set(e, ERR_INPUT, "%s:%d: expected '<claim>:' or an indented line",
			       p->path, p->line);
	size_t name = (size_t)(colon - line);
	p->claim = find_claim(p->all, line, name);
	p->begun = p->line;
	if (!p->claim)
		return err_set(e, ERR_INPUT, "%s:%d: claims.csv has no claim '%.*s'", p->path,
			       p->line, (int)(name < 64 ? name : 64), line);
	if (p->claim->predicate)
		return err_set(e, ERR_INPUT, "%s:%d: duplicate predicate of '%s'", p->path, p->line,
			       p->claim->id);
	add_source(&p->source, colon + 1, length - name - 1);
	return 0;
}

static int read_line(struct predicates *p, const char *line, size_t length, struct err *e)
{
	if (*line == '#' || strspn(line, " \t\r") >= length)
		return 0;
	if (*line != ' ' && *line != '\t')
		return begin_block(p, line, length, e);
	if (!p->claim)
		return err_set(e, ERR_INPUT, "%s:%d: an indented line before the first claim",
			       p->path, p->line);
	add_source(&p->source, line, length);
	return 0;
}

static int read_predicates(struct predicates *p, struct err *e)
{
	struct text all;
	if (access(p->path, F_OK) != 0)
		return 0;
	int status = text_load(&all, p->path, e);
	const char *at = status ? "" : text_get(&all);
	for (p->line = 1; *at && !status; p->line++) {
		size_t length = strcspn(at, "\n");
		status = read_line(p, at, length, e);
		at += length + (at[length] == '\n');
	}
	if (!status)
		status = end_block(p, e);
	text_free(&all);
	text_free(&p->source);
	return status;
}

int claims_read(struct claims *all, const char *claims, const char *predicates,
		const struct expr_terms *terms, struct err *e)
{
	struct predicates p = { .all = all, .terms = terms, .path = predicates };
	*all = (struct claims){ 0 };
	int status = csv_read_rows(claims, columns, add_claim, all, e);
	if (!status)
		status = read_predicates(&p, e);
	for (size_t i = 0; i < all->count && !status; i++)
		if (!all->claim[i].predicate)
			status = err_set(e, ERR_INPUT, "%s: no predicate of '%s'", predicates,
					 all->claim[i].id);
	if (status)
		claims_free(all);
	return status;
}

void claims_free(struct claims *all)
{
	for (size_t i = 0; i < all->count; i++)
		free_claim(&all->claim[i]);
	free(all->claim);
	*all = (struct claims){ 0 };
}

/* ---- judging ---- */

static void add_once(struct text *t, const char *line)
{
	if (!strstr(text_get(t), line))
		text_add(t, "%s", line);
}

/* Explains a missing "pattern" or "pattern : counter": a matching benchmark was skipped, or the
 * machine has fewer GPUs than the gpus: parameter in the pattern. */
static void explain(const char *missing, const struct result_set *set, struct text *needs)
{
	struct text line = { 0 }, pattern = { 0 };
	const char *counter = strstr(missing, " : ");
	int gpus = 0;
	text_add_n(&pattern, missing, counter ? (size_t)(counter - missing) : strlen(missing));
	for (size_t i = 0; i < set->skips && !line.length; i++)
		if (name_match(text_get(&pattern), set->skip[i].name, NULL))
			text_add(&line, "%s\n", set->skip[i].message);
	const char *asked = strstr(missing, "gpus:");
	if (!line.length && asked && sscanf(asked, "gpus:%d", &gpus) == 1 &&
	    gpus > results_gpus(set))
		text_add(&line, "needs %d CUDA device%s\n", gpus, gpus == 1 ? "" : "s");
	if (line.length)
		add_once(needs, text_get(&line));
	line.length = 0;
	text_add(&line, "no row: %s\n", missing);
	add_once(needs, text_get(&line));
	text_free(&line);
	text_free(&pattern);
}

static void explain_all(struct judgement *j, const struct result_set *set)
{
	const char *at = text_get(&j->trace.missing);
	while (*at) {
		size_t length = strcspn(at, "\n");
		char missing[EXPR_TEXT_MAX * 2];
		snprintf(missing, sizeof(missing), "%.*s", (int)length, at);
		explain(missing, set, &j->needs);
		at += length + (at[length] == '\n');
	}
}

int claim_judge(const struct claim *c, struct expr_world *w, const struct result_set *set,
		struct judgement *j, struct err *e)
{
	struct expr_value tolerance = { .type = EXPR_NUMBER, .number = c->tolerance };
	struct expr_value measured, sample;
	unsigned agree = 0;
	*j = (struct judgement){ .verdict = VERDICT_NOT_TESTED };
	int status = expr_eval(c->predicate, w, &tolerance, 0, &j->trace, &measured, e);
	if (!status && measured.missing) {
		explain_all(j, set);
		return 0;
	}
	for (unsigned i = 1; i <= SAMPLES && !status; i++) {
		status = expr_eval(c->predicate, w, &tolerance, i, NULL, &sample, e);
		agree += !sample.missing && sample.truth == measured.truth;
	}
	if (status) {
		judgement_free(j);
		return status;
	}
	j->agreement = (double)agree / SAMPLES;
	j->verdict = j->agreement < 0.95 ? VERDICT_AMBIGUOUS :
		     measured.truth      ? VERDICT_CONFIRMED :
					   VERDICT_REFUTED;
	return 0;
}

void judgement_free(struct judgement *j)
{
	expr_trace_free(&j->trace);
	text_free(&j->needs);
}
