/* The tracker: parallel search over many states whose old states are rebuilt, not stored.
 *
 * Köster, Groß, Krüger, "Parallel Tracking and Reconstruction of States in Heuristic Optimization
 * Systems on GPUs". Algorithm 1, with its parts named as there:
 *
 *     struct tracker *t;
 *     struct track_options o = track_options_default();
 *     o.slots = 65536; o.beam = 1024; o.look_ahead = 8; ...
 *     track_create(&t, &domain, &o, places, 1, &e);
 *     track_begin(t, inputs, 1, &e);                 // lines 1 to 3
 *     while (track_count(t) && ...)
 *             track_iterate(t, &e);                  // lines 4 to 22: expand, evaluate, prune, add
 *                                                    // history, forward step
 *     track_backtrack(t, targets, n, &e);            // go on from any states of any layers
 *     track_read(t, 0, track_count(t), states, &e);  // line 23
 *
 * An iteration makes a layer: the current states are expanded into children in the buffer `next`
 * (in parts, where there are more children than slots), the children are evaluated (look_ahead
 * steps of Algorithm 2, then rate), the `beam` best of all become entries of the history, and the
 * states of the new layer are made from their parents by `forward` steps: the paper's recovery of
 * the current iteration. What was looked ahead is thrown away.
 *
 * The states of a layer do not depend on the engine, the place, the number of devices, or the fill
 * rate; ratings depend on the fill rate where the schedule is TRACK_TOGETHER and look_ahead > 1,
 * since a state that waits for others then takes fewer steps (as in the paper). */
#ifndef COPRA_KOESTER_RECOVERY_TRACKING_TRACK_H
#define COPRA_KOESTER_RECOVERY_TRACKING_TRACK_H

#include <signal.h>

#include "algorithms/koester-recovery/archive/archive.h"
#include "algorithms/koester-recovery/recovery/history.h"
#include "algorithms/koester-recovery/states/domain.h"

enum track_engine {
	TRACK_PUBLISHED, /* a launch for each line of Algorithms 1 and 2, pruning on the host, every
			    path replayed by itself, host synchronisation as in section IV */
	TRACK_TUNED,     /* fused steps, children rated without being stored where the domain can,
			    pruning on the device, shared paths */
};

enum track_schedule {
	TRACK_TOGETHER, /* Algorithm 2: states that wait skip steps until more than a share F of all
			   waits, then all that wait are assigned */
	TRACK_EACH,     /* every state takes all its steps, assigned as soon as it waits; F is not
			   used. What Algorithm 2 does with F = 0 */
	TRACK_FIXED,    /* all states are assigned after the steps whose bits `breaks` has set, bit
			   s for the (s + 1)-th, and after the last; who waits is not asked. (A
			   forward step assigns a state that waits, and all after the last.) */
};

enum track_expansion {
	TRACK_REGULAR,   /* ceil(slots / states) successors of every state (section III-A) */
	TRACK_IRREGULAR, /* as many as the domain says */
};

struct track_options {
	enum track_engine engine;
	uint32_t slots;      /* S_max: states in each buffer (the beam, where children are
				rated without being stored: TRACK_TUNED, a domain with
				rate_children, and TRACK_EACH, TRACK_FIXED or one step);
				TRACK_REGULAR: children of an iteration; TRACK_IRREGULAR:
				children made at once, more than any state has */
	uint32_t beam;       /* states of a layer after pruning, 1 .. slots */
	uint32_t look_ahead; /* steps of an evaluation, 8 in the paper; 1 .. 1,024, with
				TRACK_FIXED at most 32. Games are looked ahead to their end */
	uint32_t forward;    /* steps of a layer, 1 in the paper */
	bool assign_first;   /* Algorithm 2, line 1 */
	enum track_schedule schedule;
	enum track_expansion expansion;
	double fill_rate;   /* F, 0 to 1 */
	uint32_t breaks;    /* of TRACK_FIXED */
	bool prune_on_host; /* TRACK_PUBLISHED always does */
	bool wide_history;
	struct track_archive_options archive;
	uint64_t history_limit; /* bytes of host memory; 0: none */
	uint64_t seed;
	const volatile sig_atomic_t *stop; /* may be NULL */
};
struct track_options track_options_default(void);

struct tracker;

/* Places, parameters and domain stay the caller's and must outlive the tracker. Several places must
 * be devices of one backend; each holds a part of every layer, in slot order. ERR_USAGE for options
 * that cannot be, ERR_MEMORY naming what is asked for and what there is. */
int track_create(struct tracker **out, const struct track_domain *d, const struct track_options *o,
		 struct track_place *const *places, int place_count, struct err *e);
void track_destroy(struct tracker *t);

/* `inputs`: `count` states (1 .. beam), one after another in host memory, units in order. */
int track_begin(struct tracker *t, const void *inputs, uint32_t count, struct err *e);

/* One iteration. The new layer may be smaller than the beam, or empty when there are no children:
 * then nothing is added and track_count is 0. ERR_LIMIT when stopped: the tracker is as before. */
int track_iterate(struct tracker *t, struct err *e);

/* Any states of any layers become the current ones, in this order: a jump layer. */
int track_backtrack(struct tracker *t, const struct track_node *targets, uint32_t count,
		    struct err *e);
/* Rebuilds states without changing what is current: to host memory, one after another. */
int track_recover(struct tracker *t, const struct track_node *targets, uint32_t count, void *states,
		  struct err *e);
/* The same, left on the places (buffer `next`): what Table IV times. At most as many as the buffers
 * have room for: the slots, or the beam where children are rated without being stored. */
int track_recover_there(struct tracker *t, const struct track_node *targets, uint32_t count,
			struct err *e);
/* What the last track_recover_there left, targets first .. first + count - 1, until anything else
 * is called but track_wait and track_figures: for checks. */
int track_read_recovered(struct tracker *t, uint32_t first, uint32_t count, void *states,
			 struct err *e);

uint32_t track_count(const struct tracker *t); /* states of the current layer */
uint32_t track_layer(const struct tracker *t);
int track_read(struct tracker *t, uint32_t first, uint32_t count, void *states, struct err *e);
const struct track_history *track_history(const struct tracker *t);
/* Waits for all places. */
int track_wait(struct tracker *t, struct err *e);

struct track_figures {
	uint64_t children;                /* rated */
	uint64_t executions, assignments; /* of states, evaluation, forward steps and recovery.
				       Assignments of states that take several steps in one call are
				       counted where all are assigned, not where one waits: only the
				       place knows that */
	uint64_t breaks;                  /* of the last evaluation (of its last part): times that
					     Algorithm 2 left its inner loop; 0 where the states take their
					     steps by themselves */
	uint64_t replayed;                /* forward steps of states made to recover */
	uint64_t loaded;                  /* states loaded from kept layers */
	uint64_t state_bytes;             /* buffers for states held on all places now */
	uint64_t history_bytes;
	struct track_archive_figures archive; /* of all places */
	/* By the host's clock: work that a place still does when a part of the iteration ends
	 * counts to the part that waits for it. */
	double evaluate_seconds, prune_seconds, forward_seconds, recover_seconds;
};
void track_figures(const struct tracker *t, struct track_figures *f);

#endif
