/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The synthetic model (datasets/matrix/matrix_states.h defines it) as a domain of the tracker, in
 * its plain form: one thread per state, with the state in memory. */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_SYNTHETIC_H
#define COPRA_KERNELS_KOESTER_RECOVERY_SYNTHETIC_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/koester-recovery/ops.h"
#include "kernels/koester-recovery/state.h"

enum { TRACK_SYNTHETIC_COLUMNS_MOST = 64 };

/* How devices multiply matrices. The bytes of the states are the same in all forms. */
enum track_synthetic_form {
	/* ours: several threads per state, each with some rows in registers over all steps (4 for
	 * 16 columns) */
	TRACK_SYNTHETIC_TUNED,
	/* the paper's: one thread per state, which is in memory; units of 4 bytes, so that threads
	 * read neighbouring words; one element of a product after the other */
	TRACK_SYNTHETIC_ELEMENTS,
	TRACK_SYNTHETIC_SUMS,      /* the same, all elements of a row of the product together */
	TRACK_SYNTHETIC_VECTORS,   /* the same, memory accessed 16 bytes at a time */
	TRACK_SYNTHETIC_REGISTERS, /* one thread per state, a row in registers over all steps,
				      matrices in shared memory */
	TRACK_SYNTHETIC_ROWS,      /* one thread per row, a state contiguous */
	TRACK_SYNTHETIC_FORMS
};

struct track_synthetic {
	enum track_synthetic_form form;
	uint32_t rows, columns, load;
	uint32_t variables;        /* number of 16-byte variables in the context */
	uint32_t unit_shift;       /* word w of a state is word w & unit_mask of unit */
	uint32_t unit_mask;        /* w >> unit_shift */
	uint32_t vectors;          /* 1: rows and units are multiples of 16 bytes, aligned */
	uint64_t break_below;      /* q * 2^32: a state waits if a random word is less than this */
	const float *weights;      /* E, then A; memory of the place */
	const float *host_weights; /* the same in host memory, for launches only */
};

HD size_t track_synthetic_word_offset(const struct track_synthetic *d, size_t stride, uint32_t word)
{
	return (word >> d->unit_shift) * stride + (size_t)(word & d->unit_mask) * 4;
}

HD void *track_synthetic_word(const struct track_synthetic *d, struct track_state s, uint32_t word)
{
	return s.first + track_synthetic_word_offset(d, s.stride, word);
}

/* Maps a float to an integer of the same order. */
HD uint32_t track_synthetic_order(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
}

HD void track_synthetic_product(const struct track_synthetic *d, struct track_state s,
				const float *w)
{
	float old[TRACK_SYNTHETIC_COLUMNS_MOST];

	for (uint32_t row = 0; row < d->rows; row++) {
		for (uint32_t k = 0; k < d->columns; k++)
			old[k] = *(const float *)track_synthetic_word(d, s, row * d->columns + k);
		for (uint32_t j = 0; j < d->columns; j++) {
			float sum = old[0] * w[j];

			for (uint32_t k = 1; k < d->columns; k++)
				sum = fmaf(old[k], w[k * d->columns + j], sum);
			*(float *)track_synthetic_word(d, s, row * d->columns + j) = sum;
		}
	}
}

HD bool track_synthetic_waits(const struct track_synthetic *d, const struct track_step *at)
{
	return track_random(at, 0) < d->break_below;
}

/* Stores the 16-byte variable that an assignment makes in a random place of the context. */
HD void track_synthetic_store_variable(const struct track_synthetic *d, struct track_state s,
				       const struct philox4 *v)
{
	uint32_t word = d->rows * d->columns;

	if (!d->variables)
		return;
	word += 4 * track_random_below(v->word[0], d->variables);
	for (uint32_t i = 0; i < 4; i++)
		*(uint32_t *)track_synthetic_word(d, s, word + i) = v->word[i];
}

HD int track_synthetic_execute(const struct track_synthetic *d, struct track_state s,
			       const struct track_step *at)
{
	track_synthetic_product(d, s, d->weights);
	return track_synthetic_waits(d, at);
}

/* Makes the random choice at the end of an assignment. */
HD void track_synthetic_choose(const struct track_synthetic *d, struct track_state s,
			       const struct track_step *at)
{
	struct philox4 v = track_random_block(at, 0);

	for (uint32_t row = 0; row < d->rows; row++) {
		for (uint32_t j = 0; (v.word[1] >> (row & 31) & 1) && j < d->columns; j++) {
			float *x = (float *)track_synthetic_word(d, s, row * d->columns + j);

			*x = -*x;
		}
	}
	track_synthetic_store_variable(d, s, &v);
}

HD void track_synthetic_assign(const struct track_synthetic *d, struct track_state s,
			       const struct track_step *at)
{
	for (uint32_t i = 0; i < d->load; i++)
		track_synthetic_product(d, s, d->weights + d->columns * d->columns);
	track_synthetic_choose(d, s, at);
}

HD uint32_t track_synthetic_rate(const struct track_synthetic *d, struct track_state s)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t word = 0; word < d->rows * d->columns; word++) {
		uint32_t order =
			track_synthetic_order(*(const float *)track_synthetic_word(d, s, word));

		if (order < best)
			best = order;
	}
	return best;
}

/* For regular expansion only: all successors are seeds of random numbers. */
HD uint32_t track_synthetic_expand(const struct track_synthetic *d, struct track_state s)
{
	(void)d;
	(void)s;
	return 1;
}

HD uint32_t track_synthetic_successor(const struct track_synthetic *d, struct track_state s,
				      uint32_t k)
{
	(void)d;
	(void)s;
	return k;
}

/* ---- its operations on devices ---- */

/* one thread per state, the state in memory: the forms ELEMENTS, SUMS and VECTORS */
DEV_KERNELS(struct track_ops, track_synthetic_ops);
/* rows in registers over all steps: the forms REGISTERS, ROWS and TUNED; 8, 12, 16, 24 or 32
 * columns, else ERR_UNSUPPORTED */
DEV_KERNELS(struct track_ops, track_synthetic_rows_ops);

#endif
