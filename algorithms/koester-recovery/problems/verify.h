/* Checks of outcomes by code that the searches do not use. ERR_FAILED with the first error found.
 */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_VERIFY_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_VERIFY_H

#include "algorithms/koester-recovery/problems/search.h"
#include "algorithms/koester-recovery/problems/synthetic.h"

/* Evaluates the job order from the instance, and compares it with proved bounds. */
int track_verify_pfsp(const struct flowshop *f, const struct track_outcome *o, struct err *e);

/* Replays the moves by the plain rules of datasets/samegame/samegame.h: a complete game of that
 * score. */
int track_verify_samegame(const struct samegame *g, const struct track_outcome *o, struct err *e);

/* Compares bytes; the message names the first wrong target. */
int track_verify_states(const void *recovered, const void *recorded, uint32_t count, size_t bytes,
			const struct track_node *targets, struct err *e);

/* ---- the synthetic model, by datasets/matrix/matrix_states.h ---- */

/* Compares `states`, one after another, with the targets. Each is computed separately from its
 * input, along its path in the history. */
int track_synthetic_verify_states(const struct track_synthetic_run *r,
				  const struct track_node *targets, uint32_t count,
				  const void *states, struct err *e);
/* Checks samples of the current layer: their bytes and their ratings. Ratings of `together` depend
 * on all states: a layer of few states is simulated as a whole, and of a large one only the breaks
 * are checked. */
int track_synthetic_verify(const struct track_synthetic_run *r, uint32_t samples, struct err *e);
/* Checks the executions and assignments of the iterations so far, where the schedule fixes them;
 * those of recovery are included. */
int track_synthetic_verify_counts(const struct track_synthetic_run *r, struct err *e);

/* The number of breaks in one evaluation of very many states, if after each step the share of
 * waiting states is its mean. *certain: no such share is within `sigmas` standard deviations, for
 * `states` states, of F. */
uint32_t track_synthetic_many_breaks(const struct track_synthetic_setup *s, double sigmas,
				     bool *certain);

#endif
