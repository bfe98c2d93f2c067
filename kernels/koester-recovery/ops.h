/* What the tracker calls: a domain's functions over many states, and copies of states.
 *
 * A domain is a header with HD functions (see domain.h); its table of the host is made from them by
 * domain_host.h, that of the devices by kernels/koester-recovery/domain.cuh. Every function works
 * on a batch, asynchronously on a device. All arrays lie in memory of the place. */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_OPS_H
#define COPRA_KERNELS_KOESTER_RECOVERY_OPS_H

#include <signal.h>

#include "harness/base/error.h"
#include "harness/device/device.h"
#include "kernels/koester-recovery/state.h"

struct team; /* harness/base/team.h */

/* Where states lie and work runs: algorithms/koester-recovery/states/place.h opens and closes it.
 */
struct track_place {
	struct dev *device;        /* NULL: the host */
	struct dev_stream *stream; /* of the work; NULL on the host */
	struct dev_stream *copies; /* a second one, for copies beside the work; NULL on the
				      host */
	struct team *pool;         /* the host's threads; also given to device places, for what
					    the host does for them (host pruning, plans) */
	const volatile sig_atomic_t *stop; /* what loops over states on the host heed while it is
					set: they end early with ERR_LIMIT; NULL: none */
	uint64_t limit;                    /* bytes that may be held at once; 0: only the memory */
	uint64_t used, peak;               /* bytes held now, and at most so far */
};

struct track_batch {
	struct track_layout layout; /* the domain's */
	void *states;               /* a buffer */
	uint32_t slots;             /* of the buffer */
	uint32_t count;             /* states worked on */
	const uint32_t *slot;      /* [count] where they lie, all different; NULL: 0 .. count - 1 */
	const uint32_t *source;    /* [count] as in struct track_step; NULL: 0 */
	const uint32_t *successor; /* [count]; NULL: 0 */
	uint32_t *waiting;       /* one bit a state, bit i of word i / 32 for the i-th of the batch:
				    it waits for an assignment; NULL: see execute and assign */
	uint32_t *waiting_count; /* one word: bits set; NULL where waiting is */
	uint64_t seed;
	uint32_t iteration, step;
};

/* When a state that is advanced by itself is assigned: as soon as it waits; and
 *   FIRST  before the first step
 *   LAST   after the last step, whether it waits or not
 *   FIXED  not when it waits, but after the steps that the call says (only rate_children) */
enum { TRACK_ASSIGN_FIRST = 1, TRACK_ASSIGN_LAST = 2, TRACK_ASSIGN_FIXED = 4 };

/* The rating of a child that is never kept, however few there are: pruning (select, and the host's)
 * leaves it out, so that a layer may be smaller than the beam and than its children. */
#define TRACK_DROPPED UINT32_MAX

/* For replay: the path of the i-th state of the batch, from the state that lies in its slot on.
 * Round r makes it a state of layer iteration[r]. */
struct track_path {
	uint32_t rounds;
	uint32_t count;            /* stride of the arrays below: at least the batch's count */
	const uint32_t *iteration; /* [rounds], the same for all */
	const uint32_t *source;    /* [r * count + i]; not set where there is no step */
	const uint32_t *successor; /* [r * count + i]; TRACK_NO_STEP: nothing in this round */
};

#define TRACK_NO_STEP UINT32_MAX

/* Children of a batch of parents, numbered parent by parent. */
struct track_children {
	const uint32_t *first;  /* [count] number of the first child of the i-th parent */
	const uint32_t *number; /* [count] how many it has */
	uint64_t total;
	uint32_t first_source; /* the i-th parent's source index is first_source + i */
};

struct track_ops {
	/* Algorithm 2, line 7: one step of every state that does not wait (waiting NULL: of all).
	 * Those that wait afterwards get their bit; waiting_count is kept. batch.step counts the
	 * executions before. */
	int (*execute)(struct track_place *p, const void *parameters, const struct track_batch *b,
		       struct err *e);
	/* Lines 1 and 12: assigns the states that wait (waiting NULL: all). Bits are kept. */
	int (*assign)(struct track_place *p, const void *parameters, const struct track_batch *b,
		      struct err *e);
	/* rating[i], smaller is better; TRACK_DROPPED: the search loses nothing without it. */
	int (*rate)(struct track_place *p, const void *parameters, const struct track_batch *b,
		    uint32_t *rating, struct err *e);
	/* Irregular expansion: number[i] of the successors 0 .. of the state that are worth making.
	 */
	int (*expand)(struct track_place *p, const void *parameters, const struct track_batch *b,
		      uint32_t *number, struct err *e);
	/* Which successor the k-th child is: successor[first[i] + k] for all i, k. NULL: k itself.
	 */
	int (*successors)(struct track_place *p, const void *parameters,
			  const struct track_batch *parents, const struct track_children *c,
			  uint32_t *successor, struct err *e);
	/* `steps` steps of every state by itself; flags FIRST and LAST. The bytes are those that
	 * execute and assign give one state alone. batch.waiting and step are not used. */
	int (*advance)(struct track_place *p, const void *parameters, const struct track_batch *b,
		       uint32_t steps, uint32_t flags, struct err *e);
	/* Recovery in one call: `steps` forward steps for every round of the path. */
	int (*replay)(struct track_place *p, const void *parameters, const struct track_batch *b,
		      const struct track_path *path, uint32_t steps, uint32_t flags, struct err *e);
	/* Optional, NULL: advance and rate on clones. rating[child] as if the child had been made
	 * and advanced by `steps`; parents are only read. parents->source and ->successor are not
	 * used; parents->iteration is the children's. successor as from successors(), NULL where
	 * that is. With TRACK_ASSIGN_FIXED, assignments come after the (s + 1)-th step where bit s
	 * of `breaks` is set (and with LAST after the last, once). This is a whole evaluation under
	 * TRACK_FIXED. */
	int (*rate_children)(struct track_place *p, const void *parameters,
			     const struct track_batch *parents, const struct track_children *c,
			     const uint32_t *successor, uint32_t steps, uint32_t flags,
			     uint32_t breaks, uint32_t *rating, struct err *e);
};

/* Copies of states and the choice of the best: the same for every domain. */
enum { TRACK_SOURCES = 16 };
struct track_gather {
	struct track_layout layout;
	void *to; /* buffer */
	uint32_t to_slots, count;
	const uint32_t *to_slot; /* [count]; NULL: 0 .. count - 1 */
	/* Source i: slot from_slot[i] of buffer from[k], where first[k] <= from_slot[i] <
	 * first[k + 1], slots counted on through the buffers (buffers of several devices with peer
	 * access, or pinned host memory). One buffer: sources 1, first {0}. */
	const void *from[TRACK_SOURCES];
	uint32_t from_slots[TRACK_SOURCES]; /* of each buffer */
	uint32_t first[TRACK_SOURCES];
	int sources;
	const uint32_t *from_slot; /* [count]; NULL: 0 .. count - 1 */
	uint32_t from_repeat;      /* > 1: i reads from_slot[i / from_repeat]: regular expansion */
};

struct track_common {
	int (*gather)(struct track_place *p, const struct track_gather *g, struct err *e);
	/* first[i] = number[0] + ... + number[i-1]; *total (one 64-bit word of the place) their
	 * sum. scratch: scan_scratch(count) bytes. */
	size_t (*scan_scratch)(struct track_place *p, uint32_t count);
	int (*scan)(struct track_place *p, const uint32_t *number, uint32_t *first, uint64_t *total,
		    uint32_t count, void *scratch, struct err *e);
	/* The `keep` smallest of rating[0 .. count) that are below TRACK_DROPPED, equal ones by
	 * smaller index, in the order of their indices: index[keep]. *kept (one word): how many, at
	 * most min(keep, count). */
	size_t (*select_scratch)(struct track_place *p, uint32_t count);
	int (*select)(struct track_place *p, const uint32_t *rating, uint32_t count, uint32_t keep,
		      uint32_t *index, uint32_t *kept, void *scratch, struct err *e);
	/* For chosen children: source (first_source + number of the parent, by binary search in
	 * first), successor (successor[child]; NULL: child - first) and rating of each (where
	 * child_rating is not NULL). */
	int (*children)(struct track_place *p, const struct track_children *c, uint32_t parents,
			const uint32_t *child_successor, const uint32_t *child_rating,
			const uint32_t *child, uint32_t count, uint32_t *source,
			uint32_t *successor, uint32_t *rating, struct err *e);
};

#endif
