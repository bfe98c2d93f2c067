/* Threads that stay, for loops over many equal things. */
#ifndef COPRA_BASE_WORKERS_H
#define COPRA_BASE_WORKERS_H

#include <stdint.h>

#include "harness/base/error.h"

struct workers;

/* threads >= 1, the caller's own included. */
int workers_create(struct workers **out, int threads, struct err *e);
void workers_destroy(struct workers *p);
int workers_threads(const struct workers *p);

/* Calls work(context, from, to, thread) on parts of 0 .. count - 1, each index in one part; parts
 * are multiples of `grain` but for the last. Returns when all are done. p NULL: in the caller
 * alone. work may not use the pool. */
void workers_run(struct workers *p, uint64_t count, uint64_t grain,
		 void (*work)(void *context, uint64_t from, uint64_t to, int thread),
		 void *context);

#endif
