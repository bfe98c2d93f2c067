/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `estimate`: the work of a knapsack before it is solved. */
#ifndef COPRA_DP_KNAPSACK_ESTIMATE_H
#define COPRA_DP_KNAPSACK_ESTIMATE_H

/* Returns the exit code. */
int dp_estimate_main(int argc, char **argv);

#endif
