/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Hierarchical BOA (algorithms/gboa/hboa/hboa.h defines it).
 *
 * The first part is for host and device: decision graphs, random numbers, gains of operators.
 *
 * The second part is the interface of the kernels. Five launches make a generation of many
 * concurrent runs, without transfers. struct hboa_progress holds the state of a run; a run that has
 * ended does not change any more. */
#ifndef COPRA_KERNELS_GBOA_HBOA_H
#define COPRA_KERNELS_GBOA_HBOA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/hd.h"
#include "harness/device/device.h"
#include "kernels/gboa/arithmetic.h"
#include "kernels/gboa/fitness.h"

enum { HBOA_LEAVES_MAX = 128, HBOA_SPLITS_MAX = HBOA_LEAVES_MAX - 1 };

/* child[x]: the next node where the variable is x. A value >= 0 is the number of a later split;
 * -1 - l stands for leaf l. */
struct hboa_split {
	int32_t variable;
	int16_t child[2];
};

/* The graph of one variable. Split 0 is the root; a graph without splits consists of leaf 0. Each
 * split has a higher number than the splits that lead to it. */
struct hboa_graph {
	int32_t splits, leaves;
	struct hboa_split split[HBOA_SPLITS_MAX];
	uint32_t threshold[HBOA_LEAVES_MAX]; /* of a leaf: boa_threshold */
};

/* ---- random numbers: purposes BOA_OTHER and BOA_OTHER + 1 ---- */

/* A number in 0 .. count - 1. */
HD uint32_t hboa_below(uint32_t random, uint32_t count)
{
	return (uint32_t)((uint64_t)random * count >> 32);
}

HD struct philox4 hboa_contestants(uint64_t seed, uint32_t generation, uint32_t tournament,
				   uint32_t quarter)
{
	return philox_7(tournament, quarter, generation, BOA_OTHER, seed);
}

/* The slot of contestant d of tournament j. */
HD uint32_t hboa_contestant(uint64_t seed, uint32_t generation, uint32_t j, uint32_t d,
			    uint32_t population)
{
	return hboa_below(hboa_contestants(seed, generation, j, d >> 2).word[d & 3], population);
}

HD struct philox4 hboa_window_draws(uint64_t seed, uint32_t generation, uint32_t offspring,
				    uint32_t quarter)
{
	return philox_7(offspring, quarter, generation, (uint32_t)BOA_OTHER + 1, seed);
}

/* The slot of draw d of offspring i. */
HD uint32_t hboa_window_slot(uint64_t seed, uint32_t generation, uint32_t i, uint32_t d,
			     uint32_t population)
{
	return hboa_below(hboa_window_draws(seed, generation, i, d >> 2).word[d & 3], population);
}

/* ---- gains ---- */

/* Half of ln `count`, in the units of the table of `count` individuals. */
HD uint32_t hboa_penalty(const uint32_t *ln_factorial, int32_t count)
{
	return (ln_factorial[count] - ln_factorial[count - 1]) / 2;
}

/* The gain of splitting a leaf that has `zeros` and `ones`; `zeros_there` and `ones_there` of them
 * move to the new leaf. */
HD int32_t hboa_split_gain(const uint32_t *ln_factorial, uint32_t zeros, uint32_t ones,
			   uint32_t zeros_there, uint32_t ones_there, uint32_t penalty)
{
	return (int32_t)(boa_k2_cell(ln_factorial, zeros - zeros_there, ones - ones_there) +
			 boa_k2_cell(ln_factorial, zeros_there, ones_there) -
			 boa_k2_cell(ln_factorial, zeros, ones) - penalty);
}

/* False if no split of this leaf can gain. The logarithm of the beta function is convex, so the
 * best split either separates zeros from ones or does nothing. The constant 4 covers the rounding
 * of the table. */
HD bool hboa_worth_a_split(const uint32_t *ln_factorial, uint32_t zeros, uint32_t ones,
			   uint32_t penalty)
{
	return hboa_split_gain(ln_factorial, zeros, ones, 0, ones, penalty) > -4;
}

/* An operator (a split or a merge) as one number: the best operator is the greatest number. 0
 * stands for no operator: the gain is not above 0. */
HD uint64_t hboa_operator(int32_t gain, uint32_t merge, uint32_t leaf, uint32_t other)
{
	return gain <= 0 ? 0 : (uint64_t)(uint32_t)gain << 32 | ~(merge << 31 | leaf << 16 | other);
}

HD int32_t hboa_operator_gain(uint64_t op)
{
	return (int32_t)(op >> 32);
}

HD bool hboa_operator_merges(uint64_t op)
{
	return ~(uint32_t)op >> 31;
}

HD uint32_t hboa_operator_leaf(uint64_t op)
{
	return ~(uint32_t)op >> 16 & 0x7fff;
}

/* The variable of a split, or the second leaf of a merge. */
HD uint32_t hboa_operator_other(uint64_t op)
{
	return ~(uint32_t)op & 0xffff;
}

HD uint64_t hboa_merge_operator(const uint32_t *ln_factorial, const uint32_t *zeros,
				const uint32_t *ones, uint32_t l, uint32_t m, uint32_t penalty)
{
	uint32_t gain = boa_k2_cell(ln_factorial, zeros[l] + zeros[m], ones[l] + ones[m]) -
			boa_k2_cell(ln_factorial, zeros[l], ones[l]) -
			boa_k2_cell(ln_factorial, zeros[m], ones[m]) + penalty;

	return hboa_operator((int32_t)gain, 1, l, m);
}

/* ---- kernels ---- */

struct hboa_progress {
	uint64_t seed;
	uint64_t best_key; /* fitness, then the lowest index, of the individuals evaluated last */
	int64_t edges;
	int32_t best; /* best fitness of the run */
	int32_t generations;
	int32_t done;       /* stop_at_optimum is set and the optimum has been found */
	int32_t differ;     /* 1 + the last generation whose selected were not all alike */
	uint32_t meetings;  /* arrivals at barriers of the blocks that work on the same run */
	uint32_t tag;       /* tag of the last lists of replacements; the next is tag + 1 */
	int32_t changed[3]; /* zeros between generations */
	int32_t next_rank;  /* the next variable to learn; below 0: none */
};

/* The individual of the old population nearest to an offspring: draw number and slot. */
struct hboa_nearest {
	int32_t distance, draw, slot;
};

/* The numbers of individuals of a leaf in which a candidate is 1, and of those among them in which
 * the variable being learned is 1 as well. */
struct hboa_count {
	uint32_t there, ones;
};

/* All pointers are to device memory. Each array holds the elements of run 0, then those of run 1,
 * and so on; the comments state the number of elements of a run. */
struct hboa_arguments {
	int32_t n, population, selected, offspring, tournament, window, runs;
	int32_t merges, smoothing;
	int32_t stop_at_optimum, optimum, stop_converged;
	int32_t row; /* words of an individual: 2 ((n + 63) / 64) */
	struct boa_fitness landscape;
	const uint32_t *ln_factorial;    /* boa_k2_cell */
	struct hboa_progress *run;       /* 1 */
	uint32_t *rows, *offspring_rows; /* population x row, offspring x row */
	int32_t *fitness, *offspring_fitness;
	uint32_t *best_row;        /* row */
	int32_t *rank, *order;     /* n: permutation, and variables by rank */
	uint32_t *data;            /* the selected: word w of rank r is data[w * n + r] */
	struct hboa_graph *graph;  /* n */
	struct hboa_nearest *near; /* offspring */
	int32_t *target;           /* offspring: the slot that each takes, or -1 */
	/* Two sets of lists of the offspring that take a slot. head (2 x population): tag and first
	 * offspring. next (2 x offspring): the next offspring, or -1. */
	uint64_t *head;
	int32_t *next;
	int32_t learners; /* blocks that learn, for each run */
	/* HBOA_LEAVES_MAX x n for each of these blocks. */
	struct hboa_count *counts;
	/* Masks of its leaves, HBOA_LEAVES_MAX x selected / 32, if they do not fit into shared
	 * memory, else NULL. */
	uint32_t *masks;
};

struct hboa_kernels {
	/* Makes population 0 of all runs. In each struct hboa_progress, seed must be set, best be
	 * INT32_MIN, and the rest zero; `head` must be zero. */
	int (*first)(struct dev_stream *s, const struct hboa_arguments *t, struct err *e);
	/* Makes one generation. */
	int (*generation)(struct dev_stream *s, const struct hboa_arguments *t, struct err *e);
	/* Bytes of shared memory of a block that learns, and of one that samples. */
	size_t (*learn_shared)(const struct hboa_arguments *t);
	size_t (*sample_shared)(const struct hboa_arguments *t);
};

DEV_KERNELS(struct hboa_kernels, hboa_kernels);

#endif
