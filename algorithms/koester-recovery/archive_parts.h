/* What the files archive*.c share. A kept layer is a buffer of exactly its states (slots = count),
 * in the layout of track_state.h, whatever the tier. */
#ifndef COPRA_KOESTER_RECOVERY_ARCHIVE_PARTS_H
#define COPRA_KOESTER_RECOVERY_ARCHIVE_PARTS_H

#include "algorithms/koester-recovery/archive.h"
#include "algorithms/koester-recovery/archive_policy.h"

struct archive_block {
	void *memory;
	size_t bytes;
};

struct archive_layer {
	uint32_t layer, count;
	enum track_tier tier;
	bool cached;        /* only as the last layer */
	bool half_way;      /* a copy that adaptive made */
	uint64_t loaded_at; /* archive.loads then */
	struct archive_block block;
};

/* Slots on their way to the device: filled from the front, and begun again after a sync. */
struct archive_indices {
	uint32_t *host, *device; /* pinned; device */
	size_t used, allocated;  /* words */
};

/* Two halves on either side, one filled while the other is copied. */
struct archive_staging {
	size_t most, bytes; /* of a half: unless one piece needs more; now */
	void *host[2];      /* pinned */
	void *device[2];
	struct dev_event *done[2]; /* what the half held has been read */
	bool busy[2];
	int turn;
};

/* The load that is being timed. */
struct archive_timer {
	struct dev_event *start, *stop;
	bool open;
	enum track_tier tier;
	uint64_t states;
};

struct archive {
	struct archive_options o;
	struct track_place *p;
	struct track_layout layout;
	size_t state_bytes;
	const struct track_common *common;

	struct archive_layer *layer; /* [layers], ascending */
	uint32_t layers, allocated;
	uint32_t last;     /* highest layer offered; UINT32_MAX before the first */
	uint32_t distance; /* d of checkpoints, as it is now */
	uint64_t loads;

	uint64_t bytes[TIERS], peak[TIERS], budget[TIERS];
	struct archive_block spare[TIERS]; /* given up last, for the next of its size */

	struct dev_event *work, *copied; /* see archive_copy.c */
	bool copying;
	struct archive_indices indices;
	struct archive_staging staging;
	struct archive_timer timer;
	struct archive_policy policy;
	bool load_known[TIERS], step_known; /* of its costs: measured, not guessed */
};

/* ---- archive_memory.c ---- */

/* ERR_MEMORY above the tier's budget, or what there is. */
int archive_take(struct archive *a, enum track_tier t, struct archive_block *b, size_t bytes,
		 struct err *e);
/* The block becomes the tier's spare. */
void archive_give(struct archive *a, enum track_tier t, struct archive_block *b);
void archive_drop_spares(struct archive *a);
int archive_pinned(struct archive *a, void **out, size_t bytes, struct err *e);

/* ---- archive_copy.c ---- */

int archive_copy_open(struct archive *a, struct err *e);
void archive_copy_close(struct archive *a);
/* No copy is under way. */
int archive_quiet(struct archive *a, struct err *e);
int archive_save(struct archive *a, struct archive_layer *to, const void *states, uint32_t slots,
		 struct err *e);
int archive_fetch(struct archive *a, const struct archive_layer *from, const uint32_t *slot,
		  uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
		  struct err *e);
/* A block of another tier takes over the layer's states; the old one is given up. */
int archive_move(struct archive *a, struct archive_layer *l, enum track_tier t, struct err *e);

/* ---- archive_staging.c: layers in small pieces, through memory that device and host share ---- */

void archive_staging_close(struct archive *a);
/* Saves by groups of units, gathered on the device. */
int archive_save_staged(struct archive *a, struct archive_layer *to, const void *states,
			uint32_t slots, struct err *e);
/* Loads by groups of states, gathered on the host. */
int archive_fetch_staged(struct archive *a, const struct archive_layer *from, const uint32_t *slot,
			 uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
			 struct err *e);
/* Slots in memory of the device, for the place's work that comes next; room for all that this work
 * uses together is reserved before. */
int archive_reserve_slots(struct archive *a, size_t words, struct err *e);
int archive_put_slots(struct archive *a, const uint32_t **out, const uint32_t *slot, uint32_t count,
		      struct err *e);

/* ---- archive_multistage.c ---- */

void archive_multistage_open(struct archive *a);
/* archive_wants of this rule. */
bool archive_multistage_wants(const struct archive *a, uint32_t from_layer, uint32_t half_way);
int archive_multistage_offer(struct archive *a, uint32_t layer, const void *states, uint32_t slots,
			     uint32_t count, struct err *e);

/* ---- archive.c ---- */

/* Index of the first kept layer >= `layer`. */
uint32_t archive_find(const struct archive *a, uint32_t layer);
/* Keeps a layer in a tier; ERR_MEMORY leaves all as it was. *out may be NULL. */
int archive_keep(struct archive *a, enum track_tier t, uint32_t layer, const void *states,
		 uint32_t slots, uint32_t count, struct archive_layer **out, struct err *e);
void archive_remove(struct archive *a, uint32_t index);

#endif
