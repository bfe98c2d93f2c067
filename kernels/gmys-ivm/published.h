/* The kernels of Gmys et al. 2017, sections 3.2 and 3.3: T IVMs in the memory of one device.
 *
 * An expansion is `select`, `map`, `bound`, `prune` (PTE+PEB: one step of every IVM) or `steps`
 * (PTE: steps until the trigger). Stealing is `lengths`, `victims`, `steal`. Intervals are put by
 * `start`, then `map`, `bound`, `start_row` once for each row that may have to be constructed. All
 * calls are asynchronous and need no host in between; the control block has all that the host
 * needs.
 *
 * The paper's reduce(end) is part of `victims`, which counts the IVMs anyway, and of atomics. Its
 * victim selection, one launch per round, is one launch of one block with a barrier between rounds.
 */
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

/* The control block of a device. The host reads it after a phase. Counts only grow. */
struct ivm_control {
	int32_t best;     /* IVM_NONE: none */
	int32_t trigger;  /* IVMs found empty in this expansion */
	int32_t children; /* pairs (IVM, cell) in the mapping, see `entry` */
	int32_t active;   /* IVMs that explored in the last expansion */
	int32_t working;  /* IVMs that explore after the stealing that followed */
	int32_t thieves;  /* IVMs found empty in the last expansion */
	int32_t moved;    /* IVMs that `accept` has filled so far; wraps around */
	struct ivm_victim_window window;
	uint64_t decomposed, leaves, solutions;
	uint64_t expansions;
	uint64_t busy; /* sum over expansions of the mean number of IVMs that explored at the
			  beginning and at the end */
	uint64_t phases, steals;   /* stealing phases; those that had a thief and a victim */
	struct ivm_length covered; /* length explored by IVMs that became empty */
	struct ivm_length parted, accepted; /* length moved by `split`, by `accept` */
	double mean;                        /* length of the intervals; empty IVMs count as 0 */
};

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
	int32_t *victim;      /* [ivms] victim of thief[i], -1: none. While intervals are put: the
				 index of the IVM's interval */
	int32_t *leaf_value;  /* [ivms] best leaf of each, IVM_NONE: none */
	uint16_t *leaf_order; /* [ivms * n] */
	struct ivm_control *control;
	/* LB2 with at most 32 jobs and times that keep all sums below 2^15, else NULL */
	const struct fsp_step *step; /* [pair * n + position], `job` is the job's bit */
	uint32_t *left;              /* [ivms] bit j: job j is open */
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
	/* `table`, `blocks`: from bound_blocks. */
	int (*bound)(struct dev_stream *s, const struct ivm_fleet *f, bool table, int blocks,
		     struct err *e);
	int (*prune)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
	/* At most `most` steps per IVM. All stop when `trigger` of them are empty. */
	int (*steps)(struct dev_stream *s, const struct ivm_fleet *f, int32_t best, int trigger,
		     int most, bool staged, struct err *e);
	int (*lengths)(struct dev_stream *s, const struct ivm_fleet *f, struct err *e);
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
