/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The pool of open nodes of a host thread (section 3.1): a double-ended queue. Its owner pushes and
 * pops at the back. The initial search and thieves take from the front, which holds the nodes
 * nearest to the root.
 *
 * All functions except pool_deque_size hold the pool's lock while they run. All pools of a search
 * share one budget of bytes. Growth beyond it is ERR_MEMORY and leaves the pool unchanged. */
#ifndef COPRA_HELBECQUE_POOL_DEQUE_H
#define COPRA_HELBECQUE_POOL_DEQUE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/helbecque-pool/node.h"
#include "algorithms/helbecque-pool/sync.h"

struct pool_budget {
	uint64_t limit;             /* bytes */
	atomic_uint_fast64_t taken; /* allocated by all pools */
};

struct pool_deque {
	struct pool_node_format format;
	struct pool_budget *budget;
	struct pool_spin_lock lock;
	unsigned char *nodes;
	size_t front, capacity; /* nodes */
	atomic_size_t size;     /* changes only under the lock */
	size_t peak;
	struct balance balance; /* of all nodes so far, without `left`; under the lock */
};

void pool_deque_open(struct pool_deque *p, const struct pool_node_format *f, struct pool_budget *b);
void pool_deque_close(struct pool_deque *p);

/* The nodes in the pool, read without the lock. */
static inline size_t pool_deque_size(struct pool_deque *p)
{
	return atomic_load_explicit(&p->size, memory_order_relaxed);
}

/* The nodes in the pool, from the front on. No other thread may use the pool meanwhile. */
static inline const unsigned char *pool_deque_nodes(const struct pool_deque *p)
{
	return p->nodes + p->front * p->format.bytes;
}

/* Appends nodes at the back, in order. */
int pool_deque_push(struct pool_deque *p, const unsigned char *nodes, size_t count, struct err *e);
/* Appends the children of `count` parents, constructed in place. */
int pool_deque_branch(struct pool_deque *p, const unsigned char *parents, const uint32_t *masks,
		      size_t count, struct err *e);
/* Takes the last `most` nodes, or all if there are fewer, but none if there are fewer than `least`.
 * Returns their number. */
size_t pool_deque_pop_back(struct pool_deque *p, size_t least, size_t most, unsigned char *out);
/* Takes the first node. Returns 0 if there is none. */
size_t pool_deque_pop_front(struct pool_deque *p, unsigned char *out);
/* Moves half of the victim's nodes, from its front, to the back of the thief if the victim has at
 * least `least`. Moves fewer if the budget does not allow the thief to grow. Returns their number.
 */
size_t pool_deque_steal(struct pool_deque *thief, struct pool_deque *victim, size_t least);
/* Moves the first node of `from` to the back of `to`. *moved is false if there is none. On an error
 * the node is in neither of them. */
int pool_deque_give(struct pool_deque *from, struct pool_deque *to, bool *moved, struct err *e);

/* Adds the nodes to open[depth], estimated from about `most` of them, equally far apart. */
void pool_deque_depths(struct pool_deque *p, size_t most, double *open);

/* The nodes that have entered and left the pool, and those that it holds now (`left`). */
struct balance pool_deque_balance(struct pool_deque *p);

#endif
