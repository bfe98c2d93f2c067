/* The table that people know from Google Benchmark. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/reporter.h"
#include "harness/base/build.h"

enum { TIME_WIDTH = 13, ITERATIONS_WIDTH = 12, COUNTER_LEAST = 10 };

static void rule(const struct reporter_console *r, int width)
{
	for (int i = 0; i < width; i++)
		fputc('-', r->out);
	fputc('\n', r->out);
}

/* 1.5k, 23.4M, 1.2G; four significant digits. */
static void human(char *text, size_t size, double value)
{
	static const char prefix[] = "yzafpnum kMGTPEZY";
	const int unity = 8;
	double magnitude = fabs(value);
	int step = magnitude > 0 && isfinite(magnitude) ? (int)floor(log10(magnitude) / 3) : 0;

	/* small numbers are clearer as they are */
	if (magnitude >= 1e-3 && magnitude < 1e3)
		step = 0;
	step = step < -unity ? -unity : step > unity ? unity : step;
	if (step == 0)
		snprintf(text, size, "%.6g", value);
	else
		snprintf(text, size, "%.4g%c", value / pow(1000, step), prefix[unity + step]);
}

static void counter_text(char *text, size_t size, const struct bench_row *row,
			 const struct bench_counter_value *v)
{
	char number[40];

	if (row->aggregate && strcmp(row->aggregate, "cv") == 0) {
		snprintf(text, size, "%.2f%%", 100 * v->value);
		return;
	}
	/* a hash is for looking equal or not */
	if (strcmp(v->name, "output_hash") == 0 && !row->aggregate) {
		snprintf(text, size, "%013llx", (unsigned long long)v->value);
		return;
	}
	human(number, sizeof(number), v->value);
	snprintf(text, size, "%s%s", number, v->flags & BENCH_RATE ? "/s" : "");
}

static void time_text(char *text, size_t size, const struct bench_row *row, double seconds)
{
	double t = reporter_time(row, seconds);
	int digits = t < 1 ? 3 : t < 10 ? 2 : t < 100 ? 1 : 0;

	if (row->aggregate && strcmp(row->aggregate, "cv") == 0)
		snprintf(text, size, "%.2f %%", 100 * seconds);
	else
		snprintf(text, size, "%.*f %s", digits, t, bench_unit_name(row->unit));
}

static int column_width(const char *name)
{
	int length = (int)strlen(name);

	return (length > COUNTER_LEAST ? length : COUNTER_LEAST) + 1;
}

static void header(struct reporter_console *r, const struct bench_row *row)
{
	int width = r->width + 2 * TIME_WIDTH + ITERATIONS_WIDTH;

	r->column_count = r->tabular ? row->counters.count : 0;
	for (int i = 0; i < r->column_count; i++) {
		snprintf(r->columns[i], sizeof(r->columns[i]), "%s", row->counters.at[i].name);
		width += column_width(r->columns[i]);
	}
	if (!r->tabular && row->counters.count)
		width += (int)strlen(" UserCounters...");
	rule(r, width);
	fprintf(r->out, "%-*s%*s%*s%*s", r->width, "Benchmark", TIME_WIDTH, "Time", TIME_WIDTH,
		"CPU", ITERATIONS_WIDTH, "Iterations");
	for (int i = 0; i < r->column_count; i++)
		fprintf(r->out, "%*s", column_width(r->columns[i]), r->columns[i]);
	fputs(!r->tabular && row->counters.count ? " UserCounters...\n" : "\n", r->out);
	rule(r, width);
	r->started = true;
}

static bool same_columns(const struct reporter_console *r, const struct bench_row *row)
{
	if (!r->tabular)
		return true;
	if (r->column_count != row->counters.count)
		return false;
	for (int i = 0; i < r->column_count; i++)
		if (strcmp(r->columns[i], row->counters.at[i].name) != 0)
			return false;
	return true;
}

static void print_row(struct reporter_console *r, const struct bench_row *row)
{
	char name[BENCH_NAME + 16], real[48], cpu[48], text[64];

	if (!r->started || !same_columns(r, row))
		header(r, row);
	reporter_name(row, name, sizeof(name));
	time_text(real, sizeof(real), row, row->real_seconds);
	time_text(cpu, sizeof(cpu), row, row->cpu_seconds);
	fprintf(r->out, "%-*s%*s%*s%*lld", r->width, name, TIME_WIDTH, real, TIME_WIDTH, cpu,
		ITERATIONS_WIDTH, (long long)row->iterations);
	for (int i = 0; i < row->counters.count; i++) {
		const struct bench_counter_value *v = &row->counters.at[i];

		counter_text(text, sizeof(text), row, v);
		if (r->tabular)
			fprintf(r->out, "%*s", column_width(v->name), text);
		else
			fprintf(r->out, " %s=%s", v->name, text);
	}
	if (row->label[0] && !row->aggregate)
		fprintf(r->out, " %s", row->label);
	fputc('\n', r->out);
}

void reporter_console_start(struct reporter_console *r, FILE *out, const struct bench_plan *plan,
			    bool tabular, bool rows, bool aggregates)
{
	*r = (struct reporter_console){
		.out = out, .tabular = tabular, .rows = rows, .aggregates = aggregates, .width = 10
	};
	for (int i = 0; i < plan->count; i++) {
		int length = (int)strlen(plan->cases[i].name) +
			     (aggregates ? (int)strlen("_stddev") : 0);

		if (length > r->width)
			r->width = length;
	}
}

void reporter_console_case(struct reporter_console *r, const struct bench_case *c)
{
	struct bench_row made[REPORTER_AGGREGATES];
	int count = r->aggregates ? reporter_aggregate(c, made) : 0;

	if (c->outcome == BENCH_SKIPPED)
		fprintf(r->out, "%-*s SKIPPED: '%s'\n", r->width, c->name, c->message);
	if (c->outcome == BENCH_FAILED)
		fprintf(r->out, "%-*s ERROR OCCURRED: '%s'\n", r->width, c->name, c->message);
	if (c->outcome == BENCH_DONE) {
		if (r->rows || count == 0)
			for (int i = 0; i < c->row_count; i++)
				print_row(r, &c->rows[i]);
		for (int i = 0; i < count; i++)
			print_row(r, &made[i]);
	}
	fflush(r->out);
}

void reporter_console_context(FILE *out, const struct reporter_view *v)
{
	const struct environment *env = v->environment;
	const struct build_info *build = build_info();

	fprintf(out, "%s on %s: %d x %.0f MHz, %s\n", v->executable, env->machine, env->cpus_usable,
		env->cpu_mhz, env->cpu_model);
	for (int i = 0; i < env->gpu_count; i++)
		fprintf(out, "GPU %d: %s, driver %s\n", i, env->gpus[i].name, env->gpu_driver);
	fprintf(out, "Load average: %.2f, %.2f, %.2f; build %.12s%s, %s\n", env->load[0],
		env->load[1], env->load[2], build->revision, build->dirty ? " (changed)" : "",
		build->compiler);
	if (!build->optimised)
		fputs("***WARNING*** This is not an optimised build: times mean little.\n", out);
	if (env->cpu_scaling)
		fputs("***WARNING*** CPU frequency scaling is on: times may be noisy.\n", out);
}
