/* Inside of the benchmark library: what registry, plan, runner and reporters share. Targets include
 * bench.h only. */
#ifndef COPRA_BENCH_BENCH_RUN_H
#define COPRA_BENCH_BENCH_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/bench/bench.h"
#include "harness/machine/energy.h"
#include "harness/base/error.h"
#include "harness/base/flags.h"

enum {
	BENCH_AXES = 12,     /* parameters of one benchmark */
	BENCH_COUNTERS = 40, /* counters of one row */
	BENCH_NAME = 256,
	BENCH_LABEL = 256,
};

/* ---- registry ---- */

/* Registered benchmarks in the order of registration; index 0 .. bench_registered() - 1. */
int bench_registered(void);
const struct bench *bench_registered_at(int index);

/* ---- rows: what reporters get ---- */

struct bench_counter_value {
	char name[40];
	double value;
	unsigned flags; /* enum bench_counter_flag until bench_counters_finish, then rate or not */
	double sum;     /* BENCH_MEAN: of the values told since bench_counters_restart */
	int64_t told;
};
struct bench_counters {
	struct bench_counter_value at[BENCH_COUNTERS];
	int count;
};
int bench_counters_set(struct bench_counters *s, const char *name, double value, unsigned flags,
		       struct err *e);
/* Before the iterations of a repetition: means begin anew. */
void bench_counters_restart(struct bench_counters *s);
const struct bench_counter_value *bench_counters_get(const struct bench_counters *s,
						     const char *name);
/* Applies the flags, given the seconds and iterations of the repetition. ERR_FAILED names the first
 * value that is not finite. */
int bench_counters_finish(struct bench_counters *s, double seconds, int64_t iterations,
			  struct err *e);

enum bench_unit { BENCH_NS, BENCH_US, BENCH_MS, BENCH_S };
const char *bench_unit_name(enum bench_unit u);
double bench_unit_per_second(enum bench_unit u); /* 1e9 for ns */
int bench_unit_parse(void *unit, const char *text, struct err *e);

/* One repetition of one case, or one aggregate over the repetitions of a case. */
struct bench_row {
	const char *run_name;  /* owned by the plan */
	const char *aggregate; /* NULL, or "mean", "median", "stddev", "cv", "min" */
	int family_index, instance_index;
	int64_t repetitions, repetition_index;
	int64_t threads, iterations;
	double real_seconds, cpu_seconds; /* per iteration; for "cv" the plain ratio */
	enum bench_unit unit;             /* to be shown in */
	struct bench_counters counters;
	char label[BENCH_LABEL];
};

/* ---- a case and its results ---- */

enum bench_outcome {
	BENCH_PENDING,
	BENCH_DONE,
	BENCH_SKIPPED, /* not possible on this machine, or simulated: `message` says why */
	BENCH_FAILED,  /* wrong answer or an error: `message` says what */
};

struct bench_parameter {
	int64_t number;
	const char *text; /* owned by the plan's arena or static */
};

/* What the whole run shares. */
struct bench_setting {
	enum bench_scale scale;
	struct dev_set devices;
	const char *no_device; /* why devices.count is 0 */
	int threads;
	const struct peaks *peaks;                      /* may be NULL */
	struct energy_meter *device_meter, *host_meter; /* energy.h; NULL: nothing is metered */
	const volatile sig_atomic_t *stop;
};

struct bench_case {
	const struct bench *bench;
	const struct bench_setting *setting;
	char name[BENCH_NAME];
	int family_index, instance_index;
	int axis_count;
	struct bench_parameter parameters[BENCH_AXES];
	bool manual;
	enum bench_unit unit;

	/* While it runs. */
	void *data;
	bool ready;            /* set up and not yet torn down */
	int gpus;              /* the first devices, which it said it needs; 0: it did not say */
	double manual_seconds; /* of this iteration; < 0 when not told */
	struct bench_counters counters;
	char label[BENCH_LABEL];
	double work, floor_seconds; /* 0 when not told */
	char work_unit[32], floor_limit[48];
	struct err misuse; /* first wrong use of the interface; code 0 = none */

	/* Afterwards. */
	enum bench_outcome outcome;
	struct skip skip; /* BENCH_SKIPPED: why */
	char message[512];
	struct bench_row *rows; /* iteration rows */
	int row_count, row_capacity;
	int stored;         /* rows that the journal has */
	int64_t iterations; /* found in the first repetition; 0 before */
	bool from_journal;
	bool left_out; /* too long for this run, not begun */
};

/* NULL: it has no such axis. */
const struct bench_parameter *bench_parameter(const struct bench_case *c, const char *axis,
					      enum bench_axis_type type);
int bench_case_add_row(struct bench_case *c, const struct bench_row *row, struct err *e);

/* ---- the plan: every case that will run ---- */

struct bench_selection {
	enum bench_scale scale;
	const char *filter;    /* Google Benchmark's: ERE, "-" in front negates, "all" */
	struct flag_list axes; /* "name=v1,v2" or "name=first:last:step" */
	bool unit_given;
	enum bench_unit unit; /* of cases, when given */
};

struct bench_plan {
	struct bench_case *cases;
	int count, capacity;
	char **texts; /* values given on the command line */
	int text_count;
};

/* Expands `benches` into the cases selected. ERR_USAGE: malformed or unknown axis, bad regular
 * expression, a value named twice. ERR_FAILED: two benchmarks of one name, or one without an
 * oracle. */
int bench_plan_create(struct bench_plan *p, const struct bench *const *benches, int count,
		      const struct bench_selection *s, const struct bench_setting *setting,
		      struct err *e);
void bench_plan_destroy(struct bench_plan *p);

/* Values of one axis at a scale after replacement from the command line; see bench_axes.c. */
struct bench_axis_values {
	struct bench_parameter *at; /* malloc'ed */
	int count;
};
int bench_axis_values(struct bench_axis_values *v, const struct bench_axis *axis,
		      const struct bench_selection *s, struct bench_plan *owner, struct err *e);
/* Refuses malformed --copra_axis texts and names that no benchmark has. */
int bench_axes_check(const struct bench_selection *s, const struct bench *const *benches, int count,
		     struct err *e);

/* ---- timing ---- */

struct bench_min_time {
	bool is_default; /* the command line gave none: the benchmark's own, if it has one */
	bool is_iterations;
	double seconds;
	int64_t iterations;
};
int bench_min_time_parse(void *min_time, const char *text, struct err *e);

struct bench_timing {
	struct bench_min_time min_time;
	double min_warmup_time;
	bool dry_run;
};

/* One repetition of a case that is set up: warm-up and choice of iterations where it is the first,
 * then the timed iterations and the oracle. Fills real_seconds, cpu_seconds, iterations, counters
 * and label of the row. An error is that of run() or check(). */
bool bench_case_uses_device(const struct bench_case *c);
/* Adds what was metered, each joule figure per iteration and only where it is known. `device`: a
 * row of a GPU case, whose joules are the GPUs' (cpu_joules the processor's) and which has the
 * clock, a mark where it was low (energy.h) and the throttle reasons; else joules are the
 * processor's. */
void bench_row_energy(struct bench_row *row, const struct energy_reading *r, bool device);
int bench_repeat(struct bench_case *c, const struct bench_timing *t, struct bench_row *row,
		 struct err *e);

/* How often a case is repeated. With `precision` 0, exactly `repetitions` times. Else at least that
 * often and at least STOP_LEAST times, until the relative standard error of the mean is at most
 * `precision`, or the noise level (the coefficient of variation) has itself become stable, so that
 * more samples would tell no more, or the case has used `budget` seconds of timed iterations. */
enum { STOP_LEAST = 5, STOP_WINDOW = 8, STOP_MOST = 10000 };
struct bench_stop_rule {
	int64_t repetitions;
	double precision;
	double budget;
};
bool bench_stop_reached(const struct bench_stop_rule *r, const struct bench_row *rows, int count);

/* ---- journal of finished cases ---- */

struct journal;
/* Hash of what makes two measurements of one case the same measurement: the build (a clean
 * revision with compilers and flags; else this executable's bytes), the machine, `parameters`
 * (scale, devices, threads, times, repetitions). */
int bench_identity(char identity[20], const char *machine, const char *parameters, struct err *e);
/* Gives the cases the rows that the journal has under this identity, and marks those as done that
 * it has complete; the others go on from their rows. Lines of others, or damaged, are passed over.
 */
int bench_journal_load(struct journal *j, const char *identity, struct bench_plan *p,
		       struct err *e);
/* Appends what the journal lacks of a case: new rows, and how it ended where it has ended. */
int bench_journal_store(struct journal *j, const char *identity, struct bench_case *c,
			struct err *e);

/* ---- running ---- */

struct bench_runner {
	struct bench_plan *plan;
	struct bench_timing timing;
	int64_t repetitions;      /* 0: the benchmark's own */
	double precision, budget; /* see struct bench_stop_rule */
	bool interleave;
	uint64_t seed; /* of the interleaving */
	const volatile sig_atomic_t *stop;
	/* No repetition is begun that would, as predicted, end after this time of clock_wall(); 0:
	 * none. What is shorter than the time left still runs. */
	double deadline;
	/* Cases are skipped that would, as predicted, take longer, with all repetitions that they
	 * lack; 0: none. */
	double longest;
	/* Called before each repetition (its case has `row_count` so far). Optional. */
	void (*starting)(void *ctx, const struct bench_case *c);
	/* Called after a repetition that does not end its case. Optional. An error ends the run. */
	int (*measured)(void *ctx, struct bench_case *c, struct err *e);
	/* Called when a case ends, also for those from the journal. An error ends the run. */
	int (*finished)(void *ctx, struct bench_case *c, struct err *e);
	void *ctx;
};
int64_t bench_repetitions(const struct bench_runner *r, const struct bench_case *c);
/* Runs what is pending. A failed or skipped case does not end it. ERR_LIMIT when stopped by the
 * flag, or when the deadline left cases over; cases not finished stay pending. */
int bench_run_plan(struct bench_runner *r, struct err *e);

/* Skips what is pending and longer than `longest`; cases without a prediction stay. */
void bench_leave_out(const struct bench_runner *r);

/* Predicted seconds of a case as the runner would run it; < 0 when its benchmark does not say, 0
 * when it cannot run here. */
double bench_predict(const struct bench_runner *r, const struct bench_case *c);

#endif
