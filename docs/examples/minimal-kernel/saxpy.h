/* Kernels of the example: y = a * x + y. */
#ifndef COPRA_DOCS_EXAMPLES_MINIMAL_KERNEL_SAXPY_H
#define COPRA_DOCS_EXAMPLES_MINIMAL_KERNEL_SAXPY_H

#include "harness/device/device.h"

/* The launch functions of one backend. */
struct saxpy_kernels {
	/* Asynchronous. x and y are device memory of n floats each. */
	int (*saxpy)(struct dev_stream *s, float a, const float *x, float *y, int n, struct err *e);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct saxpy_kernels saxpy_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct saxpy_kernels saxpy_kernels_cuda;
#endif
#ifdef __cplusplus
}
#endif

static inline const struct saxpy_kernels *saxpy_kernels_for(const struct dev *d)
{
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		return &saxpy_kernels_cuda;
#endif
	(void)d;
	return &saxpy_kernels_sim;
}

#endif
