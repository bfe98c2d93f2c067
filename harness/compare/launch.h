/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs a program to its end and keeps what it wrote: one launch of a target's benchmarks is the
 * regression gate's sample. */
#ifndef COPRA_COMPARE_LAUNCH_H
#define COPRA_COMPARE_LAUNCH_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>

#include "harness/base/error.h"
#include "harness/report/text.h"

/* How benchmarks are run. Both sides of a comparison use the same parameters. */
struct launch_parameters {
	const char *scale, *device;
	long long threads;     /* 0: all cores */
	const char *min_time;  /* of a repetition, in the form of --benchmark_min_time */
	long long repetitions; /* per launch; the fastest one counts */
	const char *arguments; /* further flags, separated by spaces; "" for none */
};

struct launch {
	const char *program;
	const char *filter; /* --benchmark_filter; NULL: all benchmarks */
	const struct launch_parameters *parameters;
	const char *setting; /* NAME=VALUE added to the program's environment, or NULL */
	const volatile sig_atomic_t *stop;
};

/* Runs the benchmarks and parses the JSON that the program writes. Failed and skipped cases have
 * no rows. If a case failed, *failed is true and `message` (512 bytes) holds the last line that the
 * program wrote to stderr. Errors: ERR_LIMIT when stopped, ERR_FAILED when the program could not be
 * run or died, ERR_USAGE or ERR_DEVICE when it exits with the code for these. */
int launch_run(const struct launch *l, json_t **document, bool *failed, char *message,
	       struct err *e);

/* Sets *any to whether the filter matches a benchmark of the program. Runs no benchmark. */
int launch_matches(const struct launch *l, bool *any, struct err *e);

/* The outputs and the exit code of a program. */
struct launch_output {
	struct text out, err; /* stdout and stderr */
	int exit;             /* exit code; 128 + signal number if a signal ended it */
};

/* Runs `arguments` (the program's path first, NULL last) and captures both outputs in memory.
 * `setting` is NAME=VALUE for its environment, or NULL. The program gets SIGTERM, later SIGKILL,
 * when *stop becomes non-zero (ERR_LIMIT) or after `limit` seconds (ERR_FAILED). More than 256 MiB
 * of output is ERR_FAILED. Call launch_output_free in any case. */
int launch_program(struct launch_output *o, char *const *arguments, const char *setting,
		   double limit, const volatile sig_atomic_t *stop, struct err *e);
void launch_output_free(struct launch_output *o);

#endif
