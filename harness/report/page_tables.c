/* The paper's tables and figures, on every machine that has something to show. */
#include <stdio.h>
#include <string.h>

#include "harness/report/absent.h"
#include "harness/report/emit.h"
#include "harness/report/markdown.h"
#include "harness/report/page_parts.h"

static void notes(const struct table *table, struct doc *d)
{
	const char *at = table->notes ? table->notes : "";
	while (*at) {
		size_t length = strcspn(at, "\n");
		doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
		markdown_spans(d, at, length);
		doc_close(d);
		at += length + (at[length] == '\n');
	}
}

static int drawing(const struct study *s, size_t machine, const struct table *table, struct doc *d,
		   struct err *e)
{
	struct text path = { 0 }, caption = { 0 };
	char prefix[128];
	const struct result_set *set = s->machine[machine].set;
	emit_plot_path(&path, s, table->id, set);
	text_add(&caption, "%s; ", table->title);
	machine_origin(set, &caption);
	snprintf(prefix, sizeof(prefix), "%.40s-%.40s-%zu", s->target, table->id, machine);
	int status = doc_figure(d, text_get(&path), prefix, text_get(&caption), e);
	text_free(&path);
	text_free(&caption);
	return status;
}

static void not_tested_on(const struct study_machine *m, size_t index, struct doc *d)
{
	struct text why = { 0 };
	grid_untested(&m->grid[index], &why);
	doc_paragraph(d, TONE_OPEN, "NOT TESTED on %s: %s.", m->set->machine,
		      why.length ? text_get(&why) : "no part of these runs");
	text_free(&why);
}

static int table_on(const struct study *s, size_t machine, size_t index, struct doc *d,
		    struct err *e)
{
	const struct grid *g = &s->machine[machine].grid[index];
	struct sheet sheet;
	struct text absent = { 0 };
	if (!g->measured) {
		if (g->table->place && study_measured(s, index))
			not_tested_on(&s->machine[machine], index, d);
		return 0;
	}
	int status = grid_sheet(g, &sheet, &absent, e);
	if (status)
		return status;
	page_origin(s->machine[machine].set, d);
	doc_sheet(d, &sheet);
	if (absent.length)
		doc_paragraph(d, TONE_NOTE, "Not measured on this machine: %s.", text_get(&absent));
	if (grid_has_plot(g))
		status = drawing(s, machine, g->table, d, e);
	sheet_free(&sheet);
	text_free(&absent);
	return status;
}

/* Why no machine has it, each in its own words. */
static void reasons(const struct study *s, size_t index, struct doc *d)
{
	const char *never = s->tables.table[index].never;
	if (never || !s->machines) {
		doc_paragraph(d, TONE_OPEN, "NOT TESTED: %s.",
			      never ? never : "nothing has been measured yet");
		return;
	}
	for (size_t m = 0; m < s->machines; m++)
		not_tested_on(&s->machine[m], index, d);
}

/* Nobody measured it: the paper's own figures, and why ours are missing. */
static int untested(const struct study *s, size_t index, struct doc *d, struct err *e)
{
	struct sheet sheet;
	struct text absent = { 0 };
	reasons(s, index, d);
	if (!s->paper[index].rows)
		return 0;
	int status = grid_sheet(&s->paper[index], &sheet, &absent, e);
	if (!status) {
		doc_paragraph(d, TONE_NOTE, "The paper's own figures:");
		doc_sheet(d, &sheet);
		sheet_free(&sheet);
	}
	text_free(&absent);
	return status;
}

static int one_table(const struct study *s, size_t index, struct doc *d, struct err *e)
{
	const struct table *table = &s->tables.table[index];
	struct text anchor = { 0 };
	int status = 0;
	text_add(&anchor, "%s-%s", s->target, table->id);
	doc_heading(d, 3, text_get(&anchor), table->title);
	notes(table, d);
	for (size_t m = 0; m < s->machines && !status; m++)
		status = table_on(s, m, index, d, e);
	if (!status && !study_measured(s, index))
		status = untested(s, index, d, e);
	text_free(&anchor);
	return status;
}

int page_tables(const struct study *s, struct doc *d, struct err *e)
{
	int status = 0;
	if (!s->tables.count)
		return 0;
	page_heading(s, d, "tables", "Tables and figures");
	doc_open(d, DOC_PARAGRAPH, TONE_NOTE);
	doc_text(d, "Every ratio is between measurements of one machine. The paper's own figures "
		    "are headed so");
	if (doc_kind(d) == TEXT_HTML)
		doc_text(d, ", in italics; point at a figure for its 95 % interval");
	doc_text(d, ".");
	doc_close(d);
	for (size_t i = 0; i < s->tables.count && !status; i++)
		status = one_table(s, i, d, e);
	return status;
}
