/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Solutions in the form of `solve --json`, checked and evaluated by the oracles: plain code that
 * shares nothing with any solver. All numbers are 0-based. ERR_INPUT names the first fault of the
 * solution. */
#ifndef COPRA_DATASETS_EVALUATE_H
#define COPRA_DATASETS_EVALUATE_H

#include "datasets/atsp/atsp.h"
#include "datasets/flowshop/flowshop.h"
#include "datasets/knapsack/knapsack.h"
#include "datasets/landscape/landscape.h"

/* The profit of the items at `length` different positions. ERR_MEMORY. */
int evaluate_knapsack(const struct knapsack *k, const int64_t *solution, size_t length,
		      int64_t *objective, struct err *e);
/* The makespan of an order of all jobs. */
int evaluate_flowshop(const struct flowshop *f, const int64_t *solution, size_t length,
		      int64_t *objective, struct err *e);
/* The cost of a closed tour through all cities. */
int evaluate_atsp(const struct atsp *a, const int64_t *solution, size_t length, int64_t *objective,
		  struct err *e);
/* The objective of one value, 0 or 1, for each variable. ERR_MEMORY. */
int evaluate_landscape(const struct landscape *l, const int64_t *solution, size_t length,
		       int64_t *objective, struct err *e);

#endif
