/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The appendices of one paper: every claim with its evidence, and every row with the claims that
 * read it. */
#include "harness/report/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"
#include "harness/report/data/results.h"
#include "harness/report/export.h"
#include "harness/report/format.h"
#include "harness/report/paper.h"

/* ---- claims ---- */

static void intro(struct doc *d)
{
	doc_paragraph(
		d, TONE_NOTE,
		"The first page says what each verdict means. A claim is judged only by "
		"machines that have what it needs. If counts decide it, one run is enough; if "
		"times decide it, every row whose time is read needs %d runs. Runs of rows that "
		"differ only in their seed, a random instance of one class, count together "
		"where a mean or another statistic reads them together: five seeds with one run "
		"each are enough. The bootstrap samples of such a claim draw the seeds, then "
		"the runs of each. Rows of the scale "
		"smoke and simulated rows decide nothing. A verdict holds in at least 95 %% of "
		"1000 bootstrap samples of the runs, otherwise it is INCONCLUSIVE. In the "
		"evidence, each benchmark is represented by the median of its runs; mean, max "
		"and other statistics are taken over benchmarks. A number is shown with its "
		"unit (s, J, B, or one of these per second) if the unit is known, otherwise "
		"with the unit of the number that it is compared with.",
		CLAIM_RUNS);
}

/* The table of claims (export.h), with links to the evidence. */
static int overview(const struct paper *paper, struct doc *d, struct err *e)
{
	struct sheet sheet;
	struct text link = { 0 };
	int status = export_claims_sheet(paper, &sheet, e);
	if (status)
		return status;
	for (size_t i = 0; i < paper->claims.count && !status; i++) {
		page_claim_link(&link, paper, &paper->claims.claim[i]);
		status = sheet_link(&sheet, i, 0, &link, e);
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

/* Links to the rows that the claim read, as ranges: 3-9, 12. */
static void rows_read(const struct paper_machine *m, size_t claim, struct doc *d)
{
	const struct result_set *set = m->set;
	const bool *read = m->read + claim * set->benches;
	bool any = false;
	struct text link = { 0 }, label = { 0 };
	for (size_t i = 0, end; i < set->benches; i = end + 1) {
		for (end = i; end < set->benches && read[end]; end++)
			;
		if (end == i)
			continue;
		if (!any)
			doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
		doc_print(d, "%s", any ? ", " : "Rows read: ");
		any = true;
		link.length = label.length = 0;
		page_row_link(&link, set, i);
		text_add(&label, end > i + 1 ? "%zu–%zu" : "%zu", i + 1, end);
		doc_link(d, text_get(&link), text_get(&label));
	}
	if (any)
		doc_close(d);
	text_free(&link);
	text_free(&label);
}

/* The evidence of a machine, or, if `m` is NULL, of the printed numbers. */
static int evidence(const struct paper_machine *m, const struct judgement *j, size_t claim,
		    struct doc *d, struct err *e)
{
	struct text origin = { 0 };
	int status = 0;
	if (m)
		status = sources_origin(m->set, m->read + claim * m->set->benches, &origin, e);
	else
		text_add(&origin, "by the numbers printed in the paper");
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_span(d, DOC_STRONG, page_verdict_tones[j->verdict], verdict_names[j->verdict]);
	doc_print(d, " %s", text_get(&origin));
	if (m && j->verdict != VERDICT_NOT_TESTED && !j->unreliable)
		doc_print(d, " (%.0f %% of bootstrap samples agree)", floor(100 * j->agreement));
	doc_summary_end(d);
	if (j->reason.length)
		doc_paragraph(d, TONE_PLAIN, "%s", text_get(&j->reason));
	lines("Missing:", &j->needs, d);
	lines("Comparisons:", &j->trace.comparisons, d);
	lines("Measured:", &j->trace.values, d);
	if (m)
		rows_read(m, claim, d);
	doc_close(d);
	text_free(&origin);
	return status;
}

static void source(const char *what, const char *expression, struct doc *d)
{
	doc_print(d, "; %s ", what);
	doc_span(d, DOC_CODE, TONE_PLAIN, expression);
}

static void conditions(const struct claim *c, struct doc *d)
{
	struct text needs = { 0 };
	claim_needs_text(c, &needs);
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_print(d, "%s; %s", c->where, claim_kind_names[c->kind]);
	if (c->decided != DECIDED_NOTHING)
		doc_print(d, ", decided by %s", claim_decided_names[c->decided]);
	if (needs.length)
		doc_print(d, "; needs %s", text_get(&needs));
	if (!isnan(c->tolerance))
		doc_print(d, "; tolerance %g", c->tolerance);
	if (*c->tolerance_reason)
		doc_print(d, " (%s)", c->tolerance_reason);
	source("test", c->source, d);
	if (c->reliable)
		source("reliable", c->reliable_source, d);
	if (c->hardware)
		source("hardware", c->hardware_source, d);
	doc_close(d);
	text_free(&needs);
}

static int one_claim(const struct paper *paper, size_t index, struct doc *d, struct err *e)
{
	const struct claim *c = &paper->claims.claim[index];
	struct text anchor = { 0 }, heading = { 0 };
	int status = 0;
	text_add(&anchor, "claim-%s-%s", paper->target, c->id);
	text_add(&heading, "%s · %s", c->id, c->says);
	doc_heading(d, 4, text_get(&anchor), text_get(&heading));
	conditions(c, d);
	if (*c->note)
		doc_paragraph(d, TONE_NOTE, "%s", c->note);
	if (c->kind == CLAIM_ARITHMETIC)
		status = evidence(NULL, &paper->arithmetic[index], index, d, e);
	for (size_t m = 0; m < paper->machines && c->kind != CLAIM_ARITHMETIC && !status; m++)
		status = evidence(&paper->machine[m], &paper->machine[m].judgement[index], index, d,
				  e);
	text_free(&anchor);
	text_free(&heading);
	return status;
}

static void terms(const struct paper *paper, struct doc *d)
{
	struct text all = { 0 };
	if (!paper->terms->count)
		return;
	for (size_t i = 0; i < paper->terms->count; i++) {
		const struct expr_term *term = &paper->terms->term[i];
		text_add(&all, "%s: %s\n    %s\n", term->name, term->meaning, term->source);
	}
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_print(d, "Terms used in claims and tables");
	doc_summary_end(d);
	doc_pre(d, text_get(&all));
	doc_close(d);
	text_free(&all);
}

static int claims_section(const struct paper *paper, struct doc *d, struct err *e)
{
	if (!paper->claims.count)
		return 0;
	intro(d);
	int status = overview(paper, d, e);
	if (!status)
		doc_heading(d, 2, NULL, "Evidence");
	for (size_t i = 0; i < paper->claims.count && !status; i++)
		status = one_claim(paper, i, d, e);
	terms(paper, d);
	return status;
}

/* ---- rows ---- */

static const struct {
	const char *text;
	bool left;
} headings[] = { { "row", false },    { "benchmark", true },     { "runs", false },
		 { "median", false }, { "min", false },          { "max", false },
		 { "claims", true },  { "counters read", true }, { "label", true } };
enum { ROW, NAME, RUNS, MEDIAN, LEAST, MOST, CLAIMS, COUNTERS, LABEL, COLUMNS };

static int put_headings(struct sheet *sheet, struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < COLUMNS && !status; i++)
		status = sheet_heading(sheet, i, headings[i].text, headings[i].left, e);
	return status;
}

/* The medians of the counters that claims read: "cells 1.9e+10, nodes 7". */
static void counters(const struct result_bench *b, const char *names, struct text *out)
{
	while (*names) {
		char name[64];
		size_t length = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		double median = result_median(b, name);
		if (!isnan(median))
			text_add(out, "%s%s %.9g", out->length ? ", " : "", name, median);
		names += length + (names[length] == ' ');
	}
}

static int put_times(struct sheet *sheet, size_t row, const struct result_bench *b, struct err *e)
{
	static const size_t at[] = { MEDIAN, LEAST, MOST };
	const double value[] = { stat_median(b->seconds, b->runs), stat_min(b->seconds, b->runs),
				 stat_max(b->seconds, b->runs) };
	int status = 0;
	for (size_t i = 0; i < 3 && !status; i++) {
		char shown[64];
		format_number(shown, sizeof(shown), FORMAT_SECONDS, value[i]);
		status = sheet_put(sheet, row, at[i], shown, e);
	}
	return status;
}

/* The ids of the claims that read the benchmark. */
static void claims_of(const struct paper *paper, const struct paper_machine *m, size_t index,
		      struct text *out)
{
	for (size_t i = 0; i < paper->claims.count; i++)
		if (m->read[i * m->set->benches + index])
			text_add(out, "%s%s", out->length ? " " : "", paper->claims.claim[i].id);
}

static int put_row(struct sheet *sheet, const struct paper *paper, const struct paper_machine *m,
		   size_t index, struct err *e)
{
	const struct result_bench *b = &m->set->bench[index];
	struct text read = { 0 }, claims = { 0 }, link = { 0 };
	counters(b, text_get(&m->counters[index]), &read);
	claims_of(paper, m, index, &claims);
	page_row_link(&link, m->set, index);
	const char *anchor = strchr(text_get(&link), '#');
	for (size_t i = 0; i < COLUMNS; i++)
		sheet_at(sheet, index, i)->mark = headings[i].left ? "tight" : NULL;
	int status = text_copy(&sheet_at(sheet, index, ROW)->anchor, anchor ? anchor + 1 : "", e);
	if (status || (status = sheet_print(sheet, index, ROW, e, "%zu", index + 1)) ||
	    (status = sheet_put(sheet, index, NAME, name_short(b->name), e)) ||
	    (status = sheet_put(sheet, index, CLAIMS, text_get(&claims), e)) ||
	    (status = sheet_put(sheet, index, LABEL, b->label ? b->label : "", e)) ||
	    (status = sheet_put(sheet, index, COUNTERS, text_get(&read), e)) ||
	    (status = sheet_print(sheet, index, RUNS, e, "%zu", b->runs)))
		goto done;
	status = put_times(sheet, index, b, e);
done:
	text_free(&read);
	text_free(&claims);
	text_free(&link);
	return status;
}

static int machine_rows(const struct paper *paper, const struct paper_machine *m, struct doc *d,
			struct err *e)
{
	const struct result_set *set = m->set;
	struct sheet sheet;
	int status = sheet_create(&sheet, "Rows", COLUMNS, set->benches, e);
	if (status)
		return status;
	status = put_headings(&sheet, e);
	for (size_t i = 0; i < set->benches && !status; i++)
		status = put_row(&sheet, paper, m, i, e);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static int rows_section(const struct paper *paper, struct doc *d, struct err *e)
{
	int status = 0;
	doc_paragraph(d, TONE_NOTE,
		      "One row per benchmark (its name without the target): the median, minimum "
		      "and maximum time of its repetitions, the claims that read it, "
		      "and the counters that they read.");
	for (size_t i = 0; i < paper->machines && !status; i++) {
		const struct result_set *set = paper->machine[i].set;
		status = page_origin_of(set, NULL, d, e);
		for (size_t k = 0; k < set->files; k++)
			doc_paragraph(d, TONE_NOTE, "from %s", set->file[k].path);
		if (!status)
			status = machine_rows(paper, &paper->machine[i], d, e);
	}
	return status;
}

/* ---- benchmarks without a row ---- */

static bool reason_is_new(const struct result_set *set, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(set->skip[i].message, set->skip[index].message))
			return false;
	return true;
}

static void one_reason(const struct result_set *set, size_t index, struct doc *d)
{
	struct text names = { 0 };
	size_t count = 0;
	for (size_t k = index; k < set->skips; k++)
		if (!strcmp(set->skip[k].message, set->skip[index].message)) {
			count++;
			text_add(&names, "%s\n", set->skip[k].name);
		}
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_print(d, "%zu %s: %s", count, set->skip[index].failed ? "FAILED" : "skipped",
		  set->skip[index].message);
	doc_summary_end(d);
	doc_pre(d, text_get(&names));
	doc_close(d);
	text_free(&names);
}

static int skipped_section(const struct paper *paper, struct doc *d)
{
	page_heading(paper, d, "skipped", "Skipped benchmarks");
	for (size_t m = 0; m < paper->machines; m++) {
		const struct result_set *set = paper->machine[m].set;
		page_origin(set, NULL, d);
		for (size_t i = 0; i < set->skips; i++)
			if (reason_is_new(set, i))
				one_reason(set, i, d);
		if (!set->skips)
			doc_paragraph(d, TONE_NOTE, "Nothing was skipped.");
	}
	return 0;
}

int page_appendix(const struct paper *paper, struct doc *d, struct err *e)
{
	char name[128], title[160];
	snprintf(name, sizeof(name), "%s-claims", paper->target);
	snprintf(title, sizeof(title), "%s: claims and evidence", paper->target);
	doc_page(d, name, title);
	int status = claims_section(paper, d, e);
	if (status)
		return status;
	snprintf(name, sizeof(name), "%s-rows", paper->target);
	snprintf(title, sizeof(title), "%s: rows", paper->target);
	doc_page(d, name, title);
	status = rows_section(paper, d, e);
	return status ? status : skipped_section(paper, d);
}
