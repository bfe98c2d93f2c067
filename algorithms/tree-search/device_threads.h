/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* One host thread per device, for searches in which each device fetches its own work until none is
 * left. */
#ifndef COPRA_TREE_SEARCH_DEVICE_THREADS_H
#define COPRA_TREE_SEARCH_DEVICE_THREADS_H

#include <stdatomic.h>

#include "algorithms/tree-search/joining.h"

/* The first member of a target's own struct. */
struct device_thread {
	/* in */
	struct dev *device;
	const struct interrupt *interrupt;
	atomic_bool *failed;     /* shared: set by a device that fails, then the others stop */
	struct joining *joining; /* shared, opened; ends when no work is left */
	int number;              /* of the device: the first has 0 */
	/* out */
	int status; /* ERR_LIMIT: stopped with work left */
	struct err error;
	bool worked;          /* not so: the search did not need the device */
	double ready;         /* clock_wall() when memory and streams were available */
	uint64_t memory_peak; /* bytes of nodes */
};

/* The number of devices that a request with devices asks for (gpus 0: all). */
static inline int device_threads_count(const struct search_request *r)
{
	return r->gpus > 0 && r->gpus < r->devices->count ? r->gpus : r->devices->count;
}

/* Calls work(thread) concurrently for each of `count` structs of `size` bytes (1 .. DEV_MAX of
 * them), the first in the calling thread; later, or not at all, for those that have to join. If the
 * system cannot create a thread, that call is made afterwards. Returns the error of a device that
 * failed, else ERR_LIMIT if one stopped, else 0. */
int device_threads_run(int (*work)(void *thread), void *threads, size_t size, int count,
		       struct err *e);

/* Tells that memory and streams are available. `begin`: clock_wall() when the set-up began. */
void device_thread_ready(struct device_thread *t, double begin);

/* Returns 0 if the search may continue, else ERR_LIMIT with the reason in the thread's error. */
int device_thread_stopped(struct device_thread *t);

#endif
