/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
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

enum { SHORT_TABLE = 40 };

static const char method[] =
	"Each point is one run: the median and quartiles of its samples. Changes are found by "
	"E-divisive means with a permutation test (Matteson and James, JASA 109, 2014) at level "
	"%g, and shown if they are at least %g %%. Runs are compared only if machine, scale, "
	"devices, threads and flags are the same.";

/* Formats the properties that distinguish a series from others of the same benchmark. */
static void add_place(char *out, size_t size, const struct entry *x)
{
	snprintf(out, size, "%s, %s, %d thread%s, %s%s%s%s%s", x->machine, x->device, x->threads,
		 x->threads == 1 ? "" : "s", x->scale, *x->scale ? ", " : "", x->sampling,
		 *x->parameters ? ", " : "", x->parameters);
}

/* ---- the plot of a series: one point per run with the quartiles of its samples, the median of
 * each segment between changes, and the changes with their size ---- */

/* Sizes in user units: pixels on a page of normal width. */
enum { WIDTH = 760, HEIGHT = 240, LEFT = 78, RIGHT = 16, TOP = 26, BOTTOM = 40, LABEL = 66 };

static const char plot_style[] =
	"<style>.hi{--hi-ink:#1c2024;--hi-soft:#5c6670;--hi-line:#d9dee3;--hi-mark:#0b5fa5;"
	"--hi-slow:#b3261e;--hi-fast:#0f7a3d}"
	"@media(prefers-color-scheme:dark){.hi{--hi-ink:#e6e9ec;--hi-soft:#9aa4ae;--hi-line:#"
	"353c43;"
	"--hi-mark:#6cb6ff;--hi-slow:#ff8a80;--hi-fast:#5fd38d}}"
	".hi text{font:11px system-ui,sans-serif;fill:var(--hi-soft)}"
	".hi .slow{fill:var(--hi-slow);stroke:none;font-weight:600}"
	".hi .fast{fill:var(--hi-fast);stroke:none;font-weight:600}"
	".hi line{stroke:var(--hi-line)}.hi line.slow{stroke:var(--hi-slow)}"
	".hi line.fast{stroke:var(--hi-fast)}.hi line.level{stroke:var(--hi-ink);stroke-width:1.5}"
	".hi line.spread{stroke:var(--hi-mark);stroke-opacity:.45}"
	".hi circle{fill:var(--hi-mark)}</style>";

struct frame {
	double low, high; /* seconds at the lower and the upper edge of the plot */
	size_t points;
};

static double x_of(const struct frame *f, double index)
{
	return LEFT + (index + 0.5) * (WIDTH - LEFT - RIGHT) / (double)f->points;
}

static double y_of(const struct frame *f, double seconds)
{
	return TOP + (f->high - seconds) / (f->high - f->low) * (HEIGHT - TOP - BOTTOM);
}

/* The vertical range: it contains all quartiles and spans at least 10 % of the value, so that small
 * noise does not look large. */
static struct frame frame_of(const struct series *s)
{
	struct frame f = { .low = INFINITY, .high = 0, .points = s->points };
	double middle, least;

	for (size_t i = 0; i < s->points; i++) {
		f.low = fmin(f.low, s->point[i].low);
		f.high = fmax(f.high, s->point[i].high);
	}
	middle = (f.low + f.high) / 2;
	least = fmax(0.05 * middle, 0.58 * (f.high - f.low));
	f.low = fmax(0, middle - least);
	f.high = middle + least;
	return f;
}

/* The distance of grid lines, 1, 2 or 5 times a power of ten, so that there are about four. */
static double tick_step(double span)
{
	double step = pow(10, floor(log10(span / 4)));

	if (span / step > 10)
		step *= 5;
	else if (span / step > 5)
		step *= 2;
	return step;
}

/* The value in one unit, with as many decimals as the step needs. */
static void tick_label(char *out, size_t size, double value, double step, double most)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" }, { 1e-9, "ns" } };
	int i = 0, decimals;

	while (i < 3 && most < units[i].unit)
		i++;
	decimals = (int)ceil(-log10(step / units[i].unit) - 1e-9);
	snprintf(out, size, "%.*f %s", decimals > 0 ? decimals : 0, value / units[i].unit,
		 units[i].name);
}

static void add_ticks(struct text *t, const struct frame *f)
{
	double step = tick_step(f->high - f->low);

	for (double k = ceil(f->low / step); k * step <= f->high; k++) {
		double y = y_of(f, k * step);
		char label[48];

		tick_label(label, sizeof(label), k * step, step, f->high);
		text_add(t, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
			 WIDTH - RIGHT, y, y);
		text_add(t, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8,
			 y + 4, label);
	}
}

/* Formats the commit of a run: "9f3c2ab1", or "9f3c2ab1+" if files differed from it, or "unknown".
 */
static void format_commit(char *out, size_t size, const struct entry *x)
{
	snprintf(out, size, "%.8s%s", *x->commit ? x->commit : "unknown", x->dirty ? "+" : "");
}

/* Formats a ratio as a change: "+5.2 %" for 1.052. */
static void format_change(char *out, size_t size, double ratio)
{
	snprintf(out, size, "%+.1f %%", 100 * (ratio - 1));
}

/* Labels the points at which the commit changes, leaving out labels that would overlap. */
static void add_commits(struct text *t, const struct series *s, const struct frame *f)
{
	double last = -LABEL;

	for (size_t i = 0; i < s->points; i++) {
		const struct entry *x = s->point[i].entry;
		double at = x_of(f, (double)i);
		char name[16];

		if (at - last < LABEL ||
		    (i && strcmp(x->commit, s->point[i - 1].entry->commit) == 0 &&
		     x->dirty == s->point[i - 1].entry->dirty))
			continue;
		format_commit(name, sizeof(name), x);
		text_add(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", at,
			 HEIGHT - BOTTOM + 16, at > WIDTH - LABEL / 2 ? "end" : "middle");
		text_add_escaped(t, name, TEXT_HTML);
		text_add(t, "</text><line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", at, at,
			 HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4);
		last = at;
	}
	text_add(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">runs, by commit%s</text>\n",
		 (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, s->older ? " (the latest)" : "");
}

static void add_points(struct text *t, const struct series *s, const struct frame *f)
{
	for (size_t i = 0; i < s->points; i++) {
		const struct point *p = &s->point[i];
		double x = x_of(f, (double)i);
		char commit[16], median[32];

		format_commit(commit, sizeof(commit), p->entry);
		format_unit(median, sizeof(median), p->median, "s");
		text_add(t,
			 "<line class=\"spread\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
			 x, x, y_of(f, p->low), y_of(f, p->high));
		text_add(t, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>", x,
			 y_of(f, p->median), s->points > 120 ? "1.8" : "3");
		text_add_escaped(t, commit, TEXT_HTML);
		text_add(t, ", %.10s: %s, %zu samples, ", p->entry->date, median,
			 p->entry->samples);
		text_add_escaped(t, p->entry->source, TEXT_HTML);
		text_add(t, "</title></circle>\n");
	}
}

/* The median of each segment between changes. */
static void add_levels(struct text *t, const struct series *s, const struct frame *f)
{
	for (size_t i = 0; s->shifts && i <= s->shifts; i++) {
		double level = i ? s->shift[i - 1].after : s->shift[0].before;
		size_t from = i ? s->shift[i - 1].at : 0;
		size_t to = i < s->shifts ? s->shift[i].at : s->points;

		text_add(
			t,
			"<line class=\"level\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
			x_of(f, (double)from - 0.4), x_of(f, (double)to - 0.6), y_of(f, level),
			y_of(f, level));
	}
}

static void add_shifts(struct text *t, const struct series *s, const struct frame *f)
{
	for (size_t i = 0; i < s->shifts; i++) {
		double ratio = shift_ratio(&s->shift[i]), x = x_of(f, (double)s->shift[i].at - 0.5);
		const char *way = ratio > 1 ? "slow" : "fast";
		const char *anchor = x > WIDTH - LABEL ? "end" :
				     x < LEFT + LABEL  ? "start" :
							 "middle";
		char size[32];

		format_change(size, sizeof(size), ratio);
		text_add(t,
			 "<line class=\"%s\" stroke-dasharray=\"4 3\" x1=\"%.1f\" x2=\"%.1f\" "
			 "y1=\"%d\" y2=\"%d\"/>",
			 way, x, x, TOP - 4, HEIGHT - BOTTOM);
		text_add(t, "<text class=\"%s\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			 way, x, TOP - 9, anchor, size);
	}
}

/* Appends one <svg> element. It includes its own style for light and dark pages, so that it can be
 * a file or part of a page. */
static void add_plot(struct text *t, const struct series *s)
{
	struct frame f = frame_of(s);

	text_add(t,
		 "<svg class=\"hi\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		 "role=\"img\" aria-label=\"",
		 WIDTH, HEIGHT);
	text_add_escaped(t, s->point[0].entry->name, TEXT_HTML);
	text_add(t, "\">%s\n", plot_style);
	add_ticks(t, &f);
	add_commits(t, s, &f);
	add_levels(t, s, &f);
	add_points(t, s, &f);
	add_shifts(t, s, &f);
	text_add(t, "</svg>\n");
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
	format_commit(from, sizeof(from), a->entry);
	format_commit(to, sizeof(to), b->entry);
	format_change(change, sizeof(change), shift_ratio(shift));
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
	format_commit(commit, sizeof(commit), last->entry);
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

	add_plot(&t, s);
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
	add_plot(t, s);
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
