/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* 0-1 knapsack instances: maximise sum p_i x_i subject to sum w_i x_i <= C, x_i in {0,1}.
 *
 * Known names:  boyer:N[:SEED]                    the generator of Boyer et al. 2011, section IV
 *               hard:N:C:G:F:EPS:S[:SEED]         Jooken, Leyman, De Causmaecker 2022
 *               correlation:CLASS:N[:SEED]        Boyer's weights and capacity, profits by class:
 *                                                 strong, weak, uncorrelated, inverse, subset-sum
 * Files, in one of two formats that are distinguished by their first line:
 *   n, then n lines "index profit weight", then the capacity        (Jooken's)
 *   n C, then n lines "profit weight"
 *
 * All values have 64 bits. The sums of profits and of weights are checked for overflow when an
 * instance is made. */
#ifndef COPRA_DATASETS_KNAPSACK_KNAPSACK_H
#define COPRA_DATASETS_KNAPSACK_KNAPSACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

struct knapsack {
	char name[128];   /* "boyer-n10000-s1", or the file's base name */
	int64_t n;        /* >= 1 */
	int64_t capacity; /* >= 0 */
	int64_t *profit;  /* n values >= 0, in the order of the file */
	int64_t *weight;  /* n values >= 0; items heavier than C are allowed but never taken */
	int64_t sum_profit, sum_weight;
};

/* Loads a known name or a file. ERR_INPUT names the file and line of the first error. After an
 * error k is empty. */
int knapsack_load(struct knapsack *k, const char *name_or_file, struct err *e);

/* Makes an instance of the arrays, which it copies. ERR_INPUT names the first bad value. */
int knapsack_make(struct knapsack *k, const char *name, int64_t n, const int64_t *profit,
		  const int64_t *weight, int64_t capacity, struct err *e);

/* Write n, n lines "index profit weight" and the capacity to a stream (whose errors the caller
 * checks) or to a file. */
void knapsack_print(const struct knapsack *k, FILE *out);
int knapsack_write(const struct knapsack *k, const char *path, struct err *e);
void knapsack_free(struct knapsack *k);

/* Sets the optimum of a known instance; returns false if it is not known. All of them were computed
 * by copra with exact algorithms that no solver uses; `source` (may be NULL) receives which. */
bool knapsack_known_optimum(const struct knapsack *k, int64_t *optimum, const char **source);

/* ---- oracles: plain code that shares nothing with any solver ---- */

/* The value and the weight of the items with taken[i] != 0. */
void knapsack_evaluate(const struct knapsack *k, const uint8_t *taken, int64_t *value,
		       int64_t *weight);

/* The exact optimum, by an algorithm that has nothing in common with the dense dynamic programs of
 * the solvers: sparse states (weight, value) over a core that expands around the break item, with
 * dominance and upper bounds (after Pisinger, "A minimal algorithm for the 0-1 knapsack problem",
 * Operations Research 45, 1997). The code is deliberately plain. It takes milliseconds to seconds
 * on Boyer's instances; on hard instances the number of states may exceed `max_states`.
 * ERR_LIMIT if more than max_states states (0: 4 million) are needed at once or more than `seconds`
 * (0: no limit) pass; ERR_MEMORY. */
int knapsack_oracle(const struct knapsack *k, int64_t max_states, double seconds, int64_t *optimum,
		    struct err *e);
#endif
