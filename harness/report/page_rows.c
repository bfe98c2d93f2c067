/* The appendix of rows: every benchmark, what was measured, and the claims that read it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/stats.h"
#include "harness/report/bench_name.h"
#include "harness/report/format.h"
#include "harness/report/page_parts.h"
#include "harness/report/reads.h"

static const struct {
	const char *text;
	bool left;
} headings[] = { { "row", false },   { "benchmark", true },
		 { "runs", false },  { "median", false },
		 { "min", false },   { "max", false },
		 { "claims", true }, { "counters that they read", true },
		 { "label", true } };
enum { ROW, NAME, RUNS, MEDIAN, LEAST, MOST, CLAIMS, COUNTERS, LABEL, COLUMNS };

static int put_headings(struct sheet *sheet, struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < COLUMNS && !status; i++)
		status = sheet_heading(sheet, i, headings[i].text, headings[i].left, e);
	return status;
}

/* "cells 1.9e+10, nodes 7": medians of the counters that claims read. */
static void counters(const struct result_bench *b, const char *names, struct text *out)
{
	while (*names) {
		char name[64];
		size_t length = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		const double *values = result_values(b, name);
		double median = values ? stat_median(values, b->runs) : NAN;
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
		format_number(shown, sizeof(shown), format_by_name("seconds"), value[i]);
		status = sheet_put(sheet, row, at[i], shown, e);
	}
	return status;
}

static int put_row(struct sheet *sheet, const struct result_set *set, size_t index,
		   const struct row_use *use, struct err *e)
{
	const struct result_bench *b = &set->bench[index];
	struct text read = { 0 }, anchor = { 0 };
	counters(b, text_get(&use->counters), &read);
	row_anchor(&anchor, set, index);
	for (size_t i = 0; i < COLUMNS; i++)
		sheet_at(sheet, index, i)->mark = headings[i].left ? "tight" : NULL;
	int status = text_copy(&sheet_at(sheet, index, ROW)->anchor, text_get(&anchor), e);
	if (status || (status = page_cell(sheet, index, ROW, e, "%zu", index + 1)) ||
	    (status = sheet_put(sheet, index, NAME, bench_short_name(b->name), e)) ||
	    (status = sheet_put(sheet, index, CLAIMS, text_get(&use->claims), e)) ||
	    (status = sheet_put(sheet, index, LABEL, b->label ? b->label : "", e)) ||
	    (status = sheet_put(sheet, index, COUNTERS, text_get(&read), e)) ||
	    (status = page_cell(sheet, index, RUNS, e, "%zu", b->runs)))
		goto done;
	status = put_times(sheet, index, b, e);
done:
	text_free(&read);
	text_free(&anchor);
	return status;
}

static int machine_rows(const struct study *s, const struct study_machine *m, struct doc *d,
			struct err *e)
{
	const struct result_set *set = m->set;
	struct row_use *uses;
	struct sheet sheet;
	int status = row_uses_find(s, m, &uses, e);
	if (status)
		return status;
	if (!(status = sheet_create(&sheet, "Rows", COLUMNS, set->benches, e))) {
		status = put_headings(&sheet, e);
		for (size_t i = 0; i < set->benches && !status; i++)
			status = put_row(&sheet, set, i, &uses[i], e);
		if (!status)
			doc_sheet(d, &sheet);
		sheet_free(&sheet);
	}
	row_uses_free(uses, set->benches);
	return status;
}

int page_rows(const struct study *s, struct doc *d, struct err *e)
{
	int status = 0;
	doc_paragraph(d, TONE_NOTE,
		      "One row a benchmark, its name without the target's: the median, least and "
		      "greatest of its repetitions, the "
		      "claims whose predicates read it, and the counters that they read.");
	for (size_t i = 0; i < s->machines && !status; i++) {
		const struct result_set *set = s->machine[i].set;
		page_origin(set, d);
		for (size_t k = 0; k < set->files; k++)
			doc_paragraph(d, TONE_NOTE, "from %s", set->file[k].path);
		status = machine_rows(s, &s->machine[i], d, e);
	}
	return status;
}

/* ---- what has no row ---- */

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

int page_skipped(const struct study *s, struct doc *d)
{
	page_heading(s, d, "skipped", "What was skipped, and why");
	for (size_t m = 0; m < s->machines; m++) {
		const struct result_set *set = s->machine[m].set;
		page_origin(set, d);
		for (size_t i = 0; i < set->skips; i++)
			if (reason_is_new(set, i))
				one_reason(set, i, d);
		if (!set->skips)
			doc_paragraph(d, TONE_NOTE, "Nothing was skipped.");
	}
	return 0;
}
