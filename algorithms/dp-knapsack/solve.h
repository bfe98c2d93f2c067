/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The sub-commands `solve` and `list` of dp-knapsack. */
#ifndef COPRA_DP_KNAPSACK_SOLVE_H
#define COPRA_DP_KNAPSACK_SOLVE_H

#include "harness/bench/solve.h"
#include "algorithms/dp-knapsack/dp.h"

extern const struct solve_spec dp_solve_spec;
/* The ladder, ended by a NULL name. */
extern const struct solve_rung dp_rungs[];
/* Sets the form of the rung's variant in the request. Rungs compute the value only, as the paper's
 * algorithm does. */
void dp_rung_apply(const struct solve_rung *rung, struct dp_request *r);

/* `solve` on a loaded instance: divides by a common factor of the weights, solves, verifies and
 * fills *r. `memory`: bytes for reconstructing the items; 0: half of the free memory. */
int dp_solve_instance(const struct solve_options *common, int64_t memory, const struct knapsack *k,
		      struct solve_result *r, struct err *e);

/* "pageable", "pinned", NULL: the CPU memory of published's exchanges. */
extern const char *const dp_transfer_words[];
/* Prints the instances and variants for the sub-command `list`. */
int dp_list(struct err *e);

/* Runs the solver of a variant. */
int dp_solve(enum solve_variant v, const struct dp_request *r, struct dp_answer *a, struct err *e);

#endif
