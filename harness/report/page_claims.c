/* Claims with their verdicts, and what each verdict rests on, down to the rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/emit.h"
#include "harness/report/page_parts.h"
#include "harness/report/reads.h"

static void intro(struct doc *d)
{
	doc_paragraph(d, TONE_NOTE,
		      "A claim is CONFIRMED or REFUTED when at least 95 %% of 1000 bootstrap "
		      "samples of the "
		      "repetitions agree, else AMBIGUOUS; it is NOT TESTED when a measurement is "
		      "missing: "
		      "smaller scales leave out the instances that take longest, and claims about "
		      "these need "
		      "SCALE=paper. A time measured once counts as known to 5 %%. AMBIGUOUS and "
		      "NOT TESTED "
		      "never count as reproduced. In the evidence a benchmark counts with the "
		      "median of its "
		      "runs; mean, max and the like are over benchmarks. A number is shown with "
		      "its unit if "
		      "that is known; otherwise with the unit of the number it is compared with. "
		      "Units are "
		      "s, J, B, or these per second. A claim of class absolute is a figure of the "
		      "paper's "
		      "own hardware: REFUTED there means that this machine differs, not that the "
		      "paper was "
		      "wrong.");
}

/* The sheet of the claims' files, with links to the evidence. */
static int overview(const struct study *s, struct doc *d, struct err *e)
{
	struct sheet sheet;
	struct text link = { 0 };
	int status = emit_claims_sheet(s, &sheet, e);
	if (status)
		return status;
	for (size_t i = 0; i < s->claims.count && !status; i++) {
		claim_link(&link, s, &s->claims.claim[i]);
		status = page_cell_link(&sheet, i, 0, &link, e);
	}
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	text_free(&link);
	return status;
}

/* ---- evidence ---- */

static void lines(const char *heading, const struct text *body, struct doc *d)
{
	if (!body->length)
		return;
	doc_paragraph(d, TONE_NOTE, "%s", heading);
	doc_pre(d, text_get(body));
}

/* Links to the rows, by stretches: rows 3-9, 12. */
static int rows_read(const struct study_machine *m, size_t claim, struct doc *d, struct err *e)
{
	const struct result_set *set = m->set;
	bool *read = calloc(set->benches + 1, sizeof(*read)), any = false;
	struct text link = { 0 }, label = { 0 };
	if (!read)
		return err_set(e, ERR_MEMORY, "out of memory");
	reads_mark(&m->judgement[claim], set, read);
	for (size_t i = 0, end; i < set->benches; i = end + 1) {
		for (end = i; end < set->benches && read[end]; end++)
			;
		if (end == i)
			continue;
		if (!any)
			doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
		doc_text(d, any ? ", " : "Rows read: ");
		any = true;
		link.length = label.length = 0;
		row_link(&link, set, i);
		text_add(&label, end > i + 1 ? "%zu–%zu" : "%zu", i + 1, end);
		doc_link(d, text_get(&link), text_get(&label));
	}
	if (any)
		doc_close(d);
	text_free(&link);
	text_free(&label);
	free(read);
	return 0;
}

static int evidence(const struct study_machine *m, size_t claim, struct doc *d, struct err *e)
{
	const struct judgement *j = &m->judgement[claim];
	struct text origin = { 0 };
	machine_origin(m->set, &origin);
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_span(d, DOC_STRONG, verdict_tones[j->verdict], verdict_names[j->verdict]);
	doc_print(d, " %s", text_get(&origin));
	if (j->verdict != VERDICT_NOT_TESTED)
		doc_print(d, " (%.0f %% of bootstrap samples agree)", j->agreement * 100);
	doc_summary_end(d);
	lines("Missing:", &j->needs, d);
	lines("Comparisons:", &j->trace.comparisons, d);
	lines("Measured:", &j->trace.values, d);
	int status = rows_read(m, claim, d, e);
	doc_close(d);
	text_free(&origin);
	return status;
}

static int one_claim(const struct study *s, size_t index, struct doc *d, struct err *e)
{
	const struct claim *c = &s->claims.claim[index];
	struct text anchor = { 0 }, heading = { 0 };
	int status = 0;
	text_add(&anchor, "claim-%s-%s", s->target, c->id);
	text_add(&heading, "%s · %s", c->id, c->text);
	doc_heading(d, 4, text_get(&anchor), text_get(&heading));
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_print(d, "%s; class %s", c->section, c->class);
	if (!isnan(c->tolerance))
		doc_print(d, "; tolerance %g", c->tolerance);
	doc_text(d, "; predicate ");
	doc_span(d, DOC_CODE, TONE_PLAIN, c->source);
	doc_close(d);
	if (*c->remark)
		doc_paragraph(d, TONE_NOTE, "%s", c->remark);
	for (size_t m = 0; m < s->machines && !status; m++)
		status = evidence(&s->machine[m], index, d, e);
	text_free(&anchor);
	text_free(&heading);
	return status;
}

static void terms(const struct study *s, struct doc *d)
{
	struct text all = { 0 };
	if (!s->terms->count)
		return;
	for (size_t i = 0; i < s->terms->count; i++) {
		const struct pred_term *term = &s->terms->term[i];
		text_add(&all, "%s: %s\n    %s\n", term->name, term->meaning, term->source);
	}
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_text(d, "Terms used in predicates and tables");
	doc_summary_end(d);
	doc_pre(d, text_get(&all));
	doc_close(d);
	text_free(&all);
}

int page_claims(const struct study *s, struct doc *d, struct err *e)
{
	if (!s->claims.count)
		return 0;
	intro(d);
	int status = overview(s, d, e);
	if (!status)
		doc_heading(d, 2, NULL, "Evidence");
	for (size_t i = 0; i < s->claims.count && !status; i++)
		status = one_claim(s, i, d, e);
	terms(s, d);
	return status;
}
