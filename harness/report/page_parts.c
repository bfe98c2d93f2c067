#include "harness/report/page_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const enum doc_tone verdict_tones[VERDICTS] = { TONE_GOOD, TONE_BAD, TONE_UNSURE, TONE_OPEN };

void page_heading(const struct study *s, struct doc *d, const char *part, const char *heading)
{
	struct text anchor = { 0 };
	text_add(&anchor, "%s-%s", s->target, part);
	doc_heading(d, 2, text_get(&anchor), heading);
	text_free(&anchor);
}

void page_origin(const struct result_set *set, struct doc *d)
{
	struct text origin = { 0 }, gpus = { 0 };
	machine_origin(set, &origin);
	machine_gpus(set, &gpus);
	doc_paragraph(d, set->recorded ? TONE_RECORDED : TONE_HERE, "%s · %s", text_get(&origin),
		      gpus.length ? text_get(&gpus) : "no GPU");
	text_free(&origin);
	text_free(&gpus);
}

const char *page_fact(const struct result_set *set, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < set->files && !value; i++)
		value = result_fact(&set->file[i], name);
	return value ? value : "";
}

/* ---- counting ---- */

size_t count_verdicts(const struct study *s, const struct study_machine *m, enum verdict v)
{
	size_t count = 0;
	for (size_t i = 0; i < s->claims.count; i++)
		count += m->judgement[i].verdict == v;
	return count;
}

const struct study_machine *best_machine(const struct study *s)
{
	const struct study_machine *best = NULL;
	for (size_t i = 0; i < s->machines; i++)
		if (!best || count_verdicts(s, &s->machine[i], VERDICT_NOT_TESTED) <
				     count_verdicts(s, best, VERDICT_NOT_TESTED))
			best = &s->machine[i];
	return best;
}

enum verdict claim_verdict(const struct study *s, size_t claim)
{
	const struct study_machine *best = best_machine(s);
	enum verdict v = best ? best->judgement[claim].verdict : VERDICT_NOT_TESTED;
	for (size_t i = 0; i < s->machines && v == VERDICT_NOT_TESTED; i++)
		v = s->machine[i].judgement[claim].verdict;
	return v;
}

size_t count_claims(const struct study *s, enum verdict v, const char *class)
{
	size_t count = 0;
	for (size_t i = 0; i < s->claims.count; i++)
		count += claim_verdict(s, i) == v &&
			 (!class || !strcmp(s->claims.claim[i].class, class));
	return count;
}

size_t count_findings(const struct study *s)
{
	const char *at = text_get(&s->findings);
	size_t count = !strncmp(at, "- ", 2);
	while ((at = strstr(at, "\n- "))) {
		count++;
		at++;
	}
	return count;
}

/* ---- links ---- */

void claim_link(struct text *out, const struct study *s, const struct claim *c)
{
	text_add(out, "%s-claims#claim-%s-%s", s->target, s->target, c->id);
}

void table_link(struct text *out, const struct study *s, const struct table *t)
{
	text_add(out, "%s#%s-%s", s->target, s->target, t->id);
}

void row_anchor(struct text *out, const struct result_set *set, size_t bench)
{
	text_add(out, "row-%s-", set->target);
	machine_slug(set, out);
	text_add(out, "-%zu", bench + 1);
}

void row_link(struct text *out, const struct result_set *set, size_t bench)
{
	text_add(out, "%s-rows#", set->target);
	row_anchor(out, set, bench);
}

/* ---- sheets ---- */

int page_cell(struct sheet *s, size_t row, size_t column, struct err *e, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sheet_put(s, row, column, text, e);
}

int page_cell_link(struct sheet *s, size_t row, size_t column, struct text *link, struct err *e)
{
	int status = text_copy(&sheet_at(s, row, column)->link, text_get(link), e);
	link->length = 0;
	return status;
}

int page_headings(struct sheet *s, const char *const *names, size_t count, size_t left,
		  struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < count && !status; i++)
		status = sheet_heading(s, i, names[i], i < left, e);
	return status;
}
