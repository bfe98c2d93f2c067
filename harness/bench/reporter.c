#include "harness/bench/reporter.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/stats.h"

static const char *const format_names[REPORTER_FORMATS] = {
	[REPORTER_CONSOLE] = "console",   [REPORTER_JSON] = "json", [REPORTER_CSV] = "csv",
	[REPORTER_MARKDOWN] = "markdown", [REPORTER_BMF] = "bmf",
};

const char *reporter_format_name(enum reporter_format f)
{
	return format_names[f];
}

int reporter_format_parse(void *format, const char *text, struct err *e)
{
	for (int i = 0; i < REPORTER_FORMATS; i++)
		if (strcmp(text, format_names[i]) == 0) {
			*(enum reporter_format *)format = (enum reporter_format)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is not one of console, json, csv, markdown, bmf", text);
}

void reporter_name(const struct bench_row *row, char *name, size_t size)
{
	snprintf(name, size, "%s%s%s", row->run_name, row->aggregate ? "_" : "",
		 row->aggregate ? row->aggregate : "");
}

double reporter_time(const struct bench_row *row, double seconds)
{
	bool ratio = row->aggregate && strcmp(row->aggregate, "cv") == 0;

	return ratio ? seconds : seconds * bench_unit_per_second(row->unit);
}

/* ---- aggregates ---- */

static const struct {
	const char *name;
	stat_statistic *of;
} aggregates[REPORTER_AGGREGATES] = {
	{ "mean", stat_mean }, { "median", stat_median }, { "stddev", stat_sd },
	{ "cv", stat_cv },     { "min", stat_min },
};

/* NaN (a ratio to a zero mean) has no place in any of the formats. */
static double finite_or_zero(double x)
{
	return x - x == 0 ? x : 0;
}

static void aggregate_counters(const struct bench_case *c, double *x, stat_statistic *of,
			       struct bench_counters *out)
{
	for (int k = 0; k < c->rows[0].counters.count; k++) {
		const struct bench_counter_value *first = &c->rows[0].counters.at[k];
		int n = 0;

		for (int i = 0; i < c->row_count; i++) {
			const struct bench_counter_value *v =
				bench_counters_get(&c->rows[i].counters, first->name);

			if (v)
				x[n++] = v->value;
		}
		if (n == c->row_count)
			bench_counters_set(out, first->name, finite_or_zero(of(x, (size_t)n)),
					   first->flags, NULL);
	}
}

int reporter_aggregate(const struct bench_case *c, struct bench_row out[REPORTER_AGGREGATES])
{
	size_t n = (size_t)c->row_count;
	double *x;

	if (c->outcome != BENCH_DONE || n < 2)
		return 0;
	x = malloc(n * sizeof(*x));
	if (!x)
		return 0;
	for (int a = 0; a < REPORTER_AGGREGATES; a++) {
		struct bench_row *r = &out[a];

		*r = c->rows[0];
		r->aggregate = aggregates[a].name;
		r->iterations = (int64_t)n;
		r->counters.count = 0;
		for (size_t i = 0; i < n; i++)
			x[i] = c->rows[i].real_seconds;
		r->real_seconds = finite_or_zero(aggregates[a].of(x, n));
		for (size_t i = 0; i < n; i++)
			x[i] = c->rows[i].cpu_seconds;
		r->cpu_seconds = finite_or_zero(aggregates[a].of(x, n));
		aggregate_counters(c, x, aggregates[a].of, &r->counters);
	}
	free(x);
	return REPORTER_AGGREGATES;
}

/* ---- walking ---- */

static int each_of_case(const struct reporter_view *v, const struct bench_case *c,
			reporter_visit *visit, void *ctx, struct err *e)
{
	struct bench_row made[REPORTER_AGGREGATES];
	int count = v->aggregates ? reporter_aggregate(c, made) : 0, status = 0;

	/* a case with one row has no aggregates; leaving it out would lose it */
	if (v->rows || count == 0)
		for (int i = 0; i < c->row_count && status == 0; i++)
			status = visit(ctx, &c->rows[i], e);
	for (int i = 0; i < count && status == 0; i++)
		status = visit(ctx, &made[i], e);
	return status;
}

int reporter_each(const struct reporter_view *v, reporter_visit *visit, void *ctx, struct err *e)
{
	int status = 0;

	for (int i = 0; i < v->plan->count && status == 0; i++)
		if (v->plan->cases[i].outcome == BENCH_DONE)
			status = each_of_case(v, &v->plan->cases[i], visit, ctx, e);
	return status;
}

struct names {
	const char **at;
	int count;
};

static int collect_names(void *ctx, const struct bench_row *row, struct err *e)
{
	struct names *n = ctx;

	for (int k = 0; k < row->counters.count; k++) {
		const char **at;
		bool known = false;

		for (int i = 0; i < n->count && !known; i++)
			known = strcmp(n->at[i], row->counters.at[k].name) == 0;
		if (known)
			continue;
		at = realloc(n->at, (size_t)(n->count + 1) * sizeof(*at));
		if (!at)
			return err_set(e, ERR_MEMORY, "no memory for the names of counters");
		n->at = at;
		n->at[n->count++] = row->counters.at[k].name;
	}
	return 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int reporter_counter_names(const struct reporter_view *v, const char ***names, int *count,
			   struct err *e)
{
	struct reporter_view rows = *v;
	struct names n = { 0 };
	int status;

	/* aggregates live only while they are visited and have the counters of the rows */
	rows.rows = true;
	rows.aggregates = false;
	status = reporter_each(&rows, collect_names, &n, e);
	if (status) {
		free(n.at);
		return status;
	}
	if (n.count)
		qsort(n.at, (size_t)n.count, sizeof(*n.at), compare_texts);
	*names = n.at;
	*count = n.count;
	return 0;
}

int reporter_write(FILE *out, enum reporter_format format, const struct reporter_view *v,
		   struct err *e)
{
	struct reporter_console console;

	switch (format) {
	case REPORTER_JSON:
		return reporter_json(out, v, e);
	case REPORTER_CSV:
		return reporter_csv(out, v, e);
	case REPORTER_MARKDOWN:
		return reporter_markdown(out, v, e);
	case REPORTER_BMF:
		return reporter_bmf(out, v, e);
	default:
		break;
	}
	reporter_console_start(&console, out, v->plan, false, v->rows, v->aggregates);
	for (int i = 0; i < v->plan->count; i++)
		reporter_console_case(&console, &v->plan->cases[i]);
	return 0;
}
