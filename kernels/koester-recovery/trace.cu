#include "kernels/koester-recovery/trace.h"

#include "algorithms/koester-recovery/track_ops.h"
#include "kernels/common/gpu.cuh"

/* small: every thread waits for memory, so many processors help */
static const uint32_t BLOCK = 64;

template <class E> static __global__ void trace_paths(const __grid_constant__ track_trace t)
{
	uint32_t i = blockIdx.x * BLOCK + threadIdx.x, steps = 0;

	if (blockIdx.x == 0)
		for (uint32_t r = threadIdx.x; r < t.top - t.down_to; r += BLOCK)
			t.iteration[r] = t.down_to + 1 + r;
	if (i < t.count) {
		uint32_t layer = t.target[i].layer, slot = t.target[i].slot, above = t.top + 1;

		for (;;) {
			/* not touched by the path: above the target, passed by a jump */
			for (uint32_t l = above - 1; l > layer && l > t.down_to; l--)
				t.successor[(size_t)(l - t.down_to - 1) * t.count + i] =
					TRACK_NO_STEP;
			if (layer <= t.down_to)
				break;
			E entry = ((const E *)t.entries)[t.entry_at[layer] + slot];
			uint64_t from = t.from_at[layer];
			size_t here = (size_t)(layer - t.down_to - 1) * t.count + i;

			above = layer;
			if (from == TRACK_TRACE_STEP) {
				t.source[here] = entry.source;
				t.successor[here] = entry.successor;
				layer--;
				steps++;
			} else {
				t.successor[here] = TRACK_NO_STEP;
				layer = t.from[from + slot];
			}
			slot = entry.source;
		}
		t.start_slot[i] = layer == t.down_to ? slot : UINT32_MAX;
	}
	steps = __reduce_add_sync(~0u, steps);
	if (threadIdx.x % 32 == 0 && steps)
		atomicAdd((unsigned long long *)t.steps, (unsigned long long)steps);
}

static int trace(struct dev_stream *s, const struct track_trace *t, struct err *e)
{
	unsigned blocks = (unsigned)((t->count + (uint64_t)BLOCK - 1) / BLOCK);

	if (!t->count)
		return 0;
	return t->wide ? LAUNCH(e, trace_paths<history_wide_entry>, blocks, BLOCK, 0, s, *t) :
			 LAUNCH(e, trace_paths<history_entry>, blocks, BLOCK, 0, s, *t);
}

extern "C" const struct track_trace_kernels BACKEND_SYMBOL(track_trace_kernels) = { trace };
