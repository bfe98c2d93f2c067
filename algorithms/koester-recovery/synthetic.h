/* The paper's model of a search (section V, Equation 4): an execution is a product of matrices, an
 * assignment L of them. datasets/matrix/matrix_states.h says it exactly. */
#ifndef COPRA_KOESTER_RECOVERY_SYNTHETIC_H
#define COPRA_KOESTER_RECOVERY_SYNTHETIC_H

#include "algorithms/koester-recovery/domain.h"

struct synthetic_options {
	/* A state's matrix is rows x columns, fp32; it is multiplied by columns x columns matrices.
	 * 16 and 16 fit the paper's times. */
	uint32_t rows, columns;
	/* L: products of an assignment. */
	uint32_t load;
	/* m: the matrix and a context, of which every assignment writes one 16-byte variable,
	 * chosen at random. */
	uint32_t state_bytes;
	/* q: of a state to wait after a step. */
	double break_probability;
	/* Of the matrices and inputs. */
	uint64_t seed;
	/* As in the paper: a thread a state, states in memory, units of 4 bytes; for the engine
	 * TRACK_PUBLISHED. Else rows in registers over all steps, vectors on the host, units of a
	 * whole state; for 8, 12, 16, 24 and 32 columns, others are always plain. */
	bool plain;
	/* Of the layout: a power of two >= 4 that divides state_bytes, or state_bytes; 0: as said
	 * above. */
	uint32_t unit_bytes;
};

/* Makes the domain and its inputs; ERR_USAGE for sizes that cannot be. `count` input states, one
 * after another, malloc'ed. */
int synthetic_create(struct track_domain **out, const struct synthetic_options *o, struct err *e);
void synthetic_destroy(struct track_domain *d);
int synthetic_inputs(const struct track_domain *d, uint32_t count, void **inputs, struct err *e);

/* The schedule that yields the printed times (TRACK_FIXED): `breaks` for F in percent. 8, 2, 1, 1
 * assignments in 8 steps for 0, 30, 60, 100. */
uint32_t synthetic_printed_breaks(int fill_percent);

/* Multiply-adds of one execution of one state: rows * columns * columns. */
uint64_t synthetic_products(const struct track_domain *d);

#endif
