/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Permutation flowshop instances. Every job visits machines 0, 1, ... in this order, and all
 * machines process the jobs in the same order. The objective is to minimise the makespan.
 *
 * Known names:  ta001 ... ta120                        Taillard 1993, from the published seeds
 *               taillard:JOBSxMACHINES:SEED            his generator with any seed
 *               random:JOBSxMACHINES:MAXTIME[:SEED]    uniform times 1..MAXTIME, for tests
 * Files, in one of two formats that are distinguished by their first line:
 *   Taillard: a header line of words, the line "jobs machines seed upper lower", a line
 *             "processing times :", then one row per machine
 *   VFR:      "jobs machines", then one row per job of pairs "machine time"
 * or a plain matrix (enum flowshop_format).
 *
 * Limits: 1000 jobs, 100 machines, times of 31 bits. The sum of all times must fit in 31 bits, so
 * no makespan or bound overflows int32_t. */
#ifndef COPRA_DATASETS_FLOWSHOP_FLOWSHOP_H
#define COPRA_DATASETS_FLOWSHOP_FLOWSHOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

enum { FLOWSHOP_MAX_JOBS = 1000, FLOWSHOP_MAX_MACHINES = 100 };

struct flowshop {
	char name[128];
	int jobs, machines;
	int32_t *time; /* time[machine * jobs + job] >= 0 */
};

/* The format of a file.
 *
 * A plain matrix has one row per line, with numbers separated by blanks or commas, and rows of
 * equal length. '#' begins a comment. The first line may be a header with the numbers of rows and
 * columns below it; a header with the two swapped is refused. If the rows have two numbers, a first
 * line that states the size of the rest is a header too, unless the rest is a single row. */
enum flowshop_format {
	FLOWSHOP_AUTO,             /* Taillard or VFR */
	FLOWSHOP_JOBS_BY_MACHINES, /* a plain matrix, one row per job */
	FLOWSHOP_MACHINES_BY_JOBS, /* a plain matrix, one row per machine */
};
/* "auto", "jobs-by-machines", "machines-by-jobs", NULL, in the order of the enum. */
extern const char *const flowshop_format_words[];

/* Whether it begins like one of the known names above. */
bool flowshop_is_name(const char *name);
/* Loads a known name or a file. ERR_INPUT names the file and line of the first error. After an
 * error f is empty. */
int flowshop_load(struct flowshop *f, const char *name_or_file, struct err *e);
/* The same, with the format of the file. ERR_USAGE for a known name unless the format is
 * FLOWSHOP_AUTO. */
int flowshop_load_as(struct flowshop *f, const char *name_or_file, enum flowshop_format format,
		     struct err *e);
/* Makes an instance of time[machine * jobs + job], which it copies. ERR_INPUT names the first bad
 * value. */
int flowshop_make(struct flowshop *f, const char *name, int jobs, int machines, const int32_t *time,
		  struct err *e);
/* Write Taillard's format to a stream (whose errors the caller checks) or to a file. */
void flowshop_print(const struct flowshop *f, FILE *out);
int flowshop_write(const struct flowshop *f, const char *path, struct err *e);
void flowshop_free(struct flowshop *f);
/* A hash of the sizes and the times; the name does not matter. */
uint64_t flowshop_hash(const struct flowshop *f);

/* The basis of the known value of an instance. */
enum flowshop_basis {
	FLOWSHOP_PROVED_HERE,  /* copra found such a schedule and proved that none is shorter */
	FLOWSHOP_PROVED_CITED, /* a paper proves it */
	FLOWSHOP_LIST,         /* a public list calls it optimal; no proof is cited */
	FLOWSHOP_OPEN,         /* an upper bound from a public list; in no list of optima */
};
/* A few words: "proved by copra". */
const char *flowshop_basis_name(enum flowshop_basis basis);

/* What is known about a Taillard instance. flowshop_known.c has the table and its sources. */
struct flowshop_known {
	const char *name;
	int jobs, machines;
	int32_t seed;
	int32_t lower, upper; /* equal where proved; else a weak but certain lower bound, and the
				 value of the list */
	enum flowshop_basis basis;
	const char *source;         /* the record of our proof, the paper or the list */
	int32_t refuted;            /* a value of another list, proved unattainable; 0: none */
	const char *refuted_source; /* that list */
};
/* Whether `upper` is proved to be the optimum, by copra or by a paper. */
bool flowshop_is_proved(const struct flowshop_known *k);

/* How a result compares with the known value. */
enum flowshop_match {
	FLOWSHOP_AGREES,
	FLOWSHOP_DIFFERS_FROM_LIST, /* not an error: the list may be wrong or out of date */
	FLOWSHOP_CONTRADICTS_PROOF, /* the result or (much less likely) the proof is wrong */
};
/* `makespan` is that of a schedule the run has found; INT64_MAX for none. `bound` is a value below
 * which the run has proved that there is no schedule; 0 for none. `why` receives the difference and
 * its source; it is empty if there is none. */
enum flowshop_match flowshop_compare(const struct flowshop_known *k, int64_t makespan,
				     int64_t bound, char *why, size_t size);

/* Looks up a name; NULL if nothing is known. */
const struct flowshop_known *flowshop_known(const char *name);
/* Looks up an instance by name and times: NULL also if only the names are equal. */
const struct flowshop_known *flowshop_known_of(const struct flowshop *f);
/* All 120 entries, in order. */
const struct flowshop_known *flowshop_known_all(int *count);

/* ---- oracle: plain code that shares nothing with any bound or search ---- */

/* The makespan of an order of all jobs (0-based); -1 if `order` is not a permutation. */
int64_t flowshop_makespan(const struct flowshop *f, const int64_t *order);
/* The optimum over all n! orders; ERR_USAGE for more than 10 jobs. `order` receives `jobs` entries;
 * it may be NULL. */
int flowshop_brute_force(const struct flowshop *f, int64_t *optimum, int64_t *order, struct err *e);

#endif
