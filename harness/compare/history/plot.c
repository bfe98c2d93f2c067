#include "harness/compare/history/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/format.h"

/* Sizes in user units: pixels on a page of normal width. */
enum { WIDTH = 760, HEIGHT = 240, LEFT = 78, RIGHT = 16, TOP = 26, BOTTOM = 40, LABEL = 66 };

static const char style[] =
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
 * noise looks small. */
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

void plot_commit(char *out, size_t size, const struct entry *x)
{
	snprintf(out, size, "%.8s%s", *x->commit ? x->commit : "unknown", x->dirty ? "+" : "");
}

void plot_change(char *out, size_t size, double ratio)
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
		plot_commit(name, sizeof(name), x);
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

		plot_commit(commit, sizeof(commit), p->entry);
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

		plot_change(size, sizeof(size), ratio);
		text_add(t,
			 "<line class=\"%s\" stroke-dasharray=\"4 3\" x1=\"%.1f\" x2=\"%.1f\" "
			 "y1=\"%d\" y2=\"%d\"/>",
			 way, x, x, TOP - 4, HEIGHT - BOTTOM);
		text_add(t, "<text class=\"%s\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			 way, x, TOP - 9, anchor, size);
	}
}

void plot_add(struct text *t, const struct series *s)
{
	struct frame f = frame_of(s);

	text_add(t,
		 "<svg class=\"hi\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		 "role=\"img\" aria-label=\"",
		 WIDTH, HEIGHT);
	text_add_escaped(t, s->point[0].entry->name, TEXT_HTML);
	text_add(t, "\">%s\n", style);
	add_ticks(t, &f);
	add_commits(t, s, &f);
	add_levels(t, s, &f);
	add_points(t, s, &f);
	add_shifts(t, s, &f);
	text_add(t, "</svg>\n");
}
