/* What a benchmark may ask and tell: the functions of bench.h that take a case. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench_run.h"

const struct bench_parameter *bench_parameter(const struct bench_case *c, const char *axis,
					      enum bench_axis_type type)
{
	for (int i = 0; i < c->axis_count; i++) {
		const struct bench_axis *a = &c->bench->axes[i];

		if (strcmp(a->name, axis) == 0 && a->type == type)
			return &c->parameters[i];
	}
	return NULL;
}

static const struct bench_parameter *parameter(const struct bench_case *c, const char *axis,
					       enum bench_axis_type type)
{
	const struct bench_parameter *p = bench_parameter(c, axis, type);

	if (p)
		return p;
	fprintf(stderr, "benchmark %s has no %s axis '%s'\n", c->bench->name,
		type == BENCH_INT ? "integer" : "text", axis);
	abort();
}

int64_t bench_int(const struct bench_case *c, const char *axis)
{
	return parameter(c, axis, BENCH_INT)->number;
}

const char *bench_text(const struct bench_case *c, const char *axis)
{
	return parameter(c, axis, BENCH_TEXT)->text;
}

enum bench_scale bench_scale(const struct bench_case *c)
{
	return c->setting->scale;
}

const struct dev_set *bench_devices(const struct bench_case *c)
{
	return &c->setting->devices;
}

int bench_skip(struct bench_case *c, struct skip why, struct err *e, const char *format, ...)
{
	char text[512];
	va_list args;

	c->skip = why;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_set(e, ERR_UNSUPPORTED, "%s", text);
}

int bench_need_gpus(struct bench_case *c, int64_t count, struct err *e)
{
	const struct bench_setting *s = c->setting;

	if (count <= s->devices.count) {
		c->gpus = (int)count;
		return 0;
	}
	struct skip why = { SKIP_NEEDS_GPUS, (double)count, s->devices.count };
	if (s->devices.count == 0)
		return bench_skip(c, why, e, "needs %lld GPU%s: %s", (long long)count,
				  count == 1 ? "" : "s",
				  s->no_device ? s->no_device : "none given");
	return bench_skip(c, why, e, "needs %lld GPUs, %d given", (long long)count,
			  s->devices.count);
}

const volatile sig_atomic_t *bench_stop(const struct bench_case *c)
{
	return c->setting->stop;
}

int bench_threads(const struct bench_case *c)
{
	return c->setting->threads;
}

const struct peaks *bench_peaks(const struct bench_case *c)
{
	return c->setting->peaks;
}

void bench_set_data(struct bench_case *c, void *data)
{
	c->data = data;
}

void *bench_new_data(struct bench_case *c, size_t bytes, struct err *e)
{
	c->data = calloc(1, bytes);
	if (!c->data)
		err_set(e, ERR_MEMORY, "no memory for the case");
	return c->data;
}

void *bench_data(const struct bench_case *c)
{
	return c->data;
}

/* Keeps the first misuse; the runner turns it into the failure of the case. */
static void misuse(struct bench_case *c, const struct err *e)
{
	if (c->misuse.code == 0)
		c->misuse = *e;
}

void bench_set_seconds(struct bench_case *c, double seconds)
{
	struct err e;

	if (!isfinite(seconds) || seconds < 0) {
		err_set(&e, ERR_FAILED, "bench_set_seconds(%g): not a time", seconds);
		misuse(c, &e);
		return;
	}
	c->manual_seconds = seconds;
}

void bench_counter(struct bench_case *c, const char *name, double value, unsigned flags)
{
	struct err e;

	if (bench_counters_set(&c->counters, name, value, flags, &e))
		misuse(c, &e);
}

void bench_work(struct bench_case *c, double amount, const char *unit)
{
	c->work = amount;
	snprintf(c->work_unit, sizeof(c->work_unit), "%s", unit);
}

void bench_lower_bound(struct bench_case *c, double seconds, const char *limited_by)
{
	c->floor_seconds = seconds;
	snprintf(c->floor_limit, sizeof(c->floor_limit), "%s", limited_by ? limited_by : "");
}

void bench_output_hash(struct bench_case *c, uint64_t hash)
{
	bench_counter(c, "output_hash", (double)(hash & ((UINT64_C(1) << 52) - 1)), BENCH_COUNT);
}

void bench_label(struct bench_case *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->label, sizeof(c->label), format, args);
	va_end(args);
}

int bench_case_add_row(struct bench_case *c, const struct bench_row *row, struct err *e)
{
	if (c->row_count == c->row_capacity) {
		int capacity = c->row_capacity ? 2 * c->row_capacity : 4;
		struct bench_row *rows = realloc(c->rows, (size_t)capacity * sizeof(*rows));

		if (!rows)
			return err_set(e, ERR_MEMORY, "no memory for the rows of %s", c->name);
		c->rows = rows;
		c->row_capacity = capacity;
	}
	c->rows[c->row_count++] = *row;
	return 0;
}
