/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The inner loops of the packed learner (learn.h), in vectors: counts of sets with all candidates,
 * and the choice of the candidate with the greatest gain. */
#ifndef COPRA_GBOA_BOA_LEARN_COUNTS_H
#define COPRA_GBOA_BOA_LEARN_COUNTS_H

#include "algorithms/gboa/boa/network.h"

/* The number of candidates counted together, and the number of words counted before the next
 * target: they fit into a first-level cache. */
enum { BOA_PACK_TILE = 64, BOA_PACK_WORDS = 96 };

/* Candidates in tiles: word w of kept variable c is at
 * ((c / BOA_PACK_TILE) words + w) BOA_PACK_TILE + c % BOA_PACK_TILE. */
struct boa_pack {
	size_t words;
	uint32_t *tiles;
};

/* A set to be counted with the candidates. */
struct boa_pack_job {
	const uint32_t *set; /* words: the individuals in which all of the set are 1 */
	uint32_t *counts;    /* by candidate; counts are added here */
};

/* Adds the counts with candidates 0 .. candidates - 1, rounded up to whole vectors. */
void boa_pack_count(const struct boa_pack *p, int32_t candidates, const struct boa_pack_job *job,
		    int jobs);

struct boa_pack_choice {
	int32_t gain;      /* 0: no candidate gains */
	int32_t candidate; /* kept variable */
};

/* Returns the candidate with the greatest gain; ties go to the lowest variable.
 *
 *   variable   the variable of each candidate; readable up to a whole vector
 *   counts[S]  the counts of set S with each candidate. Bit 0 of S stands for the variable being
 *              learned, bit r + 1 for its parent r
 *   total      the counts of configurations; bit 0 of the index is the value of the variable
 *   score      the present score of the variable */
struct boa_pack_choice boa_pack_choose(const struct boa_k2_table *ln, const uint32_t *variable,
				       int parents, int32_t candidates, uint32_t *const *counts,
				       const uint32_t *total, uint32_t score);

/* Turns counts of sets into counts of configurations, in place; 2^sets values. */
static inline void boa_pack_configurations(uint32_t *count, int sets)
{
	for (int s = 0; s < sets; s++)
		for (uint32_t c = 0; c < UINT32_C(1) << sets; c++)
			if (!(c >> s & 1))
				count[c] -= count[c | UINT32_C(1) << s];
}

#endif
