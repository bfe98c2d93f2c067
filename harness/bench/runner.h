/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The runner: sets cases up, repeats and times them, verifies their answers, and decides what
 * becomes of a case that fails. */
#ifndef COPRA_BENCH_RUNNER_H
#define COPRA_BENCH_RUNNER_H

#include "harness/bench/plan.h"

/* Google Benchmark's --benchmark_min_time: "0.5" and "0.5s" are seconds, "10x" iterations. */
struct bench_min_time {
	bool is_default; /* not given on the command line: the benchmark's own min_time counts */
	bool is_iterations;
	double seconds;
	int64_t iterations;
};

struct bench_timing {
	struct bench_min_time min_time;
	double min_warmup_time;
	bool dry_run; /* one iteration of each case, without warm-up and repetitions */
};

enum { BENCH_STOP_LEAST = 5, BENCH_STOP_WINDOW = 8 };

/* Precision and budget decide how often a case is repeated. With `precision` 0 it is repeated
 * exactly `repetitions` times. Otherwise it is repeated at least that often and at least
 * BENCH_STOP_LEAST times, until one of these holds:
 * - the relative standard error of the mean is at most `precision`;
 * - the coefficient of variation was stable over the last BENCH_STOP_WINDOW repetitions, so more
 *   of them would hardly help;
 * - the timed iterations of the case have taken `budget` seconds. */
struct bench_runner {
	struct bench_plan *plan;
	struct bench_timing timing;
	int64_t repetitions; /* 0: the benchmark's own number */
	double precision, budget;
	bool interleave;
	uint64_t seed; /* of the interleaving */
	const volatile sig_atomic_t *stop;
	/* A repetition that is predicted to end after this clock_wall() time is not started;
	 * shorter ones still run. 0: no deadline. */
	double deadline;
	/* Cases whose missing repetitions are predicted to take more than this many seconds are
	 * skipped. 0: no limit. */
	double longest;
	int64_t rank; /* cases of a higher rank stay pending, which is no error; 0: all run */
	/* Optional callbacks: before each repetition (the case has `row_count` rows so far); after
	 * a repetition that does not end its case; when a case ends, including cases from the
	 * journal. An error of the last two ends the run. */
	void (*starting)(void *ctx, const struct bench_case *c);
	int (*measured)(void *ctx, struct bench_case *c, struct err *e);
	int (*finished)(void *ctx, struct bench_case *c, struct err *e);
	void *ctx;
};

/* The number of repetitions of a case: 1 in a dry run; otherwise its own of --copra_rows, or
 * r->repetitions, or the number of the benchmark at this scale, or 1. */
int64_t bench_repetitions(const struct bench_runner *r, const struct bench_case *c);
/* The predicted seconds of a case. < 0 if its benchmark does not predict them; 0 if the case cannot
 * run here. */
double bench_predict(const struct bench_runner *r, const struct bench_case *c);

/* Whether the case is to run: pending, and not of a later rank. */
bool bench_to_run(const struct bench_runner *r, const struct bench_case *c);
/* Whether the case has all its repetitions. */
bool bench_has_enough(const struct bench_runner *r, const struct bench_case *c);

/* Keeps one of several shards of the plan: the cases in descending order of predicted time, each
 * given to the shard with the least predicted time so far, then with the fewest cases. Cases that
 * take no time, and cases without a prediction, are each dealt evenly by number. The shards have
 * all cases together and none twice, if all are made from the same plan, build and kind of machine.
 * The order of cases stays. ERR_MEMORY. */
int bench_keep_shard(const struct bench_runner *r, struct bench_plan *p, struct bench_shard shard,
		     struct err *e);
/* Skips the pending cases that are predicted to exceed `longest`. Cases without a prediction stay
 * pending. */
void bench_leave_out(const struct bench_runner *r);
/* Runs the pending cases. A failed or skipped case does not end the run. ERR_LIMIT if the run was
 * stopped by the flag, or if the deadline did not allow all cases; these stay pending. */
int bench_run_plan(struct bench_runner *r, struct err *e);

#endif
