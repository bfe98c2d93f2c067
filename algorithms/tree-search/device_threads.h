/* A host thread for each device of a search in which every device takes its share of the work by
 * itself until nothing is left. */
#ifndef COPRA_TREE_SEARCH_DEVICE_THREADS_H
#define COPRA_TREE_SEARCH_DEVICE_THREADS_H

#include <stdatomic.h>

#include "algorithms/tree-search/interrupt.h"

/* The first member of a target's own struct. */
struct device_thread {
	/* in */
	struct dev *device;
	const struct interrupt *interrupt;
	atomic_bool *failed; /* shared: set by a device that fails, then the others stop */
	/* out */
	int status; /* ERR_LIMIT: stopped with work left */
	struct err error;
	double ready;         /* clock_wall() when memory and streams were available */
	uint64_t memory_peak; /* bytes of nodes */
};

/* The number of devices that a request with devices asks for (gpus 0: all). */
static inline int device_threads_count(const struct search_request *r)
{
	return r->gpus > 0 && r->gpus < r->devices->count ? r->gpus : r->devices->count;
}

/* Calls work(thread) for each of 1 .. DEV_MAX structs of `size` bytes at the same time, the first
 * in the calling thread. Those for which the system grants no thread run afterwards. Returns the
 * error of a device that failed, else ERR_LIMIT if one stopped. */
int device_threads_run(int (*work)(void *thread), void *threads, size_t size, int count,
		       struct err *e);

/* 0, or ERR_LIMIT with the reason in the thread's error: the search has to end. */
int device_thread_stopped(struct device_thread *t);

#endif
