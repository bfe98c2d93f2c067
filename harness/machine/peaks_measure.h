/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Measuring peak rates, shared by peaks.c, peaks_cpu.c, peaks_gpu.c and their tests. */
#ifndef COPRA_MACHINE_PEAKS_MEASURE_H
#define COPRA_MACHINE_PEAKS_MEASURE_H

#include "harness/device/probes.h"
#include "harness/machine/peaks.h"

/* Stores a measured value and logs it; ERR_FAILED if it is not a positive number. */
int peaks_set(struct peaks *p, enum peak id, double value, FILE *log, struct err *e);

int peaks_measure_cpu(struct peaks *p, const struct environment *env, int threads, FILE *log,
		      struct err *e);
int peaks_measure_gpu(struct peaks *p, const struct dev_set *devices, FILE *log, struct err *e);

/* ---- processor: pieces of work ---- */

/* Each piece of work runs on one thread over memory of that thread's own, and leaves a result that
 * check() computes in another way. */
struct peaks_sizes {
	size_t memory, l1, l2; /* bytes of one array in memory, in L1, in L2; multiples of 4 KiB */
};

struct peaks_state {
	uint64_t *a, *b; /* 64-byte aligned; owned by the caller */
	size_t bytes;    /* of each */
	uint64_t result;
	uint32_t words[256];
};

struct peaks_work {
	const char *name;
	size_t (*bytes)(const struct peaks_sizes *sizes); /* of each array */
	void (*run)(struct peaks_state *s, long steps);
	int (*check)(const struct peaks_state *s, long steps, struct err *e);
	double (*amount)(size_t bytes); /* operations or bytes per step */
};

enum peaks_work_kind {
	WORK_COPY,
	WORK_COPY_L1,
	WORK_COPY_L2,
	WORK_ADD_MAX,
	WORK_POPCOUNT,
	WORK_FMA,
	WORKS
};
extern const struct peaks_work peaks_works[WORKS];

/* Fills array a with a pattern and clears b. */
void peaks_work_prepare(struct peaks_state *s);

/* ---- GPU: expected results of the kernels of probes.h ---- */

/* Word `index` after fill. */
uint32_t probe_pattern(uint64_t index);

/* Compares the words that a rate kernel left with a computation on the host: all of the first and
 * last, and some between. */
int probe_check(const uint32_t *words, enum probe_rate rate, int steps, size_t threads,
		struct err *e);

#endif
