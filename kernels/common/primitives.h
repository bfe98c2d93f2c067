/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Device-wide reduction, scan and sort, for steps that a paper does not describe: CUB on cuda,
 * sequential code on sim and HIP. All functions are asynchronous and run in the order of the
 * stream.
 *
 * All pointers except `scratch` point to n elements, 0 <= n < 2^31, in memory of the stream's
 * device; results of reductions are one element. Inputs are not modified. `scratch` is device
 * memory of `scratch_bytes`, at least what scratch() returns for that n or a larger one (else
 * ERR_USAGE). Calls that may run at the same time need separate scratch memory. */
#ifndef COPRA_KERNELS_COMMON_PRIMITIVES_H
#define COPRA_KERNELS_COMMON_PRIMITIVES_H

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gpu_primitives {
	int (*scratch)(struct dev_stream *s, int n, size_t *bytes, struct err *e);
	/* *out = sum of x, wrapping around; 0 for n = 0 */
	int (*sum)(struct dev_stream *s, const int64_t *x, int64_t *out, int n, void *scratch,
		   size_t scratch_bytes, struct err *e);
	/* *out = maximum of x; INT64_MIN for n = 0 */
	int (*max)(struct dev_stream *s, const int64_t *x, int64_t *out, int n, void *scratch,
		   size_t scratch_bytes, struct err *e);
	/* y[i] = x[0] + ... + x[i-1], wrapping around; x and y may be the same */
	int (*scan)(struct dev_stream *s, const uint32_t *x, uint32_t *y, int n, void *scratch,
		    size_t scratch_bytes, struct err *e);
	/* Stable sort by the low `bits` (1 to 64) of the keys, ascending; no two arrays overlap */
	int (*sort)(struct dev_stream *s, const uint64_t *keys, uint64_t *sorted_keys,
		    const uint32_t *values, uint32_t *sorted_values, int n, int bits, void *scratch,
		    size_t scratch_bytes, struct err *e);
};

DEV_KERNELS(struct gpu_primitives, gpu_primitives);

#ifdef __cplusplus
}
#endif
#endif
