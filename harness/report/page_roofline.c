/* How near the rows come to what the machine can do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/machine/peaks.h"
#include "harness/base/stats.h"
#include "harness/report/emit.h"
#include "harness/report/format.h"
#include "harness/report/page_parts.h"
#include "harness/report/roofline.h"

/* Rows of one ceiling and variant. */
struct group {
	const struct roof_point *first, *best;
	size_t count;
	double median;
};

static bool same(const struct roof_point *a, const struct roof_point *b)
{
	return a->variant == b->variant && !strcmp(a->ceiling, b->ceiling);
}

static int measure(struct group *g, const struct roofline *r, struct err *e)
{
	double *shares = malloc(r->count * sizeof(*shares));
	if (!shares)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < r->count; i++) {
		const struct roof_point *p = &r->point[i];
		if (!same(p, g->first))
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
		while (k < *count && !same((*out)[k].first, &r->point[i]))
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
	enum peak c = peaks_named(g->first->ceiling);
	const char *value = result_fact(&set->ceilings, g->first->ceiling);
	*shown = '\0';
	if (value && c < PEAKS)
		format_unit(shown, sizeof(shown), strtod(value, NULL), peaks_unit(c));
	row_link(&link, set, g->best->bench);
	sheet_at(sheet, row, 0)->mark = sheet_at(sheet, row, 2)->mark = "tight";
	int status =
		page_cell(sheet, row, 0, e, "%s", c < PEAKS ? peaks_text(c) : g->first->ceiling);
	if (!status)
		status = sheet_put(sheet, row, 1, variant_names[g->first->variant], e);
	if (!status)
		status = sheet_put(sheet, row, 2, bench_short_name(set->bench[g->best->bench].name),
				   e);
	if (!status)
		status = page_cell_link(sheet, row, 2, &link, e);
	if (!status)
		status = page_cell(sheet, row, 3, e, "%.3g %%", 100 * g->best->share);
	if (!status)
		status = page_cell(sheet, row, 4, e, "%.3g %%", 100 * g->median);
	if (!status)
		status = page_cell(sheet, row, 5, e, "%zu", g->count);
	if (!status)
		status = sheet_put(sheet, row, 6, shown, e);
	text_free(&link);
	return status;
}

static int table(const struct roofline *r, const struct result_set *set, struct doc *d,
		 struct err *e)
{
	static const char *const headings[] = { "ceiling", "variant", "nearest row",    "nearest",
						"median",  "rows",    "ceiling's value" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct group *group = NULL;
	struct sheet sheet;
	size_t count = 0;
	int status = find_groups(&group, &count, r, e);
	if (!status && !(status = sheet_create(&sheet, "Roofline", COLUMNS, count, e))) {
		status = page_headings(&sheet, headings, COLUMNS, 3, e);
		for (size_t i = 0; i < count && !status; i++)
			status = put_group(&sheet, i, &group[i], set, e);
		if (!status)
			doc_sheet(d, &sheet);
		sheet_free(&sheet);
	}
	free(group);
	return status;
}

static void above(const struct roofline *r, struct doc *d)
{
	size_t bytes, others;
	struct text t = { 0 };
	roofline_above(r, &bytes, &others);
	if (!bytes && !others)
		return;
	text_add(&t, "Above 100 %%: %zu of %zu rows, %zu by bytes and %zu by operations. ",
		 bytes + others, r->count, bytes, others);
	if (bytes)
		text_add(&t, "What stays in a cache does not go through memory. ");
	if (others)
		text_add(&t, "What is looked up is not computed. ");
	text_add(&t, "A ceiling is the most that was seen while it was measured: where cores and "
		     "clocks are shared with others, rows may have met a better moment.");
	doc_paragraph(d, TONE_NOTE, "%s", text_get(&t));
	text_free(&t);
}

static int on_machine(const struct study *s, size_t machine, const struct roofline *r,
		      struct doc *d, struct err *e)
{
	const struct result_set *set = s->machine[machine].set;
	struct text path = { 0 }, caption = { 0 };
	char prefix[96];
	page_origin(set, d);
	emit_plot_path(&path, s, "roofline", set);
	text_add(&caption, "Roofline of %s; ", s->target);
	machine_origin(set, &caption);
	snprintf(prefix, sizeof(prefix), "%.40s-roofline-%zu", s->target, machine);
	int status = doc_figure(d, text_get(&path), prefix, text_get(&caption), e);
	if (!status)
		status = table(r, set, d, e);
	if (!status)
		above(r, d);
	text_free(&path);
	text_free(&caption);
	return status;
}

int page_roofline(const struct study *s, struct doc *d, struct err *e)
{
	bool any = false;
	int status = 0;
	page_heading(s, d, "roofline", "Roofline");
	doc_paragraph(
		d, TONE_NOTE,
		"A row's floor is the least time that its work takes at the ceilings measured "
		"on the same machine, and its share of the ceiling the floor over its time. "
		"The amount of work is that of the algorithm as it stands: a faster algorithm "
		"with less work moves to the left, not up.");
	for (size_t m = 0; m < s->machines && !status; m++) {
		struct roofline r;
		status = roofline_find(&r, s->machine[m].set, e);
		if (status)
			break;
		if (r.count)
			status = on_machine(s, m, &r, d, e);
		any = any || r.count;
		roofline_free(&r);
	}
	if (!any && !status)
		doc_paragraph(d, TONE_NOTE, "No row carries a floor.");
	return status;
}
