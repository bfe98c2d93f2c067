/* The machines and builds that the figures come from. */
#include <stdlib.h>

#include "harness/machine/peaks.h"
#include "harness/report/format.h"
#include "harness/report/page_parts.h"

static int two_columns(struct sheet *sheet, const char *what, size_t rows, const char *second,
		       bool text, struct err *e)
{
	int status = sheet_create(sheet, what, 2, rows, e);
	if (!status && !(status = sheet_heading(sheet, 0, what, true, e)))
		status = sheet_heading(sheet, 1, second, text, e);
	return status;
}

/* Ends the summary that was begun, with the table behind it. */
static int fold_away(struct sheet *sheet, int status, struct doc *d)
{
	doc_summary_end(d);
	if (!status)
		doc_sheet(d, sheet);
	doc_close(d);
	sheet_free(sheet);
	return status;
}

static int facts(const struct result_file *f, struct doc *d, struct err *e)
{
	struct sheet sheet;
	int status = two_columns(&sheet, "fact", f->facts, "value", true, e);
	if (status)
		return status;
	for (size_t i = 0; i < f->facts && !status; i++)
		if (!(status = sheet_put(&sheet, i, 0, f->fact[i].name, e)))
			status = sheet_put(&sheet, i, 1, f->fact[i].value, e);
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_print(d, "%s, %s: ", f->scale, f->date);
	doc_span(d, DOC_CODE, TONE_PLAIN, f->path);
	return fold_away(&sheet, status, d);
}

static size_t known(const struct result_file *f)
{
	size_t count = 0;
	for (enum peak c = 0; c < PEAKS; c++)
		count += result_fact(f, peaks_name(c)) != NULL;
	return count;
}

static int ceilings(const struct result_file *f, struct doc *d, struct err *e)
{
	struct sheet sheet;
	size_t row = 0;
	if (!f->path || !known(f))
		return 0;
	int status = two_columns(&sheet, "ceiling", known(f), "measured", false, e);
	if (status)
		return status;
	for (enum peak c = 0; c < PEAKS && !status; c++) {
		const char *value = result_fact(f, peaks_name(c));
		char shown[64];
		if (!value)
			continue;
		format_unit(shown, sizeof(shown), strtod(value, NULL), peaks_unit(c));
		if (!(status = sheet_put(&sheet, row, 0, peaks_text(c), e)))
			status = sheet_put(&sheet, row++, 1, shown, e);
	}
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	doc_print(d, "Ceilings, measured %s: what floors are computed from", f->date);
	return fold_away(&sheet, status, d);
}

/* What decides the figures most, in one line. */
static void in_short(const struct result_set *set, struct doc *d)
{
	struct text gpus = { 0 };
	machine_gpus(set, &gpus);
	doc_paragraph(d, TONE_NOTE, "%s; %s × %s; %s; driver %s, CUDA %s; %s; revision %.7s%s",
		      gpus.length ? text_get(&gpus) : "no GPU", page_fact(set, "cpus_usable"),
		      page_fact(set, "cpu_model"), page_fact(set, "distribution"),
		      *page_fact(set, "gpu_driver") ? page_fact(set, "gpu_driver") : "none",
		      *page_fact(set, "nvcc") ? page_fact(set, "nvcc") : "none",
		      page_fact(set, "compiler"), page_fact(set, "copra_revision"),
		      *page_fact(set, "copra_dirty") == '1' ? " with changes" : "");
	text_free(&gpus);
}

int page_environment(const struct study *s, struct doc *d, struct err *e)
{
	int status = 0;
	page_heading(s, d, "environment", "Environment");
	for (size_t m = 0; m < s->machines && !status; m++) {
		const struct result_set *set = s->machine[m].set;
		page_origin(set, d);
		in_short(set, d);
		for (size_t i = 0; i < set->files && !status; i++)
			status = facts(&set->file[i], d, e);
		if (!status)
			status = ceilings(&set->ceilings, d, e);
	}
	return status;
}
