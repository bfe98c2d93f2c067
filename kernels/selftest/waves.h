/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of two to four warps that wait for each other, for tests of COPRA_SIM_WAVE (sim.h); sim
 * only. */
#ifndef COPRA_KERNELS_SELFTEST_WAVES_H
#define COPRA_KERNELS_SELFTEST_WAVES_H

#include "harness/device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum selftest_waves {
	/* correct on every device: thread 0 waits */
	SELFTEST_WAIT_FOR_WAVE,       /* for thread 96 */
	SELFTEST_WAIT_AFTER_BARRIER,  /* for what thread 32 did before a barrier */
	SELFTEST_WAIT_AFTER_CONVERGE, /* for what thread 32 did before WAVE_SYNC */
	/* correct on independent lanes */
	SELFTEST_WAIT_FOR_HALF,     /* thread 0 waits for thread 32 */
	SELFTEST_HALVES_TAKE_TURNS, /* threads 0 and 32 wait for each other in turn */
	SELFTEST_WAIT_IN_CIRCLE,    /* thread 0 waits for thread 64, which waits for thread 32 */
	SELFTEST_WAIT_AMONG_OTHERS, /* thread 0 waits for thread 32 while warps 2 and 3 poll */
	SELFTEST_LANES_TAKE_LOCK,   /* the lanes of a warp take a lock one after the other */
	SELFTEST_TWO_BRANCHES,      /* lanes meet in a warp operation from two branches */
	SELFTEST_HALF_CONVERGES,    /* one half calls WAVE_SYNC, the other does not */
	/* never correct */
	SELFTEST_WARP_IN_CONDITION, /* a warp operation in the condition of SPIN_UNTIL */
	SELFTEST_WAVES
};

enum { SELFTEST_WAVES_BLOCK = 128, SELFTEST_WAVES_BLOCKS = 4 };

/* `x` has 2 * SELFTEST_WAVES_BLOCKS elements, all zero. Afterwards the second half is 1. */
int selftest_run_waves_sim(struct dev_stream *s, enum selftest_waves which, int *x, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
