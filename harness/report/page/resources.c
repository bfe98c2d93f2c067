/* Two sections of a chapter: how close the rows come to the machine's peak rates, and how much
 * energy they used. */
#include "harness/report/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"
#include "harness/machine/peaks.h"
#include "harness/report/data/names.h"
#include "harness/report/export.h"
#include "harness/report/format.h"
#include "harness/report/table/roofline.h"

/* ---- roofline ---- */

/* The rows of one variant whose bound comes from the same peak rate. */
struct group {
	const struct roof_point *first, *best;
	size_t count;
	double median;
};

static bool same_group(const struct roof_point *a, const struct roof_point *b)
{
	return a->variant == b->variant && !strcmp(a->peak, b->peak);
}

static int measure(struct group *g, const struct roofline *r, struct err *e)
{
	double *shares = malloc(r->count * sizeof(*shares));
	if (!shares)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < r->count; i++) {
		const struct roof_point *p = &r->point[i];
		if (!same_group(p, g->first))
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
		while (k < *count && !same_group((*out)[k].first, &r->point[i]))
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
	enum peak c = peaks_named(g->first->peak);
	const char *value = result_fact(&set->peaks, g->first->peak);
	*shown = '\0';
	if (value && c < PEAKS)
		format_unit(shown, sizeof(shown), strtod(value, NULL), peaks_unit(c));
	page_row_link(&link, set, g->best->bench);
	sheet_at(sheet, row, 0)->mark = sheet_at(sheet, row, 2)->mark = "tight";
	int status =
		sheet_print(sheet, row, 0, e, "%s", c < PEAKS ? peaks_text(c) : g->first->peak);
	if (!status)
		status = sheet_put(sheet, row, 1, variant_names[g->first->variant], e);
	if (!status)
		status = sheet_put(sheet, row, 2, name_short(set->bench[g->best->bench].name), e);
	if (!status)
		status = sheet_link(sheet, row, 2, &link, e);
	if (!status)
		status = sheet_print(sheet, row, 3, e, "%.3g %%", 100 * g->best->share);
	if (!status)
		status = sheet_print(sheet, row, 4, e, "%.3g %%", 100 * g->median);
	if (!status)
		status = sheet_print(sheet, row, 5, e, "%zu", g->count);
	if (!status)
		status = sheet_put(sheet, row, 6, shown, e);
	text_free(&link);
	return status;
}

static int roofline_table(const struct roofline *r, const struct result_set *set, struct doc *d,
			  struct err *e)
{
	static const char *const headings[] = { "peak rate", "variant", "best row", "best",
						"median",    "rows",    "value" };
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct group *group = NULL;
	struct sheet sheet;
	size_t count = 0;
	int status = find_groups(&group, &count, r, e);
	if (!status && !(status = sheet_create(&sheet, "Roofline", COLUMNS, count, e))) {
		status = sheet_headings(&sheet, headings, 3, e);
		for (size_t i = 0; i < count && !status; i++)
			status = put_group(&sheet, i, &group[i], set, e);
		if (!status)
			doc_sheet(d, &sheet);
		sheet_free(&sheet);
	}
	free(group);
	return status;
}

static void explain_rows_above_peak(const struct roofline *r, struct doc *d)
{
	size_t bytes, others;
	struct text t = { 0 };
	roofline_above(r, &bytes, &others);
	if (!bytes && !others)
		return;
	text_add(&t, "%zu of %zu rows are above 100 %%: %zu bound by bytes, %zu by operations. ",
		 bytes + others, r->count, bytes, others);
	if (bytes)
		text_add(&t, "Bytes that stay in a cache do not use memory bandwidth. ");
	if (others)
		text_add(&t, "Operations whose results are read from a table are not executed. ");
	text_add(&t, "A peak rate is the highest rate observed while it was measured. On a shared "
		     "machine, a row may have been measured when the load was lower.");
	doc_paragraph(d, TONE_NOTE, "%s", text_get(&t));
	text_free(&t);
}

static int roofline_on_machine(const struct paper *paper, size_t machine, const struct roofline *r,
			       struct doc *d, struct err *e)
{
	const struct result_set *set = paper->machine[machine].set;
	struct text path = { 0 }, caption = { 0 };
	char prefix[96];
	page_origin(set, d);
	export_plot_path(&path, paper, "roofline", set);
	text_add(&caption, "Roofline of %s; ", paper->target);
	results_origin(set, &caption);
	snprintf(prefix, sizeof(prefix), "%.40s-roofline-%zu", paper->target, machine);
	int status = doc_figure(d, text_get(&path), prefix, text_get(&caption), e);
	if (!status)
		status = roofline_table(r, set, d, e);
	if (!status)
		explain_rows_above_peak(r, d);
	text_free(&path);
	text_free(&caption);
	return status;
}

int page_roofline(const struct paper *paper, struct doc *d, struct err *e)
{
	bool any = false;
	int status = 0;
	page_heading(paper, d, "roofline", "Roofline");
	doc_paragraph(d, TONE_NOTE,
		      "The lower bound on a row's time is the time that its work takes at the peak "
		      "rates measured on the same machine. The row's share of the peak rate is the "
		      "lower bound divided by its time. The work counted is that of the row's own "
		      "algorithm, so an algorithm that does less work appears further to the left, "
		      "not higher.");
	for (size_t m = 0; m < paper->machines && !status; m++) {
		struct roofline r;
		status = roofline_find(&r, paper->machine[m].set, e);
		if (status)
			break;
		if (r.count)
			status = roofline_on_machine(paper, m, &r, d, e);
		any = any || r.count;
		roofline_free(&r);
	}
	if (!any && !status)
		doc_paragraph(d, TONE_NOTE, "No row has a lower bound on its time.");
	return status;
}

/* ---- energy ---- */

/* The rows of one experiment and variant. */
struct energy_group {
	char experiment[64];
	enum variant variant;
	size_t count, pairs;
	double least, most, logs; /* sum of the logarithms of the ratios to published */
	double *joules;
};

static int by_bench_name(const void *key, const void *bench)
{
	return strcmp(key, ((const struct result_bench *)bench)->name);
}

/* The joules of the published variant on the same case; NaN if it has no such row. */
static double published_joules(const struct result_set *set, const struct result_bench *b)
{
	struct text name = { 0 };
	size_t at = 0;
	enum variant v = name_variant(b->name, &at);
	double joules = NAN;
	if (v != VARIANT_OTHER && v != VARIANT_PUBLISHED) {
		text_add(&name, "%.*s%s%s", (int)at, b->name, variant_names[VARIANT_PUBLISHED],
			 b->name + at + strlen(variant_names[v]));
		const struct result_bench *other = bsearch(text_get(&name), set->bench,
							   set->benches, sizeof(*b), by_bench_name);
		joules = other ? result_median(other, "joules") : NAN;
	}
	text_free(&name);
	return joules;
}

static struct energy_group *energy_group_of(struct energy_group *all, size_t count,
					    const char *experiment, enum variant v)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].variant == v && !strcmp(all[i].experiment, experiment))
			return &all[i];
	return NULL;
}

static int energy_add(struct energy_group **all, size_t *count, const struct result_set *set,
		      const struct result_bench *b, struct err *e)
{
	double joules = result_median(b, "joules"), other = published_joules(set, b);
	enum variant v = name_variant(b->name, NULL);
	char experiment[64];
	if (!(joules > 0))
		return 0;
	name_experiment(b->name, experiment, sizeof(experiment));
	struct energy_group *g = energy_group_of(*all, *count, experiment, v);
	int status = g ? 0 : array_grow((void **)all, *count, sizeof(**all), e);
	if (status)
		return status;
	if (!g) {
		g = &(*all)[(*count)++];
		*g = (struct energy_group){ .variant = v, .least = joules, .most = joules };
		memcpy(g->experiment, experiment, sizeof(experiment));
	}
	if ((status = array_grow((void **)&g->joules, g->count, sizeof(*g->joules), e)))
		return status;
	g->joules[g->count++] = joules;
	g->least = fmin(g->least, joules);
	g->most = fmax(g->most, joules);
	if (other > 0) {
		g->pairs++;
		g->logs += log(joules / other);
	}
	return 0;
}

static int energy_put_group(struct sheet *sheet, size_t row, const struct energy_group *g,
			    struct err *e)
{
	const double value[] = { stat_median(g->joules, g->count), g->least, g->most };
	int status = sheet_put(sheet, row, 0, g->experiment, e);
	if (!status)
		status = sheet_put(sheet, row, 1, variant_names[g->variant], e);
	if (!status)
		status = sheet_print(sheet, row, 2, e, "%zu", g->count);
	for (size_t i = 0; i < 3 && !status; i++) {
		char shown[64];
		format_number(shown, sizeof(shown), format_by_name("joules"), value[i]);
		status = sheet_put(sheet, row, 3 + i, shown, e);
	}
	if (!status && g->pairs)
		status = sheet_print(sheet, row, 6, e, "%.3g (%zu)",
				     exp(g->logs / (double)g->pairs), g->pairs);
	return status;
}

static int energy_table(const struct energy_group *group, size_t count, struct doc *d,
			struct err *e)
{
	static const char *const headings[] = {
		"experiment", "variant", "benchmarks",           "median",
		"minimum",    "maximum", "vs. published (cases)"
	};
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet sheet;
	int status = sheet_create(&sheet, "Energy", COLUMNS, count, e);
	if (status)
		return status;
	status = sheet_headings(&sheet, headings, 2, e);
	for (size_t i = 0; i < count && !status; i++)
		status = energy_put_group(&sheet, i, &group[i], e);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static int energy_on_machine(const struct result_set *set, bool *any, struct doc *d, struct err *e)
{
	struct energy_group *group = NULL;
	size_t count = 0;
	int status = 0;
	for (size_t i = 0; i < set->benches && !status; i++)
		status = energy_add(&group, &count, set, &set->bench[i], e);
	if (!status && count) {
		*any = true;
		page_origin(set, d);
		status = energy_table(group, count, d, e);
	}
	for (size_t i = 0; i < count; i++)
		free(group[i].joules);
	free(group);
	return status;
}

int page_energy(const struct paper *paper, struct doc *d, struct err *e)
{
	bool any = false;
	int status = 0;
	page_heading(paper, d, "energy", "Energy");
	doc_paragraph(d, TONE_NOTE,
		      "The energy of one whole iteration: of all GPUs if there are any, otherwise "
		      "of the processors. It includes set-up, which the times of a row may leave "
		      "out, and the power of idle GPUs, which dominates in short solves. The "
		      "last column is the geometric mean of the ratios to the published variant, "
		      "over the cases that both variants solved.");
	for (size_t m = 0; m < paper->machines && !status; m++)
		status = energy_on_machine(paper->machine[m].set, &any, d, e);
	if (!any && !status)
		doc_paragraph(d, TONE_NOTE, "No machine measured its energy.");
	return status;
}
