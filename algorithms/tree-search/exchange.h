/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The best solution that a search and the heuristics beside it know.
 *
 * Both sides offer what they find and poll exchange_value(), which is one load. A search polls
 * where it looks for limits, and keeps the solution as if it had found it, so that its outcome and
 * its checkpoints hold one for every bound that it pruned with. Less is better. */
#ifndef COPRA_TREE_SEARCH_EXCHANGE_H
#define COPRA_TREE_SEARCH_EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/base/watch.h"

enum exchange_source {
	EXCHANGE_START,
	EXCHANGE_CHECKPOINT, /* an earlier run */
	EXCHANGE_IMPROVEMENT,
	EXCHANGE_SEARCH,
};
const char *exchange_source_name(enum exchange_source s);

struct exchange {
	_Atomic int64_t value; /* INT64_MAX: no solution yet */
	pthread_mutex_t lock;  /* protects the following fields */
	enum exchange_source source;
	double at; /* when it was found; clock_wall() */
	int items;
	int64_t *order; /* [items] */
	struct watch *watch;
};

/* `watch`, which may be NULL, is told solutions of heuristics. ERR_MEMORY. */
int exchange_create(struct exchange **out, int items, struct watch *watch, struct err *e);
void exchange_destroy(struct exchange *x);

/* Copies a solution if it is better than all before. Returns whether it is. x may be NULL. */
bool exchange_offer(struct exchange *x, enum exchange_source source, int64_t value,
		    const int64_t *order);

/* The best value; INT64_MAX: there is none, or x is NULL. */
static inline int64_t exchange_value(const struct exchange *x)
{
	return x ? atomic_load_explicit(&x->value, memory_order_relaxed) : INT64_MAX;
}

/* Copies the best solution to `order` if its value is below `below`. Returns the value, or `below`
 * if nothing was copied. x may be NULL. */
int64_t exchange_take(struct exchange *x, int64_t below, int64_t *order);

#endif
