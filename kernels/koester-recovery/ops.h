/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The operations that the tracker calls: a domain's functions applied to a batch of states, and
 * copies, scans and selection that do not depend on the domain.
 *
 * A domain is a header with HD functions (algorithms/koester-recovery/states/domain.h).
 * domain_host.h beside it makes the table of operations for the host, domain.cuh the tables for
 * devices. On a device every operation is asynchronous. All arrays are in memory of the place. */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_OPS_H
#define COPRA_KERNELS_KOESTER_RECOVERY_OPS_H

#include <signal.h>

#include "harness/base/error.h"
#include "harness/device/device.h"
#include "kernels/koester-recovery/state.h"

struct team; /* harness/base/team.h */

/* A place holds states and runs work: the cores of the host, or one device.
 * algorithms/koester-recovery/states/place.h opens and closes it. */
struct track_place {
	struct dev *device;        /* NULL: the host */
	struct dev_stream *stream; /* for kernels and their copies; NULL on the host */
	struct dev_stream *copies; /* for copies that overlap with kernels; NULL on the host */
	struct team *pool; /* threads of the host; places on devices use them for pruning on the
			      host and for plans */
	const volatile sig_atomic_t *stop; /* when it is nonzero, loops over states on the host end
					      early with ERR_LIMIT; NULL: never */
	size_t shared;       /* bytes of shared memory that a block may have; 0 on the host */
	uint32_t processors; /* multiprocessors of the device; 0 on the host */
	uint64_t limit;      /* maximum of `used` in bytes; 0: no limit */
	uint64_t used, peak; /* bytes allocated now, and the maximum so far */
	struct track_reserve *reserve;     /* memory for allocations; NULL: none */
	struct track_reserve *pinned;      /* the same on the host */
	const struct track_common *common; /* operations that do not depend on a domain */
};

/* States that one operation works on. */
struct track_batch {
	struct track_layout layout; /* of the domain */
	void *states;               /* a buffer */
	uint32_t slots;             /* of the buffer */
	uint32_t count;             /* states in the batch */
	const uint32_t *slot; /* [count] slot of each state, all different; NULL: 0 .. count - 1 */
	const uint32_t *source;    /* [count] as in struct track_step; NULL: 0 */
	const uint32_t *successor; /* [count] as in struct track_step; NULL: 0 */
	uint32_t *waiting;         /* bit i % 32 of word i / 32: state i of the batch waits for an
				      assignment; NULL: see execute and assign */
	uint32_t *waiting_count;   /* one word: number of bits set; NULL if waiting is NULL */
	uint64_t seed;
	uint32_t iteration, step;
};

/* Flags of advance, replay and rate_children. By default, a state is assigned as soon as it waits.
 *   FIRST  it is also assigned before the first step
 *   LAST   it is also assigned after the last step, whether it waits or not
 *   FIXED  it is not assigned when it waits, but after the steps in `breaks` (rate_children only)
 */
enum { TRACK_ASSIGN_FIRST = 1, TRACK_ASSIGN_LAST = 2, TRACK_ASSIGN_FIXED = 4 };

/* The rating of a child that pruning always removes, even if there are fewer children than the
 * beam. */
#define TRACK_DROPPED UINT32_MAX

/* Paths for replay. State i of the batch starts as the state in its slot; round r makes it a state
 * of layer iteration[r]. */
struct track_path {
	uint32_t rounds;
	uint32_t count;            /* stride of the arrays below: at least the batch's count */
	const uint32_t *iteration; /* [rounds], common to all states */
	const uint32_t *source;    /* [r * count + i]; undefined where there is no step */
	const uint32_t *successor; /* [r * count + i]; TRACK_NO_STEP: no step in this round */
};

#define TRACK_NO_STEP UINT32_MAX

/* Children of a batch of parents, numbered parent by parent. */
struct track_children {
	const uint32_t *first;  /* [count] index of the first child of parent i */
	const uint32_t *number; /* [count] number of its children */
	uint64_t total;
	uint32_t first_source; /* the source index of parent i is first_source + i */
	uint32_t each;         /* every parent has so many children; 0: any number */
};

/* Children that have been selected before others. */
struct track_selected {
	uint32_t count;
	const uint32_t *source, *successor, *rating; /* [count] */
};

/* What a call of track_ops.together did. */
struct track_together {
	uint64_t executions, assignments; /* of states */
	uint64_t breaks;                  /* how often it left the inner loop */
};

struct track_gather;
struct track_ops {
	/* Algorithm 2, line 7: one step of every state that does not wait (waiting NULL: of every
	 * state). Sets the bits of states that wait afterwards and updates waiting_count.
	 * batch.step is the number of executions before this one. */
	int (*execute)(struct track_place *p, const void *parameters, const struct track_batch *b,
		       struct err *e);
	/* Algorithm 2, lines 1 and 12: assigns the states that wait (waiting NULL: all). Does not
	 * change the bits. */
	int (*assign)(struct track_place *p, const void *parameters, const struct track_batch *b,
		      struct err *e);
	/* Writes rating[i]; smaller is better. TRACK_DROPPED: the search does not need the state.
	 */
	int (*rate)(struct track_place *p, const void *parameters, const struct track_batch *b,
		    uint32_t *rating, struct err *e);
	/* For irregular expansion: sets number[i] to the number of successors that state i shall
	 * have. */
	int (*expand)(struct track_place *p, const void *parameters, const struct track_batch *b,
		      uint32_t *number, struct err *e);
	/* Writes successor[first[i] + k], the number of the successor that child k of parent i is.
	 * The pointer is NULL if child k is always successor k. */
	int (*successors)(struct track_place *p, const void *parameters,
			  const struct track_batch *parents, const struct track_children *c,
			  uint32_t *successor, struct err *e);
	/* Makes `steps` steps of every state, independently of the others; flags FIRST and LAST.
	 * The bytes equal those that execute and assign produce for a single state. Ignores
	 * batch.waiting and batch.step. */
	int (*advance)(struct track_place *p, const void *parameters, const struct track_batch *b,
		       uint32_t steps, uint32_t flags, struct err *e);
	/* Replays whole paths in one call: makes `steps` forward steps for every round of the
	 * path. */
	int (*replay)(struct track_place *p, const void *parameters, const struct track_batch *b,
		      const struct track_path *path, uint32_t steps, uint32_t flags, struct err *e);
	/* Optional. Rates children without storing them; only reads the parents. Sets rating[child]
	 * to the rating that the child has after `steps` steps. `successor` is the result of
	 * successors(), or NULL if that pointer is NULL. Ignores parents->source and ->successor;
	 * parents->iteration is that of the children. With TRACK_ASSIGN_FIXED, states are assigned
	 * after step s + 1 if bit s of `breaks` is set; with LAST too, this is a whole evaluation
	 * under TRACK_FIXED. If the pointer is NULL, the tracker clones the parents, advances the
	 * clones and rates them. */
	int (*rate_children)(struct track_place *p, const void *parameters,
			     const struct track_batch *parents, const struct track_children *c,
			     const uint32_t *successor, uint32_t steps, uint32_t flags,
			     uint32_t breaks, uint32_t *rating, struct err *e);
	/* Optional. The whole of Algorithm 2, `steps` >= 1 steps of count >= 1 states, in one call.
	 * Unless `from` is NULL, first copies the states of the batch as `gather` does; `to` and
	 * `to_slot` are those of the batch. The place itself compares the share of waiting states
	 * with `fill_rate`, 0 to 1. Flag FIRST. The batch's `waiting` has count / 32 + 1 words and
	 * `waiting_count` one word per step; their contents are undefined before and after. Ignores
	 * batch.step. Writes *done, which is in pinned host memory, and rating[i] as `rate` does.
	 * States and numbers equal those of execute and assign called line by line, as the tracker
	 * does if the pointer is NULL. */
	int (*together)(struct track_place *p, const void *parameters,
			const struct track_gather *from, const struct track_batch *b,
			uint32_t steps, uint32_t flags, double fill_rate, uint32_t *rating,
			struct track_together *done, struct err *e);
	/* Optional. Copies the states of the batch as `gather` does, then replays paths. `to` and
	 * `to_slot` are those of the batch. */
	int (*replay_from)(struct track_place *p, const void *parameters,
			   const struct track_gather *from, const struct track_batch *b,
			   const struct track_path *path, uint32_t steps, uint32_t flags,
			   struct err *e);
};

enum { TRACK_SOURCES = 16 };
/* A copy of states from one or several buffers to one buffer. */
struct track_gather {
	struct track_layout layout;
	void *to; /* buffer */
	uint32_t to_slots, count;
	const uint32_t *to_slot; /* [count]; NULL: 0 .. count - 1 */
	/* State i is read from buffer from[k] with first[k] <= from_slot[i] < first[k + 1], at slot
	 * from_slot[i] - first[k]: slots are numbered through all buffers. The buffers may be on
	 * several devices with peer access, or in pinned host memory. For one buffer, sources is 1
	 * and first {0}. */
	const void *from[TRACK_SOURCES];
	uint32_t from_slots[TRACK_SOURCES]; /* of each buffer */
	uint32_t first[TRACK_SOURCES];
	int sources;
	const uint32_t *from_slot; /* [count]; NULL: 0 .. count - 1 */
	uint32_t from_repeat; /* if > 1, state i reads from_slot[i / from_repeat], as in regular
				 expansion */
};

/* Operations that are the same for every domain. */
struct track_common {
	int (*gather)(struct track_place *p, const struct track_gather *g, struct err *e);
	/* Exclusive prefix sum: first[i] = number[0] + ... + number[i - 1], and *total (a 64-bit
	 * word of the place) the sum of all. `scratch` has scan_scratch(count) bytes. */
	size_t (*scan_scratch)(struct track_place *p, uint32_t count);
	int (*scan)(struct track_place *p, const uint32_t *number, uint32_t *first, uint64_t *total,
		    uint32_t count, void *scratch, struct err *e);
	/* Selects the `keep` smallest ratings below TRACK_DROPPED among rating[0 .. count). Ties
	 * are decided by the smaller index. Writes the indices in ascending order to index[keep],
	 * and their number, at most min(keep, count), to *kept (one word). */
	size_t (*select_scratch)(struct track_place *p, uint32_t count);
	int (*select)(struct track_place *p, const uint32_t *rating, uint32_t count, uint32_t keep,
		      uint32_t *index, uint32_t *kept, void *scratch, struct err *e);
	/* Looks up source, successor and rating of selected children. The source is first_source +
	 * the parent's index, found by binary search in `first`, or by division if c->each is set.
	 * The successor is child_successor[child], or child - first if that is NULL. Ratings are
	 * written only if child_rating is not NULL. With `before`, child[i] below before->count
	 * stands for that element of it, and other numbers, less before->count, for children;
	 * child_rating has the ratings of children only. If `kept`, a word of the place, is not
	 * NULL, elements of `child` from index *kept on are not read and taken as 0. */
	int (*children)(struct track_place *p, const struct track_children *c, uint32_t parents,
			const uint32_t *child_successor, const uint32_t *child_rating,
			const struct track_selected *before, const uint32_t *child,
			const uint32_t *kept, uint32_t count, uint32_t *source, uint32_t *successor,
			uint32_t *rating, struct err *e);
};

/* The tables of these operations: loops over the thread team on the host, and kernels on devices
 * (common.cu). On devices:
 *
 *   gather    one launch. Copies words of the largest power of two, at most 16 bytes, that units
 *             and buffers are aligned to: rows of small units by neighbouring threads, large units
 *             by a warp
 *   scan      one cooperative launch that reads the input twice; scratch 8 KB
 *   select    one cooperative launch: finds the keep-th smallest rating by histograms of 11, 11 and
 *             10 bits, then compacts in order. Reads the ratings four times, at most 2^31 of them;
 *             scratch 32 KB
 *   children  one launch, one thread per selected child */
extern const struct track_common track_common_host; /* algorithms/koester-recovery/states/place.c */
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
