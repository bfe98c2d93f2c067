/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The history (section III-B, Figure 4) records the parent, the successor (a choice or a random
 * seed) and the rating of every state of every layer. An entry has 8 bytes (16, 16 and 32 bits);
 * the wide form, for more than 65,536 slots or successors, has 12.
 *
 * Layer 0 holds the inputs and has no entries. Other layers are made by a step or by a jump. After
 * a step, `source` is a slot of the previous layer. A jump copies states of earlier layers, chosen
 * for backtracking: `source` is a slot of layer from[slot], and no step is made. Layers are
 * numbered in the order of the search, so that layer numbers ascend along every path. */
#ifndef COPRA_KOESTER_RECOVERY_RECOVERY_HISTORY_H
#define COPRA_KOESTER_RECOVERY_RECOVERY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "kernels/koester-recovery/state.h"

struct track_history_layer {
	uint32_t count; /* of states */
	bool jump;
	void *entries;  /* [count] of track_entry or track_wide_entry */
	uint32_t *from; /* jump: [count] layer of the source; behind the entries */
};

struct track_history {
	bool wide;
	uint32_t inputs; /* states of layer 0 */
	uint32_t layers; /* layers 1 .. layers exist */
	uint32_t allocated;
	struct track_history_layer *layer; /* [layers + 1]; 0 unused */
	uint64_t bytes, limit;             /* of all layers; its maximum, 0: no limit */
	struct track_history_block *top;   /* memory of the layers; NULL: none */
};

int track_history_create(struct track_history **out, uint32_t inputs, bool wide, uint64_t limit,
			 struct err *e);
void track_history_destroy(struct track_history *h);

/* Append a layer that a step or a jump makes. Arrays have `count` elements. ERR_FAILED if a source
 * does not exist or a value does not fit in 16 bits in the narrow form; ERR_MEMORY above the
 * limit. */
int track_history_add(struct track_history *h, uint32_t count, const uint32_t *source,
		      const uint32_t *successor, const uint32_t *rating, struct err *e);
int track_history_jump(struct track_history *h, uint32_t count, const struct track_node *from,
		       struct err *e);
/* Appends a layer whose entries the caller fills in, possibly by asynchronous transfers. *entries
 * has track_entry or, in the wide form, track_wide_entry elements. They are not checked. ERR_MEMORY
 * above the limit. */
int track_history_reserve(struct track_history *h, uint32_t count, void **entries, struct err *e);
/* Allocates memory for a next layer of `count` states, which that layer will take. Returns the part
 * of it that has never been accessed, with that of some later layers, and its size in *bytes, for
 * the caller to touch before a layer is added or removed. NULL if there is none, or no room below
 * the limit. */
void *track_history_prepare(struct track_history *h, uint32_t count, size_t *bytes);

uint32_t track_history_count(const struct track_history *h, uint32_t layer);
void track_history_get(const struct track_history *h, struct track_node n, uint32_t *source,
		       uint32_t *successor, uint32_t *rating);
/* The node that n was made from; n itself in layer 0. */
struct track_node track_history_parent(const struct track_history *h, struct track_node n);
/* Writes the path to n in ascending order of layers. It begins in layer `down_to`, or in the lowest
 * layer above it that the path touches. Returns the number of nodes. Writes at most `room` nodes:
 * the last ones. */
uint32_t track_history_trace(const struct track_history *h, struct track_node n, uint32_t down_to,
			     struct track_node *path, uint32_t room);
/* Allocates the list of all nodes of a layer, in slot order; the caller frees it. ERR_MEMORY. */
int track_history_nodes(const struct track_history *h, uint32_t layer, struct track_node **nodes,
			struct err *e);
/* Removes the layers above `layers`. */
void track_history_cut(struct track_history *h, uint32_t layers);

#endif
