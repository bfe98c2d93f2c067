/* The sub-commands `solve` and `list` of dp-knapsack. */
#ifndef COPRA_DP_KNAPSACK_SOLVE_H
#define COPRA_DP_KNAPSACK_SOLVE_H

#include "harness/bench/solve.h"
#include "algorithms/dp-knapsack/knapsack_dp.h"

extern const struct solve_spec kp_solve_spec;
int kp_list(struct err *e);

/* The solver of a variant. */
int kp_solve(enum solve_variant v, const struct kp_request *r, struct kp_answer *a, struct err *e);

/* Text to form: auto, fused, class, merged. ERR_USAGE else. */
int kp_form_parse(enum kp_form *form, const char *text, struct err *e);

#endif
