/* Kernels of the depth-first flowshop search: the tree lives in device memory, a stack a warp.
 *
 * A stack has ROWS, nodes with everything that their children need, and ENTRIES, the open nodes: an
 * entry names a row and a job, and stands for the child that this job makes of the row's node. A
 * row is written once for all its children, and its space is free again when the entries above it
 * are gone: entries of a row lie together, rows of entries never fall from the bottom to the top.
 * A warp pops entries from the top, makes the nodes, bounds their children and pushes those that
 * survive.
 *
 * Two search kernels with stacks of their own row format share everything else:
 *   pair  LB1: a lane a node (or two), both sides of the branching in the halves of one word
 *   wide  LB1 or LB2 in 32 bits: a warp a node
 *
 * A search is a sequence of rounds: search, plan, give, take. A round's search ends for a warp when
 * its stack is empty, and for all when the first has used its budget of batches or `idle_limit`
 * warps have no work. plan decides who gives the bottom of his stack to whom; give copies it into a
 * buffer of packets (an entry with a copy of its row) and closes the gap where it has become large;
 * take pushes packets on the stacks of the needy.
 *
 * A stack never overflows: a warp makes its batch narrower when room is short; one node at a time
 * needs no more than the reserve (dfs_row_reserve, dfs_entry_reserve) below any point that it
 * starts from. The plan leaves the reserve alone. */
#ifndef COPRA_KERNELS_TREE_SEARCH_DFS_H
#define COPRA_KERNELS_TREE_SEARCH_DFS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/tree-search/fsp.h"
#include "harness/device/device.h"

enum {
	DFS_BLOCK = 128, /* threads a block of the search kernels */
	DFS_BLOCK_WARPS = DFS_BLOCK / 32,
	DFS_JOB_BITS = 11, /* of an entry: job, 2047 for none, then a bit for the side */
	DFS_NO_JOB = (1 << DFS_JOB_BITS) - 1,
	DFS_ROW_SHIFT = DFS_JOB_BITS + 1,
	DFS_ROWS_MAX = 1 << (32 - DFS_ROW_SHIFT),
	DFS_PAIR_MAX_JOBS = 256,
	DFS_PAIR_MAX_MACHINES = 60,
};

/* An entry: low half row << DFS_ROW_SHIFT | side << DFS_JOB_BITS | job (side 1: placed at the
 * end); high half: the child's bound where the kernel knows it (wide), else 0. Job DFS_NO_JOB:
 * the row's own node (the root). */

/* What a warp did, over all rounds. Each child that enters a stack is explored. Each node that
 * leaves the top of a stack is decomposed, or cut off by a schedule found since it entered. */
struct dfs_tally {
	uint64_t explored, decomposed, leaves, evaluated, cut;
};

/* In device memory, one a device. `idle` doubles as a flag: at DFS_HALT and above, all stop. */
#define DFS_HALT (1 << 30)
struct dfs_control {
	int32_t best;       /* least makespan known */
	int32_t idle;       /* warps without work in this round */
	int32_t open_bound; /* survey: least bound of the open nodes */
	int32_t packets;    /* of the last plan */
	uint64_t entries;   /* open nodes, before the last plan */
	uint64_t rows;
	uint64_t most_rows; /* greatest seen */
	uint64_t most_entries;
};

/* In pinned host memory, one a device, read now and then by a few warps of all devices. */
struct dfs_mail {
	int32_t halt;       /* host: end the round */
	int32_t best;       /* device: least makespan it knows */
	int32_t unused[14]; /* one line of cache each */
};

enum dfs_plan {
	DFS_BALANCE, /* from the loaded to the needy of this device */
	DFS_EXPORT,  /* `amount` packets from all, for another device; nobody takes */
	DFS_IMPORT,  /* `amount` packets lie in the buffer; all take alike */
};

/* All pointers but mail: device memory. */
struct dfs_world {
	int32_t jobs, machines;
	int32_t mask_words; /* 32-bit words of a set of jobs */
	int32_t order_at;   /* word of a row where its order begins, a multiple of 4 (length of
			       the prefix, then two jobs a word by position); 0: not kept */
	int32_t row_words;  /* multiple of 4 */
	int32_t warps;
	int32_t row_capacity, entry_capacity, row_reserve, entry_reserve; /* of one stack */
	int32_t packet_capacity;
	uint32_t *rows;                   /* [warp][row_capacity][row_words] */
	uint64_t *entries;                /* [warp][entry_capacity] */
	int32_t *row_count, *entry_count; /* [warp] */
	int32_t *entry_first;    /* [warp] where its entries begin; those before were given away */
	struct dfs_tally *tally; /* [warp] */
	int32_t *leaf_value;     /* [warp] best leaf that the warp met */
	uint16_t *leaf_order;    /* [warp][jobs] its order, where orders are kept */
	uint32_t *aside;         /* pair, with orders: [warp][64][row_words - order_at] */
	struct dfs_control *control;
	uint32_t *packets; /* [packet_capacity][row_words + 4] */
	int32_t *give_first, *give_count, *take_first, *take_count; /* [warp] */
	struct dfs_mail *mail; /* [devices], pinned host memory */
	int32_t devices, self;

	/* tables */
	const uint32_t *pair_time; /* pair: [(jobs + 1)][machines as padded] (p of k, p of M-1-k) */
	const int32_t *time;       /* wide: [machine * jobs + job] */
	const int32_t *pair_uv;    /* wide: [pair] u | v << 16 */
	const int32_t *johnson;    /* wide: [position * pairs + pair] of {job, p_u, lag, p_v},
				      in 32 or (narrow) 16 bits each */
	int32_t narrow;            /* wide: all values are below 2^15 */
	int32_t pairs;             /* 0: LB1 */

	size_t scratch_bytes;   /* wide: of a warp in `scratch`; 0: in shared memory */
	unsigned char *scratch; /* [warp][scratch_bytes] */
};

struct dfs_round {
	int32_t rule;     /* enum fsp_branching */
	int32_t first_ub; /* that MinBranch compares with */
	int32_t least_batches, most_batches;
	int32_t idle_limit;
	uint32_t one;   /* 1, which the compiler must not know */
	int32_t survey; /* 1: no branching; empties the stacks into control->open_bound */
};

struct dfs_kernels {
	/* Warps of the search kernel that run at the same time on a multiprocessor; a multiple of
	 * DFS_BLOCK_WARPS, or less; 0: one does not fit (wide: it does with scratch_bytes). */
	int (*pair_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
			  struct err *e);
	int (*wide_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
			  struct err *e);
	/* What wide needs as scratch_bytes where shared memory is too small. */
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
};

/* Machines as the pair kernel pads them: 10, 20, 40 or 60. */
static inline int dfs_pair_machines(int machines)
{
	return machines <= 10 ? 10 : machines <= 20 ? 20 : machines <= 40 ? 40 : 60;
}
/* Words of a set: 1, 2 or 8 in the pair kernel. */
static inline int dfs_pair_mask_words(int jobs)
{
	return jobs <= 32 ? 1 : jobs <= 64 ? 2 : 8;
}

#ifdef __cplusplus
extern "C" {
#endif
extern const struct dfs_kernels dfs_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct dfs_kernels dfs_kernels_cuda;
#endif
#ifdef __cplusplus
}
#endif

static inline const struct dfs_kernels *dfs_kernels_for(const struct dev *d)
{
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		return &dfs_kernels_cuda;
#endif
	(void)d;
	return &dfs_kernels_sim;
}

#endif
