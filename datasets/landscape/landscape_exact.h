/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Exact optima of landscapes that are sums of terms. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_EXACT_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_EXACT_H

#include "datasets/landscape/landscape.h"
#include "harness/base/rng.h"

/* Sets the optimum of an ADDITIVE or MAXSAT landscape by variable elimination (non-serial dynamic
 * programming: Bertele, Brioschi 1972), the variable with the fewest neighbours first. Leaves l
 * unchanged if there are more than 1024 variables or 16384 terms, or the tables would have more
 * than 2^22 values in total. Functions of up to 20 variables are within the limits unless they have
 * many long terms; so are sparse functions of more variables. ERR_MEMORY. */
int landscape_try_elimination(struct landscape *l, struct err *e);

/* Whether a coupling of a torus is satisfied by unequal spins (1) or by equal ones (0). Coupling 2
 * v joins variable v = row * side + column with the next in its row, 2 v + 1 with the next in its
 * column. */
static inline uint8_t landscape_ising_unequal(uint64_t seed, int64_t coupling)
{
	return (uint8_t)(rng_at(seed, (uint64_t)coupling) >> 63);
}

/* The largest number of couplings of a torus that spins can satisfy, for sides 2 .. 16, by dynamic
 * programming over the states of one row for each state of the first row (a transfer matrix in the
 * max-plus algebra). Time grows as 4^side side^2, memory as 2^side. ERR_MEMORY. */
int landscape_ising_transfer(int32_t side, uint64_t seed, int64_t *optimum, struct err *e);

#endif
