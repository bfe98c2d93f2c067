/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The paper's model of a search (section V, Equation 4). An execution is one product of matrices;
 * an assignment is L products. datasets/matrix/matrix_states.h has the exact definition. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_SYNTHETIC_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_SYNTHETIC_H

#include <stdint.h>

#include "algorithms/koester-recovery/states/domain.h"
#include "algorithms/koester-recovery/states/place.h"
#include "algorithms/koester-recovery/tracking/track.h"
#include "kernels/koester-recovery/synthetic.h"
#include "harness/base/error.h"

struct track_synthetic_options {
	/* A state's matrix is rows x columns, fp32; it is multiplied by columns x columns matrices.
	 * 16 and 16 fit the paper's times. */
	uint32_t rows, columns;
	/* L: products of an assignment. */
	uint32_t load;
	/* m: bytes of the matrix and a context. Every assignment writes one 16-byte variable of the
	 * context, chosen at random. */
	uint32_t state_bytes;
	/* q: probability that a state waits after a step. */
	double break_probability;
	/* Seed of the matrices and inputs. */
	uint64_t seed;
	/* TUNED, REGISTERS and ROWS exist for 8, 12, 16, 24 and 32 columns; other numbers of
	 * columns always have the paper's form. The host uses vectors in these three. */
	enum track_synthetic_form form;
	/* Bytes of a unit of the layout: a power of two >= 4 that divides state_bytes, or
	 * state_bytes. 0: chosen according to `form`. */
	uint32_t unit_bytes;
};

/* Creates the domain. ERR_USAGE for invalid sizes. */
int track_synthetic_create(struct track_domain **out, const struct track_synthetic_options *o,
			   struct err *e);
void track_synthetic_destroy(struct track_domain *d);

/* A run of the model, for `solve` and for the experiments of Tables I to IV. */

/* The schedule of assignments in an evaluation:
 *   printed   after the steps that the printed times imply (8, 2, 1 and 1 assignments of all states
 *             for F = 0, 30, 60 and 100 %), without the assignment of line 1 of Algorithm 2
 *   together  Algorithm 2 as written
 *   each      every state is assigned as soon as it waits */
enum track_synthetic_schedule {
	TRACK_SYNTHETIC_PRINTED,
	TRACK_SYNTHETIC_TOGETHER,
	TRACK_SYNTHETIC_EACH,
	TRACK_SYNTHETIC_SCHEDULES
};

struct track_synthetic_setup {
	struct track_synthetic_options model;
	uint32_t states, beam; /* S, and the states that a layer keeps */
	uint32_t inputs;       /* states of layer 0, 1 .. beam; 0: as many as the beam */
	enum track_synthetic_schedule schedule;
	double fill_rate;         /* 0 to 1 */
	uint32_t look_ahead;      /* 8 in the paper */
	enum track_engine engine; /* TRACK_PUBLISHED: model.form ELEMENTS instead of TUNED */
	bool plans;               /* as in track_options */
	struct track_archive_options archive;
	uint64_t seed;
	const volatile sig_atomic_t *stop;
};
/* The paper's setting: 16 x 16 matrices, states of one matrix, look-ahead of 8 steps, one forward
 * step, cache on. */
struct track_synthetic_setup track_synthetic_setup_default(void);
/* The value of track_options.breaks for `printed`: the schedule that the printed times imply, with
 * 8, 2, 1 and 1 assignments in 8 steps for F = 0, 30, 60 and 100 %. */
uint32_t track_synthetic_breaks(const struct track_synthetic_setup *s);

struct track_synthetic_run {
	struct track_synthetic_setup setup;
	struct track_domain *domain;
	struct tracker *tracker;
	uint64_t iterations; /* made so far */
};

/* Opens a run at layer 0. */
int track_synthetic_run_open(struct track_synthetic_run *r, const struct track_synthetic_setup *s,
			     const struct track_places *places, struct err *e);
int track_synthetic_run_iterate(struct track_synthetic_run *r, uint32_t iterations, struct err *e);
void track_synthetic_run_close(struct track_synthetic_run *r);

/* The breaks of Algorithm 2 with infinitely many states: bit s is set if states are assigned after
 * step s + 1. They are also assigned after the last step. steps <= 32. If the share of waiting
 * states equals F (as for q = F = 0.3), it does not count as more than F; with finitely many
 * states, it may. */
uint32_t track_synthetic_expected_breaks(double q, double fill_rate, uint32_t steps);

/* The operations of the model on the host. */

extern const struct track_ops track_synthetic_ops_host; /* plain loops */
extern const struct track_ops
	track_synthetic_vector_ops_host; /* vectors, if the processor has fused multiply-add for
					    them; produces the same bytes */

#endif
