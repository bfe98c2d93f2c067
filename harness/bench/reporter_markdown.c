#include <stdlib.h>

#include "harness/bench/reporter.h"

struct table {
	FILE *out;
	const char **names;
	int count;
};

/* A bar would end the cell. */
static void cell(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, *text == '|' ? "\\%c" : "%c", *text == '\n' ? ' ' : *text);
}

static int write_row(void *ctx, const struct bench_row *row, struct err *e)
{
	struct table *t = ctx;
	char name[BENCH_NAME + 16];

	(void)e;
	reporter_name(row, name, sizeof(name));
	fputs("| ", t->out);
	cell(t->out, name);
	fprintf(t->out, " | %.6g | %.6g | %s | %lld |", reporter_time(row, row->real_seconds),
		reporter_time(row, row->cpu_seconds), bench_unit_name(row->unit),
		(long long)row->iterations);
	for (int i = 0; i < t->count; i++) {
		const struct bench_counter_value *v =
			bench_counters_get(&row->counters, t->names[i]);

		if (v)
			fprintf(t->out, " %.6g |", v->value);
		else
			fputs(" |", t->out);
	}
	fputc(' ', t->out);
	cell(t->out, row->label);
	fputs(" |\n", t->out);
	return 0;
}

int reporter_markdown(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct table t = { .out = out };
	int status = reporter_counter_names(v, &t.names, &t.count, e);

	if (status)
		return status;
	fputs("| benchmark | time | cpu | unit | iterations |", out);
	for (int i = 0; i < t.count; i++)
		fprintf(out, " %s |", t.names[i]);
	fputs(" label |\n|---|--:|--:|---|--:|", out);
	for (int i = 0; i < t.count; i++)
		fputs("--:|", out);
	fputs("---|\n", out);
	status = reporter_each(v, write_row, &t, e);
	free(t.names);
	return status;
}
