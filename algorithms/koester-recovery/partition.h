/* An example of a domain: numbers in two heaps whose sums differ least, by beam search. */
#ifndef COPRA_KOESTER_RECOVERY_PARTITION_H
#define COPRA_KOESTER_RECOVERY_PARTITION_H

#include <stdlib.h>
#include "algorithms/koester-recovery/track.h"

struct partition {
	int32_t count, number[64];
};
struct heaps {
	int32_t placed, difference, sign;
};
#define HEAPS(state) ((struct heaps *)track_unit(state, 0))

/* The next number goes to its heap; the state waits to be told the heap of the one after. */
HD int partition_execute(const struct partition *d, struct track_state s,
			 const struct track_step *at)
{
	struct heaps *h = HEAPS(s);

	(void)at;
	if (h->placed < d->count)
		h->difference += h->sign * d->number[h->placed++];
	return 1;
}

/* The search's choice, and where it only looks ahead the smaller heap. */
HD void partition_assign(const struct partition *d, struct track_state s,
			 const struct track_step *at)
{
	struct heaps *h = HEAPS(s);

	(void)d;
	h->sign = (at->step == 0 ? at->successor == 1 : h->difference > 0) ? -1 : 1;
}

HD uint32_t partition_rate(const struct partition *d, struct track_state s)
{
	(void)d;
	return (uint32_t)abs(HEAPS(s)->difference);
}

HD uint32_t partition_expand(const struct partition *d, struct track_state s)
{
	return HEAPS(s)->placed < d->count ? 2 : 0;
}

HD uint32_t partition_successor(const struct partition *d, struct track_state s, uint32_t k)
{
	return (void)d, (void)s, k;
}

int partition_search(const struct partition *d, struct track_place *p, uint32_t beam,
		     uint32_t *difference, uint32_t heap[], struct err *e); /* heap[i]: 0, 1 */
#endif
