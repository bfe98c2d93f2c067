/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* This file is compiled twice: by nvcc for CUDA devices, and as C++ for the simulated device. */
#include "kernels/common/gpu.cuh"

#include "docs/examples/minimal-kernel/saxpy.h"

static __global__ void saxpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

static int launch_saxpy(struct dev_stream *s, float a, const float *x, float *y, int n,
			struct err *e)
{
	return LAUNCH(e, saxpy, (n + 255) / 256, 256, 0, s, a, x, y, n);
}

extern "C" const struct saxpy_kernels BACKEND_SYMBOL(saxpy_kernels) = { launch_saxpy };
