/* Nodes of the published algorithm as they lie in pools, cross to the device and are branched: the
 * permutation of its codes, as small as the size of the problem allows.
 *
 *   offset 0   uint16_t depth: jobs (queens) fixed, the first `depth` entries of the permutation
 *   offset 2   n ids, the permutation of jobs (columns): uint8_t, uint16_t where `wide`
 *   padded to a multiple of 8 bytes
 *
 * A child fixes one of the entries i >= depth: entries i and depth change places. Which children
 * survive their bound is a bit i in `words` 32-bit words a node. */
#ifndef COPRA_HELBECQUE_POOL_NODE_H
#define COPRA_HELBECQUE_POOL_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "datasets/flowshop/flowshop.h"

enum { NODE_IDS = 2, NODE_ALIGN = 8 };

struct pool_node_format {
	int n;     /* jobs or queens, 1..1000 */
	int last;  /* nodes of this depth and deeper have no children that enter a pool */
	int words; /* of a mask of children */
	bool wide;
	size_t bytes; /* of a node */
};

/* Room for one node of any format. */
struct pool_node_room {
	_Alignas(NODE_ALIGN) unsigned char bytes[NODE_IDS + 2 * FLOWSHOP_MAX_JOBS + NODE_ALIGN];
};

static inline struct pool_node_format pool_node_format_of(int n, int last)
{
	bool wide = n > 256;
	size_t bytes = NODE_IDS + (size_t)n * (wide ? 2 : 1);

	bytes = (bytes + NODE_ALIGN - 1) / NODE_ALIGN * NODE_ALIGN;
	return (struct pool_node_format){ n, last, (n + 31) / 32, wide, bytes };
}

static inline int pool_node_depth(const unsigned char *node)
{
	uint16_t depth;

	memcpy(&depth, node, sizeof(depth));
	return depth;
}

static inline int pool_node_id(const struct pool_node_format *f, const unsigned char *node, int i)
{
	uint16_t id;

	if (!f->wide)
		return node[NODE_IDS + i];
	memcpy(&id, node + NODE_IDS + 2 * i, sizeof(id));
	return id;
}

/* The root: depth 0, identity. */
void pool_node_root(const struct pool_node_format *f, unsigned char *node);

/* Writes the children named by `masks` (words a parent) of `count` parents to `out`, in order;
 * returns how many. Room for all of them, see pool_node_children. No mask bit at depth >= last. */
size_t pool_node_branch(const struct pool_node_format *f, const unsigned char *parents,
			const uint32_t *masks, size_t count, unsigned char *out);

/* How many bits are set. */
static inline size_t pool_node_children(const struct pool_node_format *f, const uint32_t *masks,
					size_t count)
{
	size_t children = 0;

	for (size_t i = 0; i < count * (size_t)f->words; i++)
		children += (size_t)__builtin_popcount(masks[i]);
	return children;
}

#endif
