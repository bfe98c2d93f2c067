/* Instances of sample-target: numbers to be put in two heaps whose sums differ as little as can be.
 *
 * Known names: random:N:SEED, numbers from 1 to 1,000,000. Files: how many, then one number a line.
 */
#ifndef COPRA_SCRIPTS_NEW_TARGET_DATASETS_SAMPLE_TARGET_SAMPLE_TARGET_H
#define COPRA_SCRIPTS_NEW_TARGET_DATASETS_SAMPLE_TARGET_SAMPLE_TARGET_H

#include <stdint.h>

#include "harness/base/error.h"

/* 28 numbers below 2^31: every sum stays below 2^36. */
enum { SAMPLE_TARGET_MAX = 28 };

struct sample_target_instance {
	char name[128];
	int n;                             /* 2 .. SAMPLE_TARGET_MAX */
	int64_t number[SAMPLE_TARGET_MAX]; /* 1 .. INT32_MAX, in the file's order */
};

/* A known name or a file. ERR_INPUT names what is wrong, of a file with its line. */
int sample_target_load(struct sample_target_instance *s, const char *name_or_file, struct err *e);

/* How far the heaps' sums are apart, from the instance alone; heap[i] is 0 or 1. */
int64_t sample_target_evaluate(const struct sample_target_instance *s, const int64_t *heap);

/* The least difference, by the sums that can be reached: no code and no method in common with the
 * search. ERR_UNSUPPORTED where the sums are too large for it. */
int sample_target_oracle(const struct sample_target_instance *s, int64_t *difference,
			 struct err *e);

#endif
