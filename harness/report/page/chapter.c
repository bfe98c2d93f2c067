/* The chapter of one paper: verdicts, findings, tables and figures on every machine, the
 * environment of the measurements, and how to cite the paper. */
#include "harness/report/page/page.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/machine/peaks.h"
#include "harness/report/data/bibtex.h"
#include "harness/report/document/document.h"
#include "harness/report/export.h"
#include "harness/report/format.h"
#include "harness/report/table/tables.h"

/* ---- verdicts and findings ---- */

static int verdict_sheet(const struct paper *paper, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "verdicts", "CONFIRMED", "REFUTED", "AMBIGUOUS",
						"NOT TESTED" };
	struct sheet sheet;
	int status = sheet_create(&sheet, "Verdicts", 1 + VERDICTS, paper->machines, e);
	if (status)
		return status;
	status = sheet_headings(&sheet, headings, 1, e);
	for (size_t i = 0; i < paper->machines && !status; i++) {
		struct text origin = { 0 };
		results_origin(paper->machine[i].set, &origin);
		status = sheet_put(&sheet, i, 0, text_get(&origin), e);
		for (size_t v = 0; v < VERDICTS && !status; v++) {
			sheet_at(&sheet, i, 1 + v)->mark = verdict_marks[v];
			status = sheet_print(
				&sheet, i, 1 + v, e, "%zu",
				paper_verdicts_on(paper, &paper->machine[i], (enum verdict)v));
		}
		text_free(&origin);
	}
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static void claim_item(const struct paper *paper, const struct paper_machine *m, size_t index,
		       struct doc *d)
{
	const struct claim *c = &paper->claims.claim[index];
	const struct judgement *j = &m->judgement[index];
	const struct text *summary =
		j->verdict == VERDICT_REFUTED ? &j->trace.first_failed : &j->trace.last_held;
	struct text link = { 0 };
	page_claim_link(&link, paper, c);
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	doc_link(d, text_get(&link), c->id);
	doc_print(d, " (%s, %s) %s", c->section, c->class, c->text);
	if (j->verdict != VERDICT_NOT_TESTED && summary->length)
		doc_print(d, " (%s)", text_get(summary));
	doc_close(d);
	text_free(&link);
}

static void claim_list(const struct paper *paper, const struct paper_machine *m, enum verdict v,
		       const char *heading, struct doc *d)
{
	char title[96];
	size_t count = paper_verdicts_on(paper, m, v);
	if (!count)
		return;
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	snprintf(title, sizeof(title), "%s: %zu", heading, count);
	doc_span(d, DOC_STRONG, page_verdict_tones[v], title);
	doc_summary_end(d);
	doc_open(d, DOC_LIST, TONE_PLAIN);
	for (size_t i = 0; i < paper->claims.count; i++)
		if (m->judgement[i].verdict == v)
			claim_item(paper, m, i, d);
	doc_close(d);
	doc_close(d);
}

/* The claims decided on a machine. The undecided ones are listed only for the best machine. */
static void machine_claims(const struct paper *paper, const struct paper_machine *m, bool best,
			   struct doc *d)
{
	if (!best && paper_verdicts_on(paper, m, VERDICT_NOT_TESTED) == paper->claims.count)
		return;
	page_origin(m->set, d);
	claim_list(paper, m, VERDICT_CONFIRMED, "Reproduced", d);
	claim_list(paper, m, VERDICT_REFUTED, "Not reproduced", d);
	claim_list(paper, m, VERDICT_AMBIGUOUS,
		   "Ambiguous because of noise (counts as not reproduced)", d);
	if (best)
		claim_list(paper, m, VERDICT_NOT_TESTED, "Not tested (counts as not reproduced)",
			   d);
}

/* Links to the sections and appendices of this paper. */
static void section_links(const struct paper *paper, struct doc *d)
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
		text_add(&link, "%s%s", paper->target, all[i].page);
		if (all[i].anchor)
			text_add(&link, "#%s-%s", paper->target, all[i].anchor);
		doc_text(d, i ? " · " : "");
		doc_link(d, text_get(&link), all[i].words);
	}
	doc_close(d);
	text_free(&link);
}

/* Loads paper.bib; `out` stays empty if there is no such file. */
static int load_bibtex(struct text *out, const struct page *p, const struct paper *paper,
		       struct err *e)
{
	char path[PATH_MAX];
	int status = text_path(path, e, "%s/papers/%s/paper.bib", p->folder, paper->target);
	if (status || access(path, F_OK) != 0)
		return status;
	return text_load(out, path, e);
}

static int reference(const struct page *p, const struct paper *paper, struct doc *d, struct err *e)
{
	struct text bib = { 0 }, line = { 0 };
	int status = load_bibtex(&bib, p, paper, e);
	if (!status && bib.length) {
		bibtex_reference(text_get(&bib), &line);
		doc_paragraph(d, TONE_PLAIN, "%s", text_get(&line));
	}
	text_free(&bib);
	text_free(&line);
	return status;
}

static int paper_section(const struct page *p, const struct paper *paper, struct doc *d,
			 struct err *e)
{
	const struct paper_machine *best = paper_best_machine(paper);
	int status = reference(p, paper, d, e);
	if (status)
		return status;
	section_links(paper, d);
	doc_heading(d, 2, NULL, "Verdicts");
	if (!best) {
		doc_paragraph(d, TONE_PLAIN, "Nothing has been measured yet.");
	} else if (paper->claims.count) {
		if ((status = verdict_sheet(paper, d, e)))
			return status;
		for (size_t i = 0; i < paper->machines; i++)
			machine_claims(paper, &paper->machine[i], &paper->machine[i] == best, d);
	}
	if (paper->findings.length) {
		doc_heading(d, 2, NULL, "Findings");
		doc_markdown(d, text_get(&paper->findings));
	}
	return 0;
}

/* ---- tables and figures ---- */

static void notes(const struct table *table, struct doc *d)
{
	const char *at = table->notes ? table->notes : "";
	while (*at) {
		size_t length = strcspn(at, "\n");
		doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
		doc_markdown_spans(d, at, length);
		doc_close(d);
		at += length + (at[length] == '\n');
	}
}

static int drawing(const struct paper *paper, size_t machine, const struct table *table,
		   struct doc *d, struct err *e)
{
	struct text path = { 0 }, caption = { 0 };
	char prefix[128];
	const struct result_set *set = paper->machine[machine].set;
	export_plot_path(&path, paper, table->id, set);
	text_add(&caption, "%s; ", table->title);
	results_origin(set, &caption);
	snprintf(prefix, sizeof(prefix), "%.40s-%.40s-%zu", paper->target, table->id, machine);
	int status = doc_figure(d, text_get(&path), prefix, text_get(&caption), e);
	text_free(&path);
	text_free(&caption);
	return status;
}

static void not_tested_on(const struct paper_machine *m, size_t index, struct doc *d)
{
	struct text why = { 0 };
	grid_missing(&m->grid[index], &why);
	doc_paragraph(d, TONE_OPEN, "NOT TESTED on %s: %s.", m->set->machine,
		      why.length ? text_get(&why) : "not part of these runs");
	text_free(&why);
}

static int table_on(const struct paper *paper, size_t machine, size_t index, struct doc *d,
		    struct err *e)
{
	const struct grid *g = &paper->machine[machine].grid[index];
	struct sheet sheet;
	struct text absent = { 0 };
	if (!g->measured) {
		if (g->table->place && paper_measured(paper, index))
			not_tested_on(&paper->machine[machine], index, d);
		return 0;
	}
	int status = grid_sheet(g, &sheet, &absent, e);
	if (status)
		return status;
	page_origin(paper->machine[machine].set, d);
	doc_sheet(d, &sheet);
	if (absent.length)
		doc_paragraph(d, TONE_NOTE, "Not measured on this machine: %s.", text_get(&absent));
	if (grid_has_plot(g))
		status = drawing(paper, machine, g->table, d, e);
	sheet_free(&sheet);
	text_free(&absent);
	return status;
}

/* Explains why no machine measured the table. */
static void reasons(const struct paper *paper, size_t index, struct doc *d)
{
	const char *never = paper->tables.table[index].never;
	if (never || !paper->machines) {
		doc_paragraph(d, TONE_OPEN, "NOT TESTED: %s.",
			      never ? never : "nothing has been measured yet");
		return;
	}
	for (size_t m = 0; m < paper->machines; m++)
		not_tested_on(&paper->machine[m], index, d);
}

/* A table that no machine measured: the paper's numbers, and why ours are missing. */
static int untested(const struct paper *paper, size_t index, struct doc *d, struct err *e)
{
	struct sheet sheet;
	struct text absent = { 0 };
	reasons(paper, index, d);
	if (!paper->printed_grid[index].rows)
		return 0;
	int status = grid_sheet(&paper->printed_grid[index], &sheet, &absent, e);
	if (!status) {
		doc_paragraph(d, TONE_NOTE, "The paper's own numbers:");
		doc_sheet(d, &sheet);
		sheet_free(&sheet);
	}
	text_free(&absent);
	return status;
}

static int one_table(const struct paper *paper, size_t index, struct doc *d, struct err *e)
{
	const struct table *table = &paper->tables.table[index];
	struct text anchor = { 0 };
	int status = 0;
	text_add(&anchor, "%s-%s", paper->target, table->id);
	doc_heading(d, 3, text_get(&anchor), table->title);
	notes(table, d);
	for (size_t m = 0; m < paper->machines && !status; m++)
		status = table_on(paper, m, index, d, e);
	if (!status && !paper_measured(paper, index))
		status = untested(paper, index, d, e);
	text_free(&anchor);
	return status;
}

static int tables_section(const struct paper *paper, struct doc *d, struct err *e)
{
	int status = 0;
	if (!paper->tables.count)
		return 0;
	page_heading(paper, d, "tables", "Tables and figures");
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_text(d, "All ratios are between measurements on the same machine. Columns with "
		    "\"paper\" in "
		    "the heading contain the numbers that the paper prints");
	if (doc_kind(d) == TEXT_HTML)
		doc_text(d, ", in italics. Hover over a value to see its 95 % interval");
	doc_text(d, ".");
	doc_close(d);
	for (size_t i = 0; i < paper->tables.count && !status; i++)
		status = one_table(paper, i, d, e);
	return status;
}

/* ---- environment ---- */

static int two_columns(struct sheet *sheet, const char *what, size_t rows, const char *second,
		       bool text, struct err *e)
{
	int status = sheet_create(sheet, what, 2, rows, e);
	if (!status && !(status = sheet_heading(sheet, 0, what, true, e)))
		status = sheet_heading(sheet, 1, second, text, e);
	return status;
}

/* Ends the summary that the caller began, puts the table into the folded part, and frees it. */
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

static int peaks_sheet(const struct result_file *f, struct doc *d, struct err *e)
{
	struct sheet sheet;
	size_t row = 0;
	if (!f->path || !known(f))
		return 0;
	int status = two_columns(&sheet, "peak rate", known(f), "measured", false, e);
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
	doc_print(d, "Peak rates, measured %s (the lower bounds on time are computed from them)",
		  f->date);
	return fold_away(&sheet, status, d);
}

/* Hardware and software, in one line. */
static void configuration(const struct result_set *set, struct doc *d)
{
	struct text gpus = { 0 };
	results_gpu_text(set, &gpus);
	doc_paragraph(d, TONE_NOTE, "%s; %s × %s; %s; driver %s, CUDA %s; %s; revision %.7s%s",
		      gpus.length ? text_get(&gpus) : "no GPU", results_fact(set, "cpus_usable"),
		      results_fact(set, "cpu_model"), results_fact(set, "distribution"),
		      *results_fact(set, "gpu_driver") ? results_fact(set, "gpu_driver") : "none",
		      *results_fact(set, "nvcc") ? results_fact(set, "nvcc") : "none",
		      results_fact(set, "compiler"), results_fact(set, "copra_revision"),
		      *results_fact(set, "copra_dirty") == '1' ? " with changes" : "");
	text_free(&gpus);
}

static int environment_section(const struct paper *paper, struct doc *d, struct err *e)
{
	int status = 0;
	page_heading(paper, d, "environment", "Environment");
	for (size_t m = 0; m < paper->machines && !status; m++) {
		const struct result_set *set = paper->machine[m].set;
		page_origin(set, d);
		configuration(set, d);
		for (size_t i = 0; i < set->files && !status; i++)
			status = facts(&set->file[i], d, e);
		if (!status)
			status = peaks_sheet(&set->peaks, d, e);
	}
	return status;
}

static int cite_section(const struct page *p, const struct paper *paper, struct doc *d,
			struct err *e)
{
	struct text bib = { 0 };
	int status = load_bibtex(&bib, p, paper, e);
	if (!status && bib.length) {
		page_heading(paper, d, "cite", "How to cite the paper");
		doc_pre(d, text_get(&bib));
	}
	text_free(&bib);
	return status;
}

int page_chapter(const struct page *p, const struct paper *paper, struct doc *d, struct err *e)
{
	int status;
	doc_page(d, paper->target, paper->target);
	if ((status = paper_section(p, paper, d, e)) || (status = tables_section(paper, d, e)) ||
	    (status = page_roofline(paper, d, e)) || (status = page_energy(paper, d, e)) ||
	    (status = environment_section(paper, d, e)))
		return status;
	return cite_section(p, paper, d, e);
}
