/* The history (section III-B, Figure 4): for every state of every layer, from which parent it came,
 * by which successor (a choice or a random seed), and its rating. 8 bytes a state (16, 16, 32
 * bits); the wide form for more than 65,536 slots or successors takes 12.
 *
 * Layer 0 are the inputs and has no entries. A layer is made by a step (source: slot of the layer
 * before) or by a jump (its states are copies of states of earlier layers, chosen for backtracking:
 * source is a slot of layer `from[slot]`, and no step is made). Layers are numbered by their order
 * in the search, so that every path runs through ascending numbers. */
#ifndef COPRA_KOESTER_RECOVERY_RECOVERY_HISTORY_H
#define COPRA_KOESTER_RECOVERY_RECOVERY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "kernels/koester-recovery/state.h"

struct track_history_layer {
	uint32_t count; /* states */
	bool jump;
	void *entries;  /* track_entry or track_wide_entry [count] */
	uint32_t *from; /* jump: [count] layer of the source */
};

struct track_history {
	bool wide;
	uint32_t inputs; /* states of layer 0 */
	uint32_t layers; /* numbers 1 .. layers exist */
	uint32_t allocated;
	struct track_history_layer *layer; /* [layers + 1]; 0 unused */
	uint64_t bytes, limit;             /* held now; 0: no limit */
};

int track_history_create(struct track_history **out, uint32_t inputs, bool wide, uint64_t limit,
			 struct err *e);
void track_history_destroy(struct track_history *h);

/* Appends a layer; arrays of `count`. ERR_FAILED where a value does not fit the narrow form (says
 * so, naming the wide one) or a source does not exist; ERR_MEMORY above the limit. */
int track_history_add(struct track_history *h, uint32_t count, const uint32_t *source,
		      const uint32_t *successor, const uint32_t *rating, struct err *e);
int track_history_jump(struct track_history *h, uint32_t count, const struct track_node *from,
		       struct err *e);
/* An empty layer to be filled in place (asynchronous transfers); `entries` of the form's type.
 */
int track_history_reserve(struct track_history *h, uint32_t count, void **entries, struct err *e);

uint32_t track_history_count(const struct track_history *h, uint32_t layer);
void track_history_get(const struct track_history *h, struct track_node n, uint32_t *source,
		       uint32_t *successor, uint32_t *rating);
/* The node that n was made from; layer 0 has none. */
struct track_node track_history_parent(const struct track_history *h, struct track_node n);
/* The path to n: nodes in ascending order, path[0] in layer `down_to` or the first layer above it
 * that the path touches. Returns their number; at most `room` are written (the last ones). */
uint32_t track_history_trace(const struct track_history *h, struct track_node n, uint32_t down_to,
			     struct track_node *path, uint32_t room);
/* All nodes of a layer, track_history_count of them, in order; malloc'ed. ERR_MEMORY. */
int track_history_nodes(const struct track_history *h, uint32_t layer, struct track_node **nodes,
			struct err *e);
/* Forgets layers above `layers` (nothing may be made from them any more). */
void track_history_cut(struct track_history *h, uint32_t layers);

#endif
