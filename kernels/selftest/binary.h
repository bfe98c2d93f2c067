/* Binary matrix products (kernels/common/mma_b1.cuh), for tests. */
#ifndef COPRA_KERNELS_SELFTEST_BINARY_H
#define COPRA_KERNELS_SELFTEST_BINARY_H

#include <stdint.h>

#include "harness/device/device.h"

struct selftest_binary {
	/* d[8 * m + n] = ones in a[8 * m + i] & b[8 * n + i], i < 8; m < 16, n < 8; device memory.
	 * By rows of words, or (`quads`) of `a` and `b` with rows of 16 words loaded 4 at once. */
	int (*product)(struct dev_stream *s, const uint32_t *a, const uint32_t *b, int32_t *d,
		       int quads, struct err *e);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct selftest_binary selftest_binary_cuda, selftest_binary_sim;
#ifdef __cplusplus
}
#endif

#endif
