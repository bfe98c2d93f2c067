#include "harness/report/table/roofline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"
#include "harness/machine/peaks.h"

/* Reads the name of the peak rate from a label such as "work: cells; floor: gpu_copy". */
static void read_peak_name(const char *label, char *out, size_t size)
{
	const char *at = label ? strstr(label, "floor: ") : NULL;
	at = at ? at + strlen("floor: ") : "";
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
	read_peak_name(b->label, p->peak, sizeof(p->peak));
	enum peak peak = peaks_named(p->peak);
	if (p->share > 1)
		++*(peak < PEAKS && !strcmp(peaks_unit(peak), "B/s") ? &r->above_bytes :
								       &r->above_others);
	return 0;
}

int roofline_find(struct roofline *r, const struct result_set *set, struct err *e)
{
	int status = 0;
	*r = (struct roofline){ 0 };
	const char *launch = result_fact(&set->peaks, peaks_name(PEAK_GPU_LAUNCH));
	if (launch)
		r->launch = strtod(launch, NULL);
	for (size_t i = 0; i < set->benches && !status; i++)
		status = add(r, set, i, e);
	if (status)
		roofline_free(r);
	return status;
}

void roofline_free(struct roofline *r)
{
	free(r->point);
	*r = (struct roofline){ 0 };
}

static size_t count_of(const struct roofline *r, enum variant v)
{
	size_t count = 0;
	for (size_t i = 0; i < r->count; i++)
		count += r->point[i].variant == v;
	return count;
}

static void put_data(const struct roofline *r, struct text *out)
{
	for (int v = 0; v < VARIANTS; v++) {
		if (!count_of(r, (enum variant)v))
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

static void put_script(const struct roofline *r, const struct plot_paths *paths, struct text *out)
{
	const struct {
		const char *name, *value;
	} settings[] = { { "plots", paths->plots },
			 { "data", paths->data },
			 { "svg", paths->svg } };
	size_t blocks = 0;
	text_add(out,
		 "# written by copra-report; draw with: gnuplot <this file>\n"
		 "array names[%d]\narray tint[%d]\n",
		 VARIANTS, VARIANTS);
	for (int v = 0; v < VARIANTS; v++)
		if (count_of(r, (enum variant)v)) {
			blocks++;
			text_add(out, "names[%zu] = \"%s\"\ntint[%zu] = %d\n", blocks,
				 variant_names[v], blocks, v + 1);
		}
	text_add(out, "blocks = %zu\nlaunch = %.6g\n", blocks, r->launch);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		text_add(out, "%s = \"", settings[i].name);
		text_add_escaped(out, settings[i].value, TEXT_GNUPLOT);
		text_add(out, "\"\n");
	}
	text_add(out, "load \"");
	text_add_escaped(out, paths->plots, TEXT_GNUPLOT);
	text_add(out, "/roofline.gp\"\n");
}

void roofline_plot(const struct roofline *r, const struct plot_paths *paths, struct text *data,
		   struct text *script)
{
	put_data(r, data);
	put_script(r, paths, script);
}
