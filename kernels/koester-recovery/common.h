/* Copies of states, scans and the choice of the best, on devices: the tables behind
 * track_common_of (kernels/koester-recovery/ops.h is the manual). Everything is launched
 * on the place's stream and waits for nothing.
 *
 *   gather    one launch. The largest power of two, at most 16 bytes, that units and buffers allow
 *             is copied at a time: rows of small units by neighbouring threads, large units by a
 *             warp
 *   scan      one cooperative launch, two reads; scratch 8 KB
 *   select    one cooperative launch: the keep-th smallest rating by histograms of 11, 11 and 10
 *             bits, then an ordered compaction; four reads of the ratings, at most 2^31 of them;
 *             scratch 32 KB
 *   children  one launch, a thread a chosen child */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_COMMON_H
#define COPRA_KERNELS_KOESTER_RECOVERY_COMMON_H

#include "kernels/koester-recovery/ops.h"

#ifdef __cplusplus
extern "C" {
#endif
extern const struct track_common track_common_sim;
#if COPRA_HAVE_CUDA
extern const struct track_common track_common_cuda;
#endif
#ifdef __cplusplus
}
#endif

/* Paths of states through the history, traced on the device from a mirror of it: what a replay
 * needs, without the host. A thread follows one target down; 15 layers take as many dependent
 * reads. */

#define TRACK_TRACE_STEP UINT64_MAX /* from_at of a layer made by a step */

/* All arrays lie on the device. */
struct track_trace {
	bool wide;                /* entries are struct track_wide_entry, else track_entry */
	const void *entries;      /* of all layers */
	const uint64_t *entry_at; /* [layer] number of its first entry */
	const uint32_t *from;     /* of all jump layers: the layer of each source */
	const uint64_t *from_at;  /* [layer] number of its first, or TRACK_TRACE_STEP */

	const struct track_node *target; /* [count] in layers down_to .. top */
	uint32_t count;
	uint32_t down_to, top; /* round r of the paths makes layer down_to + 1 + r */

	/* Results, as struct track_path has them, of top - down_to rounds. A jump layer and layers
	 * that a jump passes are rounds without a step. */
	uint32_t *iteration;          /* [rounds] */
	uint32_t *source, *successor; /* [r * count + i] */
	uint32_t *start_slot;         /* [count] in layer down_to */
	uint64_t *steps;              /* one word, which is added to: steps of all paths */
};

struct track_trace_kernels {
	/* Asynchronous. No path may jump past down_to: one that does ends with start_slot
	 * UINT32_MAX. */
	int (*trace)(struct dev_stream *s, const struct track_trace *t, struct err *e);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct track_trace_kernels track_trace_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct track_trace_kernels track_trace_kernels_cuda;
#endif
#ifdef __cplusplus
}
#endif

static inline const struct track_trace_kernels *track_trace_kernels_for(const struct dev *d)
{
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		return &track_trace_kernels_cuda;
#endif
	(void)d;
	return &track_trace_kernels_sim;
}

#endif
