/* Recovery plans (section III-C): how to rebuild states of any layers from kept layers.
 *
 * A plan works in one buffer; target i ends in slot i. States move only by the copies that the plan
 * lists. It first loads states of kept layers into slots. Then it goes through the layers in
 * ascending order: in each, it makes one forward step of the states in some slots, and then copies
 * some of these to other slots.
 *
 * As in the paper (`shared` false), the path of every target is replayed separately. Our version
 * (`shared` true) makes a state that several targets pass through only once, in the slot of one of
 * them, and copies it where the paths diverge. Both produce the same bytes. */
#ifndef COPRA_KOESTER_RECOVERY_RECOVERY_PLAN_H
#define COPRA_KOESTER_RECOVERY_RECOVERY_PLAN_H

#include "algorithms/koester-recovery/recovery/history.h"

struct track_plan_load {
	uint32_t layer; /* kept, or 0 */
	uint32_t count;
	uint32_t *from_slot, *to_slot;
};
struct track_plan_round {
	uint32_t layer; /* that the step makes; a jump layer has no step */
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

/* kept(context, layer) tells whether a layer can be loaded; layer 0 always can. Targets may repeat.
 */
int track_plan_make(struct track_plan *plan, const struct track_history *h,
		    const struct track_node *targets, uint32_t count, bool shared,
		    bool (*kept)(const void *context, uint32_t layer), const void *context,
		    struct err *e);
void track_plan_free(struct track_plan *plan);

#endif
