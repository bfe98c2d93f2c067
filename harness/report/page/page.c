/* The functions that the pages share, and the first page: a summary, the machines and runs, and an
 * index of the papers' tables and figures. */
#include "harness/report/page/page.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- shared by the sections ---- */

const enum doc_tone page_verdict_tones[VERDICTS] = { TONE_GOOD, TONE_BAD, TONE_UNSURE, TONE_OPEN };

void page_heading(const struct paper *paper, struct doc *d, const char *part, const char *heading)
{
	struct text anchor = { 0 };
	text_add(&anchor, "%s-%s", paper->target, part);
	doc_heading(d, 2, text_get(&anchor), heading);
	text_free(&anchor);
}

void page_origin(const struct result_set *set, struct doc *d)
{
	struct text origin = { 0 }, gpus = { 0 };
	results_origin(set, &origin);
	results_gpu_text(set, &gpus);
	doc_paragraph(d, set->recorded ? TONE_RECORDED : TONE_HERE, "%s · %s", text_get(&origin),
		      gpus.length ? text_get(&gpus) : "no GPU");
	text_free(&origin);
	text_free(&gpus);
}

void page_claim_link(struct text *out, const struct paper *paper, const struct claim *c)
{
	text_add(out, "%s-claims#claim-%s-%s", paper->target, paper->target, c->id);
}

static void add_row_anchor(struct text *out, const struct result_set *set, size_t bench)
{
	text_add(out, "row-%s-", set->target);
	results_slug(set, out);
	text_add(out, "-%zu", bench + 1);
}

void page_row_link(struct text *out, const struct result_set *set, size_t bench)
{
	text_add(out, "%s-rows#", set->target);
	add_row_anchor(out, set, bench);
}

/* ---- summary ---- */

struct totals {
	size_t claims, ours, ours_confirmed;
	size_t verdict[VERDICTS], confirmed_of[5], absolute, findings;
	size_t benches, runs, failed;
};
static const char *const classes[] = { "exact", "bound", "shape", "ratio", "absolute" };

/* The number of claims of the class (NULL: any) with this verdict. */
static size_t count_claims(const struct paper *paper, enum verdict v, const char *class)
{
	size_t count = 0;
	for (size_t i = 0; i < paper->claims.count; i++)
		count += paper->verdict[i] == v &&
			 (!class || !strcmp(paper->claims.claim[i].class, class));
	return count;
}

static size_t count_findings(const struct paper *paper)
{
	const char *at = text_get(&paper->findings);
	size_t count = !strncmp(at, "- ", 2);
	while ((at = strstr(at, "\n- "))) {
		count++;
		at++;
	}
	return count;
}

static struct totals total(const struct page *p)
{
	struct totals t = { 0 };
	for (size_t i = 0; i < p->count; i++) {
		const struct paper *paper = &p->papers[i];
		t.claims += paper->claims.count;
		t.findings += count_findings(paper);
		t.absolute += count_claims(paper, VERDICT_REFUTED, "absolute");
		for (size_t k = 0; k < paper->claims.count; k++)
			if (paper->claims.claim[k].ours) {
				t.ours++;
				t.ours_confirmed += paper->verdict[k] == VERDICT_CONFIRMED;
			}
		for (int v = 0; v < VERDICTS; v++)
			t.verdict[v] += count_claims(paper, (enum verdict)v, NULL);
		for (size_t k = 0; k < 5; k++)
			t.confirmed_of[k] += count_claims(paper, VERDICT_CONFIRMED, classes[k]);
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

static void begin_item(struct doc *d, enum doc_tone tone, const char *what)
{
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	doc_span(d, DOC_STRONG, tone, what);
	doc_print(d, " ");
}

static void measured(const struct totals *t, struct doc *d)
{
	begin_item(d, TONE_PLAIN, "Measured:");
	doc_print(d, "%zu benchmarks in %zu runs. Every answer was checked by independent code",
		  t->benches, t->runs);
	if (t->failed)
		doc_print(d, "; %zu answers failed the check", t->failed);
	doc_print(d, ".");
	doc_close(d);
}

static void reproduced(const struct totals *t, struct doc *d)
{
	begin_item(d, TONE_GOOD, "Reproduced:");
	doc_print(d, "%zu of %zu claims (", t->verdict[VERDICT_CONFIRMED], t->claims);
	for (size_t k = 0; k < 5; k++)
		doc_print(d, "%s%zu %s", k ? ", " : "", t->confirmed_of[k], classes[k]);
	doc_print(d, ")");
	if (t->ours)
		doc_print(d, ". %zu of the %zu are our own claims, of which %zu are confirmed",
			  t->ours, t->claims, t->ours_confirmed);
	doc_print(d, ".");
	doc_close(d);
	begin_item(d, TONE_BAD, "Not reproduced:");
	doc_print(d, "%zu claims are refuted by measurements", t->verdict[VERDICT_REFUTED]);
	if (t->absolute)
		doc_print(d,
			  ". %zu of them are numbers measured on the paper's own hardware, which "
			  "other hardware is not expected to match",
			  t->absolute);
	doc_print(d, ". %zu more are ambiguous: the noise is too large to decide.",
		  t->verdict[VERDICT_AMBIGUOUS]);
	doc_close(d);
	begin_item(d, TONE_OPEN, "Not tested:");
	doc_print(d,
		  "%zu claims, because the hardware or a measurement is missing. The evidence of "
		  "each "
		  "claim lists what it needs. Neither these nor the ambiguous claims count as "
		  "reproduced.",
		  t->verdict[VERDICT_NOT_TESTED]);
	doc_close(d);
}

static void findings(const struct totals *t, struct doc *d)
{
	begin_item(d, TONE_UNSURE, "Findings about the papers:");
	doc_print(d,
		  "%zu errors and open questions. The first finding about each paper is quoted "
		  "below; the chapter of the paper lists all of them.",
		  t->findings);
	doc_close(d);
}

/* Quotes the bold sentence at the start of the first finding. */
static void first_finding(const struct paper *paper, struct doc *d)
{
	const char *from = strstr(text_get(&paper->findings), "**");
	const char *to = from ? strstr(from + 2, "**") : NULL;
	if (to)
		doc_print(d, " The first finding: “%.*s”", (int)(to - from - 2), from + 2);
}

static void paper_line(const struct paper *paper, struct doc *d)
{
	static const char *const words[VERDICTS] = { "confirmed", "refuted", "ambiguous",
						     "not tested" };
	struct text link = { 0 };
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	text_add(&link, "%s#%s", paper->target, paper->target);
	doc_link(d, text_get(&link), paper->target);
	doc_print(d, ": %zu claims", paper->claims.count);
	const char *before = " (";
	for (int v = 0; v < VERDICTS; v++) {
		size_t count = count_claims(paper, (enum verdict)v, NULL);
		if (count) {
			doc_print(d, "%s%zu %s", before, count, words[v]);
			before = ", ";
		}
	}
	doc_print(d, "%s, %zu findings.", *before == ',' ? ")" : "", count_findings(paper));
	first_finding(paper, d);
	doc_close(d);
	text_free(&link);
}

/* ---- machines ---- */

/* Appends the scales of the rows, "paper, quick"; returns the latest date. */
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
	results_gpu_text(set, &gpus);
	for (size_t i = 0; i < 8; i++)
		sheet_at(sheet, row, i)->mark = "tight";
	for (size_t i = 0; i < set->benches; i++)
		runs += set->bench[i].runs;
	const char *dirty = results_fact(set, "copra_dirty");
	if (!(status = sheet_print(sheet, row, 0, e, "%s", set->target)) &&
	    !(status = sheet_print(sheet, row, 1, e, "%s", set->machine)) &&
	    !(status = sheet_print(sheet, row, 2, e, "%s",
				   set->recorded ? "recorded" : "measured here")) &&
	    !(status = sheet_print(sheet, row, 3, e, "%s",
				   gpus.length ? text_get(&gpus) : "none")) &&
	    !(status = sheet_print(sheet, row, 4, e, "%s × %s", results_fact(set, "cpus_usable"),
				   results_fact(set, "cpu_model"))) &&
	    !(status = sheet_print(sheet, row, 5, e, "%s", text_get(&scales))) &&
	    !(status = sheet_print(sheet, row, 6, e, "%.10s", date)) &&
	    !(status = sheet_print(sheet, row, 7, e, "%.7s%s", results_fact(set, "copra_revision"),
				   !strcmp(dirty, "1") ? " + changes" : "")) &&
	    !(status = sheet_print(sheet, row, 8, e, "%zu", set->benches)) &&
	    !(status = sheet_print(sheet, row, 9, e, "%zu", runs)))
		status = sheet_print(sheet, row, 10, e, "%zu", set->skips);
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
	status = sheet_headings(&sheet, headings, 8, e);
	for (size_t i = 0; i < r->sets && !status; i++)
		status = machine_row(&sheet, i, &r->set[i], e);
	doc_heading(d, 2, "machines", "Machines and runs");
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static int summary(const struct page *p, struct doc *d, struct err *e)
{
	struct totals t = total(p);
	doc_heading(d, 2, "summary", "Summary");
	doc_open(d, DOC_LIST, TONE_PLAIN);
	measured(&t, d);
	reproduced(&t, d);
	findings(&t, d);
	for (size_t i = 0; i < p->count; i++)
		paper_line(&p->papers[i], d);
	doc_close(d);
	doc_paragraph(d, TONE_NOTE,
		      "Each claim is counted once, with its verdict on the machine that decided "
		      "the most claims of its paper. If that machine could not decide the claim, "
		      "the verdict of another machine is counted.");
	return machines(p->results, d, e);
}

/* ---- index of the papers' tables and figures (places, see table/tables.h) ---- */

/* True for the first table of its place. */
static bool is_first(const struct paper *paper, size_t index)
{
	const char *place = paper->tables.table[index].place;
	for (size_t i = 0; i < index && place; i++) {
		const char *other = paper->tables.table[i].place;
		if (other && !strcmp(place, other))
			return false;
	}
	return place != NULL;
}

/* Appends the machines on which some part of the place was measured. */
static void measured_on(const struct paper *paper, const char *place, struct text *out)
{
	for (size_t m = 0; m < paper->machines; m++) {
		bool any = false;
		for (size_t i = 0; i < paper->tables.count; i++) {
			const char *other = paper->tables.table[i].place;
			any = any || (paper->machine[m].grid[i].measured && other &&
				      !strcmp(place, other));
		}
		if (any)
			text_add(out, "%s%s%s", out->length ? ", " : "",
				 paper->machine[m].set->machine,
				 paper->machine[m].set->recorded ? "" : " (here)");
	}
}

/* The title without the name of the place, which has its own column. */
static const char *title_without_place(const struct table *t)
{
	size_t length = strlen(t->place);
	return !strncmp(t->title, t->place, length) && !strncmp(t->title + length, ": ", 2) ?
		       t->title + length + 2 :
		       t->title;
}

static int index_row(struct sheet *sheet, size_t row, const struct paper *paper,
		     const struct table *t, struct err *e)
{
	struct text machines = { 0 }, link = { 0 };
	measured_on(paper, t->place, &machines);
	text_add(&link, "%s#%s-%s", paper->target, paper->target, t->id);
	int status = sheet_print(sheet, row, 0, e, "%s", paper->target);
	if (!status)
		status = sheet_print(sheet, row, 1, e, "%s", t->place);
	if (!status)
		status = sheet_link(sheet, row, 1, &link, e);
	if (!status)
		status = sheet_print(sheet, row, 2, e, "%s", title_without_place(t));
	bool tested = machines.length > 0;
	if (!tested)
		text_add(&machines, "NOT TESTED%s%s", t->never ? ": " : "",
			 t->never ? t->never : "");
	if (!status)
		status = sheet_print(sheet, row, 3, e, "%s", text_get(&machines));
	sheet_at(sheet, row, 0)->mark = sheet_at(sheet, row, 1)->mark = "tight";
	sheet_at(sheet, row, 3)->mark = tested ? NULL : "open";
	text_free(&machines);
	text_free(&link);
	return status;
}

static size_t count_places(const struct page *p)
{
	size_t count = 0;
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < p->papers[i].tables.count; k++)
			count += is_first(&p->papers[i], k);
	return count;
}

static int fill_index(const struct page *p, struct sheet *sheet, struct err *e)
{
	size_t row = 0;
	int status = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct paper *paper = &p->papers[i];
		for (size_t k = 0; k < paper->tables.count && !status; k++)
			if (is_first(paper, k))
				status = index_row(sheet, row++, paper, &paper->tables.table[k], e);
	}
	return status;
}

static int place_index(const struct page *p, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "paper", "table or figure", "content",
						"measured on" };
	struct sheet sheet;
	char title[96];
	size_t count = count_places(p);
	if (!count)
		return 0;
	int status = sheet_create(&sheet, "Index", 4, count, e);
	if (status)
		return status;
	if (!(status = sheet_headings(&sheet, headings, 4, e)))
		status = fill_index(p, &sheet, e);
	snprintf(title, sizeof(title), "The %zu tables and figures of the paper%s", count,
		 p->count == 1 ? "" : "s");
	doc_heading(d, 2, "index", title);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

/* ---- the page ---- */

static int cite(const struct page *p, struct doc *d, struct err *e)
{
	struct text revisions = { 0 };
	(void)e;
	for (size_t i = 0; i < p->results->sets; i++) {
		char revision[12] = "";
		strncat(revision, results_fact(&p->results->set[i], "copra_revision"), 7);
		if (*revision && !strstr(text_get(&revisions), revision))
			text_add(&revisions, "%s%s", revisions.length ? ", " : "", revision);
	}
	doc_heading(d, 2, "cite", "How to cite");
	doc_open(d, DOC_PARAGRAPH, TONE_PLAIN);
	doc_print(d, "Cite the paper whose experiments you use; its chapter has the BibTeX entry. "
		     "Cite copra as described in ");
	doc_span(d, DOC_CODE, TONE_PLAIN, "CITATION.cff");
	doc_print(d, ", and name the machine and the revision of the measurements");
	if (revisions.length)
		doc_print(d, " (revisions in this report: %s)", text_get(&revisions));
	doc_print(d, ". In ACM's terms, copra replicates the papers: all code is our own, written "
		     "from their text.");
	doc_close(d);
	text_free(&revisions);
	return 0;
}

/* A report of recorded runs has no date, so that building it again gives the same files. */
static void byline(const struct page *p, struct doc *d)
{
	char when[64] = "";
	time_t now = time(NULL);
	struct tm utc;
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_print(d, "Combinatorial Optimisation Papers, Reproduced and Accelerated. ");
	if (!p->here)
		doc_print(d,
			  "Generated by make report-recorded from the runs in results/recorded.");
	else if (gmtime_r(&now, &utc) && strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &utc))
		doc_print(d, "Written %s.", when);
	doc_close(d);
}

static void problems(const struct results *r, struct doc *d)
{
	const char *at = text_get(&r->problems);
	for (const char *end; (end = strchr(at, '\n')); at = end + 1)
		doc_paragraph(d, TONE_BAD, "Could not be read, and is left out: %.*s",
			      (int)(end - at), at);
}

int page_overview(const struct page *p, struct doc *d, struct err *e)
{
	int status;
	doc_page(d, "README", "copra report");
	byline(p, d);
	problems(p->results, d);
	if ((status = summary(p, d, e)) || (status = place_index(p, d, e)))
		return status;
	doc_open(d, DOC_PARAGRAPH, TONE_PLAIN);
	doc_print(d, "See also ");
	doc_link(d, "gate", "the regression gate");
	doc_print(d, " and its error rates.");
	doc_close(d);
	return cite(p, d, e);
}
