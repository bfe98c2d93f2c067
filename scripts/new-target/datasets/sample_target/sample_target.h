/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Instances of sample-target: numbers to be divided into two heaps with the smallest difference of
 * sums.
 *
 * Known names: random:N:SEED, N numbers from 1 to 1,000,000. Files: the count, then one number per
 * line. */
#ifndef COPRA_SCRIPTS_NEW_TARGET_DATASETS_SAMPLE_TARGET_SAMPLE_TARGET_H
#define COPRA_SCRIPTS_NEW_TARGET_DATASETS_SAMPLE_TARGET_SAMPLE_TARGET_H

#include <stdint.h>

#include "harness/base/error.h"

/* The sum of 28 numbers below 2^31 is below 2^36. */
enum { SAMPLE_TARGET_MAX = 28 };

struct sample_target_instance {
	char name[128];
	int n;                             /* 2 .. SAMPLE_TARGET_MAX */
	int64_t number[SAMPLE_TARGET_MAX]; /* 1 .. INT32_MAX, in the file's order */
};

/* Loads a known name or a file. ERR_INPUT names the fault and, for a file, its line. */
int sample_target_load(struct sample_target_instance *s, const char *name_or_file, struct err *e);

/* The difference of the heaps' sums, computed only from the instance. heap[i] is 0 or 1. */
int64_t sample_target_evaluate(const struct sample_target_instance *s, const int64_t *heap);

/* The minimum difference, by dynamic programming over reachable sums. Shares neither code nor
 * method with the search. ERR_UNSUPPORTED if the sums are too large. */
int sample_target_oracle(const struct sample_target_instance *s, int64_t *difference,
			 struct err *e);

#endif
