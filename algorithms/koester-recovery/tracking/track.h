/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The tracker: parallel search over many states. Old states are not stored but rebuilt from a
 * compact history.
 *
 * Köster, Groß, Krüger, "Parallel Tracking and Reconstruction of States in Heuristic Optimization
 * Systems on GPUs". Algorithm 1, with the names of its parts in the paper:
 *
 *     struct tracker *t;
 *     struct track_options o = track_options_default();
 *     o.slots = 65536; o.beam = 1024; o.look_ahead = 8; ...
 *     track_create(&t, &domain, &o, places, 1, &e);
 *     track_begin(t, inputs, 1, &e);                 // lines 1 to 3
 *     while (track_count(t) && ...)
 *             track_iterate(t, &e);                  // lines 4 to 22: expand, evaluate, prune, add
 *                                                    // history, forward step
 *     track_backtrack(t, targets, n, &e);            // continue from any states of any layers
 *     track_read(t, 0, track_count(t), states, &e);  // line 23
 *
 * An iteration makes a layer. The current states are expanded into children in the buffer `next`,
 * in several parts if there are more children than slots. The children are evaluated: look_ahead
 * steps of Algorithm 2, then a rating. The `beam` best children become entries of the history. The
 * states of the new layer are made from their parents by `forward` steps: the paper's recovery of
 * the current iteration. The states of the evaluation are discarded.
 *
 * The states of a layer do not depend on the engine, the place, the number of devices or the fill
 * rate. Ratings depend on the fill rate if the schedule is TRACK_TOGETHER and look_ahead > 1, since
 * a state that waits for others then takes fewer steps (as in the paper). */
#ifndef COPRA_KOESTER_RECOVERY_TRACKING_TRACK_H
#define COPRA_KOESTER_RECOVERY_TRACKING_TRACK_H

#include <signal.h>

#include "algorithms/koester-recovery/archive/archive.h"
#include "algorithms/koester-recovery/recovery/history.h"
#include "algorithms/koester-recovery/states/domain.h"

enum track_engine {
	TRACK_PUBLISHED, /* one launch per line of Algorithms 1 and 2, pruning on the host, separate
			    replay of every path, host synchronisation as in section IV */
	TRACK_TUNED,     /* fused steps, children rated without being stored if the domain can,
			    Algorithm 2 in one call on one device if the domain can, pruning on the
			    device, shared paths */
};

enum track_schedule {
	TRACK_TOGETHER, /* Algorithm 2: waiting states skip steps until more than a share F of all
			   states waits; then all waiting states are assigned */
	TRACK_EACH,     /* every state takes all its steps and is assigned as soon as it waits; F is
			   not used. Equals Algorithm 2 with F = 0 */
	TRACK_FIXED,    /* all states, waiting or not, are assigned after step s + 1 if bit s of
			   `breaks` is set, and after the last step. (Forward steps assign a
			   state when it waits, and every state after the last step.) */
};

enum track_expansion {
	TRACK_REGULAR,   /* ceil(slots / states) successors of every state (section III-A) */
	TRACK_IRREGULAR, /* as many successors as the domain returns */
};

struct track_options {
	enum track_engine engine;
	uint32_t slots;      /* S_max. TRACK_REGULAR: children of an iteration. TRACK_IRREGULAR:
				children made at once; no state may have more. Also the states of
				each buffer, except that buffers have `beam` states if children
				are rated without being stored (TRACK_TUNED, a domain with
				rate_children, and TRACK_EACH, TRACK_FIXED or one step) */
	uint32_t beam;       /* states of a layer after pruning, 1 .. slots */
	uint32_t look_ahead; /* steps of an evaluation, 8 in the paper; 1 .. 1,024, with
				TRACK_FIXED at most 32. Games are evaluated to their end */
	uint32_t forward;    /* steps of a layer, 1 in the paper */
	bool assign_first;   /* Algorithm 2, line 1 */
	enum track_schedule schedule;
	enum track_expansion expansion;
	double fill_rate;   /* F, 0 to 1 */
	uint32_t breaks;    /* used by TRACK_FIXED */
	bool prune_on_host; /* TRACK_PUBLISHED always does */
	bool plans;         /* TRACK_TUNED: the host plans recoveries, every path by itself and a
			       call per layer. TRACK_PUBLISHED always does */
	bool even;          /* all states of a layer have equally many children: a part of them
			       then needs no numbers on the host (TRACK_TUNED) */
	bool wide_history;
	struct track_archive_options archive;
	uint64_t history_limit; /* bytes of the layers on the host; 0: no limit */
	uint64_t seed;
	const volatile sig_atomic_t *stop; /* may be NULL */
};
struct track_options track_options_default(void);

struct tracker;

/* Places, parameters and domain belong to the caller and must outlive the tracker. Several places
 * must be devices of one backend; each holds a part of every layer, in slot order. ERR_USAGE for
 * invalid options, ERR_MEMORY with the amounts needed and available. */
int track_create(struct tracker **out, const struct track_domain *d, const struct track_options *o,
		 struct track_place *const *places, int place_count, struct err *e);
void track_destroy(struct tracker *t);

/* Starts the search with `count` states (1 .. beam). `inputs` is in host memory: state after state,
 * each with its units in order. */
int track_begin(struct tracker *t, const void *inputs, uint32_t count, struct err *e);

/* Makes one iteration. The new layer may have fewer states than the beam. If there are no children,
 * no layer is added, and track_count returns 0 from then on. ERR_LIMIT if stopped; the tracker is
 * then unchanged. */
int track_iterate(struct tracker *t, struct err *e);

/* Adds a jump layer: any states of any layers become the current states, in the order of `targets`.
 * count: 1 .. beam. */
int track_backtrack(struct tracker *t, const struct track_node *targets, uint32_t count,
		    struct err *e);
/* Rebuilds states in host memory, state after state. Does not change the current states. */
int track_recover(struct tracker *t, const struct track_node *targets, uint32_t count, void *states,
		  struct err *e);
/* Rebuilds states and leaves them on the places, in the second buffer. Table IV times this
 * operation. `count` is limited by the slots of the buffers (see track_options.slots). */
int track_recover_there(struct tracker *t, const struct track_node *targets, uint32_t count,
			struct err *e);
/* Recovery as in lines 5 to 20 of Algorithm 1, on a tracker with one place; ERR_USAGE with several.
 * The three functions are the parts of this recovery; call them in this order. They use the
 * operations of TRACK_PUBLISHED, whatever the engine is. count: 1 .. the slots of the place.
 *
 * track_cache_current, line 5: copies the current states to a third buffer, `recover` in the paper,
 * which is allocated on first use. Asynchronous. ERR_MEMORY.
 *
 * track_recover_in_one_call, lines 11 to 17: copies the input of each target to the second buffer,
 * and brings it to the layer of the targets by one call of Algorithm 2, with line 1, the fill rate
 * of the options and all steps from layer 0. Each step takes its successors from the history.
 * States that wait for others skip steps, so the result depends on the targets as a set and need
 * not equal the states that the search had. Sets *breaks to the number of times that the inner loop
 * was left. ERR_USAGE unless all targets are in one layer above 0 and no layer up to it was made by
 * a jump.
 *
 * track_restore_cached, lines 18 to 20: copies all states from the third buffer back to the current
 * states. The paper's line 19, which copies the states that line 13 left out, is not needed here:
 * the targets stay in the second buffer. ERR_USAGE if the current states have not
 * been cached. */
int track_cache_current(struct tracker *t, struct err *e);
int track_recover_in_one_call(struct tracker *t, const struct track_node *targets, uint32_t count,
			      uint64_t *breaks, struct err *e);
int track_restore_cached(struct tracker *t, struct err *e);
/* For checks: reads the rebuilt targets first .. first + count - 1 of the last track_recover_there
 * or track_recover_in_one_call. Between the two calls, only track_restore_cached, track_wait,
 * track_read and track_figures may be called. */
int track_read_recovered(struct tracker *t, uint32_t first, uint32_t count, void *states,
			 struct err *e);

uint32_t track_count(const struct tracker *t); /* states of the current layer */
uint32_t track_layer(const struct tracker *t);
int track_read(struct tracker *t, uint32_t first, uint32_t count, void *states, struct err *e);
const struct track_history *track_history(struct tracker *t);
/* Waits for all places. */
int track_wait(struct tracker *t, struct err *e);

struct track_figures {
	uint64_t children; /* rated */
	uint64_t executions,
		assignments; /* of states, in evaluations, forward steps and recovery. If states
				take several steps in one call, assignments of single waiting states
				are not counted: only the place knows them */
	uint64_t breaks;   /* how often Algorithm 2 left its inner loop in the last part of the last
			      evaluation; 0 if states advance independently */
	uint64_t replayed; /* forward steps made for recovery, without track_recover_in_one_call */
	uint64_t loaded;   /* states loaded from kept layers */
	uint64_t state_bytes; /* bytes of the buffers for states on all places now */
	uint64_t history_bytes;
	struct track_archive_figures archive; /* of all places; last_loaded: of one that loaded */
	/* Times by the host's clock. Work that a place finishes later is counted in the part of the
	 * iteration that waits for it. */
	double expand_seconds, evaluate_seconds, prune_seconds, forward_seconds, recover_seconds;
	double history_seconds; /* memory and entries of new layers in the history */
	double memory_seconds;  /* track_create, without: */
	double peer_seconds;    /* access of devices to each other's memory, paid once a process */
};
void track_figures(const struct tracker *t, struct track_figures *f);

#endif
