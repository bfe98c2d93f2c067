/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/helbecque-pool/deque.h"

void pool_node_root(const struct pool_node_format *f, unsigned char *node)
{
	memset(node, 0, f->bytes);
	for (int i = 0; i < f->n; i++) {
		uint16_t id = (uint16_t)i;

		if (f->id_bytes == 1)
			node[f->ids + i] = (unsigned char)i;
		else
			memcpy(node + f->ids + f->id_bytes * i, &id, sizeof(id));
	}
}

/* Writes the ids `i` and `j` of `parent` to its copy `child`, swapped. */
static inline void exchange(unsigned char *child, const unsigned char *parent, int i, int j,
			    int ids, int id_bytes)
{
	int at = ids + i * id_bytes, from = ids + j * id_bytes;

	memcpy(child + at, parent + from, (size_t)id_bytes);
	memcpy(child + from, parent + at, (size_t)id_bytes);
}

/* Inlined with constant sizes, so that a child of up to 32 bytes takes a few moves. This matters at
 * tens of millions of nodes/s. */
static inline __attribute__((always_inline)) size_t
branch(const unsigned char *restrict parent, const uint32_t *restrict masks, size_t count,
       unsigned char *restrict out, size_t bytes, int words, int ids, int id_bytes)
{
	const unsigned char *begin = out;

	for (size_t p = 0; p < count; p++, parent += bytes, masks += words) {
		int depth = pool_node_depth(parent);
		uint16_t below = (uint16_t)(depth + 1);

		for (int w = 0; w < words; w++) {
			for (uint32_t set = masks[w]; set; set &= set - 1) {
				memcpy(out, parent, bytes);
				memcpy(out, &below, sizeof(below));
				exchange(out, parent, depth, 32 * w + __builtin_ctz(set), ids,
					 id_bytes);
				out += bytes;
			}
		}
	}
	return (size_t)(out - begin) / bytes;
}

size_t pool_node_branch(const struct pool_node_format *f, const unsigned char *parents,
			const uint32_t *masks, size_t count, unsigned char *out)
{
	enum { IDS = POOL_NODE_IDS, PLAIN_IDS = POOL_NODE_PLAIN_IDS };

	switch (f->bytes + (f->id_bytes == 4)) {
	case 8:
		return branch(parents, masks, count, out, 8, 1, IDS, 1);
	case 16:
		return branch(parents, masks, count, out, 16, 1, IDS, 1);
	case 24:
		return branch(parents, masks, count, out, 24, 1, IDS, 1);
	case 32:
		return branch(parents, masks, count, out, 32, 1, IDS, 1);
	case 88 + 1: /* plain, 20 jobs */
		return branch(parents, masks, count, out, 88, 1, PLAIN_IDS, 4);
	default:
		return branch(parents, masks, count, out, f->bytes, f->words, f->ids, f->id_bytes);
	}
}

enum { POOL_FIRST = 1024 }; /* nodes */

void pool_deque_open(struct pool_deque *p, const struct pool_node_format *f, struct pool_budget *b)
{
	memset(p, 0, sizeof(*p));
	p->format = *f;
	p->budget = b;
}

void pool_deque_close(struct pool_deque *p)
{
	free(p->nodes);
	atomic_fetch_sub(&p->budget->taken, p->capacity * p->format.bytes);
	p->nodes = NULL;
	p->capacity = 0;
}

static size_t size_of(const struct pool_deque *p)
{
	return atomic_load_explicit(&p->size, memory_order_relaxed);
}

static void set_size(struct pool_deque *p, size_t size)
{
	atomic_store_explicit(&p->size, size, memory_order_relaxed);
	if (size > p->peak)
		p->peak = size;
	if (size == 0)
		p->front = 0;
}

static unsigned char *at(const struct pool_deque *p, size_t i)
{
	return p->nodes + (p->front + i) * p->format.bytes;
}

/* Takes `bytes` from the budget. The total never exceeds the budget, not even
 * temporarily, because another pool could then be refused memory. */
static bool afford(struct pool_budget *b, uint64_t bytes)
{
	uint64_t taken = atomic_load(&b->taken);

	do {
		if (bytes > b->limit || taken > b->limit - bytes)
			return false;
	} while (!atomic_compare_exchange_weak(&b->taken, &taken, taken + bytes));
	return true;
}

static int grow(struct pool_deque *p, size_t capacity, struct err *e)
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

/* Makes room for `count` more nodes at the back. Doubles the capacity if the budget allows. */
static int reserve(struct pool_deque *p, size_t count, struct err *e)
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

int pool_deque_push(struct pool_deque *p, const unsigned char *nodes, size_t count, struct err *e)
{
	if (!count)
		return 0;
	pool_lock(&p->lock);
	int status = reserve(p, count, e);

	if (!status) {
		memcpy(at(p, size_of(p)), nodes, count * p->format.bytes);
		set_size(p, size_of(p) + count);
		p->balance.pushed += count;
	}
	pool_unlock(&p->lock);
	return status;
}

int pool_deque_branch(struct pool_deque *p, const unsigned char *parents, const uint32_t *masks,
		      size_t count, struct err *e)
{
	size_t children = pool_node_children(&p->format, masks, count);

	if (!children)
		return 0;
	pool_lock(&p->lock);
	int status = reserve(p, children, e);

	if (!status) {
		pool_node_branch(&p->format, parents, masks, count, at(p, size_of(p)));
		set_size(p, size_of(p) + children);
		p->balance.pushed += children;
	}
	pool_unlock(&p->lock);
	return status;
}

size_t pool_deque_pop_back(struct pool_deque *p, size_t least, size_t most, unsigned char *out)
{
	pool_lock(&p->lock);
	size_t size = size_of(p), count = size < least ? 0 : size < most ? size : most;

	if (count) {
		memcpy(out, at(p, size - count), count * p->format.bytes);
		set_size(p, size - count);
		p->balance.popped += count;
	}
	pool_unlock(&p->lock);
	return count;
}

/* Moves the front on; set_size resets it when the pool is empty. */
static void drop_front(struct pool_deque *p, size_t count)
{
	p->front += count;
	set_size(p, size_of(p) - count);
}

size_t pool_deque_pop_front(struct pool_deque *p, unsigned char *out)
{
	pool_lock(&p->lock);
	size_t count = size_of(p) > 0;

	if (count) {
		memcpy(out, at(p, 0), p->format.bytes);
		drop_front(p, 1);
		p->balance.popped++;
	}
	pool_unlock(&p->lock);
	return count;
}

/* Takes both locks in the order of their addresses, so that two thieves that steal from each other
 * do not deadlock. */
static void lock_both(struct pool_deque *a, struct pool_deque *b)
{
	pool_lock(a < b ? &a->lock : &b->lock);
	pool_lock(a < b ? &b->lock : &a->lock);
}

size_t pool_deque_steal(struct pool_deque *thief, struct pool_deque *victim, size_t least)
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
	pool_unlock(&thief->lock);
	pool_unlock(&victim->lock);
	return count;
}

int pool_deque_give(struct pool_deque *from, struct pool_deque *to, bool *moved, struct err *e)
{
	struct pool_node_room node;
	int status;

	*moved = pool_deque_pop_front(from, node.bytes) > 0;
	if (!*moved)
		return 0;
	status = pool_deque_push(to, node.bytes, 1, e);
	if (status)
		return status;
	from->balance.popped--;
	from->balance.given++;
	to->balance.pushed--;
	to->balance.received++;
	return 0;
}

void pool_deque_depths(struct pool_deque *p, size_t most, double *open)
{
	pool_lock(&p->lock);
	pool_node_depths(&p->format, pool_deque_nodes(p), size_of(p), most, open);
	pool_unlock(&p->lock);
}

struct balance pool_deque_balance(struct pool_deque *p)
{
	struct balance b;

	pool_lock(&p->lock);
	b = p->balance;
	b.left = size_of(p);
	pool_unlock(&p->lock);
	return b;
}
