/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* As many devices as pay. A search begins on the first device. The others open only when it has
 * searched for twice as long as opening them takes, J, and then take part.
 *
 * A tree that takes T seconds on one device takes about T on two if T < 3J, else about 3J + (T -
 * 3J) / 2, and what opening costs the first device, which it slows down: 0.1 s in a search by sets
 * on H100s. No estimate of the tree is needed. J is the time that the first device took to open:
 * its start (a CUDA context, if the others have none yet) and the set-up of the search on it. A
 * search that ends while another device is still starting does not wait for it. */
#ifndef COPRA_TREE_SEARCH_JOINING_H
#define COPRA_TREE_SEARCH_JOINING_H

#include <pthread.h>
#include <stdbool.h>

#include "algorithms/tree-search/search.h"

struct joining {
	bool on; /* the first device begins alone */
	const struct search_request *request;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	double due; /* clock_wall() from which the others open; 0: not known yet */
	bool over;
	bool ready[DEV_MAX];  /* devices that take part */
	void *touch[DEV_MAX]; /* a few bytes on each device, for first copies */
};

/* For a search on `devices` devices of the request. */
void joining_open(struct joining *j, const struct search_request *r, int devices);
void joining_close(struct joining *j);

/* How many of `devices` devices are there from the beginning. */
static inline int joining_first(const struct joining *j, int devices)
{
	return j->on ? 1 : devices;
}

/* The first device begins to search after a set-up of `seconds`. */
void joining_begin(struct joining *j, double seconds);
/* There is no work for others any more. Any device may call it, at any time. */
void joining_end(struct joining *j);

/* Waits, in the thread of another device, until it is to open. The device is then started. Returns
 * false if the search does not need it. */
bool joining_wait(struct joining *j, int device);
/* Makes a first copy, which takes about 50 ms, between this device and each that takes part
 * already, in both directions. The others may be searching. `s`: a stream of this device. */
int joining_connect(struct joining *j, int device, struct dev_stream *s, struct err *e);
/* This device does not take part after all. */
void joining_refuse(struct joining *j, int device);

#endif
