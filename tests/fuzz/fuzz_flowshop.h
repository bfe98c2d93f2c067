/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on every flowshop instance that a reader accepts, whatever its format. */
#ifndef COPRA_TESTS_FUZZ_FUZZ_FLOWSHOP_H
#define COPRA_TESTS_FUZZ_FUZZ_FLOWSHOP_H

#include "datasets/flowshop/flowshop.h"
#include "tests/fuzz/fuzz.h"

/* The sum of the times fits in 31 bits, so that no makespan overflows. */
static inline void fuzz_flowshop_times(const struct flowshop *f)
{
	int64_t sum = 0;

	FUZZ_CHECK(f->jobs >= 1 && f->jobs <= FLOWSHOP_MAX_JOBS);
	FUZZ_CHECK(f->machines >= 1 && f->machines <= FLOWSHOP_MAX_MACHINES);
	for (int i = 0; i < f->jobs * f->machines; i++) {
		FUZZ_CHECK(f->time[i] >= 0);
		sum += f->time[i];
	}
	FUZZ_CHECK(sum <= INT32_MAX);
}

/* The instance can be written in Taillard's format and read again. */
static inline void fuzz_flowshop_written(const struct flowshop *f)
{
	struct flowshop again;
	struct err e = { 0 };

	FUZZ_CHECK(flowshop_write(f, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(flowshop_load(&again, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(flowshop_hash(f) == flowshop_hash(&again));
	flowshop_free(&again);
}

#endif
