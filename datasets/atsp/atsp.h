/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Asymmetric travelling salesman problem: the shortest closed tour through all cities, where the
 * cost from i to j may differ from that from j to i.
 *
 * Known names (generators, described in atsp.c):
 *   crane:CITIES:SEED             moves of a stacker crane; a city is a load to be carried
 *   tsmat:CITIES:SEED             symmetric random matrix, closed under shortest paths
 *   random:CITIES:MAX[:SEED]      independent uniform costs 0..MAX, for tests
 *
 * Files are TSPLIB files with TYPE: ATSP (or TSP), EDGE_WEIGHT_TYPE: EXPLICIT and
 * EDGE_WEIGHT_FORMAT: FULL_MATRIX.
 *
 * Limits: 2 to 500 cities; costs off the diagonal are >= 0, which path bounds require. The number
 * of cities times the largest cost must fit in 31 bits, so no tour overflows int32_t. The diagonal
 * is not used and is stored as 0. */
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

/* Whether it begins like one of the known names. */
bool atsp_is_name(const char *name);
/* Loads a known name or a file. ERR_INPUT names the file and line of the first error. */
int atsp_load(struct atsp *a, const char *name_or_file, struct err *e);
/* Makes an instance of cost[from * cities + to], which it copies; the diagonal is not used.
 * ERR_INPUT names the first bad value. */
int atsp_make(struct atsp *a, const char *name, int cities, const int32_t *cost, struct err *e);
/* Write TSPLIB with a full matrix, to a stream (whose errors the caller checks) or to a file. */
void atsp_print(const struct atsp *a, FILE *out);
int atsp_write(const struct atsp *a, const char *path, struct err *e);
void atsp_free(struct atsp *a);
/* A hash of the size and the costs; the name does not matter. */
uint64_t atsp_hash(const struct atsp *a);

/* ---- oracles: plain code that shares nothing with any search ---- */

/* The cost of the closed tour through tour[0..cities-1]; -1 if it is not a permutation of the
 * cities. */
int64_t atsp_tour_cost(const struct atsp *a, const int64_t *tour);
/* The optimum by the dynamic programming of Held and Karp (1962). `tour` receives `cities` entries,
 * starting with city 0; it may be NULL. Errors: ERR_USAGE above ATSP_HELD_KARP_MAX cities,
 * ERR_MEMORY, and ERR_LIMIT soon after *stop has become non-zero (stop may be NULL). */
int atsp_held_karp(const struct atsp *a, const volatile sig_atomic_t *stop, int64_t *optimum,
		   int64_t *tour, struct err *e);

#endif
