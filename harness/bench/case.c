/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct skip_kind skip_kinds[SKIP_REASONS] = {
	[SKIP_UNSUPPORTED] = { "unsupported", NULL },
	[SKIP_NEEDS_GPUS] = { "needs_gpus", "GPUs" },
	[SKIP_NEEDS_MEMORY] = { "needs_memory", "bytes" },
	[SKIP_TOO_LONG] = { "too_long", "s" },
	[SKIP_TAKES_HOURS] = { "takes_hours", "s" },
	[SKIP_TOO_LARGE_TO_SIMULATE] = { "too_large_to_simulate", NULL },
	[SKIP_SIMULATED] = { "simulated", NULL },
	[SKIP_FEWER_GPUS] = { "fewer_gpus", "GPUs" },
	[SKIP_DEVICE] = { "device", NULL },
	[SKIP_NOT_KEPT] = { "not_kept", NULL },
};

/* ---- units ---- */

const struct bench_unit_kind bench_units[BENCH_UNITS] = {
	[BENCH_NS] = { "ns", 1e9 },
	[BENCH_US] = { "us", 1e6 },
	[BENCH_MS] = { "ms", 1e3 },
	[BENCH_S] = { "s", 1 },
};

int bench_unit_parse(void *unit, const char *text, struct err *e)
{
	for (int i = 0; i < BENCH_UNITS; i++)
		if (strcmp(text, bench_units[i].name) == 0) {
			*(enum bench_unit *)unit = (enum bench_unit)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is not one of ns, us, ms, s", text);
}

/* ---- counters ---- */

/* Fields of a row, which a counter would shadow, and names with a meaning to consumers. */
static bool is_reserved(const char *name)
{
	static const char *const reserved[] = {
		"name",
		"run_name",
		"run_type",
		"family_index",
		"per_family_instance_index",
		"repetitions",
		"repetition_index",
		"threads",
		"iterations",
		"real_time",
		"cpu_time",
		"time_unit",
		"aggregate_name",
		"aggregate_unit",
		"label",
		"error_occurred",
		"error_message",
		"skipped",
		"skip_message",
		"skip_reason",
		"skip_needed",
		"skip_available",
		"skip_unit",
		"big_o",
		"rms",
		"size",
		"self",
	};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (strcmp(name, reserved[i]) == 0)
			return true;
	return false;
}

static bool is_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return length > 0 && name[length] == '\0' &&
	       length < sizeof((struct bench_counter_value *)0)->name && !is_reserved(name);
}

int bench_counters_set(struct bench_counters *s, const char *name, double value, unsigned flags,
		       struct err *e)
{
	struct bench_counter_value *v = NULL;

	if (!is_name(name))
		return err_set(e, ERR_FAILED, "counter name '%s' is not allowed", name);
	for (int i = 0; i < s->count; i++)
		if (strcmp(s->at[i].name, name) == 0)
			v = &s->at[i];
	if (!v) {
		if (s->count == BENCH_COUNTERS)
			return err_set(e, ERR_FAILED, "more than %d counters", BENCH_COUNTERS);
		v = &s->at[s->count++];
		*v = (struct bench_counter_value){ 0 };
		snprintf(v->name, sizeof(v->name), "%s", name);
	}
	v->value = value;
	v->flags = flags;
	v->sum += value;
	v->values++;
	return 0;
}

void bench_counters_restart(struct bench_counters *s)
{
	for (int i = 0; i < s->count; i++) {
		s->at[i].sum = 0;
		s->at[i].values = 0;
	}
}

const struct bench_counter_value *bench_counters_get(const struct bench_counters *s,
						     const char *name)
{
	for (int i = 0; i < s->count; i++)
		if (strcmp(s->at[i].name, name) == 0)
			return &s->at[i];
	return NULL;
}

int bench_counters_finish(struct bench_counters *s, double seconds, int64_t iterations,
			  struct err *e)
{
	for (int i = 0; i < s->count; i++) {
		struct bench_counter_value *v = &s->at[i];
		double value = v->value;

		if (v->flags & BENCH_MEAN && v->values > 0)
			value = v->sum / (double)v->values;
		if ((v->flags & BENCH_TOTAL_RATE) == BENCH_TOTAL_RATE)
			value *= (double)iterations;
		if (v->flags & BENCH_PER_ITERATION)
			value /= (double)iterations;
		if (v->flags & BENCH_RATE)
			value /= seconds;
		if (v->flags & BENCH_INVERT)
			value = 1 / value;
		if (!isfinite(value))
			return err_set(e, ERR_FAILED, "counter %s is not a finite number", v->name);
		v->value = value;
		v->flags &= BENCH_RATE;
	}
	return 0;
}

/* ---- cases and rows ---- */

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

int bench_case_add_row(struct bench_case *c, const struct bench_row *row, struct err *e)
{
	if (c->row_count == c->row_capacity) {
		int capacity = c->row_capacity ? 2 * c->row_capacity : 4;
		struct bench_row *rows = realloc(c->rows, (size_t)capacity * sizeof(*rows));

		if (!rows)
			return err_set(e, ERR_MEMORY, "out of memory for the rows of %s", c->name);
		c->rows = rows;
		c->row_capacity = capacity;
	}
	c->rows[c->row_count++] = *row;
	return 0;
}

void bench_row_energy(struct bench_row *row, const struct energy_reading *r, bool device)
{
	double n = (double)row->iterations;

	if (device && r->gpu_known)
		bench_counters_set(&row->counters, "joules", r->gpu_joules / n, 0, NULL);
	if (r->cpu_known)
		bench_counters_set(&row->counters, device ? "cpu_joules" : "joules",
				   r->cpu_joules / n, 0, NULL);
	if (device && r->clock_known) {
		bench_counters_set(&row->counters, "sm_clock_mhz", r->sm_clock_mhz, 0, NULL);
		bench_counters_set(&row->counters, "sm_clock_low", energy_clock_low(r), 0, NULL);
		bench_counters_set(&row->counters, "throttle_reasons", (double)r->throttle, 0,
				   NULL);
	}
}

/* ---- what a benchmark calls: bench.h ---- */

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

const struct bench_setting *bench_setting(const struct bench_case *c)
{
	return c->setting;
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

static int need_gpus(struct bench_case *c, int64_t count, struct err *e)
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

void *bench_new_data(struct bench_case *c, size_t bytes, struct err *e)
{
	c->data = calloc(1, bytes);
	if (!c->data)
		err_set(e, ERR_MEMORY, "out of memory");
	return c->data;
}

void *bench_data(const struct bench_case *c)
{
	return c->data;
}

/* Keeps the first misuse; the runner then fails the case. */
static void misuse(struct bench_case *c, const struct err *e)
{
	if (c->misuse.code == 0)
		c->misuse = *e;
}

void bench_set_seconds(struct bench_case *c, double seconds)
{
	struct err e;

	if (!isfinite(seconds) || seconds < 0) {
		err_set(&e, ERR_FAILED, "bench_set_seconds(%g): not a valid time", seconds);
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

void bench_demands_clear(struct bench_case *c)
{
	c->bound_seconds = c->operations = c->bytes = 0;
	c->bound_limit = c->operations_rate = c->bytes_rate = PEAKS;
}

static bool is_memory(enum peak rate)
{
	return rate == PEAK_GPU_COPY || rate == PEAK_CPU_COPY || rate == PEAK_CPU_COPY_1;
}

void bench_least_demands(struct bench_case *c, const struct peak_demand *demand, size_t count)
{
	bench_demands_clear(c);
	c->bound_seconds = peaks_lower_bound(c->setting->peaks, demand, count, &c->bound_limit);
}

void bench_demands(struct bench_case *c, const struct peak_demand *demand, size_t count)
{
	bench_least_demands(c, demand, count);
	for (size_t i = 0; i < count; i++) {
		enum peak rate = demand[i].what;

		if (!(demand[i].amount > 0))
			continue;
		if (c->operations_rate == PEAKS && strcmp(peaks_unit(rate), "op/s") == 0) {
			c->operations = demand[i].amount;
			c->operations_rate = rate;
		} else if (c->bytes_rate == PEAKS && is_memory(rate)) {
			c->bytes = demand[i].amount;
			c->bytes_rate = rate;
		}
	}
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

/* ---- the axes `variant` and `gpus` ---- */

enum solve_variant bench_variant(const struct bench_case *c)
{
	enum solve_variant v = SOLVE_SERIAL;

	solve_variant_from(bench_text(c, "variant"), &v);
	return v;
}

bool bench_uses_device(const struct bench_case *c)
{
	return bench_variant(c) >= SOLVE_PUBLISHED;
}

bool bench_gpus_fit(const struct bench_case *c)
{
	return (bench_int(c, "gpus") > 0) == bench_uses_device(c);
}

int bench_need_machine(struct bench_case *c, int64_t gpus, bool too_large_to_simulate,
		       struct err *e)
{
	int status = need_gpus(c, gpus, e);

	if (status)
		return status;
	if (gpus > 0 && too_large_to_simulate && c->setting->devices.backend == DEV_SIM)
		return bench_skip(c, (struct skip){ .reason = SKIP_TOO_LARGE_TO_SIMULATE }, e,
				  "too large to simulate");
	return 0;
}

int bench_need_time(struct bench_case *c, double seconds, struct err *e)
{
	const double hour = 3600, most = 2 * hour;

	if (seconds <= most)
		return 0;
	return bench_skip(c, (struct skip){ SKIP_TAKES_HOURS, seconds, most }, e,
			  "would take about %.0f hours on this machine", seconds / hour);
}

void bench_measures(struct bench_case *c, const struct measure *m, int count)
{
	for (int i = 0; i < count; i++)
		bench_counter(c, m[i].name, m[i].value, m[i].seconds ? BENCH_MEAN : BENCH_COUNT);
}
