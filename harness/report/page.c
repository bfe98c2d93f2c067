#include "harness/report/page.h"

#include <stdio.h>
#include <time.h>

/* Built from recorded runs alone, a report is the same whenever it is built: no date in it. */
static void written(const struct page *p, struct doc *d)
{
	char when[64] = "";
	time_t now = time(NULL);
	struct tm utc;
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_text(d, "Combinatorial Optimisation Papers, Reproduced and Accelerated. ");
	if (!p->here)
		doc_text(d, "Built from the runs recorded in the repository (results/recorded) by "
			    "make report-recorded.");
	else if (gmtime_r(&now, &utc) && strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &utc))
		doc_print(d, "Written %s.", when);
	doc_close(d);
}

static void problems(const struct results *r, struct doc *d)
{
	for (size_t i = 0; i < r->problems.count; i++)
		doc_paragraph(d, TONE_BAD, "Could not be read, and is left out: %s",
			      r->problems.line[i]);
}

static int first(const struct page *p, struct doc *d, struct err *e)
{
	int status;
	doc_page(d, "README", "copra report");
	written(p, d);
	problems(p->results, d);
	if ((status = page_first(p, d, e)) || (status = page_index(p, d, e)))
		return status;
	doc_open(d, DOC_PARAGRAPH, TONE_PLAIN);
	doc_text(d, "Did anything become slower? ");
	doc_link(d, "gate", "The regression gate");
	doc_text(d, ", and how often it is right.");
	doc_close(d);
	return page_cite_copra(p, d, e);
}

static int chapter(const struct page *p, const struct study *s, struct doc *d, struct err *e)
{
	int status;
	doc_page(d, s->target, s->target);
	if ((status = page_paper(p, s, d, e)) || (status = page_tables(s, d, e)) ||
	    (status = page_roofline(s, d, e)) || (status = page_energy(s, d, e)) ||
	    (status = page_environment(s, d, e)))
		return status;
	return page_cite(p, s, d, e);
}

static int appendix(const struct study *s, struct doc *d, struct err *e)
{
	char name[128], title[160];
	snprintf(name, sizeof(name), "%s-claims", s->target);
	snprintf(title, sizeof(title), "%s: claims and evidence", s->target);
	doc_page(d, name, title);
	int status = page_claims(s, d, e);
	if (status)
		return status;
	snprintf(name, sizeof(name), "%s-rows", s->target);
	snprintf(title, sizeof(title), "%s: rows", s->target);
	doc_page(d, name, title);
	status = page_rows(s, d, e);
	return status ? status : page_skipped(s, d);
}

static int write_document(const struct page *p, enum text_kind kind, struct err *e)
{
	struct doc *d;
	int status = doc_create(&d, kind, p->out, e);
	if (status)
		return status;
	status = first(p, d, e);
	for (size_t i = 0; i < p->count && !status; i++)
		status = chapter(p, &p->studies[i], d, e);
	if (!status)
		status = page_gate(p, d, e);
	for (size_t i = 0; i < p->count && !status; i++)
		status = appendix(&p->studies[i], d, e);
	if (!status)
		status = doc_save(d, e);
	doc_destroy(d);
	return status;
}

int page_write(const struct page *p, struct err *e)
{
	static const enum text_kind kinds[] = { TEXT_HTML, TEXT_MARKDOWN };
	int status = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !status; i++)
		status = write_document(p, kinds[i], e);
	return status;
}
