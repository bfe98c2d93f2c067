/* Benchmarks: registration, parameter axes, and what a benchmark may tell the runner.
 *
 * An experiment of a paper (a table, a figure) is one `struct bench` registered by macro from any
 * file of a target; the runner expands its axes into cases, filters them by name, sets each up,
 * times it, has its answer checked outside the timed region and hands rows to the reporters.
 *
 *     static const struct bench_axis axes[] = {
 *         BENCH_AXIS_TEXT("variant", BENCH_TEXTS("serial", "cpu"), BENCH_SAME, BENCH_SAME),
 *         BENCH_AXIS_INT("n", BENCH_INTS(100), BENCH_INTS(10000), BENCH_INTS(10000, 20000)),
 *         BENCH_AXIS_END };
 *     BENCHMARK(table1) = { .name = "dp-knapsack/table1", .axes = axes, .setup = ..., .run = ...,
 *                           .check = ..., .teardown = ... };
 *
 * A case is named <name>/<value of each bare axis>/<param>:<value>...[/manual_time], in axis order:
 * dp-knapsack/table1/boyer/published/form:item/n:10000/seed:1/gpus:2/manual_time. */
#ifndef COPRA_BENCH_BENCH_H
#define COPRA_BENCH_BENCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"
#include "harness/bench/skip.h"

enum bench_scale { BENCH_SMOKE, BENCH_QUICK, BENCH_PAPER, BENCH_SCALES };

enum bench_axis_type { BENCH_INT = 1, BENCH_TEXT };

/* The values of one scale; count 0 means those of the next smaller scale. */
struct bench_values {
	const int64_t *ints;
	const char *const *texts;
	int count;
};

/* One parameter. On the command line --copra_axis=name=v1,v2 replaces the values of every axis of
 * that name; integers also accept a range first:last:step. A number may be negative or 0. */
struct bench_axis {
	const char *name;
	enum bench_axis_type type;
	bool bare; /* show "value", not "name:value", in the benchmark's name */
	struct bench_values values[BENCH_SCALES];
};

#define BENCH_INTS(...)                                                                            \
	{                                                                                          \
		.ints = (const int64_t[]){ __VA_ARGS__ },                                          \
		.count = (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))         \
	}
#define BENCH_TEXTS(...)                                                                           \
	{                                                                                          \
		.texts = (const char *const[]){ __VA_ARGS__ },                                     \
		.count = (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))      \
	}
#define BENCH_SAME                                                                                 \
	{                                                                                          \
		.count = 0                                                                         \
	} /* as at the next smaller scale */

/* An integer shown as name:value; a text shown as value; a text shown as name:value. */
#define BENCH_AXIS_INT(axis_name, smoke_, quick_, paper_)                                          \
	{                                                                                          \
		.name = axis_name, .type = BENCH_INT, .values = { smoke_, quick_, paper_ }         \
	}
#define BENCH_AXIS_TEXT(axis_name, smoke_, quick_, paper_)                                         \
	{                                                                                          \
		.name = axis_name, .type = BENCH_TEXT, .bare = true, .values = {                   \
			smoke_,                                                                    \
			quick_,                                                                    \
			paper_                                                                     \
		}                                                                                  \
	}
#define BENCH_AXIS_NAMED(axis_name, smoke_, quick_, paper_)                                        \
	{                                                                                          \
		.name = axis_name, .type = BENCH_TEXT, .values = { smoke_, quick_, paper_ }        \
	}
#define BENCH_AXIS_END                                                                             \
	{                                                                                          \
		.name = NULL                                                                       \
	}

const char *bench_scale_name(enum bench_scale s); /* "smoke", "quick", "paper" */

struct bench_case; /* one point of the product of the axes, while it runs; opaque */

/* Values of the case's parameters. Asking for an axis that is not there is a programming error
 * and aborts. */
int64_t bench_int(const struct bench_case *c, const char *axis);
const char *bench_text(const struct bench_case *c, const char *axis);
enum bench_scale bench_scale(const struct bench_case *c);

/* The devices this process was told to use (--device); count 0 when none. Valid until exit. */
const struct dev_set *bench_devices(const struct bench_case *c);
/* Skips the case: sets the reason with its numbers and the message, and returns ERR_UNSUPPORTED,
 * which setup() then returns. */
int bench_skip(struct bench_case *c, struct skip why, struct err *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* For setup() of a case that needs `count` GPUs, real or simulated: 0, or skips the case ("needs 4
 * GPUs, 1 given", "no NVIDIA driver"). Energy and clocks of its rows are those of the first
 * `count`. */
int bench_need_gpus(struct bench_case *c, int64_t count, struct err *e);
/* Becomes non-zero when the process should stop (SIGINT, SIGTERM): run() may return ERR_LIMIT. */
const volatile sig_atomic_t *bench_stop(const struct bench_case *c);
int bench_threads(const struct bench_case *c); /* --threads, default: all usable cores */

/* The target's own state of the case, set in setup, freed in teardown. bench_new_data: so many
 * bytes of zeros from the heap, already set; NULL: e has ERR_MEMORY. */
void bench_set_data(struct bench_case *c, void *data);
void *bench_new_data(struct bench_case *c, size_t bytes, struct err *e);
void *bench_data(const struct bench_case *c);

/* For benches with manual_time: the seconds of this iteration (device events, or a measured part
 * that the label explains). Must be called once in every run(). */
void bench_set_seconds(struct bench_case *c, double seconds);

enum bench_counter_flag {
	BENCH_COUNT = 0,
	BENCH_RATE = 1,          /* divided by the time of the repetition, in seconds */
	BENCH_PER_ITERATION = 2, /* divided by iterations */
	BENCH_INVERT = 4,        /* 1/x at the end */
	BENCH_TOTAL_RATE =
		BENCH_RATE | 8, /* value is per iteration: multiplied by iterations first */
	BENCH_MEAN = 16,        /* mean over the iterations of the repetition, as its time is; told
				   once in every run() */
};
/* A flat numeric counter in the row, told in setup(), run() or check(). Names are [a-z0-9_]+ and
 * not those of a row's own fields; setting again replaces, so that the last iteration's counts (but
 * see BENCH_MEAN). A value that is not finite turns the case into an error. */
void bench_counter(struct bench_case *c, const char *name, double value, unsigned flags);

/* The work of one iteration (cell updates, nodes, generations): written as counter `work` with the
 * unit in the label, and its rate as `<unit>_per_second`. `unit` is a counter name: "cells". */
void bench_work(struct bench_case *c, double amount, const char *unit);
/* Least seconds this work can take on this machine, from its measured peak rates (peaks.h):
 * written as floor_seconds, and floor_ratio = measured / floor (1 is perfect). */
void bench_lower_bound(struct bench_case *c, double seconds, const char *limited_by);
/* Hash of the output: written as output_hash (its low 52 bits, exact in a double). */
void bench_output_hash(struct bench_case *c, uint64_t hash);
void bench_label(struct bench_case *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The peak rates of this machine, or NULL if they were not measured. See peaks.h. */
struct peaks;
const struct peaks *bench_peaks(const struct bench_case *c);

struct bench {
	const char *name;              /* "<target>/<experiment>" */
	const struct bench_axis *axes; /* ended by BENCH_AXIS_END */
	const char *summary;           /* one line for `list` */
	bool manual_time;              /* default for all its cases; or decided by: */
	bool (*is_manual)(const struct bench_case *c); /* optional */
	/* Optional. Combinations that make no sense (serial with gpus:2) return false and do not
	 * exist at all. Must depend on the axes alone, not on the machine. */
	bool (*exists)(const struct bench_case *c);
	/* Optional, not timed; once a case, or once a repetition where repetitions of several cases
	 * are interleaved. ERR_UNSUPPORTED or ERR_DEVICE skips the case with the text as the
	 * reason; any other error fails it. teardown is called only after a successful setup. */
	int (*setup)(struct bench_case *c, struct err *e);
	/* One iteration, timed. */
	int (*run)(struct bench_case *c, struct err *e);
	/* Not timed; after each repetition, on the answer of its last iteration. Mandatory: a case
	 * without an oracle cannot be registered. An error here removes the row and makes the
	 * process exit 1. */
	int (*check)(struct bench_case *c, struct err *e);
	void (*teardown)(struct bench_case *c);
	/* Optional. Does the case run kernels on a device? Then with --device=sim it is run once
	 * and checked, and reported as skipped ("simulated: answer correct, no time taken"); its
	 * row carries clocks and energy on cuda. */
	bool (*uses_device)(const struct bench_case *c);
	/* Optional: predicted seconds of one iteration on this machine, set-up and check included,
	 * for --copra_estimate. */
	double (*estimate)(const struct bench_case *c);
	/* Shown in "ns", "us", "ms" or "s" where the command line does not say; NULL = "ns". */
	const char *unit;
	/* Repetitions where the command line gives none; 0 = 1. */
	int repetitions[BENCH_SCALES];
	/* Least seconds of a repetition where the command line gives none; 0 = its default, 0.5. */
	double min_time[BENCH_SCALES];
};

void bench_register(const struct bench *b);

#define BENCHMARK(id)                                                                              \
	static const struct bench bench_def_##id;                                                  \
	__attribute__((constructor)) static void bench_register_##id(void)                         \
	{                                                                                          \
		bench_register(&bench_def_##id);                                                   \
	}                                                                                          \
	static const struct bench bench_def_##id

/* ---- the program around it ---- */

struct solve_spec; /* solve.h */

/* A sub-command of one target alone. */
struct subcommand {
	const char *name;    /* "size" */
	const char *summary; /* one line for --help */
	/* argv[0] is the first argument after the name; returns the exit code. Knows --help. */
	int (*run)(int argc, char **argv);
};

struct target {
	const char *name;    /* "dp-knapsack" */
	const char *summary; /* one line */
	const struct solve_spec *solve;
	/* `list`: instances and variants, to stdout, after the experiments; may be NULL. */
	int (*list)(struct err *e);
	const struct subcommand *commands; /* ended by a NULL name; may be NULL */
};

/* main() of a target: `bench` (default), `solve`, `list`, its own, --help. Returns the exit code.
 */
int copra_main(int argc, char **argv, const struct target *t);

#endif
