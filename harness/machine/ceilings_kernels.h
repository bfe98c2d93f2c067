/* The kernels that measure a GPU's ceilings: kernels/ceilings/ceilings.cu on both backends, driven
 * by ceilings_gpu.c. Each has a result that ceilings_model.c computes in another way.
 *
 * Every kernel runs blocks of CEILINGS_BLOCK threads. A rate kernel repeats one kind of work
 * `steps` times in every thread (a multiple of 4) and leaves one word a thread in
 * out[blocks * CEILINGS_BLOCK]. */
#ifndef COPRA_MACHINE_CEILINGS_KERNELS_H
#define COPRA_MACHINE_CEILINGS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CEILINGS_BLOCK = 256 };

enum ceilings_rate {
	RATE_SHARED_READ,  /* RATE_UNROLL 16-byte loads a step */
	RATE_SHARED_WRITE, /* RATE_UNROLL 16-byte stores a step */
	RATE_ADD_MAX,      /* 2 RATE_CHAINS add-max a step */
	RATE_ADD_MAX_16,   /* twice as many, in pairs */
	RATE_POPCOUNT,     /* RATE_CHAINS popcount + add a step */
	RATE_FMA,          /* RATE_CHAINS fused multiply-adds a step */
	RATES
};
enum {
	RATE_CHAINS = 8,
	RATE_UNROLL = 4,
	/* of the two shared-memory kernels, a block: two halves of RATE_UNROLL pieces a thread */
	RATE_SHARED_BYTES = 2 * RATE_UNROLL * CEILINGS_BLOCK * 16,
};

struct ceilings_kernels {
	/* out[i] = ceilings_pattern(i) */
	int (*fill)(struct dev_stream *s, uint32_t *out, size_t words, int blocks, struct err *e);
	/* dst = src, `passes` times over; words16 counts 16-byte pieces */
	int (*copy)(struct dev_stream *s, const void *src, void *dst, size_t words16, int passes,
		    int blocks, struct err *e);
	int (*rate[RATES])(struct dev_stream *s, uint32_t *out, int steps, int blocks,
			   struct err *e);
	/* One thread adds one to *counter. */
	int (*tick)(struct dev_stream *s, uint32_t *counter, struct err *e);
};

extern const struct ceilings_kernels ceilings_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct ceilings_kernels ceilings_kernels_cuda;
#endif
const struct ceilings_kernels *ceilings_kernels_for(const struct dev *d);

/* ---- the model ---- */

uint32_t ceilings_pattern(uint64_t index);
/* What thread `thread` (of the whole grid) of a rate kernel must leave. */
uint32_t ceilings_rate_expected(enum ceilings_rate rate, uint32_t thread, int steps);
/* Operations, or bytes of shared memory, of one launch. */
double ceilings_rate_amount(enum ceilings_rate rate, int blocks, int steps);
/* The words that a launch left against the model, all of the first and last and some between. */
int ceilings_check_rate(const uint32_t *words, enum ceilings_rate rate, int steps, size_t threads,
			struct err *e);

#ifdef __cplusplus
}
#endif
#endif
