/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Selection and replacement of hierarchical BOA on the host: tournaments, and restricted
 * tournaments between an offspring and the most similar individual. */
#ifndef COPRA_GBOA_HBOA_TOURNAMENTS_H
#define COPRA_GBOA_HBOA_TOURNAMENTS_H

#include "algorithms/gboa/boa.h"
#include "harness/base/team.h"
#include "kernels/gboa/hboa.h"

/* Individuals row by row, for distances: 64 variables in a word. Variable v of individual i is bit
 * v % 64 of words[i * stride + v / 64]; bits beyond the last variable are 0. */
struct hboa_rows {
	int32_t n, count;
	size_t stride; /* (n + 63) / 64 */
	uint64_t *words;
};

/* ERR_MEMORY. */
int hboa_rows_create(struct hboa_rows *r, int32_t n, int32_t count, struct err *e);
void hboa_rows_destroy(struct hboa_rows *r);
/* Fills the rows from individuals packed by variable, `stride` words apart. */
void hboa_rows_from(struct hboa_rows *r, const uint32_t *words, size_t stride, struct team *team);
/* Packs the rows `slots` (NULL: 0, 1, ...) by variable; `count` is a multiple of 32. */
void hboa_rows_to(const struct hboa_rows *r, const int32_t *slots, int32_t count, uint32_t *words,
		  size_t stride, struct team *team);

/* Sets slots[j] to the slot of the winner of tournament j, for the `selected` tournaments of a
 * generation. */
void hboa_select(const struct boa_options *o, uint64_t seed, uint32_t generation,
		 const int32_t *fitness, int32_t *slots, struct team *team);

/* W: the option `window`; if that is 0, the smaller of n and a twentieth of the population
 * (Pelikan). */
int32_t hboa_window(const struct boa_options *o, int32_t n);

/* The restricted tournaments of a generation, with memory that is kept between generations. */
struct hboa_tournaments;

/* `plain`: one offspring at a time (serial). Otherwise by the threads of `team` (NULL: the calling
 * thread only). Both give the same result. ERR_MEMORY. */
int hboa_tournaments_create(struct hboa_tournaments **t, int32_t n, const struct boa_options *o,
			    bool plain, struct team *team, struct err *e);
void hboa_tournaments_destroy(struct hboa_tournaments *t);
/* Performs step 6 of hboa.h: changes population and fitness. */
void hboa_replace(struct hboa_tournaments *t, uint64_t seed, uint32_t generation,
		  struct hboa_rows *population, int32_t *fitness, const struct hboa_rows *offspring,
		  const int32_t *offspring_fitness);

#endif
