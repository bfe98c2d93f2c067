/* What was reproduced of one paper, what was not, and what was found. */
#include "harness/report/bibtex.h"
#include "harness/report/markdown.h"
#include "harness/report/page_parts.h"

static int verdict_sheet(const struct study *s, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "verdicts", "CONFIRMED", "REFUTED", "AMBIGUOUS",
						"NOT TESTED" };
	struct sheet sheet;
	int status = sheet_create(&sheet, "Verdicts", 1 + VERDICTS, s->machines, e);
	if (status)
		return status;
	status = page_headings(&sheet, headings, 1 + VERDICTS, 1, e);
	for (size_t i = 0; i < s->machines && !status; i++) {
		struct text origin = { 0 };
		machine_origin(s->machine[i].set, &origin);
		status = sheet_put(&sheet, i, 0, text_get(&origin), e);
		for (size_t v = 0; v < VERDICTS && !status; v++) {
			sheet_at(&sheet, i, 1 + v)->mark = verdict_marks[v];
			status = page_cell(&sheet, i, 1 + v, e, "%zu",
					   count_verdicts(s, &s->machine[i], (enum verdict)v));
		}
		text_free(&origin);
	}
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static void claim_item(const struct study *s, const struct study_machine *m, size_t index,
		       struct doc *d)
{
	const struct claim *c = &s->claims.claim[index];
	const struct judgement *j = &m->judgement[index];
	const struct text *gist =
		j->verdict == VERDICT_REFUTED ? &j->trace.first_failed : &j->trace.last_held;
	struct text link = { 0 };
	claim_link(&link, s, c);
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	doc_link(d, text_get(&link), c->id);
	doc_print(d, " (%s, %s) %s", c->section, c->class, c->text);
	if (j->verdict != VERDICT_NOT_TESTED && gist->length)
		doc_print(d, " (%s)", text_get(gist));
	doc_close(d);
	text_free(&link);
}

static void claim_list(const struct study *s, const struct study_machine *m, enum verdict v,
		       const char *heading, struct doc *d)
{
	size_t count = count_verdicts(s, m, v);
	if (!count)
		return;
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_begin(d, DOC_STRONG, verdict_tones[v]);
	doc_print(d, "%s: %zu", heading, count);
	doc_end(d);
	doc_summary_end(d);
	doc_open(d, DOC_LIST, TONE_PLAIN);
	for (size_t i = 0; i < s->claims.count; i++)
		if (m->judgement[i].verdict == v)
			claim_item(s, m, i, d);
	doc_close(d);
	doc_close(d);
}

/* What was decided on a machine; what was not, only for the machine that decided most. */
static void machine_claims(const struct study *s, const struct study_machine *m, bool best,
			   struct doc *d)
{
	if (!best && count_verdicts(s, m, VERDICT_NOT_TESTED) == s->claims.count)
		return;
	page_origin(m->set, d);
	claim_list(s, m, VERDICT_CONFIRMED, "Reproduced", d);
	claim_list(s, m, VERDICT_REFUTED, "Not reproduced", d);
	claim_list(s, m, VERDICT_AMBIGUOUS, "Too noisy to tell: counts as not reproduced", d);
	if (best)
		claim_list(s, m, VERDICT_NOT_TESTED, "Not tested: counts as not reproduced", d);
}

/* Links to the other chapters of this paper. */
static void ways(const struct study *s, struct doc *d)
{
	static const struct {
		const char *page, *anchor, *words;
	} all[] = { { "", "tables", "tables and figures" },
		    { "", "roofline", "roofline" },
		    { "", "energy", "energy" },
		    { "", "environment", "environment" },
		    { "-claims", NULL, "claims and evidence" },
		    { "-rows", NULL, "rows" } };
	struct text link = { 0 };
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		link.length = 0;
		text_add(&link, "%s%s", s->target, all[i].page);
		if (all[i].anchor)
			text_add(&link, "#%s-%s", s->target, all[i].anchor);
		doc_text(d, i ? " · " : "");
		doc_link(d, text_get(&link), all[i].words);
	}
	doc_close(d);
	text_free(&link);
}

static int reference(const struct page *p, const struct study *s, struct doc *d, struct err *e)
{
	struct text bib = { 0 }, line = { 0 };
	int status = bibtex_load(&bib, p->folder, s->target, e);
	if (!status && bib.length) {
		bibtex_reference(text_get(&bib), &line);
		doc_paragraph(d, TONE_PLAIN, "%s", text_get(&line));
	}
	text_free(&bib);
	text_free(&line);
	return status;
}

int page_paper(const struct page *p, const struct study *s, struct doc *d, struct err *e)
{
	const struct study_machine *best = best_machine(s);
	int status = reference(p, s, d, e);
	if (status)
		return status;
	ways(s, d);
	doc_heading(d, 2, NULL, "What was reproduced");
	if (!best) {
		doc_paragraph(d, TONE_PLAIN, "Nothing has been measured yet.");
	} else if (s->claims.count) {
		if ((status = verdict_sheet(s, d, e)))
			return status;
		for (size_t i = 0; i < s->machines; i++)
			machine_claims(s, &s->machine[i], &s->machine[i] == best, d);
	}
	if (s->findings.length) {
		doc_heading(d, 2, NULL, "What was found in the paper");
		markdown_write(d, text_get(&s->findings));
	}
	return 0;
}
