/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The synthetic search model of Köster, Groß, Krüger (section V), whose states are matrices, and
 * its oracle.
 *
 * A state of `state_bytes` bytes is a matrix X of rows x columns 32-bit floats, row by row, then a
 * context of variables of 16 bytes. An execution is X <- X E. An assignment is X <- X A, `load`
 * times, followed by a choice: 16 random bytes, words w0 .. w3, replace variable number w0 *
 * variables / 2^32 of the context (unless it has no variables), and every row r with bit r % 32 of
 * w1 set changes its sign. After an execution, a state waits for an assignment if a random word is
 * below break_probability * 2^32.
 *
 * E and A are columns x columns and orthogonal up to rounding, so values neither grow nor vanish in
 * thousands of products. They are products of plane rotations, one for each pair of columns, with
 * cosine (1 - t^2) / (1 + t^2) and sine 2 t / (1 + t^2) for a random t. They are computed with
 * double additions, multiplications and divisions and rounded once at the end, so they are the same
 * on every machine. An element of a product is a sum of fused multiply-adds in ascending order,
 * whose first product is rounded separately: fma(x[n-1], w[n-1], ... fma(x[1], w[1], x[0] * w[0])
 * ...). */
#ifndef COPRA_DATASETS_MATRIX_MATRIX_STATES_H
#define COPRA_DATASETS_MATRIX_MATRIX_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { MATRIX_COLUMNS_MOST = 64 };

struct matrix_states {
	uint32_t rows, columns; /* each >= 1, columns at most MATRIX_COLUMNS_MOST */
	uint32_t load;
	uint32_t state_bytes;     /* >= rows * columns * 4 */
	double break_probability; /* 0 to 1 */
	uint64_t seed;
	float *execute, *assign; /* E and A, row by row */
};

/* Makes E and A from the seed; copies the other members from `sizes`. ERR_USAGE for impossible
 * sizes, ERR_MEMORY. */
int matrix_states_create(struct matrix_states *m, const struct matrix_states *sizes, struct err *e);
void matrix_states_free(struct matrix_states *m);

/* Fills in input state number `index`: the matrix elements are multiples of 2^-23 in [-1, 1), the
 * context is random bytes. */
void matrix_states_input(const struct matrix_states *m, uint64_t index, void *state);

/* ---- oracle: plain code, for one state or a batch, step by step ---- */

/* One round on the path of a state: it becomes successor number `successor` of the state in slot
 * `source`. */
struct matrix_round {
	uint32_t iteration, source, successor;
};
struct matrix_schedule {
	uint64_t seed;  /* of the run */
	uint32_t steps; /* executions per round */
	bool first;     /* an assignment before the first step */
	bool last;      /* an assignment after the last step, whether the state waits or not */
	bool fixed;     /* assign after the steps in `breaks` (bit s: after step s + 1),
			   plus `first` and `last`; else after the steps where the
			   state waits */
	uint32_t breaks;
};
struct matrix_counts {
	uint64_t executions, assignments; /* of states */
	uint32_t breaks;                  /* matrix_together: assignments of the whole batch */
};

/* Runs one state through all rounds. Adds to *counts (may be NULL). */
void matrix_follow(const struct matrix_states *m, const struct matrix_schedule *s,
		   const struct matrix_round *rounds, uint32_t count, void *state,
		   struct matrix_counts *counts);

/* Algorithm 2 on a batch of `count` states. States that wait skip steps until more than the
 * fraction `fill_rate` of all states is waiting; then, and at the end, the waiting states get their
 * assignment. Ignores `last`, `fixed` and `breaks`. ERR_MEMORY. */
int matrix_together(const struct matrix_states *m, const struct matrix_schedule *s,
		    double fill_rate, const struct matrix_round *round, uint32_t count,
		    void *states, struct matrix_counts *counts, struct err *e);

/* Algorithm 2 in one call along paths: step s of state i is the one step of round[s * count + i].
 * An assignment after a step belongs to the round of that step, the first assignment to round 0.
 * Whether a state waits depends only on random numbers. matrix_path_breaks can therefore find the
 * breaks first, and matrix_follow_path then runs each state on its own.
 *
 * matrix_path_breaks: sets bit s of *breaks if the waiting states are assigned after step s + 1:
 * more than the fraction `fill_rate` of the `count` states waits, or the step is the last one.
 * s->steps must be 1 .. 32. ERR_MEMORY.
 * matrix_follow_path: runs one state; `stride` separates its rounds. Adds to *counts (may be NULL).
 *
 * Both ignore `last`, `fixed` and `breaks` of the schedule. */
int matrix_path_breaks(const struct matrix_states *m, const struct matrix_schedule *s,
		       double fill_rate, const struct matrix_round *round, uint32_t count,
		       uint32_t *breaks, struct err *e);
void matrix_follow_path(const struct matrix_states *m, const struct matrix_schedule *s,
			uint32_t breaks, const struct matrix_round *round, uint32_t stride,
			void *state, struct matrix_counts *counts);

/* A rating: the bits of the smallest element, mapped to unsigned integers in the order of the
 * floats; +0 is 0x80000000. */
uint32_t matrix_rating(const struct matrix_states *m, const void *state);

#endif
