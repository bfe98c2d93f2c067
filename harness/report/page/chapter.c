/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The chapter of one paper: verdicts, findings, tables and figures on every machine, the share of
 * the peak rates that the rows reached, their energy, the environment of the measurements, and how
 * to cite the paper. */
#include "harness/report/page/page.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/stats.h"
#include "harness/machine/peaks.h"
#include "harness/report/document/document.h"
#include "harness/report/export.h"
#include "harness/report/format.h"
#include "harness/report/table/roofline.h"
#include "harness/report/table/tables.h"

/* ---- verdicts and findings ---- */

static int verdict_sheet(const struct paper *paper, struct doc *d, struct err *e)
{
	static const enum verdict shown[] = { VERDICT_REPRODUCED, VERDICT_NOT_REPRODUCED,
					      VERDICT_NOT_CARRIED_OVER, VERDICT_INCONCLUSIVE,
					      VERDICT_NOT_TESTED };
	enum { SHOWN = sizeof(shown) / sizeof(shown[0]) };
	struct sheet sheet;
	int status = sheet_create(&sheet, "Verdicts", 1 + SHOWN, paper->machines, e);
	if (status)
		return status;
	status = sheet_heading(&sheet, 0, "measured claims", true, e);
	for (size_t v = 0; v < SHOWN && !status; v++)
		status = sheet_heading(&sheet, 1 + v, verdict_names[shown[v]], false, e);
	for (size_t i = 0; i < paper->machines && !status; i++) {
		struct text origin = { 0 };
		results_origin(paper->machine[i].set, &origin);
		status = sheet_put(&sheet, i, 0, text_get(&origin), e);
		for (size_t v = 0; v < SHOWN && !status; v++) {
			sheet_at(&sheet, i, 1 + v)->mark = verdict_marks[shown[v]];
			status = sheet_print(&sheet, i, 1 + v, e, "%zu",
					     paper->machine[i].verdicts[CLAIM_MEASURED][shown[v]]);
		}
		text_free(&origin);
	}
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

/* One claim: its sentence, the comparison that decided it or the reason, and who judged it. */
static void claim_item(const struct paper *paper, size_t index, struct doc *d)
{
	const struct claim *c = &paper->claims.claim[index];
	const struct judgement *j = paper_judgement(paper, index);
	const struct paper_machine *judge = paper->judge[index];
	struct text link = { 0 }, reason = { 0 };
	page_claim_link(&link, paper, c);
	paper_reason(paper, index, &reason);
	if (!reason.length && j)
		text_add(&reason, "%s",
			 text_get(j->verdict == VERDICT_NOT_REPRODUCED ||
						  j->verdict == VERDICT_INCONSISTENT ?
					  &j->trace.first_failed :
					  &j->trace.last_held));
	doc_open(d, DOC_ITEM, TONE_PLAIN);
	doc_link(d, text_get(&link), c->id);
	doc_print(d, " (%s) %s", c->where, c->says);
	if (reason.length)
		doc_print(d, " (%s)", text_get(&reason));
	if (judge)
		doc_print(d, " [%s]", judge->set->machine);
	doc_close(d);
	text_free(&link);
	text_free(&reason);
}

static void claim_list(const struct paper *paper, enum claim_kind kind, enum verdict v,
		       struct doc *d)
{
	size_t count = 0;
	char title[96];
	for (size_t i = 0; i < paper->claims.count; i++)
		count += paper->claims.claim[i].kind == kind && paper_verdict(paper, i) == v;
	if (!count)
		return;
	doc_open(d, DOC_DETAILS, TONE_PLAIN);
	snprintf(title, sizeof(title), "%s: %zu", verdict_names[v], count);
	doc_span(d, DOC_STRONG, page_verdict_tones[v], title);
	doc_summary_end(d);
	doc_open(d, DOC_LIST, TONE_PLAIN);
	for (size_t i = 0; i < paper->claims.count; i++)
		if (paper->claims.claim[i].kind == kind && paper_verdict(paper, i) == v)
			claim_item(paper, i, d);
	doc_close(d);
	doc_close(d);
}

/* The claims by kind and verdict. The machine that judged a claim stands in brackets. */
static void claim_lists(const struct paper *paper, struct doc *d)
{
	static const char *const headings[CLAIM_KINDS] = {
		"Claims of the paper that were measured",
		"Arithmetic on the numbers printed in the paper", "Our own claims"
	};
	for (int kind = 0; kind < CLAIM_KINDS; kind++) {
		bool any = false;
		for (size_t i = 0; i < paper->claims.count; i++)
			any = any || (int)paper->claims.claim[i].kind == kind;
		if (any)
			doc_heading(d, 3, NULL, headings[kind]);
		for (int v = 0; v < VERDICTS; v++)
			claim_list(paper, (enum claim_kind)kind, (enum verdict)v, d);
	}
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
		doc_print(d, "%s", i ? " · " : "");
		doc_link(d, text_get(&link), all[i].words);
	}
	doc_close(d);
	text_free(&link);
}

/* ---- the reference to the paper ---- */

/* The opening brace of a field's value, or NULL. */
static const char *find_field(const char *entry, const char *field)
{
	size_t length = strlen(field);
	for (const char *at = strstr(entry, field); at; at = strstr(at + 1, field)) {
		const char *end = at + length + strspn(at + length, " \t");
		bool begins = at > entry && (isspace((unsigned char)at[-1]) || at[-1] == ',');
		if (begins && *end == '=') {
			end += 1 + strspn(end + 1, " \t");
			return *end == '{' ? end : NULL;
		}
	}
	return NULL;
}

/* Appends the value of a field without its braces; nothing if the entry lacks the field. */
static void add_field(const char *entry, const char *field, struct text *out)
{
	const char *at = find_field(entry, field);
	int depth = 0;
	bool blank = false;
	for (; at && *at; at++) {
		depth += (*at == '{') - (*at == '}');
		if (depth == 0)
			break;
		if (*at == '{' || *at == '}')
			continue;
		bool space = isspace((unsigned char)*at);
		if (!space || !blank)
			text_add_n(out, space ? " " : at, 1);
		blank = space;
	}
}

/* Rewrites "A and B and C" as "A, B, C". */
static void add_authors(const char *entry, struct text *out)
{
	struct text list = { 0 };
	add_field(entry, "author", &list);
	const char *at = text_get(&list);
	for (const char *next; (next = strstr(at, " and ")); at = next + strlen(" and ")) {
		text_add_n(out, at, (size_t)(next - at));
		text_add(out, "; ");
	}
	text_add(out, "%s", at);
	text_free(&list);
}

/* Appends "authors: title. journal or proceedings, year.", without fields that the entry lacks.
 * The values of its fields are in braces. */
static void bibtex_reference(const char *entry, struct text *out)
{
	static const char *const where[] = { "journal", "booktitle", "year", "doi" };
	add_authors(entry, out);
	text_add(out, ": ");
	add_field(entry, "title", out);
	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		struct text value = { 0 };
		add_field(entry, where[i], &value);
		if (value.length)
			text_add(out, "%s%s", i < 2 ? ". " : ", ", text_get(&value));
		text_free(&value);
	}
	text_add(out, ".");
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
	int status = reference(p, paper, d, e);
	if (status)
		return status;
	section_links(paper, d);
	doc_heading(d, 2, NULL, "Verdicts");
	if (!paper->best)
		doc_paragraph(d, TONE_PLAIN, "Nothing has been measured yet.");
	else if (paper->claims.count && (status = verdict_sheet(paper, d, e)))
		return status;
	claim_lists(paper, d);
	if (paper->findings.length) {
		doc_heading(d, 2, NULL, "Findings");
		doc_markdown(d, TONE_PLAIN, text_get(&paper->findings));
	}
	return 0;
}

/* ---- tables and figures ---- */

/* Puts the drawing of a figure on a machine into the document. `read` marks the rows that it
 * shows, as in sources_add. */
static int drawing(const struct paper *paper, size_t machine, const char *figure, const char *title,
		   const bool *read, struct doc *d, struct err *e)
{
	struct text path = { 0 }, caption = { 0 };
	char prefix[128];
	const struct result_set *set = paper->machine[machine].set;
	export_plot_path(&path, paper, figure, set);
	text_add(&caption, "%s; ", title);
	snprintf(prefix, sizeof(prefix), "%.40s-%.40s-%zu", paper->target, figure, machine);
	int status = sources_origin(set, read, &caption, e);
	if (!status)
		status = doc_figure(d, text_get(&path), prefix, text_get(&caption), e);
	text_free(&path);
	text_free(&caption);
	return status;
}

static void not_tested_on(const struct paper_machine *m, size_t index, struct doc *d)
{
	const struct text *why = &m->grid[index].missing;
	doc_paragraph(d, TONE_OPEN, "NOT TESTED on %s: %s.", m->set->machine,
		      why->length ? text_get(why) : "not part of these runs");
}

static int table_on(const struct paper *paper, size_t machine, size_t index, struct page_fold *fold,
		    struct doc *d, struct err *e)
{
	const struct grid *g = &paper->machine[machine].grid[index];
	struct sheet sheet;
	if (!g->measured) {
		if (g->table->place && paper->measured[index])
			not_tested_on(&paper->machine[machine], index, d);
		return 0;
	}
	int status = grid_sheet(g, &sheet, e);
	if (status)
		return status;
	page_fold(fold, paper->machine[machine].set, d);
	status = page_origin_of(paper->machine[machine].set, g->read, d, e);
	doc_sheet(d, &sheet);
	if (g->missing.length)
		doc_paragraph(d, TONE_NOTE, "Not measured on this machine: %s.",
			      text_get(&g->missing));
	if (g->sentences.length)
		doc_paragraph(d, TONE_PLAIN, "%s", text_get(&g->sentences));
	if (g->has_plot && !status)
		status = drawing(paper, machine, g->table->id, g->table->title, g->read, d, e);
	sheet_free(&sheet);
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
	reasons(paper, index, d);
	if (!paper->printed_grid[index].rows)
		return 0;
	int status = grid_sheet(&paper->printed_grid[index], &sheet, e);
	if (!status) {
		doc_paragraph(d, TONE_NOTE, "The paper's own numbers:");
		doc_sheet(d, &sheet);
		sheet_free(&sheet);
	}
	return status;
}

/* A table of simulated numbers, and its drawing. */
static int simulated(const struct paper *paper, size_t index, struct doc *d, struct err *e)
{
	const struct grid *g = &paper->printed_grid[index];
	struct sheet sheet;
	struct text path = { 0 }, prefix = { 0 }, caption = { 0 };
	if (!g->rows) {
		doc_paragraph(d, TONE_OPEN, "NOT SIMULATED yet: run make simulate.");
		return 0;
	}
	text_add(&caption, "SIMULATED, decides no claim; ");
	paper_simulated_origin(paper, &caption);
	doc_paragraph(d, TONE_OPEN, "%s.", text_get(&caption));
	int status = grid_sheet(g, &sheet, e);
	if (status)
		return status;
	doc_sheet(d, &sheet);
	sheet_free(&sheet);
	if (g->has_plot) {
		export_plot_path(&path, paper, g->table->id, NULL);
		text_add(&prefix, "%s-%s-simulated", paper->target, g->table->id);
		caption.length = 0;
		text_add(&caption, "%s; ", g->table->title);
		paper_simulated_origin(paper, &caption);
		status = doc_figure(d, text_get(&path), text_get(&prefix), text_get(&caption), e);
	}
	text_free(&path);
	text_free(&prefix);
	text_free(&caption);
	return status;
}

static int one_table(const struct paper *paper, size_t index, struct doc *d, struct err *e)
{
	const struct table *table = &paper->tables.table[index];
	struct text anchor = { 0 };
	struct page_fold fold = { 0 };
	int status = 0;
	text_add(&anchor, "%s-%s", paper->target, table->id);
	doc_heading(d, 3, text_get(&anchor), table->title);
	doc_markdown(d, TONE_NOTE, table->notes ? table->notes : "");
	if (table->simulated)
		status = simulated(paper, index, d, e);
	for (size_t m = 0; m < paper->machines && !status && !table->simulated; m++)
		status = table_on(paper, m, index, &fold, d, e);
	page_fold_end(&fold, d);
	if (!status && !paper->measured[index] && !table->simulated)
		status = untested(paper, index, d, e);
	text_free(&anchor);
	return status;
}

static bool any_simulated(const struct paper *paper)
{
	for (size_t i = 0; i < paper->tables.count; i++)
		if (paper->tables.table[i].simulated)
			return true;
	return false;
}

static int tables_section(const struct paper *paper, struct doc *d, struct err *e)
{
	int status = 0;
	if (!paper->tables.count)
		return 0;
	page_heading(paper, d, "tables", "Tables and figures");
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_print(d, "All ratios are between measurements on the same machine. Columns with "
		     "\"paper\" in "
		     "the heading contain the numbers that the paper prints");
	if (doc_kind(d) == TEXT_HTML)
		doc_print(d, ", in italics. Hover over a value to see its 95 %% interval");
	doc_print(d, ".");
	if (any_simulated(paper))
		doc_print(d, " Those with SIMULATED contain the results of simulations, which "
			     "decide no claim.");
	doc_close(d);
	for (size_t i = 0; i < paper->tables.count && !status; i++)
		status = one_table(paper, i, d, e);
	return status;
}

/* ---- roofline ---- */

/* The rows of one variant whose bound comes from the same peak rate. */
struct group {
	const struct roof_point *first, *best;
	size_t count;
	double median;
};

static bool same_group(const struct roof_point *a, const struct roof_point *b)
{
	return a->variant == b->variant && !strcmp(a->peak, b->peak);
}

static int measure(struct group *g, const struct roofline *r, struct err *e)
{
	double *shares = malloc(r->count * sizeof(*shares));
	if (!shares)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < r->count; i++) {
		const struct roof_point *p = &r->point[i];
		if (!same_group(p, g->first))
			continue;
		shares[g->count++] = p->share;
		if (!g->best || p->share > g->best->share)
			g->best = p;
	}
	g->median = stat_median(shares, g->count);
	free(shares);
	return 0;
}

static int find_groups(struct group **out, size_t *count, const struct roofline *r, struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < r->count && !status; i++) {
		size_t k = 0;
		while (k < *count && !same_group((*out)[k].first, &r->point[i]))
			k++;
		if (k < *count)
			continue;
		if ((status = array_grow((void **)out, *count, sizeof(**out), e)))
			break;
		struct group *g = &(*out)[(*count)++];
		*g = (struct group){ .first = &r->point[i] };
		status = measure(g, r, e);
	}
	return status;
}

static int put_group(struct sheet *sheet, size_t row, const struct group *g,
		     const struct result_set *set, struct err *e)
{
	char shown[64];
	struct text link = { 0 };
	enum peak c = peaks_named(g->first->peak);
	const char *value = result_fact(&set->peaks, g->first->peak);
	*shown = '\0';
	if (value && c < PEAKS)
		format_unit(shown, sizeof(shown), strtod(value, NULL), peaks_unit(c));
	page_row_link(&link, set, g->best->bench);
	sheet_at(sheet, row, 0)->mark = sheet_at(sheet, row, 2)->mark = "tight";
	int status =
		sheet_print(sheet, row, 0, e, "%s", c < PEAKS ? peaks_text(c) : g->first->peak);
	if (!status)
		status = sheet_put(sheet, row, 1, variant_names[g->first->variant], e);
	if (!status)
		status = sheet_put(sheet, row, 2, name_short(set->bench[g->best->bench].name), e);
	if (!status)
		status = sheet_link(sheet, row, 2, &link, e);
	if (!status)
		status = sheet_print(sheet, row, 3, e, "%.3g %%", 100 * g->best->share);
	if (!status)
		status = sheet_print(sheet, row, 4, e, "%.3g %%", 100 * g->median);
	if (!status)
		status = sheet_print(sheet, row, 5, e, "%zu", g->count);
	if (!status)
		status = sheet_put(sheet, row, 6, shown, e);
	text_free(&link);
	return status;
}

static int roofline_table(const struct roofline *r, const struct result_set *set, struct doc *d,
			  struct err *e)
{
	static const char *const headings[] = { "peak rate", "variant", "best row", "best",
						"median",    "rows",    "value" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct group *group = NULL;
	struct sheet sheet;
	size_t count = 0;
	int status = find_groups(&group, &count, r, e);
	if (!status && !(status = sheet_create(&sheet, "Roofline", COLUMNS, count, e))) {
		status = sheet_headings(&sheet, headings, 3, e);
		for (size_t i = 0; i < count && !status; i++)
			status = put_group(&sheet, i, &group[i], set, e);
		if (!status)
			doc_sheet(d, &sheet);
		sheet_free(&sheet);
	}
	free(group);
	return status;
}

static void explain_rows_above_peak(const struct roofline *r, struct doc *d)
{
	size_t bytes = r->above_bytes, others = r->above_others;
	struct text t = { 0 };
	if (!bytes && !others)
		return;
	text_add(&t, "%zu of %zu rows are above 100 %%: %zu bound by bytes, %zu by operations. ",
		 bytes + others, r->count, bytes, others);
	if (bytes)
		text_add(&t, "Bytes that stay in a cache do not use memory bandwidth. ");
	if (others)
		text_add(&t, "Operations whose results are read from a table are not executed. ");
	text_add(&t, "A peak rate is the highest rate observed while it was measured. On a shared "
		     "machine, a row may have been measured when the load was lower.");
	doc_paragraph(d, TONE_NOTE, "%s", text_get(&t));
	text_free(&t);
}

/* A figure, and above it what the rows that it shows were measured with. They are marked in `read`
 * as in sources_add. */
static int roofline_figure(const struct paper *paper, size_t machine, const char *figure,
			   const char *title, const bool *read, struct doc *d, struct err *e)
{
	struct text caption = { 0 };
	text_add(&caption, "%s of %s", title, paper->target);
	int status = page_origin_of(paper->machine[machine].set, read, d, e);
	if (!status)
		status = drawing(paper, machine, figure, text_get(&caption), read, d, e);
	text_free(&caption);
	return status;
}

/* "The second figure has the 30 of 36 rows that count ...: 10 serial, 20 tuned." */
static void count_works(const struct roofline *r, const struct result_set *set, struct doc *d)
{
	const char *between = ":";
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_print(d, "The second figure has the %zu of %zu rows that count operations and bytes",
		  r->works, set->benches);
	for (int v = 0; v < VARIANTS; v++) {
		size_t count = 0;
		for (size_t i = 0; i < r->works; i++)
			count += (int)r->work[i].variant == v;
		if (count) {
			doc_print(d, "%s %zu %s", between, count, variant_names[v]);
			between = ",";
		}
	}
	doc_print(d, ".");
	doc_close(d);
}

static int bounds_on(const struct paper *paper, size_t machine, const struct roofline *r,
		     bool *read, struct doc *d, struct err *e)
{
	for (size_t i = 0; i < r->count; i++)
		read[r->point[i].bench] = true;
	int status = roofline_figure(paper, machine, "roofline", "Roofline", read, d, e);
	if (!status)
		status = roofline_table(r, paper->machine[machine].set, d, e);
	if (!status)
		explain_rows_above_peak(r, d);
	return status;
}

static int works_on(const struct paper *paper, size_t machine, const struct roofline *r, bool *read,
		    struct doc *d, struct err *e)
{
	for (size_t i = 0; i < r->works; i++)
		read[r->work[i].bench] = true;
	int status =
		roofline_figure(paper, machine, "intensity", "Operations per byte", read, d, e);
	if (!status)
		count_works(r, paper->machine[machine].set, d);
	return status;
}

static int roofline_on(const struct paper *paper, size_t machine, const struct roofline *r,
		       struct doc *d, struct err *e)
{
	size_t benches = paper->machine[machine].set->benches;
	bool *read = calloc(2 * benches + 1, sizeof(*read)); /* of the two figures */
	int status = read ? 0 : err_set(e, ERR_MEMORY, "out of memory");
	if (r->count && !status)
		status = bounds_on(paper, machine, r, read, d, e);
	if (r->works && !status)
		status = works_on(paper, machine, r, read + benches, d, e);
	free(read);
	return status;
}

static int roofline_section(const struct paper *paper, struct doc *d, struct err *e)
{
	struct page_fold fold = { 0 };
	bool any = false;
	int status = 0;
	page_heading(paper, d, "roofline", "Roofline");
	doc_paragraph(
		d, TONE_NOTE,
		"A point is a row. In the first figure, the horizontal axis is the lower bound "
		"on the row's time: the time that its work takes at the peak rates measured on "
		"the same machine. The vertical axis is the share of the peak rate that it "
		"reached, the lower bound divided by its time. The higher a point is, the less "
		"time is left to gain without doing less work. The work counted is that of the "
		"row's own algorithm, so an algorithm that does less work appears further to "
		"the left, not higher. The second figure is the roofline of textbooks: "
		"operations for each byte moved to or from memory, against operations a "
		"second, both per GPU if the row uses GPUs. The slanted roofs are the peak rates "
		"of bytes, the "
		"flat roofs those of operations. Under a slanted roof a row is limited by "
		"memory, under a flat roof by arithmetic; its distance from the roof is the "
		"factor by which it could be faster. Rows that do not count both operations "
		"and bytes are not in it.");
	for (size_t m = 0; m < paper->machines && !status; m++) {
		struct roofline r;
		status = roofline_find(&r, paper->machine[m].set, e);
		if (status)
			break;
		if (r.count || r.works) {
			page_fold(&fold, paper->machine[m].set, d);
			status = roofline_on(paper, m, &r, d, e);
		}
		any = any || r.count || r.works;
		roofline_free(&r);
	}
	page_fold_end(&fold, d);
	if (!any && !status)
		doc_paragraph(d, TONE_NOTE,
			      "No row has a lower bound on its time, or counts "
			      "operations and bytes.");
	return status;
}

/* ---- energy ---- */

/* The rows of one experiment and variant. */
struct energy_group {
	char experiment[64];
	enum variant variant;
	size_t count, pairs;
	double least, most, logs; /* sum of the logarithms of the ratios to published */
	double *joules;
};

static int by_bench_name(const void *key, const void *bench)
{
	return strcmp(key, ((const struct result_bench *)bench)->name);
}

/* The joules of the published variant on the same case; NaN if it has no such row. */
static double published_joules(const struct result_set *set, const struct result_bench *b)
{
	struct text name = { 0 };
	size_t at = 0;
	enum variant v = name_variant(b->name, &at);
	double joules = NAN;
	if (v != VARIANT_OTHER && v != VARIANT_PUBLISHED) {
		text_add(&name, "%.*s%s%s", (int)at, b->name, variant_names[VARIANT_PUBLISHED],
			 b->name + at + strlen(variant_names[v]));
		const struct result_bench *other = bsearch(text_get(&name), set->bench,
							   set->benches, sizeof(*b), by_bench_name);
		joules = other ? result_median(other, "joules") : NAN;
	}
	text_free(&name);
	return joules;
}

static struct energy_group *energy_group_of(struct energy_group *all, size_t count,
					    const char *experiment, enum variant v)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].variant == v && !strcmp(all[i].experiment, experiment))
			return &all[i];
	return NULL;
}

static int energy_add(struct energy_group **all, size_t *count, const struct result_set *set,
		      const struct result_bench *b, struct err *e)
{
	double joules = result_median(b, "joules"), other = published_joules(set, b);
	enum variant v = name_variant(b->name, NULL);
	char experiment[64];
	if (!(joules > 0))
		return 0;
	snprintf(experiment, sizeof(experiment), "%.*s", (int)strcspn(name_short(b->name), "/"),
		 name_short(b->name));
	struct energy_group *g = energy_group_of(*all, *count, experiment, v);
	int status = g ? 0 : array_grow((void **)all, *count, sizeof(**all), e);
	if (status)
		return status;
	if (!g) {
		g = &(*all)[(*count)++];
		*g = (struct energy_group){ .variant = v, .least = joules, .most = joules };
		memcpy(g->experiment, experiment, sizeof(experiment));
	}
	if ((status = array_grow((void **)&g->joules, g->count, sizeof(*g->joules), e)))
		return status;
	g->joules[g->count++] = joules;
	g->least = fmin(g->least, joules);
	g->most = fmax(g->most, joules);
	if (other > 0) {
		g->pairs++;
		g->logs += log(joules / other);
	}
	return 0;
}

static int energy_put_group(struct sheet *sheet, size_t row, const struct energy_group *g,
			    struct err *e)
{
	const double value[] = { stat_median(g->joules, g->count), g->least, g->most };
	int status = sheet_put(sheet, row, 0, g->experiment, e);
	if (!status)
		status = sheet_put(sheet, row, 1, variant_names[g->variant], e);
	if (!status)
		status = sheet_print(sheet, row, 2, e, "%zu", g->count);
	for (size_t i = 0; i < 3 && !status; i++) {
		char shown[64];
		format_number(shown, sizeof(shown), FORMAT_JOULES, value[i]);
		status = sheet_put(sheet, row, 3 + i, shown, e);
	}
	if (!status && g->pairs)
		status = sheet_print(sheet, row, 6, e, "%.3g (%zu)",
				     exp(g->logs / (double)g->pairs), g->pairs);
	return status;
}

static int energy_table(const struct energy_group *group, size_t count, struct doc *d,
			struct err *e)
{
	static const char *const headings[] = {
		"experiment", "variant", "benchmarks",           "median",
		"minimum",    "maximum", "vs. published (cases)"
	};
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet sheet;
	int status = sheet_create(&sheet, "Energy", COLUMNS, count, e);
	if (status)
		return status;
	status = sheet_headings(&sheet, headings, 2, e);
	for (size_t i = 0; i < count && !status; i++)
		status = energy_put_group(&sheet, i, &group[i], e);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static int energy_origin(const struct result_set *set, struct doc *d, struct err *e)
{
	struct sources s = { 0 };
	int status = 0;
	for (size_t i = 0; i < set->benches && !status; i++)
		if (result_median(&set->bench[i], "joules") > 0)
			status = sources_add_bench(&s, &set->bench[i], e);
	if (!status)
		page_origin(set, &s, d);
	sources_free(&s);
	return status;
}

static int energy_on_machine(const struct result_set *set, struct page_fold *fold, bool *any,
			     struct doc *d, struct err *e)
{
	struct energy_group *group = NULL;
	size_t count = 0;
	int status = 0;
	for (size_t i = 0; i < set->benches && !status; i++)
		status = energy_add(&group, &count, set, &set->bench[i], e);
	if (!status && count) {
		*any = true;
		page_fold(fold, set, d);
		status = energy_origin(set, d, e);
	}
	if (!status && count)
		status = energy_table(group, count, d, e);
	for (size_t i = 0; i < count; i++)
		free(group[i].joules);
	free(group);
	return status;
}

static int energy_section(const struct paper *paper, struct doc *d, struct err *e)
{
	struct page_fold fold = { 0 };
	bool any = false;
	int status = 0;
	page_heading(paper, d, "energy", "Energy");
	doc_paragraph(d, TONE_NOTE,
		      "The energy of one whole iteration: of all GPUs if there are any, otherwise "
		      "of the processors. It includes set-up, which the times of a row may leave "
		      "out, and the power of idle GPUs, which dominates in short solves. The "
		      "last column is the geometric mean of the ratios to the published variant, "
		      "over the cases that both variants solved.");
	for (size_t m = 0; m < paper->machines && !status; m++)
		status = energy_on_machine(paper->machine[m].set, &fold, &any, d, e);
	page_fold_end(&fold, d);
	if (!any && !status)
		doc_paragraph(d, TONE_NOTE, "No machine measured its energy.");
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
	doc_paragraph(d, TONE_NOTE, "%s; %s × %s; %s; driver %s, CUDA %s; %s",
		      gpus.length ? text_get(&gpus) : "no GPU", results_fact(set, "cpus_usable"),
		      results_fact(set, "cpu_model"), results_fact(set, "distribution"),
		      *results_fact(set, "gpu_driver") ? results_fact(set, "gpu_driver") : "none",
		      *results_fact(set, "nvcc") ? results_fact(set, "nvcc") : "none",
		      results_fact(set, "compiler"));
	text_free(&gpus);
}

static int environment_section(const struct paper *paper, struct doc *d, struct err *e)
{
	struct page_fold fold = { 0 };
	int status = 0;
	page_heading(paper, d, "environment", "Environment");
	for (size_t m = 0; m < paper->machines && !status; m++) {
		const struct result_set *set = paper->machine[m].set;
		page_fold(&fold, set, d);
		status = page_origin_of(set, NULL, d, e);
		configuration(set, d);
		for (size_t i = 0; i < set->files && !status; i++)
			status = facts(&set->file[i], d, e);
		if (!status)
			status = peaks_sheet(&set->peaks, d, e);
	}
	page_fold_end(&fold, d);
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
	    (status = roofline_section(paper, d, e)) || (status = energy_section(paper, d, e)) ||
	    (status = environment_section(paper, d, e)))
		return status;
	return cite_section(p, paper, d, e);
}
