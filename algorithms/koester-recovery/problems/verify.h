/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Checks of results by code that the searches do not use. All return ERR_FAILED, with a message
 * about the first error, if a check fails. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_VERIFY_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_VERIFY_H

#include "algorithms/koester-recovery/problems/search.h"
#include "algorithms/koester-recovery/problems/synthetic.h"
#include "datasets/matrix/matrix_states.h"

/* Computes the makespan of the job order from the instance. Compares it with the reported one and
 * with proved bounds. */
int track_verify_pfsp(const struct flowshop *f, const struct track_outcome *o, struct err *e);

/* Replays the moves by the plain rules of datasets/samegame/samegame.h. They must be a complete
 * game with the reported score. */
int track_verify_samegame(const struct samegame *g, const struct track_outcome *o, struct err *e);

/* Compares `count` recovered states of `bytes` bytes with recorded ones. The message names the
 * first wrong target. */
int track_verify_states(const void *recovered, const void *recorded, uint32_t count, size_t bytes,
			const struct track_node *targets, struct err *e);

/* ---- the synthetic model, by datasets/matrix/matrix_states.h ---- */

/* Compares consecutive `states` with the targets. The check computes every target from its input,
 * along its path in the history. */
int track_synthetic_verify_states(const struct track_synthetic_run *r,
				  const struct track_node *targets, uint32_t count,
				  const void *states, struct err *e);
/* Compares all states of the last track_recover_in_one_call, whose targets these are, with a
 * simulation of the whole batch along the paths in the history. At most 32 layers. Sets *counts to
 * the executions, assignments and breaks of the simulation. */
int track_synthetic_verify_one_call(const struct track_synthetic_run *r,
				    const struct track_node *targets, uint32_t count,
				    struct matrix_counts *counts, struct err *e);
/* Checks the bytes and ratings of samples of the current layer. With the schedule `together`,
 * ratings depend on all states: a layer of few states is simulated as a whole, and for a large
 * layer only the number of breaks is checked. */
int track_synthetic_verify(const struct track_synthetic_run *r, uint32_t samples, struct err *e);
/* Checks the numbers of executions and assignments so far, if the schedule determines them.
 * Recovery is included. */
int track_synthetic_verify_counts(const struct track_synthetic_run *r, struct err *e);

/* The number of breaks in one evaluation if the share of waiting states after each step equals its
 * mean. *certain is set if no such share is within `sigmas` standard deviations (of s->states
 * states) of F. */
uint32_t track_synthetic_many_breaks(const struct track_synthetic_setup *s, double sigmas,
				     bool *certain);

#endif
