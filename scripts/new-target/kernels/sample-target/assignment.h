/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The node evaluation, defined once for CPU and GPU. Assignment a puts number i into the second
 * heap if bit i of a is set. The last number stays in the first heap, so no split is tried twice.
 */
#ifndef COPRA_SCRIPTS_NEW_TARGET_KERNELS_SAMPLE_TARGET_ASSIGNMENT_H
#define COPRA_SCRIPTS_NEW_TARGET_KERNELS_SAMPLE_TARGET_ASSIGNMENT_H

#include <stdint.h>

#include "harness/base/hd.h"

enum { SAMPLE_TARGET_NUMBERS = 28, SAMPLE_TARGET_BITS = SAMPLE_TARGET_NUMBERS - 1 };

/* Passed to kernels by value. */
struct sample_target_numbers {
	int32_t n;
	int64_t number[SAMPLE_TARGET_NUMBERS];
};

/* A difference and its assignment in one word. The minimum key is the best answer; it does not
 * depend on the order of the search or the number of devices. */
#define SAMPLE_TARGET_KEY(difference, a) ((uint64_t)(difference) << SAMPLE_TARGET_BITS | (a))
#define SAMPLE_TARGET_NONE UINT64_MAX

HD uint64_t sample_target_assignments(const struct sample_target_numbers *s)
{
	return (uint64_t)1 << (s->n - 1);
}

/* The minimum key of assignments from .. to - 1. Counting up by one moves two numbers on average.
 */
HD uint64_t sample_target_least(const struct sample_target_numbers *s, uint64_t from, uint64_t to)
{
	uint64_t best = SAMPLE_TARGET_NONE;
	int64_t d = 0;

	for (int i = 0; i < s->n; i++)
		d += from >> i & 1 ? -s->number[i] : s->number[i];
	for (uint64_t a = from; a < to; a++) {
		uint64_t key = SAMPLE_TARGET_KEY(d < 0 ? -d : d, a);
		int i = 0;

		best = key < best ? key : best;
		for (; a >> i & 1; i++)
			d += 2 * s->number[i];
		d -= 2 * s->number[i];
	}
	return best;
}

#endif
