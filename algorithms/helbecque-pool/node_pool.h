/* A host thread's pool of open nodes (section 3.1): a double-ended queue. Its owner pushes and pops
 * at the back; the initial search pops and thieves take at the front, where the nodes nearest to
 * the root lie.
 *
 * Every function takes the pool's lock for as long as it runs, but for node_pool_size. All pools of
 * a search share one budget of bytes: growth beyond it is ERR_MEMORY, and leaves the pool as it
 * was. */
#ifndef COPRA_HELBECQUE_POOL_NODE_POOL_H
#define COPRA_HELBECQUE_POOL_NODE_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/helbecque-pool/node.h"
#include "algorithms/helbecque-pool/spin_lock.h"

struct node_budget {
	uint64_t limit;             /* bytes */
	atomic_uint_fast64_t taken; /* allocated by all pools */
};

struct node_pool {
	struct node_format format;
	struct node_budget *budget;
	struct spin_lock lock;
	unsigned char *nodes;
	size_t front, capacity; /* nodes */
	atomic_size_t size;     /* changes only under the lock */
	size_t peak;
	struct balance balance; /* of all nodes so far, but for `left`: under the lock */
};

void node_pool_open(struct node_pool *p, const struct node_format *f, struct node_budget *b);
void node_pool_close(struct node_pool *p);

/* Nodes in the pool; no lock: a thief's or a checker's glance. */
static inline size_t node_pool_size(struct node_pool *p)
{
	return atomic_load_explicit(&p->size, memory_order_relaxed);
}

/* The back, in order. */
int node_pool_push(struct node_pool *p, const unsigned char *nodes, size_t count, struct err *e);
/* The children of `count` parents, made in place. */
int node_pool_branch(struct node_pool *p, const unsigned char *parents, const uint32_t *masks,
		     size_t count, struct err *e);
/* Takes the last `most` nodes, or all where there are fewer; none where there are fewer than
 * `least`. Returns how many. */
size_t node_pool_pop_back(struct node_pool *p, size_t least, size_t most, unsigned char *out);
/* The first node; 0 where there is none. */
size_t node_pool_pop_front(struct node_pool *p, unsigned char *out);
/* Half of the victim's nodes, from its front, to the back of the thief, if the victim has `least`
 * or more; fewer where the budget does not let the thief grow: the victim keeps them. Returns how
 * many. */
size_t node_pool_steal(struct node_pool *thief, struct node_pool *victim, size_t least);
/* The first node of `from` to the back of `to`; *moved false where there is none. On an error it is
 * in neither of them. */
int node_pool_give(struct node_pool *from, struct node_pool *to, bool *moved, struct err *e);

/* The nodes that entered and left the pool so far, and how many it holds now (`left`). */
struct balance node_pool_balance(struct node_pool *p);

#endif
