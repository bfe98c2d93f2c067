#include "harness/compare/history/show.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/machine/environment.h"
#include "harness/base/hash.h"
#include "harness/base/outfile.h"
#include "harness/report/format.h"
#include "harness/report/document/document.h"
#include "harness/compare/history/plot.h"

enum { SHORT_TABLE = 40 };

static const char method[] =
	"Each point is one run: the median and quartiles of its samples. Changes are found by "
	"E-divisive means with a permutation test (Matteson and James, JASA 109, 2014) at level "
	"%g, and shown if they are at least %g %%. Runs are compared only if machine, scale, "
	"devices, threads and flags are the same.";

/* What distinguishes a series from others of the same benchmark. */
static void add_place(char *out, size_t size, const struct entry *x)
{
	snprintf(out, size, "%s, %s, %d thread%s, %s%s%s%s%s", x->machine, x->device, x->threads,
		 x->threads == 1 ? "" : "s", x->scale, *x->scale ? ", " : "", x->sampling,
		 *x->parameters ? ", " : "", x->parameters);
}

/* ---- the two tables ---- */

enum { CHANGE_COLUMNS = 9, SERIES_COLUMNS = 8 };
static const char *const change_headings[CHANGE_COLUMNS] = {
	"benchmark", "change", "from", "to", "before", "after", "p", "also differs", "measured on"
};
static const char *const series_headings[SERIES_COLUMNS] = { "benchmark",     "latest / first",
							     "first",         "latest",
							     "runs",          "changes",
							     "latest commit", "measured on" };

/* `align` has a letter per column: l for text, t for a short word that is not wrapped, r for a
 * number. */
static int table_create(struct sheet *s, const char *const *headings, const char *align,
			size_t rows, struct err *e)
{
	size_t columns = strlen(align);
	int status = sheet_create(s, "", columns, rows, e);

	if (status)
		return status;
	for (size_t c = 0; c < columns && status == 0; c++) {
		status = sheet_heading(s, c, headings[c], align[c] != 'r', e);
		for (size_t row = 0; row < rows && align[c] == 't'; row++)
			sheet_at(s, row, c)->mark = "tight";
	}
	if (status)
		sheet_free(s);
	return status;
}

static int put_row(struct sheet *s, size_t row, const char *const *cells, struct err *e)
{
	int status = 0;

	for (size_t c = 0; c < s->columns && status == 0; c++)
		status = sheet_put(s, row, c, cells[c], e);
	return status;
}

static int put_change(struct sheet *sheet, size_t row, const struct series *s,
		      const struct shift *shift, struct err *e)
{
	const struct point *a = &s->point[shift->at - 1], *b = &s->point[shift->at];
	char place[512], from[16], to[16], change[32], before[32], after[32], p[32], other[128];
	const char *const cells[CHANGE_COLUMNS] = {
		s->point[0].entry->name, change, from, to, before, after, p, other, place
	};

	add_place(place, sizeof(place), s->point[0].entry);
	plot_commit(from, sizeof(from), a->entry);
	plot_commit(to, sizeof(to), b->entry);
	plot_change(change, sizeof(change), shift_ratio(shift));
	format_unit(before, sizeof(before), shift->before, "s");
	format_unit(after, sizeof(after), shift->after, "s");
	snprintf(p, sizeof(p), "%.3f", shift->p);
	point_differences(other, sizeof(other), a, b);
	return put_row(sheet, row, cells, e);
}

static int change_table(struct sheet *sheet, const struct series *const *order, size_t count,
			struct err *e)
{
	size_t rows = 0, row = 0;
	int status;

	for (size_t i = 0; i < count; i++)
		rows += order[i]->shifts;
	status = table_create(sheet, change_headings, "lrttrrrll", rows, e);
	if (status)
		return status;
	for (size_t i = 0; i < count; i++)
		for (size_t k = order[i]->shifts; k-- > 0 && status == 0;)
			status = put_change(sheet, row++, order[i], &order[i]->shift[k], e);
	if (status)
		sheet_free(sheet);
	return status;
}

/* True if no change was found and the series is too short for one to be found. */
static bool is_short(const struct series *s, const struct series_list *list)
{
	return s->shifts == 0 && s->points < list->needed;
}

static int put_series(struct sheet *sheet, size_t row, const struct series *s,
		      const struct series_list *list, struct err *e)
{
	const struct point *first = &s->point[0], *last = &s->point[s->points - 1];
	char place[512], commit[16], runs[24], changes[24], a[32], b[32], ratio[32];
	const char *const cells[SERIES_COLUMNS] = {
		first->entry->name, ratio, a, b, runs, changes, commit, place
	};

	add_place(place, sizeof(place), first->entry);
	plot_commit(commit, sizeof(commit), last->entry);
	snprintf(runs, sizeof(runs), "%zu", s->points + s->older);
	snprintf(changes, sizeof(changes), "%zu", s->shifts);
	if (is_short(s, list))
		snprintf(changes, sizeof(changes), "too few runs");
	format_unit(a, sizeof(a), first->median, "s");
	format_unit(b, sizeof(b), last->median, "s");
	snprintf(ratio, sizeof(ratio), "%.3f", last->median / first->median);
	return put_row(sheet, row, cells, e);
}

static int series_table(struct sheet *sheet, const struct series_list *list, struct err *e)
{
	int status = table_create(sheet, series_headings, "lrrrrrtl", list->count, e);

	if (status)
		return status;
	for (size_t i = 0; i < list->count && status == 0; i++)
		status = put_series(sheet, i, &list->series[i], list, e);
	if (status)
		sheet_free(sheet);
	return status;
}

/* ---- order: largest change first, then by name ---- */

static double largest(const struct series *s)
{
	double most = 0;

	for (size_t i = 0; i < s->shifts; i++)
		most = fmax(most, fabs(log(shift_ratio(&s->shift[i]))));
	return most;
}

static int by_change(const void *a, const void *b)
{
	const struct series *x = *(const struct series *const *)a;
	const struct series *y = *(const struct series *const *)b;
	double cx = largest(x), cy = largest(y);

	/* the list is ordered by name */
	return cx != cy ? (cx < cy ? 1 : -1) : (x > y) - (x < y);
}

static int in_order(const struct series ***order, const struct series_list *list, struct err *e)
{
	*order = calloc(list->count + 1, sizeof(**order));
	if (!*order)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < list->count; i++)
		(*order)[i] = &list->series[i];
	if (list->count)
		qsort(*order, list->count, sizeof(**order), by_change);
	return 0;
}

/* ---- parts of the output ---- */

static void add_summary(struct text *t, const struct series_list *list)
{
	size_t runs = 0, changed = 0, slower = 0, few = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct series *s = &list->series[i];

		runs += s->points + s->older;
		changed += s->shifts > 0;
		slower += s->shifts && shift_ratio(&s->shift[s->shifts - 1]) > 1;
		few += is_short(s, list);
	}
	text_add(t, "%zu benchmark%s, %zu runs; %zu changed, %zu of them slower at the last change",
		 list->count, list->count == 1 ? "" : "s", runs, changed, slower);
	if (few)
		text_add(t, "; %zu ha%s too few runs to detect a change (at least %zu are needed)",
			 few, few == 1 ? "s" : "ve", list->needed);
	text_add(t, ".");
	if (list->dirty)
		text_add(t, " Left out because of uncommitted changes: %zu (--dirty shows them).",
			 list->dirty);
	if (list->strangers)
		text_add(t,
			 " Left out because their commit is not in this git history: %zu "
			 "(--all-commits shows them, by date).",
			 list->strangers);
	text_add(t, "\n");
}

static void add_method(struct text *t, const struct series_setting *setting)
{
	text_add(t, method, setting->test.level, 100 * setting->floor);
	text_add(t, "\n");
}

static void add_table(struct text *t, const struct sheet *s, enum text_kind kind,
		      const char *heading)
{
	if (kind == TEXT_HTML)
		text_add(t, "<h2>%s</h2>\n", heading);
	else if (kind == TEXT_MARKDOWN)
		text_add(t, "## %s\n\n", heading);
	else
		text_add(t, "%s\n", heading);
	sheet_write(s, t, kind);
	text_add(t, "\n");
}

static int add_tables(struct text *t, const struct series_list *list,
		      const struct series *const *order, enum text_kind kind, bool all,
		      struct err *e)
{
	struct sheet changes, table;
	int status = change_table(&changes, order, list->count, e);

	if (status)
		return status;
	if (changes.rows)
		add_table(t, &changes, kind, "Changes");
	sheet_free(&changes);
	if (!all || !list->count)
		return 0;
	status = series_table(&table, list, e);
	if (status)
		return status;
	add_table(t, &table, kind, kind == TEXT_PLAIN ? "All" : "All benchmarks");
	sheet_free(&table);
	return 0;
}

int show_print(const struct series_list *list, bool all, struct text *t, struct err *e)
{
	const struct series **order;
	bool whole = all || list->count <= SHORT_TABLE;
	int status = in_order(&order, list, e);

	if (status)
		return status;
	add_summary(t, list);
	status = add_tables(t, list, order, TEXT_PLAIN, whole, e);
	if (!whole)
		text_add(
			t,
			"The table of all benchmarks is in history.md; FILTER=... selects some.\n");
	free(order);
	return status ? status : text_ok(t, e);
}

/* ---- files ---- */

/* plots/<slug>-<hash>.svg: the slug is readable, the hash distinguishes series of one benchmark. */
static void plot_name(char *out, size_t size, const struct series *s)
{
	const struct entry *x = s->point[0].entry;
	char place[512], slug[96];
	uint64_t h = hash_text(HASH_INIT, x->name);

	add_place(place, sizeof(place), x);
	env_slug(x->name, slug, sizeof(slug));
	snprintf(out, size, "plots/%s-%08llx.svg", slug,
		 (unsigned long long)hash_text(h, place) >> 32);
}

static int save_plot(const struct series *s, const char *folder, const char *name, struct err *e)
{
	struct text t = { 0 };
	char path[PATH_MAX];
	int status = text_path(path, e, "%s/%s", folder, name);

	plot_add(&t, s);
	if (status == 0)
		status = text_save(&t, path, e);
	text_free(&t);
	return status;
}

static void html_plot(struct text *t, const struct series *s)
{
	char place[512];

	add_place(place, sizeof(place), s->point[0].entry);
	text_add(t, "<h4>");
	text_add_escaped(t, s->point[0].entry->name, TEXT_HTML);
	text_add(t, "</h4><p class=\"note\">");
	text_add_escaped(t, place, TEXT_HTML);
	text_add(t, "</p><div class=\"scroll\"><div style=\"min-width:36rem;max-width:54rem\">\n");
	plot_add(t, s);
	text_add(t, "</div></div>\n");
}

static void markdown_plot(struct text *t, const struct series *s, const char *name)
{
	char place[512];

	add_place(place, sizeof(place), s->point[0].entry);
	text_add(t, "**");
	text_add_escaped(t, s->point[0].entry->name, TEXT_MARKDOWN);
	text_add(t, "** (");
	text_add_escaped(t, place, TEXT_MARKDOWN);
	text_add(t, ")\n\n![%zu runs](%s)\n\n", s->points, name);
}

/* Draws the series with at least two runs. */
static int add_plots(struct text *html, struct text *markdown, const struct series *const *order,
		     size_t count, const char *folder, struct err *e)
{
	size_t drawn = 0, left = 0;
	int status = 0;

	text_add(html, "<h2>Plots</h2>\n");
	text_add(markdown, "## Plots\n\n");
	for (size_t i = 0; i < count && status == 0; i++) {
		char name[128];

		if (order[i]->points < 2)
			continue;
		if (drawn == SHOW_PLOTS) {
			left++;
			continue;
		}
		drawn++;
		plot_name(name, sizeof(name), order[i]);
		status = save_plot(order[i], folder, name, e);
		html_plot(html, order[i]);
		markdown_plot(markdown, order[i], name);
	}
	if (left) {
		text_add(html, "<p>%zu more are not drawn; FILTER=... selects which.</p>\n", left);
		text_add(markdown, "%zu more are not drawn; FILTER=... selects which.\n", left);
	}
	return status;
}

static void open_page(struct text *t, const struct series_list *list,
		      const struct series_setting *setting, enum text_kind kind)
{
	if (kind == TEXT_HTML) {
		text_add(t, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			    "<meta name=\"viewport\" content=\"width=device-width\">"
			    "<title>copra: history</title>\n<style>\n");
		text_add(t, "%s", doc_style);
		text_add(t, "</style></head><body>\n<h1>History of the benchmarks</h1>\n<p>");
		add_summary(t, list);
		text_add(t, "</p><p class=\"note\">");
		add_method(t, setting);
		text_add(t, "</p>\n");
		return;
	}
	text_add(t, "# History of the benchmarks\n\n");
	add_summary(t, list);
	text_add(t, "\n");
	add_method(t, setting);
	text_add(t, "\n");
}

static int save(const struct text *t, const char *folder, const char *name, struct err *e)
{
	char path[PATH_MAX];
	int status = text_path(path, e, "%s/%s", folder, name);

	return status ? status : text_save(t, path, e);
}

int show_files(const struct series_list *list, const struct series_setting *setting,
	       const char *folder, struct err *e)
{
	struct text html = { 0 }, markdown = { 0 };
	const struct series **order;
	int status = in_order(&order, list, e);

	if (status)
		return status;
	open_page(&html, list, setting, TEXT_HTML);
	open_page(&markdown, list, setting, TEXT_MARKDOWN);
	status = add_tables(&html, list, order, TEXT_HTML, true, e);
	if (status == 0)
		status = add_tables(&markdown, list, order, TEXT_MARKDOWN, true, e);
	if (status == 0)
		status = add_plots(&html, &markdown, order, list->count, folder, e);
	text_add(&html, "</body></html>\n");
	if (status == 0)
		status = save(&markdown, folder, "history.md", e);
	if (status == 0)
		status = save(&html, folder, "history.html", e);
	text_free(&html);
	text_free(&markdown);
	free(order);
	return status;
}
