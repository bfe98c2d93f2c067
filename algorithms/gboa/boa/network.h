/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Bayesian networks of binary variables, and what learning them on the host needs: the permutation
 * of a generation, the table of factorials, and conditional tables. */
#ifndef COPRA_GBOA_BOA_NETWORK_H
#define COPRA_GBOA_BOA_NETWORK_H

#include "algorithms/gboa/boa.h"

struct boa_network {
	int32_t n, k;
	/* Variables are sampled in the order of their ranks; parents have lower ranks. The ranks
	 * are the permutation of the generation (BOA_PERMUTED), or a topological order in which
	 * ties go to the lowest index (BOA_SEARCHED). */
	int32_t *rank;         /* n */
	int32_t *parent_count; /* n, each 0 .. k */
	int32_t *parents;      /* n x k: row v holds the parents of v in the order of insertion */
	/* thresholds[v << k | a] for configurations a < 2^parent_count[v]; bit r of a is the value
	 * of parent r. 0 .. BOA_ONE, see boa_threshold. Other entries are not set. */
	uint32_t *thresholds; /* n << k */
};

/* ERR_MEMORY. */
int boa_network_create(struct boa_network *b, int32_t n, int32_t k, struct err *e);
/* Also accepts a struct of zeros. */
void boa_network_destroy(struct boa_network *b);

/* Computes the thresholds of one variable from the counts of the data. Its parents must be set.
 * `plain`: one individual at a time, otherwise by words. */
void boa_fill_thresholds(const struct boa_data *d, enum boa_smoothing smoothing, bool plain,
			 struct boa_network *b, int32_t variable);

/* rank[v] for all v: the permutation of a generation (boa_order_key). ERR_MEMORY. */
int boa_permutation(uint64_t seed, uint32_t generation, int32_t n, int32_t *rank, struct err *e);

/* The table for K2 scores of `count` individuals (boa_k2_cell). */
struct boa_k2_table {
	uint32_t *at;  /* at[m] = ln m! x 2^scale, rounded, modulo 2^32; m = 0 .. count + 1 */
	int32_t count; /* individuals */
	int scale;     /* fraction bits, at most 26: gains, at most count x ln 2, fit 31 bits */
};

/* count 1 .. 2^20. ERR_MEMORY. */
int boa_k2_table_create(struct boa_k2_table *t, int32_t count, struct err *e);
void boa_k2_table_destroy(struct boa_k2_table *t);

#endif
