/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The Bayesian Dirichlet kernel of gBOA (Figure 6 of Munawar et al. 2009). */
#ifndef COPRA_KERNELS_GBOA_PUBLISHED_H
#define COPRA_KERNELS_GBOA_PUBLISHED_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/gboa/arithmetic.h"
#include "harness/device/device.h"

/* How the kernel counts. LITERAL is the paper's; the others are rungs of the ladder. */
enum boa_bd_form {
	/* Candidate by candidate, each by all threads: a pass over the population that reads the
	 * bits of the parents, of the variable and of the candidate. The data structures are in
	 * shared memory. */
	BOA_BD_LITERAL,
	BOA_BD_GLOBAL, /* the same, with Count, Gain and List in global memory (section V) */
	/* Candidates in groups that shared memory holds: a pass over the population for each group,
	 * which reads the parents and the variable of an individual once. */
	BOA_BD_GROUPS,
	BOA_BD_WORDS, /* groups; words of 32 individuals, a warp per candidate, no atomics */
};

/* Steps of the kernel that are timed, in clock ticks of thread 0 of each block. */
enum boa_bd_step {
	BOA_BD_FIND,  /* 1 and 2: indexes, probable parents */
	BOA_BD_COUNT, /* 3: parent configurations */
	BOA_BD_GAIN,  /* 4: gains, and the best of each thread */
	BOA_BD_MAX,   /* 5: MaxGain, by one thread */
	BOA_BD_STEPS
};

/* All pointers are to device memory. */
struct boa_bd {
	enum boa_bd_form form;
	int32_t n;                    /* variables, one block for each; 1 .. 65536 */
	int32_t count;                /* individuals */
	int32_t k;                    /* maximum number of parents */
	int32_t ranks;                /* only variables of ranks 0 .. ranks - 1 are learned */
	const uint8_t *population;    /* [variable * count + individual], 0 or 1 */
	const uint32_t *words;        /* WORDS, instead: rows of (count + 31) / 32 words */
	const int32_t *rank;          /* [variable]: the paper's perm */
	const uint32_t *ln_factorial; /* boa_k2_cell */
	int32_t *parent_count;        /* [variable], written for those ranks */
	int32_t *parents;             /* [variable * k + number] */
	int32_t together;             /* candidates counted together; LITERAL, GLOBAL: n */
	unsigned char *structures;    /* GLOBAL: n x boa_bd_structures() bytes */
	unsigned long long *ticks;    /* BOA_BD_STEPS sums over all blocks; added to */
};

/* A block's shared memory, in this order: */
struct boa_bd_block {
	int32_t length, added; /* of the list; position of the parent just added, or -1 */
	int32_t parent[BOA_PARENTS_MAX];
	unsigned long long ticks[BOA_BD_STEPS], last;
	/* int32_t local_gain[threads], local_at[threads]  LocalMaxGain, its position in the list
	 * The data structures; GLOBAL: in global memory
	 * int32_t gain[together]                          Gain
	 * uint32_t tally[together << (k + 1)]             Count, of the last parent's round
	 * uint16_t list[n]                                List: who may become a parent */
};

static inline size_t boa_bd_structures(const struct boa_bd *b)
{
	size_t tally = sizeof(uint32_t) << (b->k + 1), list = sizeof(uint16_t) * (size_t)b->n;

	return (size_t)b->together * (sizeof(int32_t) + tally) + (list + 3) / 4 * 4;
}

static inline size_t boa_bd_shared(const struct boa_bd *b, int threads)
{
	return sizeof(struct boa_bd_block) + 2 * sizeof(int32_t) * (size_t)threads +
	       (b->form == BOA_BD_GLOBAL ? 0 : boa_bd_structures(b));
}

struct boa_published_kernels {
	/* Launches the kernel and returns without waiting. threads: of a block, 32 .. 1024. */
	int (*bd)(struct dev_stream *s, const struct boa_bd *b, int threads, struct err *e);
};

DEV_KERNELS(struct boa_published_kernels, boa_published_kernels);

#endif
