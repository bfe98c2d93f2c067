/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the depth-first flowshop search. The tree is kept in device memory, one stack per
 * warp.
 *
 * A stack has ROWS, nodes with everything that their children need, and ENTRIES, the open nodes. An
 * entry names a row and a job: it is the child that this job makes of the row's node. A row is
 * written once for all its children, and its space is free again when the entries above it are
 * gone: the entries of a row are adjacent, and the rows of entries never decrease from bottom to
 * top. A warp pops entries from the top, makes the nodes, bounds their children and pushes the
 * survivors.
 *
 * Two search kernels, each with its own row format, share everything else:
 *   pair  LB1: one lane per node (or two nodes), both sides of the branching in the halves of
 *         one word
 *   wide  LB1 or LB2 in 32 bits: one warp per node
 *
 * A search is a sequence of rounds: search, plan, give, take. In a round, a warp searches until its
 * stack is empty and then asks other warps for nodes (dfs_stack.cuh). All warps stop when the first
 * one has used its budget of batches, when none has work, or when `idle_limit` warps have no work
 * and one of them has asked `patience` times while their number did not fall. `plan` decides which
 * warps give nodes from the bottom of their stacks to which others. `give` copies these nodes to a
 * buffer of packets (an entry with a copy of its row) and closes the gap if it has become large.
 * `take` pushes the packets on the stacks of the receivers.
 *
 * Moves. If the search needs orders of jobs, a row also has the moves that lead to its node: the
 * jobs placed so far, in the order of placement, each with its side. A child has the moves of its
 * parent and one more, so only the moves made so far are copied, not a whole order.
 *
 * Tests (LB1 only). A round may test every popped node with a few machine pairs: Johnson's bound of
 * LB2 for these pairs (fsp_lb2_pair). A node that reaches the best value has no children. The host
 * chooses the pairs by a sample of open nodes.
 *
 * A stack never overflows: a warp makes its batch narrower when room is short, and one node at a
 * time never needs more than the reserve (dfs_row_reserve, dfs_entry_reserve) beyond its starting
 * point. The plan does not use the reserve. */
#ifndef COPRA_KERNELS_TREE_SEARCH_DFS_H
#define COPRA_KERNELS_TREE_SEARCH_DFS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/tree-search/fsp.h"
#include "harness/device/device.h"

enum {
	DFS_BLOCK = 128, /* threads per block of the search kernels */
	DFS_BLOCK_WARPS = DFS_BLOCK / 32,
	DFS_JOB_BITS = 11, /* of an entry: the job (2047: none), followed by a bit for the side */
	DFS_NO_JOB = (1 << DFS_JOB_BITS) - 1,
	DFS_ROW_SHIFT = DFS_JOB_BITS + 1,
	DFS_ROWS_MAX = 1 << (32 - DFS_ROW_SHIFT),
	DFS_PAIR_MAX_JOBS = 256,
	DFS_PAIR_MAX_MACHINES = 60,
	DFS_TESTS = 4,           /* machine pairs that popped nodes are tested with, at most */
	DFS_TESTS_MAX_JOBS = 64, /* with such tests */
	DFS_NO_NODE = -1,        /* instead of an entry in a packet: see `sample` */
};

/* An entry. Low half: row << DFS_ROW_SHIFT | side << DFS_JOB_BITS | job (side 1: at the end). High
 * half: the child's bound if the kernel knows it (wide), else 0. Job DFS_NO_JOB: the row's own node
 * (the root). */

/* Counts of a warp over all rounds. Every child that enters a stack is explored. Every node that
 * leaves the top of a stack is decomposed, or cut off by a schedule found since it entered, or
 * pruned by a test. */
struct dfs_tally {
	uint64_t explored, decomposed, leaves, evaluated, cut, pruned;
};

/* In device memory, one per device. `idle` also has two flags: from DFS_HALT on, all warps stop;
 * DFS_SPENT: because one has used its budget. */
#define DFS_HALT (1 << 30)
#define DFS_SPENT (1 << 29)
struct dfs_control {
	int32_t best;       /* least makespan known */
	int32_t idle;       /* warps without work in this round */
	int32_t open_bound; /* survey: least bound of the open nodes */
	int32_t packets;    /* of the last plan */
	uint64_t entries;   /* open nodes, before the last plan */
	uint64_t rows;
	uint64_t most_rows; /* maximum */
	uint64_t most_entries;
	int32_t spent; /* 1: the round before the last plan ended because a budget was used */
	int32_t unused;
};

/* In pinned host memory, one per device; read from time to time by a few warps of all devices. */
struct dfs_mail {
	int32_t halt;       /* host: end the round */
	int32_t best;       /* device: its least known makespan */
	int32_t unused[14]; /* a cache line each */
};

enum dfs_plan {
	DFS_BALANCE, /* from warps with many nodes to warps with few, on this device */
	DFS_EXPORT,  /* `amount` packets from all warps, for another device; no warp takes any */
	DFS_IMPORT,  /* `amount` packets are in the buffer; all warps take equally */
};

/* All pointers except `mail` are to device memory. */
struct dfs_world {
	int32_t jobs, machines;
	int32_t mask_words; /* 32-bit words of a job set */
	int32_t moves_at;   /* word of a row where its moves begin, a multiple of 4; 0: not kept */
	int32_t move_bytes; /* see dfs_move_bytes */
	int32_t row_words;  /* multiple of 4 */
	int32_t warps;
	int32_t row_capacity, entry_capacity, row_reserve, entry_reserve; /* of one stack */
	int32_t packet_capacity;
	uint32_t *rows;                   /* [warp][row_capacity][row_words] */
	uint64_t *entries;                /* [warp][entry_capacity] */
	int32_t *row_count, *entry_count; /* [warp] */
	int32_t *entry_first;             /* [warp] its first entry; those before were given away */
	int32_t *ask, *answer;            /* [warp] see dfs_stack.cuh */
	struct dfs_tally *tally;          /* [warp] */
	int32_t *leaf_value;              /* [warp] best leaf found by the warp */
	uint16_t *leaf_order;             /* [warp][jobs] its order, if moves are kept */
	struct dfs_control *control;
	uint32_t *depths;  /* [jobs] of count_depths: open nodes by the number of jobs placed */
	uint32_t *packets; /* [packet_capacity][row_words + 4] */
	int32_t *give_first, *give_count, *take_first, *take_count; /* [warp] */
	struct dfs_mail *mail; /* [devices], pinned host memory */
	int32_t devices, self;

	/* tables */
	const uint32_t *pair_time; /* pair: [jobs + 1][padded machines] (p of k, p of M-1-k) */
	const int32_t *time;       /* wide: [machine * jobs + job] */
	const int32_t *pair_uv;    /* wide: [pair] u | v << 16 */
	const int32_t *johnson; /* wide: [position * pairs + pair] of {job, p_u, lag, p_v}, 32 bits
				   each, or 16 if narrow */
	int32_t narrow;         /* wide: all values are below 2^15 */
	int32_t pairs;          /* 0: LB1 */
	int32_t most_tests;     /* of a round; 0 or DFS_TESTS */
	struct fsp_step *test_step; /* [most_tests][jobs] in Johnson's order */

	size_t scratch_bytes;   /* wide: per warp in `scratch`; 0: scratch is in shared memory */
	unsigned char *scratch; /* [warp][scratch_bytes] */
};

struct dfs_round {
	int32_t rule;                        /* enum fsp_branching */
	int32_t first_ub;                    /* compared with by MinBranch */
	int32_t least_batches, most_batches; /* per warp and round; see round_continues */
	int32_t idle_limit, patience;        /* see share_ends */
	int32_t least_shared, most_shared;   /* entries; see share_size */
	uint32_t one;                        /* 1, as a value that the compiler cannot know */
	int32_t survey;          /* 1: no branching; empties the stacks into control->open_bound */
	int32_t tests;           /* pairs in use, at most most_tests of the world */
	uint32_t test_u, test_v; /* their machines, u < v: byte k of pair k */
};

struct dfs_kernels {
	/* The number of warps of the search kernel that run at the same time on a multiprocessor: a
	 * multiple of DFS_BLOCK_WARPS, or less. 0: not even one fits (wide: one fits with
	 * scratch_bytes). */
	int (*pair_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
			  struct err *e);
	int (*wide_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
			  struct err *e);
	/* The scratch_bytes that `wide` needs if shared memory is too small. */
	size_t (*wide_scratch)(const struct dfs_world *w);
	/* One round. */
	int (*pair)(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		    struct err *e);
	int (*wide)(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		    struct err *e);
	int (*plan)(struct dev_stream *s, const struct dfs_world *w, enum dfs_plan plan,
		    int32_t amount, struct err *e);
	int (*give)(struct dev_stream *s, const struct dfs_world *w, struct err *e);
	int (*take)(struct dev_stream *s, const struct dfs_world *w, struct err *e);
	/* Adds the open nodes to w->depths, between rounds. */
	int (*count_depths)(struct dev_stream *s, const struct dfs_world *w, struct err *e);
	/* Copies `amount` open nodes of stacks at equal distances to packets, between rounds; of
	 * each stack some of the top `width` entries. The low word of the entry is DFS_NO_NODE if a
	 * stack has too few. */
	int (*sample)(struct dev_stream *s, const struct dfs_world *w, int32_t amount,
		      int32_t width, struct err *e);
};

/* The size of a move: one byte (DFS_BYTE_SIDE | job) up to 128 jobs, else two (as an entry: side <<
 * DFS_JOB_BITS | job). The number of moves is the number of jobs that the row's set lacks. */
enum { DFS_BYTE_SIDE = 0x80 };
static inline int dfs_move_bytes(int jobs)
{
	return jobs <= DFS_BYTE_SIDE ? 1 : 2;
}
/* The padded number of machines in the pair kernel: 10, 16, 20, 40 or 60. */
static inline int dfs_pair_machines(int machines)
{
	static const int sizes[] = { 10, 16, 20, 40 };

	for (int i = 0; i < 4; i++)
		if (machines <= sizes[i])
			return sizes[i];
	return 60;
}
/* The number of words of a set in the pair kernel: 1, 2 or 8. */
static inline int dfs_pair_mask_words(int jobs)
{
	return jobs <= 32 ? 1 : jobs <= 64 ? 2 : 8;
}

DEV_KERNELS(struct dfs_kernels, dfs_kernels);

#endif
