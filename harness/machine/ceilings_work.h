/* The pieces of work that measure a processor's ceilings. Each runs on one thread over memory of
 * that thread's own, and leaves a result that check() computes in another way. */
#ifndef COPRA_MACHINE_CEILINGS_WORK_H
#define COPRA_MACHINE_CEILINGS_WORK_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

struct work_sizes {
	size_t memory, l1, l2; /* bytes of one array in memory, in L1, in L2; multiples of 4 KiB */
};

struct work_state {
	uint64_t *a, *b; /* 64-byte aligned; owned by the caller */
	size_t bytes;    /* of each */
	uint64_t result;
	uint32_t words[256];
};

struct work {
	const char *name;
	size_t (*bytes)(const struct work_sizes *sizes); /* of each array */
	void (*run)(struct work_state *s, long steps);
	int (*check)(const struct work_state *s, long steps, struct err *e);
	double (*amount)(size_t bytes); /* operations or bytes of one step */
};

enum work_kind {
	WORK_COPY,
	WORK_COPY_L1,
	WORK_COPY_L2,
	WORK_ADD_MAX,
	WORK_POPCOUNT,
	WORK_FMA,
	WORKS
};
extern const struct work ceilings_works[WORKS];

/* Array a holds work_word(i); b is cleared. */
void work_prepare(struct work_state *s);
uint64_t work_word(size_t i);

#endif
