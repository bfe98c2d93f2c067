/* A domain for the tracker: split numbers into two heaps whose sums differ as little as possible.
 * A layer places one number; the two successors of a state put it on heap 0 or heap 1. */
#ifndef COPRA_DOCS_EXAMPLES_RECOVERY_DOMAIN_PARTITION_H
#define COPRA_DOCS_EXAMPLES_RECOVERY_DOMAIN_PARTITION_H

#include <stdlib.h>
#include "kernels/koester-recovery/ops.h"

struct partition { /* parameters of the domain: plain data */
	int32_t count, number[64];
};
struct heaps { /* a state */
	int32_t placed, difference, sign;
};
#define HEAPS(state) ((struct heaps *)track_unit(state, 0))

/* Executes the choice: the next number goes on its heap. Returns 1: the state needs a choice. */
HD int partition_execute(const struct partition *d, struct track_state s,
			 const struct track_step *at)
{
	struct heaps *h = HEAPS(s);

	(void)at;
	if (h->placed < d->count)
		h->difference += h->sign * d->number[h->placed++];
	return 1;
}

/* Makes the choice: at step 0 the search's, in the steps that only look ahead the smaller heap. */
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

/* Returns how many successors the state has. */
HD uint32_t partition_expand(const struct partition *d, struct track_state s)
{
	return HEAPS(s)->placed < d->count ? 2 : 0;
}

/* Returns the number of its k-th successor. */
HD uint32_t partition_successor(const struct partition *d, struct track_state s, uint32_t k)
{
	return (void)d, (void)s, k;
}

/* Searches with layers of at most `beam` states: the difference of the heaps, and the heap (0 or 1)
 * of each number. */
int partition_search(const struct partition *d, struct track_place *p, uint32_t beam,
		     uint32_t *difference, uint32_t heap[], struct err *e);
#endif
