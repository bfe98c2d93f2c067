/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Learning on the host: a network and its tables from data.
 *
 * The construction is greedy by the K2 metric (kernels/gboa/arithmetic.h). Among the variables that
 * may still become a parent of v, the one with the greatest gain is added (ties: the lowest index),
 * while that gain is above 0 and v has fewer than k parents.
 *
 * BOA_PERMUTED: u may be a parent of v if rank[u] < rank[v]. Variables are learned independently
 * (Figure 4 of the paper).
 *
 * BOA_SEARCHED: of all edges (u, v) that close no cycle, the one with the greatest gain is added
 * (ties: the lowest v, then the lowest u), until no edge gains (Pelikan's simple BOA).
 *
 * The learner of cpu keeps the data in words and counts families by population counts. Only
 * variables that have both values take part; a variable with a single value gains nothing from
 * parents and is useless as a parent. The variables that take part are called kept and are numbered
 * in the order of their ranks: kept variable c may have the parents 0 .. c - 1.
 *
 * Counts are of subsets: for a set S of the family of v (v itself and its parents), the number of
 * individuals in which all of S are 1. To choose the next parent, the same counts are needed with
 * each candidate u added; those of sets without the newest parent are already known. The counts of
 * configurations are differences of these counts (Moebius inversion). */
#ifndef COPRA_GBOA_BOA_LEARN_H
#define COPRA_GBOA_BOA_LEARN_H

#include "algorithms/gboa/boa/network.h"
#include "harness/base/team.h"

/* Memory that learning reuses between generations. */
struct boa_learner;

/* A learner for data of n variables and `count` individuals. `plain`: individual by individual from
 * bytes, in one thread, as the paper does (always for BOA_SEARCHED). Otherwise in words and vectors
 * by `team`, which must outlive the learner (NULL: the calling thread only). */
int boa_learner_create(struct boa_learner **l, int32_t n, int32_t count,
		       const struct boa_options *o, bool plain, struct team *team, struct err *e);
void boa_learner_destroy(struct boa_learner *l);

/* Fills parents and thresholds of the variables of ranks first .. last - 1. BOA_PERMUTED reads
 * b->rank. BOA_SEARCHED writes it and always learns the whole network: first 0, last n. Learning
 * many variables takes minutes. Once `limit` (may be NULL) is reached, the function returns
 * ERR_LIMIT and leaves the network unfinished. Also ERR_MEMORY. */
int boa_learn(struct boa_learner *l, const struct boa_data *d, struct boa_network *b, int32_t first,
	      int32_t last, const struct boa_limit *limit, struct err *e);

#endif
