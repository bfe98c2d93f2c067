/* States that are matrices: the synthetic model of a search of Köster, Groß, Krüger (section V), as
 * data, and its oracle.
 *
 * A state of `state_bytes` bytes is a matrix X of rows x columns 32-bit floats, row by row, then a
 * context of variables of 16 bytes. An execution is X <- X E. An assignment is X <- X A, `load`
 * times, and then a choice: 16 random bytes, words w0 .. w3, become the variable number w0 *
 * variables / 2^32 of the context (where there is one), and every row r with bit r % 32 of w1 set
 * changes its sign. A state waits for an assignment after an execution where a random word is below
 * break_probability * 2^32.
 *
 * E and A are columns x columns and orthogonal but for rounding: products of plane rotations by
 * cosines (1 - t^2) / (1 + t^2) and sines 2 t / (1 + t^2) for random t, one for each pair of
 * columns, made with double additions, multiplications and divisions and rounded once at the end:
 * the same on every machine. So values neither grow nor vanish in thousands of products. Elements
 * of a product are sums in ascending order of fused multiply-adds, the first product rounded by
 * itself:
 *     fma(x[n-1], w[n-1], ... fma(x[1], w[1], x[0] * w[0]) ...). */
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

/* Makes E and A from the seed; the other members of `sizes` are taken over. ERR_USAGE for
 * sizes that cannot be, ERR_MEMORY. */
int matrix_states_create(struct matrix_states *m, const struct matrix_states *sizes, struct err *e);
void matrix_states_free(struct matrix_states *m);

/* The input state number `index`: matrix elements are multiples of 2^-23 in [-1, 1), the context is
 * random bytes. */
void matrix_states_input(const struct matrix_states *m, uint64_t index, void *state);

/* ---- oracle: one state or all of them, step by step, in the plainest way ---- */

/* A layer of a state's path: it becomes number `successor` of the state in slot `source`. */
struct matrix_round {
	uint32_t iteration, source, successor;
};
struct matrix_schedule {
	uint64_t seed;  /* of the run */
	uint32_t steps; /* executions of a round */
	bool first;     /* an assignment before the first step */
	bool last;      /* one after the last step, whether the state waits or not */
	bool fixed;     /* assignments after the steps of `breaks` (bit s: after the
			   (s + 1)-th), first and last, and no others; else after
			   those it waits at */
	uint32_t breaks;
};
struct matrix_counts {
	uint64_t executions, assignments; /* of states */
	uint32_t breaks;                  /* of matrix_together: assignments of the whole batch */
};

/* One state by itself through all rounds. Adds to *counts (may be NULL). */
void matrix_follow(const struct matrix_states *m, const struct matrix_schedule *s,
		   const struct matrix_round *rounds, uint32_t count, void *state,
		   struct matrix_counts *counts);

/* Algorithm 2 on `count` states, one after another: those that wait skip steps until more than the
 * share `fill_rate` of all waits; then those that wait are assigned, as at the end. `last`, `fixed`
 * and `breaks` are not used. ERR_MEMORY. */
int matrix_together(const struct matrix_states *m, const struct matrix_schedule *s,
		    double fill_rate, const struct matrix_round *round, uint32_t count,
		    void *states, struct matrix_counts *counts, struct err *e);

/* A rating: the smallest element's bits in the order of the floats, 0x80000000 for +0. */
uint32_t matrix_rating(const struct matrix_states *m, const void *state);

#endif
