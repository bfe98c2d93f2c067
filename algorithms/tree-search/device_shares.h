/* The devices of a search, a host thread for each, where a device takes its share by itself until
 * nothing is left. */
#ifndef COPRA_TREE_SEARCH_DEVICE_SHARES_H
#define COPRA_TREE_SEARCH_DEVICE_SHARES_H

#include <stdatomic.h>

#include "algorithms/tree-search/interrupt.h"

/* What all have; the first member of a target's own struct. */
struct device_share {
	/* in */
	struct dev *device;
	const struct interrupt *interrupt;
	atomic_bool *failed; /* of all devices: set by one, the others stop */
	/* out */
	int status; /* ERR_LIMIT: stopped with work left */
	struct err error;
	double ready;         /* clock_wall(): memory and streams were there, or are not needed */
	uint64_t memory_peak; /* bytes of nodes */
};

/* work(share) of each of 1 .. DEV_MAX shares of `size` bytes at the same time, the first in the
 * caller's thread; one for which there is no thread is done afterwards. The error of one before the
 * limit that it made the others stop at. */
int device_shares_run(int (*work)(void *share), void *shares, size_t size, int count,
		      struct err *e);

/* Has the search to end? 0, or ERR_LIMIT with the reason in the share's error. */
int device_share_stopped(struct device_share *s);

#endif
