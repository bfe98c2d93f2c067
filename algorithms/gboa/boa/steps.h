/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a generation other than learning, on the host, bit by bit as boa.h defines them.
 *
 * `plain`: one individual at a time in one thread, in the most direct way (serial, published).
 * Otherwise in words and vectors by the threads of `team` (NULL: the calling thread only). Both
 * give the same results. */
#ifndef COPRA_GBOA_BOA_STEPS_H
#define COPRA_GBOA_BOA_STEPS_H

#include "algorithms/gboa/boa/network.h"
#include "harness/base/team.h"
#include "kernels/gboa/fitness.h"

/* Population 0: n rows of boa_words(count) words, `stride` apart. */
void boa_first_population(uint64_t seed, int32_t n, int32_t count, size_t stride, uint32_t *words);

/* Positions of the `selected` fittest of `count` individuals, ascending; ties: the lowest first. */
void boa_select(const int32_t *fitness, int32_t count, int32_t selected, int32_t *positions);

/* Copies the columns of `from` at `positions` (ascending) to the first columns of `to`, whose rows
 * are `to_stride` words apart. */
void boa_gather(const struct boa_data *from, const int32_t *positions, int32_t count, uint32_t *to,
		size_t to_stride, bool plain, struct team *team);

/* Samples `count` offspring, a multiple of 32, into rows `stride` words apart. ERR_MEMORY. */
int boa_sample(const struct boa_network *b, uint64_t seed, uint32_t generation, int32_t count,
	       uint32_t *words, size_t stride, bool plain, struct team *team, struct err *e);

/* Computes the fitness of `count` individuals, packed as in struct boa_data. */
void boa_evaluate(const struct landscape *l, const uint32_t *words, size_t stride, int32_t count,
		  int32_t *fitness, bool plain, struct team *team);

/* The description of the landscape for kernels. `data`: l->data, or its copy on a device. */
static inline struct boa_fitness boa_landscape_fitness(const struct landscape *l,
						       const int32_t *data)
{
	_Static_assert((int)LANDSCAPE_TRAP == (int)BOA_TRAP &&
			       (int)LANDSCAPE_ADDITIVE == (int)BOA_ADDITIVE &&
			       (int)LANDSCAPE_HTRAP == (int)BOA_HTRAP &&
			       (int)LANDSCAPE_MAXSAT == (int)BOA_MAXSAT &&
			       (int)LANDSCAPE_KNAPSACK == (int)BOA_KNAPSACK &&
			       (int)LANDSCAPE_HTRAP_VALUES == (int)BOA_HTRAP_VALUES,
		       "the kinds and data of a landscape are those of the kernels");
	return (struct boa_fitness){ (int32_t)l->kind, l->n,        l->parameter, l->terms,
				     l->least,         l->greatest, data };
}

/* True if every variable has the same value in all individuals. */
bool boa_all_alike(const struct boa_data *d);

#endif
