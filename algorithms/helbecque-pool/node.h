/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of the published algorithm, in the form in which they are kept in pools, copied to the
 * device and branched: a permutation.
 *
 *   offset 0    uint16_t depth: the number of fixed jobs (queens)
 *   offset ids  n ids, the permutation of jobs (columns), the fixed ones first
 *   end         padding to a multiple of 8 bytes
 *
 * Plain nodes, the authors' for flowshop, have 32-bit ids from offset 8 on: 88 bytes for 20 jobs.
 * Compact nodes, the authors' for N-Queens, have ids of 8 or, for n > 256, 16 bits from offset 2
 * on. Bytes that no field takes are zero.
 *
 * A child fixes one of the entries i >= depth by swapping entries i and depth. A mask of `words`
 * 32-bit words per node has bit i set if child i survives its bound. */
#ifndef COPRA_HELBECQUE_POOL_NODE_H
#define COPRA_HELBECQUE_POOL_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "datasets/flowshop/flowshop.h"

enum { POOL_NODE_IDS = 2, POOL_NODE_PLAIN_IDS = 8, POOL_NODE_ALIGN = 8 };

struct pool_node_format {
	int n;     /* jobs or queens, 1..1000 */
	int last;  /* nodes of this depth or deeper have no children that enter a pool */
	int words; /* of a mask of children */
	int ids;   /* their offset */
	int id_bytes;
	size_t bytes; /* of a node */
};

/* Space for one node of any format. */
struct pool_node_room {
	_Alignas(POOL_NODE_ALIGN) unsigned char bytes[POOL_NODE_PLAIN_IDS + 4 * FLOWSHOP_MAX_JOBS +
						      POOL_NODE_ALIGN];
};

static inline struct pool_node_format pool_node_format_of(int n, int last, bool plain)
{
	int ids = plain ? POOL_NODE_PLAIN_IDS : POOL_NODE_IDS;
	int id_bytes = plain ? 4 : n > 256 ? 2 : 1;
	size_t bytes = (size_t)ids + (size_t)n * (size_t)id_bytes;

	bytes = (bytes + POOL_NODE_ALIGN - 1) / POOL_NODE_ALIGN * POOL_NODE_ALIGN;
	return (struct pool_node_format){ n, last, (n + 31) / 32, ids, id_bytes, bytes };
}

static inline int pool_node_depth(const unsigned char *node)
{
	uint16_t depth;

	memcpy(&depth, node, sizeof(depth));
	return depth;
}

static inline int pool_node_id(const struct pool_node_format *f, const unsigned char *node, int i)
{
	uint16_t id; /* of 32 bits, the lower half */

	if (f->id_bytes == 1)
		return node[f->ids + i];
	memcpy(&id, node + f->ids + f->id_bytes * i, sizeof(id));
	return id;
}

/* Sets the root: depth 0, identity permutation. */
void pool_node_root(const struct pool_node_format *f, unsigned char *node);

/* Writes the children that `masks` selects (`words` words per parent) of `count` parents to `out`,
 * in order, and returns their number (pool_node_children). Masks at depth >= last must be 0. */
size_t pool_node_branch(const struct pool_node_format *f, const unsigned char *parents,
			const uint32_t *masks, size_t count, unsigned char *out);

/* Adds the depths of `count` nodes to open[depth], estimated from about `most` of them. */
static inline void pool_node_depths(const struct pool_node_format *f, const unsigned char *nodes,
				    size_t count, size_t most, double *open)
{
	size_t stride = count / most + 1, seen = (count + stride - 1) / stride;

	for (size_t i = 0; i < count; i += stride)
		open[pool_node_depth(nodes + i * f->bytes)] += (double)count / (double)seen;
}

/* The number of children that the masks select. */
static inline size_t pool_node_children(const struct pool_node_format *f, const uint32_t *masks,
					size_t count)
{
	size_t children = 0;

	for (size_t i = 0; i < count * (size_t)f->words; i++)
		children += (size_t)__builtin_popcount(masks[i]);
	return children;
}

#endif
