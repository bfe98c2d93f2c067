/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the tiers, within their budgets, and copies of layers between the buffers of a place
 * and the tiers.
 *
 * A kept layer is a buffer of exactly its states (slots = count), in the layout of
 * kernels/koester-recovery/state.h, whatever the tier. */
#ifndef COPRA_KOESTER_RECOVERY_ARCHIVE_TIERS_H
#define COPRA_KOESTER_RECOVERY_ARCHIVE_TIERS_H

#include "algorithms/koester-recovery/states/place.h"

enum track_tier {
	TRACK_TIER_DEVICE,
	TRACK_TIER_PEER,
	TRACK_TIER_PINNED,
	TRACK_TIER_PAGEABLE,
	TRACK_TIERS
};
const char *track_tier_name(enum track_tier t);

struct track_block {
	void *memory;
	size_t bytes;
};

struct track_kept_layer {
	uint32_t layer, count;
	enum track_tier tier;
	bool cached;        /* only as the last layer */
	bool half_way;      /* a copy halfway of the adaptive rule */
	uint64_t loaded_at; /* number of loads of the archive at its last load */
	struct track_block block;
};

/* Slot numbers that are being copied to the device. Both arrays are filled from the front, and from
 * the start again after a sync. */
struct track_indices {
	uint32_t *host, *device; /* pinned; device */
	size_t used, allocated;  /* words */
};

/* Staging buffers on host and device, in two halves: one is filled while the other is copied. */
struct track_staging {
	size_t most, bytes; /* bytes of a half: its usual maximum (a larger piece enlarges it), and
			       now */
	void *host[2];      /* pinned */
	void *device[2];
	struct dev_event *done[2]; /* event: the contents of the half have been read */
	bool busy[2];
	int turn;
};

struct track_tiers {
	struct track_place *p, *peer; /* peer may be NULL */
	struct track_layout layout;
	size_t state_bytes;
	uint64_t bytes[TRACK_TIERS], peak[TRACK_TIERS], budget[TRACK_TIERS];
	struct track_block spare[TRACK_TIERS]; /* the last block freed, for reuse by a block of the
						  same size */
	struct dev_event *work, *copied;       /* see tiers.c */
	bool copying;
	struct track_indices indices;
	struct track_staging staging;
};

/* budget: maximum of bytes by tier, 0: no limit. staging: bytes of each staging buffer, 0: 16 MiB.
 * Call track_tiers_close after an error too. */
int track_tiers_open(struct track_tiers *a, struct track_place *p, struct track_place *peer,
		     struct track_layout layout, const uint64_t budget[TRACK_TIERS], size_t staging,
		     struct err *e);
void track_tiers_close(struct track_tiers *a);

/* Allocates a block of a tier. ERR_MEMORY above its budget, or if there is not enough memory. */
int track_tiers_take(struct track_tiers *a, enum track_tier t, struct track_block *b, size_t bytes,
		     struct err *e);
/* Frees a block: it becomes the spare block of the tier. */
void track_tiers_give(struct track_tiers *a, enum track_tier t, struct track_block *b);

/* Waits until no copy is in progress. */
int track_tiers_quiet(struct track_tiers *a, struct err *e);
/* Makes work that is queued from now on wait for pending saves (track_archive_settle). */
int track_tiers_settle(struct track_tiers *a, struct err *e);
/* Saves the first to->count states of a buffer with `slots` slots to the block of the layer. */
int track_tiers_save(struct track_tiers *a, struct track_kept_layer *to, const void *states,
		     uint32_t slots, struct err *e);
/* Loads `count` states from[slot[i]] to slots to_slot[i] of the buffer `to`. */
int track_tiers_fetch(struct track_tiers *a, const struct track_kept_layer *from,
		      const uint32_t *slot, uint32_t count, void *to, uint32_t to_slots,
		      const uint32_t *to_slot, struct err *e);
/* Moves the states of a layer to another tier and frees the old block. */
int track_tiers_move(struct track_tiers *a, struct track_kept_layer *l, enum track_tier t,
		     struct err *e);

#endif
