/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Models of hierarchical BOA: a decision graph for each variable (kernels/gboa/hboa.h), and
 * sampling from them. */
#ifndef COPRA_GBOA_HBOA_GRAPHS_H
#define COPRA_GBOA_HBOA_GRAPHS_H

#include "algorithms/gboa/boa.h"
#include "harness/base/team.h"
#include "kernels/gboa/hboa.h"

struct hboa_model {
	int32_t n;
	int32_t *rank, *order;    /* n: the permutation of the generation; variables by rank */
	struct hboa_graph *graph; /* n */
};

/* ERR_MEMORY. */
int hboa_model_create(struct hboa_model *m, int32_t n, struct err *e);
/* Also accepts a struct of zeros. */
void hboa_model_destroy(struct hboa_model *m);
/* Sets rank and order for a generation. ERR_MEMORY. */
int hboa_set_order(struct hboa_model *m, uint64_t seed, uint32_t generation, struct err *e);
/* The number of pairs (v, u) such that the graph of v tests u. */
int64_t hboa_edges(const struct hboa_model *m);

/* Apply a split or a merge (hboa.h) to a graph. The thresholds are not changed. */
void hboa_graph_split(struct hboa_graph *g, int32_t leaf, int32_t variable);
void hboa_graph_merge(struct hboa_graph *g, int32_t leaf, int32_t other);

/* Samples `count` offspring, a multiple of 32, into rows `stride` words apart. `plain`: one
 * individual at a time (serial). Otherwise in words by the threads of `team` (NULL: the calling
 * thread only). Both give the same result. */
void hboa_sample(const struct hboa_model *m, uint64_t seed, uint32_t generation, int32_t count,
		 uint32_t *words, size_t stride, bool plain, struct team *team);

#endif
