#include "algorithms/helbecque-pool/node_pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_FIRST = 1024 }; /* nodes */

void node_pool_open(struct node_pool *p, const struct node_format *f, struct node_budget *b)
{
	memset(p, 0, sizeof(*p));
	p->format = *f;
	p->budget = b;
}

void node_pool_close(struct node_pool *p)
{
	free(p->nodes);
	atomic_fetch_sub(&p->budget->taken, p->capacity * p->format.bytes);
	p->nodes = NULL;
	p->capacity = 0;
}

static size_t size_of(const struct node_pool *p)
{
	return atomic_load_explicit(&p->size, memory_order_relaxed);
}

static void set_size(struct node_pool *p, size_t size)
{
	atomic_store_explicit(&p->size, size, memory_order_relaxed);
	if (size > p->peak)
		p->peak = size;
	if (size == 0)
		p->front = 0;
}

static unsigned char *at(const struct node_pool *p, size_t i)
{
	return p->nodes + (p->front + i) * p->format.bytes;
}

/* Takes `bytes` from the budget; never more than there is, not even until it is noticed: another
 * pool would be refused meanwhile. */
static bool afford(struct node_budget *b, uint64_t bytes)
{
	uint64_t taken = atomic_load(&b->taken);

	do {
		if (bytes > b->limit || taken > b->limit - bytes)
			return false;
	} while (!atomic_compare_exchange_weak(&b->taken, &taken, taken + bytes));
	return true;
}

static int grow(struct node_pool *p, size_t capacity, struct err *e)
{
	size_t bytes = p->format.bytes, more = (capacity - p->capacity) * bytes;

	if (!afford(p->budget, more))
		return err_set(e, ERR_MEMORY,
			       "the pools of open nodes need %" PRIu64
			       " bytes and more, they may have %" PRIu64,
			       (uint64_t)atomic_load(&p->budget->taken) + more, p->budget->limit);

	unsigned char *nodes = realloc(p->nodes, capacity * bytes);

	if (!nodes) {
		atomic_fetch_sub(&p->budget->taken, more);
		return err_set(e, ERR_MEMORY, "no memory for a pool of %zu nodes of %zu bytes",
			       capacity, bytes);
	}
	p->nodes = nodes;
	p->capacity = capacity;
	return 0;
}

/* Room for `count` more nodes behind the last. Doubles where the budget allows. */
static int reserve(struct node_pool *p, size_t count, struct err *e)
{
	size_t size = size_of(p), need = size + count, twice = 2 * p->capacity;

	if (p->front + need <= p->capacity)
		return 0;
	if (p->front > 0 && (need <= p->capacity / 2 || need + p->front / 2 <= p->capacity)) {
		memmove(p->nodes, at(p, 0), size * p->format.bytes);
		p->front = 0;
		return 0;
	}
	need += p->front;
	if (twice < POOL_FIRST)
		twice = POOL_FIRST;
	if (twice > need && grow(p, twice, NULL) == 0)
		return 0;
	if (p->front > 0) {
		memmove(p->nodes, at(p, 0), size * p->format.bytes);
		need -= p->front;
		p->front = 0;
	}
	return need <= p->capacity ? 0 : grow(p, need, e);
}

int node_pool_push(struct node_pool *p, const unsigned char *nodes, size_t count, struct err *e)
{
	if (!count)
		return 0;
	spin_lock(&p->lock);
	int status = reserve(p, count, e);

	if (!status) {
		memcpy(at(p, size_of(p)), nodes, count * p->format.bytes);
		set_size(p, size_of(p) + count);
		p->balance.pushed += count;
	}
	spin_unlock(&p->lock);
	return status;
}

int node_pool_branch(struct node_pool *p, const unsigned char *parents, const uint32_t *masks,
		     size_t count, struct err *e)
{
	size_t children = node_children(&p->format, masks, count);

	if (!children)
		return 0;
	spin_lock(&p->lock);
	int status = reserve(p, children, e);

	if (!status) {
		node_branch(&p->format, parents, masks, count, at(p, size_of(p)));
		set_size(p, size_of(p) + children);
		p->balance.pushed += children;
	}
	spin_unlock(&p->lock);
	return status;
}

size_t node_pool_pop_back(struct node_pool *p, size_t least, size_t most, unsigned char *out)
{
	spin_lock(&p->lock);
	size_t size = size_of(p), count = size < least ? 0 : size < most ? size : most;

	if (count) {
		memcpy(out, at(p, size - count), count * p->format.bytes);
		set_size(p, size - count);
		p->balance.popped += count;
	}
	spin_unlock(&p->lock);
	return count;
}

/* The front moves on; set_size brings it home when the pool is empty. */
static void drop_front(struct node_pool *p, size_t count)
{
	p->front += count;
	set_size(p, size_of(p) - count);
}

size_t node_pool_pop_front(struct node_pool *p, unsigned char *out)
{
	spin_lock(&p->lock);
	size_t count = size_of(p) > 0;

	if (count) {
		memcpy(out, at(p, 0), p->format.bytes);
		drop_front(p, 1);
		p->balance.popped++;
	}
	spin_unlock(&p->lock);
	return count;
}

/* Both locks, in the order of their addresses: two thieves that rob each other must not wait in a
 * circle. */
static void lock_both(struct node_pool *a, struct node_pool *b)
{
	spin_lock(a < b ? &a->lock : &b->lock);
	spin_lock(a < b ? &b->lock : &a->lock);
}

size_t node_pool_steal(struct node_pool *thief, struct node_pool *victim, size_t least)
{
	lock_both(thief, victim);
	size_t size = size_of(victim), count = size < least ? 0 : size / 2, room;

	if (count && reserve(thief, count, NULL)) {
		room = thief->capacity - thief->front - size_of(thief);
		count = count < room ? count : room;
	}
	if (count) {
		memcpy(at(thief, size_of(thief)), at(victim, 0), count * thief->format.bytes);
		set_size(thief, size_of(thief) + count);
		drop_front(victim, count);
		thief->balance.received += count;
		victim->balance.given += count;
	}
	spin_unlock(&thief->lock);
	spin_unlock(&victim->lock);
	return count;
}

int node_pool_give(struct node_pool *from, struct node_pool *to, bool *moved, struct err *e)
{
	struct node_room node;
	int status;

	*moved = node_pool_pop_front(from, node.bytes) > 0;
	if (!*moved)
		return 0;
	status = node_pool_push(to, node.bytes, 1, e);
	if (status)
		return status;
	from->balance.popped--;
	from->balance.given++;
	to->balance.pushed--;
	to->balance.received++;
	return 0;
}

struct balance node_pool_balance(struct node_pool *p)
{
	struct balance b;

	spin_lock(&p->lock);
	b = p->balance;
	b.left = size_of(p);
	spin_unlock(&p->lock);
	return b;
}
