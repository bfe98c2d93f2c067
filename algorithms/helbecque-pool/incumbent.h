/* The best schedule known: shared by all workers, or one for each (the authors' code), compared at
 * the end. */
#ifndef COPRA_HELBECQUE_POOL_INCUMBENT_H
#define COPRA_HELBECQUE_POOL_INCUMBENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "algorithms/helbecque-pool/node.h"
#include "algorithms/helbecque-pool/spin_lock.h"

struct incumbent {
	atomic_int best;       /* bounds >= this prune */
	struct spin_lock lock; /* of what follows */
	bool found;            /* by the search: else `order` holds the start, or nothing */
	int64_t *order;        /* n entries */
};

/* false: no memory. */
static inline bool incumbent_open(struct incumbent *c, int n, int32_t ub)
{
	memset(c, 0, sizeof(*c));
	atomic_init(&c->best, ub);
	c->order = calloc((size_t)n, sizeof(*c->order));
	return c->order;
}

static inline int32_t incumbent_best(const struct incumbent *c)
{
	return atomic_load_explicit(&c->best, memory_order_relaxed);
}

/* A complete schedule, the node's permutation; false where it is no better. */
static inline bool incumbent_offer(struct incumbent *c, const struct node_format *f,
				   const unsigned char *node, int32_t makespan)
{
	if (makespan >= incumbent_best(c))
		return false;
	spin_lock(&c->lock);
	bool better = makespan < incumbent_best(c);

	if (better) {
		for (int i = 0; i < f->n; i++)
			c->order[i] = node_id(f, node, i);
		c->found = true;
		atomic_store_explicit(&c->best, makespan, memory_order_relaxed);
	}
	spin_unlock(&c->lock);
	return better;
}

/* Takes over what `from` found, where it is better. No other thread is at work on either. */
static inline void incumbent_merge(struct incumbent *c, const struct incumbent *from, int n)
{
	if (!from->found || incumbent_best(from) >= incumbent_best(c))
		return;
	memcpy(c->order, from->order, (size_t)n * sizeof(*c->order));
	c->found = true;
	atomic_store_explicit(&c->best, incumbent_best(from), memory_order_relaxed);
}

#endif
