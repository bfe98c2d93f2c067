/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/tree-search/hashed_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/rng.h"

struct tree_node tree_root(const struct tree *t)
{
	return (struct tree_node){ .hash = rng_at(t->seed, 0) };
}

int tree_children(const struct tree *t, const struct tree_node *n)
{
	static const int children[8] = { 0, 1, 1, 2, 2, 3, 3, 4 };

	if (n->depth == t->depth)
		return 0;
	return n->depth == 0 ? 6 : children[n->hash >> 61];
}

struct tree_node tree_child_of(const struct tree_node *n, int index)
{
	struct tree_node child = *n;

	child.path[child.depth++] = (unsigned char)index;
	child.hash = rng_at(n->hash, (uint64_t)index);
	child.cost += (int64_t)(child.hash % 16);
	return child;
}

void tree_count_node(const struct tree *t, const struct tree_node *n, struct tree_counts *counts)
{
	counts->of[0]++;
	counts->of[1] += n->depth == t->depth;
	counts->of[2] += n->hash >> 40;
}

int64_t tree_cost_of(const struct tree *t, const unsigned char *path, size_t size)
{
	struct tree_node n = tree_root(t);

	for (size_t i = 0; i < size; i++) {
		if (path[i] >= tree_children(t, &n))
			return -1;
		n = tree_child_of(&n, path[i]);
	}
	return n.depth == t->depth ? n.cost : -1;
}

int64_t tree_enumerate(const struct tree *t, const struct tree_node *n, int64_t bound,
		       struct tree_counts *counts)
{
	int64_t best = n->depth == t->depth ? n->cost : TREE_NO_BOUND;

	if (n->cost >= bound)
		return TREE_NO_BOUND;
	tree_count_node(t, n, counts);
	for (int i = 0; i < tree_children(t, n); i++) {
		struct tree_node child = tree_child_of(n, i);
		int64_t value = tree_enumerate(t, &child, bound, counts);

		best = value < best ? value : best;
	}
	return best;
}

/* ---- piles of open nodes ---- */

void pile_push(struct pile *p, const struct tree_node *n)
{
	if (p->count == p->room) {
		p->room = 2 * p->room + 4;
		p->node = reallocarray(p->node, p->room, sizeof(*p->node));
		assert_non_null(p->node);
	}
	p->node[p->count++] = *n;
}

static struct pile *empty_pile(void)
{
	struct pile *p = reallocarray(NULL, 1, sizeof(*p));

	assert_non_null(p);
	*p = (struct pile){ 0 };
	return p;
}

struct pile *pile_of(const struct tree_node *n)
{
	struct pile *p = empty_pile();

	pile_push(p, n);
	return p;
}

void pile_free(void *context, void *pile)
{
	(void)context;
	free(((struct pile *)pile)->node);
	free(pile);
}

/* Node i goes to the part if the count of its nodes reaches the next whole number. */
static int split(void *context, void *work, double fraction, void **part, struct err *e)
{
	const struct tree *t = context;
	struct pile *p = work, *out;
	size_t kept = 0;

	(void)e;
	*part = NULL;
	if (p->count < 2)
		return 0;
	out = empty_pile();
	for (size_t i = 0; i < p->count; i++) {
		double before = (double)i * fraction, after = (double)(i + 1) * fraction;
		bool give = (size_t)(after + 1e-9) > (size_t)(before + 1e-9);

		if (give && (kept || i + 1 < p->count))
			pile_push(out, &p->node[i]);
		if (!give || (!kept && i + 1 == p->count) || t->split_leaks)
			p->node[kept++] = p->node[i];
	}
	if (!out->count)
		pile_push(out, &p->node[--kept]);
	p->count = kept;
	*part = out;
	return 0;
}

static int merge(void *context, void *into, void *from, struct err *e)
{
	struct pile *p = from;

	(void)e;
	for (size_t i = 0; i < p->count; i++)
		pile_push(into, &p->node[i]);
	pile_free(context, p);
	return 0;
}

static uint64_t amount(void *context, const void *work)
{
	(void)context;
	return ((const struct pile *)work)->count;
}

/* A node is its depth and its path, one byte each. */
static int pack(void *context, const void *work, unsigned char **bytes, size_t *size, struct err *e)
{
	const struct pile *p = work;
	unsigned char *to;

	(void)context;
	(void)e;
	*size = 0;
	for (size_t i = 0; i < p->count; i++)
		*size += 1 + (size_t)p->node[i].depth;
	to = *bytes = reallocarray(NULL, *size, 1);
	assert_non_null(to);
	for (size_t i = 0; i < p->count; i++) {
		*to++ = (unsigned char)p->node[i].depth;
		memcpy(to, p->node[i].path, (size_t)p->node[i].depth);
		to += p->node[i].depth;
	}
	return 0;
}

static bool unpack_node(const struct tree *t, const unsigned char **at, const unsigned char *end,
			struct tree_node *n)
{
	int depth = *(*at)++;

	*n = tree_root(t);
	if (depth > t->depth || end - *at < depth)
		return false;
	for (int i = 0; i < depth; i++, ++*at) {
		if (**at >= tree_children(t, n))
			return false;
		*n = tree_child_of(n, **at);
	}
	return true;
}

static int unpack(void *context, const unsigned char *bytes, size_t size, void **work,
		  struct err *e)
{
	const unsigned char *end = bytes + size;
	struct pile *p = empty_pile();

	while (bytes < end) {
		struct tree_node n;

		if (!unpack_node(context, &bytes, end, &n)) {
			pile_free(context, p);
			return err_set(e, ERR_INPUT, "not a node of the tree");
		}
		pile_push(p, &n);
	}
	*work = p;
	return 0;
}

const struct cluster_work_ops pile_ops = { split, merge, amount, pack, unpack, pile_free };
