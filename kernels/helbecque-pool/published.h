/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Bulk bounding of the published algorithm (section 3.1): the bounds of the children of the nodes
 * of a chunk, one thread per (parent, child).
 *
 * A node has `bytes` bytes: uint16_t depth, then at offset `ids` a permutation of n ids of
 * `id_bytes` bytes (algorithms/helbecque-pool/node.h). Child i >= depth fixes entry i next.
 *
 * The paper's kernels write a value per child, INT32_MAX or 0 for entries i < depth, which are no
 * children. The kernels for bit masks write whether the child survives: bit i % 32 of word i / 32
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
	union {                  /* all entries are written */
		int32_t *bounds; /* [node * n + child] flowshop */
		uint8_t *labels; /* [node * n + child] N-Queens: 1: survives */
		uint32_t *masks; /* [node * words + word] */
	};
	uint32_t count; /* nodes, > 0; count * n < 2^32 */
	int n, words, ids, id_bytes;
	uint32_t bytes;
};

/* Flowshop with forward branching. In the paper's kernel each thread gets the whole node, replays
 * the prefix and then runs the pairs until one exceeds `ub`, as in the authors' program. The forms
 * with bit masks do the same for small ids; with `step`, the pairs read rows of steps and end with
 * the first that reaches `ub`.
 *
 * Packed, a first kernel, one thread per parent, replays the prefix once for all children. A
 * second, one thread per child, bounds by LB1 and lists the children that survive. A third, one
 * thread for each of these, runs the pairs until one prunes. The same children survive. */
struct pool_bounds {
	struct fsp_tables tables; /* moved to device memory */
	int32_t ub;               /* children with bound < ub survive */

	/* one thread per child, with the whole node; lb1 and lb2: LB1 first */
	bool lb1, lb2;
	int32_t stop_at; /* the least value above ub */

	/* for bit masks */
	const struct fsp_step *step; /* NULL: LB1 only, or LB2 from the tables */
	bool packed;                 /* the following; LB2 needs `step` */
	int32_t *front, *rem;        /* [node * machines + machine], scratch */
	uint32_t *left;              /* [node * words + word], scratch */
	uint32_t *open, *opens;      /* scratch: the list of [node * n + entry], its length */
};

struct pool_published_kernels {
	/* Asynchronous. N-Queens: n <= 32, ids of 8 bits. Flowshop: `bounds` takes ids of 32 bits,
	 * `masks` of 8 or 16. */
	int (*queens_labels)(struct dev_stream *s, const struct pool_chunk *c, struct err *e);
	int (*queens_masks)(struct dev_stream *s, const struct pool_chunk *c, struct err *e);
	int (*flowshop_bounds)(struct dev_stream *s, const struct pool_chunk *c,
			       const struct pool_bounds *b, struct err *e);
	int (*flowshop_masks)(struct dev_stream *s, const struct pool_chunk *c,
			      const struct pool_bounds *b, struct err *e);
	/* Adds the operations that either of them takes for the chunk to *sum (device memory), as
	 * algorithms/tree-search/search_work.h counts them: it bounds the children once more. */
	int (*flowshop_operations)(struct dev_stream *s, const struct pool_chunk *c,
				   const struct pool_bounds *b, unsigned long long *sum,
				   struct err *e);
};

DEV_KERNELS(struct pool_published_kernels, pool_published_kernels);

#endif
