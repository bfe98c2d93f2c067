/* Threads that stay, for loops over many equal things. */
#ifndef COPRA_TRACK_POOL_H
#define COPRA_TRACK_POOL_H

#include <stdint.h>

#include "../../harness/error.h"

struct track_pool;

/* threads >= 1, the caller's own included. */
int track_pool_create(struct track_pool **out, int threads, struct err *e);
void track_pool_destroy(struct track_pool *p);
int track_pool_threads(const struct track_pool *p);

/* Calls work(context, from, to, thread) on parts of 0 .. count - 1, each index in one part; parts
 * are multiples of `grain` but for the last. Returns when all are done. p NULL: in the caller
 * alone. work may not use the pool. */
void track_pool_run(struct track_pool *p, uint64_t count, uint64_t grain,
		    void (*work)(void *context, uint64_t from, uint64_t to, int thread),
		    void *context);

#endif
