/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the example: y = a * x + y. */
#ifndef COPRA_DOCS_EXAMPLES_MINIMAL_KERNEL_SAXPY_H
#define COPRA_DOCS_EXAMPLES_MINIMAL_KERNEL_SAXPY_H

#include "harness/device/device.h"

/* The launch functions of one backend. */
struct saxpy_kernels {
	/* Asynchronous. x and y are device memory of n floats each. */
	int (*saxpy)(struct dev_stream *s, float a, const float *x, float *y, int n, struct err *e);
};

DEV_KERNELS(struct saxpy_kernels, saxpy_kernels);

#endif
