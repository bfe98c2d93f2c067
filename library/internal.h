/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What the sources of the library share; not installed. */
#ifndef COPRA_LIBRARY_INTERNAL_H
#define COPRA_LIBRARY_INTERNAL_H

#include "datasets/atsp/atsp.h"
#include "datasets/flowshop/flowshop.h"
#include "datasets/knapsack/knapsack.h"
#include "datasets/landscape/landscape.h"
#include "harness/base/error.h"
#include "harness/bench/solve.h"
#include "library/copra.h"

enum { LIBRARY_TEXT = 64 };

enum library_problem {
	LIBRARY_KNAPSACK,
	LIBRARY_FLOWSHOP,
	LIBRARY_ATSP,
	LIBRARY_QUEENS,
	LIBRARY_LANDSCAPE
};

struct copra_instance {
	enum library_problem problem;
	char name[128];        /* of the instance */
	char problem_name[32]; /* "flowshop", "trap5" */
	struct knapsack knapsack;
	struct flowshop flowshop;
	struct atsp atsp;
	struct landscape landscape;
	char *landscape_instance; /* as given: the solver loads it again */
	int queens;
};

struct copra_settings {
	char device[LIBRARY_TEXT], ub[LIBRARY_TEXT], bound[LIBRARY_TEXT], branching[LIBRARY_TEXT],
		recovery[LIBRARY_TEXT]; /* "": the default */
	int64_t gpus, threads;          /* 0: all */
	uint64_t seed;
	double time_limit;
	int64_t memory;                        /* 0: most of what is free */
	int64_t population, generations, runs; /* -1: the default */
	int64_t beam, slots, look_ahead, distance;
	const volatile sig_atomic_t *stop;
};

struct copra_result {
	struct solve_result r;
};

/* Copies an error to the caller's structure, which may be NULL, and returns `status`. */
int library_error(copra_error *out, int status, const struct err *e);
/* ERR_USAGE "WHAT is NULL" if `argument` is. */
int library_given(const void *argument, const char *what, struct err *e);
/* The defaults of all keys. */
struct copra_settings library_defaults(void);
/* `settings`, or the defaults if it is NULL. */
struct copra_settings library_settings(const copra_settings *settings);
/* The setting `threads`, or all usable cores, at most `most`. */
int library_threads(const struct copra_settings *s, int most);

#endif
