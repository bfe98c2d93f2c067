/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/table/roofline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"
#include "harness/machine/peaks.h"

/* Reads the name of a peak rate from a label such as "work: cells; floor: gpu_copy": what follows
 * `key`, "floor: ". */
static void read_peak_name(const char *label, const char *key, char *out, size_t size)
{
	const char *at = label ? strstr(label, key) : NULL;
	at = at ? at + strlen(key) : "";
	snprintf(out, size, "%.*s", (int)strcspn(at, "; "), at);
}

static int add(struct roofline *r, const struct result_set *set, size_t index, struct err *e)
{
	const struct result_bench *b = &set->bench[index];
	double bound = result_median(b, "floor_seconds"), ratio = result_median(b, "floor_ratio");
	if (!(bound > 0) || !(ratio > 0))
		return 0;
	int status = array_grow((void **)&r->point, r->count, sizeof(*r->point), e);
	if (status)
		return status;
	struct roof_point *p = &r->point[r->count++];
	*p = (struct roof_point){ index, bound, 1 / ratio, name_variant(b->name, NULL), "" };
	r->points_of[p->variant]++;
	read_peak_name(b->label, "floor: ", p->peak, sizeof(p->peak));
	enum peak peak = peaks_named(p->peak);
	if (p->share > 1)
		++*(peak < PEAKS && !strcmp(peaks_unit(peak), "B/s") ? &r->above_bytes :
								       &r->above_others);
	return 0;
}

static enum peak read_peak(const char *label, const char *key)
{
	char name[24];
	read_peak_name(label, key, name, sizeof(name));
	return peaks_named(name);
}

static int add_work(struct roofline *r, const struct result_set *set, size_t index, struct err *e)
{
	const struct result_bench *b = &set->bench[index];
	double operations = result_median(b, "operations"), bytes = result_median(b, "bytes");
	double seconds = result_median(b, "");
	if (!(operations > 0) || !(bytes > 0) || !(seconds > 0))
		return 0;
	int status = array_grow((void **)&r->work, r->works, sizeof(*r->work), e);
	if (status)
		return status;
	struct work_point *p = &r->work[r->works++];
	*p = (struct work_point){ .bench = index,
				  .intensity = operations / bytes,
				  .rate = operations / seconds,
				  .variant = name_variant(b->name, NULL),
				  .operations = read_peak(b->label, "operations: "),
				  .bytes = read_peak(b->label, "bytes: ") };
	r->works_of[p->variant]++;
	return 0;
}

int roofline_find(struct roofline *r, const struct result_set *set, struct err *e)
{
	int status = 0;
	*r = (struct roofline){ 0 };
	for (enum peak c = 0; c < PEAKS; c++) {
		const char *value = result_fact(&set->peaks, peaks_name(c));
		r->peak[c] = value ? strtod(value, NULL) : 0;
	}
	r->launch = r->peak[PEAK_GPU_LAUNCH];
	for (size_t i = 0; i < set->benches && !status; i++)
		if (!(status = add(r, set, i, e)))
			status = add_work(r, set, i, e);
	if (status)
		roofline_free(r);
	return status;
}

void roofline_free(struct roofline *r)
{
	free(r->point);
	free(r->work);
	*r = (struct roofline){ 0 };
}

static void put_data(const struct roofline *r, struct text *out)
{
	for (int v = 0; v < VARIANTS; v++) {
		if (!r->points_of[v])
			continue;
		text_add(out, "# %s: lower bound in seconds, share of the peak rate in %%\n",
			 variant_names[v]);
		for (size_t i = 0; i < r->count; i++)
			if (r->point[i].variant == (enum variant)v)
				text_add(out, "%.6g %.6g\n", r->point[i].bound,
					 100 * r->point[i].share);
		text_add(out, "\n\n");
	}
}

/* The names and colours of the variants that have points, each of which is a block of the data. */
static void put_blocks(const size_t points[VARIANTS], struct text *out)
{
	size_t blocks = 0;
	text_add(out,
		 "# written by copra-report; draw with: gnuplot <this file>\n"
		 "array names[%d]\narray tint[%d]\n",
		 VARIANTS, VARIANTS);
	for (int v = 0; v < VARIANTS; v++)
		if (points[v]) {
			blocks++;
			text_add(out, "names[%zu] = \"%s\"\ntint[%zu] = %d\n", blocks,
				 variant_names[v], blocks, v + 1);
		}
	text_add(out, "blocks = %zu\n", blocks);
}

static void put_paths(const struct plot_paths *paths, const char *script, struct text *out)
{
	const struct {
		const char *name, *value;
	} settings[] = { { "plots", paths->plots },
			 { "data", paths->data },
			 { "svg", paths->svg } };
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		text_add(out, "%s = \"", settings[i].name);
		text_add_escaped(out, settings[i].value, TEXT_GNUPLOT);
		text_add(out, "\"\n");
	}
	text_add(out, "load \"");
	text_add_escaped(out, paths->plots, TEXT_GNUPLOT);
	text_add(out, "/%s.gp\"\n", script);
}

void roofline_plot(const struct roofline *r, const struct plot_paths *paths, struct text *data,
		   struct text *script)
{
	put_data(r, data);
	put_blocks(r->points_of, script);
	text_add(script, "launch = %.6g\n", r->launch);
	put_paths(paths, "roofline", script);
}

/* ---- operations per byte ---- */

static void put_work_data(const struct roofline *r, struct text *out)
{
	for (int v = 0; v < VARIANTS; v++) {
		if (!r->works_of[v])
			continue;
		text_add(out, "# %s: operations per byte, operations per second\n",
			 variant_names[v]);
		for (size_t i = 0; i < r->works; i++)
			if (r->work[i].variant == (enum variant)v)
				text_add(out, "%.6g %.6g\n", r->work[i].intensity, r->work[i].rate);
		text_add(out, "\n\n");
	}
}

/* The largest rate among the roofs that bound some point together with `c`; 0 if none is known.
 * `c` is a rate of bytes if `slanted`, otherwise of operations. */
static double best_partner(const struct roofline *r, enum peak c, bool slanted)
{
	double best = 0;
	for (size_t i = 0; i < r->works; i++) {
		const struct work_point *p = &r->work[i];
		enum peak own = slanted ? p->bytes : p->operations;
		enum peak other = slanted ? p->operations : p->bytes;
		if (own == c && other < PEAKS && r->peak[other] > best)
			best = r->peak[other];
	}
	return best;
}

static bool bounds_a_point(const struct roofline *r, enum peak c, bool slanted)
{
	for (size_t i = 0; i < r->works; i++)
		if ((slanted ? r->work[i].bytes : r->work[i].operations) == c)
			return true;
	return false;
}

/* "32-bit add-max, GPU: 16.5 Top/s", "memory copy, all cores: 121 GB/s". */
static void put_roof_name(enum peak c, double value, struct text *out)
{
	static const char both[] = ", read + written";
	const char *words = peaks_text(c), *cut = strstr(words, both);
	char shown[40];
	peaks_format(c, value, shown, sizeof(shown));
	text_add_n(out, words, cut ? (size_t)(cut - words) : strlen(words));
	text_add(out, "%s: %s",
		 !strncmp(peaks_name(c), "gpu_", 4) && strcmp(peaks_unit(c), "B/s") != 0 ? ", GPU" :
											   "",
		 shown);
}

/* The known roofs of a kind, highest first: value, ridge (the operations per byte at which a
 * slanted roof ends or a flat one begins; 0 if it meets no other roof) and name. */
static void put_roofs(const struct roofline *r, bool slanted, const char *kind, struct text *out)
{
	bool done[PEAKS] = { 0 };
	size_t count = 0;
	text_add(out, "array %s_rate[%d]\narray %s_ridge[%d]\narray %s_name[%d]\n", kind, PEAKS,
		 kind, PEAKS, kind, PEAKS);
	for (;;) {
		enum peak best = PEAKS;
		for (enum peak c = 0; c < PEAKS; c++)
			if (!done[c] && r->peak[c] > 0 && bounds_a_point(r, c, slanted) &&
			    (best == PEAKS || r->peak[c] > r->peak[best]))
				best = c;
		if (best == PEAKS)
			break;
		done[best] = true;
		count++;
		double value = r->peak[best], other = best_partner(r, best, slanted);
		double ridge = slanted ? other / value : other > 0 ? value / other : 0;
		text_add(out, "%s_rate[%zu] = %.6g\n%s_ridge[%zu] = %.6g\n%s_name[%zu] = \"", kind,
			 count, value, kind, count, ridge, kind, count);
		put_roof_name(best, value, out);
		text_add(out, "\"\n");
	}
	text_add(out, "%s = %zu\n", kind, count);
}

void roofline_plot_intensity(const struct roofline *r, const struct plot_paths *paths,
			     struct text *data, struct text *script)
{
	put_work_data(r, data);
	put_blocks(r->works_of, script);
	put_roofs(r, true, "slanted", script);
	put_roofs(r, false, "flat", script);
	put_paths(paths, "intensity", script);
}
