/* Hierarchical BOA (algorithms/gboa/hboa.h) on a device: all steps of a generation of many runs at
 * the same time, five launches, nothing from or to the host. What a run is at is in its struct
 * trees_run; runs that have ended stand still. */
#ifndef COPRA_KERNELS_GBOA_TREES_H
#define COPRA_KERNELS_GBOA_TREES_H

#include "algorithms/gboa/fitness.h"
#include "algorithms/gboa/hboa.h"
#include "harness/device/device.h"

struct trees_run {
	uint64_t seed;
	uint64_t best_key; /* of those evaluated last: fitness, then the lowest index */
	int64_t edges;
	int32_t best; /* ever */
	int32_t generations;
	int32_t done;       /* the optimum was to be found and is */
	int32_t differ;     /* 1 + the generation whose selected were last seen not to be alike */
	uint32_t meetings;  /* of blocks that work on the same run */
	uint32_t tag;       /* of the last lists of replacements; the next is one more */
	int32_t changed[3]; /* zeros between generations */
	int32_t next_rank;  /* the variable that is learned next; below 0: none */
};

/* An offspring's nearest among the old population: what it drew as number `draw`, slot `slot`. */
struct trees_near {
	int32_t distance, draw, slot;
};

/* Individuals of a leaf that have a one at a candidate, and those of them that have one at the
 * variable that is learned. */
struct trees_count {
	uint32_t there, ones;
};

/* All pointers are to device memory; arrays are those of run 0, then of run 1, and so on. */
struct trees {
	int32_t n, population, selected, offspring, tournament, window, runs;
	int32_t merges, smoothing;
	int32_t stop_at_optimum, optimum, stop_converged;
	int32_t row; /* words of an individual: 2 ((n + 63) / 64) */
	struct fitness_view fitness_view;
	const uint32_t *ln_factorial;    /* k2.h */
	struct trees_run *run;           /* 1 */
	uint32_t *rows, *offspring_rows; /* population x row, offspring x row */
	int32_t *fitness, *offspring_fitness;
	uint32_t *best_row;       /* row */
	int32_t *rank, *order;    /* n: permutation, and variables by rank */
	uint32_t *data;           /* the selected: word w of rank r is data[w * n + r] */
	struct hboa_graph *graph; /* n */
	struct trees_near *near;  /* offspring */
	int32_t *target;          /* offspring: the slot it takes, or -1 */
	/* Who takes a slot, two times: 2 x population: tag, first offspring; 2 x offspring: the
	 * next one, or -1. */
	uint64_t *head;
	int32_t *next;
	int32_t learners; /* blocks a run that learn */
	/* Of each of these blocks: HBOA_LEAVES_MAX x n. */
	struct trees_count *counts;
	/* Masks of its leaves, HBOA_LEAVES_MAX x selected / 32, where they do not fit into shared
	 * memory, else NULL. */
	uint32_t *masks;
};

struct trees_kernels {
	/* Population 0 of all runs. Their struct trees_run has a seed, INT32_MIN for best and else
	 * zeros; `head` is all zeros. */
	int (*first)(struct dev_stream *s, const struct trees *t, struct err *e);
	/* One generation. */
	int (*generation)(struct dev_stream *s, const struct trees *t, struct err *e);
	/* Bytes of shared memory of a block that learns, and of one that samples. */
	size_t (*learn_shared)(const struct trees *t);
	size_t (*sample_shared)(const struct trees *t);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct trees_kernels trees_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct trees_kernels trees_kernels_cuda;
#endif
#ifdef __cplusplus
}
#endif

static inline const struct trees_kernels *trees_kernels_for(const struct dev *d)
{
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		return &trees_kernels_cuda;
#endif
	(void)d;
	return &trees_kernels_sim;
}

#endif
