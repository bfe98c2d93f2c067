/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the pages share, and the first page: a summary, the machines and runs, and an
 * index of the papers' tables and figures. */
#include "harness/report/page/page.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/base/outfile.h"

/* ---- shared by the sections ---- */

const enum doc_tone page_verdict_tones[VERDICTS] = { TONE_GOOD, TONE_BAD,    TONE_UNSURE, TONE_GOOD,
						     TONE_BAD,  TONE_UNSURE, TONE_OPEN };

void page_heading(const struct paper *paper, struct doc *d, const char *part, const char *heading)
{
	struct text anchor = { 0 };
	text_add(&anchor, "%s-%s", paper->target, part);
	doc_heading(d, 2, text_get(&anchor), heading);
	text_free(&anchor);
}

void page_fold(struct page_fold *f, const struct result_set *set, struct doc *d)
{
	f->here = f->here || !set->recorded;
	if (!f->here || !set->recorded || f->open || doc_kind(d) != TEXT_HTML)
		return;
	f->open = true;
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_print(d, "Recorded on other machines");
	doc_summary_end(d);
}

void page_fold_end(struct page_fold *f, struct doc *d)
{
	if (f->open)
		doc_close(d);
	*f = (struct page_fold){ 0 };
}

void page_origin(const struct result_set *set, const struct sources *s, struct doc *d)
{
	struct text origin = { 0 }, gpus = { 0 };
	results_machine(set, &origin);
	if (s && s->count) {
		text_add(&origin, " · ");
		sources_text(s, &origin);
	}
	results_gpu_text(set, &gpus);
	doc_paragraph(d, set->recorded ? TONE_RECORDED : TONE_HERE, "%s · %s", text_get(&origin),
		      gpus.length ? text_get(&gpus) : "no GPU");
	text_free(&origin);
	text_free(&gpus);
}

int page_origin_of(const struct result_set *set, const bool *read, struct doc *d, struct err *e)
{
	struct sources s = { 0 };
	int status = sources_add(&s, set, read, e);
	if (!status)
		page_origin(set, &s, d);
	sources_free(&s);
	return status;
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

int page_figure_save(const struct page *p, const struct result_set *set, const char *plots,
		     const char *name, const struct text *data, const char *settings, struct err *e)
{
	static const char *const names[] = { "plots", "data", "svg" };
	static const char *const ends[] = { "dat", "svg", "gp" };
	char folder[PATH_MAX], path[3][PATH_MAX]; /* data, drawing, script */
	struct text slug = { 0 }, script = { 0 };
	int status = text_path(folder, e, "%s/plots", p->out);
	if (!status)
		status = outfile_make_directories(folder, e);
	results_slug(set, &slug);
	for (int i = 0; i < 3 && !status; i++)
		status = text_path(path[i], e, "%s/%s.%s.%s", folder, name, text_get(&slug),
				   ends[i]);
	text_free(&slug);
	if (status)
		return status;
	const char *const values[] = { plots, path[0], path[1] };
	text_add(&script, "# written by copra-report; draw with: gnuplot <this file>\n");
	for (int i = 0; i < 3; i++) {
		text_add(&script, "%s = \"", names[i]);
		text_add_escaped(&script, values[i], TEXT_GNUPLOT);
		text_add(&script, "\"\n");
	}
	text_add(&script, "%sload plots . \"/%s.gp\"\n", settings, name);
	if (!(status = text_save(data, path[0], e)))
		status = text_save(&script, path[2], e);
	text_free(&script);
	return status;
}

/* ---- verdicts ---- */

/* The verdicts that claims judged by rows may have. */
static const enum verdict measured_verdicts[] = { VERDICT_REPRODUCED, VERDICT_NOT_REPRODUCED,
						  VERDICT_NOT_CARRIED_OVER, VERDICT_INCONCLUSIVE,
						  VERDICT_NOT_TESTED };
enum { MEASURED_VERDICTS = sizeof(measured_verdicts) / sizeof(measured_verdicts[0]) };

/* The number of claims of the kind with the verdict in the first `count` papers. */
static size_t count_verdict(const struct paper *papers, size_t count, enum claim_kind kind,
			    enum verdict v)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < papers[i].claims.count; k++)
			found += papers[i].claims.claim[k].kind == kind &&
				 paper_verdict(&papers[i], k) == v;
	return found;
}

static size_t count_kind(const struct paper *papers, size_t count, enum claim_kind kind)
{
	size_t found = 0;
	for (int v = 0; v < VERDICTS; v++)
		found += count_verdict(papers, count, kind, (enum verdict)v);
	return found;
}

/* A row of the table of verdicts: of one paper, or of all. */
static int verdict_row(struct sheet *sheet, size_t row, const char *name,
		       const struct paper *papers, size_t count, struct err *e)
{
	int status = sheet_put(sheet, row, 0, name, e);
	for (size_t i = 0; i < MEASURED_VERDICTS && !status; i++) {
		enum verdict v = measured_verdicts[i];
		sheet_at(sheet, row, 1 + i)->mark = verdict_marks[v];
		status = sheet_print(sheet, row, 1 + i, e, "%zu",
				     count_verdict(papers, count, CLAIM_MEASURED, v));
	}
	return status ? status :
			sheet_print(sheet, row, 1 + MEASURED_VERDICTS, e, "%zu",
				    count_kind(papers, count, CLAIM_MEASURED));
}

static int verdict_table(const struct page *p, struct doc *d, struct err *e)
{
	struct sheet sheet;
	size_t all = p->count > 1;
	int status = sheet_create(&sheet, "Verdicts", 2 + MEASURED_VERDICTS, p->count + all, e);
	if (status)
		return status;
	status = sheet_heading(&sheet, 0, "measured claims", true, e);
	for (size_t i = 0; i < MEASURED_VERDICTS && !status; i++)
		status =
			sheet_heading(&sheet, 1 + i, verdict_names[measured_verdicts[i]], false, e);
	if (!status)
		status = sheet_heading(&sheet, 1 + MEASURED_VERDICTS, "all", false, e);
	for (size_t i = 0; i < p->count && !status; i++)
		status = verdict_row(&sheet, i, p->papers[i].target, &p->papers[i], 1, e);
	if (all && !status)
		status = verdict_row(&sheet, p->count, "all", p->papers, p->count, e);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

/* "Our own claims, counted apart: 12 REPRODUCED, 3 NOT TESTED." */
static void counted_apart(const struct page *p, enum claim_kind kind, const char *what,
			  struct doc *d)
{
	const char *between = ":";
	doc_open(d, DOC_PARAGRAPH, TONE_PLAIN);
	doc_print(d, "%s, counted apart", what);
	for (int v = 0; v < VERDICTS; v++) {
		size_t count = count_verdict(p->papers, p->count, kind, (enum verdict)v);
		if (count) {
			doc_print(d, "%s %zu %s", between, count, verdict_names[v]);
			between = ",";
		}
	}
	doc_print(d, "%s.", *between == ':' ? ": none" : "");
	doc_close(d);
}

/* Lists the bold sentences at the start of the first three findings. */
static void first_findings(const struct paper *paper, struct doc *d)
{
	const char *at = text_get(&paper->findings), *to;
	if (!strstr(at, "- **"))
		return;
	doc_open(d, DOC_LIST, TONE_PLAIN);
	for (int i = 0; i < 3 && (at = strstr(at, "- **")); i++, at = to) {
		at += strlen("- **");
		if (!(to = strstr(at, "**")))
			break;
		doc_open(d, DOC_ITEM, TONE_PLAIN);
		doc_print(d, "%.*s", (int)(to - at), at);
		doc_close(d);
	}
	doc_close(d);
}

static void leading_findings(const struct page *p, struct doc *d)
{
	doc_paragraph(d, TONE_PLAIN, "The three most important findings about each paper:");
	doc_open(d, DOC_LIST, TONE_PLAIN);
	for (size_t i = 0; i < p->count; i++) {
		doc_open(d, DOC_ITEM, TONE_PLAIN);
		doc_span(d, DOC_STRONG, TONE_PLAIN, p->papers[i].target);
		first_findings(&p->papers[i], d);
		doc_close(d);
	}
	doc_close(d);
}

/* The one place that counts verdicts and leads with findings. README.md and docs/ARTIFACT.md quote
 * this section (scripts/report-recorded.sh). */
static int verdicts(const struct page *p, struct doc *d, struct err *e)
{
	doc_heading(d, 2, "verdicts", "Verdicts");
	int status = verdict_table(p, d, e);
	counted_apart(p, CLAIM_ARITHMETIC, "Arithmetic on the numbers printed in the papers", d);
	counted_apart(p, CLAIM_OURS, "Our own claims", d);
	doc_open(d, DOC_LIST, TONE_PLAIN);
	for (int v = 0; v < VERDICTS; v++) {
		doc_open(d, DOC_ITEM, TONE_PLAIN);
		doc_span(d, DOC_STRONG, page_verdict_tones[v], verdict_names[v]);
		doc_print(d, ": %s", verdict_meanings[v]);
		doc_close(d);
	}
	doc_close(d);
	leading_findings(p, d);
	return status;
}

/* ---- summary ---- */

struct totals {
	size_t findings, benches, runs, failed;
};

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
	for (size_t i = 0; i < p->count; i++)
		t.findings += count_findings(&p->papers[i]);
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

static void findings(const struct totals *t, struct doc *d)
{
	begin_item(d, TONE_UNSURE, "Findings about the papers:");
	doc_print(d,
		  "%zu errors, open questions and remarks, listed in the chapters of the papers.",
		  t->findings);
	doc_close(d);
}

static void paper_line(const struct paper *paper, struct doc *d)
{
	struct text link = { 0 };
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	text_add(&link, "%s#%s", paper->target, paper->target);
	doc_link(d, text_get(&link), paper->target);
	doc_print(d, ": %zu claims, %zu findings.", paper->claims.count, count_findings(paper));
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

static int add_revisions(const struct result_set *set, struct text *out, struct err *e)
{
	struct sources s = { 0 };
	int status = sources_add(&s, set, NULL, e);
	sources_revisions(&s, out);
	sources_free(&s);
	return status;
}

static int machine_row(struct sheet *sheet, size_t row, const struct result_set *set, struct err *e)
{
	struct text gpus = { 0 }, scales = { 0 }, revisions = { 0 };
	const char *date = scales_of(set, &scales);
	size_t runs = 0;
	int status = add_revisions(set, &revisions, e);
	results_gpu_text(set, &gpus);
	for (size_t i = 0; i < 8; i++)
		sheet_at(sheet, row, i)->mark = "tight";
	for (size_t i = 0; i < set->benches; i++)
		runs += set->bench[i].runs;
	if (!status && !(status = sheet_print(sheet, row, 0, e, "%s", set->target)) &&
	    !(status = sheet_print(sheet, row, 1, e, "%s", set->machine)) &&
	    !(status = sheet_print(sheet, row, 2, e, "%s",
				   set->recorded ? "recorded" : "measured here")) &&
	    !(status = sheet_print(sheet, row, 3, e, "%s",
				   gpus.length ? text_get(&gpus) : "none")) &&
	    !(status = sheet_print(sheet, row, 4, e, "%s × %s", results_fact(set, "cpus_usable"),
				   results_fact(set, "cpu_model"))) &&
	    !(status = sheet_print(sheet, row, 5, e, "%s", text_get(&scales))) &&
	    !(status = sheet_print(sheet, row, 6, e, "%.10s", date)) &&
	    !(status = sheet_print(sheet, row, 7, e, "%s", text_get(&revisions))) &&
	    !(status = sheet_print(sheet, row, 8, e, "%zu", set->benches)) &&
	    !(status = sheet_print(sheet, row, 9, e, "%zu", runs)))
		status = sheet_print(sheet, row, 10, e, "%zu", set->skips);
	text_free(&gpus);
	text_free(&scales);
	text_free(&revisions);
	return status;
}

/* The table of the user's own machines, or of the recorded ones. */
static int machine_table(const struct results *r, bool recorded, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "paper",      "machine", "origin", "GPUs",
						"CPUs",       "scale",   "date",   "revision",
						"benchmarks", "runs",    "skipped" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet sheet;
	size_t rows = 0, row = 0;
	for (size_t i = 0; i < r->sets; i++)
		rows += r->set[i].recorded == recorded;
	int status = sheet_create(&sheet, "Machines", COLUMNS, rows, e);
	if (status)
		return status;
	status = sheet_headings(&sheet, headings, 8, e);
	for (size_t i = 0; i < r->sets && !status; i++)
		if (r->set[i].recorded == recorded)
			status = machine_row(&sheet, row++, &r->set[i], e);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

/* Names the result files that were edited by hand: the member `copra_edited` of their context. */
static void edited_files(const struct results *r, bool recorded, struct doc *d)
{
	for (size_t i = 0; i < r->sets; i++)
		for (size_t k = 0; k < r->set[i].files; k++) {
			const char *what = result_fact(&r->set[i].file[k], "copra_edited");
			if (what && r->set[i].recorded == recorded)
				doc_paragraph(d, TONE_NOTE, "Edited: %s, %s, %s. %s",
					      r->set[i].machine, r->set[i].target,
					      r->set[i].file[k].scale, what);
		}
}

static int machines(const struct results *r, struct doc *d, struct err *e)
{
	const struct result_set *first[2] = { NULL, NULL }; /* local, recorded */
	struct page_fold fold = { 0 };
	int status = 0;
	doc_heading(d, 2, "machines", "Machines and runs");
	for (size_t i = r->sets; i-- > 0;)
		first[r->set[i].recorded] = &r->set[i];
	for (int recorded = 0; recorded < 2 && !status; recorded++)
		if (first[recorded]) {
			page_fold(&fold, first[recorded], d);
			status = machine_table(r, recorded, d, e);
			edited_files(r, recorded, d);
		}
	page_fold_end(&fold, d);
	return status;
}

static int summary(const struct page *p, struct doc *d, struct err *e)
{
	struct totals t = total(p);
	doc_heading(d, 2, "summary", "Summary");
	doc_open(d, DOC_LIST, TONE_PLAIN);
	measured(&t, d);
	findings(&t, d);
	for (size_t i = 0; i < p->count; i++)
		paper_line(&p->papers[i], d);
	doc_close(d);
	doc_paragraph(
		d, TONE_NOTE,
		"Each claim is counted once, with the verdict of one machine that has what "
		"the claim needs: this machine if it decided the claim, otherwise the "
		"recorded one that decided most claims of the paper. A machine with a verdict "
		"comes before one that finds the claim INCONCLUSIVE. The list of claims names "
		"the machine.");
	int status = verdicts(p, d, e);
	return status ? status : machines(p->results, d, e);
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
	struct sources s = { 0 };
	int status = 0;
	for (size_t i = 0; i < p->results->sets && !status; i++)
		status = sources_add(&s, &p->results->set[i], NULL, e);
	sources_revisions(&s, &revisions);
	sources_free(&s);
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
	return status;
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
	if ((status = gain_section(p, d, e)) || (status = summary(p, d, e)) ||
	    (status = place_index(p, d, e)))
		return status;
	doc_open(d, DOC_PARAGRAPH, TONE_PLAIN);
	doc_print(d, "See also ");
	doc_link(d, "proofs", "the time to a proof from nothing");
	doc_print(d, ", ");
	doc_link(d, "solved", "solved instances");
	doc_print(d, ", and ");
	doc_link(d, "gate", "the regression gate");
	doc_print(d, " and its error rates.");
	doc_close(d);
	return cite(p, d, e);
}
