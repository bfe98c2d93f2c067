/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Offloads chunks of nodes to a device that bounds them: buffers, tables, and the chunk in flight.
 * The paper copies whole nodes to the device and a value per child back. As in the authors' CUDA
 * code, the host buffers are pageable.
 *
 * SEARCH_PINNED: host buffers are pinned, which makes copies asynchronous. SEARCH_TWO_CHUNKS: a
 * second chunk is in flight, so that the device works while its host thread branches.
 * SEARCH_BIT_MASKS: the result is one bit per child. None changes what is offloaded: min(size, M)
 * nodes from the back of a pool that holds at least m. */
#ifndef COPRA_HELBECQUE_POOL_OFFLOAD_H
#define COPRA_HELBECQUE_POOL_OFFLOAD_H

#include "harness/device/device.h"
#include "kernels/helbecque-pool/published.h"
#include "algorithms/helbecque-pool/evaluator.h"

enum {
	POOL_OFFLOAD_CHUNKS = 2,
	/* Parents branched under one lock, which is held for a few microseconds only. */
	POOL_OFFLOAD_BRANCH = 1024
};

struct pool_offload_chunk {
	struct dev_stream *stream;
	size_t capacity;       /* nodes */
	size_t count;          /* nodes in flight; 0: the chunk is free */
	unsigned char *nodes;  /* on the host: parents */
	void *results;         /* on the host, as in kernel_chunk, valid after pool_offload_wait */
	unsigned char *device; /* one block that `kernel_chunk` and `bounds` point into */
	struct pool_chunk kernel_chunk;
	struct pool_bounds bounds;
};

struct pool_offload {
	struct dev *dev;
	const struct pool_evaluator *problem;
	void *tables, *step;            /* on the device */
	struct pool_bounds bounds;      /* shared by all chunks */
	size_t most;                    /* upper limit of the nodes in a chunk */
	size_t result_bytes;            /* of a node */
	unsigned long long *operations; /* on the device: the sum over all chunks; NULL unless
					   they are counted */
	int chunks;                     /* in use */
	uint32_t *masks;                /* of POOL_OFFLOAD_BRANCH nodes */
	struct pool_offload_chunk chunk[POOL_OFFLOAD_CHUNKS];
};

/* `want`: the largest chunk that the caller will use. o->most is less if the device's memory does
 * not allow it. */
int pool_offload_open(struct pool_offload *o, struct dev *d, const struct pool_evaluator *problem,
		      size_t want, struct err *e);
void pool_offload_close(struct pool_offload *o);

/* Makes room for min(count, o->most) nodes in a free chunk. */
int pool_offload_reserve(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
			 struct err *e);
/* Starts bounding the first `count` > 0 entries of c->nodes, and returns at once. */
int pool_offload_start(struct pool_offload *o, struct pool_offload_chunk *c, size_t count,
		       int32_t ub, struct err *e);
/* The operations of all chunks that have been waited for (search_work.h); 0: not counted. */
int pool_offload_operations(struct pool_offload *o, double *operations, struct err *e);
/* The bytes of device memory that the kernels read and write at least for a node: the node and its
 * results, and the values that one kernel hands to the next. */
size_t pool_offload_bytes(const struct pool_offload *o);
/* Waits for c->results. The chunk is in use until its owner sets c->count to 0. */
int pool_offload_wait(struct pool_offload_chunk *c, struct err *e);
/* The masks of the surviving children of parents first .. first + count - 1, those with a bound
 * below `best`; bit masks are returned as they are. count <= POOL_OFFLOAD_BRANCH. The caller may
 * change them. They are valid until the next call. */
uint32_t *pool_offload_masks(struct pool_offload *o, struct pool_offload_chunk *c, size_t first,
			     size_t count, int32_t best);

#endif
