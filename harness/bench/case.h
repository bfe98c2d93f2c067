/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A benchmark case, its counters and its rows. Internal to harness/bench: plan, runner, journal and
 * reporters share these structs. Targets include bench.h only. */
#ifndef COPRA_BENCH_CASE_H
#define COPRA_BENCH_CASE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/bench/bench.h"
#include "harness/machine/energy.h"
#include "harness/machine/peaks.h"

enum {
	BENCH_AXES = 12,     /* parameters of one benchmark */
	BENCH_COUNTERS = 56, /* counters of one row */
	BENCH_NAME = 256,
	BENCH_LABEL = 256,
};

/* ---- counters ---- */

struct bench_counter_value {
	char name[40];
	double value;
	/* enum bench_counter_flag; after bench_counters_finish() only BENCH_RATE can be set */
	unsigned flags;
	double sum; /* BENCH_MEAN: of the values set since bench_counters_restart() */
	int64_t values;
};
struct bench_counters {
	struct bench_counter_value at[BENCH_COUNTERS];
	int count;
};
/* ERR_FAILED for a name that is not allowed and for more than BENCH_COUNTERS counters. */
int bench_counters_set(struct bench_counters *s, const char *name, double value, unsigned flags,
		       struct err *e);
/* Starts new means; called before the iterations of each repetition. */
void bench_counters_restart(struct bench_counters *s);
/* NULL if there is no such counter. */
const struct bench_counter_value *bench_counters_get(const struct bench_counters *s,
						     const char *name);
/* Applies the flags, given the seconds and iterations of the repetition. ERR_FAILED names the first
 * value that is not finite. */
int bench_counters_finish(struct bench_counters *s, double seconds, int64_t iterations,
			  struct err *e);

/* ---- rows: what reporters write ---- */

enum bench_unit { BENCH_NS, BENCH_US, BENCH_MS, BENCH_S, BENCH_UNITS };
struct bench_unit_kind {
	const char *name;  /* "ns" */
	double per_second; /* 1e9 */
};
extern const struct bench_unit_kind bench_units[BENCH_UNITS];
/* Parses "ns", "us", "ms" or "s" into an enum bench_unit. ERR_USAGE. */
int bench_unit_parse(void *unit, const char *text, struct err *e);

/* One repetition of one case, or one aggregate over the repetitions of a case. */
/* What a row was measured with. */
struct bench_provenance {
	char revision[48]; /* the commit, with + if there were changes, or "unknown" */
	char host[20];     /* the hash of the host's name, or "" */
	char date[40];     /* of its measurement, as in the context, or "" */
};

struct bench_row {
	const char *run_name;  /* owned by the plan */
	const char *aggregate; /* NULL, or "mean", "median", "stddev", "cv", "min" */
	int family_index, instance_index;
	int64_t repetitions, repetition_index;
	int64_t threads, iterations;
	double real_seconds, cpu_seconds; /* per iteration; for "cv" the plain ratio */
	enum bench_unit unit;             /* in which the times are shown */
	struct bench_counters counters;
	struct bench_provenance from;
	char label[BENCH_LABEL];
};

/* ---- cases ---- */

enum bench_outcome {
	BENCH_PENDING,
	BENCH_DONE,
	BENCH_SKIPPED, /* see `skip` and `message` */
	BENCH_FAILED,  /* a wrong answer or an error: see `message` */
};

struct bench_parameter {
	int64_t number;
	const char *text; /* owned by the plan, or static */
};

struct bench_case {
	const struct bench *bench;
	const struct bench_setting *setting;
	char name[BENCH_NAME];
	int family_index, instance_index;
	int axis_count;
	struct bench_parameter parameters[BENCH_AXES];
	int rank, repetitions; /* of --copra_rows; 0: not given */
	bool manual;
	enum bench_unit unit;

	/* Used while the case runs. */
	void *data;
	bool ready;            /* set up and not yet torn down */
	int gpus;              /* the count given to bench_need_machine(); 0: not called */
	double manual_seconds; /* of this iteration; < 0 before bench_set_seconds() */
	struct bench_counters counters;
	char label[BENCH_LABEL];
	double work, bound_seconds, operations, bytes; /* 0 when not set */
	char work_unit[32];
	enum peak bound_limit, operations_rate, bytes_rate; /* PEAKS when not set */
	struct err misuse; /* the first wrong call of bench.h; code 0: none */

	/* Its results. */
	enum bench_outcome outcome;
	struct skip skip; /* why it was skipped */
	char message[512];
	struct bench_row *rows; /* one per repetition */
	int row_count, row_capacity;
	int stored;         /* rows that the journal has */
	int64_t iterations; /* chosen in the first repetition; 0 before */
	bool from_journal;
	bool left_out; /* skipped because it exceeds --copra_longest */
};

/* NULL if the case has no such axis. */
const struct bench_parameter *bench_parameter(const struct bench_case *c, const char *axis,
					      enum bench_axis_type type);
/* Appends a copy of the row. ERR_MEMORY. */
/* Forgets the demands of the last iteration. */
void bench_demands_clear(struct bench_case *c);
int bench_case_add_row(struct bench_case *c, const struct bench_row *row, struct err *e);
/* Adds the energy of a repetition as counters per iteration, as far as it is known. In a row of a
 * device case (`device`) `joules` is the energy of the GPUs and `cpu_joules` that of the processor,
 * and the row has the clock, a flag for a low clock (energy.h) and the throttle reasons. In other
 * rows `joules` is the energy of the processor. */
void bench_row_energy(struct bench_row *row, const struct energy_reading *r, bool device);

#endif
