/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Small kernels for the tests of the device layer: correct ones, which must pass on every backend
 * and under every schedule, and invalid ones, which sim must detect. Sizes are in elements. */
#ifndef COPRA_KERNELS_SELFTEST_SELFTEST_H
#define COPRA_KERNELS_SELFTEST_SELFTEST_H

#include <stdint.h>

#include "harness/device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SELFTEST_BLOCK = 128 };

/* Faults of the reversal kernel. */
enum selftest_fault {
	SELFTEST_NO_FAULT,
	SELFTEST_BY_WARPS,        /* also correct, with another algorithm */
	SELFTEST_MISSING_BARRIER, /* reads data that other threads may not have written yet */
	SELFTEST_MISSING_SECOND_BARRIER, /* overwrites data that others may not have read */
	SELFTEST_MISSING_SYNCWARP,       /* assumes that lanes run in lockstep */
	SELFTEST_FAULTS
};

struct selftest_kernels {
	/* y[i] += a * x[i] */
	int (*axpy)(struct dev_stream *s, int a, const int *x, int *y, int n, struct err *e);
	/* *out += sum of x, by shuffles, shared memory and one atomic a block */
	int (*sum)(struct dev_stream *s, const int *x, unsigned long long *out, int n,
		   struct err *e);
	/* y = inclusive sums of x. `state` has 1 + blocks elements, all zero. Blocks pass their
	 * prefix on through flags, in the order in which they start. */
	int (*scan)(struct dev_stream *s, const int *x, int *y, unsigned long long *state, int n,
		    struct err *e);
	/* y = x after `steps` of y[i] = max(y[i-1], y[i], y[i+1]), by one cooperative launch. Both
	 * buffers have n elements; the result is in a if `steps` is even, otherwise in b. */
	int (*spread)(struct dev_stream *s, int *a, int *b, int n, int steps, struct err *e);
	/* Compares warp operations with their definitions and adds the number of differences to
	 * *wrong. */
	int (*warp)(struct dev_stream *s, int *wrong, int blocks, struct err *e);
	/* Reverses each SELFTEST_BLOCK elements of x in place, `rounds` times, with the given
	 * fault. */
	int (*reverse)(struct dev_stream *s, int *x, int n, int rounds, enum selftest_fault fault,
		       struct err *e);
	/* Two devices take turns to count to `rounds`: each waits for its flag and then sets its
	 * peer's. */
	int (*pingpong)(struct dev_stream *s, unsigned *mine, unsigned *peers, int first,
			unsigned rounds, struct err *e);
	/* y = x by asynchronous copies through shared memory, with two groups in flight */
	int (*stream_copy)(struct dev_stream *s, const int *x, int *y, int n, struct err *e);
};

DEV_KERNELS(struct selftest_kernels, selftest_kernels);

/* Kernels that sim must stop; sim only. `x` has SELFTEST_BLOCK elements, all zero. */
enum selftest_invalid {
	SELFTEST_EARLY_RETURN, /* half of the block leaves before a barrier */
	SELFTEST_TWO_BARRIERS, /* half of the block waits at another barrier */
	SELFTEST_MASK_WITHOUT_SELF,
	SELFTEST_MASKS_DIFFER,
	SELFTEST_LANE_MISSING,   /* a named lane waits in a barrier of the block */
	SELFTEST_NEVER_RAISED,   /* waits for a flag that is never set */
	SELFTEST_GRID_DESERTER,  /* a block leaves while the others wait in grid_sync */
	SELFTEST_GRID_PLAIN,     /* grid_sync without a cooperative launch */
	SELFTEST_SHARED_OVERRUN, /* writes beyond its shared memory */
	SELFTEST_GLOBAL_OVERRUN, /* writes beyond an allocation */
	SELFTEST_WILD_POINTER,   /* one thread writes to unmapped memory */
	SELFTEST_NO_COPY_WAIT,   /* traps if asynchronous copies arrive without a wait */
	SELFTEST_DEEP_STACK,     /* needs more stack than a thread has */
	SELFTEST_RACE,           /* two blocks write one element; only TSan detects it */
	SELFTEST_TRAP,
	SELFTEST_TOO_MANY_THREADS,
	SELFTEST_TOO_MUCH_SHARED,
	SELFTEST_EMPTY_GRID,
	SELFTEST_TOO_MANY_RESIDENT,
	SELFTEST_INVALID_KERNELS
};
int selftest_run_invalid_sim(struct dev_stream *s, enum selftest_invalid which, int *x,
			     struct err *e);
/* Compares the warp operations of HIP's header, on emulated waves of 32 and 64 lanes, with sim's,
 * for `rounds` sets of arguments, and adds the number of differences to *wrong; sim only. */
int selftest_hip_warp_sim(struct dev_stream *s, int *wrong, unsigned rounds, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
