/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Many concurrent runs of BOA (algorithms/gboa/boa.h). Each run is made by one block or by a
 * cluster of blocks, from the first population to the last in shared memory, without the host.
 *
 * Blocks obtain their runs from a counter (the ticket). In a cluster of C blocks, every block holds
 * the selected individuals (all variables), the planes of fitness and the network. The offspring of
 * variable v are in block v mod C. Fitness is kept in bit planes: bit p of (fitness - least) of 32
 * individuals in a word.
 *
 * A generation. The selected individuals are found from the planes, the highest plane first, and
 * the rows of variables are compressed to them. The gains of candidates are computed from counts by
 * the tensor cores (8 variables x 8 candidates at a time) and a table of ln m!. Offspring are
 * sampled 32 at a time, digit by digit, and evaluated. In a cluster, each block gathers its
 * variables and sends them to all, learns groups of eight variables in turn, and samples a share of
 * the words. */
#ifndef COPRA_KERNELS_GBOA_BATCH_H
#define COPRA_KERNELS_GBOA_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/gboa/fitness.h"
#include "harness/device/device.h"
#include "harness/base/error.h"

enum {
	BOA_BATCH_PARENTS_MAX = 3,
	BOA_BATCH_CLUSTER_MAX = 16,
	BOA_BATCH_SELECTED_MAX = 32 * 1000, /* counts are kept in 16 bits, two in a word */
	BOA_BATCH_POPULATION_MAX = 65472,   /* positions are kept in 16 bits as well */
	BOA_BATCH_TRAP_PLANES = 10,         /* maximum, if 32 individuals are evaluated at once */
	BOA_BATCH_GROUP = 8,                /* variables learned together */
	BOA_BATCH_STEP = 16,                /* words counted together */
	BOA_BATCH_MASKS = 8,                /* words of masks for each word of the population */
	BOA_BATCH_CONTROL = 8,              /* control words of a block */
	BOA_BATCH_SUMS = 32,                /* sums, one for each plane of fitness */
	BOA_BATCH_TOP = 1 << 20,  /* flag in a sum: the warp has one of the best individuals */
	BOA_BATCH_WORDS = 4,      /* maximum words of the population for each thread */
	BOA_BATCH_WARP_WORDS = 9, /* for each lane, if one warp selects; odd */
};

/* The parameters of all runs. Sizes are words of 32 individuals, unless stated otherwise. */
struct boa_batch_plan {
	struct boa_fitness fitness; /* its data on the device */
	uint64_t seed;              /* of run 0 */
	int32_t runs, n, k, generations;
	int32_t optimum;
	bool stop_at_optimum; /* only if the optimum is known */
	bool stop_converged, laplace;
	int32_t planes;
	int32_t population, selected, offspring,
		kept; /* kept: words of the selected if they stay in the population, else 0 */
	int32_t individuals; /* number of the selected */
	int32_t steps;       /* of BOA_BATCH_STEP words that cover the selected */
	int32_t selected_stride, offspring_stride;
	int32_t cluster, cluster_log,
		rows;                /* blocks for each run, rows of offspring for each block */
	int32_t slice, slice_stride; /* words of offspring that a block samples (cluster > 1) */
	bool by_items; /* few words for each block: several variables are sampled in parallel */
	int32_t copies_log; /* 2^copies_log interleaved copies of the table of ln m! */
	int32_t slots;      /* variables that a block learns */
	/* positions in shared memory, in words */
	int32_t at_offspring, at_slice, at_coins, at_planes, at_table, at_order, at_keys, at_slots,
		at_records, at_control;
	size_t shared_bytes;
	int32_t limit_period; /* clocks between two reads of the limit */
};

struct boa_batch_result {
	int64_t edges;
	int32_t best, generations;
	int32_t begun, halted; /* begun == 0: the other members are 0 */
};

/* Device memory. */
struct boa_batch_memory {
	const uint32_t *ln_factorial;     /* individuals + 2 */
	struct boa_batch_result *results; /* runs; zeros before */
	uint8_t *bits;                    /* runs x n */
	uint32_t *words;                  /* runs x n x population, or NULL */
	int32_t *fitness;                 /* runs x 32 population, or NULL */
	unsigned *ticket;                 /* 0 */
	const unsigned *limit;            /* on the host; no run from this one on begins, and 0
					     ends all runs. May be NULL */
	unsigned long long *clocks;       /* BOA_BATCH_PHASES sums of clock ticks, or NULL */
};

enum boa_batch_phase {
	BOA_BATCH_FIRST,
	BOA_BATCH_SELECT,
	BOA_BATCH_SORT,
	BOA_BATCH_GATHER,
	BOA_BATCH_GATHERED,
	BOA_BATCH_SINGLES,
	BOA_BATCH_LEARN,
	BOA_BATCH_TABLES,
	BOA_BATCH_LEARNED,
	BOA_BATCH_SAMPLE,
	BOA_BATCH_SAMPLED,
	BOA_BATCH_END,
	BOA_BATCH_PHASES
};

struct boa_batch_kernels {
	/* *clusters: the number of runs (blocks or clusters) that can be resident on the device; 0:
	 * the plan does not fit. */
	int (*resident)(struct dev_stream *s, const struct boa_batch_plan *p, int threads,
			int *clusters, struct err *e);
	int (*run)(struct dev_stream *s, const struct boa_batch_plan *p,
		   const struct boa_batch_memory *m, int threads, int clusters, struct err *e);
};

DEV_KERNELS(struct boa_batch_kernels, boa_batch_kernels);

#endif
