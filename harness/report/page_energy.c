/* What solving took in joules, where the machine tells. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"
#include "harness/report/bench_name.h"
#include "harness/report/format.h"
#include "harness/report/page_parts.h"

/* The rows of one experiment and variant. */
struct group {
	char experiment[64];
	enum variant variant;
	size_t count, pairs;
	double least, most, logs; /* sum of the logarithms of the ratios to published */
	double *joules;
};

static double median_of(const struct result_bench *b, const char *counter)
{
	const double *values = result_values(b, counter);
	return values ? stat_median(values, b->runs) : NAN;
}

static int by_bench_name(const void *key, const void *bench)
{
	return strcmp(key, ((const struct result_bench *)bench)->name);
}

/* Joules of the same case by the published variant, NaN where there is none. */
static double published(const struct result_set *set, const struct result_bench *b)
{
	struct text name = { 0 };
	size_t at = 0;
	enum variant v = row_variant(b->name, &at);
	double joules = NAN;
	if (v != VARIANT_OTHER && v != VARIANT_PUBLISHED) {
		text_add(&name, "%.*s%s%s", (int)at, b->name, variant_names[VARIANT_PUBLISHED],
			 b->name + at + strlen(variant_names[v]));
		const struct result_bench *other = bsearch(text_get(&name), set->bench,
							   set->benches, sizeof(*b), by_bench_name);
		joules = other ? median_of(other, "joules") : NAN;
	}
	text_free(&name);
	return joules;
}

static struct group *group_of(struct group *all, size_t count, const char *experiment,
			      enum variant v)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].variant == v && !strcmp(all[i].experiment, experiment))
			return &all[i];
	return NULL;
}

static int add(struct group **all, size_t *count, const struct result_set *set,
	       const struct result_bench *b, struct err *e)
{
	double joules = median_of(b, "joules"), other = published(set, b);
	enum variant v = row_variant(b->name, NULL);
	char experiment[64];
	if (!(joules > 0))
		return 0;
	bench_experiment(b->name, experiment, sizeof(experiment));
	struct group *g = group_of(*all, *count, experiment, v);
	int status = g ? 0 : array_grow((void **)all, *count, sizeof(**all), e);
	if (status)
		return status;
	if (!g) {
		g = &(*all)[(*count)++];
		*g = (struct group){ .variant = v, .least = joules, .most = joules };
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

static int put_group(struct sheet *sheet, size_t row, const struct group *g, struct err *e)
{
	const double value[] = { stat_median(g->joules, g->count), g->least, g->most };
	int status = sheet_put(sheet, row, 0, g->experiment, e);
	if (!status)
		status = sheet_put(sheet, row, 1, variant_names[g->variant], e);
	if (!status)
		status = page_cell(sheet, row, 2, e, "%zu", g->count);
	for (size_t i = 0; i < 3 && !status; i++) {
		char shown[64];
		format_number(shown, sizeof(shown), format_by_name("joules"), value[i]);
		status = sheet_put(sheet, row, 3 + i, shown, e);
	}
	if (!status && g->pairs)
		status = page_cell(sheet, row, 6, e, "%.3g (%zu)", exp(g->logs / (double)g->pairs),
				   g->pairs);
	return status;
}

static int table(const struct group *group, size_t count, struct doc *d, struct err *e)
{
	static const char *const headings[] = {
		"experiment", "variant",  "benchmarks",          "median",
		"least",      "greatest", "of published (cases)"
	};
	enum { COLUMNS = sizeof(headings) / sizeof(headings[0]) };
	struct sheet sheet;
	int status = sheet_create(&sheet, "Energy", COLUMNS, count, e);
	if (status)
		return status;
	status = page_headings(&sheet, headings, COLUMNS, 2, e);
	for (size_t i = 0; i < count && !status; i++)
		status = put_group(&sheet, i, &group[i], e);
	if (!status)
		doc_sheet(d, &sheet);
	sheet_free(&sheet);
	return status;
}

static int on_machine(const struct result_set *set, bool *any, struct doc *d, struct err *e)
{
	struct group *group = NULL;
	size_t count = 0;
	int status = 0;
	for (size_t i = 0; i < set->benches && !status; i++)
		status = add(&group, &count, set, &set->bench[i], e);
	if (!status && count) {
		*any = true;
		page_origin(set, d);
		status = table(group, count, d, e);
	}
	for (size_t i = 0; i < count; i++)
		free(group[i].joules);
	free(group);
	return status;
}

int page_energy(const struct study *s, struct doc *d, struct err *e)
{
	bool any = false;
	int status = 0;
	page_heading(s, d, "energy", "Energy");
	doc_paragraph(
		d, TONE_NOTE,
		"Joules of a whole iteration, of all GPUs where there are any, else of the "
		"processors. Set-up counts, which the times of a row may leave out, and a GPU "
		"that waits takes power too: of short solves most is that. The last column is "
		"the geometric mean of the ratios to the published variant over the cases "
		"that both have.");
	for (size_t m = 0; m < s->machines && !status; m++)
		status = on_machine(s->machine[m].set, &any, d, e);
	if (!any && !status)
		doc_paragraph(d, TONE_NOTE, "No machine told its energy.");
	return status;
}
