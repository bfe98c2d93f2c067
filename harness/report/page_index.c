/* The tables and figures that the papers hold, and where each of them stands in the report. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "page_parts.h"

/* "table4r" and "table4c" are parts of table4; false where the table is not the paper's. */
static bool item_of(const char *id, char item[32])
{
	static const char *const kinds[] = { "table", "figure" };
	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(kinds[i]);
		if (strncmp(id, kinds[i], length) != 0 || !isdigit((unsigned char)id[length]))
			continue;
		while (isdigit((unsigned char)id[length]))
			length++;
		snprintf(item, 32, "%.*s", (int)length, id);
		return true;
	}
	return false;
}

/* Is this the first table of its item? */
static bool is_first(const struct study *s, size_t index, const char *item)
{
	char other[32];
	for (size_t i = 0; i < index; i++)
		if (item_of(s->tables.table[i].id, other) && !strcmp(item, other))
			return false;
	return true;
}

/* Machines on which some part of the item was measured, "" where on none. */
static void where(const struct study *s, const char *item, struct text *out)
{
	char other[32];
	for (size_t m = 0; m < s->machines; m++) {
		bool any = false;
		for (size_t i = 0; i < s->tables.count; i++)
			any = any || (s->machine[m].grid[i].measured &&
				      item_of(s->tables.table[i].id, other) &&
				      !strcmp(item, other));
		if (any)
			text_add(out, "%s%s%s", out->length ? ", " : "",
				 s->machine[m].set->machine,
				 s->machine[m].set->recorded ? "" : " (here)");
	}
}

static int index_row(struct sheet *sheet, size_t row, const struct study *s,
		     const struct table *t, const char *item, struct err *e)
{
	struct text machines = { 0 }, link = { 0 };
	where(s, item, &machines);
	table_link(&link, s, t);
	int status = page_cell(sheet, row, 0, e, "%s", s->target);
	if (!status)
		status = page_cell(sheet, row, 1, e, "%s", t->title);
	if (!status)
		status = page_cell_link(sheet, row, 1, &link, e);
	if (!status)
		status = page_cell(sheet, row, 2, e, "%s",
				   machines.length ? text_get(&machines) : "NOT TESTED");
	sheet_at(sheet, row, 2)->mark = machines.length ? NULL : "open";
	text_free(&machines);
	text_free(&link);
	return status;
}

static size_t count_items(const struct page *p)
{
	size_t count = 0;
	char item[32];
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < p->studies[i].tables.count; k++)
			count += item_of(p->studies[i].tables.table[k].id, item) &&
				 is_first(&p->studies[i], k, item);
	return count;
}

static int fill(const struct page *p, struct sheet *sheet, struct err *e)
{
	size_t row = 0;
	int status = 0;
	char item[32];
	for (size_t i = 0; i < p->count; i++) {
		const struct study *s = &p->studies[i];
		for (size_t k = 0; k < s->tables.count && !status; k++)
			if (item_of(s->tables.table[k].id, item) && is_first(s, k, item))
				status = index_row(sheet, row++, s, &s->tables.table[k], item, e);
	}
	return status;
}

int page_index(const struct page *p, struct doc *d, struct err *e)
{
	static const char *const headings[] = { "paper", "table or figure", "measured on" };
	struct sheet sheet;
	char title[96];
	size_t count = count_items(p);
	if (!count)
		return 0;
	int status = sheet_create(&sheet, "Index", 3, count, e);
	if (status)
		return status;
	if (!(status = page_headings(&sheet, headings, 3, 3, e)))
		status = fill(p, &sheet, e);
	snprintf(title, sizeof(title), "The %zu tables and figures of the paper%s", count,
		 p->count == 1 ? "" : "s");
	doc_heading(d, 2, "index", title);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}
