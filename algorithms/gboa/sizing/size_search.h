/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The population that a problem needs: the smallest population with which k of n runs reach the
 * optimum. It is found by doubling and bisection (Sastry 2001; also used by Pelikan and in most
 * comparisons of such algorithms by population size). */
#ifndef COPRA_GBOA_SIZING_SIZE_SEARCH_H
#define COPRA_GBOA_SIZING_SIZE_SEARCH_H

#include "algorithms/gboa/boa.h"

struct boa_size_request {
	const struct boa_setup *setup; /* the options' population and selected are ignored */
	int runs, needed;              /* success: `needed` of `runs` runs reach the optimum */
	int repeats;                   /* independent searches with different seeds */
	int32_t from, to;              /* populations, multiples of 64 */
	double precision; /* the bisection ends when the population that succeeds is at most (1 +
			     precision) times the one that fails */
	/* Called after each population; may be NULL. */
	void (*progress)(void *context, int repeat, int32_t population, int successes);
	void *context;
};

/* The runs with one population, over all repeats that tried it. */
struct boa_size_point {
	int32_t population;
	int runs, successes;
	double generations, evaluations; /* means per run */
	double seconds;                  /* of all runs */
};

struct boa_size_outcome {
	struct boa_size_point *points; /* ascending by population */
	int count, capacity;
	int32_t *found; /* of each finished repeat: the population; 0 if `to` is too small */
	int ended;
	double population;  /* mean over the repeats that found one; 0 where none did */
	double evaluations; /* mean per run, at the populations found */
	double seconds;     /* of all runs */
};

/* Every run is verified. The caller destroys the outcome, also after an error. ERR_USAGE: the
 * optimum is not known, or the request is invalid. ERR_LIMIT: the outcome holds what was found so
 * far. */
int boa_size_search(const struct boa_size_request *q, struct boa_size_outcome *out, struct err *e);
void boa_size_outcome_destroy(struct boa_size_outcome *out);

#endif
