/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the flowshop search by job set: forward branching, LB2 looked up by the set of
 * unscheduled jobs.
 *
 * One cooperative kernel holds the whole search; the host only starts it, checks the clock and
 * moves nodes between devices. The tree is searched breadth first as far as the memory allows: each
 * level has at most one BATCH of open nodes, and the deepest batch is expanded in SLICES, each as
 * large as the space for its children allows. Batches form a stack. The rows of all ancestors of a
 * node stay until it has been searched, so that a schedule is found by following the parents.
 *
 * A set has a NUMBER: the sets of d jobs have level_first[d] to level_first[d+1] - 1.
 *     number(S) = high[d << high_bits | S >> low_bits] + low[S & (1 << low_bits) - 1]
 *
 * A ROW is a node: its front. Beside the rows are
 *     key[r]     number of the node's set of PLACED jobs, SETS_NONE for a gap
 *     parent[r]  row of its parent, and SETS_SIDE; SETS_NONE if the batch was received from another
 *                device: see order[]
 *     list[]     rows of a batch, ordered by set; a batch has the same indices in list[] and row[]
 *     chunk[]    runs of the list with one set each; a run ends where the next begins
 *
 * An iteration has three phases, each followed by a barrier of the grid.
 * 1. Expand. A warp draws a chunk and computes the constants of all children once, then expands 128
 *    nodes at a time, two machines in the halves of a word. Survivors are collected. Their rows are
 *    computed densely, written in any order, and counted by set. Chunks are drawn in order until
 *    the new batch has its share of the memory; the others stay open. If memory is scarce, only
 *    as many chunks are offered as are certain to fit.
 * 2. Arrange. The sets of the new batch get their places in the list and their chunks. Rows of the
 *    bound table that the next expansion needs and that are missing are listed.
 * 3. Place. Rows enter the list; missing rows of the bound table are built.
 *
 * The bound table has E[unscheduled jobs][.] of fsp.h for each set, 16 bits each, zero for the full
 * set.
 *
 * Limits, to be checked by the caller: 2 <= jobs <= SETS_JOBS; exactly SETS_MACHINES machines (pad
 * with times and tails of 0); ub + largest total time of a job + largest E <= 32767; rows of 32
 * bytes need ub <= 4096, else `wide`. */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_H
#define COPRA_KERNELS_TREE_SEARCH_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"

enum {
	SETS_JOBS = 26,
	SETS_MACHINES = 20,
	SETS_THREADS = 256,    /* maximum number of threads per block */
	SETS_NARROW_WORDS = 8, /* 32-bit words of a row: 20 values of 12 bits */
	SETS_WIDE_WORDS = 12,  /* 20 values of 16 bits */
	SETS_ROW_WORDS_MAX = 20,
	SETS_LANE_NODES = 4, /* forward; in two-sided branching, up to six in turn */
	SETS_ALONE = 0,
};
#define SETS_NONE UINT32_MAX
#define SETS_SIDE 0x80000000u /* in parent[]: the child's job was placed at the end */
enum { SETS_AT_END = 0x80 };  /* in orders of received rows: this job was placed at the end */

/* One position in Johnson's order of a pair of machines (u, v). */
struct sets_step {
	uint32_t what;  /* 32 * job | (time on u + lag) << 16 */
	uint32_t drift; /* time on u - time on v, modulo 2^32 */
};

struct sets_chunk {
	uint32_t number; /* of the set */
	uint32_t first;  /* in the list */
};

struct sets_level {
	uint32_t row, row_end;                 /* of the batch, including gaps */
	uint32_t chunk, chunk_next, chunk_end; /* chunks from chunk_next on are open */
	uint32_t chunk_nodes;                  /* maximum number of nodes in each */
};

/* The state of the search. The same for all blocks; kept by the host between launches. */
struct sets_control {
	struct sets_level level[SETS_JOBS];
	uint64_t explored, decomposed, evaluated;
	uint64_t pushed, popped; /* nodes made and expanded by this device */
	int64_t ub;              /* least makespan known */
	int32_t depth;           /* of the deepest batch; -1: nothing is open */
	int32_t enter; /* >= 0: the rows 0 .. entering - 1 of this level are arranged first */
	uint32_t entering;
	uint32_t row_peak;
	uint32_t iterations;
	uint32_t improved; /* schedules found */
};

/* Counts of all blocks in one iteration. Three of them take turns. */
struct sets_counter {
	unsigned long long lists; /* chunks << 32 | nodes of the new batch */
	uint64_t fill[15];
	unsigned rows; /* taken, including gaps */
	uint32_t fill_rows[31];
	unsigned drawn; /* chunks, including those beyond the last */
	uint32_t fill_drawn[31];
	unsigned missing; /* rows of the bound table to build */
	uint32_t fill_missing[31];
	unsigned task; /* tasks drawn for building and placing */
	uint32_t fill_task[31];
};

struct sets_state {
	struct sets_counter counter[3]; /* zero at each launch */
	struct sets_control control;
	unsigned long long best; /* makespan << 32 | row of the parent; all ones at the start */
	unsigned long long leaves;
	unsigned long long built;        /* rows of the bound table */
	unsigned long long build_clocks; /* clocks spent on building, summed over all warps */
	uint8_t order[32];               /* of the best schedule found */
};

struct sets_search {
	int32_t jobs, low_bits, high_bits;
	int32_t row_words, bound_words; /* 32-bit words of a row of nodes, of the bound table */
	bool wide;                      /* forward: rows of SETS_WIDE_WORDS */
	/* Nodes that a lane bounds at once: SETS_LANE_NODES, or 1. SETS_ALONE: a warp bounds one
	 * node at a time, and reads the bounds of its set for this node alone. */
	uint8_t lane_nodes;
	int32_t rule;      /* enum fsp_branching */
	uint32_t first_ub; /* compared with by MinBranch */
	uint32_t level_first[SETS_JOBS + 2];
	uint32_t capacity;    /* rows */
	uint32_t chunk_nodes; /* maximum number of nodes per chunk */
	uint64_t quota;       /* the kernel ends after the iteration that reaches this number of
				 evaluations */
	/* Distribution among `shares` devices: at level `deal_level` only children of this share
	 * are kept; 0: none. */
	int32_t deal_level, shares, share;

	const uint32_t *low, *high;
	uint32_t *set_of;             /* [number] */
	const uint32_t *time;         /* [job * SETS_MACHINES + machine] */
	const struct sets_step *step; /* [(u * SETS_MACHINES + v) * jobs + position] */
	const uint32_t *tail;         /* [machine] */

	uint32_t *bound;   /* [number * bound_words]; forward: words of two machines, ordered as in
			      rows */
	uint32_t *built;   /* one bit per number */
	uint32_t *missing; /* a list with room for the widest level */
	uint32_t *count, *cursor; /* [number - level_first]: zero between launches */
	uint32_t *row, *key, *parent, *list;
	struct sets_chunk *chunk; /* capacity + 2 * SETS_JOBS */
	const uint8_t *order; /* [row * jobs + i]: jobs of received rows in the order in which they
				 were placed */
	struct sets_state *state;
};

struct sets_kernels {
	int threads; /* maximum number of threads per block */
	/* Fills set_of from low and high. */
	int (*number_sets)(struct dev_stream *s, const struct sets_search *q, struct err *e);
	/* Fills count[] for the entering rows 0 .. rows - 1 of `level`, whose keys are set. */
	int (*count_rows)(struct dev_stream *s, const struct sets_search *q, int level,
			  uint32_t rows, struct err *e);
	/* Copies the rows list[first .. first + rows - 1] of `level` to parcel->row, key and
	 * order. */
	int (*pack)(struct dev_stream *s, const struct sets_search *q,
		    const struct sets_search *parcel, int level, uint32_t first, uint32_t rows,
		    struct err *e);
	/* Continues from state->control until nothing is open or the quota is used. */
	int (*search)(struct dev_stream *s, const struct sets_search *q, int blocks, int threads,
		      struct err *e);
	int (*blocks)(struct dev_stream *s, const struct sets_search *q, int threads,
		      int *blocks_per_sm, struct err *e);
};

DEV_KERNELS(struct sets_kernels, sets_kernels);
DEV_KERNELS(struct sets_kernels, twosided_kernels);

#endif
