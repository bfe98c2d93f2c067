/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that keep one resource of a GPU busy, so that its peak rate can be measured
 * (kernels/peaks/probes.cu; harness/machine/peaks_gpu.c runs them).
 *
 * Every kernel runs blocks of PROBE_BLOCK threads. A rate kernel repeats one kind of work `steps`
 * times in every thread (a multiple of 4) and leaves one word per thread in
 * out[blocks * PROBE_BLOCK]. */
#ifndef COPRA_DEVICE_PROBES_H
#define COPRA_DEVICE_PROBES_H

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PROBE_BLOCK = 256 };

enum probe_rate {
	PROBE_SHARED_READ,  /* PROBE_UNROLL 16-byte loads per step */
	PROBE_SHARED_WRITE, /* PROBE_UNROLL 16-byte stores per step */
	PROBE_ADD_MAX,      /* 2 PROBE_CHAINS add-max per step */
	PROBE_ADD_MAX_16,   /* twice as many, in pairs */
	PROBE_POPCOUNT,     /* PROBE_CHAINS popcount + add per step */
	PROBE_BINARY,       /* PROBE_PRODUCTS binary matrix products of a warp per step */
	PROBE_FMA,          /* PROBE_CHAINS fused multiply-adds per step */
	PROBE_RATES
};
enum {
	PROBE_CHAINS = 8,
	/* fewer than the other chains, because the sums of a product take four registers */
	PROBE_PRODUCTS = 4,
	PROBE_FRAGMENT = 16 * 8 + 8 * 8, /* words of both sides of a product */
	PROBE_UNROLL = 4,
	/* bytes per block of the two shared-memory kernels: two halves of PROBE_UNROLL pieces per
	 * thread
	 */
	PROBE_SHARED_BYTES = 2 * PROBE_UNROLL * PROBE_BLOCK * 16,
};

struct probe_kernels {
	/* out[i] = i * 2654435761 + (i >> 32), modulo 2^32 */
	int (*fill)(struct dev_stream *s, uint32_t *out, size_t words, int blocks, struct err *e);
	/* dst = src, `passes` times; words16 is the number of 16-byte pieces */
	int (*copy)(struct dev_stream *s, const void *src, void *dst, size_t words16, int passes,
		    int blocks, struct err *e);
	int (*rate[PROBE_RATES])(struct dev_stream *s, uint32_t *out, int steps, int blocks,
				 struct err *e);
	/* One thread adds 1 to *counter. */
	int (*tick)(struct dev_stream *s, uint32_t *counter, struct err *e);
};

DEV_KERNELS(struct probe_kernels, probe_kernels);

#ifdef __cplusplus
}
#endif
#endif
