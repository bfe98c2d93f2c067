/* Bulk bounding of the published algorithm (section 3.1): which children of the nodes of a chunk
 * survive, one thread per (parent, child).
 *
 * A node has `bytes` bytes: uint16_t depth, then at offset 2 a permutation of n ids, uint8_t or
 * (`wide`) uint16_t. Child i >= depth fixes entry i next. The result is bit i % 32 of word i / 32
 * of the node's `words` words. */
#ifndef COPRA_KERNELS_HELBECQUE_POOL_PUBLISHED_H
#define COPRA_KERNELS_HELBECQUE_POOL_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/tree-search/fsp.h"
#include "harness/device/device.h"

/* All pointers point to device memory. */
struct pool_chunk {
	const unsigned char *nodes;
	uint32_t *masks; /* [node * words + word], all words are written */
	uint32_t count;  /* nodes, > 0; count * n < 2^32 */
	int n, words;
	bool wide;
	uint32_t bytes;
};

/* Flowshop with forward branching. In the paper's kernel each thread gets the whole node, replays
 * the prefix and then runs all pairs. Here a first kernel, one thread per parent, replays the
 * prefix once for all children. A second, one thread per child, bounds by LB1 and lists the
 * children that survive. A third, one thread for each of these, runs the pairs until one prunes.
 * The same children survive. */
struct pool_bounds {
	struct fsp_tables tables;    /* moved to device memory */
	const struct fsp_step *step; /* NULL: LB1 only */
	int32_t ub;                  /* children with bound < ub survive */
	int32_t *front, *rem;        /* [node * machines + machine], scratch */
	uint32_t *left;              /* [node * words + word], scratch */
	uint32_t *open, *opens;      /* scratch: the list of [node * n + entry], its length */
};

struct pool_published_kernels {
	/* Asynchronous. N-Queens: n <= 32, ids of 8 bits. */
	int (*queens)(struct dev_stream *s, const struct pool_chunk *c, struct err *e);
	int (*flowshop)(struct dev_stream *s, const struct pool_chunk *c,
			const struct pool_bounds *b, struct err *e);
};

DEV_KERNELS(struct pool_published_kernels, pool_published_kernels);

#endif
