/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Benchmarks: registration, parameter axes, and the functions that a running benchmark calls.
 *
 * An experiment of a paper (a table or a figure) is one `struct bench`, registered by a macro in
 * any file of a target. The runner expands its axes into cases and selects cases by name. For each
 * case it calls setup(), times run(), verifies the answer with check() outside the timed region,
 * and passes the rows to the reporters.
 *
 *     static const struct bench_axis axes[] = {
 *         BENCH_AXIS_TEXT("variant", BENCH_TEXTS("serial", "cpu"), BENCH_SAME, BENCH_SAME),
 *         BENCH_AXIS_INT("n", BENCH_INTS(100), BENCH_INTS(10000), BENCH_INTS(10000, 20000)),
 *         BENCH_AXIS_END };
 *     BENCHMARK(table1) = { .name = "dp-knapsack/table1", .axes = axes, .setup = ..., .run = ...,
 *                           .check = ..., .teardown = ... };
 *
 * A case is named <name>/<value of each bare axis>/<param>:<value>...[/manual_time], in axis order:
 * dp-knapsack/table1/boyer/published/form:item/n:10000/seed:1/gpus:2/manual_time. On several ranks
 * /nodes:<machines>/ranks:<processes> follows the axes; gpus is then the number of each rank. */
#ifndef COPRA_BENCH_BENCH_H
#define COPRA_BENCH_BENCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/bench/solve.h"
#include "harness/device/device.h"
#include "harness/machine/perf.h"

/* Why a benchmark case was skipped: a reason from a fixed list, with its two numbers. The runner
 * writes it to *.skipped.json as `skip_reason`, and, for reasons that have numbers, `skip_needed`,
 * `skip_available` and `skip_unit`. The message beside it is for people only; no program reads it.
 */
enum skip_reason {
	SKIP_UNSUPPORTED,  /* see the message */
	SKIP_NEEDS_GPUS,   /* needed, available: GPUs */
	SKIP_NEEDS_MEMORY, /* needed, available: bytes, of one device or of the host */
	SKIP_TOO_LONG,     /* needed: predicted seconds; available: --copra_longest */
	SKIP_TAKES_HOURS,  /* needed: predicted seconds; available: the experiment's own limit */
	SKIP_TOO_LARGE_TO_SIMULATE,
	SKIP_SIMULATED,  /* ran on `sim` with a correct answer; its time means nothing */
	SKIP_FEWER_GPUS, /* needed, available: GPUs; the experiment uses more of them here */
	SKIP_DEVICE,     /* a device failed or is missing */
	SKIP_NOT_KEPT,   /* measured, but the measurement was rejected afterwards */
	SKIP_REASONS
};

struct skip {
	enum skip_reason reason;
	double needed, available; /* 0 for a reason without numbers */
};

/* For each reason its name, the value of `skip_reason` ("needs_gpus"), and the unit of its numbers
 * ("GPUs", "bytes", "s"; NULL for a reason without numbers). */
struct skip_kind {
	const char *name, *unit;
};
extern const struct skip_kind skip_kinds[SKIP_REASONS];

enum bench_scale { BENCH_SMOKE, BENCH_QUICK, BENCH_PAPER, BENCH_SCALES };

enum bench_axis_type { BENCH_INT = 1, BENCH_TEXT };

/* The values of one scale. A count of 0 means the values of the next smaller scale. */
struct bench_values {
	const int64_t *ints;
	const char *const *texts;
	int count;
};

/* One parameter. On the command line, --copra_axis=name=v1,v2 replaces the values of every axis of
 * that name. Integer axes also accept a range, first:last:step. Numbers may be negative or 0. */
struct bench_axis {
	const char *name;
	enum bench_axis_type type;
	bool bare; /* the case's name shows "value" instead of "name:value" */
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
	} /* the values of the next smaller scale */

/* BENCH_AXIS_INT is an integer axis, shown as name:value; BENCH_AXIS_TEXT a text axis, shown as
 * value; BENCH_AXIS_NAMED a text axis, shown as name:value. The last three arguments are the values
 * at the scales smoke, quick and paper. */
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

/* The same values at every scale. */
#define BENCH_FIXED_INT(axis_name, ...)                                                            \
	BENCH_AXIS_INT(axis_name, BENCH_INTS(__VA_ARGS__), BENCH_SAME, BENCH_SAME)
#define BENCH_FIXED_TEXT(axis_name, ...)                                                           \
	BENCH_AXIS_TEXT(axis_name, BENCH_TEXTS(__VA_ARGS__), BENCH_SAME, BENCH_SAME)
#define BENCH_FIXED_NAMED(axis_name, ...)                                                          \
	BENCH_AXIS_NAMED(axis_name, BENCH_TEXTS(__VA_ARGS__), BENCH_SAME, BENCH_SAME)

/* The axes that the experiments of all targets have. gpus:0 is a case that runs on the host. */
#define BENCH_VARIANTS(...) BENCH_FIXED_TEXT("variant", __VA_ARGS__)
#define BENCH_ALL_VARIANTS BENCH_VARIANTS("serial", "cpu", "published", "tuned")
#define BENCH_GPUS(...) BENCH_FIXED_INT("gpus", __VA_ARGS__)

const char *bench_scale_name(enum bench_scale s); /* "smoke", "quick", "paper" */

struct bench_case; /* one point of the product of the axes; opaque */

/* Values of the case's parameters. An axis that the benchmark does not have is a programming error
 * and aborts. */
int64_t bench_int(const struct bench_case *c, const char *axis);
const char *bench_text(const struct bench_case *c, const char *axis);
enum bench_scale bench_scale(const struct bench_case *c);

/* The variant of the axis `variant`. A value that is not the name of a variant counts as serial. */
enum solve_variant bench_variant(const struct bench_case *c);
/* Whether the variant runs kernels: published and tuned do. */
bool bench_uses_device(const struct bench_case *c);
/* Whether the axes `variant` and `gpus` agree: a variant has gpus > 0 if and only if it runs
 * kernels. For exists(). */
bool bench_gpus_fit(const struct bench_case *c);

struct peaks;
struct peak_demand;
struct energy_meter;
struct bench_ranks;

/* What all cases of a run share. Valid until exit. */
struct bench_setting {
	enum bench_scale scale;
	struct dev_set devices;    /* of --device; count 0 if there are none */
	const char *no_device;     /* why devices.count is 0 */
	int threads;               /* --threads, default: all usable cores */
	const char *host;          /* the host as rows name it (environment.h); NULL: not known */
	const struct peaks *peaks; /* of this machine (peaks.h); NULL if they were not measured */
	/* Becomes non-zero when the process should stop (SIGINT, SIGTERM). run() may then return
	 * ERR_LIMIT. */
	const volatile sig_atomic_t *stop;
	const struct bench_ranks *ranks; /* that measure together (ranks.h); NULL: one process */
	struct energy_meter *device_meter, *host_meter; /* NULL: no energy is measured */
	struct perf_choice perf;                        /* hardware counters of rows */
};
const struct bench_setting *bench_setting(const struct bench_case *c);

/* Skips the case: sets the reason with its numbers and the message, and returns ERR_UNSUPPORTED,
 * which setup() then returns. */
int bench_skip(struct bench_case *c, struct skip why, struct err *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* For setup() of a case that needs `gpus` GPUs, real or simulated (0: none): returns 0 or skips the
 * case ("needs 4 GPUs, 1 given", "no NVIDIA driver"). The energy and clocks in its rows are those
 * of the first `gpus` GPUs. A case that is too large to simulate is also skipped on simulated
 * devices. */
int bench_need_machine(struct bench_case *c, int64_t gpus, bool too_large_to_simulate,
		       struct err *e);
/* Skips a case that would take more than two hours. */
int bench_need_time(struct bench_case *c, double seconds, struct err *e);

/* The target's own state of the case. bench_new_data() allocates `bytes` zeroed bytes in setup();
 * on failure it returns NULL and *e has ERR_MEMORY. teardown() frees them with free(), and so does
 * a setup() that fails. bench_data() returns them. */
void *bench_new_data(struct bench_case *c, size_t bytes, struct err *e);
void *bench_data(const struct bench_case *c);

/* For benchmarks with manual_time: the seconds of this iteration, measured with device events or
 * over the part of run() that the label names. Every run() must call it once. */
void bench_set_seconds(struct bench_case *c, double seconds);

enum bench_counter_flag {
	BENCH_COUNT = 0,
	BENCH_RATE = 1,          /* divided by the seconds of the repetition */
	BENCH_PER_ITERATION = 2, /* divided by the number of iterations */
	BENCH_INVERT = 4,        /* 1/x, applied last */
	BENCH_TOTAL_RATE =
		BENCH_RATE | 8, /* a value per iteration: multiplied by the iterations first */
	BENCH_MEAN = 16,        /* the mean over the iterations of the repetition; set once in every
				   run() */
};
/* Sets a numeric counter of the row, from setup(), run() or check(). Names match [a-z0-9_]+ and are
 * not those of a row's own fields. A later value replaces an earlier one, so the last iteration's
 * value is kept (except with BENCH_MEAN). A value that is not finite fails the case. */
void bench_counter(struct bench_case *c, const char *name, double value, unsigned flags);

/* Sets several counters; a measure with `seconds` is averaged over the iterations (BENCH_MEAN). */
void bench_measures(struct bench_case *c, const struct measure *m, int count);

/* The work of one iteration (cell updates, nodes, generations). Written as the counter `work`, with
 * the unit in the label, and as the rate `<unit>_per_second`. `unit` is a counter name such as
 * "cells". */
void bench_work(struct bench_case *c, double amount, const char *unit);
/* What one iteration at least demands of the machine, for the roofline: the operations that the
 * algorithm of this row executes and the bytes that it must move, on one GPU where the work is
 * divided evenly among several, each with the peak rate (peaks.h) that it is compared with. An
 * amount that is not positive is not known and is left out.
 *
 * Written with the names of the rates in the label ("operations: gpu_add_max; bytes: gpu_copy"):
 *   operations     the amount of the first demand whose rate is in op/s
 *   bytes          the amount of the first demand whose rate is a copy in device or host memory
 *                  (not in a cache, and not between memories)
 * If the peak rates of this machine are known, the lower bound on the time (peaks_lower_bound):
 *   floor_seconds  in seconds; the label names the rate that decides
 *   floor_ratio    measured time / bound, where 1 is optimal
 * Without any positive amount the row has none of them. */
void bench_demands(struct bench_case *c, const struct peak_demand *demand, size_t count);
/* The same for demands that are only a part of the work, because the rest is not known or has no
 * peak rate: enough for the lower bound, but the row gets neither operations nor bytes. */
void bench_least_demands(struct bench_case *c, const struct peak_demand *demand, size_t count);
/* The hash of the output. Its low 52 bits, which a double holds exactly, are written as
 * output_hash. */
void bench_output_hash(struct bench_case *c, uint64_t hash);
void bench_label(struct bench_case *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct bench {
	const char *name;              /* "<target>/<experiment>" */
	const struct bench_axis *axes; /* ended by BENCH_AXIS_END */
	const char *summary;           /* one line for `list` */
	/* Whether cases report their own time with bench_set_seconds(): for all cases, or for each
	 * case as is_manual() (optional) decides. */
	bool manual_time;
	bool (*is_manual)(const struct bench_case *c);
	/* Optional. Returns false for a combination that makes no sense (serial with gpus:2); no
	 * case is then made. Must depend only on the axes, not on the machine. */
	bool (*exists)(const struct bench_case *c);
	/* Optional, not timed. Called once per case, or once per repetition where repetitions of
	 * several cases are interleaved. bench_skip(), ERR_UNSUPPORTED and ERR_DEVICE skip the
	 * case; any other error fails it. teardown() is called only after a successful setup(). */
	int (*setup)(struct bench_case *c, struct err *e);
	/* One iteration, timed. */
	int (*run)(struct bench_case *c, struct err *e);
	/* Verifies the answer of the last iteration, after each repetition; not timed. Mandatory: a
	 * benchmark without an oracle is refused. An error removes the case's rows, and the process
	 * exits with 1. */
	int (*check)(struct bench_case *c, struct err *e);
	void (*teardown)(struct bench_case *c);
	/* Optional. Whether the case runs kernels. With --device=sim such a case is run once,
	 * checked and reported as skipped ("simulated: answer correct, no time taken"). On cuda its
	 * rows have clocks and energy. */
	bool (*uses_device)(const struct bench_case *c);
	/* Optional, for --copra_estimate. Predicts the seconds of one iteration on this machine,
	 * including setup() and check(). */
	double (*estimate)(const struct bench_case *c);
	/* "ns", "us", "ms" or "s": the unit of shown times unless the command line gives one.
	 * NULL means "ns". */
	const char *unit;
	/* Repetitions, unless the command line gives a number; 0 means 1. */
	int repetitions[BENCH_SCALES];
	/* Minimum seconds of a repetition, unless the command line gives them; 0 means 0.5. */
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

/* A sub-command that only this target has. */
struct subcommand {
	const char *name;    /* "size" */
	const char *summary; /* one line for --help */
	/* argv[0] is the first argument after the name. Handles --help. Returns the exit code. */
	int (*run)(int argc, char **argv);
};

struct target {
	const char *name;    /* "dp-knapsack" */
	const char *summary; /* one line */
	const struct solve_spec *solve;
	/* For `list`: prints instances and variants to stdout, after the experiments. May be
	 * NULL. */
	int (*list)(struct err *e);
	const struct subcommand *commands; /* ended by a NULL name; may be NULL */
	/* _exit: `solve` may leave the process while devices are still opening, which exit() would
	 * wait for. NULL: it may not. The programs set it. The library does not, because it must
	 * not end its caller's process. */
	void (*leave)(int code);
	/* That share the work of `bench`; NULL: there is one process, or the target cannot. */
	const struct bench_ranks *ranks;
};

/* The main() of a target: dispatches to `bench` (the default), `solve`, `list`, the target's own
 * sub-commands and --help. Returns the exit code. ERR_USAGE: `bench` by several processes of mpirun
 * that do not share it. */
int copra_main(int argc, char **argv, const struct target *t);

#endif
