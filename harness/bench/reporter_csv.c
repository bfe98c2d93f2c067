/* Google Benchmark's CSV columns; counters of all rows follow, empty where a row has none. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench/reporter.h"

struct csv {
	FILE *out;
	const char **names;
	int count;
};

static void quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void number(FILE *out, double value)
{
	char text[64];

	jw_format_double(text, sizeof(text), value);
	fputs(text, out);
}

static void counter(FILE *out, const struct bench_row *row, const char *name)
{
	const struct bench_counter_value *v = bench_counters_get(&row->counters, name);

	fputc(',', out);
	if (v)
		number(out, v->value);
}

static int write_row(void *ctx, const struct bench_row *row, struct err *e)
{
	struct csv *c = ctx;
	char name[BENCH_NAME + 16];

	(void)e;
	reporter_name(row, name, sizeof(name));
	quoted(c->out, name);
	fprintf(c->out, ",%lld,", (long long)row->iterations);
	number(c->out, reporter_time(row, row->real_seconds));
	fputc(',', c->out);
	number(c->out, reporter_time(row, row->cpu_seconds));
	fprintf(c->out, ",%s", bench_unit_name(row->unit));
	counter(c->out, row, "bytes_per_second");
	counter(c->out, row, "items_per_second");
	fputc(',', c->out);
	if (row->label[0])
		quoted(c->out, row->label);
	fputs(",,", c->out); /* error_occurred, error_message: such cases are not here */
	for (int i = 0; i < c->count; i++)
		counter(c->out, row, c->names[i]);
	fputc('\n', c->out);
	return 0;
}

/* The two that have columns of their own. */
static void drop_standard(struct csv *c)
{
	int kept = 0;

	for (int i = 0; i < c->count; i++)
		if (strcmp(c->names[i], "bytes_per_second") != 0 &&
		    strcmp(c->names[i], "items_per_second") != 0)
			c->names[kept++] = c->names[i];
	c->count = kept;
}

int reporter_csv(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct csv c = { .out = out };
	int status = reporter_counter_names(v, &c.names, &c.count, e);

	if (status)
		return status;
	drop_standard(&c);
	fputs("name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,"
	      "label,error_occurred,error_message",
	      out);
	for (int i = 0; i < c.count; i++) {
		fputc(',', out);
		quoted(out, c.names[i]);
	}
	fputc('\n', out);
	status = reporter_each(v, write_row, &c, e);
	free(c.names);
	return status;
}
