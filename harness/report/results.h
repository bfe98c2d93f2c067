/* What was measured: the result files (Google Benchmark JSON) of every machine, as the tables and
 * claims see them.
 *
 *   <folder>/local/<machine>/<target>/<scale>/bench.json      measured here
 *   <folder>/recorded/<machine>/<target>/<scale>/bench.json   measured elsewhere, kept in git
 *   beside each, bench.skipped.json: what was not measured, and why
 *   <folder>/.../<target>/comparators.json                    other people's solvers, same format
 *   <folder>/.../<target>/process.json                        our own whole processes, the same
 *   <folder>/.../<machine>/ceilings.json                      the most it does (peaks.h)
 *
 * One set holds the rows of one machine, one origin and one target: claims and ratios never mix
 * two. Where scales overlap, a benchmark counts once, with the rows of the largest scale; scale
 * smoke counts only on a machine that has no other. */
#ifndef COPRA_REPORT_RESULTS_H
#define COPRA_REPORT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/bench/skip.h"
#include "harness/report/problems.h"

struct result_counter {
	char *name;
	double *values; /* one a run; NaN where the row lacks it */
};

/* One benchmark: all its repetitions. */
struct result_bench {
	char *name;
	char *label;
	size_t file;     /* index in the set's files */
	size_t runs;     /* >= 1 */
	double *seconds; /* real time of an iteration, one a run */
	size_t counters;
	struct result_counter *counter;
};

/* A benchmark without rows: skipped, or failed with a wrong answer or an error. */
struct result_skip {
	char *name;
	char *message;   /* for people */
	struct skip why; /* of one that was skipped */
	bool failed;
};

struct result_fact {
	char *name, *value;
};

struct result_file {
	char *path;
	char *scale; /* "smoke", "quick", "paper", "comparators" or "process" */
	char *date;  /* context.date, "" where it is missing */
	size_t facts;
	struct result_fact *fact; /* the context, flattened: cpu_model, caches.0.size, ... */
};

struct result_set {
	char *target, *machine;
	bool recorded;
	size_t files, benches, skips;
	struct result_file *file;
	struct result_file ceilings; /* as facts; path NULL where there are none */
	struct result_bench *bench;  /* sorted by name */
	struct result_skip *skip;
};

struct results {
	size_t sets;
	struct result_set *set;   /* by target, local first, then by machine */
	struct problems problems; /* result files that could not be read */
};

/* A missing folder is an empty one; a file that cannot be read becomes a problem and the others are
 * loaded all the same. Fails only for want of memory. */
int results_load(struct results *r, const char *folder, struct err *e);
/* Without what was measured here. */
int results_load_recorded(struct results *r, const char *folder, struct err *e);
void results_free(struct results *r);

/* Values of a counter ("" = the time in seconds) of one benchmark, or NULL where it has none. */
const double *result_values(const struct result_bench *b, const char *counter);
/* A fact of the context, or NULL. */
const char *result_fact(const struct result_file *f, const char *name);
/* GPUs that were opened, or, where no file tells that, that the machine has; 0 where none tells
 * anything. */
long results_gpus(const struct result_set *set);

#endif
