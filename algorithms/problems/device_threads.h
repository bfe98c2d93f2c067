/* A host thread for each device of a search. */
#ifndef COPRA_PROBLEMS_DEVICE_THREADS_H
#define COPRA_PROBLEMS_DEVICE_THREADS_H

#include <stddef.h>

/* run(item) for each of 1 .. DEV_MAX items of `size` bytes, at the same time, the first in the
 * caller's thread; returns when all are done. An item for which there is no thread is run by the
 * caller afterwards. */
void device_threads_run(void *(*run)(void *item), void *items, size_t size, int count);

#endif
