/* Asymmetric travelling salesman: a shortest closed tour through all cities, c_ij != c_ji.
 *
 * Known names (documented generators, atsp_generate.c):
 *   crane:CITIES:SEED             moves of a stacker crane: cities are loads, from here to there
 *   tsmat:CITIES:SEED             symmetric random matrix closed under shortest paths
 *   random:CITIES:MAX[:SEED]      independent uniform costs 0..MAX, for tests
 * Files: TSPLIB, see atsp_read. Limits: 2 to 500 cities, costs >= 0 off the diagonal (a
 * bound by the cost of a path needs that); cities times the greatest cost is checked to fit 31
 * bits, so that no tour overflows int32_t. The diagonal is not used; it is stored as 0. */
#ifndef COPRA_DATASETS_ATSP_ATSP_H
#define COPRA_DATASETS_ATSP_ATSP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

enum { ATSP_MAX_CITIES = 500, ATSP_HELD_KARP_MAX = 22 };

struct atsp {
	char name[128];
	int cities;
	int32_t *cost; /* cost[from * cities + to] */
};

/* TSPLIB: TYPE: ATSP (or TSP), EDGE_WEIGHT_TYPE: EXPLICIT, EDGE_WEIGHT_FORMAT: FULL_MATRIX.
 * ERR_INPUT names file and line of the first thing wrong. */
int atsp_read(struct atsp *a, const char *path, struct err *e);
bool atsp_is_name(const char *name);
/* A known name or a file. */
int atsp_load(struct atsp *a, const char *name_or_file, struct err *e);
/* TSPLIB, a full matrix, to a stream (whose errors the caller checks) or to a file. */
void atsp_print(const struct atsp *a, FILE *out);
int atsp_write(const struct atsp *a, const char *path, struct err *e);
void atsp_free(struct atsp *a);
uint64_t atsp_hash(const struct atsp *a);

/* ---- the oracles: the plainest code, sharing none with any search ---- */

/* Cost of the closed tour through tour[0..cities-1], from the instance alone; -1 when it is not a
 * permutation of the cities. */
int64_t atsp_tour_cost(const struct atsp *a, const int64_t *tour);
/* Optimum by Held and Karp's dynamic programming (1962): ERR_USAGE above ATSP_HELD_KARP_MAX cities,
 * ERR_MEMORY. `tour` (cities entries, from city 0) may be NULL. */
int atsp_held_karp(const struct atsp *a, int64_t *optimum, int64_t *tour, struct err *e);
/* The same, but ends with ERR_LIMIT soon after *stop became non-zero (NULL: never). */
int atsp_held_karp_until(const struct atsp *a, const volatile sig_atomic_t *stop, int64_t *optimum,
			 int64_t *tour, struct err *e);

#endif
