/* The tables and figures that the papers hold, and where each of them stands in the report. */
#include <stdio.h>
#include <string.h>

#include "harness/report/page_parts.h"

/* Is this the first table of its place? */
static bool is_first(const struct study *s, size_t index)
{
	const char *place = s->tables.table[index].place;
	for (size_t i = 0; i < index && place; i++) {
		const char *other = s->tables.table[i].place;
		if (other && !strcmp(place, other))
			return false;
	}
	return place != NULL;
}

/* Machines on which some part of the place was measured, "" where on none. */
static void where(const struct study *s, const char *place, struct text *out)
{
	for (size_t m = 0; m < s->machines; m++) {
		bool any = false;
		for (size_t i = 0; i < s->tables.count; i++) {
			const char *other = s->tables.table[i].place;
			any = any ||
			      (s->machine[m].grid[i].measured && other && !strcmp(place, other));
		}
		if (any)
			text_add(out, "%s%s%s", out->length ? ", " : "", s->machine[m].set->machine,
				 s->machine[m].set->recorded ? "" : " (here)");
	}
}

/* The title without the place's own name, which stands beside it. */
static const char *what(const struct table *t)
{
	size_t length = strlen(t->place);
	return !strncmp(t->title, t->place, length) && !strncmp(t->title + length, ": ", 2) ?
		       t->title + length + 2 :
		       t->title;
}

static int index_row(struct sheet *sheet, size_t row, const struct study *s, const struct table *t,
		     struct err *e)
{
	struct text machines = { 0 }, link = { 0 };
	where(s, t->place, &machines);
	table_link(&link, s, t);
	int status = page_cell(sheet, row, 0, e, "%s", s->target);
	if (!status)
		status = page_cell(sheet, row, 1, e, "%s", t->place);
	if (!status)
		status = page_cell_link(sheet, row, 1, &link, e);
	if (!status)
		status = page_cell(sheet, row, 2, e, "%s", what(t));
	bool tested = machines.length > 0;
	if (!tested)
		text_add(&machines, "NOT TESTED%s%s", t->never ? ": " : "",
			 t->never ? t->never : "");
	if (!status)
		status = page_cell(sheet, row, 3, e, "%s", text_get(&machines));
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
		for (size_t k = 0; k < p->studies[i].tables.count; k++)
			count += is_first(&p->studies[i], k);
	return count;
}

static int fill(const struct page *p, struct sheet *sheet, struct err *e)
{
	size_t row = 0;
	int status = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct study *s = &p->studies[i];
		for (size_t k = 0; k < s->tables.count && !status; k++)
			if (is_first(s, k))
				status = index_row(sheet, row++, s, &s->tables.table[k], e);
	}
	return status;
}

int page_index(const struct page *p, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "paper", "place", "what stands there",
						"measured on" };
	struct sheet sheet;
	char title[96];
	size_t count = count_places(p);
	if (!count)
		return 0;
	int status = sheet_create(&sheet, "Index", 4, count, e);
	if (status)
		return status;
	if (!(status = page_headings(&sheet, headings, 4, 4, e)))
		status = fill(p, &sheet, e);
	snprintf(title, sizeof(title), "The %zu tables and figures of the paper%s", count,
		 p->count == 1 ? "" : "s");
	doc_heading(d, 2, "index", title);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}
