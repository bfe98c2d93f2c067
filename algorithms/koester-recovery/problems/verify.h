/* Are outcomes right? Everything that can be told without the code that searched. ERR_FAILED with
 * the first thing wrong. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_VERIFY_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_VERIFY_H

#include "algorithms/koester-recovery/problems/search.h"
#include "algorithms/koester-recovery/problems/synthetic.h"

/* The job order is evaluated from the instance, and no better than what is proved. */
int track_verify_pfsp(const struct flowshop *f, const struct track_outcome *o, struct err *e);

/* The moves are a whole game by the plain rules of datasets/samegame/samegame.h, of that score. */
int track_verify_samegame(const struct samegame *g, const struct track_outcome *o, struct err *e);

/* Equal bytes; the message names the first target that is wrong. */
int track_verify_states(const void *recovered, const void *recorded, uint32_t count, size_t bytes,
			const struct track_node *targets, struct err *e);

/* ---- the synthetic model (verify_synthetic.c), by datasets/matrix/matrix_states.h ---- */

/* `states`, one after another: are they those of the targets? Each is computed by itself from its
 * input, along its path in the history. */
int track_synthetic_verify_states(const struct track_synthetic_run *r,
				  const struct track_node *targets, uint32_t count,
				  const void *states, struct err *e);
/* Samples of the current layer: their bytes and their ratings. Ratings of `together` depend on all
 * states: there a layer of few states is simulated as a whole, and of a large one only the breaks
 * are checked. */
int track_synthetic_verify(const struct track_synthetic_run *r, uint32_t samples, struct err *e);
/* Executions and assignments of the iterations so far, where the schedule fixes them; `replayed`
 * steps of recovery included. */
int track_synthetic_verify_counts(const struct track_synthetic_run *r, struct err *e);

/* Breaks of one evaluation of very many states: after each step the share that waits is its mean.
 * *certain: no such share is within `sigmas` standard deviations, for `states` states, of F. */
uint32_t track_synthetic_many_breaks(const struct track_synthetic_setup *s, double sigmas,
				     bool *certain);

#endif
