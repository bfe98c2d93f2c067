/* Recovery (section III-C): the plan that rebuilds states of any layers from kept ones, and its
 * execution.
 *
 * A plan works in one buffer; target i ends in slot i. States never move but by the copies it
 * names. It first loads states of kept layers to slots, then goes through layers in ascending
 * order: in each it makes one forward step of the states of some slots and then copies some of
 * these to other slots.
 *
 * The paper's way (`shared` false): every target's path is replayed by itself, all of them from the
 * start. Ours (`shared` true): a state that several targets pass through is made once, by the
 * slot of one of them, and copied where the paths part. Equal bytes either way. */
#ifndef COPRA_KOESTER_RECOVERY_RECOVERY_PLAN_H
#define COPRA_KOESTER_RECOVERY_RECOVERY_PLAN_H

#include "algorithms/koester-recovery/recovery/history.h"

struct track_plan_load {
	uint32_t layer; /* kept, or 0 */
	uint32_t count;
	uint32_t *from_slot, *to_slot;
};
struct track_plan_round {
	uint32_t layer; /* that the step makes; a jump layer takes no step */
	uint32_t count;
	uint32_t *slot, *source, *successor;
	uint32_t copies; /* after the step */
	uint32_t *copy_from, *copy_to;
};
struct track_plan {
	uint32_t targets;
	uint32_t loads, rounds;
	struct track_plan_load *load;
	struct track_plan_round *round;
	uint64_t steps; /* forward steps of states in all rounds */
	void *block;    /* of the arrays that load and round name */
};

/* `kept` says whether a layer's states can be loaded (layer 0 always is). Targets may repeat. */
int track_plan_make(struct track_plan *plan, const struct track_history *h,
		    const struct track_node *targets, uint32_t count, bool shared,
		    bool (*kept)(const void *context, uint32_t layer), const void *context,
		    struct err *e);
void track_plan_free(struct track_plan *plan);

#endif
