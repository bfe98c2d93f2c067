/* Kept layers in the memory of the tiers: their memory, within the budgets, and copies of layers
 * between the buffers of a place and the tiers.
 *
 * A kept layer is a buffer of exactly its states (slots = count), in the layout of
 * kernels/koester-recovery/state.h, whatever the tier. */
#ifndef COPRA_KOESTER_RECOVERY_ARCHIVE_TIERS_H
#define COPRA_KOESTER_RECOVERY_ARCHIVE_TIERS_H

#include "algorithms/koester-recovery/archive/archive.h"

struct track_block {
	void *memory;
	size_t bytes;
};

struct track_kept_layer {
	uint32_t layer, count;
	enum track_tier tier;
	bool cached;        /* only as the last layer */
	bool half_way;      /* a copy that adaptive made */
	uint64_t loaded_at; /* archive.loads then */
	struct track_block block;
};

/* Slots on their way to the device: filled from the front, and begun again after a sync. */
struct track_indices {
	uint32_t *host, *device; /* pinned; device */
	size_t used, allocated;  /* words */
};

/* Two halves on either side, one filled while the other is copied. */
struct track_staging {
	size_t most, bytes; /* of a half: unless one piece needs more; now */
	void *host[2];      /* pinned */
	void *device[2];
	struct dev_event *done[2]; /* what the half held has been read */
	bool busy[2];
	int turn;
};

struct track_tiers {
	struct track_place *p, *peer; /* peer: may be NULL */
	struct track_layout layout;
	size_t state_bytes;
	const struct track_common *common;
	uint64_t bytes[TRACK_TIERS], peak[TRACK_TIERS], budget[TRACK_TIERS];
	struct track_block spare[TRACK_TIERS]; /* given up last, for the next of its size */
	struct dev_event *work, *copied;       /* see tiers.c */
	bool copying;
	struct track_indices indices;
	struct track_staging staging;
};

/* Of the options, it uses budget, staging and peer. track_tiers_close is to be called after an
 * error too. */
int track_tiers_open(struct track_tiers *a, struct track_place *p, struct track_layout layout,
		     const struct track_archive_options *o, struct err *e);
void track_tiers_close(struct track_tiers *a);

/* ERR_MEMORY above the tier's budget, or what there is. */
int track_tiers_take(struct track_tiers *a, enum track_tier t, struct track_block *b, size_t bytes,
		     struct err *e);
/* The block becomes the tier's spare. */
void track_tiers_give(struct track_tiers *a, enum track_tier t, struct track_block *b);

/* No copy is under way. */
int track_tiers_quiet(struct track_tiers *a, struct err *e);
/* track_archive_settle of archive.h. */
int track_tiers_settle(struct track_tiers *a, struct err *e);
int track_tiers_save(struct track_tiers *a, struct track_kept_layer *to, const void *states,
		     uint32_t slots, struct err *e);
int track_tiers_fetch(struct track_tiers *a, const struct track_kept_layer *from,
		      const uint32_t *slot, uint32_t count, void *to, uint32_t to_slots,
		      const uint32_t *to_slot, struct err *e);
/* A block of another tier takes over the layer's states; the old one is given up. */
int track_tiers_move(struct track_tiers *a, struct track_kept_layer *l, enum track_tier t,
		     struct err *e);

#endif
