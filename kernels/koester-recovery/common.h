/* The operations of struct track_common (ops.h) on devices, and paths through the history. All are
 * launched asynchronously on the stream of the place.
 *
 *   gather    one launch. Copies words of the largest power of two, at most 16 bytes, that units
 *             and buffers are aligned to: rows of small units by neighbouring threads, large units
 *             by a warp
 *   scan      one cooperative launch that reads the input twice; scratch 8 KB
 *   select    one cooperative launch: finds the keep-th smallest rating by histograms of 11, 11 and
 *             10 bits, then compacts in order. Reads the ratings four times, at most 2^31 of them;
 *             scratch 32 KB
 *   children  one launch, one thread per selected child */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_COMMON_H
#define COPRA_KERNELS_KOESTER_RECOVERY_COMMON_H

#include "kernels/koester-recovery/ops.h"

DEV_KERNELS(struct track_common, track_common);

/* Traces the paths of states in a copy of the history on the device. The result is the input of a
 * replay, without the host. One thread follows one target down; 15 layers take 15 dependent
 * reads. */

#define TRACK_TRACE_STEP UINT64_MAX /* from_at of a layer that a step made */

/* All arrays are on the device. */
struct track_trace {
	bool wide;                /* entries are struct track_wide_entry, else struct track_entry */
	const void *entries;      /* of all layers */
	const uint64_t *entry_at; /* [layer] index of its first entry */
	const uint32_t *from;     /* of all jump layers: the layer of each source */
	const uint64_t *from_at;  /* [layer] index of its first `from`, or TRACK_TRACE_STEP */

	const struct track_node *target; /* [count] in layers down_to .. top */
	uint32_t count;
	uint32_t down_to, top; /* round r of the paths makes layer down_to + 1 + r */

	/* Results as in struct track_path, with top - down_to rounds. Jump layers and layers that a
	 * jump skips are rounds without a step. */
	uint32_t *iteration;          /* [rounds] */
	uint32_t *source, *successor; /* [r * count + i] */
	uint32_t *start_slot;         /* [count] in layer down_to */
	uint64_t *steps; /* one word; the total number of steps of all paths is added to it */
};

struct track_trace_kernels {
	/* Asynchronous. No path may skip layer down_to; if one does, its start_slot is
	 * UINT32_MAX. */
	int (*trace)(struct dev_stream *s, const struct track_trace *t, struct err *e);
};

DEV_KERNELS(struct track_trace_kernels, track_trace_kernels);

#endif
