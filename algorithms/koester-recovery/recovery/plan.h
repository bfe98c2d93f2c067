/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recovery plans (section III-C): how to rebuild states of any layers from kept layers.
 *
 * A plan works in one buffer, where target i ends in slot i. It first loads states of kept layers
 * into slots. Then it goes through the layers in ascending order. In each layer it makes one
 * forward step of the states in some slots, and then copies some of these states to other slots.
 * States move only by these copies.
 *
 * With `shared` false, the path of every target is replayed separately, as in the paper. With
 * `shared` true, a state that several paths pass through is made only once, in the slot of one
 * target, and copied where the paths diverge. Both produce the same bytes. */
#ifndef COPRA_KOESTER_RECOVERY_RECOVERY_PLAN_H
#define COPRA_KOESTER_RECOVERY_RECOVERY_PLAN_H

#include "algorithms/koester-recovery/recovery/history.h"

struct track_plan_load {
	uint32_t layer; /* kept, or 0 */
	uint32_t count;
	uint32_t *from_slot, *to_slot;
};
struct track_plan_round {
	uint32_t layer; /* the layer that the step makes; a jump layer has no step */
	uint32_t count;
	uint32_t *slot, *source, *successor;
	uint32_t copies; /* made after the step */
	uint32_t *copy_from, *copy_to;
};
struct track_plan {
	uint32_t targets;
	uint32_t loads, rounds;
	struct track_plan_load *load;
	struct track_plan_round *round;
	uint64_t steps; /* forward steps of states in all rounds */
	void *block;    /* memory of the arrays of load and round */
};

/* Makes the plan for `count` targets, which may repeat. kept(context, layer) returns whether a
 * layer can be loaded; layer 0 always can. ERR_MEMORY. Call track_plan_free afterwards. */
int track_plan_make(struct track_plan *plan, const struct track_history *h,
		    const struct track_node *targets, uint32_t count, bool shared,
		    bool (*kept)(const void *context, uint32_t layer), const void *context,
		    struct err *e);
void track_plan_free(struct track_plan *plan);

#endif
