/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A run of BOA as one cooperative kernel on a whole device.
 *
 * A generation has at most four barriers of the whole grid and `parents` barriers of some blocks:
 *
 *   select    Every block finds the same selected individuals from all fitness values.
 *             It gathers the bits of its own variables into the rows of their ranks.
 *   learn     Rounds 1 .. parents; each adds one parent to every variable that gains from
 *             one. Variables and candidates are in the order of ranks. A warp combines 16
 *             variables (a group) with 16 candidates (a piece): counts by binary matrix
 *             products, gains from a table of factorials in shared memory. A task is the
 *             work of a block at a time: at most 4 groups and 16 pieces, one for each warp.
 *   sample    A block samples a column (32 offspring). All warps compute the candidate
 *             words for all configurations of parents, then choose among them, one level
 *             of dependencies in each pass.
 *   evaluate  The same block evaluates the column from shared memory. */
#ifndef COPRA_KERNELS_GBOA_GRID_H
#define COPRA_KERNELS_GBOA_GRID_H

#include <stdint.h>

#include "kernels/gboa/fitness.h"
#include "harness/device/device.h"

enum {
	BOA_GRID_BLOCK = 512,
	BOA_GRID_WARPS = BOA_GRID_BLOCK / 32,
	BOA_GRID_GROUP = 16, /* variables, and candidates, of a warp's product */
	BOA_GRID_TASK_GROUPS = 4,
	BOA_GRID_PARENTS = 3, /* maximum */
	BOA_GRID_CHUNK = 80,  /* words of a row in shared memory at a time, a multiple of 16 */
	BOA_GRID_DIGIT = 11,  /* bits of fitness that one histogram distinguishes */
	BOA_GRID_BINS = 1 << BOA_GRID_DIGIT,
	BOA_GRID_TABLE = 128, /* bytes of shared memory before the table of factorials: the task,
				 the stop watch */
};

/* The work of a block in a round of learning. */
struct boa_grid_task {
	int16_t group[BOA_GRID_TASK_GROUPS]; /* -1: none */
	int16_t slot[BOA_GRID_WARPS];        /* of each warp: index into `group`; -1: none */
	int16_t against[BOA_GRID_WARPS];     /* the group of its candidates */
};

/* Steps of a generation, timed in clock ticks of one thread of block 0. Few, because the others
 * wait for that block: a reading takes 130 ticks. */
enum boa_grid_step {
	BOA_GRID_SELECT,
	BOA_GRID_LEARN,
	BOA_GRID_SAMPLE,
	BOA_GRID_EVALUATE,
	BOA_GRID_STEPS
};

/* The state of a run between launches and at its end. */
struct boa_grid_state {
	int32_t generation, kept, side; /* kept: words of survivors in a row of rows_of[side] */
	int32_t best, optimum, converged;
	int64_t edges;
	unsigned long long ticks[BOA_GRID_STEPS];
};

/* Arrival counters. They are 0 before a launch and only grow during it. */
struct boa_grid_counters {
	uint32_t met;    /* number of blocks that have arrived at barriers of the grid */
	uint32_t varied; /* 1 + the last generation whose selected were not all alike */
};

struct boa_grid_arguments {
	struct boa_fitness fitness;
	int32_t optimum_known, optimum;
	/* options */
	int32_t n, population, selected, offspring, parents, generations;
	int32_t replace_all, laplace, stop_at_optimum, stop_converged;
	uint64_t seed;
	/* layout */
	int32_t population_words, selected_words, offspring_words;
	int32_t groups; /* of 16 ranks */
	int32_t rows;   /* variables that a block gathers */
	int32_t column; /* words of a column in memory, >= n, a multiple of 8 */
	int32_t row;    /* words of a row of `ranked`, a multiple of 16 */
	int32_t tasks;
	int32_t shift;   /* log2 of the bytes from one factorial to the next: copies x 4 */
	int32_t digits;  /* number of histograms that distinguish all values of fitness */
	int32_t last;    /* the launch ends before this generation */
	uint32_t region; /* bytes of shared memory before the memory that the steps use in turn */
	/* device memory */
	const struct boa_grid_task *task;
	const uint32_t *factorial; /* boa_k2_cell, selected + 2 */
	struct boa_grid_counters *counters;
	uint32_t *arrived; /* an arrival counter for each group: warps that have finished a round */
	struct boa_grid_state *state;
	uint32_t *rows_of[2]; /* survivors: n x selected_words */
	uint32_t *columns; /* the other individuals: columns of all variables, one after another */
	int32_t *kept_fitness[2], *column_fitness;
	uint32_t *ranked; /* the selected in the order of ranks, rows `row` words apart, padded with
			     zeros */
	uint32_t *places; /* by rank: variable << 16 | number of its ones among the selected */
	unsigned long long *best; /* parents x 16 groups: gain << 32 | ~variable << 16 | rank */
	/* For the best candidate of each group of candidates for a variable, ranks x groups x
	 * 2^round: the cells (individuals << 16 | ones) and thresholds of each configuration. */
	uint32_t *cells[BOA_GRID_PARENTS];
	uint32_t *thresholds[BOA_GRID_PARENTS];
	uint32_t *counts; /* tasks x 3 x BOA_GRID_BLOCK x 4: counts that each thread keeps from
			     earlier rounds */
	uint8_t *best_bits;
	uint32_t *out_words; /* the last population, or NULL */
	int32_t *out_fitness;
};

struct boa_grid_kernels {
	/* *blocks: the number of blocks that can be resident on the device. */
	int (*blocks)(struct dev_stream *s, size_t shared_bytes, int *blocks, struct err *e);
	/* Launches the kernel and returns without waiting. */
	int (*run)(struct dev_stream *s, int blocks, size_t shared_bytes,
		   const struct boa_grid_arguments *a, struct err *e);
	/* Bytes of shared memory that the steps use in turn. */
	size_t (*region_bytes)(const struct boa_grid_arguments *a);
};

DEV_KERNELS(struct boa_grid_kernels, boa_grid_kernels);

#endif
