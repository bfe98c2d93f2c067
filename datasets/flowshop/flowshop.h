/* Permutation flowshop instances: every job passes machines 0, 1, ... in order, all machines take
 * the jobs in the same order; minimise the makespan.
 *
 * Known names:  ta001 ... ta120                        Taillard 1993, from the published seeds
 *               taillard:JOBSxMACHINES:SEED            his generator with any seed
 *               random:JOBSxMACHINES:MAXTIME[:SEED]    uniform times 1..MAXTIME, for tests
 * Files: see flowshop_read. Limits: 1000 jobs, 100 machines, times of 31 bits; the sum of all
 * times is checked to fit 31 bits when an instance is made, so that no makespan or bound ever
 * overflows int32_t. */
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

/* Reads either format of DESIGN section 10, told apart by their form:
 *   Taillard: a header line of words, the line "jobs machines seed upper lower", a line
 *             "processing times :", then a row a machine
 *   VFR:      "jobs machines", then a row a job of pairs "machine time"
 * ERR_INPUT names file and line of the first thing wrong. */
int flowshop_read(struct flowshop *f, const char *path, struct err *e);

/* How a file is to be read. */
enum flowshop_format {
	FLOWSHOP_AUTO,             /* Taillard's or VFR's: flowshop_read */
	FLOWSHOP_JOBS_BY_MACHINES, /* a plain matrix, a row a job */
	FLOWSHOP_MACHINES_BY_JOBS, /* a plain matrix, a row a machine */
};
/* "auto", "jobs-by-machines", "machines-by-jobs", NULL: in the order of the enum. */
extern const char *const flowshop_format_words[];

/* Reads a plain matrix of times: a row a line, numbers separated by blanks or commas, all rows of
 * the same length. '#' begins a comment. The first line may be a header, the numbers of rows and
 * columns below it; in the reverse order they are refused. If the rows have two numbers, a first
 * line that states the size of the rest is a header too, unless the rest is a single row. ERR_INPUT
 * as flowshop_read. */
int flowshop_read_matrix(struct flowshop *f, const char *path, enum flowshop_format format,
			 struct err *e);

/* Taillard's generator (1993): Bratley, Fox, Schrage's LCG, machine by machine, times 1..99.
 * 1 <= seed <= 2^31 - 2. */
int flowshop_taillard(struct flowshop *f, int jobs, int machines, int64_t seed, struct err *e);

/* Whether it is one of the known names above, as far as their beginnings tell. */
bool flowshop_is_name(const char *name);
/* A known name or a file. After an error f is empty. */
int flowshop_load(struct flowshop *f, const char *name_or_file, struct err *e);
/* The same with a format for the file: ERR_USAGE for a known name unless that is FLOWSHOP_AUTO. */
int flowshop_load_as(struct flowshop *f, const char *name_or_file, enum flowshop_format format,
		     struct err *e);
/* Taillard's text, to a stream (whose errors the caller checks) or to a file. */
void flowshop_print(const struct flowshop *f, FILE *out);
int flowshop_write(const struct flowshop *f, const char *path, struct err *e);
void flowshop_free(struct flowshop *f);
uint64_t flowshop_hash(const struct flowshop *f);

/* What the known value of an instance rests on. */
enum flowshop_basis {
	FLOWSHOP_PROVED_HERE,  /* copra found a schedule of it and proved that none is shorter */
	FLOWSHOP_PROVED_CITED, /* a paper proves it */
	FLOWSHOP_LIST,         /* a public list calls it optimal; no proof is cited */
	FLOWSHOP_OPEN,         /* an upper bound of a public list; in no list of optima */
};
/* A few words: "proved by copra". */
const char *flowshop_basis_name(enum flowshop_basis basis);

/* What is known of a Taillard instance. The table and its sources: flowshop_known.c. */
struct flowshop_known {
	const char *name;
	int jobs, machines;
	int32_t seed;
	int32_t lower, upper; /* equal where proved; else a weak but certain lower bound, and the
				 value of the list */
	enum flowshop_basis basis;
	const char *source;         /* the record of our proof, the paper or the list */
	int32_t refuted;            /* a value of another list that cannot be attained; 0: none */
	const char *refuted_source; /* that list */
};
/* Is upper proved to be the optimum, by copra or by a paper? */
bool flowshop_is_proved(const struct flowshop_known *k);

/* How a result compares with what is known. */
enum flowshop_match {
	FLOWSHOP_AGREES,
	FLOWSHOP_DIFFERS_FROM_LIST, /* the list may be wrong or out of date: no error */
	FLOWSHOP_CONTRADICTS_PROOF, /* the result, or much less likely the proof, is wrong */
};
/* `makespan`: of a schedule that the run holds, INT64_MAX for none. `bound`: the run proved that no
 * schedule is shorter, 0 for none. `why` says what differs from what, naming the source; it is
 * empty where nothing does. */
enum flowshop_match flowshop_compare(const struct flowshop_known *k, int64_t makespan,
				     int64_t bound, char *why, size_t size);

/* By the instance's name; NULL where nothing is known. */
const struct flowshop_known *flowshop_known(const char *name);
/* By name and times: NULL too where a file only bears the name of a known instance. */
const struct flowshop_known *flowshop_known_of(const struct flowshop *f);
/* All 120, in order. */
const struct flowshop_known *flowshop_known_all(int *count);

/* ---- the oracle: the plainest code, sharing none with any bound or search ---- */

/* Makespan of a complete order of 0-based jobs from the instance alone; -1 when `order` is not a
 * permutation. */
int64_t flowshop_makespan(const struct flowshop *f, const int64_t *order);
/* Optimum over all n! orders; ERR_USAGE for more than 10 jobs. `order` (jobs entries) may be
 * NULL. */
int flowshop_brute_force(const struct flowshop *f, int64_t *optimum, int64_t *order, struct err *e);

#endif
