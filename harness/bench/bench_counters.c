#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/bench/bench_run.h"

/* Fields of a row that a counter would shadow or that consumers give a meaning of their own. */
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
	v->told++;
	return 0;
}

void bench_counters_restart(struct bench_counters *s)
{
	for (int i = 0; i < s->count; i++) {
		s->at[i].sum = 0;
		s->at[i].told = 0;
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

		if (v->flags & BENCH_MEAN && v->told > 0)
			value = v->sum / (double)v->told;
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
