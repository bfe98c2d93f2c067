/* The first page: what was reproduced, what was not, and what was found wrong, in ten lines. */
#include <string.h>

#include "harness/report/page_parts.h"

struct totals {
	size_t claims, ours, ours_confirmed;
	size_t verdict[VERDICTS], confirmed_of[5], absolute, findings;
	size_t benches, runs, failed;
};
static const char *const classes[] = { "exact", "bound", "shape", "ratio", "absolute" };

/* Claims that copra makes itself are marked so in their section. */
static bool is_ours(const struct claim *c)
{
	return strstr(c->section, "ours");
}

static struct totals total(const struct page *p)
{
	struct totals t = { 0 };
	for (size_t i = 0; i < p->count; i++) {
		const struct study *s = &p->studies[i];
		t.claims += s->claims.count;
		t.findings += count_findings(s);
		t.absolute += count_claims(s, VERDICT_REFUTED, "absolute");
		for (size_t k = 0; k < s->claims.count; k++)
			if (is_ours(&s->claims.claim[k])) {
				t.ours++;
				t.ours_confirmed += claim_verdict(s, k) == VERDICT_CONFIRMED;
			}
		for (int v = 0; v < VERDICTS; v++)
			t.verdict[v] += count_claims(s, (enum verdict)v, NULL);
		for (size_t k = 0; k < 5; k++)
			t.confirmed_of[k] += count_claims(s, VERDICT_CONFIRMED, classes[k]);
	}
	for (size_t i = 0; i < p->results->sets; i++) {
		const struct result_set *set = &p->results->set[i];
		t.benches += set->benches;
		for (size_t k = 0; k < set->benches; k++)
			t.runs += set->bench[k].runs;
		for (size_t k = 0; k < set->skips; k++)
			t.failed += set->skip[k].failed;
	}
	return t;
}

static void line(struct doc *d, enum doc_tone tone, const char *what)
{
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	doc_span(d, DOC_STRONG, tone, what);
	doc_text(d, " ");
}

static void measured(const struct totals *t, struct doc *d)
{
	line(d, TONE_PLAIN, "Measured:");
	doc_print(d,
		  "%zu benchmarks in %zu runs; every answer was checked by code that the "
		  "algorithm does not use",
		  t->benches, t->runs);
	if (t->failed)
		doc_print(d, ", and %zu failed", t->failed);
	doc_text(d, ".");
	doc_close(d);
}

static void reproduced(const struct totals *t, struct doc *d)
{
	line(d, TONE_GOOD, "Reproduced:");
	doc_print(d, "%zu of %zu claims (", t->verdict[VERDICT_CONFIRMED], t->claims);
	for (size_t k = 0; k < 5; k++)
		doc_print(d, "%s%zu %s", k ? ", " : "", t->confirmed_of[k], classes[k]);
	doc_text(d, ")");
	if (t->ours)
		doc_print(d,
			  "; %zu of the %zu are our own claims beside the papers', %zu of them "
			  "confirmed",
			  t->ours, t->claims, t->ours_confirmed);
	doc_text(d, ".");
	doc_close(d);
	line(d, TONE_BAD, "Not reproduced:");
	doc_print(d, "%zu claims are refuted by what was measured", t->verdict[VERDICT_REFUTED]);
	if (t->absolute)
		doc_print(d,
			  "; %zu of them are figures of the paper's own hardware, which other "
			  "hardware cannot meet",
			  t->absolute);
	doc_print(d, "; of %zu noise is too large to tell.", t->verdict[VERDICT_AMBIGUOUS]);
	doc_close(d);
	line(d, TONE_OPEN, "Not tested:");
	doc_print(d,
		  "%zu claims, for want of hardware or of a row; the claims' evidence says what "
		  "each needs. Neither these nor the ambiguous ones count as reproduced.",
		  t->verdict[VERDICT_NOT_TESTED]);
	doc_close(d);
}

static void found(const struct totals *t, struct doc *d)
{
	line(d, TONE_UNSURE, "Found wrong, or left open, in the papers:");
	doc_print(d, "%zu findings; the first of each paper stands below, all in its chapter.",
		  t->findings);
	doc_close(d);
}

/* The sentence in bold that a finding begins with. */
static void first_finding(const struct study *s, struct doc *d)
{
	const char *from = strstr(text_get(&s->findings), "**");
	const char *to = from ? strstr(from + 2, "**") : NULL;
	if (to)
		doc_print(d, " First: “%.*s”", (int)(to - from - 2), from + 2);
}

static void paper(const struct study *s, struct doc *d)
{
	static const char *const words[VERDICTS] = { "confirmed", "refuted", "ambiguous",
						     "not tested" };
	struct text link = { 0 };
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	text_add(&link, "%s#%s", s->target, s->target);
	doc_link(d, text_get(&link), s->target);
	doc_print(d, ": of %zu claims ", s->claims.count);
	for (int v = 0; v < VERDICTS; v++) {
		size_t count = count_claims(s, (enum verdict)v, NULL);
		if (count)
			doc_print(d, "%zu %s, ", count, words[v]);
	}
	doc_print(d, "%zu findings.", count_findings(s));
	first_finding(s, d);
	doc_close(d);
	text_free(&link);
}

/* ---- machines ---- */

/* The scales that rows of experiments are of, "paper, quick", and the last of their dates. */
static const char *scales_of(const struct result_set *set, struct text *scales)
{
	const char *date = "";
	for (size_t i = 0; i < set->files; i++) {
		const struct result_file *f = &set->file[i];
		if (!strcmp(f->scale, "comparators") || !strcmp(f->scale, "process"))
			continue;
		text_add(scales, "%s%s", scales->length ? ", " : "", f->scale);
		date = strcmp(f->date, date) > 0 ? f->date : date;
	}
	return date;
}

static int machine_row(struct sheet *sheet, size_t row, const struct result_set *set, struct err *e)
{
	struct text gpus = { 0 }, scales = { 0 };
	const char *date = scales_of(set, &scales);
	size_t runs = 0;
	int status;
	machine_gpus(set, &gpus);
	for (size_t i = 0; i < 8; i++)
		sheet_at(sheet, row, i)->mark = "tight";
	for (size_t i = 0; i < set->benches; i++)
		runs += set->bench[i].runs;
	const char *dirty = page_fact(set, "copra_dirty");
	if (!(status = page_cell(sheet, row, 0, e, "%s", set->target)) &&
	    !(status = page_cell(sheet, row, 1, e, "%s", set->machine)) &&
	    !(status = page_cell(sheet, row, 2, e, "%s",
				 set->recorded ? "recorded" : "measured here")) &&
	    !(status = page_cell(sheet, row, 3, e, "%s", gpus.length ? text_get(&gpus) : "none")) &&
	    !(status = page_cell(sheet, row, 4, e, "%s × %s", page_fact(set, "cpus_usable"),
				 page_fact(set, "cpu_model"))) &&
	    !(status = page_cell(sheet, row, 5, e, "%s", text_get(&scales))) &&
	    !(status = page_cell(sheet, row, 6, e, "%.10s", date)) &&
	    !(status = page_cell(sheet, row, 7, e, "%.7s%s", page_fact(set, "copra_revision"),
				 !strcmp(dirty, "1") ? " + changes" : "")) &&
	    !(status = page_cell(sheet, row, 8, e, "%zu", set->benches)) &&
	    !(status = page_cell(sheet, row, 9, e, "%zu", runs)))
		status = page_cell(sheet, row, 10, e, "%zu", set->skips);
	text_free(&gpus);
	text_free(&scales);
	return status;
}

static int machines(const struct results *r, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "paper",      "machine", "origin", "GPUs",
						"CPUs",       "scale",   "date",   "revision",
						"benchmarks", "runs",    "skipped" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet sheet;
	int status = sheet_create(&sheet, "Machines", COLUMNS, r->sets, e);
	if (status)
		return status;
	status = page_headings(&sheet, headings, COLUMNS, 8, e);
	for (size_t i = 0; i < r->sets && !status; i++)
		status = machine_row(&sheet, i, &r->set[i], e);
	doc_heading(d, 2, "machines", "What was run, and where");
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

int page_first(const struct page *p, struct doc *d, struct err *e)
{
	struct totals t = total(p);
	doc_heading(d, 2, "ten-lines", "In ten lines");
	doc_open(d, DOC_LIST, TONE_PLAIN);
	measured(&t, d);
	reproduced(&t, d);
	found(&t, d);
	for (size_t i = 0; i < p->count; i++)
		paper(&p->studies[i], d);
	doc_close(d);
	doc_paragraph(d, TONE_NOTE,
		      "A claim counts by its verdict on the machine that decided most claims of "
		      "its paper, and where that machine could not decide it, by that of another.");
	return machines(p->results, d, e);
}
