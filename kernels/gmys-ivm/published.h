/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of Gmys et al. 2017, sections 3.2 and 3.3: T IVMs in the memory of one device. All
 * calls are asynchronous. The control block has all that the host needs.
 *
 *                      the paper's                          SEARCH_ONE_LAUNCH
 *   an expansion,      select, reduce_states, map_scan,     select, map,
 *   PTE+PEB            bound, prune                         bound, prune
 *   an expansion, PTE  steps, reduce_states                 steps
 *   stealing           lengths, reduce_lengths,             lengths,
 *                      select_hyper or try_select           victims,
 *                      once for each round, steal_each      steal
 *
 * An expansion of PTE+PEB is one step of every IVM, one of PTE steps until the trigger. The host
 * reads the number of empty IVMs after reduce_states; it moves the window of the victims. With
 * `victims`, one block does the reductions and all rounds, with a barrier between rounds, and needs
 * no host.
 *
 * Intervals are put by `start`, then `map` or `map_scan`, `bound`, `start_row` once for each row
 * that may have to be constructed. */
#ifndef COPRA_KERNELS_GMYS_IVM_PUBLISHED_H
#define COPRA_KERNELS_GMYS_IVM_PUBLISHED_H

#include "kernels/gmys-ivm/ivm_bound.h"
#include "kernels/gmys-ivm/victims.h"
#include "kernels/tree-search/fsp.h"
#include "harness/device/device.h"

enum ivm_state { IVM_EMPTY, IVM_EXPLORING };

/* A sum of lengths below IVM_FACTORADIC_MODULUS, in two parts: of their low 32 bits and of the
 * other bits. */
struct ivm_length {
	uint64_t low, high;
};

enum { IVM_LENGTH_BITS = 32 };
#define IVM_NO_BEGIN UINT64_MAX
#define IVM_LEAF_NONE 0x7f7f7f7f

/* The control block of a device. The host reads it after a phase. Counts only grow. */
struct ivm_control {
	int32_t best;                    /* IVM_NONE: none */
	int32_t trigger;                 /* IVMs found empty in this expansion */
	int32_t children;                /* pairs (IVM, cell) in the mapping, see `entry` */
	int32_t active;                  /* IVMs that explored in the last expansion */
	int32_t working;                 /* IVMs that explore after the stealing that followed */
	int32_t thieves;                 /* IVMs found empty in the last expansion */
	int32_t moved;                   /* IVMs that `accept` has filled so far; wraps around */
	struct ivm_victim_window window; /* of `victims` */
	uint64_t decomposed, leaves, solutions;
	uint64_t expansions;
	uint64_t busy; /* sum over expansions of the mean number of IVMs that explored at the
			  beginning and at the end */
	uint64_t phases, steals;            /* stealing phases that had a thief and a victim */
	uint64_t rounds;                    /* of victim selection that were executed */
	struct ivm_length covered;          /* length explored by IVMs that became empty */
	struct ivm_length parted, accepted; /* length moved by `split`, by `accept` */
	double mean;                        /* length of the intervals; empty IVMs count as 0 */
};

/* What a block of a reduction or of a prefix sum found. */
struct ivm_partial {
	double length;
	int32_t empty, best, children;
};

enum { IVM_REDUCE_BLOCK = 256 }; /* IVMs for each ivm_partial */

/* T IVMs. All pointers point to device memory. */
struct ivm_fleet {
	struct ivm_problem problem; /* moved */
	int n, ivms;
	size_t bytes, scratch_bytes; /* of an IVM: ivm_bytes, ivm_scratch_bytes */
	unsigned char *memory;       /* [ivms] IVMs, see ivm_at */
	unsigned char *scratch;      /* [ivms], see ivm_scratch_at */
	int32_t *state;              /* [ivms] enum ivm_state */
	int32_t *children;           /* [ivms] of the row to be bounded; 0: none */
	uint32_t *entry;             /* [ivms * n] the mapping: ivm * n + cell */
	double *length;              /* [ivms] share of n!; -1: empty */
	uint64_t *begin;             /* [ivms] residue of the first number of its interval;
					IVM_NO_BEGIN: empty, its interval is in `covered` */
	int32_t *thief;              /* [ivms] the control->thieves empty IVMs */
	int32_t *victim; /* [ivms] victim of thief[i] (SEARCH_ONE_LAUNCH) or of IVM i, -1: none.
				 While intervals are put: the index of the IVM's interval */
	/* SEARCH_ONE_LAUNCH does not use these three, and uses thief */
	int32_t *flag;               /* [ivms] 1: taken in this phase */
	int32_t *offset;             /* [ivms] prefix sum of `children` in a block */
	struct ivm_partial *partial; /* [ivms / IVM_REDUCE_BLOCK, rounded up] */
	int32_t *leaf_value;         /* [ivms] best leaf of each, IVM_LEAF_NONE: none */
	uint16_t *leaf_order;        /* [ivms * n] */
	struct ivm_control *control;
	/* LB2 with at most 32 jobs and times that keep all sums below 2^15, else NULL */
	const struct fsp_step *step; /* [pair * n + position], `job` is the job's bit */
	uint32_t *left;              /* [ivms] bit j: job j is open */
};

/* An expansion of PTE. All IVMs stop when `trigger` of them are empty. */
struct ivm_stepping {
	int trigger, most; /* most: steps per IVM */
	bool one_pass;     /* SEARCH_ONE_PASS */
};

/* A buffer of IVMs, to move them between devices. */
struct ivm_parcel {
	unsigned char *memory;
	int32_t *full;
};

struct ivm_published_kernels {
	/* `best`: the best value that the host knows. `staged`: the kernel keeps IVMs in shared
	 * memory. */
	int (*select)(struct dev_stream *s, const struct ivm_fleet *f, int32_t best, bool staged,
		      struct err *e);
	int (*map)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
	int (*map_scan)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
	/* `table`, `blocks`: from bound_blocks; or a number of blocks from blocks_for_units. */
	int (*bound)(struct dev_stream *s, const struct ivm_fleet *f, bool table, int blocks,
		     struct err *e);
	int (*prune)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
	/* Steps of every IVM, by these limits. */
	int (*steps)(struct dev_stream *s, const struct ivm_fleet *f, int32_t best,
		     struct ivm_stepping limit, bool staged, struct err *e);
	/* Counts the empty IVMs and takes the least of the leaves: the paper's reduce(end). */
	int (*reduce_states)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
	/* `flags`: also frees the victims of the last phase. */
	int (*lengths)(struct dev_stream *s, const struct ivm_fleet *f, bool flags, struct err *e);
	/* The mean length; the least of the leaves, which `prune` may have lowered. */
	int (*reduce_lengths)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
	/* A round of Algorithm 5: digit i (from 0) minus j. A round of Algorithm 6 and of the other
	 * rules: `back` steps back. */
	int (*select_hyper)(struct dev_stream *s, const struct ivm_fleet *f,
			    const struct ivm_victim_rule *v, int i, int j, struct err *e);
	int (*try_select)(struct dev_stream *s, const struct ivm_fleet *f,
			  const struct ivm_victim_rule *v, int back, struct err *e);
	int (*steal_each)(struct dev_stream *s, const struct ivm_fleet *f, int parts,
			  struct err *e);
	int (*victims)(struct dev_stream *s, const struct ivm_fleet *f,
		       const struct ivm_victim_rule *v, struct err *e);
	int (*steal)(struct dev_stream *s, const struct ivm_fleet *f, int parts, struct err *e);
	/* intervals: [count][2][n]; target: [count] the IVMs that get them */
	int (*start)(struct dev_stream *s, const struct ivm_fleet *f, const uint16_t *intervals,
		     const int32_t *target, int count, struct err *e);
	int (*start_row)(struct dev_stream *s, const struct ivm_fleet *f, const uint16_t *intervals,
			 struct err *e);
	/* Moves the right halves of IVMs first .. first + count - 1 into parcels; moves parcels
	 * into IVMs. */
	int (*split)(struct dev_stream *s, const struct ivm_fleet *f, struct ivm_parcel to,
		     int first, int count, struct err *e);
	int (*accept)(struct dev_stream *s, const struct ivm_fleet *f, struct ivm_parcel from,
		      int first, int count, struct err *e);
	/* The number of blocks of `bound` that have one thread for each unit, at least 1. */
	int (*blocks_for_units)(const struct ivm_fleet *f, int children);
	/* The number of blocks of `bound` that a multiprocessor holds at once, and whether the
	 * steps of LB2 fit into its shared memory (*table). */
	int (*bound_blocks)(struct dev_stream *s, const struct ivm_fleet *f,
			    size_t shared_per_block, bool *table, int *blocks, struct err *e);
	/* Whether the IVMs of a block can be staged, and whether those of all blocks can be staged
	 * at once. */
	int (*staged)(struct dev_stream *s, const struct ivm_fleet *f, int sm_count,
		      size_t shared_per_block, bool *staged, bool *all_staged, struct err *e);
};

DEV_KERNELS(struct ivm_published_kernels, ivm_published_kernels);

#endif
