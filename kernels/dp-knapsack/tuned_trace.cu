/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The traceback along a single path: one warp, one step per pass. A step waits for one read of the
 * cells c, c - w, c - 2w, ...; the rows of the next pass are fetched meanwhile. */
#include "kernels/dp-knapsack/tuned_tile.cuh"

enum {
	TRACE_WORDS = sizeof(struct dp_tuned_pass) / sizeof(int32_t),
	TRACE_ROWS = DP_TUNED_GPUS, /* most rows of one pass */
};

static __device__ __forceinline__ int64_t trace_read(const struct dp_tuned_trace &t,
						     const struct dp_tuned_pass *before,
						     const struct dp_tuned_pass *here, int64_t c)
{
	int d = 0;

	if (c > here->saturated)
		return here->saturated_value;
	while (d + 1 < t.devices && c >= before[d + 1].low)
		d++;
	int64_t at = before[d].store + c;
	return t.cells_64 ? static_cast<const int64_t *>(t.cell[d])[at] :
			    static_cast<const int32_t *>(t.cell[d])[at];
}

/* Copies the rows of one pass to shared memory. Called by the warp. */
static __device__ __forceinline__ void trace_fetch(const struct dp_tuned_trace &t, int pass,
						   struct dp_tuned_pass *rows)
{
	const int32_t *from = (const int32_t *)(t.pass + (ptrdiff_t)pass * t.devices);

	for (int i = (int)threadIdx.x; i < t.devices * TRACE_WORDS; i += warpSize)
		((int32_t *)rows)[i] = __ldg(from + i);
}

/* The smallest number of units that explains `value` at capacity c, or -1. Uniform over the warp.
 */
static __device__ __forceinline__ int trace_step(const struct dp_tuned_trace &t, int pass,
						 const struct dp_tuned_pass *before,
						 const struct dp_tuned_pass *here, int64_t c,
						 int64_t value)
{
	const int64_t *profit = t.profit + t.first[pass];
	int most = (int)(t.first[pass + 1] - t.first[pass]) - 1;

	for (int from = 0; from <= most; from += warpSize) {
		int j = from + (int)threadIdx.x;
		int64_t at = c - (int64_t)j * here->weight;
		bool fits = j <= most && at >= 0 &&
			    trace_read(t, before, here, at) + profit[j] == value;
		unsigned who = __ballot_sync(0xffffffffu, fits);

		if (who)
			return from + __ffs((int)who) - 1;
	}
	return -1;
}

static __global__ void trace_kernel(const __grid_constant__ struct dp_tuned_trace t)
{
	SHARED_MEMORY(struct dp_tuned_pass, rows);
	int64_t c = t.position[0], value = t.position[1];

	trace_fetch(t, t.pass_count - 1, rows + (t.pass_count & 1) * TRACE_ROWS);
	for (int k = t.pass_count - 1; k >= 0; k--) {
		struct dp_tuned_pass *here = rows + ((k + 1) & 1) * TRACE_ROWS;
		struct dp_tuned_pass *before = rows + (k & 1) * TRACE_ROWS;

		/* pass 0 of a whole run has no row before it and reads nothing */
		__syncwarp();
		if (k > 0 || here->saturated >= 0)
			trace_fetch(t, k - 1, before);
		__syncwarp();
		int units = trace_step(t, k, before, here, c, value);
		if (threadIdx.x == 0)
			t.taken[k] = units;
		if (units < 0)
			break;
		c -= (int64_t)units * here->weight;
		value -= t.profit[t.first[k] + units];
	}
	if (threadIdx.x == 0) {
		t.position[0] = c;
		t.position[1] = value;
	}
}

static int trace_launch(struct dev_stream *s, const struct dp_tuned_trace *t, struct err *e)
{
	return LAUNCH(e, trace_kernel, 1, 32, 2 * TRACE_ROWS * sizeof(struct dp_tuned_pass), s, *t);
}

extern "C" {
int BACKEND_SYMBOL(dp_tuned_class_pass)(struct dev_stream *, const struct dp_tuned_run *, int, int,
					struct err *);
int BACKEND_SYMBOL(dp_tuned_merged_pass)(struct dev_stream *, const struct dp_tuned_run *, int, int,
					 struct err *);
int BACKEND_SYMBOL(dp_tuned_fused_pass)(struct dev_stream *, const struct dp_tuned_run *, int, int,
					struct err *);
}

/* a separate `extern`: inside the braces a const would be local to this file */
extern "C" const struct dp_tuned_kernels BACKEND_SYMBOL(dp_tuned_kernels) = {
	BACKEND_SYMBOL(dp_tuned_class_pass),
	BACKEND_SYMBOL(dp_tuned_merged_pass),
	BACKEND_SYMBOL(dp_tuned_fused_pass),
	trace_launch,
};
