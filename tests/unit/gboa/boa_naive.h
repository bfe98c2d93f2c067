/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Test data, and the steps of a generation implemented in the plainest way, from the definitions in
 * boa.h, learn.h and kernels/gboa/arithmetic.h: bit by bit, on bytes, with their own Philox. They
 * share no code with what they check. */
#ifndef COPRA_TESTS_UNIT_GBOA_BOA_NAIVE_H
#define COPRA_TESTS_UNIT_GBOA_BOA_NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/gboa/boa/learn.h"
#include "harness/base/rng.h"

struct sample {
	int n, count;
	uint8_t *value; /* variable v of individual i at i n + v */
	struct boa_data data;
};

/* A sample with all values 0, not packed yet. */
struct sample sample_of_zeros(int n, int count);

/* Returns the address of the value of a variable. */
uint8_t *sample_at(const struct sample *s, int individual, int variable);

/* Packs the values into s->data, with `spare` words more than needed in a row. */
void sample_pack(struct sample *s, size_t spare);

void sample_destroy(struct sample *s);

/* Variables that copy one another with some noise, are constant, or are independent. */
struct sample sample_mixed(int n, int count, uint64_t seed);

/* ln m! in fixed point of the given scale. */
uint32_t naive_ln_factorial(uint32_t m, int scale);

/* The number of individuals in which v = x and parent r equals bit r of `configuration`. */
uint32_t naive_count(const struct sample *s, int v, int x, const int32_t *parent, int parents,
		     int configuration);

/* The K2 score of v in fixed point of the given scale. */
uint32_t naive_score(const struct sample *s, int v, const int32_t *parent, int parents, int scale);

/* The number of fraction bits as struct boa_k2_table defines it, with room for `count` x ln 2 and a
 * margin. */
int naive_scale(int count);

struct naive_network {
	int parents[256];
	int32_t parent[256][BOA_PARENTS_MAX];
};

/* The networks of pBOA (with these ranks) and of sBOA. */
void naive_permuted(const struct sample *s, const int32_t *rank, int k, struct naive_network *b);

void naive_searched(const struct sample *s, int k, struct naive_network *b);

/* Fails unless the thresholds follow from the data. */
void check_thresholds(const struct sample *s, const struct boa_network *b,
		      enum boa_smoothing smoothing);

/* Fails unless the parents equal those of the naive network. */
void check_parents(const struct boa_network *b, const struct naive_network *naive);

/* Fails unless the ranks are a permutation, and the parents of a variable differ and have lower
 * ranks. */
void check_order(const struct boa_network *b);

/* Fails unless both networks have the same parents and thresholds. */
void check_same(const struct boa_network *a, const struct boa_network *b);

/* An empty network. */
struct boa_network network_of(int n, int k);

/* Learns a network with the serial or the packed learner. For BOA_PERMUTED its ranks must be set.
 */
void learn_by(const struct sample *s, const struct boa_options *o, bool serial, int threads,
	      struct boa_network *b);

/* ---- steps other than learning ---- */

/* Variable v of individual i of population 0. */
int naive_initial_bit(uint64_t seed, int32_t v, int32_t i);

/* The 16-bit number of variable v of offspring i. */
uint32_t naive_number(uint64_t seed, int32_t generation, int32_t v, int32_t i);

/* rank[v]: the number of variables with a smaller key, or the same key and a lower index. */
void naive_ranks(uint64_t seed, int32_t generation, int32_t n, int32_t *rank);

int naive_bit(const uint32_t *words, size_t stride, int32_t v, int32_t i);

/* The configuration of the parents of v in individual i. */
uint32_t naive_configuration(const struct boa_network *b, const uint32_t *words, size_t stride,
			     int32_t v, int32_t i);

/* Sets the positions of the selected individuals and returns their number. An individual is
 * selected if fewer than `selected` others precede it. */
int32_t naive_select(const int32_t *fitness, int32_t count, int32_t selected, int32_t *positions);

/* ---- individuals packed by variable ---- */

/* All bits zero; each row has `spare` words more than needed. The caller frees `words`. */
struct boa_data individuals_zero(int32_t n, int32_t count, size_t spare);

void individuals_set(const struct boa_data *d, int32_t v, int32_t i, int value);

/* Each bit is random. */
struct boa_data individuals_random(int32_t n, int32_t count, size_t spare, struct rng *r);

/* Dependent bits: each variable is, in most individuals, a function of two earlier variables. */
struct boa_data individuals_related(int32_t n, int32_t count, size_t spare, struct rng *r);

void individuals_free(struct boa_data *d);

#endif
