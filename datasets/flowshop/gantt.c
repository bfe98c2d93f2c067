/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/flowshop/gantt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/outfile.h"

/* In pixels. */
enum { LEFT = 84, RIGHT = 24, TOP = 44, BOTTOM = 46, WIDTH = 1200, LEAST_ROW = 10, MOST_ROW = 28 };
enum { LEAST_TEXT = 6 };

struct chart {
	const struct flowshop *f;
	const int64_t *order;
	FILE *out;
	int64_t makespan;
	double row, scale; /* height of a row; pixels per unit of time */
	int64_t *end;      /* [machines]: when the last operation ended */
};

static double x_of(const struct chart *c, int64_t time)
{
	return LEFT + c->scale * (double)time;
}

static double y_of(const struct chart *c, int machine)
{
	return TOP + c->row * machine;
}

/* Text with the characters escaped that have a meaning in XML; control characters become '?'. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else
			fputc((unsigned char)*text < 32 || (unsigned char)*text > 126 ? '?' : *text,
			      out);
	}
}

/* One channel of HSL as 0 .. 255 (W3C, CSS Color Module Level 3, section 4.2.4). */
static int channel(double hue, double light, double saturation)
{
	double most =
		light < 0.5 ? light * (1 + saturation) : light + saturation - light * saturation;
	double least = 2 * light - most, h = hue - floor(hue), value = least;

	if (6 * h < 1)
		value = least + (most - least) * 6 * h;
	else if (2 * h < 1)
		value = most;
	else if (3 * h < 2)
		value = least + (most - least) * (2.0 / 3 - h) * 6;
	return (int)lround(255 * value);
}

/* Hues a golden angle apart differ as much as possible for any number of jobs. */
static void put_colour(FILE *out, int job)
{
	double hue = 0.618033988749895 * job, light = job % 2 ? 0.72 : 0.62;

	fprintf(out, "#%02x%02x%02x", channel(hue + 1.0 / 3, light, 0.6), channel(hue, light, 0.6),
		channel(hue - 1.0 / 3, light, 0.6));
}

static void put_box(const struct chart *c, int64_t job, int machine, int64_t from, int64_t to)
{
	double x = x_of(c, from), width = x_of(c, to) - x, y = y_of(c, machine);
	int digits = job < 10 ? 1 : job < 100 ? 2 : 3;
	double size = fmin(fmin(11, c->row - 3), (width - 1.5) / (0.62 * digits));

	fprintf(c->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"", x,
		y + 1, width, c->row - 2);
	put_colour(c->out, (int)job);
	fprintf(c->out,
		"\"><title>job %" PRId64 ", machine %d: %" PRId64 " to %" PRId64
		"</title></rect>\n",
		job, machine, from, to);
	if (size >= LEAST_TEXT)
		fprintf(c->out,
			"<text class=\"job\" font-size=\"%.1f\" x=\"%.2f\" y=\"%.2f\">%" PRId64
			"</text>\n",
			size, x + width / 2, y + c->row / 2 + 0.36 * size, job);
}

static void put_boxes(const struct chart *c)
{
	const struct flowshop *f = c->f;

	memset(c->end, 0, (size_t)f->machines * sizeof(*c->end));
	for (int i = 0; i < f->jobs; i++) {
		int64_t job = c->order[i], ready = 0;

		for (int k = 0; k < f->machines; k++) {
			int64_t from = ready > c->end[k] ? ready : c->end[k];

			ready = from + f->time[k * f->jobs + job];
			put_box(c, job, k, from, ready);
			c->end[k] = ready;
		}
	}
}

/* 1, 2 or 5 times a power of ten, so that the axis has about ten marks. */
static int64_t step_of(int64_t makespan)
{
	int64_t step = 1;

	while (step * 10 < makespan) {
		if (step * 20 >= makespan)
			return step * 2;
		if (step * 50 >= makespan)
			return step * 5;
		step *= 10;
	}
	return step;
}

static void put_axes(const struct chart *c)
{
	double bottom = y_of(c, c->f->machines), end = x_of(c, c->makespan);
	int64_t step = step_of(c->makespan);

	for (int64_t t = 0; t <= c->makespan; t += step) {
		double x = x_of(c, t);

		fprintf(c->out, "<path class=\"grid\" d=\"M%.2f %d V%.2f\"/>\n", x, TOP,
			bottom + 5);
		if (end - x > 60 || t == 0) /* room for the makespan */
			fprintf(c->out,
				"<text class=\"mark\" x=\"%.2f\" y=\"%.2f\">%" PRId64 "</text>\n",
				x, bottom + 18, t);
	}
	for (int k = 0; k < c->f->machines; k++)
		fprintf(c->out,
			"<text class=\"machine\" font-size=\"%.1f\" x=\"%d\" y=\"%.2f\">machine "
			"%d</text>\n",
			fmin(12, c->row - 1), LEFT - 8, y_of(c, k) + c->row / 2 + 4, k);
	fprintf(c->out,
		"<text class=\"mark\" x=\"%.2f\" y=\"%.2f\">time</text>\n"
		"<path class=\"end\" d=\"M%.2f %d V%.2f\"/>\n"
		"<text class=\"makespan\" x=\"%.2f\" y=\"%.2f\">%" PRId64 "</text>\n",
		(LEFT + end) / 2, bottom + 36, end, TOP - 6, bottom + 5, end, bottom + 18,
		c->makespan);
}

static void put_chart(const struct chart *c, const char *title)
{
	static const char style[] =
		"text{font-family:sans-serif;fill:#222}"
		".job,.mark,.makespan{text-anchor:middle}.machine{text-anchor:end}"
		".mark{font-size:12px;fill:#555}.makespan{font-size:12px;font-weight:bold}"
		".grid{stroke:#ddd}.end{stroke:#222;stroke-dasharray:4 3}"
		"rect{stroke:#333;stroke-width:0.4}";
	double height = y_of(c, c->f->machines) + BOTTOM;

	fprintf(c->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
		"height=\"%.0f\">\n<title>",
		WIDTH, height, WIDTH, height);
	put_text(c->out, title);
	fprintf(c->out,
		"</title>\n<style>%s</style>\n"
		"<path fill=\"#fff\" d=\"M0 0H%dV%.0fH0z\"/>\n"
		"<text font-size=\"15\" x=\"%d\" y=\"24\">",
		style, WIDTH, height, LEFT);
	put_text(c->out, title);
	fputs("</text>\n", c->out);
	put_axes(c);
	fputs("<g id=\"operations\">\n", c->out);
	put_boxes(c);
	fputs("</g>\n</svg>\n", c->out);
}

int gantt_write(const struct flowshop *f, const int64_t *order, const char *title, const char *path,
		struct err *e)
{
	struct chart c = { .f = f, .order = order, .makespan = flowshop_makespan(f, order) };
	struct outfile *file;
	int status;

	if (c.makespan < 0)
		return err_set(e, ERR_FAILED, "the order is not a permutation of %d jobs", f->jobs);
	c.row = fmin(MOST_ROW, fmax(LEAST_ROW, 640.0 / f->machines));
	c.scale = (double)(WIDTH - LEFT - RIGHT) / (double)(c.makespan ? c.makespan : 1);
	c.end = malloc((size_t)f->machines * sizeof(*c.end));
	if (!c.end)
		return err_set(e, ERR_MEMORY, "no memory for a chart");
	status = outfile_open(&file, path, e);
	if (!status) {
		c.out = outfile_stream(file);
		put_chart(&c, title);
		status = outfile_commit(file, e);
	}
	free(c.end);
	return status;
}
