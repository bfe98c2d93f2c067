/* Exact optima of landscapes that are sums of terms. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_EXACT_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_EXACT_H

#include "datasets/landscape/landscape.h"

/* Optimum of an ADDITIVE or MAXSAT landscape by eliminating one variable after the other
 * (non-serial dynamic programming: Bertele, Brioschi 1972), the one with the fewest neighbours
 * first. 0, or ERR_LIMIT where there are more than 1024 variables or 16384 terms, or its tables
 * would have more than 2^22 values together (20 variables pass with any terms that are not many
 * and long; sparse ones of more variables do); ERR_MEMORY. */
int landscape_eliminate(const struct landscape *l, int64_t *optimum, struct err *e);

/* Sets the optimum of l where landscape_eliminate finds it. ERR_MEMORY. */
int landscape_try_elimination(struct landscape *l, struct err *e);

/* Coupling e of a torus: 2 v joins variable v = row * side + column with the next in its row,
 * 2 v + 1 with the next in its column. 0: satisfied by equal spins; 1: by unequal ones. */
uint8_t landscape_ising_unequal(uint64_t seed, int64_t coupling);

/* The most couplings of a torus that spins can satisfy, side 2 .. 16: for each first row, dynamic
 * programming over the states of one row (a transfer matrix of sums instead of products). Time and
 * memory grow as 4^side side^2 and 2^side. ERR_MEMORY. */
int landscape_ising_transfer(int32_t side, uint64_t seed, int64_t *optimum, struct err *e);

#endif
