/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The measurements: result files (Google Benchmark JSON) of all machines, grouped for tables and
 * claims.
 *
 *   <folder>/local/<machine>/<target>/<scale>/bench.json      measured here
 *   <folder>/recorded/<machine>/<target>/<scale>/bench.json   measured elsewhere, committed to git
 *   bench.skipped.json next to each                           benchmarks not measured, with reasons
 *   <folder>/.../<target>/comparators.json                    other people's solvers, same format
 *   <folder>/.../<target>/process.json                        our own whole processes, same format
 *   <folder>/.../<machine>/ceilings.json                      peak rates (harness/machine)
 *
 * A set holds the rows of one machine, origin and target; claims and ratios never mix two sets. A
 * benchmark measured at several scales appears once, with the rows of the largest scale. Scale
 * smoke is used only if a machine has no other. */
#ifndef COPRA_REPORT_DATA_RESULTS_H
#define COPRA_REPORT_DATA_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/bench/bench.h"
#include "harness/report/text.h"

/* ---- names of benchmarks ----
 *
 * A name is <target>/<experiment>/<instance>/<variant>/<parameter>:<value>... A pattern selects
 * names. In a pattern
 *   *     matches any text, including slashes and the empty text
 *   (*)   matches and captures one or more characters except '/'; at most once per pattern
 * Every other character matches itself. A name with the part /ranks:<number>, of a row that several
 * processes measured, is selected only by patterns that contain "/ranks:": such rows must not be
 * mixed with those of one process. "dp-knapsack/table1/boyer/serial/form:item/n:(*)" captures
 * each measured value of n. */
enum variant {
	VARIANT_SERIAL,
	VARIANT_CPU,
	VARIANT_PUBLISHED,
	VARIANT_TUNED,
	VARIANT_OTHER,
	VARIANTS
};
extern const char *const variant_names[VARIANTS];

/* The variant named by the first part of the name that is a variant's name, or VARIANT_OTHER. Sets
 * *at, unless it is NULL, to the offset of that part. */
enum variant name_variant(const char *name, size_t *at);
/* The value of the parameter seed, which numbers the random instances of one class; -1 if the name
 * lacks it or it is not a number. */
long name_seed(const char *name);
/* True if the names are equal, or differ only in the value of the parameter seed. */
bool name_same_family(const char *a, const char *b);
/* The name without its target. */
const char *name_short(const char *name);

struct name_capture {
	const char *at; /* points into the name; NULL if the pattern has no (*) */
	size_t length;
};
/* True if the pattern matches the whole name. `capture` may be NULL. */
bool name_match(const char *pattern, const char *name, struct name_capture *capture);

/* ---- result files ---- */

struct result_counter {
	char *name;
	double *values; /* one per run; NaN if a row lacks the counter */
};

/* What a run was measured with: what its row says, otherwise what the context of its file says. */
struct result_source {
	char revision[8]; /* the first seven digits of copra's commit, "" if unknown */
	bool changed;     /* the sources had uncommitted changes */
	char host[8];     /* the first seven digits of the host's hash, "" if unknown */
	char date[11];    /* "2026-11-23", "" if unknown */
};

/* One benchmark with all its repetitions. */
struct result_bench {
	char *name;
	char *label;
	size_t file;                  /* index in the set's files */
	size_t runs;                  /* >= 1 */
	double *seconds;              /* real time of one iteration, one value per run */
	struct result_source *source; /* one per run; NULL: unknown */
	bool supposed;                /* not measured: every counter has the values of `seconds` */
	size_t counters;
	struct result_counter *counter;
};

/* A benchmark without rows: it was skipped, or failed with a wrong answer or an error. */
struct result_skip {
	char *name;
	char *message;   /* the reason, as text */
	struct skip why; /* set if it was skipped */
	bool failed;
};

struct result_fact {
	char *name, *value;
};

struct result_file {
	char *path;
	char *scale; /* "smoke", "quick", "paper", "comparators" or "process" */
	char *date;  /* context.date, "" if missing */
	size_t facts;
	struct result_fact *fact; /* the context, flattened: cpu_model, caches.0.size, ... */
};

struct result_set {
	char *target, *machine;
	bool recorded;
	size_t files, benches, skips;
	struct result_file *file;
	struct result_file peaks;   /* peak rates as facts; path is NULL if there are none */
	struct result_bench *bench; /* sorted by name */
	struct result_skip *skip;
	bool *used;        /* one per benchmark: set when a statistic reads a value of it; NULL: not
		       recorded */
	bool alternatives; /* first(a, b, ...) reads all alternatives */
};

struct results {
	size_t sets;
	struct result_set *set; /* by target, local before recorded, then by machine */
	struct text problems;   /* a line for each result file that could not be read */
};

/* Loads the results of all machines: those of <local>/<machine>/<target>, unless it is NULL, and
 * those of <recorded>/<machine>/<target>. A missing folder is empty. A file
 * that cannot be read is added to `problems` and the others are loaded. Fails only if memory runs
 * out. */
int results_load(struct results *r, const char *local, const char *recorded, struct err *e);
void results_free(struct results *r);

enum results_kind { RESULTS_ROWS, RESULTS_SKIPS, RESULTS_PEAKS };
/* Reads one file into the set: rows, skipped benchmarks or peak rates. Rows of benchmarks that an
 * earlier file of the set has are left out. `scale` is stored with a file of rows. ERR_INPUT if the
 * file is malformed. */
int results_read(struct result_set *set, enum results_kind kind, const char *path,
		 const char *scale, struct err *e);

/* The values of a counter ("": the time in seconds), one per run; NULL if there are none. */
const double *result_values(const struct result_bench *b, const char *counter);
/* The median of result_values; NaN if there are none. */
double result_median(const struct result_bench *b, const char *counter);
/* Why the rows of a benchmark decide no claim: "scale smoke" or "simulated"; NULL if they do. */
const char *result_decides_nothing(const struct result_set *set, const struct result_bench *b);
/* A fact of the file's context, or NULL. */
const char *result_fact(const struct result_file *f, const char *name);

/* ---- the machine of a set ---- */

/* The first value of a fact in the set's files, or "". */
const char *results_fact(const struct result_set *set, const char *name);
/* The number of GPUs that the runs opened. If no file has it, the number of GPUs in the machine. */
long results_gpus(const struct result_set *set);
/* The cores that the runs could use, and the compute nodes that they ran on; at least 1. */
long results_cores(const struct result_set *set);
long results_nodes(const struct result_set *set);
/* "4 × NVIDIA H200", "1 of 2 × NVIDIA H200" if only one was opened, "" without a GPU. */
void results_gpu_text(const struct result_set *set, struct text *out);
/* "measured here, on pc" or "RECORDED on h200-4". */
void results_machine(const struct result_set *set, struct text *out);
/* The same with the latest date of its files: "RECORDED on h200-4, 2026-11-20". */
void results_origin(const struct result_set *set, struct text *out);
/* "local-<machine>" or "recorded-<machine>" for file names and anchors: letters, digits, '.' and
 * '-'. */
void results_slug(const struct result_set *set, struct text *out);

#endif
