/* The history of what was measured on this machine: JSON lines that are only ever appended, one for
 * each benchmark of each run, with its raw samples. `make history` shows it (harness/history/).
 *
 *     char path[PATH_MAX];
 *     struct history_run run = { .source = "compare", .sampling = "launch", ... };
 *     struct history_bench bench = { "gboa/table1/n:50/cpu", seconds, 9 };
 *
 *     status = history_path(path, sizeof(path), e);
 *     if (status == 0)
 *         status = history_append(path, &run, &bench, 1, &added, e);
 *
 * A line:
 *     {"id": "0123456789abcdef", "schema": 1, "source": "compare", "date": "2026-11-22T10:00:00Z",
 *      "commit": "<40 hex digits>", "dirty": false, "machine": "amd-epyc-2c", "host": "...",
 *      "build": "...", "compiler": "...", "driver": "...", "scale": "quick", "device": "cpu",
 *      "threads": 2, "sampling": "launch", "parameters": "--benchmark_min_time=0.1",
 *      "name": "gboa/table1/n:50/cpu", "seconds": [0.0012, ...]}
 *
 * The id is a hash of all that follows but the date: what is in the file already is not added
 * again, so that a run that goes on where it was stopped may offer all its rows. Several processes
 * may append at once; a line that was cut off by a kill or a full disk is removed by the next
 * append. */
#ifndef COPRA_BENCH_HISTORY_H
#define COPRA_BENCH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

/* What the benchmarks of one run share. Texts may be NULL where nothing is known: written as "". */
struct history_run {
	const char *source;         /* which command measured: "baseline", "compare", "reproduce" */
	const char *date;           /* of measuring, in any ISO 8601 form; NULL: now */
	const char *commit;         /* of the build that was measured (context: copra_revision) */
	bool dirty;                 /* files differed from it (copra_dirty) */
	const char *machine;        /* copra_machine */
	const char *host;           /* host_name: a hash */
	const char *build;          /* copra_build: hash of compiler and flags */
	const char *compiler;       /* compiler */
	const char *driver;         /* gpu_driver */
	const char *scale, *device; /* copra_scale, copra_device */
	int threads;                /* copra_threads */
	const char *sampling;       /* what one sample is: "launch" (a process), "repetition" */
	const char *parameters; /* flags that change what is measured; not the filter or outputs */
};

struct history_bench {
	const char *name;
	const double *seconds; /* one a sample, each finite and > 0 */
	size_t samples;        /* >= 1 */
};

/* results/local/history/history.jsonl, or in COPRA_RESULTS instead of results/local. */
int history_path(char *path, size_t size, struct err *e);

/* Appends the lines that the file does not have yet, all in one write that is on the disk when this
 * returns; makes folders and file. *added (may be NULL): how many. A benchmark without name or with
 * an impossible sample is ERR_INPUT, and then nothing is written. */
int history_append(const char *path, const struct history_run *run,
		   const struct history_bench *bench, size_t count, size_t *added, struct err *e);

#endif
