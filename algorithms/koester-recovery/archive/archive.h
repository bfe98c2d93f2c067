/* The archive: layers whose states are kept, and where. Every way of recovery is a rule for it:
 *
 *   replay       nothing but the inputs, and (with the cache) the last layer   the paper's method
 *   gpu          every layer in the memory of the device ("all states" of Table IV)
 *   pinned       every layer in pinned host memory, copied beside the work
 *   host         every layer in pageable host memory
 *   peer         every layer in the memory of another device
 *   checkpoint   every d-th layer on the device, the way between by replay (Gecode's commit
 *                distance c_d). Where the budget or the memory ends, every second one goes and d
 *                doubles
 *   adaptive     checkpoints as above, and when a recovery replays more than a layers, a copy half
 *                way (Gecode's adaptation distance a_d). The copy that was not loaded for longest
 *                goes first
 *   multistage   layers in the tier, or in none, that costs least in the mean by measured costs of
 *                a step, of copies in each tier, within the memory budget of each tier; layers
 *                move or go as the search grows: see policy.h
 *
 * gpu, pinned, host and peer keep all or fail with ERR_MEMORY. The last layer is also kept, on the
 * device, with `cache`: by replay, checkpoint and adaptive beside what they keep, which makes room
 * for it (where that is not enough, it is not kept); multistage does not drop it.
 *
 * On the host all tiers are host memory. The tracker asks where the nearest kept layer at or below
 * a node is, loads states of it and replays the rest. */
#ifndef COPRA_KOESTER_RECOVERY_ARCHIVE_ARCHIVE_H
#define COPRA_KOESTER_RECOVERY_ARCHIVE_ARCHIVE_H

#include "algorithms/koester-recovery/states/place.h"

enum track_recovery {
	TRACK_RECOVERY_REPLAY,
	TRACK_RECOVERY_GPU,
	TRACK_RECOVERY_PINNED,
	TRACK_RECOVERY_HOST,
	TRACK_RECOVERY_PEER,
	TRACK_RECOVERY_CHECKPOINT,
	TRACK_RECOVERY_ADAPTIVE,
	TRACK_RECOVERY_MULTISTAGE,
	TRACK_RECOVERIES
};
/* The words of --recovery and of the benchmark axis of that name, in the order of enum
 * track_recovery; NULL ends them. */
extern const char *const track_recovery_words[TRACK_RECOVERIES + 1];

enum track_tier {
	TRACK_TIER_DEVICE,
	TRACK_TIER_PEER,
	TRACK_TIER_PINNED,
	TRACK_TIER_PAGEABLE,
	TRACK_TIERS
};
const char *track_tier_name(enum track_tier t);

struct track_archive_options {
	enum track_recovery recovery;
	bool cache;                   /* the fast recovery cache: the last layer's states */
	uint32_t distance;            /* d of checkpoint and adaptive, >= 1 */
	uint32_t adapt;               /* a of adaptive, >= 1 */
	uint64_t budget[TRACK_TIERS]; /* bytes for kept layers; 0: no limit but the memory */
	size_t staging;               /* bytes of each staging buffer; 0: 16 MiB */
	struct track_place *peer; /* of TRACK_RECOVERY_PEER, and of multistage where there is one: a
				     device that kernels of the place can read, driven by the
				     same thread */
};

struct track_archive; /* of one place's part of the states */

/* ERR_USAGE for options that cannot be, ERR_UNSUPPORTED where the peer cannot be read. */
int track_archive_create(struct track_archive **out, const struct track_archive_options *o,
			 struct track_place *p, struct track_layout layout, struct err *e);
void track_archive_destroy(struct track_archive *a);

/* A layer has come to be: `states` (slots `slots`, the first `count` of them) in the place's
 * memory. The rule decides whether it is kept; what the rule no longer wants goes. A layer below
 * the last one is a copy half way (track_archive_wants). count may be 0 (all states are other
 * places'). Asynchronous copies read `states`, which must stay as it is until track_archive_settle.
 * Layer 0 is always kept. ERR_MEMORY names the figures. */
int track_archive_offer(struct track_archive *a, uint32_t layer, const void *states, uint32_t slots,
			uint32_t count, struct err *e);
/* The place's work from here on waits until copies under way no longer read what was offered. */
int track_archive_settle(struct track_archive *a, struct err *e);
/* All layers are forgotten, when copies under way have ended. */
void track_archive_clear(struct track_archive *a);

/* Is this layer kept? */
bool track_archive_has(const struct track_archive *a, uint32_t layer);
/* Should a replay from the kept layer from_layer to `layer` leave a copy of the layer `*half_way`
 * behind? */
bool track_archive_wants(const struct track_archive *a, uint32_t from_layer, uint32_t layer,
			 uint32_t *half_way);
/* Copies states slot[i] of a kept layer to to_slot[i] (all different) of buffer `to`, in the order
 * of the place's work; arrays [count] in HOST memory, the caller's again on return; NULL: 0 ..
 * count - 1. */
int track_archive_load(struct track_archive *a, uint32_t layer, const uint32_t *slot,
		       uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
		       struct err *e);
/* For gathers of other devices over NVLink: a kept layer's states in TRACK_TIER_DEVICE, else NULL.
 */
const void *track_archive_states(const struct track_archive *a, uint32_t layer, uint32_t *slots);
/* They were read there: adaptive goes by it, as by track_archive_load. Nothing where it is not
 * kept. */
void track_archive_used(struct track_archive *a, uint32_t layer);

/* What the multistage rule goes by: seconds that `states` forward steps of a state took, or loads
 * of that many states (track_archive_load measures those itself); the layer of states that a
 * recovery was asked for. */
void track_archive_learn_step(struct track_archive *a, double seconds, uint64_t states);
void track_archive_learn_copy(struct track_archive *a, enum track_tier t, double seconds,
			      uint64_t states);
void track_archive_learn_demand(struct track_archive *a, uint32_t layer);

struct track_archive_figures {
	uint32_t layers[TRACK_TIERS];                   /* kept in each tier now */
	uint64_t bytes[TRACK_TIERS], peak[TRACK_TIERS]; /* held for kept layers */
	uint64_t loads;                                 /* of kept layers so far */
};
void track_archive_figures(const struct track_archive *a, struct track_archive_figures *f);

#endif
