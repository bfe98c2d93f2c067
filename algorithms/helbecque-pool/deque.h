/* A host thread's pool of open nodes (section 3.1): a double-ended queue. Its owner pushes and pops
 * at the back; the initial search pops and thieves take at the front, where the nodes nearest to
 * the root lie.
 *
 * Every function takes the pool's lock for as long as it runs, but for pool_deque_size. All pools
 * of a search share one budget of bytes: growth beyond it is ERR_MEMORY, and leaves the pool as it
 * was. */
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
	struct balance balance; /* of all nodes so far, but for `left`: under the lock */
};

void pool_deque_open(struct pool_deque *p, const struct pool_node_format *f, struct pool_budget *b);
void pool_deque_close(struct pool_deque *p);

/* Nodes in the pool; no lock: a thief's or a checker's glance. */
static inline size_t pool_deque_size(struct pool_deque *p)
{
	return atomic_load_explicit(&p->size, memory_order_relaxed);
}

/* The back, in order. */
int pool_deque_push(struct pool_deque *p, const unsigned char *nodes, size_t count, struct err *e);
/* The children of `count` parents, made in place. */
int pool_deque_branch(struct pool_deque *p, const unsigned char *parents, const uint32_t *masks,
		      size_t count, struct err *e);
/* Takes the last `most` nodes, or all where there are fewer; none where there are fewer than
 * `least`. Returns how many. */
size_t pool_deque_pop_back(struct pool_deque *p, size_t least, size_t most, unsigned char *out);
/* The first node; 0 where there is none. */
size_t pool_deque_pop_front(struct pool_deque *p, unsigned char *out);
/* Half of the victim's nodes, from its front, to the back of the thief, if the victim has `least`
 * or more; fewer where the budget does not let the thief grow: the victim keeps them. Returns how
 * many. */
size_t pool_deque_steal(struct pool_deque *thief, struct pool_deque *victim, size_t least);
/* The first node of `from` to the back of `to`; *moved false where there is none. On an error it is
 * in neither of them. */
int pool_deque_give(struct pool_deque *from, struct pool_deque *to, bool *moved, struct err *e);

/* The nodes that entered and left the pool so far, and how many it holds now (`left`). */
struct balance pool_deque_balance(struct pool_deque *p);

#endif
