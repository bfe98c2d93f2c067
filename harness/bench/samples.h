/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Appends raw samples to the history of this machine, which `make history` shows
 * (harness/compare/history). The history is a file of JSON lines: one line per benchmark and run.
 *
 *     char path[PATH_MAX];
 *     struct samples_run run = { .source = "compare", .sampling = "launch", ... };
 *     struct samples_bench bench = { "gboa/table1/n:50/cpu", seconds, 9 };
 *
 *     status = samples_path(path, sizeof(path), e);
 *     if (status == 0)
 *         status = samples_append(path, &run, &bench, 1, &added, e);
 *
 * A line:
 *     {"id": "0123456789abcdef", "schema": 1, "source": "compare", "date": "2026-11-22T10:00:00Z",
 *      "commit": "<40 hex digits>", "dirty": false, "machine": "amd-epyc-2c", "host": "...",
 *      "build": "...", "compiler": "...", "driver": "...", "scale": "quick", "device": "cpu",
 *      "threads": 2, "sampling": "launch", "parameters": "--benchmark_min_time=0.1",
 *      "name": "gboa/table1/n:50/cpu", "seconds": [0.0012, ...]}
 *
 * The id is a hash of all later members except the date. A line whose id is in the file is not
 * added again, so a run that continues an interrupted one can offer all its rows. Several processes
 * may append at the same time. The next append removes a line that was cut off by a kill or a full
 * disk. */
#ifndef COPRA_BENCH_SAMPLES_H
#define COPRA_BENCH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

/* What the benchmarks of one run share. An unknown text may be NULL and is written as "". */
struct samples_run {
	const char *source;   /* the command that measured: "baseline", "compare", "reproduce" */
	const char *date;     /* of the measurement, in any ISO 8601 form; NULL: now */
	const char *commit;   /* of the measured build (context: copra_revision) */
	bool dirty;           /* the build had uncommitted changes (copra_dirty) */
	const char *machine;  /* copra_machine */
	const char *host;     /* host_name: a hash */
	const char *build;    /* copra_build: hash of compiler and flags */
	const char *compiler; /* compiler */
	const char *driver;   /* gpu_driver */
	const char *scale, *device; /* copra_scale, copra_device */
	int threads;                /* copra_threads */
	const char *sampling;       /* a sample is a "launch" of a process or a "repetition" */
	const char *parameters; /* flags that change what is measured, without filter and outputs */
};

struct samples_bench {
	const char *name;
	const double *seconds; /* one per sample, each finite and > 0 */
	size_t samples;        /* >= 1 */
};

/* results/local/history/history.jsonl, or in COPRA_RESULTS instead of results/local. */
int samples_path(char *path, size_t size, struct err *e);

/* Appends the lines that the file does not have yet, in one write that is on disk when this
 * returns. Creates folders and file. *added (may be NULL) is the number of new lines. ERR_INPUT,
 * with nothing written, for a benchmark without a name or with an invalid sample. */
int samples_append(const char *path, const struct samples_run *run,
		   const struct samples_bench *bench, size_t count, size_t *added, struct err *e);

#endif
