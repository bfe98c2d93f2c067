/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The archive keeps the states of some layers. Each way of recovery is a rule that decides which
 * layers are kept, and where:
 *
 *   replay       only the inputs and, with the cache, the last layer: the paper's method
 *   gpu          every layer in device memory ("all states" of Table IV)
 *   pinned       every layer in pinned host memory, copied while other work runs
 *   host         every layer in pageable host memory
 *   peer         every layer in the memory of another device
 *   checkpoint   every d-th layer in device memory; layers between them are replayed (Gecode's
 *                commit distance c_d). If the budget or the memory is exhausted, every second
 *                checkpoint is dropped and d doubles
 *   adaptive     checkpoints as above. A recovery that replays more than `adapt` layers leaves a
 *                copy halfway (Gecode's adaptation distance a_d). The copy that was loaded least
 *                recently is dropped first
 *   multistage   each layer in the tier, or in none, that minimises the expected cost of a
 *                recovery within the budgets of the tiers. The costs of a step and of copies from
 *                each tier are measured. Layers are moved or dropped as the search grows: see
 *                policy.h
 *
 * gpu, pinned, host and peer keep all layers or fail with ERR_MEMORY. With `cache`, the last layer
 * is kept on the device too. To make room for it, replay, checkpoint and adaptive drop other
 * layers; if it still does not fit, they do not keep it. multistage drops it only if no other layer
 * can be dropped.
 *
 * On the host, all tiers are host memory. The tracker looks up the nearest kept layer at or below a
 * node, loads states of it and replays the rest. */
#ifndef COPRA_KOESTER_RECOVERY_ARCHIVE_ARCHIVE_H
#define COPRA_KOESTER_RECOVERY_ARCHIVE_ARCHIVE_H

#include "algorithms/koester-recovery/archive/tiers.h"

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

struct track_archive_options {
	enum track_recovery recovery;
	bool cache;                   /* the fast recovery cache: keep the last layer */
	uint32_t distance;            /* d of checkpoint and adaptive; >= 1 */
	uint32_t adapt;               /* of adaptive; >= 1 */
	uint64_t budget[TRACK_TIERS]; /* bytes for kept layers; 0: no limit */
	size_t staging;               /* bytes of each staging buffer; 0: 16 MiB */
	struct track_place *peer; /* another device for TRACK_RECOVERY_PEER and multistage, which
				     kernels of the place can read and the same thread drives;
				     may be NULL for multistage */
};

struct track_archive; /* of one place and its share of the states */

/* ERR_USAGE for invalid options, ERR_UNSUPPORTED if the place cannot read the peer. */
int track_archive_create(struct track_archive **out, const struct track_archive_options *o,
			 struct track_place *p, struct track_layout layout, struct err *e);
void track_archive_destroy(struct track_archive *a);

/* Offers a layer: the first `count` states of a buffer of the place with `slots` slots. The rule
 * decides whether the layer is kept and which others are dropped. Layer 0 is always kept. A layer
 * below the last one is a copy halfway (track_archive_wants). `count` is 0 if other places hold all
 * states. Asynchronous copies read `states`, which must not change before track_archive_settle.
 * ERR_MEMORY with the amounts in the message. */
int track_archive_offer(struct track_archive *a, uint32_t layer, const void *states, uint32_t slots,
			uint32_t count, struct err *e);
/* Makes work that is queued on the place from now on wait for the copies of offered layers. That
 * work may overwrite the offered states. */
int track_archive_settle(struct track_archive *a, struct err *e);
/* Drops all layers, after pending copies have finished. */
void track_archive_clear(struct track_archive *a);

/* True if the layer is kept. */
bool track_archive_has(const struct track_archive *a, uint32_t layer);
/* True if a replay from the kept layer from_layer to `layer` should stop at layer *half_way and
 * offer it. */
bool track_archive_wants(const struct track_archive *a, uint32_t from_layer, uint32_t layer,
			 uint32_t *half_way);
/* Copies `count` states of a kept layer: slot slot[i] to slot to_slot[i] of the buffer `to`. The
 * slots to_slot are all different. The copy runs in the order of the place's work. The arrays are
 * in HOST memory and may be reused on return. An array of NULL stands for 0 .. count - 1. */
int track_archive_load(struct track_archive *a, uint32_t layer, const uint32_t *slot,
		       uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
		       struct err *e);
/* The states of a layer that is kept in TRACK_TIER_DEVICE, for gathers by other devices; NULL if it
 * is kept elsewhere or not at all. */
const void *track_archive_states(const struct track_archive *a, uint32_t layer, uint32_t *slots);
/* Records that states from track_archive_states were read, which counts as a load. No effect if the
 * layer is not kept. */
void track_archive_used(struct track_archive *a, uint32_t layer);

/* Give measurements to the multistage rule: the seconds that a forward step of `states` states
 * took, and a layer whose states were requested. track_archive_load measures loads itself. */
void track_archive_learn_step(struct track_archive *a, double seconds, uint64_t states);
void track_archive_learn_demand(struct track_archive *a, uint32_t layer);

struct track_archive_figures {
	uint32_t layers[TRACK_TIERS]; /* kept in each tier now */
	uint64_t bytes[TRACK_TIERS],
		peak[TRACK_TIERS]; /* allocated for kept layers: now, maximum */
	uint64_t loads;            /* from kept layers so far */
	uint32_t last_loaded;      /* layer of the last load; 0 before the first */
};
void track_archive_figures(const struct track_archive *a, struct track_archive_figures *f);

#endif
