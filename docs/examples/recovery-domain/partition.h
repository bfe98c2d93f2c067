/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A domain for the tracker: split numbers into two heaps whose sums differ as little as possible.
 * Each layer of the search places one number. A state has two successors: the next number goes on
 * heap 0 or on heap 1. */
#ifndef COPRA_DOCS_EXAMPLES_RECOVERY_DOMAIN_PARTITION_H
#define COPRA_DOCS_EXAMPLES_RECOVERY_DOMAIN_PARTITION_H

#include <stdlib.h>
#include "kernels/koester-recovery/ops.h"

struct partition { /* parameters of the domain: plain data */
	int32_t count, number[64];
};
struct heaps {              /* a state */
	int32_t placed;     /* numbers placed so far */
	int32_t difference; /* sum of heap 0 minus sum of heap 1 */
	int32_t sign;       /* the choice for the next number: 1 heap 0, -1 heap 1 */
};
#define HEAPS(state) ((struct heaps *)track_unit(state, 0))

/* A step: puts the next number on the chosen heap. Returns 1: the state waits for a new choice. */
HD int partition_execute(const struct partition *d, struct track_state s,
			 const struct track_step *at)
{
	struct heaps *h = HEAPS(s);

	(void)at;
	if (h->placed < d->count)
		h->difference += h->sign * d->number[h->placed++];
	return 1;
}

/* Chooses a heap: at step 0 the one of the successor, later (looking ahead) the smaller one. */
HD void partition_assign(const struct partition *d, struct track_state s,
			 const struct track_step *at)
{
	struct heaps *h = HEAPS(s);

	(void)d;
	h->sign = (at->step == 0 ? at->successor == 1 : h->difference > 0) ? -1 : 1;
}

/* Rates a state; smaller is better. */
HD uint32_t partition_rate(const struct partition *d, struct track_state s)
{
	return (void)d, (uint32_t)abs(HEAPS(s)->difference);
}

/* Returns the number of successors of the state. */
HD uint32_t partition_expand(const struct partition *d, struct track_state s)
{
	return HEAPS(s)->placed < d->count ? 2 : 0;
}

/* Returns the number of the k-th successor, which partition_assign receives. */
HD uint32_t partition_successor(const struct partition *d, struct track_state s, uint32_t k)
{
	return (void)d, (void)s, k;
}

/* Searches with at most `beam` states per layer. Sets *difference to the difference of the best
 * split and heap[i] to the heap (0 or 1) of number i. */
int partition_search(const struct partition *d, struct track_place *p, uint32_t beam,
		     uint32_t *difference, uint32_t heap[], struct err *e);
#endif
